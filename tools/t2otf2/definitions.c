/* Definitions of OTF2; see definitions.h. */
#include <stdlib.h>
#include <string.h>

#include "definitions.h"
#include "place.h"
#include "position.h"
#include "sort.h"
#include "system_tree.h"
#include "table.h"
#include "tool.h"

/* The strings and regions below FIRST are those of calls, at their numbers. */
enum { FIRST = TAPE_CALL_COUNT };

/* OTF2 before 3.0 has no communicators of two groups. */
#define TWO_GROUPS (OTF2_VERSION_MAJOR >= 3)

/* A communicator or a window. */
struct comm {
	uint64_t id;
	const struct tape_comm_info *info;
	OTF2_GroupRef group;   /* of two groups: the group of side 0 */
	/* window: its number + 1 if an event uses it; the call that created it
	 * and that call's communicator, if seen */
	uint32_t window;
	unsigned made_by;
	OTF2_CommRef parent;
	int ends;              /* the window's end was seen */
};

static const uint64_t NO_LOCATION = UINT64_MAX; /* not found yet */

struct of_rank {
	uint32_t regions, sites; /* first numbers of this rank */
	uint32_t *comms;         /* by number in the rank; 0: not defined */
	uint64_t location;       /* OTF2's number of its first thread */
};

struct definitions {
	const struct tape_export *x;
	const struct tape_trace *t;
	struct of_rank *ranks;
	size_t locations;         /* number of flows, plus empty locations */
	uint32_t regions, sites;  /* of all ranks */
	struct comm *comms;
	size_t n;
	uint32_t windows;
	OTF2_GroupRef groups;     /* so far */
	/* groups that events use: rank and number; by_name: OTF2's number */
	uint64_t *named;
	size_t n_named;
	struct tape_table by_name;
	OTF2_GlobalDefWriter *w;
	OTF2_StringRef strings;   /* so far */
};

/* ---- numbers ---- */

static int order_comms_by_id(const void *a, const void *b)
{
	const struct comm *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Returns 1 if the members are known. Intercommunicators need OTF2 3.0. */
static int is_defined(const struct tape_comm_info *c)
{
	return c->index && c->size > 0 && c->members &&
	       (c->side < 0 || (TWO_GROUPS && c->own_size > 0 && c->own));
}

/* Sets the number of each rank's communicators. */
static void number_comms(struct definitions *d)
{
	for (size_t i = 0; i < tape_trace_ranks(d->t); i++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)i);

		d->ranks[i].comms =
		    tape_must(calloc(r->n_comms + 1, sizeof(uint32_t)));
		for (size_t k = 1; !r->tid && k < r->n_comms; k++) {
			struct comm key = { .id = r->comms[k].id }, *found;

			if (!is_defined(&r->comms[k]))
				continue;
			found = tape_search(&key, d->comms, d->n, sizeof key,
					    order_comms_by_id);
			d->ranks[i].comms[k] =
				(uint32_t)(found - d->comms) + 1;
		}
	}
}

static void find_comms(struct definitions *d)
{
	size_t n = 0, all = 1;

	for (size_t i = 0; i < tape_trace_ranks(d->t); i++)
		all += tape_trace_rank(d->t, (int)i)->n_comms;
	d->comms = tape_must(calloc(all, sizeof *d->comms));
	for (size_t i = 0; i < tape_trace_ranks(d->t); i++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)i);

		for (size_t k = 1; !r->tid && k < r->n_comms; k++)
			if (is_defined(&r->comms[k]))
				d->comms[n++] = (struct comm){
					.id = r->comms[k].id,
					.info = &r->comms[k] };
	}
	tape_sort(d->comms, n, sizeof *d->comms, order_comms_by_id);
	for (size_t i = 0; i < n; i++)
		if (!d->n || d->comms[d->n - 1].id != d->comms[i].id)
			d->comms[d->n++] = d->comms[i];
	/* 0 are the locations, 1 is all ranks */
	d->groups = 2;
	for (size_t i = 0; i < d->n; i++) {
		d->comms[i].group = d->groups;
		d->groups += d->comms[i].info->side < 0 ? 1 : 2;
	}
	number_comms(d);
}

/*
 * The location of a rank is its first flow. A rank that the trace lacks gets an
 * empty location after those of all flows, because groups contain it.
 */
