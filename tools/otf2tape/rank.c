/* Writes the definitions of a rank; see rank.h. */
#include <inttypes.h>
#include <string.h>

#include "rank.h"
#include "tool.h"
#include "writer.h"

static uint32_t *get_index_entry(struct tape_table *t, uint64_t key)
{
	uint64_t *p = tape_must(tape_table_get(t, key));

	return (uint32_t *)p;
}

static void write_comm(struct rank *r, uint32_t index, const struct member *m)
{
	const struct comm *c = &r->w->d->comms[m->comm];

	fprintf(r->file, "comm %" PRIu32 " %" PRIx64 " %d %d", index,
		world_comm_id(r->w, m->comm, r->number), (int)m->size,
		(int)m->rank);
	tape_write_word(r->file, definitions_string(r->w->d, c->name));
	fputc('\n', r->file);
	if (m->side >= 0)
		fprintf(r->file, "inter %" PRIu32 " %d %d\n", index,
			(int)m->side, (int)m->own);
	*get_index_entry(&r->comms, ref_key(c->ref)) = index;
}

void rank_begin(struct rank *r, const struct world *w, struct tape_output *out,
		int number, int domain)
{
	const struct member *m = w->members;
	char name[32], position[TAPE_POSITION_MAX];
	uint32_t n = 0;

	*r = (struct rank){ .w = w, .out = out, .number = number };
	r->comms.bytes = r->regions.bytes = r->sites.bytes = sizeof(uint64_t);
	snprintf(name, sizeof name, "rank.%d", number);
	r->file = tape_output_stream(out, name);
	fprintf(r->file, "tape-rank 1\nrank %d\nhost", number);
	tape_write_word(r->file, definitions_host(w->d, w->process[number]));
	if (definitions_position(w->d, w->process[number], position)) {
		fputs("\nposition", r->file);
		tape_write_word(r->file, position);
	}
	fprintf(r->file, "\ndomain %d\ntick_hz 1000000000\n", domain);
	for (uint32_t i = 0; i < w->d->n_counters; i++) {
		const struct metric *k = w->d->counters[i];

		fprintf(r->file, "counter %" PRIu32, i);
		tape_write_word(r->file, definitions_string(w->d, k->name));
		tape_write_word(r->file, definitions_string(w->d, k->unit));
		fputs(" events 0\n", r->file);
	}
	for (size_t i = w->first_member[number];
	     i < w->first_member[number + 1]; i++)
		/* a group may name a rank twice */
		if (m[i].size > 0 && !rank_comm(r, w->d->comms[m[i].comm].ref))
			write_comm(r, ++n, &m[i]);
}

void rank_end(struct rank *r)
{
	char name[32];

	snprintf(name, sizeof name, "rank.%d", r->number);
	tape_output_end(r->out, r->file, name);
	tape_table_free(&r->comms);
	tape_table_free(&r->regions);
	tape_table_free(&r->sites);
}

uint32_t rank_comm(const struct rank *r, OTF2_CommRef comm)
{
	const uint32_t *p = tape_table_find(&r->comms, ref_key(comm));

	return p ? *p : 0;
}

uint32_t rank_region(struct rank *r, const struct region *region)
{
	uint32_t *p = get_index_entry(&r->regions, region->same);

	if (!*p) {
		*p = (uint32_t)r->regions.used;
		fprintf(r->file, "region %" PRIu32, *p);
		tape_write_word(r->file,
				definitions_string(r->w->d, region->name));
		fputc('\n', r->file);
	}
	return *p;
}

/* A call site without a file is written as an unknown address. */
uint32_t rank_site(struct rank *r, unsigned call, const struct place *place)
{
	uint32_t *p = get_index_entry(&r->sites, (place->key << 12) + call + 1);

	if (*p)
		return *p;
	*p = (uint32_t)r->sites.used;
	if (*place->file)
		fprintf(r->file, "site %" PRIu32 " %u %d", *p, call,
			place->line);
	else
		fprintf(r->file, "address %" PRIu32 " %u 0", *p, call);
	tape_write_word(r->file, place->file);
	tape_write_word(r->file, place->function);
	fputc('\n', r->file);
	return *p;
}
