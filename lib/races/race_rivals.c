/* Compares calls with the messages that they may take; see race_state.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "race_state.h"
#include "tool.h"

static int is_same_pattern(const struct race_pattern *a,
			   const struct race_pattern *b)
{
	return a->comm == b->comm && a->source == b->source &&
	       a->tag == b->tag && a->but == b->but &&
	       a->is_choice == b->is_choice;
}

static int may_take(const struct race_pattern *p, uint64_t comm,
		    const struct race_message *m)
{
	return p->is_choice ||
	       (p->comm == comm && m->from != p->but &&
		(p->source == TAPE_ANY_SOURCE || p->source == m->from) &&
		(p->tag == TAPE_ANY_TAG || p->tag == m->tag));
}

/* Was the message sent after it was known what the call took? */
static int is_after(const struct race_state *s, const struct race_candidate *c,
		    const struct vector_time *sent)
{
	size_t column = (size_t)s->rank[c->call.rank].column;

	return vector_time_get(sent, column) >= c->known ||
	       (c->sender_known &&
		vector_time_get(sent, c->sender_column) >= c->sender_known);
}

/*
 * What has to happen before the call c takes the message m: that it is sent;
 * and receives that were posted before, open when c began, and match m have
 * taken theirs. They are in the way of c; of a choice, of the receive of m.
 * *is_first: none of them has rivals itself, as far as an earlier pass knows.
 */
static struct vector_time *find_past(struct race_state *s,
				     const struct race_candidate *c,
				     const struct race_received *m,
				     int *is_first)
{
	struct race_rank *r = &s->rank[c->call.rank];
	struct vector_time *v = vector_time_keep(m->sent);
	int64_t posted_ns =
	    c->pattern.is_choice ? m->posted_ns : c->call.start_ns;
	uint64_t all = r->n_received < RECENT ? r->n_received : RECENT;

	*is_first =
	    !c->pattern.is_choice || !tape_table_find(&s->racing, m->receive);
	for (uint64_t i = 1; r->recent && i <= all; i++) {
		const struct race_received *q =
		    &r->recent[(r->n_received - i) % RECENT];

		if (q->posted_ns < posted_ns &&
		    q->ended_ns > c->call.start_ns &&
		    may_take(&q->pattern, m->comm, &m->m)) {
			vector_time_merge(&v, q->sent);
			*is_first &= !tape_table_find(&s->racing, q->receive);
		}
	}
	return v;
}

/*
 * Was another message of the same source, which c may take, sent before m, and
 * taken by a receive that was posted after c? Then that one is the rival.
 */
static int has_earlier(struct race_state *s, const struct race_candidate *c,
		       const struct race_received *m)
{
	const struct race_rank *r = &s->rank[c->call.rank];
	uint64_t all = r->n_received < RECENT ? r->n_received : RECENT;

	for (uint64_t i = 0; r->recent && !c->pattern.is_choice && i < all;
	     i++) {
		const struct race_received *q = &r->recent[i];

		if (q->m.from == m->m.from && q->m.sent_ns < m->m.sent_ns &&
		    q->posted_ns > c->call.start_ns &&
		    may_take(&c->pattern, q->comm, &q->m))
			return 1;
	}
	return 0;
}

/* The call has rivals: what knows of it is not first. */
static void record_race(struct race_state *s, const struct race_candidate *c)
{
	uint32_t *first = &s->first[s->rank[c->call.rank].column];

	if (*first > c->known)
		*first = c->known;
	if (c->sender_known && s->first[c->sender_column] > c->sender_known)
		s->first[c->sender_column] = c->sender_known;
	if (c->receive && s->racing.used < RESOLVED_MOST)
		tape_must(tape_table_get(&s->racing, c->receive));
}

/*
 * Has the call that rival, and if first ones are searched, is it one? Returns 1
 * if it needs no other.
 */
static int report_race(struct race_state *s, const struct race_candidate *c,
		       const struct race_received *rival)
{
	int is_first;
	struct vector_time *past = find_past(s, c, rival, &is_first);
	int is_race =
	    !is_after(s, c, past) &&
	    (!s->is_second ||
	     (is_first && vector_time_is_below(past, s->first, s->n_columns)));

	vector_time_drop(past);
	if (!is_race || has_earlier(s, c, rival))
		return 0;
	if (s->is_second) {
		s->v->first(s->v->own, &c->call, &rival->m);
		return 1;
	}
	record_race(s, c);
	s->v->race(s->v->own, &c->call, &rival->m);
	return 1;
}

static void remove_candidate(struct race_rank *r, struct race_list *l, size_t i)
{
	vector_time_drop(l->list[i].before);
	l->n--;
	r->n_kept--;
	memmove(&l->list[i], &l->list[i + 1], (l->n - i) * sizeof *l->list);
}

/* Compares the message with the list, from the last candidate on. */
static void compare_list(struct race_state *s, struct race_rank *r,
			 struct race_list *l, const struct race_received *m)
{
	uint32_t known = vector_time_get(m->sent, (size_t)r->column);