static void find_locations(struct definitions *d)
{
	size_t ranks = tape_trace_ranks(d->t), flows = tape_trace_flows(d->t);
	uint64_t next = flows;

	for (size_t i = 0; i < ranks; i++)
		d->ranks[i].location = NO_LOCATION;
	for (size_t i = flows; i--;)
		d->ranks[tape_trace_flow(d->t, i)->rank].location = i;
	for (size_t i = 0; i < ranks; i++)
		if (d->ranks[i].location == NO_LOCATION)
			d->ranks[i].location = next++;
	d->locations = (size_t)next;
}

size_t definitions_locations(const struct definitions *d)
{
	return d->locations;
}

struct definitions *definitions_new(const struct tape_export *x)
{
	struct definitions *d = tape_must(calloc(1, sizeof *d));
	size_t ranks;

	d->x = x;
	d->t = tape_export_trace(x);
	d->by_name.bytes = sizeof(uint64_t);
	ranks = tape_trace_ranks(d->t);
	d->ranks = tape_must(calloc(ranks + 1, sizeof *d->ranks));
	for (size_t i = 0; i < ranks; i++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)i);

		d->ranks[i].regions = d->regions;
		d->ranks[i].sites = d->sites;
		d->regions += (uint32_t)r->n_regions + 1;
		d->sites += (uint32_t)r->n_sites + 1;
	}
	find_locations(d);
	find_comms(d);
	return d;
}

void definitions_free(struct definitions *d)
{
	for (size_t i = 0; i < tape_trace_ranks(d->t); i++)
		free(d->ranks[i].comms);
	tape_table_free(&d->by_name);
	free(d->named);
	free(d->comms);
	free(d->ranks);
	free(d);
}

OTF2_RegionRef definitions_call_region(unsigned call)
{
	return call < TAPE_CALL_COUNT ? call : 0;
}

OTF2_RegionRef definitions_region(const struct definitions *d, int rank,
				  uint32_t region)
{
	return FIRST + d->ranks[rank].regions + region;
}

OTF2_StringRef definitions_site_string(const struct definitions *d, int rank,
				       uint32_t site)
{
	return FIRST + d->regions + d->ranks[rank].sites + site;
}

OTF2_MetricRef definitions_metric_class(int rank)
{
	return (OTF2_MetricRef)rank;
}

/* ---- communicators, windows, groups ---- */

static struct comm *find_comm(const struct definitions *d, int rank,
			      uint32_t comm)
{
	uint32_t k = comm < tape_trace_rank(d->t, rank)->n_comms
			     ? d->ranks[rank].comms[comm]
			     : 0;

	return k ? &d->comms[k - 1] : NULL;
}

/* Returns the number of a communicator. 0 is that of all ranks. */
static OTF2_CommRef comm_ref(const struct definitions *d, const struct comm *c)
{
	return c ? (OTF2_CommRef)(c - d->comms) + 1 : 0;
}

int definitions_find_comm(const struct definitions *d, int rank, uint32_t comm,
			  int32_t *peer, OTF2_CommRef *ref)
{
	const struct comm *found = find_comm(d, rank, comm);
	int world;

	*ref = comm_ref(d, found);
	if (found)
		return *peer >= 0 &&
		       *peer < tape_trace_rank(d->t, rank)->comms[comm].size;
	world = tape_peer_rank(d->t, rank, comm, *peer);
	*peer = world;
	return world >= 0;
}

int definitions_find_collective(const struct definitions *d, int rank,
				uint32_t comm, int32_t root, OTF2_CommRef *ref,
				uint32_t *to)
{
	const struct tape_rank_info *r = tape_trace_rank(d->t, rank);
	const struct comm *found = find_comm(d, rank, comm);
	int32_t peer = root;

	*to = OTF2_UNDEFINED_UINT32;
	if (definitions_find_comm(d, rank, comm, &peer, ref))
		*to = (uint32_t)peer;
#if TWO_GROUPS
	else if (found && found->info->side >= 0 && root == TAPE_ROOT)
		*to = OTF2_COLLECTIVE_ROOT_SELF;
	else if (found && found->info->side >= 0 && root == TAPE_PROC_NULL)
		*to = OTF2_COLLECTIVE_ROOT_THIS_GROUP;
#endif
	return found || r->tid ||
	       (comm && comm < r->n_comms && r->comms[comm].index);
}

int definitions_find_window(struct definitions *d, int rank, uint32_t comm,
			    int32_t peer, OTF2_RmaWinRef *ref)
{
	struct comm *c = find_comm(d, rank, comm);

	if (!c || c->info->side >= 0 || peer >= c->info->size)
		return 0;
	if (!c->window)
		c->window = ++d->windows;
	*ref = c->window - 1;
	return 1;
}

