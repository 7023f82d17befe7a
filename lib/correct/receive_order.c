/* Calls that depend on when messages arrive; see receive_order.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "receive_order.h"
#include "tape_reader.h"

/* Calls that are known of a rank, and of all together about. */
enum { KNOWN_LEAST = 16, KNOWN_MOST = 1024, KNOWN_OF_ALL = 1 << 18 };

enum verdict { DECIDED, OPEN, TURNED };

struct known {
	struct received_message m;
	/* it asked for messages and did not find all: key.src is their source,
	 * or TAPE_ANY_SOURCE, m.sent_ns its end */
	int is_question;
	struct message_question asked;
	enum verdict verdict; /* the worst so far */
	/* when the messages of this one and all before it had arrived without
	 * tracing, at the latest; of receives from any source, and questions */
	double latest_ns;
};

/* The last calls of a rank, in a ring. */
struct rank_order {
	struct known *known;
	uint64_t n; /* of all so far; the last ones are known */
	double forgotten_ns; /* latest_ns of the earlier ones, not kept */
};

struct receive_order {
	size_t ranks, most;
	struct rank_order rank[];
};

struct receive_order *receive_order_new(size_t ranks)
{
	struct receive_order *o =
	    calloc(1, sizeof *o + ranks * sizeof o->rank[0]);

	if (!o)
		return NULL;
	o->ranks = ranks;
	o->most = KNOWN_OF_ALL / (ranks + 1);
	o->most = o->most < KNOWN_LEAST	 ? KNOWN_LEAST
		  : o->most > KNOWN_MOST ? KNOWN_MOST
					 : o->most;
	return o;
}

void receive_order_free(struct receive_order *o)
{
	for (size_t i = 0; o && i < o->ranks; i++)
		free(o->rank[i].known);
	free(o);
}

int receive_order_watch(struct receive_order *o, int rank)
{
	struct rank_order *r = &o->rank[rank];

	if (r->known)
		return 0;
	r->known = malloc(o->most * sizeof *r->known);
	r->forgotten_ns = -INFINITY;
	return r->known ? 0 : TAPE_ENOMEM;
}

/* Might the question have found the message? */
static int may_find(const struct received_message *q,
		    const struct received_message *m)
{
	if (!q->comm)
		return m->posted_ns < q->posted_ns;
	return q->comm == m->comm &&
	       (q->key.src == TAPE_ANY_SOURCE || q->key.src == m->key.src) &&
	       (q->tag == TAPE_ANY_TAG || q->tag == m->key.tag);
}

/* Might the receive of a have taken the message of b, which came after it? */
static int may_take(const struct received_message *a,
		    const struct received_message *b)
{
	return a->any_source && a->key.comm == b->key.comm &&
	       a->key.way == b->key.way && a->key.src != b->key.src &&
	       (a->tag == TAPE_ANY_TAG || a->tag == b->key.tag);
}

/* The receive of a took its message, not that of b. */
static enum verdict judge_order(const struct received_message *a,
				const struct received_message *b,
				double slack_ns)
{
	double sent = (double)(b->sent_ns - a->sent_ns);
	double gap_least = fmax(sent + b->least_ns - a->most_ns - slack_ns, 0);
	double gap_most = sent + b->most_ns - a->least_ns + slack_ns;

	if (b->p_hi <= a->p_lo || gap_least > b->p_hi - a->p_lo)
		return DECIDED;
	return gap_most >= 0 && b->p_lo - a->p_hi > gap_most ? TURNED : OPEN;
}

/* The first ones are kept, whatever the order in which they come; or NULL. */
static struct order_site *find_site(struct order_counts *c, int rank,
				    uint32_t site)
{
	struct order_site *q = c->site, *end = c->site + c->sites;

	while (q < end &&
	       (q->rank < rank || (q->rank == rank && q->site < site)))
		q++;
	if (q < end && q->rank == rank && q->site == site)
		return q;
	if (q == c->site + ORDER_SITES)
		return NULL;
	c->sites += c->sites < ORDER_SITES;
	memmove(q + 1, q, (size_t)(c->site + c->sites - 1 - q) * sizeof *q);
	*q = (struct order_site){.rank = rank, .site = site};
	return q;
}

/* The receive of k is that, too. */
static void raise_verdict(struct known *k, enum verdict v, int rank,
			  struct order_counts *c)
{
	struct order_site *q;

	if (v <= k->verdict)
		return;
	q = find_site(c, rank, k->m.site);
	if (k->verdict == OPEN) {
		c->open--;
		if (q)
			q->open--;
	}
	k->verdict = v;
	*(v == OPEN ? &c->open : &c->turned) += 1;
	if (q)
		*(v == OPEN ? &q->open : &q->turned) += 1;
}

/* When its message had arrived without tracing, at the latest. */
static double latest_arrival(const struct known *k)
{
	return k->m.any_source || k->is_question
		   ? (double)k->m.end_ns - k->m.p_lo
		   : -INFINITY;
}

