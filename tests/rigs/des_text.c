/* A run as text, in the form of tapedump; see des.h. */
#include <inttypes.h>

#include "des.h"
#include "tape_ids.h"

/* The reader's names of calls and classes come with tape_reader.h. */
#include "tape_reader.h"

/* Failed probes are for this tag, which nobody sends. */
#define TAG_NEVER 99

/* Alpha beyond the constants; probe is a field of its own. */
static void print_alpha(FILE *out, int64_t before, int64_t after)
{
	if (before || after)
		fprintf(out, " alpha=%" PRId64 ":%" PRId64, before, after);
}

static int peer_of(const struct des_program *p, const struct des_message *m,
		   int side)
{
	return p->comm[m->comm].number[side == 1 ? m->dst : m->src];
}

/* The truth does not ask. */
static int get_arrived(const struct des_step *s, enum des_runs run, int i)
{
	return s->asked && run == DES_TRACED ? s->d[run].arrived[i] : 2;
}

/* The fields of a send. */
static void print_sent(FILE *out, const struct des_program *p,
		       const struct des_message *m)
{
	fprintf(out, " peer=%d tag=%d bytes=%" PRId64 " comm=%d",
		peer_of(p, m, 1), m->tag, m->bytes, m->comm);
}

/* What a receive or a probe was called with ... */
static void print_wanted(FILE *out, const struct des_program *p,
			 const struct des_message *m)
{
	fprintf(out, " peer=%d tag=%d comm=%d",
		m->any ? TAPE_ANY_SOURCE : peer_of(p, m, 2), m->tag, m->comm);
}

/* ... and what it got. */
static void print_got(FILE *out, const struct des_program *p,
		      const struct des_message *m)
{
	fprintf(out, " actual_peer=%d actual_tag=%d bytes=%" PRId64,
		peer_of(p, m, 2), m->tag, m->bytes);
}

static void print_received(FILE *out, const struct des_program *p,
			   const struct des_message *m, int flag)
{
	fprintf(out, " received=%d:%d:%d:%" PRId64 ":%d", m->irecv,
		peer_of(p, m, 2), m->tag, m->bytes, flag);
}

static void print_completions(FILE *out, const struct des_program *p,
			      enum des_runs run, const struct des_step *s,
			      int asked)
{
	for (int i = 0; i < s->n; i++) {
		const struct des_message *m = &p->message[s->what[i]];

		if (s->side[i] == 1)
			fprintf(out, " done=%d", m->isend);
		else
			print_received(out, p, m,
				       asked ? get_arrived(s, run, i) : 2);
	}
}

static void print_head(FILE *out, const struct des_program *p, int rank,
		       int64_t start, int64_t end, int call)
{
	start = des_shown(p, rank, start);
	fprintf(out, "\t%" PRId64 " +%" PRId64 " %s @%d", start,
		des_shown(p, rank, end) - start, tape_call_name((unsigned)call),
		call);
}

/* The run of failed polls before a successful one. */
static void print_misses(FILE *out, const struct des_program *p,
			 enum des_runs run, int rank, const struct des_step *s)
{
	const struct des_dates *d = &s->d[run];
	int64_t all =
	    des_shown(p, rank, d->gave_up) - des_shown(p, rank, d->from);

	print_head(out, p, rank, d->from, d->gave_up, s->call);
	if (s->kind == DES_POLL) {
		fputs(" n=1 flag=0", out);
	} else {
		print_wanted(out, p, &p->message[s->what[0]]);
		fputs(" flag=0", out);
	}
	/* its class's constant before the first is an extra here */
	fprintf(out, " polls=%" PRId64 ":%" PRId64, 1 + all / 40, all);
}

static int has_root(const struct des_step *s)
{
	unsigned class_ = tape_call_class((unsigned)s->call);

	return class_ == TAPE_CLASS_COLL || class_ == TAPE_CLASS_ICOLL;
}

/* As the rank passes it. */
static int find_root(const struct des_program *p,
		     const struct des_collective *c, int rank)
{
	const struct des_comm *comm = &p->comm[c->comm];
	int r = comm->member[c->root];

	if (!comm->sizes[1] ||
	    (c->shape != TAPE_SHAPE_FROM && c->shape != TAPE_SHAPE_TO))
		return c->root;
	if (r == rank)
		return TAPE_ROOT;
	return comm->side[r] == comm->side[rank] ? TAPE_PROC_NULL
						 : comm->number[r];
}

static void print_fields(FILE *out, const struct des_program *p,
			 enum des_runs run, const struct des_step *s, int rank)
{
	const struct des_message *m = &p->message[s->what[0]];
	const struct des_collective *c = &p->collective[s->what[0]];
	int64_t bytes;

