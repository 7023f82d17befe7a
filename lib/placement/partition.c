/* See partition.h. */
#include <stdio.h>
#include <scotch.h>
#include <stdlib.h>
#include <string.h>

#include "partition.h"
#include "tool.h"

/* SCOTCH adds up weights in 31 bits. */
#define WEIGHTS_MOST 5e8

/*
 * Each division is made DIVISIONS times, with different seeds, and the best is
 * used; less often if that would be more than EDGES_MOST edges.
 */
#define DIVISIONS 8
#define EDGES_MOST 2000000

/* Relative error of part sizes from SCOTCH, before they are corrected. */
#define IMBALANCE 0.01

struct division {
	const struct place_slots *s;
	const struct place_pairs *p;
	const struct place_cost *c;
	const unsigned char *used;
	uint32_t *use;	  /* used slots of each node */
	uint32_t *number; /* by rank: number in the graph, or PLACE_NONE */
	uint32_t *slot_of;
};

/* Parts of a node: child nodes, then slots by themselves. */
struct parts {
	SCOTCH_Num n;
	SCOTCH_Num *size;
	uint32_t *node, *slot; /* PLACE_NONE: the part is of the other kind */
};

/* The graph of n ranks, and the part of each. */
struct graph {
	SCOTCH_Num n;
	SCOTCH_Num *first, *to, *weight, *part;
	double *exact;
};

/* ---- parts ---- */

static void append_part(struct parts *x, uint32_t node, uint32_t slot,
			uint32_t size)
{
	if (!size)
		return;
	x->node[x->n] = node;
	x->slot[x->n] = slot;
	x->size[x->n++] = (SCOTCH_Num)size;
}

static void find_parts(const struct division *d, uint32_t node, struct parts *x)
{
	const struct place_node *all = d->s->node;
	uint32_t from = all[node].from, n = d->use[node] + 1;

	memset(x, 0, sizeof *x);
	x->size = tape_must(calloc(n, sizeof *x->size));
	x->node = tape_must(calloc(n, sizeof *x->node));
	x->slot = tape_must(calloc(n, sizeof *x->slot));
	/* children are in the order of their slots */
	for (uint32_t k = all[node].first;; k = all[k].next) {
		uint32_t to = k == PLACE_NONE ? all[node].to : all[k].from;

		for (uint32_t i = from; i < to; i++)
			append_part(x, PLACE_NONE, d->s->sorted[i],
				    d->used[d->s->sorted[i]]);
		if (k == PLACE_NONE)
			return;
		append_part(x, k, PLACE_NONE, d->use[k]);
		from = all[k].to;
	}
}

static void free_parts(struct parts *x)
{
	free(x->size);
	free(x->node);
	free(x->slot);
}

/* ---- the graph ---- */

static void make_graph(const struct division *d, const uint32_t *ranks,
		       uint32_t n, uint32_t level, struct graph *g)
{
	double sum = 0, scale;
	size_t edges = 0;

	for (uint32_t i = 0; i < n; i++) {
		d->number[ranks[i]] = i;
		edges += d->p->first[ranks[i] + 1] - d->p->first[ranks[i]];
	}
	g->n = (SCOTCH_Num)n;
	g->first = tape_must(calloc(n + 1, sizeof *g->first));
	g->to = tape_must(calloc(edges + 1, sizeof *g->to));
	g->weight = tape_must(calloc(edges + 1, sizeof *g->weight));
	g->part = tape_must(calloc(n + 1, sizeof *g->part));
	g->exact = tape_must(calloc(edges + 1, sizeof *g->exact));
	edges = 0;
	for (uint32_t i = 0; i < n; i++) {
		size_t end = d->p->first[ranks[i] + 1];

		g->first[i] = (SCOTCH_Num)edges;
		for (size_t k = d->p->first[ranks[i]]; k < end; k++) {
			const struct place_partner *q = &d->p->partner[k];

			if (d->number[q->rank] == PLACE_NONE)
				continue;
			g->to[edges] = (SCOTCH_Num)d->number[q->rank];
			g->exact[edges] = q->messages * d->c->message[level] +
					  q->bytes * d->c->byte[level];
			sum += g->exact[edges++];
		}
	}
	g->first[n] = (SCOTCH_Num)edges;
	scale = sum > 0 ? WEIGHTS_MOST / sum : 1;
	for (size_t k = 0; k < edges; k++)
		g->weight[k] = 1 + (SCOTCH_Num)(g->exact[k] * scale);
	for (uint32_t i = 0; i < n; i++)
		d->number[ranks[i]] = PLACE_NONE;
}

