/*
 * The trace as text: definition files as they are, then the events in raw
 * ticks, so that assemble.c can make the same trace again. What follows a
 * semicolon is for the eye only.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "escape.h"
#include "tape_files.h"
#include "tool.h"
#include "place.h"

/* Lines that the assembler writes by itself: fields have names here, and each
 * rank has files of its own. */
static int is_made_anew(const char *line)
{
	return !strncmp(line, "class ", 6) || !strncmp(line, "layout ", 7);
}

/* The file in memory, wherever it is; NULL with errno. */
static FILE *open_text(const struct tape_trace *t, const char *name)
{
	char *bytes = NULL, part[4096];
	uint64_t at = 0;
	size_t n = 0;
	FILE *f = NULL;
	ssize_t got;

	while ((got = tape_trace_bytes(t, name, at, part, sizeof part)) >= 0) {
		f = f ? f : open_memstream(&bytes, &n);
		if (!f || !got)
			break;
		fwrite(part, 1, (size_t)got, f);
		at += (uint64_t)got;
	}
	if (!f)
		return NULL;
	/* bytes is its own from here on */
	fclose(f);
	/* its size includes an end */
	f = n ? fmemopen(NULL, n + 1, "w+") : fopen("/dev/null", "r");
	if (f && n)
		fwrite(bytes, 1, n, f);
	if (f)
		rewind(f);
	free(bytes);
	return f;
}

/*
 * A definition file, each line after a tab: as it is, but for bytes that
 * cannot be shown, which are escaped as words have them.
 */
static void print_definition_file(const struct tape_trace *t, const char *title,
				  const char *name)
{
	FILE *f = open_text(t, name);
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (!f && errno == ENOENT)
		return;
	if (!f)
		tape_die(TAPE_FAILED, "%s/%s: %s", tape_trace_path(t), name,
			 strerror(errno));
	printf("%s\n", title);
	/* a last line without an end is none to a reader either */
	while ((n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
		line[n - 1] = '\0';
		if (!strcmp(name, "meta") && is_made_anew(line))
			continue;
		putchar('\t');
		for (char *s = line; s < line + n - 1; s += strlen(s) + 1) {
			tape_put_line(stdout, s, 0);
			if (s + strlen(s) < line + n - 1)
				printf("%%00");
		}
		putchar('\n');
	}
	free(line);
	if (ferror(f))
		tape_die(TAPE_FAILED, "%s/%s: %s", tape_trace_path(t), name,
			 strerror(errno));
	fclose(f);
}

static void print_request(const char *word, uint64_t request, int thread)
{
	uint64_t n = request & (((uint64_t)1 << TAPE_REQUEST_SHIFT) - 1);
	uint64_t whose = request >> TAPE_REQUEST_SHIFT;

	if (whose == (uint64_t)thread || !request)
		printf(" %s%" PRIu64, word, n);
	else
		printf(" %s%" PRIu64 ".%" PRIu64, word, whose, n);
}

static void print_done(const struct tape_done *d, int thread)
{
	switch (d->kind) {
	case TAPE_DONE_REQUEST:
		print_request("done=", d->request, thread);
		break;
	case TAPE_DONE_CANCELLED:
		print_request("cancelled=", d->request, thread);
		break;
	case TAPE_DONE_RECV:
		print_request("received=", d->request, thread);
		printf(":%d:%d:%" PRIu64 ":%u", d->peer, d->tag, d->bytes,
		       d->arrived);
		break;
	}
}

/* Partners shown of a call to many. */
enum { PARTNERS_SHOWN = 16 };

/* A rank, or as PVM's console shows a task that was not traced. */
static void print_task(const struct tape_trace *t, int64_t tid)
{
	int rank = tid < INT32_MAX ? tape_trace_task(t, (int)tid) : -1;

	if (rank >= 0)
		printf(" %d", rank);
	else
		printf(" t%" PRIx64, (uint64_t)tid);
}

/* With whom, in a call of PVM: its peers are tids. */
static void print_partner(const struct tape_trace *t,
			  const struct tape_rank_info *r,
			  const struct tape_event *e)
{
	const struct tape_group_info *g =
		e->class_ == TAPE_CLASS_MCAST && e->u.mcast.group < r->n_groups
			? &r->groups[e->u.mcast.group]
			: NULL;
	struct tape_field field;
	int64_t peer = 0;

	for (unsigned i = 0; tape_class_field(e->class_, i, &field); i++)
		if (!strcmp(field.name, "peer") ||
		    !strcmp(field.name, "actual_peer"))
			peer = tape_field_get(&e->u, &field);
	if (peer > 0 || (g && g->n))
		printf(" with");
	if (peer > 0)
		print_task(t, peer);
	for (size_t i = 0; g && i < g->n && i <= PARTNERS_SHOWN; i++)
		if (i == PARTNERS_SHOWN)
			printf(" ...");
		else if (g->ranks[i] != r->tid)
			print_task(t, g->ranks[i]);
}

/* For the eye: date, request, partner, call site. */
static void print_comment(const struct tape_trace *t,
			  const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);
	const struct tape_site_info *s =
		e->site && e->site < r->n_sites ? &r->sites[e->site] : NULL;
	char place[TAPE_PLACE_BYTES];

	printf(" ; %s%" PRId64 ".%09" PRId64, e->start_ns < 0 ? "-" : "",
	       e->start_ns / 1000000000 * (e->start_ns < 0 ? -1 : 1),
	       e->start_ns % 1000000000 * (e->start_ns < 0 ? -1 : 1));
	if (e->alpha_before_ns > 0 || e->alpha_after_ns > 0)
		printf(" alpha %.1f+%.1f ns", e->alpha_before_ns,
		       e->alpha_after_ns);
	if (e->request)
		print_request("request ", e->request, e->thread);
	if (r->tid && e->call)
		print_partner(t, r, e);
	if (s && s->call)
		printf(" %s", tape_place_text(s, place, sizeof place));
	else if (e->class_ == TAPE_CLASS_ENTER && e->region < r->n_regions &&
		 r->regions[e->region])
		printf(" %s", tape_clean(r->regions[e->region], place,
					 sizeof place));
}

