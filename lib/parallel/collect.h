/*
 * Records between processes (tape_peers.h), any number of them: all give what
 * they have, and then say that they have given it. Everything here dies when
 * out of memory.
 */
#ifndef JOB_COLLECT_H
#define JOB_COLLECT_H

#include "tape_peers.h"

/* The records of these functions. */
enum {
	TAPE_PEERS_MORE = TAPE_KINDS_OF_PARALLEL, /* the sender has more? */
	TAPE_PEERS_TOTAL,     /* bytes and events of the sender so far */
	TAPE_PEERS_SITE,      /* where an address is in the source */
	TAPE_PEERS_STATUS     /* a sentence on what is wrong; "": nothing */
};

/*
 * Queues a record for one process, or for all others. The exchange is
 * collective: it delivers all queued records.
 */
void tape_peers_queue(struct tape_peers *p, int to, unsigned kind,
		      const void *data, size_t bytes);
void tape_peers_queue_to_others(struct tape_peers *p, unsigned kind,
				const void *data, size_t bytes);
void tape_peers_exchange_once(struct tape_peers *p);

/* Adds a record for process 0. Called by the other processes. */
void tape_peers_gather_add(struct tape_peers *p, unsigned kind,
			   const void *data, size_t bytes);

/*
 * Collective: returns when all processes have sent all their records to
 * process 0. On process 0 take is called for each record with the sender's
 * number.
 */
typedef void tape_peers_handler(void *own, int from, unsigned kind,
				const void *data, size_t bytes);
void tape_peers_gather(struct tape_peers *p, tape_peers_handler *take,
		       void *own);

/*
 * The same from each to any: all send what they have, and then say that they
 * have sent it; take is told what comes meanwhile.
 */
void tape_peers_exchange_add(struct tape_peers *p, int to, unsigned kind,
			     const void *data, size_t bytes,
			     tape_peers_handler *take, void *own);
void tape_peers_exchange(struct tape_peers *p, tape_peers_handler *take,
			 void *own);

/* What all processes have exchanged, and read, so far. Process 0. */
uint64_t tape_peers_all_bytes(const struct tape_peers *p);
uint64_t tape_peers_all_events(const struct tape_peers *p);

/*
 * Collective error check. If any other process passes an error text, process 0
 * exits with the first text and the others return 1. Otherwise returns 0. take
 * (or NULL) is called for each record of another kind.
 */
int tape_peers_agree(struct tape_peers *p, const char *wrong,
		     tape_peers_handler *take, void *own);

/*
 * Others: the trace that process 0 has open, with so many ranks and flows, and
 * agrees on that. take's own is the trace. NULL: some process cannot.
 */
struct tape_trace *tape_peers_open(struct tape_peers *p, const char *path,
				   uint64_t ranks, uint64_t flows,
				   tape_peers_handler *take);

/*
 * What process 0 found of the addresses in t, for the others, who take it as
 * they open t.
 */
void tape_peers_queue_sites(struct tape_peers *p, const struct tape_trace *t);
tape_peers_handler tape_peers_store_site;

/*
 * Process 0 hears of another one that a flow is damaged: finds it itself, for
 * what it says of the trace. Dies where it can read all of it.
 */
void tape_peers_find_damage(const struct tape_peers *p, struct tape_trace *t,
			    size_t flow, int from);

#endif
