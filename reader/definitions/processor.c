/*
 * How much of its processor a rank got: lines processor and processors of rank
 * files.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "trace.h"

/* Figures of one thread, all since it began. */
struct figures {
	int64_t ns, cpu_ns, waited_ns; /* waited: -1 unknown */
	uint64_t voluntary, involuntary;
};

/* What is known of one flow so far. */
struct tape_flow_processor {
	uint64_t tid;
	int begun;
	struct figures last;
	struct tape_processor_info sum;
};

static int read_figures(char *rest, struct figures *g)
{
	return tape_text_i64(tape_text_word(&rest), &g->ns) ||
	       tape_text_i64(tape_text_word(&rest), &g->cpu_ns) ||
	       tape_text_i64(tape_text_word(&rest), &g->waited_ns) ||
	       tape_text_u64(tape_text_word(&rest), 10, &g->voluntary) ||
	       tape_text_u64(tape_text_word(&rest), 10, &g->involuntary) ||
	       g->ns < 0 || g->cpu_ns < 0 || g->waited_ns < -1 ||
	       g->voluntary > INT64_MAX || g->involuntary > INT64_MAX;
}

/*
 * From one sample to the next, unless a figure went back. What a kernel does
 * not tell follows from the rest if the thread was never off its processor of
 * its own accord: then it waited whenever it did not run.
 */
static void add_processor_sample(struct tape_processor_info *s,
				 const struct figures *a,
				 const struct figures *b)
{
	int64_t ns = b->ns - a->ns, cpu = b->cpu_ns - a->cpu_ns, off = ns - cpu;
	int64_t waited = b->waited_ns - a->waited_ns;

	if (ns < 0 || cpu < 0 || b->voluntary < a->voluntary ||
	    b->involuntary < a->involuntary)
		return;
	if (a->waited_ns < 0 || b->waited_ns < 0)
		waited = b->voluntary == a->voluntary &&
				 b->involuntary > a->involuntary && off > 0
				 ? off
				 : 0;
	if (waited < 0)
		return;
	s->ns += ns;
	s->cpu_ns += cpu;
	/* it cannot have waited longer than there was time */
	s->waited_ns += waited < ns ? waited : ns;
	s->voluntary += b->voluntary - a->voluntary;
	s->involuntary += b->involuntary - a->involuntary;
}

int tape_trace_read_processor(struct tape_trace *t, struct tape_rank *r,
			      const struct tape_text *x, char *rest)
{
	struct tape_flow_processor *p;
	uint64_t thread, tid;
	struct figures now;

	if (tape_text_u64(tape_text_word(&rest), 10, &thread) ||
	    (thread && !is_plausible_id(x, thread)) ||
	    tape_text_u64(tape_text_word(&rest), 10, &tid) ||
	    read_figures(rest, &now))
		return bad_line(t, x, "bad figures of a processor");
	p = tape_reserve_id(NULL, r->processors, &r->n_processors, thread,
			    sizeof *p);
	if (!p)
		return tape_trace_no_memory(t);
	r->processors = p;
	p += thread;
	/* another thread that went on with the flow has its own figures: less
	 * than the last ones where it has the number of one that is gone */
	if (p->begun && p->tid == tid)
		add_processor_sample(&p->sum, &p->last, &now);
	p->begun = 1;
	p->tid = tid;
	p->last = now;
	if (p->sum.waited_ns >= r->info.processor.waited_ns)
		r->info.processor = p->sum;
	return 0;
}

/* "0-3,8" */
int tape_trace_read_processors(struct tape_trace *t, struct tape_rank *r,
			       const struct tape_text *x, char *rest)
{
	const char *list = tape_text_word(&rest);
	uint64_t from, to;

	memset(r->info.may_use, 0, sizeof r->info.may_use);
	while (list && *list) {
		if (tape_parse_range(&list, TAPE_PROCESSORS_MAX - 1, &from,
				     &to) ||
		    (*list && *list != ','))
			return bad_line(t, x, "bad list of processors");
		for (; from <= to; from++)
			r->info.may_use[from / 64] |= UINT64_C(1) << from % 64;
		list += *list == ',';
	}
	return 0;
}
