/* Messages that are sent and not received, and receives that wait. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "messages_left.h"
#include "place.h"
#include "sort.h"
#include "tool.h"

static void add_receive(struct where_states *s, size_t *room,
			const struct tape_message *m)
{
	struct where_receive *list = tape_grow_array(
	    s->receive, room, s->n_receives + 1, sizeof *list);

	s->receive = tape_must(list);
	list[s->n_receives++] = (struct where_receive){
	    .rank = m->posted.rank,
	    .from = m->peer == TAPE_ANY_SOURCE ? -1 : m->from,
	    .comm = m->comm,
	    .tag = m->tag,
	    .thread = m->posted.thread,
	    .event = m->posted.event,
	};
}

static void set_sends(struct where_states *s, const struct tape_unmatched *u)
{
	struct tape_unmatched_line *list;
	size_t n;

	list = tape_must(tape_unmatched_list(u, &n));
	s->send = tape_must(calloc(n + 1, sizeof *s->send));
	s->messages->send_room = n + 1;
	for (size_t i = 0; i < n; i++) {
		const struct tape_unmatched_line *l = &list[i];

		if (!l->is_send)
			continue;
		s->send[s->n_sends++] = (struct where_send){
		    .from = l->where.rank,
		    .to = tape_peer_rank(s->t, l->where.rank, l->where.comm,
					 l->peer),
		    .comm = where_comm_id(s, l->where.rank, l->where.comm),
		    .count = l->count,
		    .tag = l->tag,
		    .where = l->where,
		};
	}
	free(list);
}

static int compare_sends(const void *a, const void *b)
{
	const struct where_send *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static int compare_receives(const void *a, const void *b)
{
	const struct where_receive *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/*
 * A list of n records of size bytes is sorted by a rank, which the first record
 * has at *key: the index of the first record of that rank or a later one.
 */
static size_t find_first_of_rank(const int *key, size_t n, size_t size,
				 int rank)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (*(const int *)((const char *)key + mid * size) < rank)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t where_first_receive(const struct where_states *s, int rank)
{
	return s->n_receives ? find_first_of_rank(&s->receive->rank,
						  s->n_receives,
						  sizeof *s->receive, rank)
			     : 0;
}

size_t where_first_send(const struct where_states *s, int to)
{
	return s->n_sends ? find_first_of_rank(&s->send->to, s->n_sends,
					       sizeof *s->send, to)
			  : 0;
}

/* Returns 1 if the message of the request has no other side. */
static int is_unmatched(const struct where_states *s,
			const struct tape_request *q)
{
	if (q->is_recv) {
		for (size_t i = where_first_receive(s, q->begun.rank);
		     i < s->n_receives && s->receive[i].rank == q->begun.rank;
		     i++)
			if (s->receive[i].thread == q->begun.thread &&
			    s->receive[i].event == q->begun.event)
				return 1;
		return 0;
	}
	for (size_t i = 0; i < s->n_sends; i++)
		if (s->send[i].from == q->begun.rank &&
		    s->send[i].to == q->to &&
		    s->send[i].where.site == q->begun.site &&
		    s->send[i].tag == q->tag)
			return 1;
	return 0;
}

void where_copy_requests(struct where_states *s, const struct tape_replay *r)
{
	struct tape_request *copy = s->messages->request;

	for (size_t i = 0; i < s->n_flows; i++)
		for (uint32_t k = 0; k < s->flow[i].call.n_requests; k++) {
			const struct tape_request *q =
			    tape_replay_find_request(
				r, i, s->flow[i].call.requests[k]);

			if (q)
				copy[i * TAPE_CALL_REQUESTS_MAX + k] = *q;
		}
}

static void set_requests(struct where_states *s)
{
	for (size_t i = 0; i < s->n_flows; i++)
		for (uint32_t k = 0; k < s->flow[i].call.n_requests; k++) {
			const struct tape_request *q =
			    &s->messages->request[i * TAPE_CALL_REQUESTS_MAX +
						  k];

			s->flow[i].request[k] = (struct where_request){
			    .call = q->call,
			    .is_send = q->is_send,
			    .is_recv = q->is_recv,
			    .comm = q->comm,
			    .peer = q->peer,
			    .tag = q->tag,
			    .bytes = q->bytes,
			    .is_unmatched =
				q->call && (uint32_t)is_unmatched(s, q),
			};
		}
}

void where_messages_begin(struct where_states *s)
{
	struct where_messages *m = tape_must(calloc(1, sizeof *m));

	m->request = tape_must(
	    calloc(s->n_flows * TAPE_CALL_REQUESTS_MAX + 1,
		   sizeof *m->request));
	m->unmatched = tape_must(tape_unmatched_new());
	s->messages = m;
}

void where_messages_add(struct where_states *s, const struct tape_message *m)
{
	s->n_unsent += m->state == TAPE_UNSENT;
	if (m->state == TAPE_UNSENT)
		add_receive(s, &s->messages->room, m);
	else if (m->state == TAPE_UNRECEIVED &&
		 tape_unmatched_message(s->messages->unmatched, m))
		tape_die_no_memory();
}

void where_messages_end(struct where_states *s, struct tape_peers *p)
{
	set_sends(s, s->messages->unmatched);
	if (p)
		where_collect_states(s, p);
	tape_unmatched_free(s->messages->unmatched);
	tape_sort(s->send, s->n_sends, sizeof *s->send, compare_sends);
	tape_sort(s->receive, s->n_receives, sizeof *s->receive,
		  compare_receives);
	set_requests(s);
	free(s->messages->request);
	free(s->messages);
	s->messages = NULL;
}

void where_find_messages(struct where_states *s)
{
	unsigned long long events = 0;
	const struct tape_item *i;
	struct tape_replay *r;
	int copied = 0, rc;

	if (tape_replay_open(s->t, TAPE_REPLAY_BEGINS | TAPE_REPLAY_MESSAGES,
			     &r))
		tape_die_no_memory();
	where_messages_begin(s);
	while ((rc = tape_replay_next(r, &i)) == 1) {
		if (!i->event && !copied++)
			where_copy_requests(s, r);
		if (i->kind == TAPE_ITEM_BEGIN && !(++events & 0xfffff))
			tape_progress(events, 0);
		if (i->kind == TAPE_ITEM_MESSAGE)
			where_messages_add(s, i->message);
	}
	if (rc < 0)
		tape_die_no_memory();
	if (!copied)
		where_copy_requests(s, r);
	tape_progress(events, 1);
	tape_replay_close(r);
	where_messages_end(s, NULL);
}
