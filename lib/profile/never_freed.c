/* What a program creates and does not free; see never_freed.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "json.h"
#include "never_freed.h"
#include "place.h"
#include "sort.h"
#include "stat.h"
#include "tool.h"

/* Lines of a report. */
enum { LEFT_SAID = 3 };

/* A communicator, window or file of a rank. Its two events may come in either
 * order, since one thread may free what another one creates. */
struct object {
	uint32_t place, flow; /* that created it */
	uint32_t is_created, is_freed;
};

static uint64_t object_key(const struct tape_event *e, uint32_t number)
{
	return ((uint64_t)(uint32_t)e->rank << 32 | number) + 1;
}

static struct object *get_object(struct stats *s, uint64_t key)
{
	s->objects.bytes = sizeof(struct object);
	return tape_must(tape_table_get(&s->objects, key));
}

static void note_creation(struct stats *s, const struct tape_event *e,
			  uint32_t number, uint32_t place)
{
	struct object *o;

	if (!number) /* this rank got none */
		return;
	o = get_object(s, object_key(e, number));
	o->place = place;
	o->flow = (uint32_t)e->flow;
	o->is_created = 1;
	if (o->is_freed)
		tape_table_drop(&s->objects, object_key(e, number));
}

void stats_note_object(struct stats *s, const struct tape_event *e,
		       uint32_t place)
{
	uint64_t key;
	struct object *o;

	switch (e->class_) {
	case TAPE_CLASS_COMM_NEW:
		note_creation(s, e, e->u.comm_new.newcomm, place);
		return;
	case TAPE_CLASS_COMM_INEW:
		note_creation(s, e, e->u.comm_inew.newcomm, place);
		return;
	case TAPE_CLASS_WIN_NEW:
		note_creation(s, e, e->u.win_new.newcomm, place);
		return;
	case TAPE_CLASS_FILE_NEW:
		note_creation(s, e, e->u.file_new.newcomm, place);
		return;
	case TAPE_CLASS_COMM_FREE:
		key = object_key(e, e->u.comm_free.comm);
		o = get_object(s, key);
		o->is_freed = 1;
		if (o->is_created)
			tape_table_drop(&s->objects, key);
		return;
	default:
		return;
	}
}

static void add_left(struct stats *s, uint32_t flow, uint32_t place)
{
	struct stats_part *p = stats_get_record(&s->parts, place, flow);

	p->left++;
}

struct left_requests {
	struct stats *s;
	uint32_t *first_flow; /* of each rank */
};

static void add_left_request(void *own, const struct tape_request *r)
{
	struct left_requests *l = own;
	unsigned class_ = tape_call_class(r->call);

	/* a message that a matched probe took is no request */
	if (class_ == TAPE_CLASS_MPROBE || class_ == TAPE_CLASS_IMPROBE)
		return;
	add_left(l->s, l->first_flow[r->begun.rank],
		 tape_analysis_place(l->s->analysis, &r->begun));
}

void stats_count_left(struct stats *s)
{
	struct left_requests l = {
	    s, tape_must(calloc((size_t)tape_trace_ranks(s->t) + 1,
				sizeof *l.first_flow))};
	const struct object *o;
	size_t at = 0;
	uint64_t key;

	for (size_t i = s->flows; i--;)
		l.first_flow[tape_trace_flow(s->t, i)->rank] = (uint32_t)i;
	tape_messages_open_requests(
	    tape_replay_messages(tape_analysis_replay(s->analysis)),
	    add_left_request, &l);
	free(l.first_flow);
	while ((o = tape_table_each(&s->objects, &at, &key)))
		if (o->is_created)
			add_left(s, o->flow, o->place);
}

/* ---- printing ---- */

/* What is left of one call site, of all ranks. */
struct left_line {
	uint32_t place;
	uint64_t count;
	int *rank;
	size_t ranks;
};

static int compare_parts(const void *a, const void *b)
{
	const struct stats_part *x = *(const struct stats_part *const *)a;
	const struct stats_part *y = *(const struct stats_part *const *)b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->flow < y->flow ? -1 : x->flow > y->flow;
}

