/*
 * The live page: what tapelive knows while a program runs, in a browser on the
 * same machine (or through a tunnel of ssh's). It listens on the loopback
 * address only, answers GET only, has no way to the file system and changes
 * nothing. Whoever asks without the token, a random part of the address, gets
 * 403, unless it was started without.
 *
 *	struct live_page *p = live_page_start(0, 1, &why);
 *
 *	if (p)
 *		puts(live_page_address(p));
 *	live_subscribe(live_page_publish, p);	(tools/live/snapshot_feed.h)
 *	...
 *	live_page_stop(p);
 *
 * It has a thread of its own: start it when all processes are forked. A client
 * that is slow gets fewer snapshots, never old ones, and nobody waits for it.
 */
#ifndef LIVE_PAGE_H
#define LIVE_PAGE_H

#include <stddef.h>

struct live_page;

/*
 * Listens on that port of 127.0.0.1; 0: on any free one. token: whether one is
 * asked for. NULL: it cannot, and *why is a sentence.
 */
struct live_page *live_page_start(int port, int token, const char **why);

/* "http://127.0.0.1:4711/3f...c9/": valid until it is stopped. */
const char *live_page_address(const struct live_page *p);

/*
 * A snapshot of a program, one JSON object of one line, to all who look; and
 * to those who come later, until the next one. Never waits. self: the page.
 */
void live_page_publish(void *self, size_t program, const char *json);

/*
 * Gives those who look the last snapshots, but waits for none of them longer
 * than a second; then it closes. NULL is accepted.
 */
void live_page_stop(struct live_page *p);

#endif
