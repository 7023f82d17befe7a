/* Records given and taken; see collect.h. */
#include <stdio.h>
#include <string.h>

#include "collect.h"
#include "tool.h"

/* Bytes that are given at once. */
enum { PIECE = 1 << 20 };

void tape_peers_queue(struct tape_peers *p, int to, unsigned kind,
		      const void *data, size_t bytes)
{
	if (tape_peers_put(p, to, kind, data, bytes))
		tape_die_no_memory();
}

void tape_peers_queue_to_others(struct tape_peers *p, unsigned kind,
				const void *data, size_t bytes)
{
	for (int i = 0; i < p->n; i++)
		if (i != p->me)
			tape_peers_queue(p, i, kind, data, bytes);
}

void tape_peers_exchange_once(struct tape_peers *p)
{
	if (p->swap(p))
		tape_die_no_memory();
}

/* ---- giving ---- */

static void add_total(struct tape_peers *p, const void *data)
{
	uint64_t total[2];

	memcpy(total, data, sizeof total);
	p->all_bytes += total[0];
	p->all_events += total[1];
}

uint64_t tape_peers_all_bytes(const struct tape_peers *p)
{
	return p->bytes + p->all_bytes;
}

uint64_t tape_peers_all_events(const struct tape_peers *p)
{
	return p->events + p->all_events;
}

/* Gives what there is. Has anybody more? */
static int exchange_batch(struct tape_peers *p, uint32_t more,
			  tape_peers_handler *take, void *own)
{
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	uint32_t theirs;

	tape_peers_queue_to_others(p, TAPE_PEERS_MORE, &more, sizeof more);
	tape_peers_exchange_once(p);
	while ((data = tape_peers_next(p, &at, &kind, &bytes)))
		if (kind == TAPE_PEERS_MORE) {
			memcpy(&theirs, data, sizeof theirs);
			more |= theirs;
		} else if (kind == TAPE_PEERS_TOTAL) {
			add_total(p, data);
		} else {
			take(own, at.from, kind, data, bytes);
		}
	return more != 0;
}

static void ignore_record(void *own, int from, unsigned kind, const void *data,
			  size_t bytes)
{
	(void)own;
	(void)from;
	(void)kind;
	(void)data;
	(void)bytes;
}

void tape_peers_exchange_add(struct tape_peers *p, int to, unsigned kind,
			     const void *data, size_t bytes,
			     tape_peers_handler *take, void *own)
{
	if (p->out[to].n > PIECE)
		exchange_batch(p, 1, take, own);
	tape_peers_queue(p, to, kind, data, bytes);
}

void tape_peers_exchange(struct tape_peers *p, tape_peers_handler *take,
			 void *own)
{
	while (exchange_batch(p, 0, take, own))
		;
}

void tape_peers_gather_add(struct tape_peers *p, unsigned kind,
			   const void *data, size_t bytes)
{
	tape_peers_exchange_add(p, 0, kind, data, bytes, ignore_record, NULL);
}

void tape_peers_gather(struct tape_peers *p, tape_peers_handler *take,
		       void *own)
{
	uint64_t total[2] = {p->bytes + p->out[0].n, p->events};

	if (p->me) {
		/* since it said so last */
		total[0] -= p->all_bytes;
		total[1] -= p->all_events;
		p->all_bytes += total[0];
		p->all_events += total[1];
		tape_peers_queue(p, 0, TAPE_PEERS_TOTAL, total, sizeof total);
	}
	tape_peers_exchange(p, take ? take : ignore_record, own);
	p->busy = 0;
}

/* ---- the trace ---- */

/* Where a rank's address is in the source. */
struct site {
	uint32_t rank, site;
	int32_t line;
	uint32_t file; /* bytes of its name; that of the function follows */
};

/* What process 0 found of the addresses. */
void tape_peers_queue_sites(struct tape_peers *p, const struct tape_trace *t)
{
	for (size_t i = 0; i < tape_trace_ranks(t); i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, (int)i);

		for (size_t k = 1; k < r->n_sites; k++) {
			const struct tape_site_info *x = &r->sites[k];
			char text[8192];
			struct site s = {(uint32_t)i, (uint32_t)k, x->line, 0};
			size_t f = x->file ? strlen(x->file) + 1 : 0;
			size_t g = x->function ? strlen(x->function) + 1 : 1;

			if (!x->module || !f || sizeof s + f + g > sizeof text)
				continue;
			s.file = (uint32_t)f;
			memcpy(text, &s, sizeof s);
			memcpy(text + sizeof s, x->file, f);
			memcpy(text + sizeof s + f,
			       x->function ? x->function : "", g);
			tape_peers_queue_to_others(p, TAPE_PEERS_SITE, text,
						   sizeof s + f + g);
		}
	}
}

void tape_peers_store_site(void *own, int from, unsigned kind, const void *data,
			   size_t bytes)
{
	struct tape_trace *t = own;
	const char *text = data;
	struct site s;

	(void)from;
	(void)bytes;
	if (kind != TAPE_PEERS_SITE || !t)
		return;
	memcpy(&s, data, sizeof s);
	text += sizeof s;
	tape_trace_resolve(t, (int)s.rank, s.site, text, s.line, text + s.file);
}

int tape_peers_agree(struct tape_peers *p, const char *wrong,
		     tape_peers_handler *take, void *own)
{
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	int bad = *wrong;

	tape_peers_queue_to_others(p, TAPE_PEERS_STATUS, wrong,
				   strlen(wrong) + 1);
	tape_peers_exchange_once(p);
	while ((data = tape_peers_next(p, &at, &kind, &bytes))) {
		if (kind != TAPE_PEERS_STATUS && take)
			take(own, at.from, kind, data, bytes);
		if (kind != TAPE_PEERS_STATUS || !*(const char *)data)
			continue;
		bad = 1;
		p->busy = 0;
		if (!p->me)
			tape_die(TAPE_FAILED, "process %d of %d: %s", at.from,
				 p->n, (const char *)data);
	}
	return bad;
}

struct tape_trace *tape_peers_open(struct tape_peers *p, const char *path,
				   uint64_t ranks, uint64_t flows,
				   tape_peers_handler *take)
{
	char wrong[1000] = "";
	struct tape_trace *t;

	if (tape_trace_open(path, &t))
		strncpy(wrong, tape_trace_error(t), sizeof wrong - 1);
	else if (tape_trace_ranks(t) != ranks || tape_trace_flows(t) != flows)
		snprintf(wrong, sizeof wrong,
			 "%s differs from the trace that process 0 opened, or "
			 "is incomplete on this host",
			 path);
	if (!tape_peers_agree(p, wrong, *wrong ? NULL : take, t))
		return t;
	tape_trace_close(t);
	return NULL;
}

void tape_peers_find_damage(const struct tape_peers *p, struct tape_trace *t,
			    size_t flow, int from)
{
	const struct tape_event *e;
	struct tape_flow *f;

	if (tape_flow_open(t, flow, &f))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while (tape_flow_next(f, &e) == 1)
		;
	tape_flow_close(f);
	if (!tape_trace_damage(t, flow, NULL))
		tape_die(
		    TAPE_FAILED,
		    "process %d of %d cannot read %s completely, but process 0 "
		    "can. Is it on a file system that all hosts share?",
		    from, p->n, tape_trace_flow(t, flow)->file);
}