static void free_graph(struct graph *g)
{
	free(g->first);
	free(g->to);
	free(g->weight);
	free(g->part);
	free(g->exact);
}

static void check_scotch(int rc)
{
	if (rc)
		tape_die(TAPE_FAILED, "SCOTCH could not divide the ranks");
}

static void run_scotch(struct graph *g, const struct parts *x, int seed)
{
	SCOTCH_Graph graph;
	SCOTCH_Strat strategy;
	SCOTCH_Arch parts;

	/* threads of SCOTCH would make results vary */
	setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
	SCOTCH_randomSeed(seed);
	SCOTCH_randomReset();
	check_scotch(SCOTCH_graphInit(&graph) || SCOTCH_stratInit(&strategy) ||
		     SCOTCH_archInit(&parts));
	check_scotch(SCOTCH_graphBuild(&graph, 0, g->n, g->first, g->first + 1,
				       NULL, NULL, g->first[g->n], g->to,
				       g->weight));
	check_scotch(SCOTCH_archCmpltw(&parts, x->n, x->size));
	check_scotch(SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY,
					       x->n, IMBALANCE));
	check_scotch(SCOTCH_graphMap(&graph, &parts, &strategy, g->part));
	SCOTCH_archExit(&parts);
	SCOTCH_stratExit(&strategy);
	SCOTCH_graphExit(&graph);
}

/* ---- exact sizes ---- */

/* Sums the edge weights from vertex v to each part. Sets all of conn. */
static void sum_connections(const struct graph *g, SCOTCH_Num v, double *conn,
			    SCOTCH_Num parts)
{
	memset(conn, 0, (size_t)parts * sizeof *conn);
	for (SCOTCH_Num k = g->first[v]; k < g->first[v + 1]; k++)
		conn[g->part[g->to[k]]] += g->exact[k];
}

/*
 * Moves the vertex with the least cost from a part that is too large to one
 * that is too small.
 */
static void move_one(struct graph *g, const struct parts *x, SCOTCH_Num *room,
		     double *conn)
{
	SCOTCH_Num best = -1, where = -1;
	double least = 0;

	for (SCOTCH_Num v = 0; v < g->n; v++) {
		SCOTCH_Num at = g->part[v];

		if (room[at] >= 0)
			continue;
		sum_connections(g, v, conn, x->n);
		for (SCOTCH_Num q = 0; q < x->n; q++)
			if (room[q] > 0 &&
			    (best < 0 || conn[at] - conn[q] < least)) {
				least = conn[at] - conn[q];
				best = v;
				where = q;
			}
	}
	room[g->part[best]]++;
	room[where]--;
	g->part[best] = where;
}

static void make_exact(struct graph *g, const struct parts *x)
{
	SCOTCH_Num *room = tape_must(calloc((size_t)x->n, sizeof *room));
	double *conn = tape_must(calloc((size_t)x->n, sizeof *conn));
	SCOTCH_Num over = 0;

	for (SCOTCH_Num q = 0; q < x->n; q++)
		room[q] = x->size[q];
	for (SCOTCH_Num v = 0; v < g->n; v++)
		room[g->part[v]]--;
	for (SCOTCH_Num q = 0; q < x->n; q++)
		over += room[q] < 0 ? -room[q] : 0;
	while (over--)
		move_one(g, x, room, conn);
	free(room);
	free(conn);
}

