/* ANSI sequences; see screen.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "screen.h"

static struct termios before;
static int is_open, has_keys;

void live_screen_open(void)
{
	struct termios raw;
	static int registered;

	has_keys = !tcgetattr(STDIN_FILENO, &before);
	if (has_keys) {
		/* keys at once and unseen; ^C is a signal still */
		raw = before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 0;
		raw.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	fputs("\033[?1049h\033[?25l", stdout);
	fflush(stdout);
	is_open = 1;
	if (!registered++)
		atexit(live_screen_close);
}

void live_screen_close(void)
{
	if (!is_open)
		return;
	is_open = 0;
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

int live_screen_is_open(void)
{
	return is_open;
}

void live_screen_size(int *rows, int *columns)
{
	struct winsize w;

	*rows = 24;
	*columns = 80;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_row && w.ws_col) {
		*rows = w.ws_row - 1; /* the cursor stands in the last one */
		*columns = w.ws_col;
	}
}

void live_screen_begin(void)
{
	fputs("\033[H", stdout);
}

void live_screen_put(const char *lines)
{
	for (; lines && *lines; lines++)
		if (*lines == SCREEN_NEXT)
			fputs("\033[K\r\n", stdout);
		else
			putchar(*lines);
}

void live_screen_end(void)
{
	fputs("\033[J", stdout);
	fflush(stdout);
}

int live_screen_key(void)
{
	char key;

	if (read(STDIN_FILENO, &key, 1) == 1)
		return key;
	live_screen_close(); /* it has gone */
	return 0;
}
