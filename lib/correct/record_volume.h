/*
 * What processes that correct a trace together tell each other
 * (remote_records.c): what it was, and as a formula, which holds for more of
 * them, too. Counted in a pass, each by its own ranks, and added up:
 *
 *	how.volume = volume_new(t, n);
 *	...
 *	engine_run(...);
 *	volume_add(how.volume, &of_another->sums);
 */
#ifndef CORRECT_RECORD_VOLUME_H
#define CORRECT_RECORD_VOLUME_H

#include "tape_reader.h"

/* Numbers of processes of which the formula tells: the first is that of now. */
enum { VOLUME_DEALS = 8 };

struct volume_sums {
	uint64_t bytes; /* of records told */
	/* by what they would tell: sends, receives of a rendezvous, entries */
	struct {
		uint64_t sends, receives, entries;
	} of[VOLUME_DEALS];
	/* of all sends and entries: how many, and bytes of their shares */
	uint64_t sends, send_shares, entries, entry_shares;
};

struct volume {
	const struct tape_trace *t;
	int n_deals, n[VOLUME_DEALS];
	int *owner[VOLUME_DEALS]; /* of each rank */
	struct volume_comm {
		uint64_t comm;
		int others[VOLUME_DEALS]; /* who have members, besides one */
		int known;
	} * comm;
	struct volume_sums sums;
};

/* Of n processes, and more. Dies when out of memory; NULL has none to free. */
struct volume *volume_new(const struct tape_trace *t, int n);
void volume_free(struct volume *v);

/* Counted by another process, or in a pass that counts no more: NULL. */
void volume_add(struct volume *v, const struct volume_sums *s);

/* A send from rank to rank, and an entry of a member of c, with its shares. */
void volume_send(struct volume *v, int from, int to, int rendezvous,
		 size_t shares);
void volume_enter(struct volume *v, const struct tape_comm_info *c,
		  uint64_t comm, size_t shares);

/* Bytes told by n[deal] processes, by the formula. */
struct volume_bytes {
	double messages, receives, collectives, all;
};
struct volume_bytes volume_of(const struct volume *v, int deal);

/* What records are long, without shares: remote_records.c has them. */
extern const size_t remote_send_bytes, remote_receive_bytes, remote_entry_bytes;

#endif