/* The weight of the edges between parts. */
static double cut_weight(const struct graph *g)
{
	double sum = 0;

	for (SCOTCH_Num v = 0; v < g->n; v++)
		for (SCOTCH_Num k = g->first[v]; k < g->first[v + 1]; k++)
			if (g->part[v] != g->part[g->to[k]])
				sum += g->exact[k];
	return sum;
}

static void best_parts(struct graph *g, const struct parts *x, int seed)
{
	size_t bytes = (size_t)g->n * sizeof *g->part;
	SCOTCH_Num *best = tape_must(malloc(bytes + 1));
	double least = 0, one;

	for (int i = 0; i < DIVISIONS; i++) {
		if (i && (double)g->first[g->n] * (i + 1) > EDGES_MOST)
			break;
		run_scotch(g, x, seed * DIVISIONS + i);
		make_exact(g, x);
		one = cut_weight(g);
		if (!i || one < least) {
			memcpy(best, g->part, bytes);
			least = one;
		}
	}
	memcpy(g->part, best, bytes);
	free(best);
}

/* ---- from the root down ---- */

static void divide_node(struct division *d, uint32_t node, uint32_t *ranks,
			uint32_t n, int seed);

/* Divides the ranks of each part further. */
static void hand_out(struct division *d, const struct parts *x,
		     const struct graph *g, const uint32_t *ranks, int seed)
{
	uint32_t *mine = tape_must(malloc(((size_t)g->n + 1) * sizeof *mine));
	uint32_t *first = tape_must(calloc((size_t)x->n + 2, sizeof *first));

	for (SCOTCH_Num v = 0; v < g->n; v++)
		first[g->part[v] + 2]++;
	for (SCOTCH_Num q = 0; q < x->n; q++)
		first[q + 2] += first[q + 1];
	for (SCOTCH_Num v = 0; v < g->n; v++)
		mine[first[g->part[v] + 1]++] = ranks[v];
	for (SCOTCH_Num q = 0; q < x->n; q++)
		if (x->slot[q] != PLACE_NONE)
			d->slot_of[mine[first[q]]] = x->slot[q];
		else
			divide_node(d, x->node[q], mine + first[q],
				    first[q + 1] - first[q], seed);
	free(first);
	free(mine);
}

static void divide_node(struct division *d, uint32_t node, uint32_t *ranks,
			uint32_t n, int seed)
{
	struct parts x;
	struct graph g;
	int slots_only = 1;

	find_parts(d, node, &x);
	for (SCOTCH_Num q = 0; q < x.n; q++)
		slots_only &= x.slot[q] != PLACE_NONE;
	if (x.n == 1 && !slots_only) {
		divide_node(d, x.node[0], ranks, n, seed);
	} else if (slots_only) {
		/* all parts are single slots */
		for (uint32_t i = 0; i < n; i++)
			d->slot_of[ranks[i]] = x.slot[i];
	} else {
		make_graph(d, ranks, n, d->s->node[node].level, &g);
		best_parts(&g, &x, seed);
		hand_out(d, &x, &g, ranks, seed);
		free_graph(&g);
	}
	free_parts(&x);
}

void place_divide_ranks(const struct place_slots *s,
			const struct place_pairs *p, const struct place_cost *c,
			const unsigned char *used, int seed, uint32_t *slot_of)
{
	struct division d = {s, p, c, used, NULL, NULL, slot_of};
	uint32_t *ranks = tape_must(malloc((p->ranks + 1) * sizeof *ranks));

	d.use = tape_must(calloc(s->n_nodes + 1, sizeof *d.use));
	d.number = tape_must(malloc((p->ranks + 1) * sizeof *d.number));
	for (size_t i = 0; i < s->n_nodes; i++)
		for (uint32_t k = s->node[i].from; k < s->node[i].to; k++)
			d.use[i] += used[s->sorted[k]];
	for (uint32_t i = 0; i < p->ranks; i++) {
		ranks[i] = i;
		d.number[i] = PLACE_NONE;
	}
	if (p->ranks)
		divide_node(&d, 0, ranks, (uint32_t)p->ranks, seed);
	free(ranks);
	free(d.use);
	free(d.number);
}