void definitions_window_create(struct definitions *d, int rank, uint32_t window,
			       uint32_t comm, unsigned call)
{
	struct comm *c = find_comm(d, rank, window);
	const struct comm *of = find_comm(d, rank, comm);

	if (!c || c->made_by)
		return;
	c->made_by = call;
	c->parent = comm_ref(d, of ? of : c);
}

unsigned definitions_window_end(struct definitions *d, int rank,
				uint32_t window)
{
	struct comm *c = find_comm(d, rank, window);

	if (c)
		c->ends = 1;
	return c ? c->made_by : 0;
}

int definitions_find_group(struct definitions *d, int rank, uint32_t group,
			   OTF2_GroupRef *ref)
{
	uint64_t key = (uint64_t)rank << 32 | group, *number;

	if (!group || group >= tape_trace_rank(d->t, rank)->n_groups)
		return 0;
	number = tape_must(tape_table_get(&d->by_name, key));
	if (!*number) {
		d->named = tape_must(
		    realloc(d->named, (d->n_named + 1) * sizeof *d->named));
		d->named[d->n_named++] = key;
		*number = d->groups++;
	}
	*ref = (OTF2_GroupRef)*number;
	return 1;
}

/* ---- writing ---- */

static OTF2_StringRef define_string(struct definitions *d, const char *text)
{
	OTF2_GlobalDefWriter_WriteString(d->w, d->strings, text);
	return d->strings++;
}

static OTF2_RegionRole region_role(unsigned call)
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

/* Defines the strings and regions that events use, with fixed numbers. */
static void define_names(struct definitions *d)
{
	char text[TAPE_PLACE_BYTES];

	for (unsigned i = 0; i < FIRST; i++) {
		const char *name = tape_call_name(i);

		define_string(d, name);
		OTF2_GlobalDefWriter_WriteRegion(
		    d->w, i, i, i, OTF2_UNDEFINED_STRING, region_role(i),
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
			OTF2_StringRef s = define_string(d, name ? name : "?");

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
			define_string(
			    d, tape_place_text(tape_site_of(d->t, (int)k, i),
					       text, sizeof text));
	}
}

/* Returns OTF2's domain of a hardware type; -1: none. */
static int tree_domain(const char *step)
{
	static const struct {
		const char *type;
		OTF2_SystemTreeDomain domain;
	} list[] = {
	    {TAPE_LEVEL_CLUSTER, OTF2_SYSTEM_TREE_DOMAIN_MACHINE},
	    {TAPE_LEVEL_MACHINE, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY},
	    {"NUMANode", OTF2_SYSTEM_TREE_DOMAIN_NUMA},
	    {"Package", OTF2_SYSTEM_TREE_DOMAIN_SOCKET},
	    {"L4", OTF2_SYSTEM_TREE_DOMAIN_CACHE},
	    {"L3", OTF2_SYSTEM_TREE_DOMAIN_CACHE},
	    {"L2", OTF2_SYSTEM_TREE_DOMAIN_CACHE},
	    {"L1d", OTF2_SYSTEM_TREE_DOMAIN_CACHE},
	    {"Core", OTF2_SYSTEM_TREE_DOMAIN_CORE},
	    {"PU", OTF2_SYSTEM_TREE_DOMAIN_PU},
	};
	size_t n = strcspn(step, ":");

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (strlen(list[i].type) == n &&
		    !strncmp(list[i].type, step, n))
			return list[i].domain;
	return -1;
}

/*
 * Defines the hierarchy of the hardware. A host has its name and the class
 * node, as in archives of other tools. Other nodes have their step as name,
 * "L3:1", and its type as class, L3.
 */
static void define_tree_nodes(struct definitions *d,
			      const struct tape_system *h)
{
	static const char machine[] = TAPE_LEVEL_MACHINE ":";

	for (int i = 0; i < tape_system_nodes(h); i++) {
		const char *name = tape_system_step(h, i);
		int domain = tree_domain(name);
		char type[TAPE_LEVEL_MAX];

		tape_position_type(name, strlen(name), type);
		if (!i) {
			name = "run";
			strcpy(type, "machine");
		} else if (!strncmp(name, machine, strlen(machine))) {
			name += strlen(machine);
			strcpy(type, "node");
		}
		OTF2_GlobalDefWriter_WriteSystemTreeNode(
		    d->w, (OTF2_SystemTreeNodeRef)i, define_string(d, name),
		    define_string(d, type),
		    i ? (OTF2_SystemTreeNodeRef)tape_system_parent(h, i)
		      : OTF2_UNDEFINED_SYSTEM_TREE_NODE);
		if (domain >= 0)
			OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
			    d->w, (OTF2_SystemTreeNodeRef)i,
			    (OTF2_SystemTreeDomain)domain);
	}
}

