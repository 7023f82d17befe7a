/* The connection of a process of another host, which sends its part of a trace.
 */
#ifndef TAPE_LINK_H
#define TAPE_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "port.h"
#include "programs.h"

struct link;

/* A link for the descriptor of a new connection. */
struct link *link_new(int fd, int64_t now_ms);
int link_fd(const struct link *l);

/* Returns 1 if an analyser must consume before more of this link is read. */
int link_is_full(struct link *l);

/*
 * Returns 1 if the link has no reply yet, because an earlier link of the same
 * process is still there.
 */
int link_is_waiting(const struct link *l);

/* Returns 1 if no hello has come. */
int link_is_anonymous(const struct link *l);

/* Reads and writes what has come. Returns 1 if something has. */
int link_read(struct link *l, struct port *d, struct programs *all);

/*
 * Replies to the links whose hello has come. A process that connects again gets
 * its reply when its earlier link has ended.
 */
void link_reply_pending(struct link **links, size_t n);

/* Returns 1 if the link has ended, or its hello is overdue. */
int link_has_ended(const struct link *l, int64_t now_ms);

/* Closes the link. What it has sent is all of its process's part. */
void link_free(struct link *l);

#endif