	switch (s->kind) {
	case DES_SEND:
	case DES_ISEND:
		print_sent(out, p, m);
		break;
	case DES_INIT:
	case DES_IRECV:
		if (s->side[0] == 1) {
			print_sent(out, p, m);
			break;
		}
		print_wanted(out, p, m);
		fprintf(out, " bytes=%" PRId64, m->bytes);
		break;
	case DES_RECV:
	case DES_PROBE:
	case DES_MPROBE:
		print_wanted(out, p, m);
		print_got(out, p, m);
		fprintf(out, " arrived=%d", get_arrived(s, run, 0));
		break;
	case DES_SENDRECV:
		print_sent(out, p, m);
		m = &p->message[s->what[1]];
		fprintf(out,
			" rpeer=%d rtag=%d actual_peer=%d actual_tag=%d "
			"rbytes=%" PRId64 " arrived=%d",
			peer_of(p, m, 2), m->tag, peer_of(p, m, 2), m->tag,
			m->bytes, get_arrived(s, run, 1));
		break;
	case DES_START:
		fprintf(out, " n=1 done=%d", s->request);
		break;
	case DES_WAIT:
		fprintf(out, " n=%d", s->n);
		print_completions(out, p, run, s, 1);
		break;
	case DES_POLL:
		fputs(" n=1 flag=1", out);
		print_completions(out, p, run, s, 0);
		break;
	case DES_MISS:
		fprintf(out, " peer=%d tag=%d comm=1 flag=0", s->what[0],
			TAG_NEVER);
		break;
	case DES_IPROBE:
		print_wanted(out, p, m);
		fputs(" flag=1", out);
		print_got(out, p, m);
		break;
	case DES_MRECV:
		print_received(out, p, m, 2);
		break;
	case DES_COLL:
	case DES_ICOLL:
		if (has_root(s))
			fprintf(out, " root=%d", find_root(p, c, rank));
		bytes = s->call == TAPE_CALL_MPI_Alltoall
			    ? c->bytes * p->comm[c->comm].size
			    : c->bytes;
		fprintf(out, " bytes=%" PRId64, bytes);
		/* as recorded: as many as are sent, where no root has others */
		if (s->call == TAPE_CALL_MPI_Scatter ||
		    (has_root(s) && c->shape != TAPE_SHAPE_FROM &&
		     c->shape != TAPE_SHAPE_TO))
			fprintf(out, " rbytes=%" PRId64, bytes);
		fprintf(out, " comm=%d", c->comm);
		break;
	case DES_COLL_WAIT:
		if (has_root(s))
			fprintf(out, " root=-1 comm=%d", c->comm);
		else
			fprintf(out, " n=1 done=%d", s->request);
		break;
	case DES_POST:
	case DES_ENTER:
		/* each rank is a group, too */
		fprintf(out, " comm=%d group=%d", DES_WINDOW,
			1 + (s->side[0] == 1 ? m->dst : m->src));
		break;
	case DES_LEAVE:
	case DES_CLOSE:
		fprintf(out, " comm=%d", DES_WINDOW);
		break;
	case DES_FREE:
		print_completions(out, p, run, s, 0);
		break;
	case DES_CANCEL:
		fprintf(out, " done=%d", m->irecv);
		break;
	case DES_CANCELLED:
		fprintf(out, " n=1 cancelled=%d", m->irecv);
		break;
	case DES_LOCAL:
		break;
	}
}

static int has_probe(const struct des_step *s)
{
	return s->kind == DES_RECV || s->kind == DES_PROBE ||
	       s->kind == DES_MPROBE || s->kind == DES_WAIT ||
	       s->call == TAPE_CALL_MPI_Wait;
}

static void one_step(FILE *out, const struct des_program *p, enum des_runs run,
		     int rank, const struct des_step *s)
{
	const struct des_dates *d = &s->d[run];
	int is_traced = run == DES_TRACED;
	int class_ = s->kind == DES_POLL ? TAPE_CLASS_TEST : TAPE_CLASS_IPROBE;

	if (d->polled) {
		print_misses(out, p, run, rank, s);
		/* spent before the first poll, whose class has no constant */
		if (is_traced)
			print_alpha(
			    out, s->before + p->rank[rank].before[class_], 0);
		fputc('\n', out);
	}
	print_head(out, p, rank, d->start, d->end, s->call);
	print_fields(out, p, run, s, rank);
	if (is_traced && has_probe(s) && s->probe)
		fprintf(out, " probe=%" PRId64, s->probe);
	if (is_traced)
		print_alpha(out, d->polled ? d->start - d->gave_up : s->before,
			    s->after);
	fputc('\n', out);
}

/* A communicator as the rank sees it, and its neighbours there. */
static void one_comm(FILE *out, const struct des_comm *comm, int c, int rank)
{
	int me = comm->place[rank];

	if (comm->sizes[1]) {
		int side = comm->side[rank];

		fprintf(out, "\tcomm %d %x %d %d c%d\n\tinter %d %d %d\n", c,
			0x100 + c, comm->sizes[!side], comm->number[rank], c, c,
			side, comm->sizes[side]);
		return;
	}
	fprintf(out, "\tcomm %d %x %d %d c%d\n\tsources %d", c,
		c == 1 ? 1 : 0x100 + c, comm->size, me, c, c);
	for (int i = 0; i < comm->size; i++)
		if (des_is_source(comm->size, me, i))
			fprintf(out, " %d", i);
	fputc('\n', out);
}

