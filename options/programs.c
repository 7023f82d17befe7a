/*
 * The table of all programs, and of the verbs of tape(1); see
 * program_options.h. A new option needs a line here, its case in the program
 * and a paragraph in the man page: tests/lint/options.sh compares them.
 */
#include <stddef.h>

#include "program_options.h"

#define END                                                                    \
	{                                                                      \
		0                                                              \
	}
#define OUTPUT(what)                                                           \
	{                                                                      \
		'o', "output", "FILE", what, 0                                 \
	}
#define PLUGINS                                                                \
	{OPTION_PLUGIN, "plugin", "FILE[:ARGUMENTS]",                          \
	 "also run this analysis (tape_plugin(3))", 0},                        \
	    {OPTION_PLUGIN_WAIT, "plugin-wait", "SECONDS",                     \
	     "stop a plug-in that consumes nothing for so long", 0},           \
	    {OPTION_PLUGIN_MEMORY, "plugin-memory", "MIB",                     \
	     "largest memory of a plug-in's process", 0},                      \
	{                                                                      \
		OPTION_WORKERS, "workers", "N", "threads of each plug-in", 0   \
	}
#define WINDOW                                                                 \
	{OPTION_FROM, "from", "SECONDS", "begin at this time", 0},             \
	{                                                                      \
		OPTION_TO, "to", "SECONDS", "end at this time", 0              \
	}

const struct tape_option tape_common_options[] = {
    {'h', "help", NULL, "print this help", 0},
    {'V', "version", NULL, "print the version", 0},
    END};

static const struct tape_option none[] = {END};

static const struct tape_option window_only[] = {
    OUTPUT("name of the result; -: standard output"), WINDOW, END};
static const struct tape_option output_only[] = {OUTPUT("name of the result"),
						 END};

#define TAPE_RUN                                                               \
	{'c', "config", "FILE", "read the settings from this file",            \
	 OLD_LETTER},                                                          \
	    {'m', "library", "NAME", "openmpi, mpich or pvm", OLD_LETTER},     \
	    {'o', "output", "TRACE", "name of the trace", 0},                  \
	{                                                                      \
		's', "setting", "NAME=VALUE", "a setting of tape.conf(5)", 0   \
	}

static const struct tape_option tape_run[] = {
    {OPTION_PHASES, "phases", NULL, "run twice: the order first, then all", 0},
    TAPE_RUN,
    END};
static const struct tape_option tape_repeat[] = {
    {'j', "json", NULL, "print one JSON object", 0},
    {OPTION_KEEP, "keep", NULL, "keep the traces", 0},
    {OPTION_NOISE, "noise", "[MEAN:SHARE]", "other random delays in each run",
     0},
    TAPE_RUN,
    END};
static const struct tape_option taperun[] = {
    TAPE_RUN,
    {OPTION_SIMULATE, "simulate", NULL, "run on a simulated machine", 0},
    END};

static const struct tape_option taperun_simulate[] = {
    {OPTION_SIMULATE, "simulate", NULL, "run on a simulated machine", 0},
    {OPTION_NP, "np", "RANKS", "number of ranks; also -np", 0},
    {OPTION_PLATFORM, "platform", "FILE", "the machine, for SimGrid", 0},
    {OPTION_HOSTFILE, "hostfile", "FILE", "the hosts of the ranks", 0},
    {OPTION_ROUND_ROBIN, "round-robin", NULL,
     "more ranks than hosts: begin again", 0},
    {OPTION_BURSTS, "bursts", "WHICH", "measured, none or an earlier trace", 0},
    {OPTION_HOST_SPEED, "host-speed", "SPEED", "speed of this machine", 0},
    {OPTION_CFG, "cfg", "KEY:VALUE", "an option of SimGrid", 0},
    {'c', "config", "FILE", "read the settings from this file", OLD_LETTER},
    {'o', "output", "TRACE", "name of the trace", 0},
    {'s', "setting", "NAME=VALUE", "a setting of tape.conf(5)", 0},
    END};