static void define_system_tree(struct definitions *d, const uint64_t *events)
{
	struct tape_system *h;
	char text[64];

	if (tape_system_of(&h, d->t))
		tape_die_no_memory();
	define_tree_nodes(d, h);
	for (size_t i = 0; i < tape_trace_ranks(d->t); i++) {
		snprintf(text, sizeof text, "MPI Rank %zu", i);
		OTF2_GlobalDefWriter_WriteLocationGroup(
		    d->w, (OTF2_LocationGroupRef)i, define_string(d, text),
		    OTF2_LOCATION_GROUP_TYPE_PROCESS,
		    (OTF2_SystemTreeNodeRef)tape_system_node(h, (int)i),
		    OTF2_UNDEFINED_LOCATION_GROUP);
	}
	for (size_t i = 0; i < tape_trace_flows(d->t); i++) {
		const struct tape_flow_info *f = tape_trace_flow(d->t, i);

		if (f->thread)
			snprintf(text, sizeof text, "thread %d", f->thread);
		else
			snprintf(text, sizeof text, "Master thread");
		OTF2_GlobalDefWriter_WriteLocation(
		    d->w, i, define_string(d, text),
		    OTF2_LOCATION_TYPE_CPU_THREAD, events[i],
		    (OTF2_LocationGroupRef)f->rank);
	}
	for (size_t i = 0; i < tape_trace_ranks(d->t); i++)
		if (d->ranks[i].location >= tape_trace_flows(d->t))
			OTF2_GlobalDefWriter_WriteLocation(
			    d->w, d->ranks[i].location,
			    define_string(d, "not in the trace"),
			    OTF2_LOCATION_TYPE_CPU_THREAD, 0,
			    (OTF2_LocationGroupRef)i);
	tape_system_free(h);
}

static void define_communicator(struct definitions *d, OTF2_CommRef ref,
				const char *name, OTF2_GroupRef group)
{
#if TWO_GROUPS
	OTF2_GlobalDefWriter_WriteComm(d->w, ref, define_string(d, name), group,
				       OTF2_UNDEFINED_COMM,
				       OTF2_COMM_FLAG_NONE);
#else
	OTF2_GlobalDefWriter_WriteComm(d->w, ref, define_string(d, name), group,
				       OTF2_UNDEFINED_COMM);
#endif
}

/* Defines an intercommunicator of the groups first and first + 1. */
static void define_intercommunicator(struct definitions *d, OTF2_CommRef ref,
				     const char *name, OTF2_GroupRef first)
{
#if TWO_GROUPS
	OTF2_GlobalDefWriter_WriteInterComm(
	    d->w, ref, define_string(d, name), first, first + 1,
	    OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
#else
	define_communicator(d, ref, name, first);
#endif
}

/* Defines a group of world ranks, which are indices into group 0. */
static void define_group(struct definitions *d, OTF2_GroupRef ref,
			 const int *ranks, size_t n)
{
	uint64_t *members = tape_must(calloc(n + 1, sizeof *members));
	size_t all = tape_trace_ranks(d->t);

	for (size_t i = 0; i < n; i++)
		members[i] = ranks[i] >= 0 && (size_t)ranks[i] < all
				     ? (uint64_t)ranks[i]
				     : OTF2_UNDEFINED_UINT64;
	OTF2_GlobalDefWriter_WriteGroup(
	    d->w, ref, define_string(d, ""), OTF2_GROUP_TYPE_COMM_GROUP,
	    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)n, members);
	free(members);
}

/* Defines group 0, the locations of all ranks, and their communicator. */
static void define_locations(struct definitions *d)
{
	size_t n = tape_trace_ranks(d->t);
	uint64_t *list = tape_must(calloc(n + 1, sizeof *list));
	uint64_t *members = tape_must(calloc(n + 1, sizeof *members));

	for (size_t i = 0; i < n; i++) {
		list[i] = d->ranks[i].location;
		members[i] = i;
	}
	OTF2_GlobalDefWriter_WriteGroup(
	    d->w, 0, define_string(d, ""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
	    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)n, list);
	OTF2_GlobalDefWriter_WriteGroup(
	    d->w, 1, define_string(d, "all"), OTF2_GROUP_TYPE_COMM_GROUP,
	    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)n, members);
	define_communicator(d, 0, "all ranks", 1);
	free(members);
	free(list);
}

