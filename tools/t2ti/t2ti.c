/*
 * t2ti: writes the actions of a trace without times, a text file for each rank
 * (doc/actions.md), for tapesim and for SimGrid's replay.
 */
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number_text.h"
#include "error.h"
#include "action.h"
#include "action_collective.h"
#include "coll_program.h"
#include "output.h"
#include "program_options.h"
#include "resolve.h"
#include "result_name.h"
#include "action_text.h"
#include "tool.h"

struct asked {
	struct tape_actions_how how;
	int compressed, not_ompi;
	const char *trace;
	char output[4096];
};

/* Parses operations per second: "1e9", or "2.5G". */
static double parse_rate(const char *text)
{
	static const char units[] = "kMGT";
	const char *end, *unit;
	double r;
	int rc = tape_parse_real(text, DBL_TRUE_MIN, 1e30, &r, &end);

	if (!rc && *end && (unit = strchr(units, *end))) {
		for (const char *u = units; u <= unit; u++)
			r *= 1000;
		end++;
	}
	if (rc || *end || r > 1e30)
		tape_die(TAPE_USAGE,
			 "--rate %s: expected operations per second", text);
	return r;
}

static void parse_t2ti_options(struct asked *a, int argc, char **argv)
{
	int c;

	while ((c = tape_option_next("t2ti", argc, argv)) != -1)
		if (c == 'c' && *optarg)
			a->how.measure = optarg;
		else if (c == 'o' && *optarg &&
			 strlen(optarg) < sizeof a->output)
			strcpy(a->output, optarg);
		else if (c == 'r')
			a->how.rate = parse_rate(optarg);
		else if (c == 'p')
			a->how.no_packing = 1;
		else if (c == 'z')
			a->compressed = 1;
		else
			tape_option_refuse("t2ti", c);
	if (optind != argc - 1)
		tape_option_usage("t2ti");
	a->trace = argv[optind];
	if (a->compressed && !tape_action_can_compress())
		tape_die(TAPE_USAGE, "-z: this program was built without zlib");
	if (!*a->output)
		tape_result_name(a->trace, ".tape", ".ti", a->output,
				 sizeof a->output);
}

/*
 * Dies with the error message of the actions, with the call site. Resolving
 * call sites takes time, and warns about programs without debugging data. So it
 * is done only on an error, and the actions are read again.
 */
__attribute__((noreturn)) static void die_with_site(struct tape_trace *t,
						    struct tape_actions *s,
						    const struct asked *asked)
{
	const struct tape_action *a;
	int rc;

	tape_actions_close(s);
	tape_resolve(t);
	rc = tape_actions_open_trace(t, &asked->how, &s);
	for (size_t r = 0; !rc && r < tape_actions_ranks(s); r++)
		do
			rc = tape_actions_next(s, (int)r, &a);
		while (rc == 1);
	tape_die(TAPE_FAILED, "%s",
		 rc ? tape_actions_error(s)
		    : "the file changed while it was read");
}

static void die_unwritten(struct tape_output *o, int rc, const char *name)
{
	const char *why =
	    rc == TAPE_EIO ? strerror(errno) : tape_error_text(TAPE_ENOMEM);
	char path[4400];

	snprintf(path, sizeof path, "%s", tape_output_path(o, name));
	tape_output_abandon(o);
	tape_die(TAPE_FAILED, "%s: %s", path, why);
}

/*
 * Returns 1 if SimGrid 3.32 crashes in this collective with the algorithms of
 * its selector ompi. Its broadcast in base 4 corrupts memory when it determines
 * which ranks share a host. Some exchanges accept powers of two only.
 */
static int simgrid_fails(const struct tape_action *a, size_t ranks)
{
	struct tape_collective c = { .library = TAPE_COLL_SMPI,
				     .op = tape_action_collective[a->op],
				     .size = (int)ranks, .bytes = a->bytes };
	int *host = tape_must(calloc(ranks + 1, sizeof *host));
	struct tape_coll_program p;
	uint64_t segment;
	enum tape_coll_way way = tape_coll_choose(&c, &segment);
	int does_fail = way == TAPE_COLL_UNKNOWN;

	c.hosts = host;
	if (!does_fail && !tape_coll_program_make(&c, way, segment, &p)) {
		does_fail = p.shared_hosts;
		tape_coll_program_free(&p);
	}
	free(host);
	return does_fail;
}