static const struct tape_option tapepp[] = {
    {'e', "expanded", "FILE", "an earlier result after preprocessing", 0},
    {'f', "form", "FORM", "c, free, fixed, fixed-N or fixed-none", OLD_LETTER},
    {'n', "name", "NAME", "file name for the compiler's messages", OLD_LETTER},
    {'o', "output", "FILE", "write here, not to standard output", 0},
    {'r', "list", NULL, "list the call sites", OLD_LETTER},
    END};

static const struct tape_option tapestat[] = {
    {'a', "all", NULL, "print all tables that have lines", 0},
    {'t', "table", "TABLE", "print this table in place of the report", 0},
    {'n', "lines", "N", "most lines of a table; 0: all", 0},
    {'c', "csv", NULL, "print the table of --table as CSV", 0},
    {'j', "json", NULL, "print one JSON object", 0},
    {OPTION_MEASURED, "measured", "TRACE", "the same run before tico", 0},
    {OPTION_PHASE, "phase", "NAME", "the call site or region of a phase", 0},
    {OPTION_LEVEL, "level", "NAME", "groups of ranks: L3, Package, ...", 0},
    {'d', "compare", NULL, "compare two runs", 0},
    {OPTION_BASELINE, "baseline", "TRACE", "the run to compare with", 0},
    {OPTION_WEAK, "weak", NULL, "the work grows with the ranks", 0},
    {OPTION_FAIL_BELOW, "fail-below", "SHARE", "least share of its efficiency",
     0},
    {'l', "least", "PERCENT", "least difference that is reported", 0},
    PLUGINS,
    {'v', "verbose", NULL, "in an MPI job: the bytes exchanged", 0},
    END};

static const struct tape_option tapelive[] = {
    {'a', "all", NULL, "print all tables at the end", 0},
    {'t', "table", "TABLE", "print this table at the end", 0},
    {'n', "rows", "N", "most lines of a table; 0: all", 0},
    {'c', "csv", NULL, "print the table of --table as CSV", 0},
    {'j', "json", NULL, "print one JSON object", 0},
    {'w', "wait", "SECONDS", "wait so long for the trace to begin", OLD_LETTER},
    {'i', "interval", "SECONDS", "interval of snapshots", 0},
    {OPTION_TOP, "top", NULL, "show snapshots on the terminal", 0},
    {OPTION_LINE_EVERY, "line-every", "SECONDS", "print a line so often", 0},
    {OPTION_LINE_EVERY, "lines", "SECONDS", "", OLD_NAME},
    {OPTION_KEEP, "keep", NULL, "remove nothing from the trace", 0},
    {OPTION_CONSUME, "consume", NULL, "remove what was read of any trace", 0},
    {OPTION_HISTORY, "history", "MIB", "limit of the call log", 0},
    {OPTION_REPORT, "report", "FILE", "at the end also write a page", 0},
    {OPTION_HTTP, "http", "[PORT]", "also show snapshots in a browser", 0},
    {OPTION_NO_TOKEN, "no-token", NULL, "any user of this machine may read", 0},
    PLUGINS,
    {OPTION_SPOOL, "spool", "DIRECTORY", "in an MPI job: for the traces", 0},
    {OPTION_SPOOLED, "spooled", NULL, "another process removes the traces", 0},
    {OPTION_WINDOW, "window", "FROM,TO", "keep this as a trace, seconds", 0},
    {'o', "output", "TRACE", "name of the trace of --window", 0},
    {OPTION_PROCESSES, "processes", "N", "processes for each trace", 0},
    END};

static const struct tape_option sba[] = {
    {'a', "max-age", "HOURS", "greatest age of what --load reads", 0},
    {'j', "json", NULL, "print the report as JSON", 0},
    {'l', "load", "FILE", "use the coefficients of another run", 0},
    {'m', "messages", NULL, "track clocks by messages (default)", OLD_LETTER},
    {'o', "output", "TRACE", "name of the new trace", 0},
    {'p', "plot", "DIRECTORY", "draw each clock", OLD_LETTER},
    {'s', "save", "FILE", "write the coefficients of all clocks", 0},
    {'v', "verbose", NULL, "in an MPI job: the bytes exchanged", 0},
    {'w', "wander", "PPM", "undetected change of a clock's rate", OLD_LETTER},
    END};

