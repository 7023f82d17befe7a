/* Runs of programs that race as text; see race_text.h. */
#include <inttypes.h>

#include "race_text.h"
#include "tape_ids.h"

static void put_rank(FILE *f, const struct program *p, enum run run, int rank)
{
	static const char *const classes[KINDS] = {"send", "recv", "irecv",
						   "wait", "wait", "test"};
	static const int calls[KINDS] = {
	    TAPE_CALL_MPI_Send, TAPE_CALL_MPI_Recv,    TAPE_CALL_MPI_Irecv,
	    TAPE_CALL_MPI_Wait, TAPE_CALL_MPI_Waitany, TAPE_CALL_MPI_Test};
	const struct rank *r = &p->rank[rank];
	int64_t before = run == LIGHT ? RACE_LIGHT_NS : r->before;
	int64_t after = run == LIGHT ? RACE_LIGHT_NS : r->after;

	fprintf(f, "rank %d\n\ttape-rank 1\n\trank %d\n\thost h\n\tpid %d\n"
		   "\tdomain 0\n\tcomm 1 1 %d %d world\n\talpha done 0 0\n",
		rank, rank, rank + 1, p->ranks, rank);
	for (int i = 0; i < KINDS; i++) {
		fprintf(f, "\talpha %s %" PRId64 " %" PRId64, classes[i],
			before, after);
		if (r->less || r->more)
			fprintf(f, " %" PRId64 " %" PRId64,
				before + after - r->less,
				before + after + r->more);
		fprintf(f, "\n\tsite %d %d %d races.c main\n", i + 1,
			calls[i], 10 + i);
	}
	if (run != TRACED)
		fprintf(f, "\talpha local 0 0\n\tsite %d %d 9 races.c main\n",
			KINDS + 1, TAPE_CALL_MPI_Init);
}

static void put_event(FILE *f, const struct program *p, const struct rank *r,
		      const struct event *e)
{
	static const char *const calls[KINDS] = {
	    "MPI_Send @1", "MPI_Recv @2",    "MPI_Irecv @3",
	    "MPI_Wait @4", "MPI_Waitany @5", "MPI_Test @6"};
	const struct step *s = e->s;
	const struct message *m = &p->message[e->message < 0 ? 0 : e->message];

	fprintf(f, "\t%" PRId64 " +%" PRId64 " %s", e->start, e->end - e->start,
		calls[s->kind]);
	if (s->kind == SEND)
		fprintf(f, " peer=%d tag=%d bytes=%" PRId64 " comm=1\n",
			e->peer, s->tag, s->bytes);
	else if (s->kind == IRECV)
		fprintf(f, " peer=%d tag=%d comm=1 bytes=4096\n", s->peer,
			s->tag);
	else if (s->kind == RECV)
		fprintf(f, " peer=%d tag=%d comm=1 actual_peer=%d actual_tag=%d"
			   " bytes=%" PRId64 " arrived=%d probe=0\n",
			s->peer, s->tag, m->from, m->tag, m->bytes, e->arrived);
	else if (e->message < 0) /* costs of failed tests are no constants */
		fprintf(f, " n=1 flag=0 alpha=%" PRId64 ":%" PRId64 "\n",
			r->before + s->off_before, r->after + s->off_after);
	else
		fprintf(f, " n=%d%s received=%d:%d:%d:%" PRId64 ":%d\n",
			e->s->kind == WAITANY ? e->open : 1,
			e->s->kind == TEST ? " flag=1" : "", e->request,
			m->from, m->tag, m->bytes,
			e->s->kind == TEST ? 2 : e->arrived);
}

/* A rank, whose clock is that of all; LIGHT: what is recorded then. */
static void put_flow(FILE *f, const struct program *p, enum run run, int rank)
{
	const struct rank *r = &p->rank[rank];
	const struct event *e = r->event[run];
	int n = r->events[run], calls = 0;

	fprintf(f, "flow %d 0\n", rank);
	if (run != TRACED)
		fprintf(f, "\t%d +0 MPI_Init @%d\n",
			run == LIGHT ? RACE_LIGHT_ZERO : 0, KINDS + 1);
	for (int i = 0; i < n; i++) {
		struct event shown = e[i];

		if (run == LIGHT &&
		    (!race_is_light(e[i].s) || e[i].message < 0))
			continue;
		if (run == LIGHT) {
			shown.start += RACE_LIGHT_ZERO;
			shown.end += RACE_LIGHT_ZERO;
		}
		put_event(f, p, r, &shown);
		calls += e[i].s->calls;
	}
	if (calls)
		fprintf(f, "\t%" PRId64 " +0 counted site=1 region=0 "
			   "rate=0 calls=%d ticks=0\n",
			e[n - 1].end, calls);
	fputs("\tend finalize 0\n", f);
}

void race_put_program(FILE *f, const struct program *p, enum run run)
{
	fprintf(f, "meta\n\ttape-trace 1\n\tranks %d\n\tbase global\n"
		   "\tdomain 0 simulated h\n\tclock 0 0 0 1 0 0\n", p->ranks);
	for (int r = 0; r < p->ranks; r++)
		put_rank(f, p, run, r);
	for (int r = 0; r < p->ranks; r++)
		put_flow(f, p, run, r);
}

int64_t race_program_total(const struct program *p, enum run run)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (int r = 0; r < p->ranks; r++) {
		const struct rank *k = &p->rank[r];
		int n = k->events[run];

		if (!n)
			continue;
		if (k->event[run][0].start < first)
			first = k->event[run][0].start;
		if (k->event[run][n - 1].end > last)
			last = k->event[run][n - 1].end;
	}
	return last - first;
}
