/*
 * The state of a search: race_pass.c follows the events and what they know of
 * each other, race_rivals.c compares calls with messages.
 */
#ifndef RACES_RACE_STATE_H
#define RACES_RACE_STATE_H

#include "eager_limits.h"
#include "match.h"
#include "race_search.h"
#include "rounds.h"
#include "table.h"
#include "vector_time.h"

enum { NO_COLUMN = -1 };

/* Messages that a call may take. */
struct race_pattern {
	uint64_t comm; /* identity */
	int source;    /* rank, or TAPE_ANY_SOURCE */
	int32_t tag;   /* or TAPE_ANY_TAG */
	int but;       /* not those of this rank: the one it took; or -1 */
	/* instead: those of receives that were posted before the call */
	int is_choice;
};

/* A call of a rank that depends on when messages arrive. */
struct race_candidate {
	struct race_call call;
	struct race_pattern pattern;
	uint32_t number; /* of the rank's calls */
	/* number of the call whose end says that this one took its message: its
	 * own, or an earlier one */
	uint32_t known;
	/* the same of the column of the sender, whose send waited; 0: no */
	uint32_t sender_known;
	size_t sender_column;
	uint64_t
	    receive; /* of a receive: the number of the event that posted it */
	struct vector_time *before; /* of its beginning */
};

/* Candidates without rivals so far, of one pattern, in the order of ending. */
struct race_list {
	struct race_pattern pattern;
	struct race_candidate *list;
	size_t n, room;
};

/* A message that a rank received. */
struct race_received {
	struct race_message m;
	uint64_t comm;
	struct race_pattern pattern; /* of its receive; of none: comm is 0 */
	int64_t posted_ns;	     /* of its receive */
	int64_t ended_ns;
	uint32_t number;  /* of the call that ended it */
	uint64_t receive; /* as race_candidate; not 0 */
	struct vector_time *sent;
};

enum { RECENT = 256 };

/* A receive that was posted and has not ended. */
struct race_open {
	uint64_t event, request; /* that posted it; its number */
	struct race_pattern pattern;
	struct vector_time *posted; /* of its posting */
	uint32_t known; /* of a matched probe: number of its call; else 0 */
};

/* An event that ended receives that are reported later (ops.h). */
struct race_late {
	uint64_t event;
	uint32_t number;	    /* of the rank's calls */
	struct vector_time *before; /* of its beginning */
};

struct race_rank {
	int column, is_refused; /* there were too many columns */
	uint32_t calls;		/* numbered so far */
	struct vector_time *now;
	struct race_open *open;
	size_t n_open, open_room;
	struct race_late *late; /* while receives are open */
	size_t n_late, late_room;
	struct race_list *lists;
	size_t n_lists;
	size_t n_kept;		      /* candidates in the lists */
	struct race_received *recent; /* a ring, or NULL */
	uint64_t n_received;
	/* a test that found nothing, if the next call does not repeat it */
	struct race_candidate test;
	uint32_t test_site, test_also_site;
	int has_test;
	/* the blocking receive in progress: what it takes */
	struct race_pattern waits_for;
	int is_waiting;
	uint64_t waiting_event; /* its number among all */
};

/* A send, by where it began; until all know what they need of it. */
struct race_send {
	struct vector_time *sent;
	uint32_t uses;	       /* messages on the way, and ends to come */
	uint32_t waits;	       /* it ends after its receive began */
	uint32_t sender_known; /* number of the sender's call that ended it */
	int is_received;
	struct vector_time *received; /* then: what its end learns */
};

/* Messages of receives that an event ended and that are reported later. */
struct race_resolved {
	uint64_t n, send[3]; /* numbers of sends */
};
enum { RESOLVED_MOST = 1 << 20 };

/* A receive that the event in progress ends, or that ended before. */
struct race_end {
	uint64_t event;
	uint32_t number;	     /* of the rank's call that ended it */
	struct race_pattern pattern; /* as posted */
	int from;
	int32_t tag;
	uint32_t site;
	int64_t posted_ns;
	int is_blocking;
	uint32_t known; /* as race_open */
	struct vector_time *posted;
};

/* The event that ended last, until all of its messages have come. */
struct race_event {
	int is_open;
	int rank;
	uint64_t event;	 /* in its flow, from 1 */
	uint32_t number; /* of the rank's calls; 0: it has none */
	uint32_t site;
	int64_t start_ns, end_ns;
	int is_choice; /* it completed some of several requests */
	/* it asked in vain for that, at these call sites; or is_test 0 */
	int is_test;
	struct race_pattern asked;
	uint32_t also_site;
	struct vector_time *before;
	struct race_end *end;
	size_t n_ends, ends_room;
	size_t found; /* the end that was found last */
	/* receives from any source that ended, until all messages are known */
	struct race_candidate *ended;
	size_t n_ended, ended_room;
};

struct race_state {
	struct tape_trace *t;
	const struct race_visitor *v;
	struct race_limits limits;
	struct tape_eager_limits eager;
	struct race_rank *rank;
	size_t n_ranks;
	uint64_t *events; /* of each flow so far */
	struct tape_table sends;
	struct tape_match *probes; /* messages on the way, for probes */
	struct tape_rounds *rounds;
	struct race_event event;
	size_t kept_most; /* candidates of a rank */
	/* of each column: the first number with rivals */
	uint32_t *first;
	size_t n_columns;
	/* by number of the event; is_resolved: all passes know these */
	struct tape_table resolved;
	int is_resolved;
	struct tape_table racing; /* receives with rivals, by their number */
	int is_second;		  /* the search for first races */
	int is_over;		  /* all events have ended */
};

/* A message on its way. */
struct race_probed {
	struct vector_time *sent;
	uint64_t send; /* its number (race_send) */
};

/* Gives the rank a column, unless it has one or there are too many. */
void race_add_column(struct race_state *s, int rank);

/* The message was received by the rank, or never: its rivals are looked for. */
void race_compare_message(struct race_state *s, int rank,
			  const struct race_received *m);

/* The rank received m: calls that end later, posted before, may take it. */
void race_store_message(struct race_state *s, int rank,
			const struct race_received *m);

/*
 * The call c of the rank has ended: compares it with the messages that the rank
 * received since it was posted, and later ones with it. c->before is the
 * function's from now on.
 */
void race_add_candidate(struct race_state *s, int rank,
			struct race_candidate *c);

/* Frees all candidates of the rank. */
void race_free_candidates(struct race_rank *r);

#endif