static const struct tape_option tico[] = {
    {'c', "certain", "SHARE", "fail unless the total is so certain",
     OLD_LETTER},
    {'d', "longest", "NS[:RATE]", "upper bound of each transit", 0},
    {'j', "json", NULL, "print the report as JSON", 0},
    {'l', "links", NULL, "messages share links", 0},
    {'m', "model", "FILE", "take transits from this model", 0},
    {'n', "threads", "N", "number of threads, 1 to 64", OLD_LETTER},
    {'o', "output", "TRACE", "name of the new trace", 0},
    {'p', "no-packing", NULL, "also remove the time of packing", OLD_LETTER},
    {OPTION_REFERENCE, "reference", "TRACE",
     "the same order, recorded lightly", 0},
    {'s', "rule", "RULE", "minimal, full, target (-sm, ...), sm94, thesis", 0},
    {'r', "rule", "RULE", "", OLD_LETTER},
    {'v', "verbose", NULL, "in an MPI job: the bytes exchanged", 0},
    END};

static const struct tape_option tapefit[] = {
    {'g', "page", "FILE", "write an HTML page of plots", 0},
    {'j', "json", NULL, "print the result as JSON", 0},
    {'l', "links", NULL, "messages share links", 0},
    {'m', "model", "FILE", "test this model", 0},
    {'o', "output", "MODEL", "write a model for tico", 0},
    END};

static const struct tape_option tapesim[] = {
    {OPTION_PLATFORM, "platform", "FILE", "a platform file of SimGrid", 0},
    {'m', "model", "FILE", "a model of messages, as for tico", 0},
    {OPTION_ENGINE, "engine", "NAME", "simgrid or own", 0},
    {OPTION_RATE, "rate", "N", "operations per second of the trace", 0},
    {OPTION_SPEED, "speed", "F", "all processors are F times as fast", 0},
    {OPTION_RANK_SPEED, "rank-speed", "R:F,...", "the same for rank R", 0},
    {OPTION_LATENCY, "latency", "F", "latencies are F times as high", 0},
    {OPTION_BANDWIDTH, "bandwidth", "F", "bandwidths likewise", 0},
    {OPTION_EAGER, "eager", "N", "shorter messages wait for no receive", 0},
    {OPTION_COLLECTIVES, "collectives", "NAME", "algorithms: openmpi, ompi", 0},
    {OPTION_HOSTS, "hosts", "N", "ranks on N hosts", 0},
    {OPTION_PER_HOST, "ranks-per-host", "N", "N ranks on each host", 0},
    {OPTION_MAP, "map", "H,...", "number of each rank's host", 0},
    {OPTION_HOSTFILE, "hostfile", "FILE", "name of each rank's host", 0},
    {'l', "links", NULL, "messages share links", 0},
    {'p', "no-packing", NULL, "without packing and unpacking", OLD_LETTER},
    {'o', "output", "TRACE", "write a trace with the predicted times", 0},
    {'j', "json", NULL, "print JSON", 0},
    END};

static const struct tape_option tapeplace[] = {
    {'l', "levels", "FILE", "the switches above each host", 0},
    {'n', "slots", "N", "ranks on each host of --levels", OLD_LETTER},
    {'p', "platform", "FILE", "a platform file of SimGrid", 0},
    {'m', "model", "FILE", "a model of messages", 0},
    {'k', "times", "F", "cost of a byte from level to level", 0},
    {'b', "bytes", "N", "cost of a message in bytes", 0},
    {'f', "format", "FORMAT", "rankfile or hosts", OLD_LETTER},
    {'o', "output", "FILE", "write the order to this file", 0},
    {'j', "json", NULL, "print JSON", 0},
    END};

static const struct tape_option tapeplat[] = {
    {'f', "factors", "FILE", "a platform measured by tapecal", OLD_LETTER},
    {'l', "list", NULL, "print a hostfile for smpirun", 0},
    {'L', "levels", NULL, "print the levels above each host", 0},
    {'o', "output", "FILE", "write the result to this file", 0},
    END};

