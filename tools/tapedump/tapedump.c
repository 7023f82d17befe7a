/*
 * tapedump: a trace as text, JSON lines, CSV or a summary; text back into a
 * trace.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "dump.h"
#include "damage.h"
#include "program_options.h"
#include "tool.h"
#include "output.h"
#include "resolve.h"

static const char *const ends[] = {
	[TAPE_END_NONE] = "none",   [TAPE_END_FINALIZE] = "finalize",
	[TAPE_END_EXIT] = "exit",   [TAPE_END_ABORT] = "abort",
	[TAPE_END_FULL] = "full",   [TAPE_END_LIMIT] = "limit",
	[TAPE_END_ERROR] = "error",
};
#define ENDS ((int)(sizeof ends / sizeof *ends))

const char *dump_end_name(enum tape_end end)
{
	return ends[end];
}

int dump_end_find(const char *name)
{
	for (int i = 0; i < ENDS; i++)
		if (!strcmp(name, ends[i]))
			return i;
	return -1;
}

void dump_end_warn(const struct tape_flow_info *f, enum tape_end end,
		   uint64_t lost)
{
	static const char *const why[] = {
		[TAPE_END_NONE] = "has no end record: the process was killed, "
				  "or is still running",
		[TAPE_END_FINALIZE] = "",
		[TAPE_END_EXIT] = "ends before MPI_Finalize or pvm_exit: "
				  "the process or the thread ended first",
		[TAPE_END_ABORT] = "ends in MPI_Abort",
		[TAPE_END_FULL] = "stops early: the disk was full",
		[TAPE_END_LIMIT] = "stops early: max_size was reached",
		[TAPE_END_ERROR] = "stops early: it could not be written",
	};

	/* a thread may end when it likes, but for the first of its process */
	if (!lost &&
	    (end == TAPE_END_FINALIZE || (end == TAPE_END_EXIT && f->thread)))
		return;
	if (end == TAPE_END_FINALIZE)
		tape_warn("%s: %" PRIu64 " events are missing: they were "
					 "dropped because the stream was full",
			  f->file, lost);
	else if (lost)
		tape_warn("%s: %s; %" PRIu64 " events are missing", f->file,
			  why[end], lost);
	else
		tape_warn("%s: %s", f->file, why[end]);
}

void dump_flow_warn(const struct tape_trace *t, size_t flow, enum tape_end end,
		    uint64_t lost)
{
	if (!tape_trace_damage(t, flow, NULL))
		dump_end_warn(tape_trace_flow(t, flow), end, lost);
}

static void assemble_file(const char *name, const char *given)
{
	FILE *in = strcmp(name, "-") ? fopen(name, "r") : stdin;
	char output[4200];

	if (!in)
		tape_die(TAPE_FAILED, "%s: %s", name, strerror(errno));
	if (!*given && in == stdin)
		tape_die(TAPE_USAGE, "text from standard input needs -o");
	if (*given) {
		snprintf(output, sizeof output, "%s", given);
	} else {
		/* run.txt -> run.tape */
		const char *dot = strrchr(name, '.');
		size_t n = dot && !strchr(dot, '/') ? (size_t)(dot - name)
						    : strlen(name);

		if (snprintf(output, sizeof output, "%.*s.tape", (int)n,
			     name) >= (int)sizeof output)
			tape_die(TAPE_FAILED, "%s: the name is too long",
				 name);
	}
	dump_assemble(in, name, output);
	if (in != stdin)
		fclose(in);
}

int main(int argc, char **argv)
{
	void (*view)(struct tape_trace *, int) = dump_text;
	const char *output = "";
	struct tape_trace *t;
	int c, back = 0, messages = 0, intervals = 0, all = 0;

	tape_tool("tapedump");
	while ((c = tape_option_next("tapedump", argc, argv)) != -1) {
		if (c == 'a')
			all = 1;
		else if (c == 'c')
			view = dump_csv;
		else if (c == 'g')
			intervals = 1;
		else if (c == 'i')
			view = dump_summary;
		else if (c == 'j')
			view = dump_json;
		else if (c == 'm')
			messages = 1;
		else if (c == 'r')
			back = 1;
		else if (c == 'o')
			output = optarg;
		else
			tape_option_refuse("tapedump", c);
	}
	if (optind != argc - 1 || (*output && !back) ||
	    (back && (view != dump_text || messages || intervals)) ||
	    ((messages || intervals) && view == dump_summary) ||
	    (messages && intervals) || (all && view != dump_summary))
		tape_option_usage("tapedump");
	if (all)
		view = dump_summary_all;
	if (messages)
		view = view == dump_json ? dump_messages_json
					 : dump_messages_csv;
	if (back) {
		assemble_file(argv[optind], output);
		return TAPE_DONE;
	}
	if (tape_trace_open(argv[optind], &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	tape_resolve(t);
	view(t, intervals);
	tape_damage_warn(t);
	tape_trace_close(t);
	if (fflush(stdout) || ferror(stdout))
		tape_die(TAPE_FAILED, "standard output: %s", strerror(errno));
	return TAPE_DONE;
}
