/*
 * Text files as a source of actions: finds the files and splits them into
 * lines; see action_lines.h, action.h. All input is untrusted.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "action_lines.h"
#include "growing_array.h"

enum { BUFFER = 1 << 15 };

static struct tape_line_source *line_source(struct tape_actions *s)
{
	return (struct tape_line_source *)(void *)s;
}

int tape_line_fail(struct tape_line_rank *r, const char *format, ...)
{
	char why[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	return tape_actions_fail(&r->of->s, TAPE_EFORMAT, "%s: line %llu: %s",
				 r->path, (unsigned long long)r->line, why);
}

/* ---- lines ---- */

/*
 * Reads more of the file into the buffer. Returns 1, 0 at the end, or an error.
 */
static int fill_line_buffer(struct tape_line_rank *r)
{
	const char *why;
	char *buffer;
	long got;

	memmove(r->buffer, r->buffer + r->at, r->end - r->at);
	r->end -= r->at;
	r->at = 0;
	if (r->end + 1 >= r->room) {
		if (r->room >= TAPE_LINE_LINE) {
			r->line++;
			return tape_line_fail(r, "the line is too long");
		}
		buffer = tape_grow_array(r->buffer, &r->room, r->room + 1, 1);
		if (!buffer)
			return tape_actions_no_memory(&r->of->s);
		r->buffer = buffer;
	}
	got = tape_action_file_read(r->file, r->buffer + r->end,
				    r->room - r->end - 1, &why);
	if (got < 0)
		return tape_actions_fail(&r->of->s, TAPE_EIO, "%s: %s", r->path,
					 why);
	r->end += (size_t)got;
	return got > 0;
}

/* Parses the next line. Returns 1, 0 at the end, or an error. */
static int read_action_line(struct tape_line_rank *r)
{
	size_t looked = r->at;
	char *line, *end;
	int rc;

	while (!(end = memchr(r->buffer + looked, '\n', r->end - looked))) {
		looked = r->end - r->at;
		rc = fill_line_buffer(r);
		if (rc < 0)
			return rc;
		if (rc)
			continue;
		if (r->at == r->end)
			return 0;
		end = r->buffer + r->end;
		break;
	}
	line = r->buffer + r->at;
	r->at = (size_t)(end - r->buffer);
	r->at += r->at < r->end;
	*end = '\n';
	r->line++;
	rc = tape_line_parse(r, line, end);
	if (rc == TAPE_ENOMEM)
		tape_actions_no_memory(&r->of->s);
	return rc ? rc : 1;
}

static int open_rank_file(struct tape_line_rank *r)
{
	r->file = tape_action_file_open(r->path);
	r->buffer = malloc(BUFFER);
	r->room = BUFFER;
	return r->file && r->buffer ? 0 : tape_actions_no_memory(&r->of->s);
}

static void close_rank_file(struct tape_line_rank *r)
{
	tape_action_file_close(r->file);
	free(r->buffer);
	r->file = NULL;
	r->buffer = NULL;
}

static int next_line_action(struct tape_actions *s, int rank,
			    const struct tape_action **a)
{
	struct tape_line_rank *r = &line_source(s)->ranks[rank];
	int rc = r->failed;

	if (!rc && !r->file && !r->over)
		rc = open_rank_file(r);
	while (!rc) {
		if (tape_action_queue_take(&r->q, a)) {
			r->finalized = (*a)->kind == TAPE_ACTION_FINALIZE;
			return 1;
		}
		if (r->over)
			return 0;
		rc = read_action_line(r);
		if (rc == 0 && !r->finalized)
			rc = tape_line_fail(r, "the file ends without a "
					       "finalize as its last action");
		if (rc == 0) {
			r->over = 1;
			close_rank_file(r);
		}
		rc = rc < 0 ? rc : 0;
	}
	r->failed = rc;
	return rc;
}

/* ---- files ---- */

static const int *no_members(const struct tape_actions *s, uint32_t comm,
			     int *size)
{
	(void)s;
	(void)comm;
	(void)size;
	return NULL;
}

static void close_line_source(struct tape_actions *s)
{
	struct tape_line_source *x = line_source(s);

	for (size_t i = 0; x->ranks && i < s->ranks; i++) {
		struct tape_line_rank *r = &x->ranks[i];

		close_rank_file(r);
		free(r->path);
		tape_action_queue_free(&r->q);
		tape_line_pending_free(&r->messages);
		tape_table_free(&r->collectives);
		tape_table_free(&r->comms);
	}
	free(x->ranks);
	free(x);
}