/* One end of an interval, a blank before it. */
static void print_limit(int64_t ns)
{
	if (ns == INT64_MIN || ns == INT64_MAX)
		printf(" %cinf", ns < 0 ? '-' : '+');
	else
		printf(" %+" PRId64, ns);
}

static void print_intervals(const struct tape_trace *t,
			    const struct tape_event *e)
{
	struct tape_interval start, end;

	tape_event_intervals(t, e, &start, &end);
	printf(" start");
	print_limit(start.lo_ns);
	print_limit(start.hi_ns);
	printf(" end");
	print_limit(end.lo_ns);
	print_limit(end.hi_ns);
	printf(" ns");
}

static void print_event(const struct tape_trace *t, const struct tape_event *e,
			int intervals)
{
	struct tape_field field;
	uint64_t spent = e->end_tick - e->start_tick;

	printf("\t%" PRIu64 " +%" PRIu64 " ", e->start_tick, spent);
	if (e->call)
		printf("%s @%u", tape_call_name(e->call), e->site);
	else
		printf("%s", tape_class_name(e->class_));
	for (unsigned i = 0;
	     dump_has_fields(e) && tape_class_field(e->class_, i, &field); i++)
		if (dump_shows_field(e, &field))
			printf(" %s=%" PRId64, field.name,
			       tape_field_get(&e->u, &field));
	if (e->class_ == TAPE_CLASS_ENTER || e->class_ == TAPE_CLASS_LEAVE)
		printf(" region=%u", e->region);
	if (e->polls != 1 || e->inside_ticks != spent)
		printf(" polls=%" PRIu64 ":%" PRIu64, e->polls,
		       e->inside_ticks);
	if (e->also_polls) {
		printf(" also=%s@%u:%" PRIu64, tape_call_name(e->also_call),
		       e->also_site, e->also_polls);
		for (unsigned i = 0; tape_class_field(e->also_class, i, &field);
		     i++)
			printf(":%" PRId64, tape_field_get(&e->also, &field));
	}
	if (e->extra_before_ticks || e->extra_after_ticks)
		printf(" alpha=%" PRIu64 ":%" PRIu64, e->extra_before_ticks,
		       e->extra_after_ticks);
	if (e->earlier_ns || e->later_ns)
		printf(" bounds=%" PRId64 ":%" PRId64, e->earlier_ns,
		       e->later_ns);
	for (uint32_t i = 0; i < e->n_counts; i++)
		if (e->counts[i].before || e->counts[i].inside)
			printf(" count=%u:%" PRId64 ":%" PRId64, i,
			       e->counts[i].before, e->counts[i].inside);
	for (uint32_t i = 0; i < e->n_done; i++)
		print_done(&e->done[i], e->thread);
	print_comment(t, e);
	if (intervals)
		print_intervals(t, e);
	putchar('\n');
}

static void print_flow(struct tape_trace *t, size_t index, int intervals)
{
	const struct tape_flow_info *info = tape_trace_flow(t, index);
	const struct tape_domain_info *d = tape_trace_domain(
		t, tape_trace_rank(t, info->rank)->domain);
	const struct tape_event *e;
	struct tape_flow *f;
	uint64_t lost = 0, n = 0;
	enum tape_end end;
	int rc;

	if (tape_flow_open(t, index, &f))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	printf("flow %d %d\n", info->rank, info->thread);
	printf("\tanchor %" PRIu64 " %" PRIu64 " %u\n", d->first.tick,
	       d->first.ns, d->first.slack);
	printf("\tanchor %" PRIu64 " %" PRIu64 " %u\n", d->last.tick,
	       d->last.ns, d->last.slack);
	while ((rc = tape_flow_next(f, &e)) > 0) {
		print_event(t, e, intervals);
		if (!(++n & 0xffff))
			tape_progress(n, 0);
	}
	tape_progress(n, 1);
	if (rc == TAPE_ENOMEM)
		tape_die_no_memory();
	end = tape_flow_end(f, &lost);
	printf("\tend %s %" PRIu64 "\n", dump_end_name(end), lost);
	if (!rc)
		dump_end_warn(info, end, lost);
	tape_flow_close(f);
}

void dump_text(struct tape_trace *t, int intervals)
{
	char title[64], name[64];

	print_definition_file(t, "meta", "meta");
	print_definition_file(t, "clocks", "clocks");
	print_definition_file(t, "sites", "sites");
	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		snprintf(title, sizeof title, "rank %zu", r);
		snprintf(name, sizeof name, "rank.%zu", r);
		print_definition_file(t, title, name);
	}
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		print_flow(t, i, intervals);
}
