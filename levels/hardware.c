/* The inside of a host; see hardware.h. */
#include "number_text.h"
#include "hardware.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { PROCESSORS_MAX = 65536 };

int tape_hardware_known(void)
{
#ifdef TAPE_HAVE_HWLOC
	return 1;
#else
	return 0;
#endif
}

static int alloc_positions(struct tape_hardware *h, int n)
{
	h->to = calloc((size_t)n, sizeof *h->to);
	if (!h->to)
		return TAPE_ENOMEM;
	h->n = n;
	return 0;
}

void tape_hardware_free(struct tape_hardware *h)
{
	for (int i = 0; i < h->n; i++)
		free(h->to[i]);
	free(h->to);
	h->to = NULL;
	h->n = 0;
}

#ifdef TAPE_HAVE_HWLOC
#include <hwloc.h>

/* A step for that object, and one for a NUMA node that belongs to it. */
static void add_object(char *path, hwloc_obj_t o)
{
	char type[TAPE_LEVEL_MAX], number[16];

	/* a group that stands for its NUMA node says nothing more than that */
	if (o->type != HWLOC_OBJ_GROUP || !o->memory_arity) {
		hwloc_obj_type_snprintf(type, sizeof type, o, 0);
		snprintf(number, sizeof number, "%u", o->logical_index);
		tape_position_add(path, type, number);
	}
	for (hwloc_obj_t m = o->memory_first_child; m; m = m->next_sibling) {
		if (m->type != HWLOC_OBJ_NUMANODE)
			continue;
		snprintf(number, sizeof number, "%u", m->logical_index);
		tape_position_add(path, "NUMANode", number);
		return;
	}
}

static void add_path(char *path, hwloc_obj_t o)
{
	if (o->type == HWLOC_OBJ_MACHINE)
		return;
	if (o->parent)
		add_path(path, o->parent);
	if (o->type == HWLOC_OBJ_PU && o->parent &&
	    o->parent->type == HWLOC_OBJ_CORE && o->parent->arity == 1)
		return;
	add_object(path, o);
}

/* Is the only NUMA node that of the whole machine? */
static int is_node(hwloc_topology_t t)
{
	hwloc_obj_t m = hwloc_get_root_obj(t)->memory_first_child;

	while (m && m->type != HWLOC_OBJ_NUMANODE)
		m = m->next_sibling;
	return m && hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE) == 1;
}

static int read_topology(struct tape_hardware *h, hwloc_topology_t t)
{
	int units = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU), most = -1;

	for (int i = 0; i < units; i++) {
		hwloc_obj_t o =
		    hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, (unsigned)i);

		if (o->os_index < PROCESSORS_MAX && (int)o->os_index > most)
			most = (int)o->os_index;
	}
	if (most < 0)
		return 0;
	if (alloc_positions(h, most + 1))
		return TAPE_ENOMEM;
	h->is_node = is_node(t);
	for (int i = 0; i < units; i++) {
		hwloc_obj_t o =
		    hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, (unsigned)i);
		char path[TAPE_POSITION_MAX] = "";

		if (o->os_index >= PROCESSORS_MAX)
			continue;
		add_path(path, o);
		h->to[o->os_index] = strdup(path);
		if (!h->to[o->os_index])
			return TAPE_ENOMEM;
	}
	return 0;
}

/* Else hwloc moves the thread to each processor in turn, and back. */
#if HWLOC_API_VERSION >= 0x00020500
#define STAY HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING
#else
#define STAY 0
#endif

/*
 * With what this process is not allowed to use, so that all processes of the
 * host number alike; devices are not looked for.
 */
