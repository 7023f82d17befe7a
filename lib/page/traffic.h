/*
 * Messages between ranks: the matrix, and the graph of the pairs (Besnard and
 * others 2013, figure 17).
 */
#ifndef REPORT_TRAFFIC_H
#define REPORT_TRAFFIC_H

#include "stat.h"

/* Limit of the nodes. A node is a rank or, with more ranks, a block of ranks.
 */
enum { TRAFFIC_NODES = 4096 };

struct traffic {
	int nodes, per_node;
	struct stats_pair *pair; /* from, to: nodes; most bytes first */
	size_t pairs;
	double messages, bytes, late_ns;
	double *waiting; /* by node: share of its time that it waits */
};

struct traffic *traffic_new(const struct stats *s);
void traffic_free(struct traffic *t);

void traffic_put_matrix(const struct traffic *t, FILE *f);

/* graphs: Graphviz may lay out the nodes. */
void traffic_put_graph(const struct traffic *t, int graphs, FILE *f);

/* Writes ,"pairs":{...} as a member of a JSON object. */
void traffic_put_json(const struct traffic *t, FILE *f);

/* Messages between nodes a and b, in both directions. */
struct traffic_edge {
	int a, b;
	double bytes, messages;
};

/*
 * Sets the positions x and y of n nodes, from 0 to 1, by running Graphviz.
 * Returns NULL, or the reason of its failure as a sentence for the page.
 */
const char *traffic_layout_nodes(const struct traffic_edge *e, size_t edges,
				 int n, double *x, double *y);

#endif