	for (size_t i = l->n; i-- > 0;) {
		struct race_candidate *c = &l->list[i];
		int is_before = m->posted_ns < c->call.start_ns;

		/* earlier ones are known, too; a choice that begins before a
		 * receive is posted, as earlier ones do, does not end it */
		if (c->number <= known || (l->pattern.is_choice && !is_before))
			break;
		if (l->pattern.is_choice == is_before && report_race(s, c, m))
			remove_candidate(r, l, i);
	}
}

void race_compare_message(struct race_state *s, int rank,
			  const struct race_received *m)
{
	struct race_rank *r = &s->rank[rank];

	for (size_t i = 0; r->column >= 0 && i < r->n_lists; i++)
		if (r->lists[i].n &&
		    may_take(&r->lists[i].pattern, m->comm, &m->m))
			compare_list(s, r, &r->lists[i], m);
}

void race_store_message(struct race_state *s, int rank,
			const struct race_received *m)
{
	struct race_rank *r = &s->rank[rank];
	struct race_received *at;

	if (r->column < 0)
		return;
	if (!r->recent)
		r->recent = tape_must(calloc(RECENT, sizeof *r->recent));
	at = &r->recent[r->n_received++ % RECENT];
	vector_time_drop(at->sent);
	*at = *m;
	vector_time_keep(at->sent);
}

/*
 * Was the message received while c was posted, by a receive that was posted
 * later? Such messages come in the order of MPI's matching, not of time.
 */
static int is_between(const struct race_received *m,
		      const struct race_candidate *c)
{
	return m->ended_ns > c->call.start_ns &&
	       m->posted_ns > c->call.start_ns;
}

/*
 * Messages that other receives took while c was posted: c may have taken each
 * that it matches, so it had its own message before. Returns 1 if c has a rival
 * among these.
 */
static int compare_recent(struct race_state *s, struct race_rank *r,
			  struct race_candidate *c)
{
	uint64_t n = r->n_received < RECENT ? r->n_received : RECENT;
	struct race_pattern any = c->pattern;

	any.but = -1;
	for (uint64_t i = 0; i < n; i++) {
		const struct race_received *m = &r->recent[i];

		if (is_between(m, c) && m->number < c->known &&
		    may_take(&any, m->comm, &m->m))
			c->known = m->number;
	}
	/* messages older than the oldest one in the ring may be rivals */
	s->limits.forgotten +=
	    !s->is_second && r->n_received > RECENT &&
	    is_between(&r->recent[r->n_received % RECENT], c);
	for (uint64_t i = 0; i < n; i++) {
		const struct race_received *m = &r->recent[i];

		if (is_between(m, c) && may_take(&c->pattern, m->comm, &m->m) &&
		    report_race(s, c, m))
			return 1;
	}
	return 0;
}

static struct race_list *find_list(struct race_rank *r,
				   const struct race_pattern *p)
{
	size_t i = 0;

	while (i < r->n_lists && !is_same_pattern(&r->lists[i].pattern, p))
		i++;
	if (i < r->n_lists)
		return &r->lists[i];
	for (i = 0; i < r->n_lists && r->lists[i].n; i++)
		;
	if (i == r->n_lists) {
		r->lists = tape_must(
		    tape_grow_list(r->lists, r->n_lists, sizeof *r->lists));
		r->lists[r->n_lists++] = (struct race_list){.n = 0};
	}
	r->lists[i].pattern = *p;
	return &r->lists[i];
}

/* Forgets the older half of the list: no later message is compared with it. */
static void forget_oldest(struct race_state *s, struct race_rank *r,
			  struct race_list *l)
{
	size_t n = l->n - l->n / 2;

	for (size_t i = 0; i < n; i++)
		vector_time_drop(l->list[i].before);
	l->n -= n;
	r->n_kept -= n;
	memmove(l->list, l->list + n, l->n * sizeof *l->list);
	if (!s->is_second)
		s->limits.forgotten += n;
}

void race_add_candidate(struct race_state *s, int rank,
			struct race_candidate *c)
{
	struct race_rank *r = &s->rank[rank];
	struct race_list *l;
	size_t at;

	if (!s->is_second)
		s->v->count(s->v->own, rank, c->call.site);
	if (r->column < 0 ||
	    (s->is_second &&
	     !vector_time_is_below(c->before, s->first, s->n_columns)) ||
	    (!c->pattern.is_choice && r->recent && compare_recent(s, r, c))) {
		vector_time_drop(c->before);
		return;
	}
	l = find_list(r, &c->pattern);
	if (r->n_kept >= s->kept_most && l->n > 1)
		forget_oldest(s, r, l);
	l->list = tape_must(
	    tape_grow_array(l->list, &l->room, l->n + 1, sizeof *l->list));
	/* one that is reported late has ended before others */
	for (at = l->n++; at > 0 && l->list[at - 1].number > c->number; at--)
		l->list[at] = l->list[at - 1];
	l->list[at] = *c;
	r->n_kept++;
}

void race_free_candidates(struct race_rank *r)
{
	for (size_t i = 0; i < r->n_lists; i++) {
		for (size_t k = 0; k < r->lists[i].n; k++)
			vector_time_drop(r->lists[i].list[k].before);
		free(r->lists[i].list);
	}
	for (size_t i = 0; r->recent && i < RECENT; i++)
		vector_time_drop(r->recent[i].sent);
	free(r->lists);
	free(r->recent);
}
