/* A plug-in that does, for its arguments, what plug-ins should not. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tape_plugin.h"

static uint32_t own_type;

static void loop(void)
{
	for (volatile int i = 0;; i++)
		;
}

static void misbehave(struct tape_board *b, const char *how)
{
	if (!strcmp(how, "segv"))
		raise(SIGSEGV);
	if (!strcmp(how, "null"))
		*(volatile int *)(uintptr_t)(own_type * 0) = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exit3"))
		exit(3);
	if (!strcmp(how, "exit0"))
		exit(0);
	if (!strcmp(how, "loop"))
		loop();
	if (!strcmp(how, "sleep"))
		pause();
	if (!strcmp(how, "fail"))
		tape_ks_fail(b, "no %s today\n\033[1m", "luck");
	while (!strcmp(how, "leak"))
		memset(malloc(1 << 20), 1, 1 << 20);
	if (!strcmp(how, "flood")) /* entries without end */
		for (int i = 0; i < 2; i++)
			tape_ks_submit(b, own_type, how, 5);
	if (!strcmp(how, "circle"))
		tape_ks_submit(b, own_type, how, 5);
	if (!strcmp(how, "chatter"))
		for (int i = 0; i < 1000; i++)
			tape_ks_say(b, 1, "line %d <b>\n\033[1m", i);
	if (!strcmp(how, "print"))
		puts("this goes to standard error");
	if (!strcmp(how, "close"))
		for (int i = 3; i < 100; i++)
			close(i);
	if (!strcmp(how, "forge")) { /* its end of the pipe has number 4 */
		if (write(4, "X\nF 99 nan \nL 1 forged\nE\n", 25) < 0)
			abort();
		_exit(0);
	}
}

static void run(struct tape_ks *ks, const struct tape_entry *const *e,
		void *own);

/* Calls whose level or type is wrong, and a plug-in that does not look. */
static void mistake(struct tape_board *b, const char *how)
{
	if (!strcmp(how, "add"))
		tape_ks_add(b, 99, 0, run, NULL, "event", NULL);
	if (!strcmp(how, "common"))
		tape_ks_add(b, 0, 0, run, NULL, "event", NULL);
	if (!strcmp(how, "type"))
		tape_ks_type(b, 99, "own");
	if (!strcmp(how, "submit"))
		tape_ks_submit(b, 1, how, 5);
	if (!strcmp(how, "say"))
		tape_ks_say(b, 99, "x");
	if (!strcmp(how, "figure"))
		tape_ks_figure(b, 99, "x", 1);
	if (!strcmp(how, "status"))
		tape_ks_status(b, 99, "x");
}

static void run(struct tape_ks *ks, const struct tape_entry *const *e,
		void *own)
{
	struct tape_board *b = tape_ks_board(ks);

	(void)e;
	(void)own;
	misbehave(b, tape_ks_arguments(b));
}

static int is(struct tape_board *b, const char *when, const char **how)
{
	const char *a = tape_ks_arguments(b);
	size_t n = strlen(when);

	*how = a + n;
	return !strncmp(a, when, n);
}

static int level(struct tape_board *b, const struct tape_level *l)
{
	const char *how;

	own_type = tape_ks_type(b, l->number, "own");
	if (is(b, "level-", &how))
		misbehave(b, how);
	if (is(b, "wrong-", &how))
		mistake(b, how);
	if (!tape_ks_add(b, l->number, 0, run, NULL, "own", NULL))
		return -1;
	if (is(b, "events-", &how)) /* and nothing comes of it */
		return !tape_ks_add(b, l->number, 0, run, NULL, "event", "own",
				    NULL);
	return !tape_ks_add(b, l->number, TAPE_KS_PARALLEL, run, NULL, "event",
			    NULL);
}

static void over(struct tape_board *b)
{
	const char *how;

	tape_ks_say(b, 0, "over");
	if (is(b, "over-", &how))
		misbehave(b, how);
}

static int begin(struct tape_board *b)
{
	const char *how;

	if (is(b, "open-", &how))
		misbehave(b, how);
	return is(b, "refuse", &how);
}

__attribute__((constructor)) static void at_once(void)
{
	if (getenv("PLUGIN_CRASHES_AT_ONCE"))
		abort();
}

const struct tape_plugin tape_plugin = {TAPE_PLUGIN_VERSION, begin, level,
					over};
