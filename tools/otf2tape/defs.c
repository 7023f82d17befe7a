/* Definitions of OTF2; see defs.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "defs.h"
#include "growing_array.h"
#include "sort.h"
#include "tape_reader.h"
#include "tool.h"

/* The attribute of a call site in archives of t2otf2. */
static const char SITE[] = "call site";

void defs_check(OTF2_ErrorCode code, const char *path, const char *what)
{
	if (code != OTF2_SUCCESS)
		tape_die(TAPE_FAILED, "%s: %s: OTF2: %s", path, what,
			 OTF2_Error_GetDescription(code));
}

/* Returns the definition of ref in a table; a new one is zeroed. */
static void *add_definition(struct tape_table *t, uint64_t ref)
{
	return tape_must(
	    t->used < DEFINITIONS_MAX ? tape_table_get(t, ref_key(ref)) : NULL);
}

/* Makes space for another item in an array of n. */
static void *grow_definitions(void *array, size_t n, size_t bytes)
{
	if (n >= DEFINITIONS_MAX)
		tape_die(TAPE_FAILED, "too many definitions");
	return tape_must(tape_grow_list(array, n, bytes));
}

const char *definitions_string(const struct definitions *d, OTF2_StringRef s)
{
	char **p = tape_table_find(&d->strings, ref_key(s));

	return p && *p ? *p : "";
}

const struct region *definitions_region(const struct definitions *d,
					OTF2_RegionRef region)
{
	return tape_table_find(&d->regions, ref_key(region));
}

/* The host is the nearest node of class "node", else the process's own node. */
const char *definitions_host(const struct definitions *d,
			     const struct process *p)
{
	const struct node *n = tape_table_find(&d->nodes, ref_key(p->node));
	const char *name = n ? definitions_string(d, n->name) : "?";

	/* in a damaged archive parents may form a cycle */
	for (size_t i = 0; n && i <= d->nodes.used; i++) {
		if (!strcasecmp(definitions_string(d, n->kind), "node"))
			return definitions_string(d, n->name);
		n = tape_table_find(&d->nodes, ref_key(n->parent));
	}
	return *name ? name : "?";
}

int definitions_position(const struct definitions *d, const struct process *p,
			 char position[TAPE_POSITION_MAX])
{
	const struct node *chain[TAPE_STEPS_MAX];
	const struct node *n = tape_table_find(&d->nodes, ref_key(p->node));
	int depth = 0, hosts = 0, more = 0;

	for (; n && depth < TAPE_STEPS_MAX; depth++) {
		chain[depth] = n;
		n = tape_table_find(&d->nodes, ref_key(n->parent));
	}
	/* too deep, or a cycle */
	if (n || !depth)
		return 0;
	strcpy(position, TAPE_LEVEL_CLUSTER);
	for (int i = depth - 2; i >= 0; i--) {
		const char *type = definitions_string(d, chain[i]->kind);
		const char *name = definitions_string(d, chain[i]->name);
		size_t bytes = strlen(type);
		int host = !strcasecmp(type, "node");

		/* written by t2otf2: "L3:1" of class L3 */
		if (!strncmp(name, type, bytes) && name[bytes] == ':')
			name += bytes + 1;
		hosts += host;
		more += !host;
		if (tape_position_add(position,
				      host ? TAPE_LEVEL_MACHINE : type, name))
			return 0;
	}
	return hosts == 1 && more;
}

/* ---- callbacks ---- */

