/* Classes of pairs of ranks; see distances.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "distances.h"
#include "position.h"
#include "sort.h"
#include "tool.h"

/* ---- numbers of pieces ---- */

/* The piece of a rank: of a host, the first bytes of its position; or none. */
struct piece {
	int host, rank;
	const char *name; /* NULL: a piece of its own */
	size_t bytes;
};

static int compare_piece_names(const struct piece *p, const struct piece *q)
{
	size_t bytes = p->bytes < q->bytes ? p->bytes : q->bytes;
	int order;

	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	if (!p->name || !q->name)
		return (p->name != NULL) - (q->name != NULL);
	order = memcmp(p->name, q->name, bytes);
	return order ? order : (p->bytes > q->bytes) - (p->bytes < q->bytes);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *p = a, *q = b;
	int order = compare_piece_names(p, q);

	return order ? order : (p->rank > q->rank) - (p->rank < q->rank);
}

/*
 * Numbers pieces by the first rank that has each: into *to of each rank, and
 * on at a distance of stride. Returns how many pairs share one.
 */
static uint64_t number_shared_pieces(struct piece *piece, size_t n, int *to,
				     size_t stride)
{
	uint64_t pairs = 0;
	size_t first = 0;

	tape_sort(piece, n, sizeof *piece, compare_pieces);
	for (size_t i = 0; i < n; i++) {
		if (!piece[i].name ||
		    compare_piece_names(&piece[first], &piece[i]))
			first = i;
		pairs += i - first;
		to[(size_t)piece[i].rank * stride] = piece[first].rank;
	}
	return pairs;
}

/* ---- steps of positions ---- */

/* Bytes up to the step that a message's time depends on; 0: it has none. */
typedef size_t find(const char *position);

static size_t package_of(const char *position)
{
	return tape_position_find(position, "Package");
}

static size_t l3_of(const char *position)
{
	return tape_position_find(position, "L3");
}

static size_t l2_of(const char *position)
{
	return tape_position_find(position, "L2");
}

static size_t core_of(const char *position)
{
	return tape_position_find(position, "Core");
}

/* Of the switch of a host: what is between the cluster and the machine. */
static size_t leaf_of(const char *position)
{
	const char *end =
	    position + tape_position_find(position, TAPE_LEVEL_MACHINE);

	while (end > position && *--end != '/')
		;
	return memchr(position, '/', (size_t)(end - position))
		   ? (size_t)(end - position)
		   : 0;
}

/* The pieces of all ranks; within hosts where host is not NULL. */
static struct piece *list_pieces(size_t n, const int *host,
				 const char *const *position, find *of)
{
	struct piece *p = calloc(n + 1, sizeof *p);

	for (size_t r = 0; p && r < n; r++) {
		size_t bytes = position[r] ? of(position[r]) : 0;

		p[r] = (struct piece){.host = host ? host[r] : 0,
				      .rank = (int)r,
				      .name = bytes ? position[r] : NULL,
				      .bytes = bytes};
	}
	return p;
}

/* -1: out of memory. */
static int number_steps(size_t n, const int *host, const char *const *position,
			find *of, int *to, uint64_t *pairs)
{
	struct piece *p = list_pieces(n, host, position, of);

	if (!p)
		return -1;
	*pairs = number_shared_pieces(
	    p, n, to, sizeof(struct tape_clusters) / sizeof *to);
	free(p);
	return 0;
}

static int number_hosts(struct tape_distances *x, size_t n,
			const char *const *host, uint64_t *pairs)
{
	struct piece *p = calloc(n + 1, sizeof *p);

	if (!p)
		return -1;
	for (size_t r = 0; r < n; r++)
		p[r] = (struct piece){.rank = (int)r,
				      .name = host[r],
				      .bytes = host[r] ? strlen(host[r]) : 0};
	*pairs = number_shared_pieces(p, n, x->host, 1);
	free(p);
	return 0;
}

/*
 * Caches: L3. Where no rank has any L2, if two ranks on different cores share
 * one. Those of a core alone tell nothing of messages.
 */