static void print_constant(FILE *out, const struct des_program *p,
			   const struct des_rank *r, const char *name,
			   int64_t before, int64_t after, int c)
{
	fprintf(out, "\talpha %s %" PRId64 " %" PRId64, name, before, after);
	if (p->blurred)
		fprintf(out, " %" PRId64 " %" PRId64,
			before + after - r->less[c],
			before + after + r->more[c]);
	fputc('\n', out);
}

/* How wrong the times of a clock may be; it shows ahead too much. */
static void one_clock(FILE *out, const struct des_program *p, int i)
{
	const struct des_clock *c = &p->clock[i];

	fprintf(out, "\tdomain %d simulated%d h%d\n", i, i, i);
	for (int k = 0; k < c->n; k++) {
		int64_t shown = des_shown(p, i, c->at[k]);

		fprintf(out,
			"\tclock %d %" PRId64 " %" PRId64 " 1 %" PRId64
			" %" PRId64 "\n",
			i, shown, shown, -c->ahead[k] - c->below[k],
			-c->ahead[k] + c->above[k]);
	}
}

/* A mark after the step, which costs nothing. */
static void print_mark(FILE *out, const struct des_program *p,
		       enum des_runs run, int rank, const struct des_step *s,
		       const char *name)
{
	int64_t ns = s->d[run].end + des_cost_after(p, run, rank, s);

	fprintf(out, "\t%" PRId64 " +0 %s region=1\n", des_shown(p, rank, ns),
		name);
}

static void print_steps(FILE *out, const struct des_program *p,
			enum des_runs run, int rank)
{
	const struct des_rank *r = &p->rank[rank];

	for (int i = 0; i < r->n; i++) {
		one_step(out, p, run, rank, &r->step[i]);
		if (p->regions && (i % 5 == 1 || i % 5 == 3))
			print_mark(out, p, run, rank, &r->step[i],
				   i % 5 == 1 ? "enter" : "leave");
	}
}

static void print_constants(FILE *out, const struct des_program *p,
			    const struct des_rank *r)
{
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		if (!p->regions ||
		    (c != TAPE_CLASS_ENTER && c != TAPE_CLASS_LEAVE))
			print_constant(out, p, r, tape_class_name(c),
				       r->before[c], r->after[c], (int)c);
	print_constant(out, p, r, "done", 0, r->done_after, 64);
}

static void one_rank(FILE *out, const struct des_program *p, enum des_runs run,
		     int rank)
{
	const struct des_rank *r = &p->rank[rank];
	uint8_t used[1024] = {0};

	fprintf(out,
		"rank %d\n\ttape-rank 1\n\trank %d\n\thost h%d\n"
		"\tpid %d\n\tdomain %d\n",
		rank, rank, des_host(p, rank), rank + 1, p->clocks ? rank : 0);
	if (p->tiers > 1)
		fprintf(out, "\tposition %s\n", des_position(p, rank));
	for (int c = 1; c <= DES_COMMS; c++)
		if (p->comm[c].place[rank] >= 0)
			one_comm(out, &p->comm[c], c, rank);
	if (p->regions)
		fputs("\tregion 1 part\n", out);
	for (int i = 0; i < p->ranks; i++)
		fprintf(out, "\tgroup %d %d\n", i + 1, i);
	if (run == DES_TRACED)
		print_constants(out, p, r);
	for (int i = 0; i < r->n; i++)
		used[r->step[i].call] = 1;
	for (int c = 0; c < 1024; c++)
		if (used[c])
			fprintf(out, "\tsite %d %d %d random.c main\n", c, c,
				c);
}

void des_text(const struct des_program *p, enum des_runs run, FILE *out)
{
	fprintf(out,
		"# seed %" PRIu64 "\nmeta\n\ttape-trace 1\n"
		"\tprogram random\n\tranks %d\n\tbase global\n",
		p->seed, p->ranks);
	for (int i = 0; p->clocks && i < p->ranks; i++)
		one_clock(out, p, i);
	if (!p->clocks)
		fputs("\tdomain 0 simulated h0\n\tclock 0 0 0 1 0 0\n", out);
	if (p->algorithms)
		fputs("\tlibrary Open%20MPI%20v4.1.4\n", out);
	for (int r = 0; r < p->ranks; r++)
		one_rank(out, p, run, r);
	for (int r = 0; r < p->ranks; r++) {
		fprintf(out, "flow %d 0\n", r);
		print_steps(out, p, run, r);
		fputs("\tend finalize 0\n", out);
	}
}
