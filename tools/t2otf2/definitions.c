/* Definitions of OTF2; see definitions.h. */
#include <stdlib.h>
#include <string.h>

#include "definitions.h"
#include "place.h"
#include "tool.h"

/* Names of calls come first among strings and regions, at their numbers. */
enum { FIRST = TAPE_CALL_COUNT };

/* A communicator: who is in it, and its identity. */
struct comm {
	uint64_t id;
	const struct tape_comm_info *info;
};

struct of_rank {
	uint32_t regions, sites; /* where theirs begin */
};

struct definitions {
	const struct tape_export *x;
	const struct tape_trace *t;
	struct of_rank *ranks;
	uint32_t regions, sites; /* of all ranks */
	struct comm *comms;
	size_t n;
	OTF2_GlobalDefWriter *w;
	OTF2_StringRef strings;  /* so far */
};

static void *must(void *p)
{
	if (!p)
		tape_die(TAPE_FAILED, "out of memory");
	return p;
}

/* ---- numbers ---- */

static int by_id(const void *a, const void *b)
{
	const struct comm *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Those of one group whose members are known. */
static void find_comms(struct definitions *d)
{
	size_t n = 0, all = 1;

	for (size_t i = 0; i < tape_trace_ranks(d->t); i++)
		all += tape_trace_rank(d->t, (int)i)->n_comms;
	d->comms = must(calloc(all, sizeof *d->comms));
	for (size_t i = 0; i < tape_trace_ranks(d->t); i++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)i);

		for (size_t k = 1; !r->tid && k < r->n_comms; k++) {
			const struct tape_comm_info *c = &r->comms[k];

			if (c->index && c->side < 0 && c->size > 0)
				d->comms[n++] = (struct comm){ c->id, c };
		}
	}
	qsort(d->comms, n, sizeof *d->comms, by_id);
	for (size_t i = 0; i < n; i++)
		if (!d->n || d->comms[d->n - 1].id != d->comms[i].id)
			d->comms[d->n++] = d->comms[i];
}

struct definitions *definitions_new(const struct tape_export *x)
{
	struct definitions *d = must(calloc(1, sizeof *d));
	size_t ranks;

	d->x = x;
	d->t = tape_export_trace(x);
	ranks = tape_trace_ranks(d->t);
	d->ranks = must(calloc(ranks + 1, sizeof *d->ranks));
	for (size_t i = 0; i < ranks; i++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)i);

		d->ranks[i] = (struct of_rank){ d->regions, d->sites };
		d->regions += (uint32_t)r->n_regions + 1;
		d->sites += (uint32_t)r->n_sites + 1;
	}
	find_comms(d);
	return d;
}

void definitions_free(struct definitions *d)
{
	free(d->comms);
	free(d->ranks);
	free(d);
}

OTF2_RegionRef definitions_call(unsigned call)
{
	return call < TAPE_CALL_COUNT ? call : 0;
}

OTF2_RegionRef definitions_region(const struct definitions *d, int rank,
				  uint32_t region)
{
	return FIRST + d->ranks[rank].regions + region;
}

OTF2_StringRef definitions_site(const struct definitions *d, int rank,
				uint32_t site)
{
	return FIRST + d->regions + d->ranks[rank].sites + site;
}

OTF2_MetricRef definitions_counters(int rank)
{
	return (OTF2_MetricRef)rank;
}

int definitions_comm(const struct definitions *d, int rank, uint32_t comm,
		     int32_t *peer, OTF2_CommRef *ref)
{
	const struct tape_rank_info *r = tape_trace_rank(d->t, rank);
	struct comm key, *found = NULL;

	*ref = 0;
	if (!r->tid && comm && comm < r->n_comms) {
		key.id = r->comms[comm].id;
		found = bsearch(&key, d->comms, d->n, sizeof key, by_id);
	}
	if (found) {
		/* number 0 is the one of all ranks */
		*ref = (OTF2_CommRef)(found - d->comms) + 1;
		return *peer < r->comms[comm].size;
	}
	*peer = tape_peer_rank(d->t, rank, comm, *peer);
	return *peer >= 0;
}

/* ---- writing ---- */

static OTF2_StringRef string(struct definitions *d, const char *text)
{
	OTF2_GlobalDefWriter_WriteString(d->w, d->strings, text);
	return d->strings++;
}

