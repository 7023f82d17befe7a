/*
 * tape-plugin, the process of one plug-in, which lib/plugin starts. It loads
 * the plug-in, reads entries from shared memory, and runs the knowledge
 * sources.
 *
 *	tape-plugin MEMORY PIPE PARENT FILE ARGUMENTS
 *
 * MEMORY and PIPE are descriptors, PARENT is the process that started it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plugin_output.h"
#include "tool.h"
#include "unpack.h"

enum { SECOND = 1000000000 };

/* The state of a level, merged over the processes that feed it. */
struct level {
	int begun, over;
	uint32_t ended;		 /* number of feeders that have ended */
	struct tape_ks_end end;	 /* merged end of these feeders */
	struct tape_ks_tick *at; /* last tick of each feeder */
	int64_t tick_ns;
	uint64_t ticks;
	struct unpack_places places;
};

struct process {
	struct plug_shared *shared;
	struct tape_board *board;
	const struct tape_plugin *plugin;
	struct plugin_output output;
	struct level *level; /* index: level number - 1 */
	struct unpack *ring; /* reader of each ring */
	uint32_t rings;
};

/* ---- the plug-in ---- */

static const struct tape_plugin *load_plugin(struct plug_shared *s,
					     const char *file)
{
	void *so = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	const struct tape_plugin *p;

	if (!so)
		plugin_output_fail(s, "cannot be loaded: %s", dlerror());
	p = dlsym(so, "tape_plugin");
	if (!p)
		plugin_output_fail(
		    s, "is no plug-in: it does not define tape_plugin");
	if (p->version != TAPE_PLUGIN_VERSION)
		plugin_output_fail(s,
				   "was built for version %d of the interface, "
				   "this is version %d",
				   p->version, TAPE_PLUGIN_VERSION);
	return p;
}

static void publish_wants(void *self, uint32_t level, uint32_t types)
{
	struct process *p = self;

	for (uint32_t i = 0; level && i < p->shared->feeders; i++)
		atomic_store(
		    &p->shared
			 ->ring[plug_ring_index(p->shared->feeders, level, i)]
			 .wants,
		    types);
}

/* Begins the feed of a ring. The first feeder of a level begins the level. */
static void begin_level(struct process *p, struct unpack *u)
{
	struct level *l = &p->level[u->level - 1];

	u->begun = 1;
	if (!l->begun && p->plugin->level &&
	    p->plugin->level(p->board, &u->about))
		plugin_output_fail(p->shared, "its function level failed");
	l->begun = 1;
	sem_post(&p->shared->ring[u - p->ring].begun);
}

static void submit_entry(struct process *p, uint32_t level,
			 enum tape_board_type type, const void *entry,
			 size_t size)
{
	struct tape_pack *k = tape_pack_new(p->board, 1, size);

	memcpy(tape_pack_add(k, level, type, size), entry, size);
	tape_board_submit(p->board, k);
}

/* Waits for all jobs of the level, then runs its END entry. */
static void end_level(struct process *p, uint32_t level,
		      const struct tape_ks_end *e)
{
	tape_board_wait_idle(p->board, level);
	submit_entry(p, level, TAPE_BOARD_END, e, sizeof *e);
	tape_board_wait_idle(p->board, level);
	atomic_fetch_add(&p->shared->progress, 1);
}

/* ---- several feeders of one level ---- */

static struct unpack *feeder_ring(const struct process *p, uint32_t level,
				  uint32_t feeder)
{
	return &p->ring[plug_ring_index(p->shared->feeders, level, feeder)];
}

/* Submits a tick when a second has passed for all feeders that have ranks. */
static void merge_ticks(struct process *p, const struct unpack *of)
{
	struct level *l = &p->level[of->level - 1];
	struct tape_ks_tick k = {.ns = INT64_MAX, .k = l->ticks};

	for (uint32_t i = 0; i < of->feeders; i++) {
		const struct unpack *u = feeder_ring(p, of->level, i);

		k.events += l->at[i].events;
		if (!u->begun)
			return;
		if (u->own && !u->over && l->at[i].ns < k.ns)
			k.ns = l->at[i].ns;
	}
	if (k.ns == INT64_MAX || k.ns < l->tick_ns)
		return;
	l->ticks++;
	l->tick_ns = k.ns > INT64_MAX - SECOND ? INT64_MAX : k.ns + SECOND;
	submit_entry(p, of->level, TAPE_BOARD_TICK, &k, sizeof k);
}

/* Ends a feeder. The level ends with its last feeder. */
static void end_feeder(struct process *p, struct unpack *u,
		       const struct tape_ks_end *e)
{
	struct level *l = &p->level[u->level - 1];

	u->over = 1;
	if (e->events && (!l->end.events || e->from_ns < l->end.from_ns))
		l->end.from_ns = e->from_ns;
	if (e->events && (!l->end.events || e->to_ns > l->end.to_ns))
		l->end.to_ns = e->to_ns;
	l->end.events += e->events;
	if (++l->ended == u->feeders) {
		l->over = 1;
		end_level(p, u->level, &l->end);
	} else {
		merge_ticks(p, u);
	}
}

/* ---- input ---- */

