/* ANSI sequences; see screen.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "screen.h"

static struct termios before;
static int is_open, keys = -1; /* -1: no keyboard */
static FILE *terminal;

/* Returns the controlling terminal if this process may use it; or -1. */
static int own_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

	if (fd >= 0 && tcgetpgrp(fd) != getpgrp()) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_screen(void)
{
	return isatty(STDOUT_FILENO) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
				     : own_terminal();
}

int live_screen_is_available(void)
{
	int fd = open_screen();

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void live_screen_open(void)
{
	int fd = open_screen();
	struct termios raw;

	terminal = fd < 0 ? NULL : fdopen(fd, "w");
	if (!terminal)
		return;
	keys = isatty(STDIN_FILENO) ? dup(STDIN_FILENO) : own_terminal();
	if (keys >= 0 && !tcgetattr(keys, &before)) {
		/* keys without line buffer and echo; ^C stays a signal */
		raw = before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 0;
		raw.c_cc[VTIME] = 0;
		tcsetattr(keys, TCSANOW, &raw);
	}
	fputs("\033[?1049h\033[?25l", terminal);
	fflush(terminal);
	is_open = 1;
	atexit(live_screen_close);
}

void live_screen_close(void)
{
	if (!is_open)
		return;
	is_open = 0;
	fputs("\033[?25h\033[?1049l", terminal);
	fclose(terminal);
	if (keys < 0)
		return;
	tcsetattr(keys, TCSANOW, &before);
	close(keys);
	keys = -1;
}

int live_screen_key_fd(void)
{
	return keys;
}

int live_screen_is_open(void)
{
	return is_open;
}

void live_screen_get_size(int *rows, int *columns)
{
	struct winsize w;

	*rows = 24;
	*columns = 80;
	if (!ioctl(fileno(terminal), TIOCGWINSZ, &w) && w.ws_row && w.ws_col) {
		*rows = w.ws_row - 1; /* the cursor is in the last row */
		*columns = w.ws_col;
	}
}

void live_screen_begin(void)
{
	fputs("\033[H", terminal);
}

void live_screen_put(const char *lines)
{
	for (; lines && *lines; lines++)
		if (*lines == SCREEN_NEXT)
			fputs("\033[K\r\n", terminal);
		else
			putc(*lines, terminal);
}

void live_screen_end(void)
{
	fputs("\033[J", terminal);
	fflush(terminal);
}

int live_screen_read_key(void)
{
	char key;

	if (read(keys, &key, 1) == 1)
		return key;
	live_screen_close(); /* the terminal is closed */
	return 0;
}
