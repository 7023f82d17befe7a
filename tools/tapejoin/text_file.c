/* Text files of traces, and lists of texts; see joined_jobs.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "joined_jobs.h"
#include "tape_files.h"
#include "tool.h"

int join_text_open(struct join_text *x, const struct tape_trace *t,
		   const char *name, size_t most)
{
	size_t room = 1 << 16;
	ssize_t got;

	*x = (struct join_text){.bytes = tape_must(malloc(room))};
	while ((got = tape_trace_bytes(t, name, x->n, x->bytes + x->n,
				       room - x->n)) > 0) {
		x->n += (size_t)got;
		if (x->n > most)
			tape_die(TAPE_FAILED, "%s/%s: more than %zu MiB",
				 tape_trace_path(t), name, most >> 20);
		x->bytes =
		    tape_must(tape_grow_array(x->bytes, &room, x->n + 1, 1));
	}
	if (got == 0)
		return 0;
	got = errno;
	join_text_close(x);
	errno = (int)got;
	return -1;
}

char *join_text_line(struct join_text *x)
{
	char *line = x->bytes + x->at;
	char *end = x->at < x->n ? memchr(line, '\n', x->n - x->at) : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	x->at = (size_t)(end - x->bytes) + 1;
	return line;
}

void join_text_close(struct join_text *x)
{
	free(x->bytes);
	x->bytes = NULL;
}

void join_list_add(struct join_list *l, const char *text)
{
	l->text = tape_must(tape_grow_list(l->text, l->n, sizeof *l->text));
	l->text[l->n++] = tape_must(strdup(text));
}

void join_list_free(struct join_list *l)
{
	while (l->n)
		free(l->text[--l->n]);
	free(l->text);
	l->text = NULL;
}
