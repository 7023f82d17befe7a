/* The interface of libtape-stream; see tape_stream.h. */
#include <stdio.h>
#include <stdlib.h>

#include "streams.h"
#include "partitions.h"

static struct tape_links links;
static int started;

struct tape_map {
	int *ranks;
	int n;
};

int tape_stream_start(const char *name)
{
	const struct tape_partition_request request = {.name = name};
	char error[TAPE_PARTITION_ERROR];
	int up = 0, over = 0;

	if (started)
		return 0;
	PMPI_Initialized(&up);
	PMPI_Finalized(&over);
	if (!up || over)
		return TAPE_STREAM_ESTATE;
	if (tape_partitions_open(&request, error, sizeof error)) {
		fprintf(stderr, "tape: %s\n", error);
		return TAPE_STREAM_EMPI;
	}
	if (tape_links_open(&links, tape_partitions()->universe,
			    TAPE_LINKS_LIBRARY)) {
		tape_partitions_close();
		return TAPE_STREAM_ENOMEM;
	}
	started = 1;
	return 0;
}

int tape_stream_stop(void)
{
	if (!started)
		return TAPE_STREAM_ESTATE;
	started = 0;
	tape_links_close(&links);
	tape_partitions_close();
	return 0;
}

/* NULL: there is none of that number. */
static const struct tape_partition *get_partition(int id)
{
	const struct tape_partitions *p = started ? tape_partitions() : NULL;

	return p && id >= 0 && id < p->n ? &p->list[id] : NULL;
}

int tape_partition_count(void)
{
	return started ? tape_partitions()->n : TAPE_STREAM_ESTATE;
}

int tape_partition_mine(void)
{
	return started ? tape_partitions()->my->id : TAPE_STREAM_ESTATE;
}

int tape_partition_find(const char *name)
{
	const struct tape_partition *p =
	    started ? tape_partitions_find(name) : NULL;

	return p ? p->id : TAPE_STREAM_EINVAL;
}

const char *tape_partition_name(int id)
{
	const struct tape_partition *p = get_partition(id);

	return p ? p->name : NULL;
}

int tape_partition_size(int id)
{
	const struct tape_partition *p = get_partition(id);

	return p ? p->size : 0;
}

int tape_partition_rank(int id, int index)
{
	const struct tape_partition *p = get_partition(id);

	return p && index >= 0 && index < p->size ? p->ranks[index]
						  : TAPE_STREAM_EINVAL;
}

tape_map *tape_map_create(void)
{
	return calloc(1, sizeof(tape_map));
}

void tape_map_clear(tape_map *map)
{
	free(map->ranks);
	map->ranks = NULL;
	map->n = 0;
}

void tape_map_free(tape_map *map)
{
	if (map)
		tape_map_clear(map);
	free(map);
}

static int append_partition(tape_map *map, int id,
			    const struct tape_links_rule *rule)
{
	const struct tape_partition *other = get_partition(id), *mine;
	int ours;

	if (!started)
		return TAPE_STREAM_ESTATE;
	mine = tape_partitions()->my;
	if (!other || other == mine)
		return TAPE_STREAM_EINVAL;
	ours = mine->size > other->size ||
	       (mine->size == other->size && mine->id > other->id);
	{
		const struct tape_links_side a = {mine->ranks, mine->size};
		const struct tape_links_side b = {other->ranks, other->size};

		return tape_links_map(&links, ours ? &a : &b, ours ? &b : &a,
				      rule, &map->ranks, &map->n);
	}
}

int tape_map_partition(tape_map *map, int id, enum tape_map_policy policy,
		       uint64_t seed)
{
	const struct tape_links_rule rule = {
	    .policy = policy, .seed = seed, .pivot = policy == TAPE_MAP_RANDOM};

	if ((unsigned)policy > TAPE_MAP_RANDOM)
		return TAPE_STREAM_EINVAL;
	return append_partition(map, id, &rule);
}

/* Of the other targets and the sources nobody calls it. */
static int map_none(int source, int sources, int targets, void *of)
{
	(void)source, (void)sources, (void)targets, (void)of;
	return -1;
}

int tape_map_with(tape_map *map, int id, tape_map_function *function, void *of)
{
	const struct tape_links_rule rule = {
	    .function = function ? function : map_none, .of = of, .pivot = 1};

	return append_partition(map, id, &rule);
}

int tape_map_rank(tape_map *map, int rank)
{
	if (!started)
		return TAPE_STREAM_ESTATE;
	if (rank < 0 || rank >= links.size)
		return TAPE_STREAM_EINVAL;
	return tape_links_append(&map->ranks, &map->n, rank);
}

int tape_map_size(const tape_map *map)
{
	return map->n;
}

int tape_map_get(const tape_map *map, int index)
{
	return index >= 0 && index < map->n ? map->ranks[index]
					    : TAPE_STREAM_EINVAL;
}

int tape_stream_open_map(tape_stream **stream, const tape_map *map,
			 const char *mode,
			 const struct tape_stream_options *options)
{
	*stream = NULL;
	return started ? tape_links_stream(&links, map->ranks, map->n, mode,
					   options, stream)
		       : TAPE_STREAM_ESTATE;
}

int tape_stream_open(tape_stream **stream, int rank, const char *mode,
		     const struct tape_stream_options *options)
{
	*stream = NULL;
	return started
		   ? tape_links_stream(&links, &rank, 1, mode, options, stream)
		   : TAPE_STREAM_ESTATE;
}
