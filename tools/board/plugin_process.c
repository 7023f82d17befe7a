/*
 * tape-plugin, the process of one plug-in, which tools/plugin starts: loads it,
 * reads its entries from shared memory, and runs its knowledge sources.
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

#include "said.h"
#include "tool.h"
#include "unpack.h"

struct process {
	struct plug_shared *shared;
	struct tape_board *board;
	const struct tape_plugin *plugin;
	struct said said;
	struct unpack *level; /* from 0; number level + 1 */
};

/* ---- the plug-in ---- */

static const struct tape_plugin *load(struct plug_shared *s, const char *file)
{
	void *so = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	const struct tape_plugin *p;

	if (!so)
		said_failed(s, "it does not load: %s", dlerror());
	p = dlsym(so, "tape_plugin");
	if (!p)
		said_failed(s, "it is no plug-in: it has no tape_plugin");
	if (p->version != TAPE_PLUGIN_VERSION)
		said_failed(s,
			    "it was made for version %d of the interface, "
			    "this is version %d",
			    p->version, TAPE_PLUGIN_VERSION);
	return p;
}

static void wants(void *self, uint32_t level, uint32_t types)
{
	struct process *p = self;

	if (level)
		atomic_store(&p->shared->ring[level - 1].wants, types);
}

static void begin(struct process *p, struct unpack *u)
{
	u->begun = 1;
	if (p->plugin->level && p->plugin->level(p->board, &u->about))
		said_failed(p->shared, "its function level has failed");
	sem_post(&p->shared->ring[u->level - 1].begun);
}

/* All of the level is done; then its end is. */
static void end(struct process *p, uint32_t level, const struct tape_ks_end *e)
{
	struct tape_pack *k;

	tape_board_quiet(p->board, level);
	k = tape_pack_new(p->board, 1, sizeof *e);
	memcpy(tape_pack_add(k, level, TAPE_BOARD_END, sizeof *e), e,
	       sizeof *e);
	tape_board_give(p->board, k);
	tape_board_quiet(p->board, level);
	atomic_fetch_add(&p->shared->progress, 1);
}

/* ---- what comes ---- */

static void records(struct process *p, struct unpack *u, const char *data,
		    size_t bytes)
{
	struct tape_ks_end e;
	int begins, ends;

	for (size_t at = 0; at < bytes && !u->over;) {
		at += unpack_some(u, p->board, data + at, bytes - at, &begins,
				  &ends, &e);
		if (begins && !u->begun)
			begin(p, u);
		if (ends) {
			u->over = 1;
			end(p, u->level, &e);
		}
	}
}

static void slot(struct process *p, struct unpack *u, const struct plug_slot *s)
{
	size_t n = s->bytes < PLUG_SLOT_BYTES ? s->bytes : PLUG_SLOT_BYTES;

	if (!s->more && !u->n_whole) {
		records(p, u, s->data, n);
		return;
	}
	u->whole = tape_must(realloc(u->whole, u->n_whole + n));
	memcpy(u->whole + u->n_whole, s->data, n);
	u->n_whole += n;
	if (s->more)
		return;
	records(p, u, u->whole, u->n_whole);
	free(u->whole);
	u->whole = NULL;
	u->n_whole = 0;
}

/* What lies there now: how many slots. */
static unsigned take(struct process *p)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < p->shared->levels; i++) {
		struct plug_ring *r = &p->shared->ring[i];
		struct unpack *u = &p->level[i];

		while (u->taken != atomic_load(&r->filled)) {
			slot(p, u, &r->slot[u->taken++ % PLUG_SLOTS]);
			sem_post(&r->space);
			atomic_fetch_add(&p->shared->progress, 1);
			n++;
		}
	}
	return n;
}

static void all(struct process *p)
{
	struct tape_ks_end none = {0};
	int over = 0;

	while (!over) {
		if (sem_wait(&p->shared->work) && errno != EINTR)
			break;
		over = atomic_load(&p->shared->over) != 0;
		take(p);
	}
	/* one whose analysis was killed has its end, too */
	for (uint32_t i = 0; i < p->shared->levels; i++)
		if (p->level[i].begun && !p->level[i].over)
			end(p, i + 1, &none);
	end(p, 0, &none);
	if (p->plugin->over)
		p->plugin->over(p->board);
}

/* ---- from beginning to end ---- */

static struct plug_shared *shared(const char *fd)
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
	/* the analysis ends it; a terminal sends these to all processes */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	p.shared = s = shared(argv[1]);
	pipe = atoi(argv[2]);
	said_begin(&p.said, s, argv[5]);
	p.level = tape_must(calloc(s->levels + 1, sizeof *p.level));
	for (uint32_t i = 0; i < s->levels; i++)
		p.level[i].level = i + 1;
	p.plugin = load(s, argv[4]);
	p.board = tape_board_new(s->workers, s->levels);
	tape_board_set_own(p.board, &p.said);
	tape_board_watch(p.board, wants, &p);
	if (p.plugin->open && p.plugin->open(p.board))
		said_failed(s, "its function open has failed");
	atomic_store(&s->state, PLUG_READY);
	sem_post(&s->ready);
	all(&p);
	tape_board_free(p.board);
	said_end(&p.said, pipe);
	for (uint32_t i = 0; i < s->levels; i++)
		unpack_free(&p.level[i]);
	free(p.level);
	return TAPE_DONE;
}