static OTF2_RegionRole role_of(unsigned call)
{
	switch (tape_doing_of(call, tape_call_class(call))) {
	case TAPE_DOES_SEND:
	case TAPE_DOES_RECEIVE:
	case TAPE_DOES_SENDRECV:
	case TAPE_DOES_ISEND:
	case TAPE_DOES_IRECV:
	case TAPE_DOES_WAIT:
	case TAPE_DOES_TEST:
	case TAPE_DOES_PROBE:
		return OTF2_REGION_ROLE_POINT2POINT;
	case TAPE_DOES_BARRIER:
		return OTF2_REGION_ROLE_BARRIER;
	case TAPE_DOES_COLLECTIVE:
	case TAPE_DOES_ICOLLECTIVE:
		return OTF2_REGION_ROLE_COLL_ALL2ALL;
	case TAPE_DOES_RMA:
	case TAPE_DOES_RMA_SYNC:
		return OTF2_REGION_ROLE_RMA;
	case TAPE_DOES_IO:
		return OTF2_REGION_ROLE_FILE_IO;
	case TAPE_DOES_OTHER:
	case TAPE_DOES_LIFE:
	case TAPE_DOES_GROUPS:
	case TAPE_DOES_SKIPPED:
	case TAPE_DOES_COUNT:
		break;
	}
	return OTF2_REGION_ROLE_FUNCTION;
}

/* Strings and regions whose numbers events use: they have these. */
static void names(struct definitions *d)
{
	char text[TAPE_PLACE_BYTES];

	for (unsigned i = 0; i < FIRST; i++) {
		const char *name = tape_call_name(i);

		string(d, name);
		OTF2_GlobalDefWriter_WriteRegion(
			d->w, i, i, i, OTF2_UNDEFINED_STRING, role_of(i),
			strncmp(name, "pvm", 3) ? OTF2_PARADIGM_MPI
						: OTF2_PARADIGM_UNKNOWN,
			OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
	}
	for (size_t k = 0; k < tape_trace_ranks(d->t); k++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)k);

		for (uint32_t i = 0; i <= r->n_regions; i++) {
			const char *name = i && i < r->n_regions
						   ? r->regions[i]
						   : "tracing off";
			OTF2_StringRef s = string(d, name ? name : "?");

			OTF2_GlobalDefWriter_WriteRegion(
				d->w, s, s, s, OTF2_UNDEFINED_STRING,
				OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER,
				OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING,
				0, 0);
		}
	}
	for (size_t k = 0; k < tape_trace_ranks(d->t); k++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)k);

		for (uint32_t i = 0; i <= r->n_sites; i++)
			string(d, tape_place_text(tape_site_of(d->t, (int)k,
							       i),
						  text, sizeof text));
	}
}

/* Hosts are children of the run; a host that comes again is the same. */
static OTF2_SystemTreeNodeRef host(struct definitions *d, size_t rank,
				   OTF2_SystemTreeNodeRef *hosts,
				   OTF2_SystemTreeNodeRef *n)
{
	const struct tape_rank_info *r = tape_trace_rank(d->t, (int)rank);
	const char *name = r->host ? r->host : "?";

	for (size_t k = 0; k < rank; k++) {
		const char *other = tape_trace_rank(d->t, (int)k)->host;

		if (!strcmp(other ? other : "?", name))
			return hosts[k];
	}
	OTF2_GlobalDefWriter_WriteSystemTreeNode(d->w, *n, string(d, name),
						 string(d, "node"), 0);
	return (*n)++;
}

