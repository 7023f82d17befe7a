/*
 * otf2tape: an OTF2 archive -> a trace, so that Tape's tools can be used with
 * other tracers. It imports one rank after the other. Memory is bounded by the
 * definitions and the operations in progress.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_events.h"
#include "program_options.h"
#include "result_name.h"
#include "tool.h"

/* ---- meta ---- */

static void write_archive_clocks(FILE *f, const struct archive *a,
				 const struct world *w)
{
	static const char *const names[] = { [TAPE_BASE_LOCAL] = "local",
					     [TAPE_BASE_GLOBAL] = "global",
					     [TAPE_BASE_COMPENSATED] =
						     "compensated" };
	size_t domains = a->one_clock ? 1 : w->ranks;

	fprintf(f, "base %s\n", names[a->base]);
	for (size_t i = 0; i < domains; i++) {
		fprintf(f, "domain %zu ", i);
		if (a->one_clock)
			fputs("OTF2", f);
		else
			fprintf(f, "OTF2:%zu", i);
		tape_write_word(f, definitions_host(w->d, w->process[i]));
		fputc('\n', f);
	}
	if (a->base != TAPE_BASE_LOCAL)
		fprintf(f, "clock 0 0 0 1 %" PRId64 " %" PRId64 "\n",
			INT64_MIN, INT64_MAX);
}

static void write_archive_meta(struct tape_output *out, const struct archive *a,
			       const struct world *w)
{
	FILE *f = tape_output_stream(out, "meta");

	fputs("tape-trace 1\nprogram", f);
	tape_write_word(f, a->anchor);
	fprintf(f, "\nranks %zu\nlibrary", w->ranks);
	tape_write_word(f, *a->creator ? a->creator : "OTF2");
	fprintf(f, "\nversion " TAPE_VERSION "\n");
	tape_output_classes(f);
	write_archive_clocks(f, a, w);
	for (int d = 0; d < TAPE_DISTANCES; d++)
		if (*a->eager[d])
			fprintf(f, "eager %s\n", a->eager[d]);
	fputs("history otf2tape " TAPE_VERSION "\n", f);
	tape_output_end(out, f, "meta");
}

/* ---- losses of the import ---- */

static void report_count(const char *path, uint64_t n, const char *what)
{
	if (n)
		tape_warn("%s: %" PRIu64 " %s", path, n, what);
}

static void report_losses(const char *path, const struct world *w,
			  const struct losses *losses)
{
	report_count(path, w->left_out,
		     "locations that are not threads were ignored");
	report_count(path, w->d->left_metrics,
		     "metrics were ignored: no increasing integer counters, or "
		     "too many");
	report_count(path, losses->undefined, "undefined regions were ignored");
	report_count(path, losses->inside, "regions within calls were ignored");
	report_count(path, losses->alone,
		     "records lie outside every MPI region; imported as calls "
		     "of zero duration");
	report_count(
	    path, losses->unmatched,
	    "ends of regions or requests without a begin were ignored");
	report_count(path, losses->unfinished,
		     "threads end within a call; the call was ignored");
	report_count(
	    path, losses->moved,
	    "overlapping events were moved to the end of the previous event");
}

static void import_archive(const char *path, const char *name)
{
	struct tape_output *out = tape_output_begin(name);
	struct archive *a = archive_open(path);
	struct world *w = world_new(a->d, a->anchor);
	struct losses losses = {0};
	struct rank rank;

	write_archive_meta(out, a, w);
	for (size_t i = 0; i < w->ranks; i++) {
		rank_begin(&rank, w, out, (int)i, a->one_clock ? 0 : (int)i);
		import_rank_events(a, w, &rank, &losses);
		rank_end(&rank);
	}
	tape_output_commit(out);
	report_losses(a->anchor, w, &losses);
	world_free(w);
	archive_close(a);
}

int main(int argc, char **argv)
{
	char name[4200] = "";
	int c;

	tape_tool("otf2tape");
	while ((c = tape_option_next("otf2tape", argc, argv)) != -1)
		if (c != 'o' ||
		    (size_t)snprintf(name, sizeof name, "%s", optarg) >=
			    sizeof name)
			tape_option_refuse("otf2tape", c);
	if (argc - optind != 1)
		tape_option_usage("otf2tape");
	if (!*name)
		tape_result_name(argv[optind], ".otf2", ".tape", name,
				 sizeof name);
	import_archive(argv[optind], name);
	return TAPE_DONE;
}