static const struct tape_option tapecal[] = {
    {'n', "network", NULL, "write which hosts share switches", OLD_LETTER},
    {'o', "output", "FILE", "write the result to this file", 0},
    {'s', "simgrid", NULL, "write a platform file for SimGrid", 0},
    END};

static const struct tape_option tapeview[] = {
    {'o', "output", "FILE", "name of the page; -: standard output", 0},
    WINDOW,
    {'r', "ranks", "LIST", "single events of these ranks: 0-3,8", 0},
    {OPTION_SVG, "svg", NULL, "write a picture", 0},
    {OPTION_PNG, "png", NULL, "write a picture as PNG", 0},
    {OPTION_MATRIX, "matrix", NULL, "write the matrix of messages", 0},
    {OPTION_SITE, "site", "NAME", "write a histogram of these call sites", 0},
    {OPTION_SOURCE, "source", "DIRECTORY", "show source lines from here", 0},
    END};

static const struct tape_option tapereport[] = {
    {'o', "output", "FILE", "name of the page; -: standard output", 0},
    {'n', "name", "NAME", "name of a program, for each trace", OLD_LETTER},
    {'d', "compare", NULL, "two traces are before and after", 0},
    {'j', "json", NULL, "print all data as JSON", 0},
    {OPTION_COLUMNS, "columns", "N", "ranks in a row of the maps", 0},
    {OPTION_NO_GRAPHVIZ, "no-graphviz", NULL, "do not run Graphviz", 0},
    {OPTION_NO_PHASES, "no-phases", NULL, "omit the phases", 0},
    END};

static const struct tape_option tapedump[] = {
    {'a', "all", NULL, "with --summary: a line for each flow", 0},
    {'c', "csv", NULL, "print CSV", 0},
    {'g', "intervals", NULL, "also print guaranteed intervals", 0},
    {'i', "summary", NULL, "print a summary", 0},
    {'j', "json", NULL, "print JSON, one object a line", 0},
    {'m', "messages", NULL, "messages in place of events", OLD_LETTER},
    {'r', "assemble", NULL, "make a trace from text", OLD_LETTER},
    {'o', "output", "TRACE", "name of the trace that --assemble writes", 0},
    END};

static const struct tape_option tapewhere[] = {
    {'j', "json", NULL, "print JSON", 0},
    {'u', "unfinished", NULL, "print nothing if all ranks have ended", 0},
    END};

static const struct tape_option taperaces[] = {
    {'j', "json", NULL, "print JSON", 0}, END};

static const struct tape_option tapecut[] = {
    {'o', "output", "TRACE", "name of the new trace", 0},
    {'w', "window", "FROM,TO", "seconds from the start of the run", 0},
    END};

static const struct tape_option tapebursts[] = {
    {'o', "output", "DIRECTORY", "name of the result", 0}, END};

static const struct tape_option t2np[] = {
    {'a', "overhead", NULL, "also write the tracer's own time", 0},
    OUTPUT("name of the result; -: standard output"),
    END};

static const struct tape_option t2ti[] = {
    {'c', "counter", "NAME", "the amount of computation", OLD_LETTER},
    {'o', "output", "DIRECTORY", "name of the result", 0},
    {'p', "no-packing", NULL, "without packing and unpacking", OLD_LETTER},
    {'r', "rate", "N", "operations per second of the trace", OLD_LETTER},
    {'z', "compress", NULL, "compress the files", 0},
    END};

/* Of tape live: those of tapelive come after them. */
static const struct tape_option tape_live[] = {
    {'m', "receivers", "RANKS", "number of ranks of the job that analyse",
     OLD_LETTER},
    {'o', "output", "FILE", "write the report to this file", 0},
    {'s', "setting", "NAME=VALUE", "a setting of tape.conf(5)", 0},
    {OPTION_TRACE, "trace", "TRACE", "name of the trace of --window", 0},
    END};

#define COMMAND "[option ...] command [argument ...]"
#define TRACE "[option ...] trace"
#define TRACES "[option ...] trace ..."

