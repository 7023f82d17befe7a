/*
 * Collectives with a root as in SimGrid 3.32 (src/smpi/colls); see coll.h and
 * coll_program.h. Many are those of Open MPI or MVAPICH with other kinds of
 * waits.
 */
#include <stdlib.h>

#include "coll_program.h"
#include "error.h"

/* The member of the communicator whose number from the root is v. */
static int real_member(const struct play *p, int v)
{
	return (v + p->c.root) % p->c.size;
}

static int is_upward(const struct play *p)
{
	return p->c.op == TAPE_COLL_GATHER || p->c.op == TAPE_COLL_REDUCE;
}

/* ---- the root and each other ---- */

void tape_coll_smpi_flat(struct play *p)
{
	int n = p->c.size, root = p->c.root, up = is_upward(p);

	for (int i = 0; i < n; i++) {
		/* reductions begin with the last */
		int v = p->c.op == TAPE_COLL_REDUCE ? n - 1 - i : i;

		if (v == root)
			continue;
		tape_coll_send(p, up ? v : root, up ? root : v, p->c.bytes);
		tape_coll_recv(p, up ? root : v, up ? v : root);
	}
}

/* All to the root, or from it, at once; heavy: by blocking sends. */
static void add_at_once(struct play *p, int up, int heavy)
{
	int n = p->c.size, root = p->c.root;
	size_t first = p->n;

	for (int v = 0; v < n; v++) {
		if (v == root)
			continue;
		if (!up)
			tape_coll_isend(p, root, v, p->c.bytes);
		else
			tape_coll_irecv(p, root, v);
	}
	tape_coll_wait_all(p, root, first);
	for (int v = 0; v < n && !p->rc; v++) {
		if (v == root)
			continue;
		if (!up)
			tape_coll_recv(p, v, root);
		else if (heavy)
			tape_coll_send(p, v, root, p->c.bytes);
		else
			tape_coll_wait(p, tape_coll_isend(p, v, root,
							  p->c.bytes));
	}
}

/* A non-blocking barrier: its root answers without waiting. */
static void add_later_barrier(struct play *p)
{
	for (int v = 0; v < p->c.size && !p->rc; v++) {
		size_t first = p->n;

		for (int u = v ? 0 : 1; u < (v ? 1 : p->c.size); u++) {
			if (v)
				tape_coll_isend(p, v, u, 0);
			tape_coll_irecv(p, v, u);
			if (!v)
				tape_coll_isend(p, v, u, 0);
		}
		tape_coll_wait_all(p, v, first);
	}
}

void tape_coll_smpi_at_once(struct play *p)
{
	int heavy = p->variant;

	if (p->c.op != TAPE_COLL_BARRIER) {
		add_at_once(p, is_upward(p), heavy);
	} else if (p->c.later) {
		add_later_barrier(p);
	} else {
		p->c.root = 0;
		add_at_once(p, 1, 1);
		add_at_once(p, 0, 1);
	}
}

/* The root asks each member for its block, which comes in two messages. */
void tape_coll_smpi_synchronous(struct play *p)
{
	int n = p->c.size, root = p->c.root;
	uint64_t bytes = p->c.bytes, part = bytes > 92160 ? 32768 : 1024;
	size_t first = p->n;

	if (part > bytes)
		part = bytes;
	for (int v = 0; v < n && !p->rc; v++) {
		size_t request;

		if (v == root)
			continue;
		request = tape_coll_irecv(p, root, v);
		tape_coll_send(p, root, v, 0);
		tape_coll_irecv(p, root, v);
		tape_coll_wait(p, request);
	}
	tape_coll_wait_all(p, root, first);
	for (int v = 0; v < n && !p->rc; v++) {
		if (v == root)
			continue;
		tape_coll_recv(p, v, root);
		tape_coll_send(p, v, root, part);
		tape_coll_send(p, v, root, bytes - part);
	}
}

/* ---- binomial trees ---- */

/* The blocks of v and of the members below it, in bytes. */
static uint64_t subtree_bytes(const struct play *p, int v)
{
	int low = v & -v, rest = p->c.size - v;

	return p->c.bytes * (uint64_t)(low < rest ? low : rest);
}

/* The least power of two that is no less than n. */
static int power_above(int n)
{
	int power = tape_coll_power(n);

	return power < n ? 2 * power : power;
}

/* Sends to the children of v, the nearest first or last. */
static void send_to_children(struct play *p, int v, int nearest, int sized)
{
	int n = p->c.size, end = v ? v & -v : power_above(n);

	for (int i = 1; i < end && !p->rc; i *= 2) {
		int d = nearest ? i : end / 2 / i;

		if (v + d < n)
			tape_coll_send(
			    p, real_member(p, v), real_member(p, v + d),
			    sized ? subtree_bytes(p, v + d) : p->c.bytes);
	}
}

