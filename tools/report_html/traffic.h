/*
 * Who sends to whom: the matrix, and the graph that its messages make (Besnard
 * and others 2013, figure 17).
 */
#ifndef REPORT_TRAFFIC_H
#define REPORT_TRAFFIC_H

#include "stat.h"

/* Ranks (blocks of them where there are more than that) and pairs of them. */
enum { TRAFFIC_NODES = 4096 };

struct traffic {
	int nodes, per_node;
	struct stats_pair *pair; /* from, to: nodes; the most bytes first */
	size_t pairs;
	double messages, bytes, late_ns;
	double *waiting; /* share of its time that a node waits */
};

struct traffic *traffic_new(const struct stats *s);
void traffic_free(struct traffic *t);

void traffic_put_matrix(const struct traffic *t, FILE *f);

/* graphs: Graphviz may be asked where nodes are to stand. */
void traffic_put_graph(const struct traffic *t, int graphs, FILE *f);

/* ,"pairs":{...} as a member of a JSON object. */
void traffic_put_json(const struct traffic *t, FILE *f);

/*
 * Places of n nodes, each between 0 and 1 in x and y, by Graphviz, from pairs
 * of nodes: 0, or a sentence's reason why there are none.
 */
struct traffic_edge {
	int a, b;
	double bytes, messages;
};
const char *traffic_layout_nodes(const struct traffic_edge *e, size_t edges,
				 int n, double *x, double *y);

#endif