static OTF2_CallbackCode on_clock(void *own, uint64_t ticks_per_s,
				  uint64_t offset, uint64_t length,
				  uint64_t realtime)
{
	struct definitions *d = own;

	(void)offset;
	(void)length;
	(void)realtime;
	d->ticks_per_s = ticks_per_s;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *own, OTF2_StringRef self,
				   const char *text)
{
	struct definitions *d = own;
	char **p = add_definition(&d->strings, self);

	free(*p);
	*p = tape_must(strdup(text));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *own, OTF2_AttributeRef self,
				      OTF2_StringRef name,
				      OTF2_StringRef about, OTF2_Type type)
{
	struct definitions *d = own;

	(void)about;
	if (type == OTF2_TYPE_STRING &&
	    !strcmp(definitions_string(d, name), SITE))
		d->site = self;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *own, OTF2_SystemTreeNodeRef self,
				 OTF2_StringRef name, OTF2_StringRef kind,
				 OTF2_SystemTreeNodeRef parent)
{
	struct definitions *d = own;
	struct node *n = add_definition(&d->nodes, self);

	*n = (struct node){ name, kind, parent, 0 };
	return OTF2_CALLBACK_SUCCESS;
}

#if OTF2_VERSION_MAJOR >= 3
static OTF2_CallbackCode on_process(void *own, OTF2_LocationGroupRef self,
				    OTF2_StringRef name,
				    OTF2_LocationGroupType type,
				    OTF2_SystemTreeNodeRef node,
				    OTF2_LocationGroupRef creator)
#else
static OTF2_CallbackCode on_process(void *own, OTF2_LocationGroupRef self,
				    OTF2_StringRef name,
				    OTF2_LocationGroupType type,
				    OTF2_SystemTreeNodeRef node)