static void read_records(struct process *p, struct unpack *u, const char *data,
			 size_t bytes)
{
	struct level *l = &p->level[u->level - 1];
	struct tape_ks_end e;
	const void *what;
	unsigned kind;

	for (size_t at = 0; at < bytes && !u->over;) {
		at += unpack_records(u, p->board, data + at, bytes - at, &kind,
				     &what);
		if (kind == PLUG_BEGIN && !u->begun) {
			begin_level(p, u);
		} else if (kind == TAPE_BOARD_TICK && u->begun) {
			memcpy(&l->at[(uint32_t)(u - p->ring) %
				      p->shared->feeders],
			       what, sizeof *l->at);
			merge_ticks(p, u);
		} else if (kind == TAPE_BOARD_END) {
			memcpy(&e, what, sizeof e);
			end_feeder(p, u, &e);
		}
	}
}

static void read_slot(struct process *p, struct unpack *u,
		      const struct plug_slot *s)
{
	size_t n = s->bytes < PLUG_SLOT_BYTES ? s->bytes : PLUG_SLOT_BYTES;

	if (!s->more && !u->n_whole) {
		read_records(p, u, s->data, n);
		return;
	}
	u->whole = tape_must(realloc(u->whole, u->n_whole + n));
	memcpy(u->whole + u->n_whole, s->data, n);
	u->n_whole += n;
	if (s->more)
		return;
	read_records(p, u, u->whole, u->n_whole);
	free(u->whole);
	u->whole = NULL;
	u->n_whole = 0;
}

/* Reads all filled slots. Returns their number. */
static unsigned read_rings(struct process *p)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < p->rings; i++) {
		struct plug_ring *r = &p->shared->ring[i];
		struct unpack *u = &p->ring[i];

		while (u->taken != atomic_load(&r->filled)) {
			read_slot(p, u, &r->slot[u->taken++ % PLUG_SLOTS]);
			sem_post(&r->space);
			atomic_fetch_add(&p->shared->progress, 1);
			n++;
		}
	}
	return n;
}

static void run_plugin(struct process *p)
{
	struct tape_ks_end none = {0};
	int over = 0;

	while (!over) {
		if (sem_wait(&p->shared->work) && errno != EINTR)
			break;
		over = atomic_load(&p->shared->over) != 0;
		read_rings(p);
	}
	/* a level whose analysis was killed ends, too */
	for (uint32_t i = 0; i < p->shared->levels; i++)
		if (p->level[i].begun && !p->level[i].over)
			end_level(p, i + 1, &p->level[i].end);
	end_level(p, 0, &none);
	if (p->plugin->over)
		p->plugin->over(p->board);
}

/* ---- main ---- */

static void open_levels(struct process *p)
{
	uint32_t feeders = p->shared->feeders;

	p->level = tape_must(calloc(p->shared->levels + 1, sizeof *p->level));
	p->rings = p->shared->levels * feeders;
	p->ring = tape_must(calloc(p->rings + 1, sizeof *p->ring));
	for (uint32_t i = 0; i < p->shared->levels; i++) {
		struct level *l = &p->level[i];

		l->tick_ns = INT64_MIN;
		l->at = tape_must(calloc(feeders, sizeof *l->at));
		for (uint32_t k = 0; k < feeders; k++) {
			l->at[k].ns = INT64_MIN;
			feeder_ring(p, i + 1, k)->level = i + 1;
			feeder_ring(p, i + 1, k)->places = &l->places;
		}
	}
}

static void close_levels(struct process *p)
{
	for (uint32_t i = 0; i < p->rings; i++)
		unpack_free(&p->ring[i]);
	for (uint32_t i = 0; i < p->shared->levels; i++) {
		unpack_places_free(&p->level[i].places);
		free(p->level[i].at);
	}
	free(p->ring);
	free(p->level);
}

static struct plug_shared *map_shared(const char *fd)
{
	struct stat st;
	int n = atoi(fd);
	void *at;

	if (fstat(n, &st) || (size_t)st.st_size < sizeof(struct plug_shared))
		tape_die(TAPE_FAILED, "no shared memory");
	at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		  n, 0);
	if (at == MAP_FAILED)
		tape_die(TAPE_FAILED, "shared memory: %s", strerror(errno));
	close(n);
	return at;
}

int main(int argc, char **argv)
{
	struct process p = {0};
	struct plug_shared *s;
	int pipe;

	tape_tool("tape-plugin");
	if (argc != 6)
		tape_die(TAPE_USAGE, "it is for tools of Tape: see --plugin of "
				     "tapestat(1)");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != atoi(argv[3]))
		return TAPE_FAILED;
	/*
	 * the analysis ends this process; a terminal sends these signals to all
	 */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	p.shared = s = map_shared(argv[1]);
	pipe = atoi(argv[2]);
	plugin_output_open(&p.output, s, argv[5]);
	open_levels(&p);
	p.plugin = load_plugin(s, argv[4]);
	p.board = tape_board_new(s->workers, s->levels);
	tape_board_set_context(p.board, &p.output);
	tape_board_watch(p.board, publish_wants, &p);
	if (p.plugin->open && p.plugin->open(p.board))
		plugin_output_fail(s, "its function open failed");
	atomic_store(&s->state, PLUG_READY);
	sem_post(&s->ready);
	run_plugin(&p);
	tape_board_free(p.board);
	plugin_output_close(&p.output, pipe);
	close_levels(&p);
	return TAPE_DONE;
}
