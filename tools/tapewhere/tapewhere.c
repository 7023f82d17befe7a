/*
 * tapewhere: in which call each rank of a program is, for whom it waits, and
 * what can never end. It reads traces of programs that run, hang, were killed
 * or have ended.
 */
#include <string.h>
#include <unistd.h>

#include "damage.h"
#include "program_options.h"
#include "resolve.h"
#include "tool.h"
#include "where.h"

/*
 * A call site that a running program has defined since the definitions were
 * read makes its flow damaged: the trace is opened once more.
 */
enum { TRIES = 4 };

static int is_damaged(const struct tape_trace *t)
{
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		if (tape_trace_damage(t, i, NULL))
			return 1;
	return 0;
}

/* Returns 1 if the first chunk of a flow was removed from its file. */
static int is_consumed(const struct tape_trace *t)
{
	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		const char *file = tape_trace_flow(t, i)->file;
		unsigned char magic[4] = {0};
		int fd = tape_trace_file(t, strrchr(file, '/') + 1);
		ssize_t n = fd < 0 ? 0 : pread(fd, magic, sizeof magic, 0);

		if (fd >= 0)
			close(fd);
		if (n == (ssize_t)sizeof magic && !tape_get32(magic) &&
		    tape_trace_flow_bytes(t, i) > TAPE_CHUNK_BYTES)
			return 1;
	}
	return 0;
}

/* Returns 0 if the trace can say nothing, which is no failure if is_optional;
 * else 1. */
static int check_trace(const struct tape_trace *t, int is_optional)
{
	if (tape_trace_base(t) == TAPE_BASE_COMPENSATED)
		tape_die(TAPE_FAILED,
			 "%s is corrected: give the trace that the program "
			 "wrote", tape_trace_path(t));
	if (!tape_trace_meta(t, "stream", 0) || !is_consumed(t))
		return 1;
	if (!is_optional)
		tape_die(TAPE_FAILED,
			 "%s was consumed while it was written: tapelive shows "
			 "where its ranks are", tape_trace_path(t));
	return 0;
}

static struct tape_trace *open_trace(const char *path)
{
	struct tape_trace *t;

	if (tape_trace_open(path, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	return t;
}

static int have_all_ended(const struct where_states *s)
{
	for (size_t i = 0; i < s->n_ranks; i++)
		if (s->rank[i].n_active)
			return 0;
	return 1;
}

static void print_answer(struct tape_trace *t, struct where_states *s, int json)
{
	struct wait_graph *g = wait_graph_new(s);

	tape_resolve(t);
	tape_damage_warn(t);
	if (json)
		where_print_json(g);
	else
		where_print_text(g, stdout);
	wait_graph_free(g);
}

int main(int argc, char **argv)
{
	struct where_states *s;
	struct tape_trace *t;
	int json = 0, unfinished = 0, c;

	tape_tool("tapewhere");
	while ((c = tape_option_next("tapewhere", argc, argv)) != -1)
		if (c == 'j')
			json = 1;
		else if (c == 'u')
			unfinished = 1;
		else
			tape_option_refuse("tapewhere", c);
	if (optind != argc - 1)
		tape_option_usage("tapewhere");
	for (int i = 1;; i++) {
		t = open_trace(argv[optind]);
		if (i == 1 && !check_trace(t, unfinished)) {
			tape_trace_close(t);
			return TAPE_DONE;
		}
		s = where_states_new(t);
		if (i == TRIES || !s->is_running || !is_damaged(t))
			break;
		where_states_free(s);
		tape_trace_close(t);
	}
	if (!unfinished || !have_all_ended(s))
		print_answer(t, s, json);
	where_states_free(s);
	tape_trace_close(t);
	return TAPE_DONE;
}
