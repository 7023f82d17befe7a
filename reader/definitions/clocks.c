/* Clock samples, and the rate of each domain's ticks from the anchors. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "growing_array.h"
#include "in_container.h"

/* Its number, or its name if the writer knew no number. */
static int parse_domain(const struct tape_trace *t, char *word,
			uint64_t *domain)
{
	const struct tape_domain *d;

	if (!tape_text_u64(word, 10, domain))
		return *domain >= t->n_domains;
	d = tape_trace_find_domain(t, tape_text_unescape(word));
	*domain = d ? d->info.index : 0;
	return !d;
}

/* The name of a clock of a task that is yet to come. */
static int is_future_domain(const struct tape_trace *t, const char *word)
{
	uint64_t n;

	return word && tape_text_u64(word, 10, &n) &&
	       !tape_trace_find_domain(t, word);
}

int tape_trace_read_clocks(struct tape_trace *t)
{
	struct tape_text x;
	char *line;
	int rc;

	rc = tape_text_open(t, "clocks", 1, &x);
	if (rc)
		return rc < 0 ? rc : 0;
	while (!rc && tape_text_line(&x, &line)) {
		char *rest = line, *key = tape_text_word(&rest), *phase;
		struct tape_sample s, *grown;
		uint64_t domain, by = 0;
		char *word = NULL;

		if (!key || strcmp(key, "sample"))
			continue;
		phase = tape_text_word(&rest);
		if (!phase ||
		    (strcmp(phase, "before") && strcmp(phase, "after")) ||
		    !(word = tape_text_word(&rest)) ||
		    parse_domain(t, word, &domain) ||
		    tape_text_u64(tape_text_word(&rest), 10, &s.s_ref) ||
		    tape_text_u64(tape_text_word(&rest), 10, &s.r_j) ||
		    tape_text_u64(tape_text_word(&rest), 10, &s.s_j) ||
		    tape_text_u64(tape_text_word(&rest), 10, &s.r_ref) ||
		    ((word = tape_text_word(&rest)) &&
		     tape_text_u64(word, 10, &by)) ||
		    by >= t->n_domains) {
			if (t->follow && is_future_domain(t, word))
				continue;
			rc = tape_trace_fail(t, TAPE_EFORMAT,
					     "%s: line %d: bad clock sample",
					     x.path, x.line);
			break;
		}
		s.after = !strcmp(phase, "after");
		s.domain = (uint32_t)domain;
		s.by = (uint32_t)by;
		grown = tape_grow_list(t->samples, t->n_samples, sizeof *grown);
		if (!grown) {
			rc = tape_trace_no_memory(t);
			break;
		}
		t->samples = grown;
		t->samples[t->n_samples++] = s;
	}
	tape_text_close(&x);
	return rc;
}

/* Reads the chunk header at that offset; 0 when there is one. */
static int read_chunk_header(const struct tape_part_file *f, uint64_t at,
			     struct tape_chunk *c)
{
	unsigned char h[TAPE_CHUNK_HEADER];

	if (tape_part_read(f, h, sizeof h, at) != (ssize_t)sizeof h)
		return -1;
	tape_chunk_get(h, c);
	return c->magic == TAPE_CHUNK_MAGIC ? 0 : -1;
}

static void add_anchor(struct tape_domain *d, const struct tape_chunk *c)
{
	struct tape_anchor a = { c->anchor_tick, c->anchor_ns, c->slack };

	if (!d->anchored || a.tick < d->info.first.tick)
		d->info.first = a;
	if (!d->anchored || a.tick > d->info.last.tick)
		d->info.last = a;
	d->anchored = 1;
}