static int number_caches(struct tape_distances *x, size_t n,
			 const char *const *position, uint64_t *pairs)
{
	struct tape_clusters *core;
	uint64_t same_core;
	int any = 0, rc;

	for (size_t r = 0; r < n; r++)
		any |= position[r] && l3_of(position[r]);
	if (number_steps(n, x->host, position, any ? l3_of : l2_of,
			 &x->near->cache, pairs))
		return -1;
	if (any || !*pairs)
		return 0;
	core = malloc((n + 1) * sizeof *core);
	rc = core ? number_steps(n, x->host, position, core_of, &core->cache,
				 &same_core)
		  : -1;
	any = 0;
	for (size_t r = 0; !rc && r < n; r++) {
		size_t with = (size_t)x->near[r].cache;

		any |= core_of(position[r]) && core_of(position[with]) &&
		       core[r].cache != core[with].cache;
	}
	for (size_t r = 0; !any && r < n; r++)
		x->near[r].cache = (int)r;
	*pairs = any ? *pairs : 0;
	free(core);
	return rc;
}

/* ---- classes ---- */

/*
 * Which classes occur, by how many pairs share what. Whoever shares a cache is
 * taken to share its package, and so on: a cache counts first.
 */
static void find_classes(struct tape_distances *x, size_t n, uint64_t hosts,
			 uint64_t packages, uint64_t caches, uint64_t leaves)
{
	uint64_t all = (uint64_t)n * (n - (n > 0)) / 2;
	uint64_t of[TAPE_DISTANCES] = {0};

	of[TAPE_CACHE] = caches;
	of[TAPE_PACKAGE] = packages > caches ? packages - caches : 0;
	if (hosts > of[TAPE_CACHE] + of[TAPE_PACKAGE])
		of[TAPE_SHM] = hosts - of[TAPE_CACHE] - of[TAPE_PACKAGE];
	of[TAPE_SWITCH] = leaves;
	of[TAPE_NET] = all - hosts - leaves;
	for (int d = 0; d < TAPE_DISTANCES; d++)
		x->real[d] = (enum tape_distance)d;
	if (of[TAPE_CACHE] == hosts)
		x->real[TAPE_SHM] = hosts ? TAPE_CACHE : TAPE_SHM;
	else if (of[TAPE_PACKAGE] == hosts)
		x->real[TAPE_SHM] = TAPE_PACKAGE;
	else
		x->inside = of[TAPE_SHM] != hosts;
	if (leaves && !of[TAPE_NET])
		x->real[TAPE_NET] = TAPE_SWITCH;
	else
		x->outside = leaves > 0;
	x->has[TAPE_SELF] = 1;
	x->has[TAPE_CACHE] = x->inside && of[TAPE_CACHE];
	x->has[TAPE_PACKAGE] = x->inside && of[TAPE_PACKAGE];
	x->has[TAPE_SHM] = x->inside ? of[TAPE_SHM] > 0 : hosts > 0;
	x->has[TAPE_SWITCH] = x->outside;
	x->has[TAPE_NET] = all > hosts && (!x->outside || of[TAPE_NET]);
}

int tape_distances_of(struct tape_distances *x, size_t n,
		      const char *const *host, const char *const *position)
{
	uint64_t hosts, packages, caches, leaves, within;

	*x = (struct tape_distances){.host = malloc((n + 1) * sizeof *x->host),
				     .near = calloc(n + 1, sizeof *x->near)};
	if (!x->host || !x->near || number_hosts(x, n, host, &hosts) ||
	    number_steps(n, x->host, position, package_of, &x->near->package,
			 &packages) ||
	    number_caches(x, n, position, &caches) ||
	    number_steps(n, x->host, position, leaf_of, &x->near->leaf,
			 &within) ||
	    number_steps(n, NULL, position, leaf_of, &x->near->leaf, &leaves))
		return -1;
	find_classes(x, n, hosts, packages, caches, leaves - within);
	return 0;
}

void tape_distances_trace(struct tape_distances *x, const struct tape_trace *t)
{
	size_t n = tape_trace_ranks(t);
	const char **text = tape_must(calloc(2 * n + 1, sizeof *text));

	for (size_t r = 0; r < n; r++) {
		text[r] = tape_trace_rank(t, (int)r)->host;
		text[n + r] = tape_trace_rank(t, (int)r)->position;
	}
	if (tape_distances_of(x, n, text, text + n))
		tape_die_no_memory();
	free(text);
}

void tape_distances_free(struct tape_distances *x)
{
	free(x->host);
	free(x->near);
}
