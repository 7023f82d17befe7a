/*
 * The options of tapelive, for tapelive, and for tape live, which has to know
 * where an option's value ends and the command to run begins.
 */
#ifndef TAPELIVE_OPTIONS_H
#define TAPELIVE_OPTIONS_H

/* As getopt's. */
#define TAPELIVE_SHORT "achi:jn:o:t:Vw:"

/* X(name, argument, code) for each long option, as in struct option. */
#define TAPELIVE_LONG(X)                                                       \
	X("top", no_argument, TOP)                                             \
	X("lines", required_argument, LINES_EVERY)                             \
	X("keep", no_argument, KEEP)                                           \
	X("consume", no_argument, CONSUME)                                     \
	X("history", required_argument, HISTORY)                               \
	X("report", required_argument, REPORT)                                 \
	X("http", optional_argument, HTTP)                                     \
	X("no-token", no_argument, OPEN)                                       \
	X("plugin", required_argument, PLUGIN)                                 \
	X("plugin-wait", required_argument, PLUGIN_WAIT)                       \
	X("plugin-memory", required_argument, PLUGIN_MEMORY)                   \
	X("workers", required_argument, WORKERS)                               \
	X("spool", required_argument, SPOOL)                                   \
	X("spooled", no_argument, SPOOLED)                                     \
	X("window", required_argument, WINDOW)                                 \
	X("processes", required_argument, PROCESSES)                           \
	X("output", required_argument, 'o')                                    \
	X("help", no_argument, 'h')                                            \
	X("version", no_argument, 'V')

#endif