/*
 * Adds the file of the next rank. A relative name is first looked up in the
 * folder of the list, then in the working directory.
 */
static int add_rank_file(struct tape_line_source *x, size_t *room,
			 const char *list, const char *name, size_t bytes)
{
	const char *slash = strrchr(list, '/');
	size_t folder = *name != '/' && slash ? (size_t)(slash - list) + 1 : 0;
	struct tape_line_rank *ranks, *r;
	struct stat s;

	if (x->s.ranks == TAPE_LINE_RANKS)
		return tape_actions_fail(&x->s, TAPE_EFORMAT,
					 "%s: lists too many files", list);
	ranks = tape_grow_array(x->ranks, room, x->s.ranks + 1, sizeof *ranks);
	if (!ranks)
		return tape_actions_no_memory(&x->s);
	x->ranks = ranks;
	r = &x->ranks[x->s.ranks];
	*r = (struct tape_line_rank){
	    .of = x, .rank = (int)x->s.ranks, .bytes_of_type = 1};
	r->collectives.bytes = sizeof(uint64_t);
	r->comms.bytes = sizeof(uint64_t);
	r->path = malloc(folder + bytes + 1);
	if (!r->path)
		return tape_actions_no_memory(&x->s);
	x->s.ranks++;
	memcpy(r->path, list, folder);
	memcpy(r->path + folder, name, bytes);
	r->path[folder + bytes] = '\0';
	if (stat(r->path, &s) && folder && !stat(r->path + folder, &s))
		memmove(r->path, r->path + folder, bytes + 1);
	if (stat(r->path, &s))
		return tape_actions_fail(&x->s, TAPE_EIO, "%s: %s", r->path,
					 strerror(errno));
	return 0;
}

static int read_rank_list(struct tape_line_source *x, const char *path)
{
	struct tape_action_file *f = tape_action_file_open(path);
	size_t used = 0, room = 0, ranks = 0;
	char *text = NULL, *line, *end, *grown;
	const char *why;
	long got;
	int rc = f ? 0 : tape_actions_no_memory(&x->s);

	while (!rc) {
		if (used + 1 >= room) {
			grown =
			    room > TAPE_LINE_LINE / 2
				? NULL
				: tape_grow_array(text, &room, used + 4096, 1);
			if (!grown) {
				rc = tape_actions_no_memory(&x->s);
				break;
			}
			text = grown;
		}
		got = tape_action_file_read(f, text + used, room - used - 1,
					    &why);
		if (got < 0)
			rc = tape_actions_fail(&x->s, TAPE_EIO, "%s: %s", path,
					       why);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	for (line = text; !rc && line && line < text + used; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + used - line));
		if (!end)
			end = text + used;
		while (line < end && strchr(" \t\r", *line))
			line++;
		got = end - line;
		while (got && strchr(" \t\r", line[got - 1]))
			got--;
		if (got && *line != '#')
			rc = add_rank_file(x, &ranks, path, line, (size_t)got);
	}
	if (!rc && !x->s.ranks)
		rc = tape_actions_fail(&x->s, TAPE_EFORMAT,
				       "%s: lists no files", path);
	tape_action_file_close(f);
	free(text);
	return rc;
}

int tape_actions_open_files(const char *path, struct tape_actions **s)
{
	static const struct tape_actions_kind kind = {
	    next_line_action, no_members, NULL, close_line_source};
	struct tape_line_source *x = calloc(1, sizeof *x);
	char list[4096];
	struct stat is;
	int n, rc;

	*s = NULL;
	if (!x)
		return TAPE_ENOMEM;
	*s = &x->s;
	x->s.kind = &kind;
	x->s.measure = "";
	if (stat(path, &is))
		return tape_actions_fail(&x->s, TAPE_EIO, "%s: %s", path,
					 strerror(errno));
	n = snprintf(list, sizeof list, "%s%s", path,
		     S_ISDIR(is.st_mode) ? "/ranks" : "");
	if (n < 0 || (size_t)n >= sizeof list)
		return tape_actions_fail(&x->s, TAPE_ERANGE,
					 "%s: the name is too long", path);
	rc = read_rank_list(x, list);
	return rc;
}