static void define_communicators(struct definitions *d)
{
	for (size_t k = 0; k < d->n; k++) {
		const struct tape_comm_info *c = d->comms[k].info;
		OTF2_GroupRef first = d->comms[k].group;
		const char *name = c->name ? c->name : "";

		if (c->side < 0) {
			define_group(d, first, c->members, (size_t)c->size);
			define_communicator(d, comm_ref(d, &d->comms[k]), name,
					    first);
			continue;
		}
		for (OTF2_GroupRef side = 0; side < 2; side++)
			if (side == (OTF2_GroupRef)c->side)
				define_group(d, first + side, c->own,
					     (size_t)c->own_size);
			else
				define_group(d, first + side, c->members,
					     (size_t)c->size);
		define_intercommunicator(d, comm_ref(d, &d->comms[k]), name,
					 first);
	}
}

/* Defines the groups that events use. They follow those of communicators. */
static void define_named_groups(struct definitions *d)
{
	OTF2_GroupRef first = d->groups - (OTF2_GroupRef)d->n_named;

	for (size_t i = 0; i < d->n_named; i++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)(d->named[i] >> 32));
		const struct tape_group_info *g =
			&r->groups[d->named[i] & 0xffffffff];

		define_group(d, first + (OTF2_GroupRef)i, g->ranks, g->n);
	}
}

/* Defines the windows, in the order of their numbers. */
static void define_windows(struct definitions *d)
{
	const struct comm **list =
	    tape_must(calloc(d->windows + 1u, sizeof *list));

	for (size_t k = 0; k < d->n; k++)
		if (d->comms[k].window)
			list[d->comms[k].window - 1] = &d->comms[k];
	for (uint32_t i = 0; i < d->windows; i++) {
		const struct comm *c = list[i];
		OTF2_CommRef of = c->made_by ? c->parent : comm_ref(d, c);
		OTF2_StringRef name =
		    define_string(d, c->info->name ? c->info->name : "window");

#if TWO_GROUPS
		OTF2_GlobalDefWriter_WriteRmaWin(
			d->w, i, name, of,
			c->made_by || c->ends
				? OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS
				: OTF2_RMA_WIN_FLAG_NONE);
#else
		OTF2_GlobalDefWriter_WriteRmaWin(d->w, i, name, of);
#endif
	}
	free(list);
}

static void define_counters(struct definitions *d)
{
	OTF2_MetricMemberRef member = 0, list[TAPE_COUNTERS_MAX];

	for (size_t k = 0; k < tape_trace_ranks(d->t); k++) {
		const struct tape_rank_info *r =
			tape_trace_rank(d->t, (int)k);

		for (uint32_t i = 0; i < r->n_counters; i++) {
			OTF2_StringRef name =
			    define_string(d, r->counters[i].name);
			OTF2_StringRef unit =
			    define_string(d, r->counters[i].unit);

			OTF2_GlobalDefWriter_WriteMetricMember(
				d->w, member, name, name,
				OTF2_METRIC_TYPE_OTHER,
				OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_INT64,
				OTF2_BASE_DECIMAL, 0, unit);
			list[i] = member++;
		}
		if (r->n_counters)
			OTF2_GlobalDefWriter_WriteMetricClass(
			    d->w, definitions_metric_class((int)k),
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
	/* define_names() defines the first strings */
	d->strings = FIRST + d->regions + d->sites;
	OTF2_GlobalDefWriter_WriteParadigm(d->w, OTF2_PARADIGM_MPI,
					   define_string(d, "MPI"),
					   OTF2_PARADIGM_CLASS_PROCESS);
	OTF2_GlobalDefWriter_WriteParadigm(d->w, OTF2_PARADIGM_USER,
					   define_string(d, "user regions"),
					   OTF2_PARADIGM_CLASS_PROCESS);
	where = define_string(d, "call site");
	OTF2_GlobalDefWriter_WriteAttribute(d->w, 0, where, where,
					    OTF2_TYPE_STRING);
	define_system_tree(d, events);
	define_locations(d);
	define_communicators(d);
	define_named_groups(d);
	define_windows(d);
	define_counters(d);
	d->strings = 0;
	define_names(d);
}
