/* The output of a plug-in; see plugin_output.h and tape_plugin.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board.h"
#include "plugin_output.h"
#include "tool.h"

enum { SAID_MOST = 1 << 20, LINE_MOST = 4000 };

void plugin_output_open(struct plugin_output *s, struct plug_shared *shared,
			const char *arguments)
{
	*s = (struct plugin_output){.shared = shared, .arguments = arguments};
	pthread_mutex_init(&s->lock, NULL);
	s->lines = tape_must(open_memstream(&s->text, &s->bytes));
}

void plugin_output_close(struct plugin_output *s, int pipe)
{
	size_t at = 0;

	if (s->left_out)
		fprintf(s->lines, "L 0 (%llu more lines were left out)\n",
			(unsigned long long)s->left_out);
	fprintf(s->lines, "E\n");
	if (fclose(s->lines))
		tape_die_no_memory();
	while (at < s->bytes) {
		ssize_t n = write(pipe, s->text + at, s->bytes - at);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	free(s->text);
}

void plugin_output_fail(struct plug_shared *shared, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(shared->why, sizeof shared->why, format, ap);
	va_end(ap);
	atomic_store(&shared->state, PLUG_FAILED);
	sem_post(&shared->ready);
	_exit(TAPE_FAILED);
}

const char *tape_ks_arguments(const struct tape_board *b)
{
	const struct plugin_output *s = tape_board_context(b);

	return s->arguments;
}

static void write_line(struct tape_board *b, const char *head, const char *text)
{
	struct plugin_output *s = tape_board_context(b);

	pthread_mutex_lock(&s->lock);
	fflush(s->lines);
	if (s->bytes + strlen(text) > SAID_MOST) {
		s->left_out++;
	} else {
		fputs(head, s->lines);
		for (; *text; text++)
			putc(*text == '\n' ? ' ' : *text, s->lines);
		putc('\n', s->lines);
	}
	pthread_mutex_unlock(&s->lock);
}

void tape_ks_say(struct tape_board *b, uint32_t level, const char *format, ...)
{
	char text[LINE_MOST], head[32];
	va_list ap;

	tape_board_check_level(b, level, "tape_ks_say");
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	snprintf(head, sizeof head, "L %u ", level);
	write_line(b, head, text);
}

void tape_ks_figure(struct tape_board *b, uint32_t level, const char *name,
		    double value)
{
	char text[LINE_MOST], head[80];

	tape_board_check_level(b, level, "tape_ks_figure");
	snprintf(head, sizeof head, "F %u %.17g ", level, value);
	snprintf(text, sizeof text, "%s", name);
	write_line(b, head, text);
}

/*
 * A reader can see a partly written status line. That is acceptable: the line
 * is for display and is rewritten.
 */
void tape_ks_status(struct tape_board *b, uint32_t level, const char *format,
		    ...)
{
	struct plugin_output *s = tape_board_context(b);
	char text[PLUG_STATUS_BYTES] = "";
	va_list ap;

	tape_board_check_level(b, level, "tape_ks_status");
	if (!level)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	pthread_mutex_lock(&s->lock);
	memcpy(s->shared->ring[plug_ring_index(s->shared->feeders, level, 0)]
		   .status,
	       text, sizeof text);
	pthread_mutex_unlock(&s->lock);
}

void tape_ks_fail(struct tape_board *b, const char *format, ...)
{
	struct plugin_output *s = tape_board_context(b);
	char text[sizeof s->shared->why];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	plugin_output_fail(s->shared, "%s", text);
}