/* The first and the last chunk of a flow; the file may have free slots. */
static void read_flow_anchors(const struct tape_trace *t, struct tape_domain *d,
			      const char *file)
{
	struct tape_part_file f;
	struct tape_chunk c;
	uint64_t lo = 0, hi;

	if (tape_part_open(t, tape_file_name(file), &f))
		return;
	if (!read_chunk_header(&f, 0, &c)) {
		add_anchor(d, &c);
		/* slots in use come before free ones */
		hi = (f.size + TAPE_CHUNK_BYTES - 1) / TAPE_CHUNK_BYTES;
		while (hi - lo > 1) {
			uint64_t mid = lo + (hi - lo) / 2;

			if (!read_chunk_header(&f, mid * TAPE_CHUNK_BYTES, &c))
				lo = mid;
			else
				hi = mid;
		}
		if (!read_chunk_header(&f, lo * TAPE_CHUNK_BYTES, &c))
			add_anchor(d, &c);
	}
	tape_part_close(&f);
}

uint64_t tape_trace_flow_bytes(const struct tape_trace *t, size_t flow)
{
	const struct tape_flow_info *info = tape_trace_flow(t, flow);
	unsigned char magic[4];
	struct tape_part_file f;
	uint64_t slots, end;

	if (!info || tape_part_open(t, tape_file_name(info->file), &f))
		return 0;
	/* from the end: damage in the middle is no end */
	slots = (f.size + TAPE_CHUNK_BYTES - 1) / TAPE_CHUNK_BYTES;
	for (; slots; slots--) {
		uint64_t at = (slots - 1) * TAPE_CHUNK_BYTES;

		if (tape_part_read(&f, magic, sizeof magic, at) !=
			sizeof magic ||
		    tape_get32(magic))
			break;
	}
	tape_part_close(&f);
	end = slots * TAPE_CHUNK_BYTES;
	return end < f.size ? end : f.size;
}

/*
 * The map of a local trace: one rate for each domain, from the anchors that are
 * farthest apart, because two ranks of one host with rates of their own would
 * disagree. Anchors closer than 0.1 s are worse than the runtime's estimate,
 * and who reads a trace while it is written does not know the last one: there
 * the estimate counts, always.
 */
int tape_trace_anchor_domain(struct tape_trace *t, struct tape_domain *d)
{
	uint64_t ticks = d->info.last.tick - d->info.first.tick;
	uint64_t ns = d->info.last.ns - d->info.first.ns;
	double rate = 1;

	if (d->hz > 0)
		rate = 1e9 / d->hz;
	if (!t->streamed && d->anchored && ns > 100000000 &&
	    ns < (uint64_t)1 << 62 && ticks && ticks < (uint64_t)1 << 62)
		rate = (double)ns / (double)ticks;
	if (rate > 1e9)
		rate = 1e9;
	d->local_rate = rate;
	/* one that comes while others are in global time is placed later */
	if (t->base != TAPE_BASE_LOCAL && !t->follow)
		return 0;
	if (d->info.n_pieces)
		return 0;
	d->pieces = calloc(1, sizeof *d->pieces);
	if (!d->pieces)
		return tape_trace_no_memory(t);
	d->pieces->tick0 = d->info.first.tick;
	d->pieces->ns0 = (int64_t)(d->info.first.ns & INT64_MAX);
	d->pieces->rate = rate;
	d->info.pieces = d->pieces;
	d->info.n_pieces = 1;
	return 0;
}

void tape_trace_read_anchors(const struct tape_trace *t, struct tape_domain *d,
			     int rank)
{
	char name[64];

	snprintf(name, sizeof name, "/flow.%d.0", rank);
	read_flow_anchors(t, d, name);
}

int tape_trace_anchor(struct tape_trace *t)
{
	for (size_t i = 0; i < t->n_flows; i++) {
		const struct tape_rank *r = &t->ranks[t->flows[i].rank];

		if (!r->to_come)
			read_flow_anchors(t, &t->domains[r->info.domain],
					  t->flows[i].file);
	}
	for (size_t r = 0; r < t->n_ranks; r++) {
		struct tape_domain *d = &t->domains[t->ranks[r].info.domain];

		if (!(d->hz > 0))
			d->hz = t->ranks[r].tick_hz;
	}
	for (size_t i = 0; i < t->n_domains; i++)
		if (tape_trace_anchor_domain(t, &t->domains[i]))
			return TAPE_ENOMEM;
	return 0;
}