static double earliest_arrival(const struct received_message *m)
{
	return (double)m->sent_ns + m->least_ns - m->p_hi;
}

int receive_order_was_there(const struct received_message *m,
			    const struct message_question *q, double slack_ns)
{
	double before =
	    (double)(q->start_ns - m->sent_ns) - m->most_ns - slack_ns;

	return before >= 0 && before >= q->p_hi - m->p_lo;
}

/* The question did not get the message. */
static enum verdict judge_question(const struct known *k,
				   const struct received_message *m,
				   double slack_ns)
{
	const struct message_question *q = &k->asked;

	if (!q->takes_one)
		return judge_order(&k->m, m, slack_ns);
	if (earliest_arrival(m) - slack_ns > (double)q->end_ns - q->p_lo ||
	    (q->was_there && receive_order_was_there(m, q, slack_ns)))
		return DECIDED;
	return OPEN;
}

/*
 * Compares m, which x is to know, with the receive of k. Returns 0 if neither
 * it nor any before can have been taken for m, or m for them.
 */
static int compare_known(struct known *k, struct known *x, double slack_ns,
			 int rank, struct order_counts *c)
{
	const struct received_message *m = &x->m;

	if (earliest_arrival(m) - slack_ns >= k->latest_ns &&
	    k->m.end_ns <= m->posted_ns)
		return 0;
	if (k->is_question) {
		if (may_find(&k->m, m))
			raise_verdict(k, judge_question(k, m, slack_ns), rank,
				      c);
	} else if (k->m.posted_ns <= m->posted_ns) {
		if (may_take(&k->m, m))
			raise_verdict(k, judge_order(&k->m, m, slack_ns), rank,
				      c);
	} else if (may_take(m, &k->m)) {
		raise_verdict(x, judge_order(m, &k->m, slack_ns), rank, c);
	}
	return 1;
}

/* It is the rank's last one. */
static void store_known(struct receive_order *o, int rank, struct known *x)
{
	struct rank_order *r = &o->rank[rank];
	struct known *at = &r->known[r->n % o->most];

	x->latest_ns = latest_arrival(x);
	if (r->n)
		x->latest_ns = fmax(x->latest_ns,
				    r->known[(r->n - 1) % o->most].latest_ns);
	if (r->n >= o->most)
		r->forgotten_ns = fmax(r->forgotten_ns, at->latest_ns);
	*at = *x;
	r->n++;
}

void receive_order_add(struct receive_order *o, int rank,
		       const struct received_message *m,
		       const struct message_question *asked, double slack_ns,
		       struct order_counts *c)
{
	struct rank_order *r = &o->rank[rank];
	uint64_t oldest = r->n > o->most ? r->n - o->most : 0, i = r->n;
	struct known x = {.m = *m};

	c->calls += m->any_source || asked;
	if (asked) {
		struct received_message q = {
		    .sent_ns = asked->start_ns,
		    .most_ns = (double)(asked->end_ns - asked->start_ns),
		    .p_lo = asked->p_lo,
		    .p_hi = asked->p_hi,
		};

		raise_verdict(&x, judge_order(m, &q, slack_ns), rank, c);
	}
	if (!r->known)
		return;
	/* m->known calls had ended before m was sent */
	oldest = oldest > m->known ? oldest : m->known;
	while (i > oldest && compare_known(&r->known[(i - 1) % o->most], &x,
					   slack_ns, rank, c))
		i--;
	if (i == oldest && i > m->known &&
	    earliest_arrival(m) - slack_ns < r->forgotten_ns)
		raise_verdict(&x, OPEN, rank, c);
	store_known(o, rank, &x);
}

int receive_order_ask(struct receive_order *o, int rank,
		      const struct message_question *q, struct order_counts *c)
{
	struct known x = {
	    .is_question = 1,
	    .asked = *q,
	    .m = {.key.src = q->source,
		  .tag = q->tag,
		  .comm = q->comm,
		  .site = q->site,
		  .posted_ns = q->start_ns,
		  .sent_ns = q->end_ns,
		  .end_ns = q->end_ns,
		  .least_ns = -(double)(q->end_ns - q->start_ns),
		  .p_lo = q->p_lo,
		  .p_hi = q->p_hi},
	};

	if (receive_order_watch(o, rank))
		return TAPE_ENOMEM;
	c->calls++;
	store_known(o, rank, &x);
	return 0;
}

uint64_t receive_order_count(const struct receive_order *o, int rank)
{
	return o->rank[rank].n;
}

void order_counts_add(struct order_counts *a, const struct order_counts *b)
{
	a->calls += b->calls;
	a->open += b->open;
	a->turned += b->turned;
	for (uint64_t i = 0; i < b->sites; i++) {
		struct order_site *q =
		    find_site(a, b->site[i].rank, b->site[i].site);

		if (q) {
			q->open += b->site[i].open;
			q->turned += b->site[i].turned;
		}
	}
}
