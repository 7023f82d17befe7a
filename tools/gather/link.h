/* A process of another host that sends its part of a trace. */
#ifndef TAPE_LINK_H
#define TAPE_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "port.h"
#include "programs.h"

struct link;

/* Of that descriptor, which is closed with it. */
struct link *link_new(int fd, int64_t now_ms);
int link_fd(const struct link *l);

/* Is it not to be read now? */
int link_is_held(struct link *l);

/* Has it not said who it is? */
int link_is_strange(const struct link *l);

/* Takes what has come. 1: something has. */
int link_read(struct link *l, struct port *d, struct programs *all);

/*
 * Replies to who is known by now: one that was connected before and comes again
 * is heard when its earlier link has ended.
 */
void link_settle(struct link **links, size_t n);

/* Has it ended, or does it not say who it is? */
int link_is_over(const struct link *l, int64_t now_ms);

/* What it sent is all there will be, if it was heard. */
void link_free(struct link *l);

#endif
