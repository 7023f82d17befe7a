/* Messages and exit statuses; see tool.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "escape.h"
#include "tool.h"

static const char *tool = "tape";
static int hushed;

void tape_tool(const char *name)
{
	tool = name;
}

void tape_hush(int on)
{
	hushed = on;
}

static void print_message(const char *format, va_list ap)
{
	char *text = NULL;

	fflush(stdout);
	fprintf(stderr, "%s: ", tool);
	/* names of files are among it */
	if (vasprintf(&text, format, ap) >= 0)
		tape_put_clean(stderr, text);
	free(text);
	fputc('\n', stderr);
}

void tape_warn(const char *format, ...)
{
	va_list ap;

	if (hushed)
		return;
	va_start(ap, format);
	print_message(format, ap);
	va_end(ap);
}

void tape_die(int status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_message(format, ap);
	va_end(ap);
	exit(status);
}

void tape_die_no_memory(void)
{
	tape_die(TAPE_FAILED, "%s", tape_error_text(TAPE_ENOMEM));
}

void tape_usage(int option, const char *usage)
{
	if (option == 'h') {
		printf("usage: %s\n", usage);
		exit(TAPE_DONE);
	}
	if (option == 'V') {
		printf("%s %s\n", tool, TAPE_VERSION);
		exit(TAPE_DONE);
	}
	fprintf(stderr, "usage: %s\n", usage);
	exit(TAPE_USAGE);
}

void tape_progress(unsigned long long events, int done)
{
	static time_t start, last;
	static int shown, terminal = -1;
	time_t now;

	if (terminal < 0) {
		terminal = isatty(STDERR_FILENO);
		start = time(NULL);
	}
	if (!terminal)
		return;
	now = time(NULL);
	if (done && shown)
		fprintf(stderr, "\r\033[K");
	else if (!done && now - start >= 2 && now != last) {
		fprintf(stderr, "\r%s: %.1f million events", tool,
			(double)events / 1e6);
		last = now;
		shown = 1;
	}
}