#endif
{
	struct definitions *d = own;
	struct process *p = add_definition(&d->processes, self);

#if OTF2_VERSION_MAJOR >= 3
	(void)creator;
#endif
	*p = (struct process){ name, node, -1,
			       type == OTF2_LOCATION_GROUP_TYPE_PROCESS };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *own, OTF2_LocationRef self,
				     OTF2_StringRef name,
				     OTF2_LocationType type, uint64_t events,
				     OTF2_LocationGroupRef process)
{
	struct definitions *d = own;

	(void)name;
	(void)events;
	d->locations = grow_definitions(d->locations, d->n_locations,
					sizeof *d->locations);
	d->locations[d->n_locations++] = (struct location){
		self, process, type == OTF2_LOCATION_TYPE_CPU_THREAD, -1, -1
	};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_region(void *own, OTF2_RegionRef self, OTF2_StringRef name,
	  OTF2_StringRef canonical, OTF2_StringRef about, OTF2_RegionRole role,
	  OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
	  uint32_t begin, uint32_t end)
{
	struct definitions *d = own;
	struct region *r = add_definition(&d->regions, self);

	(void)canonical;
	(void)about;
	(void)role;
	(void)paradigm;
	(void)flags;
	(void)end;
	*r = (struct region){ name, file, begin, 0, 0, self };
	return OTF2_CALLBACK_SUCCESS;
}

/* The group of the world may have the number of another group. */
static OTF2_CallbackCode on_group(void *own, OTF2_GroupRef self,
				  OTF2_StringRef name, OTF2_GroupType type,
				  OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
				  uint32_t n, const uint64_t *members)
{
	struct definitions *d = own;
	int is_world = type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
	uint64_t *copy;
	struct group *g;

	(void)name;
	(void)flags;
	if (paradigm != OTF2_PARADIGM_MPI ||
	    (!is_world && type != OTF2_GROUP_TYPE_COMM_GROUP &&
	     type != OTF2_GROUP_TYPE_COMM_SELF) ||
	    (is_world && d->world))
		return OTF2_CALLBACK_SUCCESS;
	copy = calloc((size_t)n + 1, sizeof *copy);
	if (!copy || n > DEFINITIONS_MAX)
		tape_die_no_memory();
	if (n)
		memcpy(copy, members, n * sizeof *copy);
	if (is_world) {
		d->world = copy;
		d->n_world = n;
		return OTF2_CALLBACK_SUCCESS;
	}
	g = add_definition(&d->groups, self);
	free(g->members);
	*g = (struct group){ copy, n, type == OTF2_GROUP_TYPE_COMM_SELF };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode add_comm(struct definitions *d, OTF2_CommRef self,
				  OTF2_StringRef name, OTF2_GroupRef a,
				  OTF2_GroupRef b)
{
	d->comms = grow_definitions(d->comms, d->n_comms, sizeof *d->comms);
	d->comms[d->n_comms++] = (struct comm){ self, name, a, b };
	return OTF2_CALLBACK_SUCCESS;
}

#if OTF2_VERSION_MAJOR >= 3
static OTF2_CallbackCode on_comm(void *own, OTF2_CommRef self,
				 OTF2_StringRef name, OTF2_GroupRef group,
				 OTF2_CommRef parent, OTF2_CommFlag flags)
{
	(void)parent;
	(void)flags;
	return add_comm(own, self, name, group, OTF2_UNDEFINED_GROUP);
}

static OTF2_CallbackCode on_inter_comm(void *own, OTF2_CommRef self,
				       OTF2_StringRef name, OTF2_GroupRef a,
				       OTF2_GroupRef b, OTF2_CommRef common,
				       OTF2_CommFlag flags)
{
	(void)common;
	(void)flags;
	return add_comm(own, self, name, a, b);
}
#else
static OTF2_CallbackCode on_comm(void *own, OTF2_CommRef self,
				 OTF2_StringRef name, OTF2_GroupRef group,
				 OTF2_CommRef parent)
{
	(void)parent;
	return add_comm(own, self, name, group, OTF2_UNDEFINED_GROUP);
}
#endif

static OTF2_CallbackCode
on_metric(void *own, OTF2_MetricMemberRef self, OTF2_StringRef name,
	  OTF2_StringRef about, OTF2_MetricType type, OTF2_MetricMode mode,
	  OTF2_Type value, OTF2_Base base, int64_t exponent,
	  OTF2_StringRef unit)
{
	struct definitions *d = own;
	struct metric *m = add_definition(&d->metrics, self);

	(void)about;
	(void)type;
	*m = (struct metric){ name, unit, -1,
			      mode == OTF2_METRIC_ACCUMULATED_START &&
				      (value == OTF2_TYPE_INT64 ||
				       value == OTF2_TYPE_UINT64) &&
				      (base == OTF2_BASE_DECIMAL ||
				       base == OTF2_BASE_BINARY) &&
				      !exponent };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_class(void *own, OTF2_MetricRef self,
					 uint8_t n,
					 const OTF2_MetricMemberRef *members,
					 OTF2_MetricOccurrence when,
					 OTF2_RecorderKind recorder)
{
	struct definitions *d = own;
	struct metric_class *c = add_definition(&d->metric_classes, self);

	(void)when;
	(void)recorder;
	free(c->members);
	c->members = tape_must(calloc((size_t)n + 1, sizeof *c->members));
	if (n)
		memcpy(c->members, members, n * sizeof *c->members);
	c->n = n;
	return OTF2_CALLBACK_SUCCESS;
}

static int order_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Metrics with the same name and unit are one counter. */
static void number_counters(struct definitions *d)
{
	uint64_t *keys = tape_must(calloc(d->metrics.used + 1, sizeof *keys));
	size_t at = 0, n = 0;
	struct metric *m;
	uint32_t i;

	while (tape_table_each(&d->metrics, &at, &keys[n]))
		n++;
	tape_sort(keys, n, sizeof *keys, order_by_number);
	for (size_t k = 0; k < n; k++) {
		m = tape_table_find(&d->metrics, keys[k]);
		for (i = 0; m->counts && i < d->n_counters; i++)
			if (!strcmp(definitions_string(d, m->name),
				    definitions_string(
					    d, d->counters[i]->name)) &&
			    !strcmp(definitions_string(d, m->unit),
				    definitions_string(
					    d, d->counters[i]->unit)))
				break;
		if (!m->counts || i == TAPE_COUNTERS_MAX) {
			d->left_metrics++;
			continue;
		}
		if (i == d->n_counters)
			d->counters[d->n_counters++] = m;
		m->counter = (int32_t)i;
	}
	free(keys);
}

/* ---- all of them ---- */

/* Returns the MPI call of a region's name, also as Fortran compilers write it;
 * 0: none. */
static uint32_t find_mpi_call(const char *name)
{
	char text[64];
	size_t n = strlen(name);

	if (strncasecmp(name, "mpi_", 4) || n < 5 || n >= sizeof text)
		return 0;
	while (n > 5 && name[n - 1] == '_')
		n--;
	memcpy(text, "MPI_", 4);
	for (size_t i = 4; i < n; i++)
		text[i] = (char)tolower((unsigned char)name[i]);
	text[4] = (char)toupper((unsigned char)text[4]);
	text[n] = '\0';
	/* names with more capitals are found only in their exact form */
	return tape_call_find(name) ? tape_call_find(name)
				    : tape_call_find(text);
}

struct named {
	const char *name;
	struct region *region;
};

static int order_by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void name_regions(struct definitions *d)
{
	struct named *all = tape_must(calloc(d->regions.used + 1, sizeof *all));
	uint64_t key;
	size_t n = 0, at = 0;
	uint32_t same = 0;
	struct region *r;

	while ((r = tape_table_each(&d->regions, &at, &key)))
		all[n++] = (struct named){ definitions_string(d, r->name), r };
	tape_sort(all, n, sizeof *all, order_by_name);
	for (size_t i = 0; i < n; i++) {
		same += !i || strcmp(all[i].name, all[i - 1].name);
		all[i].region->same = same;
		all[i].region->call = find_mpi_call(all[i].name);
	}
	free(all);
}

static OTF2_GlobalDefReaderCallbacks *new_definition_callbacks(void)
{
	OTF2_GlobalDefReaderCallbacks *c =
	    tape_must(OTF2_GlobalDefReaderCallbacks_New());

	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
	OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_process);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
	OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_metric);
	OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c,
							     on_metric_class);
#if OTF2_VERSION_MAJOR >= 3
	OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_inter_comm);
