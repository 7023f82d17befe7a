/*
 * Fuzz target: actions without times. An input that begins with @ is the file
 * of a rank as text, of three that are alike but for their rank; others are
 * whole trace directories (input_trace.h). What action.h promises is checked;
 * what a trace gives is written as text, which is read without a complaint.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "action.h"
#include "action_text.h"
#include "base.h"
#include "input.h"
#include "input_trace.h"
#include "table.h"

#define MUST(condition) \
	((condition) ? (void)0 : broken(__LINE__, #condition))

enum { RANKS = 3 };

static char folder[64];

__attribute__((noreturn)) static void broken(int line, const char *what)
{
	fprintf(stderr, "%s:%d: actions broke their contract: %s\n", __FILE__,
		line, what);
	abort();
}

static const char *path_of(const char *name, int rank)
{
	static char path[128];

	if (rank < 0)
		snprintf(path, sizeof path, "%s/%s", folder, name);
	else
		snprintf(path, sizeof path, "%s/%s%d", folder, name, rank);
	return path;
}

/* ---- contract ---- */

struct told {
	struct tape_actions *s;
	struct tape_table pending; /* requests */
	uint64_t event, actions;
	int from_trace, ended, huge;
};

static void check_message(struct told *o, const struct tape_action *a)
{
	uint64_t *is;

	MUST(a->peer >= 0 && (size_t)a->peer < tape_actions_ranks(o->s));
	MUST(a->tag >= 0);
	if (!a->request)
		return;
	is = tape_table_get(&o->pending, a->request);
	MUST(is && !*is);
	*is = 1;
}

static void check(struct told *o, const struct tape_action *a)
{
	MUST(a->kind >= TAPE_ACTION_INIT && a->kind < TAPE_ACTION_KINDS);
	MUST(a->amount >= 0 && isfinite(a->amount));
	MUST(!o->from_trace || a->event >= o->event);
	MUST(!o->from_trace || (a->kind == TAPE_ACTION_INIT) == !o->actions);
	MUST(!o->from_trace || !o->ended);
	o->ended |= a->kind == TAPE_ACTION_FINALIZE;
	o->event = a->event;
	o->actions++;
	o->huge |= a->bytes > 1ull << 61 || a->rbytes > 1ull << 61;
	switch (a->kind) {
	case TAPE_ACTION_SEND:
	case TAPE_ACTION_SSEND:
	case TAPE_ACTION_ISEND:
	case TAPE_ACTION_ISSEND:
	case TAPE_ACTION_RECV:
	case TAPE_ACTION_IRECV:
	case TAPE_ACTION_PROBE:
		check_message(o, a);
		break;
	case TAPE_ACTION_ICOLL:
		MUST(a->request && tape_table_get(&o->pending, a->request));
		/* fall through */
	case TAPE_ACTION_COLL:
		MUST(a->op < TAPE_DO_OPS);
		break;
	case TAPE_ACTION_WAIT:
		MUST(a->n_waits > 0);
		for (size_t i = 0; i < a->n_waits; i++) {
			MUST(tape_table_find(&o->pending, a->waits[i]));
			tape_table_drop(&o->pending, a->waits[i]);
		}
		break;
	case TAPE_ACTION_COMM:
		MUST(a->color >= 0 || !a->comm);
		MUST(!a->n_group == (!a->comm || a->parent != a->comm));
		break;
	default:
		break;
	}
}

/* All ranks to their ends, into files: 1; 0: there is a sentence. */
static int play(struct tape_actions *s, int from_trace, int *huge)
{
	struct tape_action_sums sums = { .alone = 1 };
	const struct tape_action *a;
	int rc = 0;

	for (size_t r = 0; !rc && r < tape_actions_ranks(s); r++) {
		int fd = open(path_of("rank.", (int)r),
			      O_CREAT | O_TRUNC | O_WRONLY, 0666);
		struct tape_action_writer *w =
			tape_action_writer_new((int)r, fd, 0);
		struct told o = { .s = s, .from_trace = from_trace,
				  .pending = { .bytes = 8 } };

		MUST(w);
		while ((rc = tape_actions_next(s, (int)r, &a)) == 1) {
			check(&o, a);
			MUST(!tape_action_writer_put(w, a));
		}
		MUST(rc || !from_trace || o.ended);
		MUST(tape_actions_next(s, (int)r, &a) == rc);
		MUST(!tape_action_writer_end(w, &sums));
		close(fd);
		*huge |= o.huge;
		tape_table_free(&o.pending);
	}
	MUST(rc <= 0 && !rc == !*tape_actions_error(s));
	return !rc;
}

static void list(size_t ranks)
{
	FILE *f = fopen(path_of("ranks", -1), "w");

	MUST(f);
	for (size_t r = 0; r < ranks; r++)
		fprintf(f, "rank.%zu\n", r);
	MUST(!fclose(f));
}

/* ---- inputs ---- */

static void of_trace(const unsigned char *data, size_t n)
{
	const char *path = fuzz_trace_write(data, n);
	struct tape_actions_how how = { .rate = 0 };
	struct tape_actions *s = NULL;
	struct tape_trace *t;
	size_t ranks = 0;
	int huge = 0, whole = 0;

	if (path && !tape_trace_open(path, &t)) {
		if (!tape_actions_open_trace(t, &how, &s))
			whole = play(s, 1, &huge);
		else
			MUST(*tape_actions_error(s));
		ranks = tape_actions_ranks(s);
		tape_actions_close(s);
	}
	if (path)
		tape_trace_close(t);
	if (!whole || huge)
		return;
	list(ranks);
	if (tape_actions_open_files(folder, &s) || !play(s, 0, &huge)) {
		fprintf(stderr, "%s\n", tape_actions_error(s));
		MUST(0 && "what was written is read");
	}
	tape_actions_close(s);
}

/* Lines without their ranks. */
static void of_text(const unsigned char *data, size_t n)
{
	struct tape_actions *s;
	int huge = 0;

	for (int r = 0; r < RANKS; r++) {
		FILE *f = fopen(path_of("in.", r), "w");

		MUST(f);
		for (size_t i = 0; i < n; i++) {
			if ((!i || data[i - 1] == '\n') && data[i] >= 'a' &&
			    data[i] <= 'z')
				fprintf(f, "%d ", r);
			fputc(data[i], f);
		}
		MUST(!fclose(f));
	}
	if (!tape_actions_open_files(path_of("list", -1), &s))
		play(s, 0, &huge);
	tape_actions_close(s);
}

static void remove_folder(void)
{
	fuzz_folder_remove(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *f;

	(void)argc, (void)argv;
	fuzz_trace_folder();
	fuzz_folder(folder, sizeof folder);
	atexit(remove_folder);
	f = fopen(path_of("list", -1), "w");
	MUST(f);
	for (int r = 0; r < RANKS; r++)
		fprintf(f, "in.%d\n", r);
	MUST(!fclose(f));
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	if (n && *data == '@')
		of_text(data + 1, n - 1);
	else
		of_trace(data, n);
	return 0;
}