static void system_tree(struct definitions *d, const uint64_t *events)
{
	size_t ranks = tape_trace_ranks(d->t);
	OTF2_SystemTreeNodeRef n = 1, *hosts =
		must(calloc(ranks + 1, sizeof *hosts));
	char text[64];

	OTF2_GlobalDefWriter_WriteSystemTreeNode(
		d->w, 0, string(d, "run"), string(d, "machine"),
		OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (size_t i = 0; i < ranks; i++) {
		hosts[i] = host(d, i, hosts, &n);
		snprintf(text, sizeof text, "MPI Rank %zu", i);
		OTF2_GlobalDefWriter_WriteLocationGroup(
			d->w, (OTF2_LocationGroupRef)i, string(d, text),
			OTF2_LOCATION_GROUP_TYPE_PROCESS, hosts[i],
			OTF2_UNDEFINED_LOCATION_GROUP);
	}
	for (size_t i = 0; i < tape_trace_flows(d->t); i++) {
		const struct tape_flow_info *f = tape_trace_flow(d->t, i);

		if (f->thread)
			snprintf(text, sizeof text, "thread %d", f->thread);
		else
			snprintf(text, sizeof text, "Master thread");
		OTF2_GlobalDefWriter_WriteLocation(
			d->w, i, string(d, text), OTF2_LOCATION_TYPE_CPU_THREAD,
			events[i], (OTF2_LocationGroupRef)f->rank);
	}
	free(hosts);
}

/* The location of a rank is its first flow; a rank without one has none. */
static uint64_t *locations(const struct definitions *d, size_t *n)
{
	uint64_t *list = must(calloc(tape_trace_ranks(d->t) + 1, sizeof *list));

	*n = 0;
	for (size_t i = 0; i < tape_trace_flows(d->t); i++)
		if (!i || tape_trace_flow(d->t, i)->rank !=
				  tape_trace_flow(d->t, i - 1)->rank)
			list[(*n)++] = i;
	return list;
}

static void communicator(struct definitions *d, OTF2_CommRef ref,
			 const char *name, OTF2_GroupRef group)
{
#if OTF2_VERSION_MAJOR >= 3
	OTF2_GlobalDefWriter_WriteComm(d->w, ref, string(d, name), group,
				       OTF2_UNDEFINED_COMM,
				       OTF2_COMM_FLAG_NONE);
#else
	OTF2_GlobalDefWriter_WriteComm(d->w, ref, string(d, name), group,
				       OTF2_UNDEFINED_COMM);
#endif
}

/* Ranks are numbered among those that have a location. */
static void groups(struct definitions *d)
{
	size_t n, ranks = tape_trace_ranks(d->t);
	uint64_t *list = locations(d, &n);
	uint64_t *number = must(calloc(ranks + 1, sizeof *number));
	uint64_t *members = must(calloc(ranks + 1, sizeof *members));

	for (size_t i = 0; i < n; i++) {
		number[tape_trace_flow(d->t, list[i])->rank] = i;
		members[i] = i;
	}
	OTF2_GlobalDefWriter_WriteGroup(
		d->w, 0, string(d, ""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)n, list);
	OTF2_GlobalDefWriter_WriteGroup(
		d->w, 1, string(d, "all"), OTF2_GROUP_TYPE_COMM_GROUP,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)n, members);
	communicator(d, 0, "all ranks", 1);
	for (size_t k = 0; k < d->n; k++) {
		const struct tape_comm_info *c = d->comms[k].info;
		OTF2_GroupRef group = (OTF2_GroupRef)k + 2;
		size_t m = 0;

		for (int i = 0; i < c->size && m < ranks; i++)
			members[m++] = c->members[i] >= 0
					       ? number[c->members[i]]
					       : 0;
		OTF2_GlobalDefWriter_WriteGroup(
			d->w, group, string(d, ""), OTF2_GROUP_TYPE_COMM_GROUP,
			OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)m,
			members);
		communicator(d, (OTF2_CommRef)k + 1, c->name ? c->name : "",
			     group);
	}
	free(members);
	free(number);
	free(list);
}

static void counters(struct definitions *d)
{
	OTF2_MetricMemberRef member = 0, list[TAPE_COUNTERS_MAX];

	for (size_t k = 0; k < tape_trace_ranks(d->t); k++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)k);

		for (uint32_t i = 0; i < r->n_counters; i++) {
			OTF2_StringRef name = string(d, r->counters[i].name);
			OTF2_StringRef unit = string(d, r->counters[i].unit);

			OTF2_GlobalDefWriter_WriteMetricMember(
				d->w, member, name, name,
				OTF2_METRIC_TYPE_OTHER,
				OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_INT64,
				OTF2_BASE_DECIMAL, 0, unit);
			list[i] = member++;
		}
		if (r->n_counters)
			OTF2_GlobalDefWriter_WriteMetricClass(
				d->w, definitions_counters((int)k),
				(uint8_t)r->n_counters, list,
				OTF2_METRIC_SYNCHRONOUS_STRICT,
				OTF2_RECORDER_KIND_ABSTRACT);
	}
}

void definitions_write(struct definitions *d, OTF2_Archive *archive,
		       const uint64_t *events, uint64_t end)
{
	OTF2_StringRef where;

	d->w = OTF2_Archive_GetGlobalDefWriter(archive);
	if (!d->w)
		tape_die(TAPE_FAILED, "OTF2: definitions cannot be written");
	OTF2_GlobalDefWriter_WriteClockProperties(
		d->w, 1000000000, 0, end + 1, OTF2_UNDEFINED_TIMESTAMP);
	/* the first ones are those of names() */
	d->strings = FIRST + d->regions + d->sites;
	OTF2_GlobalDefWriter_WriteParadigm(
		d->w, OTF2_PARADIGM_MPI, string(d, "MPI"),
		OTF2_PARADIGM_CLASS_PROCESS);
	OTF2_GlobalDefWriter_WriteParadigm(
		d->w, OTF2_PARADIGM_USER, string(d, "user regions"),
		OTF2_PARADIGM_CLASS_PROCESS);
	where = string(d, "call site");
	OTF2_GlobalDefWriter_WriteAttribute(d->w, 0, where, where,
					    OTF2_TYPE_STRING);
	system_tree(d, events);
	groups(d);
	counters(d);
	d->strings = 0;
	names(d);
}
