/*
 * A trace that is followed gets more call sites than its array has room for.
 * The array moves in memory, and the resolver still finds the sites it knew.
 */
#include "folder.h"
#include "output.h"
#include "resolve.h"
#include "tap.h"
#include "tape_follow.h"
#include "writer.h"

static const char meta_text[] =
    "tape-trace 1\nprogram ./a\nranks 1\nbase global\n"
    "domain 0 global %\nclock 0 0 0 1 0 0\n";

/* First sites of the parts of rank.0, and how many there are in all. */
static const int from[] = {1, 10, 20000, 40000, 70000};
enum { PARTS = sizeof from / sizeof *from - 1 };

/* Sites of events, for which there is room before their part is read. */
static const uint32_t used[PARTS] = {9, 16000, 30000, 60000};

/* What part k says of site i. */
static unsigned int address_of(int k, int i)
{
	return (unsigned int)(i - (k ? from[k - 1] : 0));
}

static const char *module_of(int i)
{
	return i % 2 ? "/nowhere/a" : "/nowhere/b";
}

/* Part k: sites in modules that are not there; each part has the addresses of
 * the part before, and more. */
static void append(int k)
{
	FILE *f = fopen(folder_path("t", "rank.0"), "a");

	if (!f)
		exit(2);
	if (!k)
		fputs("tape-rank 1\nrank 0\nhost node\npid 7\ndomain 0\n"
		      "module /nowhere/a % 1 1\nmodule /nowhere/b % 1 1\n"
		      "comm 1 1 1 0 MPI_COMM_WORLD\n", f);
	for (int i = from[k]; i < from[k + 1]; i++)
		fprintf(f, "address %d %d %x %s %%\n", i,
			TAPE_CALL_MPI_Barrier, address_of(k, i), module_of(i));
	if (fclose(f))
		exit(2);
}

static void write_trace(void)
{
	struct tape_output *o = tape_output_begin(folder_path("t", NULL));
	struct tape_flow_writer *w = tape_flow_writer_open(o, 0, 0, 10);
	struct tape_event e = {.call = TAPE_CALL_MPI_Barrier,
			       .class_ = (uint16_t)tape_call_class(
				   TAPE_CALL_MPI_Barrier),
			       .polls = 1};

	folder_write(tape_output_path(o, "meta"), meta_text, strlen(meta_text));
	folder_write(tape_output_path(o, "rank.0"), "", 0);
	for (int k = 0; k < PARTS; k++) {
		e.site = used[k];
		e.start_ns = 20 + 20 * k;
		e.end_ns = e.start_ns + 10;
		e.u.coll = (struct tape_coll){.root = -1, .comm = 1};
		tape_flow_writer_put(w, &e);
	}
	tape_flow_writer_close(w, TAPE_END_FINALIZE, 0);
	tape_output_commit(o);
}

/* How many of the sites used[] are in t as append wrote them. */
static int count_right(struct tape_trace *t)
{
	int n = 0;

	for (int k = 0; k < PARTS; k++) {
		int i = (int)used[k];
		const struct tape_site_info *s =
			&tape_trace_rank(t, 0)->sites[i];

		n += s->id == used[k] && s->call == TAPE_CALL_MPI_Barrier &&
		     s->address == address_of(k, i) && s->module &&
		     !strcmp(s->module, module_of(i));
	}
	return n;
}

int main(void)
{
	static const struct tape_following how = {NULL, NULL, NULL, NULL};
	const struct tape_event *e;
	struct tape_resolver *r;
	struct tape_trace *t;
	struct tape_flow *f;
	int n = 0;

	folder_make();
	write_trace();
	append(0);
	if (tape_trace_follow(folder_path("t", NULL), &how, &t))
		exit(2);
	r = tape_resolver_new(t);
	tape_resolver_quiet(r);
	tape_resolver_more(r);
	if (tape_flow_open(t, 0, &f))
		exit(2);
	for (int k = 0; k < PARTS; k++) {
		if (k)
			append(k);
		n += tape_flow_next(f, &e) == 1 &&
		     tape_trace_rank(t, 0)->sites[e->site].module != NULL;
		tape_resolver_more(r);
	}
	ok(n == PARTS, "sites beyond the room that there was at first: %d", n);
	ok(tape_trace_rank(t, 0)->n_sites > 40000, "have moved");
	n = count_right(t);
	ok(n == PARTS, "each is what its line says: %d", n);
	tape_flow_close(f);
	tape_resolver_free(r);
	tape_trace_close(t);
	folder_remove();
	return done();
}