/* The same, with a cache for repeated collectives. */
static int simgrid_ompi_fails(const struct tape_action *a, size_t ranks)
{
	static struct {
		enum tape_action_op op;
		uint64_t bytes;
		int known, fails;
	} asked[64];
	size_t k = (a->bytes * 31 + (uint64_t)a->op) % 64;

	if (!asked[k].known || asked[k].op != a->op ||
	    asked[k].bytes != a->bytes) {
		asked[k].fails = simgrid_fails(a, ranks);
		asked[k].op = a->op;
		asked[k].bytes = a->bytes;
		asked[k].known = 1;
	}
	return asked[k].fails;
}

/*
 * Writes the actions of a rank and adds to *sums. Returns 0 or an error of s.
 */
static int write_rank_actions(struct tape_output *o, struct tape_actions *s,
			      int rank, struct asked *asked,
			      struct tape_action_sums *sums)
{
	const struct tape_action *a;
	struct tape_action_writer *w;
	char name[32];
	int fd, rc = 0, put = 0;

	snprintf(name, sizeof name, "rank.%d%s", rank,
		 asked->compressed ? ".gz" : "");
	fd = tape_output_file(o, name);
	w = tape_must(tape_action_writer_new(rank, fd, asked->compressed));
	while (!put && (rc = tape_actions_next(s, rank, &a)) == 1) {
		if (!rank && !asked->not_ompi && a->kind == TAPE_ACTION_COLL &&
		    !a->comm && tape_actions_ranks(s) > 1)
			asked->not_ompi =
			    simgrid_ompi_fails(a, tape_actions_ranks(s));
		put = tape_action_writer_put(w, a);
	}
	if (put)
		die_unwritten(o, put, name);
	put = tape_action_writer_end(w, sums);
	if (!put && close(fd))
		put = TAPE_EIO;
	if (put)
		die_unwritten(o, put, name);
	return rc;
}

static void write_list(struct tape_output *o, size_t ranks, int compressed)
{
	FILE *f = tape_output_stream(o, "ranks");

	for (size_t r = 0; r < ranks; r++)
		fprintf(f, "rank.%zu%s\n", r, compressed ? ".gz" : "");
	tape_output_end(o, f, "ranks");
}

static void report_actions(const struct asked *asked,
			   const struct tape_actions *s,
			   const struct tape_action_sums *sums)
{
	const char *by = tape_actions_measure(s);
	size_t ranks = tape_actions_ranks(s);

	printf(
	    "%s: %zu rank%s, %" PRIu64 " actions, %.0f operations by %s, "
	    "%" PRIu64 " messages of %" PRIu64 " bytes, %" PRIu64
	    " collective calls of %" PRIu64 " bytes%s\n",
	    asked->output, ranks, ranks == 1 ? "" : "s", sums->lines,
	    sums->operations, by, sums->messages, sums->bytes,
	    sums->collectives, sums->coll_bytes,
	    !sums->alone ? ""
	    : asked->not_ompi
		? "; only SimGrid replays them, and not with its selector ompi"
		: "; only SimGrid replays them");
	if (tape_actions_left_out(s))
		tape_warn("%s: %" PRIu64
			  " messages and request completions are ignored: "
			  "their other side or their start is not in the trace",
			  asked->trace, tape_actions_left_out(s));
}

int main(int argc, char **argv)
{
	struct tape_action_sums sums = {.alone = 1};
	struct asked asked = {.trace = NULL};
	struct tape_actions *s;
	struct tape_output *o;
	struct tape_trace *t;

	tape_tool("t2ti");
	parse_t2ti_options(&asked, argc, argv);
	if (tape_trace_open(asked.trace, &t) < 0)
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	if (tape_actions_open_trace(t, &asked.how, &s) < 0)
		tape_die(TAPE_FAILED, "%s", tape_actions_error(s));
	o = tape_output_begin(asked.output);
	for (size_t r = 0; r < tape_actions_ranks(s); r++)
		if (write_rank_actions(o, s, (int)r, &asked, &sums)) {
			tape_output_abandon(o);
			die_with_site(t, s, &asked);
		}
	write_list(o, tape_actions_ranks(s), asked.compressed);
	tape_output_commit(o);
	report_actions(&asked, s, &sums);
	tape_actions_close(s);
	tape_trace_close(t);
	return TAPE_DONE;
}