const struct tape_program tape_programs[] = {
    {"tape run", "run", QUESTION_RECORD, "trace, correct, report",
     "Runs a program with tracing, and reports.", COMMAND, tape_run,
     OPTIONS_FIRST},
    {"tape repeat", "repeat", QUESTION_RECORD, "several runs, compared",
     "Runs a program several times with tracing: how far do the runs differ?",
     "RUNS [option ...] command [argument ...]", tape_repeat, OPTIONS_FIRST},
    {"tape live", "live", QUESTION_RECORD, "report while it runs",
     "Reports while a program runs. Options of tapelive are valid, too.",
     COMMAND, tape_live, OPTIONS_FIRST},
    {"taperun", "record", QUESTION_RECORD, "trace only",
     "Runs a program with tracing.",
     "[option ...] program [argument ...]\n"
     "taperun --simulate -np RANKS --platform FILE [option ...] program ...",
     taperun, OPTIONS_FIRST},
    {"taperun --simulate", "simulate", QUESTION_RECORD,
     "on a simulated machine",
     "Runs a program with tracing on a machine that SimGrid simulates.",
     "-np RANKS --platform FILE [option ...] program [argument ...]",
     taperun_simulate, OPTIONS_ONE_DASH},
    {"tapecc", "cc", QUESTION_RECORD, "compile C for tracing",
     "Compiles and links C programs for tracing.",
     "[option of mpicc | file] ...", none, OPTIONS_FOREIGN},
    {"tapefc", "fc", QUESTION_RECORD, "compile Fortran for tracing",
     "Compiles and links Fortran programs for tracing.",
     "[option of mpifort | file] ...", none, OPTIONS_FOREIGN},
    {"tapepp", "pp", QUESTION_RECORD, "reroute calls of a source",
     "Reroutes the MPI and PVM calls of a source, each with its call site.",
     "[option ...] file", tapepp, OPTIONS_ANYWHERE},

    {"tape report", "report", QUESTION_TIME, "who waited, and why",
     "Prints where the time of a run went, who waited for whom, and why.",
     "trace [option ...]", tapestat, OPTIONS_ANYWHERE},
    {"tape compare", "compare", QUESTION_TIME, "several runs",
     "Compares runs of one program.", "[option ...] before after ...", tapestat,
     OPTIONS_ANYWHERE},
    {"tapestat", "stat", QUESTION_TIME, "tables of one trace",
     "Prints where the time of a run went, who waited for whom, and why.",
     "[option ...] trace\ntapestat --compare [option ...] before after ...",
     tapestat, OPTIONS_ANYWHERE},
    {"tapelive", "follow", QUESTION_TIME, "follow a growing trace",
     "Prints what programs are doing, while they run.",
     "[option ...] directory ...", tapelive, OPTIONS_ANYWHERE},
    {"tapewhere", "where", QUESTION_TIME, "where a program hangs",
     "Prints in which call each rank is, and for whom it waits.", TRACE,
     tapewhere, OPTIONS_ANYWHERE},
    {"taperaces", "races", QUESTION_TIME, "receives decided by chance",
     "Prints which calls could have taken another message.", TRACE, taperaces,
     OPTIONS_ANYWHERE},

    {"tape correct", "correct", QUESTION_CLOCKS, "one clock, no probe effect",
     "Corrects a trace, and prints the name of the result.", "trace", none,
     OPTIONS_ANYWHERE},
    {"sba", "clocks", QUESTION_CLOCKS, "relate the clocks of hosts",
     "Gives the events of all ranks timestamps of one clock.", TRACE, sba,
     OPTIONS_ANYWHERE},
    {"tico", "tico", QUESTION_CLOCKS, "remove the probe effect",
     "Removes the probe effect from a trace.", TRACE, tico, OPTIONS_ANYWHERE},
    {"tapefit", "fit", QUESTION_CLOCKS, "fit and test a model",
     "Fits a model of messages to a trace, and tests the model.", TRACE,
     tapefit, OPTIONS_ANYWHERE},

    {"tapesim", "sim", QUESTION_ELSEWHERE, "run time elsewhere",
     "Predicts how long a program takes on another machine.", TRACE, tapesim,
     OPTIONS_ANYWHERE},
    {"tapeplace", "place", QUESTION_ELSEWHERE, "map ranks to hosts",
     "Maps ranks to hosts and cores.", TRACE, tapeplace, OPTIONS_ANYWHERE},
    {"tapeplat", "plat", QUESTION_ELSEWHERE, "platforms for SimGrid",
     "Writes a platform for SimGrid.", "[option ...] shape", tapeplat,
     OPTIONS_ANYWHERE},
    {"tapecal", "cal", QUESTION_ELSEWHERE, "measure this machine",
     "Measures how long a machine's messages take.", "[option ...]", tapecal,
     OPTIONS_ANYWHERE},
    {"tapebursts", "bursts", QUESTION_ELSEWHERE, "computation between calls",
     "Extracts the computation between the calls of each rank.", TRACE,
     tapebursts, OPTIONS_ANYWHERE},

    {"tape view", "view", QUESTION_SHOW, "HTML page, time line",
     "Writes the trace as an HTML page, measured and corrected.",
     "trace [option ...]", tapeview, OPTIONS_ANYWHERE},
    {"tape page", "page", QUESTION_SHOW, "a chapter for each program",
     "Writes an HTML page about one or several programs.", TRACES, tapereport,
     OPTIONS_ANYWHERE},
    {"tapeview", "tapeview", QUESTION_SHOW, "view, not corrected",
     "Shows a trace as one HTML page, or as a picture.", TRACES, tapeview,
     OPTIONS_ANYWHERE},
    {"tapereport", "tapereport", QUESTION_SHOW, "page, not corrected",
     "Writes one HTML page about one or several programs.", TRACES, tapereport,
     OPTIONS_ANYWHERE},
    {"tapedump", "dump", QUESTION_SHOW, "text, JSON, CSV; and back",
     "Prints a trace, or makes a trace from text.",
     "[option ...] trace\ntapedump --assemble [option ...] file", tapedump,
     OPTIONS_ANYWHERE},
    {"tape help", "help", QUESTION_SHOW, "explain a verb",
     "Shows the verbs, or explains one.", "[verb]", none, OPTIONS_ANYWHERE},
    {"tape completion", "completion", QUESTION_SHOW, "for bash, zsh, fish",
     "Prints a script that completes command lines, for bash, zsh or fish.",
     "bash|zsh|fish", none, OPTIONS_ANYWHERE},

    {"tapecut", "cut", QUESTION_FORMATS, "a window of a trace",
     "Writes a window of a trace as a trace of its own.", TRACE, tapecut,
     OPTIONS_ANYWHERE},
    {"tapejoin", "join", QUESTION_FORMATS, "traces of spawned jobs",
     "Joins the traces of jobs that spawned one another.", TRACES, output_only,
     OPTIONS_ANYWHERE},
    {"t2otf2", "otf2", QUESTION_FORMATS, "for Vampir",
     "Writes a trace as OTF2, for Vampir and others.", TRACE, output_only,
     OPTIONS_ANYWHERE},
    {"t2paraver", "paraver", QUESTION_FORMATS, "for Paraver",
     "Writes a trace as Paraver, of BSC.", TRACE, window_only,
     OPTIONS_ANYWHERE},
    {"t2chrome", "chrome", QUESTION_FORMATS, "for Perfetto",
     "Writes a trace as trace events of Chrome, for Perfetto.", TRACE,
     window_only, OPTIONS_ANYWHERE},
    {"t2paje", "paje", QUESTION_FORMATS, "for ViTE",
     "Writes a trace as Paje, for ViTE and pj_dump.", TRACE, window_only,
     OPTIONS_ANYWHERE},
    {"t2np", "picl", QUESTION_FORMATS, "for ParaGraph",
     "Writes a trace as New PICL, the format of ParaGraph.", TRACE, t2np,
     OPTIONS_ANYWHERE},
    {"t2ti", "actions", QUESTION_FORMATS, "for SimGrid's replay",
     "Writes what a program did, without times, to be replayed.", TRACE, t2ti,
     OPTIONS_ANYWHERE},
    {"otf2tape", "import", QUESTION_FORMATS, "from OTF2",
     "Makes a trace of an OTF2 archive.", "[option ...] archive.otf2",
     output_only, OPTIONS_ANYWHERE},
    {0}};
