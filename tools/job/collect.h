/*
 * Records between processes (tape_peers.h), any number of them: all give what
 * they have, and then say that they have given it. Everything here dies when
 * out of memory.
 */
#ifndef JOB_COLLECT_H
#define JOB_COLLECT_H

#include "tape_peers.h"

/* Records 30 to 33 are these functions' own. */
enum {
	TAPE_PEERS_MORE = 30, /* the sender has more, or has not */
	TAPE_PEERS_TOTAL,     /* bytes and events of the sender so far */
	TAPE_PEERS_SITE,      /* where an address is in the source */
	TAPE_PEERS_STATUS     /* a sentence on what is wrong; "": nothing */
};

/* A record for one, or for all others; and all exchange what they have. */
void tape_peers_queue(struct tape_peers *p, int to, unsigned kind,
		      const void *data, size_t bytes);
void tape_peers_queue_to_others(struct tape_peers *p, unsigned kind,
				const void *data, size_t bytes);
void tape_peers_exchange_once(struct tape_peers *p);

/* Others: a record more for process 0. */
void tape_peers_gather_add(struct tape_peers *p, unsigned kind,
			   const void *data, size_t bytes);

/*
 * All: until nobody has more to give. take is told what comes, and of whom;
 * only process 0 gets any.
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
 * All say what is wrong, process 0 nothing: it dies of the first that others
 * say, while they return 1; 0: nothing is wrong. take, or NULL, is told what
 * else came.
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
