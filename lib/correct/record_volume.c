/* What is told to other processes; see record_volume.h. */
#include <stdlib.h>
#include <string.h>

#include "tape_peers.h"
#include "tool.h"
#include "record_volume.h"

/* Communicators that are remembered, by their numbers. */
enum { COMMS = 1024 };

struct volume *volume_new(const struct tape_trace *t, int n)
{
	struct volume *v = tape_must(calloc(1, sizeof *v));
	int ranks = (int)tape_trace_ranks(t);

	v->t = t;
	v->comm = tape_must(calloc(COMMS, sizeof *v->comm));
	v->n[v->n_deals++] = n;
	for (int k = 4; k < ranks && v->n_deals < VOLUME_DEALS; k *= 4)
		if (k > n)
			v->n[v->n_deals++] = k;
	for (int d = 0; d < v->n_deals; d++) {
		struct tape_peers p = {.n = v->n[d]};

		if (tape_peers_partition(&p, t))
			tape_die_no_memory();
		v->owner[d] = p.owner;
	}
	return v;
}

void volume_free(struct volume *v)
{
	for (int d = 0; v && d < v->n_deals; d++)
		free(v->owner[d]);
	if (v)
		free(v->comm);
	free(v);
}

void volume_add(struct volume *v, const struct volume_sums *s)
{
	struct volume_sums *to = &v->sums;

	if (!s) {
		memset(to, 0, sizeof *to);
		return;
	}
	to->bytes += s->bytes;
	to->sends += s->sends;
	to->send_shares += s->send_shares;
	to->entries += s->entries;
	to->entry_shares += s->entry_shares;
	for (int d = 0; d < VOLUME_DEALS; d++) {
		to->of[d].sends += s->of[d].sends;
		to->of[d].receives += s->of[d].receives;
		to->of[d].entries += s->of[d].entries;
	}
}

void volume_send(struct volume *v, int from, int to, int rendezvous,
		 size_t shares)
{
	v->sums.sends++;
	v->sums.send_shares += shares;
	for (int d = 0; d < v->n_deals; d++)
		if (to >= 0 && v->owner[d][from] != v->owner[d][to]) {
			v->sums.of[d].sends++;
			v->sums.of[d].receives += rendezvous != 0;
		}
}

static int mark_owners(char *has, const int *owner, const int *members, int n)
{
	int fresh = 0;

	for (int i = 0; i < n; i++)
		if (members[i] >= 0 && !has[owner[members[i]]]) {
			has[owner[members[i]]] = 1;
			fresh++;
		}
	return fresh;
}

static void count_other_owners(struct volume *v, const struct tape_comm_info *c,
			       struct volume_comm *q)
{
	for (int d = 0; d < v->n_deals; d++) {
		char *has = tape_must(calloc((size_t)v->n[d], 1));
		int owners = v->n[d];

		if (c && c->members) {
			owners =
			    mark_owners(has, v->owner[d], c->members, c->size);
			if (c->side >= 0)
				owners += mark_owners(has, v->owner[d], c->own,
						      c->own_size);
		}
		q->others[d] = owners - 1;
		free(has);
	}
	q->known = 1;
}

void volume_enter(struct volume *v, const struct tape_comm_info *c,
		  uint64_t comm, size_t shares)
{
	struct volume_comm *q = &v->comm[comm % COMMS];

	if (!q->known || q->comm != comm) {
		q->comm = comm;
		count_other_owners(v, c, q);
	}
	v->sums.entries++;
	v->sums.entry_shares += shares;
	for (int d = 0; d < v->n_deals; d++)
		v->sums.of[d].entries += (uint64_t)q->others[d];
}

/* So many records, with shares as the mean of all. */
static double record_bytes(uint64_t n, size_t bytes, uint64_t shares,
			   uint64_t all)
{
	double mean = all ? (double)shares / (double)all : 0;

	return (double)n * ((double)(bytes + TAPE_PEERS_HEAD) + mean);
}

struct volume_bytes volume_of(const struct volume *v, int deal)
{
	const struct volume_sums *s = &v->sums;
	struct volume_bytes b;

	b.messages = record_bytes(s->of[deal].sends, remote_send_bytes,
				  s->send_shares, s->sends);
	b.receives = record_bytes(s->of[deal].receives, remote_receive_bytes,
				  s->send_shares, s->sends);
	b.collectives = record_bytes(s->of[deal].entries, remote_entry_bytes,
				     s->entry_shares, s->entries);
	b.all = b.messages + b.receives + b.collectives;
	return b;
}
