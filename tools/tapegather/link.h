/* The connection of a remote process, which sends its part of a trace. */
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

/* Returns 1 if the link must not be read until the analyser has consumed. */
int link_is_full(struct link *l);

/*
 * Returns 1 if the link has no reply yet, because an earlier link of the same
 * process is still open.
 */
int link_is_waiting(const struct link *l);

/* Returns 1 if no hello has arrived. */
int link_is_anonymous(const struct link *l);

/* Reads the data that has arrived, and writes it to the trace. Returns 1 if
 * some data has arrived. */
int link_read(struct link *l, struct port *d, struct programs *all);

/*
 * Replies to the links whose hello has arrived. A process that connects again
 * gets its reply when its earlier link has ended.
 */
void link_reply_pending(struct link **links, size_t n);

/* Returns 1 if the link has ended, or its hello is overdue. */
int link_has_ended(const struct link *l, int64_t now_ms);

/*
 * Closes and frees the link. If the process was accepted, its rank is marked as
 * ended: no further data will come. A rank that sent nothing may be removed.
 */
void link_free(struct link *l);

#endif