#endif
	return c;
}

struct definitions *definitions_read(OTF2_Reader *r, const char *path)
{
	struct definitions *d = tape_must(calloc(1, sizeof *d));
	OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(r);
	OTF2_GlobalDefReaderCallbacks *c = new_definition_callbacks();
	uint64_t n;

	if (!reader)
		tape_die(TAPE_FAILED, "%s: the definitions cannot be read",
			 path);
	d->strings.bytes = sizeof(char *);
	d->regions.bytes = sizeof(struct region);
	d->nodes.bytes = sizeof(struct node);
	d->processes.bytes = sizeof(struct process);
	d->groups.bytes = sizeof(struct group);
	d->metrics.bytes = sizeof(struct metric);
	d->metric_classes.bytes = sizeof(struct metric_class);
	d->site = OTF2_UNDEFINED_ATTRIBUTE;
	defs_check(OTF2_Reader_RegisterGlobalDefCallbacks(r, reader, c, d),
		      path, "definitions");
	OTF2_GlobalDefReaderCallbacks_Delete(c);
	defs_check(OTF2_Reader_ReadAllGlobalDefinitions(r, reader, &n), path,
		      "definitions");
	defs_check(OTF2_Reader_CloseGlobalDefReader(r, reader), path,
		      "definitions");
	if (!d->ticks_per_s)
		tape_die(TAPE_FAILED,
			 "%s: the resolution of its clock is missing", path);
	name_regions(d);
	number_counters(d);
	return d;
}

void definitions_free(struct definitions *d)
{
	uint64_t key;
	size_t at = 0;
	struct metric_class *c;
	struct group *g;
	char **s;

	while ((s = tape_table_each(&d->strings, &at, &key)))
		free(*s);
	at = 0;
	while ((g = tape_table_each(&d->groups, &at, &key)))
		free(g->members);
	at = 0;
	while ((c = tape_table_each(&d->metric_classes, &at, &key)))
		free(c->members);
	tape_table_free(&d->metrics);
	tape_table_free(&d->metric_classes);
	tape_table_free(&d->strings);
	tape_table_free(&d->regions);
	tape_table_free(&d->nodes);
	tape_table_free(&d->processes);
	tape_table_free(&d->groups);
	free(d->locations);
	free(d->comms);
	free(d->world);
	free(d);
}