int tape_hardware_load(struct tape_hardware *h)
{
	hwloc_topology_t t;
	int e = 0;

	memset(h, 0, sizeof *h);
	if (hwloc_topology_init(&t))
		return TAPE_ENOMEM;
	hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
					HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM |
					STAY);
	hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(t, HWLOC_OBJ_MISC,
				       HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_icache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(t, HWLOC_OBJ_GROUP,
				       HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
	if (hwloc_topology_load(t) == 0)
		e = read_topology(h, t);
	hwloc_topology_destroy(t);
	if (e)
		tape_hardware_free(h);
	return e;
}
#else
int tape_hardware_load(struct tape_hardware *h)
{
	memset(h, 0, sizeof *h);
	return 0;
}
#endif

char *tape_hardware_text(const struct tape_hardware *h)
{
	size_t bytes = 1;
	char *text, *s;

	for (int i = 0; i < h->n; i++)
		bytes += (h->to[i] ? strlen(h->to[i]) : 0) + 1;
	s = text = malloc(bytes);
	if (!text)
		return NULL;
	for (int i = 0; i < h->n; i++) {
		s = stpcpy(s, h->to[i] ? h->to[i] : "");
		*s++ = '\n';
	}
	*s = '\0';
	return text;
}

int tape_hardware_parse(struct tape_hardware *h, const char *text)
{
	int n = 0;

	memset(h, 0, sizeof *h);
	for (const char *s = text; *s; s++)
		n += *s == '\n';
	if (n > PROCESSORS_MAX)
		return TAPE_EFORMAT;
	if (n && alloc_positions(h, n))
		return TAPE_ENOMEM;
	for (int i = 0; i < n; i++) {
		size_t length = strcspn(text, "\n");

		h->to[i] = strndup(text, length);
		text += length + 1;
		if (!h->to[i] || (length && !tape_position_valid(h->to[i]))) {
			int e = h->to[i] ? TAPE_EFORMAT : TAPE_ENOMEM;

			tape_hardware_free(h);
			return e;
		}
	}
	return 0;
}

/* Shortens path to its common prefix with the path of the given processor. */
static int cut_to_common(const struct tape_hardware *h, unsigned long processor,
			 char *path, int first)
{
	const char *to;

	if (processor >= (unsigned long)h->n)
		return first;
	to = h->to[processor];
	if (!to || !*to)
		return first;
	if (first)
		snprintf(path, TAPE_POSITION_MAX, "%s", to);
	else
		tape_position_cut(path, to);
	return 0;
}

/* What holds the processors of a list; "": nothing but the machine. */
static int read_list(const struct tape_hardware *h, const char *list,
		     char *path)
{
	int first = 1;

	path[0] = '\0';
	if (strcmp(list, "all") == 0)
		list = "0-65535";
	for (;;) {
		uint64_t from, to;

		if (*list < '0' || *list > '9' ||
		    tape_parse_range(&list, PROCESSORS_MAX - 1, &from, &to))
			return TAPE_ERANGE;
		for (; from <= to && from < (uint64_t)h->n; from++)
			first = cut_to_common(h, from, path, first);
		if (!*list)
			return 0;
		if (*list != ',')
			return TAPE_ERANGE;
		list++;
	}
}

static void read_affinity(const struct tape_hardware *h, char *path)
{
	size_t bytes = CPU_ALLOC_SIZE(PROCESSORS_MAX);
	cpu_set_t *set = CPU_ALLOC(PROCESSORS_MAX);
	int first = 1;

	path[0] = '\0';
	if (set && sched_getaffinity(0, bytes, set) == 0)
		for (int i = 0; i < h->n; i++)
			if (CPU_ISSET_S((size_t)i, bytes, set))
				first = cut_to_common(h, (unsigned long)i, path,
						      first);
	CPU_FREE(set);
}

int tape_hardware_position(const struct tape_hardware *h,
			   char position[TAPE_POSITION_MAX])
{
	const char *list = secure_getenv("TAPE_BINDING");
	char path[TAPE_POSITION_MAX], step[TAPE_STEP_MAX];
	size_t at = 0;

	if (!list || !*list)
		read_affinity(h, path);
	else if (read_list(h, list, path))
		return TAPE_ERANGE;
	for (;;) {
		char *name;

		tape_position_next(path, at, step);
		if (!*step)
			return 0;
		at += strlen(step) + (at > 0);
		name = strchr(step, ':');
		if (name)
			*name++ = '\0';
		if (tape_position_add(position, step, name))
			return 0; /* too deep to tell: the levels above hold */
	}
}
