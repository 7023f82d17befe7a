/*
 * Talking to the user: "tool: what: why" on stderr, and the exit statuses of
 * every tool: 0 done, 1 failed, 2 wrong use.
 */
#ifndef TAPE_MESSAGE_H
#define TAPE_MESSAGE_H

enum { TAPE_DONE = 0, TAPE_FAILED = 1, TAPE_USAGE = 2 };

/* What a tool is called in its messages; set first thing in main. */
void tape_tool(const char *name);

/* From now on nothing is warned of, if on: another process does. */
void tape_hush(int on);

/*
 * Prints "name: ..." and a newline on stderr: one line, whatever names are in
 * it (tape_clean).
 */
__attribute__((format(printf, 1, 2))) void tape_warn(const char *format, ...);

/* The same, then exits with status. */
__attribute__((noreturn, format(printf, 2, 3))) void
tape_die(int status, const char *format, ...);

/* Says that memory is short, and exits with TAPE_FAILED. */
__attribute__((noreturn)) void tape_die_no_memory(void);

/* Returns p. If p is NULL, ends the program by tape_die_no_memory. */
static inline void *tape_must(void *p)
{
	if (!p)
		tape_die_no_memory();
	return p;
}

/*
 * The options every tool has: prints the usage for -h, the version for -V,
 * the usage on stderr for anything unknown. Never returns.
 */
__attribute__((noreturn)) void tape_usage(int option, const char *usage);

/*
 * A line of progress, "name: 12.3 million events", on stderr; only on a
 * terminal and only after two seconds. Call it now and then; the last call,
 * with done set, removes the line.
 */
void tape_progress(unsigned long long events, int done);

#endif