static void recv_from_children(struct play *p, int v, int sized)
{
	int n = p->c.size, end = v ? v & -v : power_above(n);

	for (int d = 1; d < end && v + d < n && !p->rc; d *= 2)
		tape_coll_recv(p, real_member(p, v), real_member(p, v + d));
	if (v)
		tape_coll_send(p, real_member(p, v),
			       real_member(p, v & (v - 1)),
			       sized ? subtree_bytes(p, v) : p->c.bytes);
}

void tape_coll_smpi_binomial(struct play *p)
{
	enum tape_coll_op op = p->c.op;
	int sized = op == TAPE_COLL_SCATTER || op == TAPE_COLL_GATHER;

	for (int v = 0; v < p->c.size; v++) {
		if (op == TAPE_COLL_GATHER || op == TAPE_COLL_BARRIER)
			recv_from_children(p, v, sized);
		if (op == TAPE_COLL_GATHER)
			continue;
		if (v)
			tape_coll_recv(p, real_member(p, v),
				       real_member(p, v & (v - 1)));
		send_to_children(p, v, op == TAPE_COLL_SCATTER, sized);
	}
}

/* ---- broadcasts ---- */

/* Each of n members exchanges with each other one, one after the other. */
static void exchange_all(struct play *p, const int *member, int n,
			 uint64_t bytes)
{
	for (int v = 0; v < n; v++)
		for (int i = 1; i < n && !p->rc; i++)
			tape_coll_sendrecv(p, member[v], member[(v + i) % n],
					   bytes, member[(v + n - i) % n]);
}

/* Broadcasts four bytes among the members of a host: parts, then a ring. */
static void share_number(struct play *p, const int *member, int n)
{
	int part = (4 + n - 1) / n;

	for (int v = 0; v < n && n > 1 && !p->rc; v++) {
		int end = v ? v & -v : power_above(n), has = 4 - v * part;

		has = has < end * part ? has : end * part;
		if (v && has > 0)
			tape_coll_recv(p, member[v], member[v & (v - 1)]);
		for (int d = end / 2; d; d /= 2) {
			int gives = has - d * part;

			if (v + d >= n || gives <= 0)
				continue;
			tape_coll_send(p, member[v], member[v + d],
				       (uint64_t)gives);
			has -= gives;
		}
		for (int i = 0; i < n - 1; i++) {
			int of = (v - i + n) % n, left = 4 - of * part;

			left = left < 0 ? 0 : left < part ? left : part;
			tape_coll_sendrecv(p, member[v], member[(v + 1) % n],
					   (uint64_t)left,
					   member[(v + n - 1) % n]);
		}
	}
}

/* Exchanges among the first members of all hosts, then within each host. */
static void exchange_in_hosts(struct play *p, int *list)
{
	int n = p->c.size, *firsts = list + n, hosts = 0;
	const int *host = p->c.hosts;

	for (int v = 0; v < n; v++) {
		int u = 0;

		while (host[u] != host[v])
			u++;
		if (u == v)
			firsts[hosts++] = v;
	}
	exchange_all(p, firsts, hosts, 4);
	for (int i = 0; i < hosts; i++) {
		int k = 0;

		for (int v = firsts[i]; v < n; v++)
			if (host[v] == host[firsts[i]])
				list[k++] = v;
		share_number(p, list, k);
	}
}

/* SMPI's search for members that share a host (Comm::init_smp). */
static void find_hosts(struct play *p)
{
	struct tape_collective whole = p->c;
	int n = p->c.size, *list = malloc(2 * (size_t)n * sizeof *list);

	p->shared_hosts = 1;
	if (!list) {
		p->rc = TAPE_ENOMEM;
		return;
	}
	for (int v = 0; v < n; v++)
		list[v] = v;
	exchange_all(p, list, n, 4);
	exchange_in_hosts(p, list);
	free(list);
	p->c.root = 0;
	p->c.bytes = 4;
	add_at_once(p, 1, 0);
	p->c.op = TAPE_COLL_BCAST;
	tape_coll_smpi_binomial(p);
	p->c = whole;
}

static void send_to_three(struct play *p, int v, int unit)
{
	size_t first = p->n;

	for (int k = 1; k < 4; k++)
		if (v + unit * k < p->c.size)
			tape_coll_isend(p, real_member(p, v),
					real_member(p, v + unit * k),
					p->c.bytes);
	tape_coll_wait_all(p, real_member(p, v), first);
}

void tape_coll_smpi_knomial(struct play *p)
{
	int n = p->c.size;

	if (p->c.hosts && !p->shared_hosts)
		find_hosts(p);
	for (int v = 0; v < n && !p->rc; v++) {
		int unit = 1;

		while (unit < n && v % (4 * unit) == 0)
			unit *= 4;
		if (v)
			tape_coll_recv(p, real_member(p, v),
				       real_member(p, v - v % (4 * unit)));
		while (unit /= 4)
			send_to_three(p, v, unit);
	}
}