static int compare_lines(const void *a, const void *b)
{
	const struct left_line *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static const char *kind_of_place(const struct stats *s, uint32_t place)
{
	switch (tape_call_class(tape_place_get(s->places, place)->call)) {
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_INEW:
		return "communicator";
	case TAPE_CLASS_WIN_NEW:
		return "window";
	case TAPE_CLASS_FILE_NEW:
		return "file";
	default:
		return "request";
	}
}

static int is_request(const struct stats *s, uint32_t place)
{
	return *kind_of_place(s, place) == 'r';
}

/* A persistent request is freed; others end where they are completed. */
static const char *missing_end(const struct stats *s, uint32_t place)
{
	unsigned call = tape_place_get(s->places, place)->call;

	return is_request(s, place) &&
		       tape_call_class(call) != TAPE_CLASS_START &&
		       !(tape_call_traits(call) & TAPE_TRAIT_PERSISTENT)
		   ? "completed"
		   : "freed";
}

/* The parts with something left, *n of them, by place and flow. */
static const struct stats_part **list_parts(const struct stats *s, size_t *n)
{
	const struct stats_part **list =
	    tape_must(calloc(s->parts.used + 1, sizeof *list));
	const struct stats_part *p;
	size_t at = 0;
	uint64_t key;

	*n = 0;
	while ((p = tape_table_each(&s->parts, &at, &key)))
		if (p->left)
			list[(*n)++] = p;
	tape_sort(list, *n, sizeof(struct stats_part *), compare_parts);
	return list;
}

/* One line of parts of one place; returns how many these are. */
static size_t make_line(const struct stats *s, const struct stats_part **part,
			size_t n, struct left_line *l)
{
	size_t k = 0;

	*l = (struct left_line){.place = part[0]->place,
				.rank = tape_must(calloc(n, sizeof *l->rank))};
	for (; k < n && part[k]->place == l->place; k++) {
		int rank = tape_trace_flow(s->t, part[k]->flow)->rank;

		if (is_request(s, l->place))
			l->count += part[k]->left;
		else if (part[k]->left > l->count)
			l->count = part[k]->left;
		if (!l->ranks || l->rank[l->ranks - 1] != rank)
			l->rank[l->ranks++] = rank;
	}
	return k;
}

/* All of them, those with the largest count first; free_lines frees them. */
static struct left_line *list_lines(const struct stats *s, size_t *n)
{
	size_t parts;
	const struct stats_part **part = list_parts(s, &parts);
	struct left_line *list = tape_must(calloc(parts + 1, sizeof *list));

	*n = 0;
	for (size_t i = 0; i < parts;)
		i += make_line(s, part + i, parts - i, &list[(*n)++]);
	free(part);
	tape_sort(list, *n, sizeof *list, compare_lines);
	return list;
}

static void free_lines(struct left_line *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i].rank);
	free(list);
}

void stats_print_left(const struct stats *s, FILE *f)
{
	char site[TAPE_PLACE_BYTES], ranks[200];
	size_t n;
	struct left_line *list = list_lines(s, &n);

	for (size_t i = 0; i < n && i < LEFT_SAID; i++) {
		const struct left_line *l = &list[i];

		stat_rank_list(l->rank, l->ranks, ranks, sizeof ranks);
		fprintf(f, "%" PRIu64 " %s%s of %s %s never %s (%s)\n",
			l->count, kind_of_place(s, l->place),
			l->count == 1 ? "" : "s",
			tape_activity_text(s->places, l->place, site,
					   sizeof site),
			l->count == 1 ? "was" : "were",
			missing_end(s, l->place), ranks);
	}
	if (n > LEFT_SAID)
		fprintf(f, "%zu more call sites are like these (never_freed "
			   "in tapestat -j)\n",
			n - LEFT_SAID);
	free_lines(list, n);
}

void stats_print_left_json(const struct stats *s, FILE *f)
{
	char site[TAPE_PLACE_BYTES];
	size_t n;
	struct left_line *list = list_lines(s, &n);

	fputc('[', f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%s{\"kind\":\"%s\",\"call\":", i ? "," : "",
			kind_of_place(s, list[i].place));
		tape_json_put(f, tape_activity_text(s->places, list[i].place,
						    site, sizeof site));
		fputs(",\"ranks\":[", f);
		for (size_t k = 0; k < list[i].ranks; k++)
			fprintf(f, "%s%d", k ? "," : "", list[i].rank[k]);
		fprintf(f, "],\"count\":%" PRIu64 "}", list[i].count);
	}
	fputc(']', f);
	free_lines(list, n);
}
