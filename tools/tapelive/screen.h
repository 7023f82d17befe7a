/* A terminal that shows snapshots, by ANSI sequences. */
#ifndef LIVE_SCREEN_H
#define LIVE_SCREEN_H

/* Ends a line of a snapshot. */
#define SCREEN_NEXT '\v'

/*
 * Uses standard output if it is a terminal, else the controlling terminal.
 * Closing restores the terminal.
 */
int live_screen_is_available(void);
void live_screen_open(void);
void live_screen_close(void);
int live_screen_is_open(void);

void live_screen_get_size(int *rows, int *columns);

/* Draw a screen: lines that end with SCREEN_NEXT; NULL: none. */
void live_screen_begin(void);
void live_screen_put(const char *lines);
void live_screen_end(void);

/* Return the descriptor of the keyboard, or -1; the pressed key, or 0. */
int live_screen_key_fd(void);
int live_screen_read_key(void);

#endif
