/* The first texts of a page; see view.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "predicted.h"
#include "sort.h"
#include "view.h"

__attribute__((format(printf, 3, 4))) static void
append_text(char *text, size_t n, const char *format, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + used, n - used, format, ap);
	va_end(ap);
}

static const char *end_reason(enum tape_end end)
{
	switch (end) {
	case TAPE_END_NONE:
		return "the process was killed, or is still running";
	case TAPE_END_FINALIZE:
		break;
	case TAPE_END_EXIT:
		return "ended before MPI_Finalize or pvm_exit";
	case TAPE_END_ABORT:
		return "MPI_Abort";
	case TAPE_END_FULL:
		return "the disk was full";
	case TAPE_END_LIMIT:
		return "max_size was reached";
	case TAPE_END_ERROR:
		return "it could not be written";
	}
	return "";
}

/* Lists damaged flows, missing ranks, and flows that ended early. */
void view_incomplete_text(const struct view *v, char *text, size_t n)
{
	const struct tape_trace *t = v->base[v->bases - 1].t;
	size_t there = 0, early = 0, damaged = 0, ranks = tape_trace_ranks(t);
	const struct view_flow *first = NULL;
	char one[512], path[512];
	int last = -1;

	*text = '\0';
	for (size_t i = 0; i < v->flows; i++) {
		const struct view_flow *f = &v->flow[i];
		const char *d = tape_trace_damage(t, i, NULL);

		there += f->info->rank != last;
		last = f->info->rank;
		if (d && !damaged++)
			append_text(text, n, "Damaged: %s. ",
				    tape_clean(d, one, sizeof one));
		if (d || f->end == TAPE_END_FINALIZE ||
		    (f->end == TAPE_END_EXIT && f->info->thread))
			continue;
		first = first ? first : f;
		early++;
	}
	if (damaged > 1)
		append_text(text, n, "%zu flows are damaged. ", damaged);
	if (there < ranks)
		append_text(text, n,
			    "%zu of %zu ranks are missing from the trace. ",
			    ranks - there, ranks);
	if (early)
		append_text(
		    text, n, "%zu of %zu flows end early; rank %d: %s%s. ",
		    early, v->flows, first->info->rank, end_reason(first->end),
		    first->lost ? ", and events are missing" : "");
	if (tape_not_recorded_text(v->missing, path, sizeof path))
		append_text(text, n, "Not recorded: %s. ",
			    tape_clean(path, one, sizeof one));
}

static const char *base_description(const struct view_base *b)
{
	switch (tape_trace_base(b->t)) {
	case TAPE_BASE_LOCAL:
		return b->by_domain ? "raw times of unrelated clocks (run sba)"
				    : "raw time";
	case TAPE_BASE_GLOBAL:
		return "global time (one clock, by sba)";
	case TAPE_BASE_COMPENSATED:
		return tape_predicted(b->t)
			   ? "predicted time (another machine, by tapesim)"
			   : "corrected time (without the cost of tracing, by "
			     "tico)";
	}
	return "";
}

static int order_host_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the number of hosts with different names. */
static size_t count_hosts(const struct tape_trace *t)
{
	size_t ranks = tape_trace_ranks(t), named = 0, n = 0;
	const char **name = view_alloc(ranks, sizeof *name);

	for (size_t r = 0; r < ranks; r++) {
		const char *h = tape_trace_rank(t, (int)r)->host;

		/* most ranks of a host are successive */
		if (h && (!named || strcmp(name[named - 1], h)))
			name[named++] = h;
	}
	tape_sort(name, named, sizeof *name, order_host_names);
	for (size_t i = 0; i < named; i++)
		n += !i || strcmp(name[i - 1], name[i]) != 0;
	free(name);
	return n;
}

static const char *plural_suffix(size_t n)
{
	return n == 1 ? "" : "s";
}

static void append_duration(char *text, size_t n, int64_t ns)
{
	static const char *const unit[] = {"ns", "us", "ms", "s"};
	double v = (double)ns;
	int i = 0;

	while (v >= 1000 && i < 3) {
		v /= 1000;
		i++;
	}
	append_text(text, n, "%.6g %s", v, unit[i]);
}

void view_about_text(const struct view *v, char *text, size_t n)
{
	const struct view_base *b = &v->base[v->bases - 1];
	const char *path = tape_trace_path(b->t), *slash;
	size_t h = count_hosts(b->t), ranks = tape_trace_ranks(b->t);
	uint64_t all = 0, kept = 0;
	char name[512], shown[512];
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (slash = path + len; slash > path && slash[-1] != '/'; slash--)
		;
	snprintf(name, sizeof name, "%.*s", (int)(path + len - slash), slash);
	*text = '\0';
	append_text(text, n, "%s: %zu rank%s",
		    tape_clean(name, shown, sizeof shown), ranks,
		    plural_suffix(ranks));
	if (v->flows != ranks)
		append_text(text, n, ", %zu threads", v->flows);
	append_text(text, n, " on %zu host%s, ", h, plural_suffix(h));
	append_duration(text, n, b->length_ns);
	append_text(text, n, ", in %s.", base_description(b));
	for (size_t i = 0; i < v->flows; i++) {
		const struct view_flow *f = &v->flow[i];

		kept += f->kept;
		all += f->before + f->kept + f->after;
	}
	if (kept < all)
		append_text(
		    text, n,
		    " %" PRIu64 " of %" PRIu64 " calls are shown one "
		    "by one%s; the rest as shares of time. Another window: "
		    "tapeview --from, --to, --ranks.",
		    kept, all, v->is_full ? ", as many as a page takes" : "");
}
