/* A terminal that is drawn on again and again; plain ANSI sequences. */
#ifndef LIVE_SCREEN_H
#define LIVE_SCREEN_H

/* Stands for the end of a line in a picture. */
#define SCREEN_NEXT '\v'

/*
 * Standard output, or the terminal that the process belongs to where that is
 * something else, and its keys; closing puts back what was there.
 */
int live_screen_is_available(void);
void live_screen_open(void);
void live_screen_close(void);
int live_screen_is_open(void);

void live_screen_get_size(int *rows, int *columns);

/* A picture: lines that end with SCREEN_NEXT; NULL: none. */
void live_screen_begin(void);
void live_screen_put(const char *lines);
void live_screen_end(void);

/* The descriptor that keys come from, or -1; the one that was pressed, or 0. */
int live_screen_key_fd(void);
int live_screen_read_key(void);

#endif
