/*
 * The live page shows the snapshots of tapelive in a browser on the same host,
 * or through an ssh tunnel. The server listens on the loopback address only,
 * accepts GET only, reads no files and changes nothing. A request without the
 * token, a random part of the address, gets status 403, unless the page was
 * started without a token.
 *
 *	struct live_page *p = live_page_start(0, 1, &why);
 *
 *	if (p)
 *		puts(live_page_address(p));
 *	live_subscribe(live_page_publish, p);	(lib/live/snapshot_feed.h)
 *	...
 *	live_page_stop(p);
 *
 * The server has a thread of its own: start it after all processes are forked.
 * A slow client skips snapshots and never delays the analysis.
 */
#ifndef LIVE_PAGE_H
#define LIVE_PAGE_H

#include <stddef.h>

struct live_page;

/*
 * Listens on that port of 127.0.0.1; 0: on any free port. token: 1 if requests
 * need a token. Returns NULL with a reason in *why if it cannot.
 */
struct live_page *live_page_start(int port, int token, const char **why);

/* Returns "http://127.0.0.1:4711/3f...c9/", valid until live_page_stop(). */
const char *live_page_address(const struct live_page *p);

/*
 * Sends a snapshot of a program, a JSON object in one line, to all clients.
 * Later clients get it until the next snapshot. Never blocks. self: the page.
 */
void live_page_publish(void *self, size_t program, const char *json);

/*
 * Sends the last snapshots to the clients, for at most a second, and closes the
 * page. NULL is accepted.
 */
void live_page_stop(struct live_page *p);

#endif