/* The calls of member v of a tree for all pieces. */
static void send_pieces(struct play *p, int v, uint64_t pieces)
{
	int n = p->c.size, arity = p->variant, child = arity * v + 1;
	int children = child >= n ? 0 : child + arity <= n ? arity : n - child;
	size_t first = p->n, sends;

	for (uint64_t i = 0; i < pieces && v && !p->rc; i++)
		tape_coll_irecv(p, v, (v - 1) / arity);
	if (!children)
		tape_coll_wait_all(p, v, first);
	sends = p->n;
	for (uint64_t i = 0; i < pieces && children && !p->rc; i++) {
		if (v)
			tape_coll_wait(p, first + i);
		for (int c = 0; c < children; c++)
			tape_coll_isend(p, v, child + c, p->segment);
	}
	if (children)
		tape_coll_wait_all(p, v, sends);
}

/* To member 0 and down a tree; the remainder is a separate broadcast. */
void tape_coll_smpi_of_0(struct play *p)
{
	int n = p->c.size, root = p->c.root, arity = p->variant;
	uint64_t bytes = p->c.bytes;
	uint64_t pieces = p->segment ? bytes / p->segment : 1;

	if (root) {
		tape_coll_send(p, root, 0, bytes);
		tape_coll_recv(p, 0, root);
	}
	for (int v = 0; v < n && !p->rc; v++) {
		if (p->segment && bytes > p->segment) {
			send_pieces(p, v, pieces);
			continue;
		}
		if (v)
			tape_coll_recv(p, v, (v - 1) / arity);
		for (int c = 1; c <= arity && arity * v + c < n; c++)
			tape_coll_send(p, v, arity * v + c, bytes);
	}
	if (p->segment && bytes > p->segment)
		tape_coll_add_chosen(p, TAPE_COLL_BCAST, root,
				     bytes % p->segment);
}

/* Two receives are posted; each piece is forwarded when it arrives. */
void tape_coll_smpi_pipeline(struct play *p)
{
	int n = p->c.size;
	uint64_t bytes = p->c.bytes;
	uint64_t piece = p->segment && p->segment < bytes ? p->segment : bytes;
	uint64_t pieces = piece ? (bytes + piece - 1) / piece : 1;

	for (int v = 0; v < n; v++) {
		size_t next = v ? tape_coll_irecv(p, real_member(p, v),
						  real_member(p, v - 1))
				: 0;

		for (uint64_t i = 0; i < pieces && !p->rc; i++) {
			size_t now = next;
			uint64_t left = bytes - i * piece;

			if (v && i + 1 < pieces)
				next = tape_coll_irecv(p, real_member(p, v),
						       real_member(p, v - 1));
			if (v)
				tape_coll_wait(p, now);
			if (v + 1 < n)
				tape_coll_wait(
				    p, tape_coll_isend(p, real_member(p, v),
						       real_member(p, v + 1),
						       left < piece ? left
								    : piece));
		}
	}
}

/* ---- reductions ---- */

/* The calls of one member: children in turn, two receives posted. */
static void reduce_member(struct play *p, int v, const int *next, int child,
			  uint64_t piece)
{
	uint64_t bytes = p->c.bytes;
	uint64_t pieces = piece ? (bytes + piece - 1) / piece : 1;
	int parent = p->parent(v, p->c.size), before = 0;
	size_t request = 0;

	for (uint64_t i = 0; i <= pieces && !p->rc; i++)
		for (int u = child; u && !p->rc; u = next[u]) {
			size_t old = request;

			if (i < pieces)
				request = tape_coll_irecv(p, real_member(p, v),
							  real_member(p, u));
			if (before)
				tape_coll_wait(p, old);
			before = 1;
			if (u == child && i && v)
				tape_coll_send(p, real_member(p, v),
					       real_member(p, parent),
					       i < pieces
						   ? piece
						   : bytes - (i - 1) * piece);
			if (i == pieces)
				break;
		}
}

void tape_coll_smpi_reduce(struct play *p)
{
	int n = p->c.size;
	int *next = calloc(2 * (size_t)n, sizeof *next);
	uint64_t bytes = p->c.bytes;
	uint64_t piece = p->segment && p->segment < bytes ? p->segment : bytes;

	if (!next) {
		p->rc = TAPE_ENOMEM;
		return;
	}
	/* lists of children, which 0 ends */
	for (int v = n - 1; v; v--) {
		int u = p->parent(v, n);

		next[v] = next[n + u];
		next[n + u] = v;
	}
	for (int v = 0; v < n; v++) {
		if (next[n + v]) {
			reduce_member(p, v, next, next[n + v], piece);
			continue;
		}
		for (uint64_t left = bytes, k = 1; k && !p->rc; left -= k) {
			k = left < piece ? left : piece;
			tape_coll_send(p, real_member(p, v),
				       real_member(p, p->parent(v, n)), k);
			if (left == k)
				break;
		}
	}
	free(next);
}
