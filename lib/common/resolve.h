/*
 * The call sites of a trace that are addresses, looked up in the programs and
 * libraries that ran: where these are, and are still what they were.
 *
 *	tape_resolve(t);             before anything prints a call site
 *	tape_resolve_write(o, t);    into a trace being made
 *
 * A trace with the file `sites` needs no programs any more; what is missing
 * in it is tried again, and not complained about.
 */
#ifndef TAPE_RESOLVE_H
#define TAPE_RESOLVE_H

#include "output.h"
#include "tape_reader.h"

/*
 * Sets file, line and function of the sites of t (tape_trace_resolve) as far
 * as they can be found, and says on stderr, in one sentence for each program
 * or library, what could not and what to do. Does nothing where no site is an
 * address. Not while flows of t are open.
 *
 * Files that a trace names may be anything: they are read in a process of
 * their own, which has a minute for each.
 */
void tape_resolve(struct tape_trace *t);

/*
 * The same of a trace that is followed, whose call sites come one after the
 * other: each time those that have come since, each place once. Flows may be
 * open, but no other thread reads one.
 */
struct tape_resolver;
struct tape_resolver *tape_resolver_new(struct tape_trace *t);
void tape_resolver_more(struct tape_resolver *r);
/* What has no lines is not said: another process says it. */
void tape_resolver_quiet(struct tape_resolver *r);
void tape_resolver_free(struct tape_resolver *r);

/* Writes what is known of the addresses of t to the file sites of o. */
void tape_resolve_write(struct tape_output *o, const struct tape_trace *t);

#endif
