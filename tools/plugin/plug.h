/* A plug-in's process, as the analysis sees it; for the files of plugins.h. */
#ifndef PLUGIN_PLUG_H
#define PLUGIN_PLUG_H

#include <sys/types.h>
#include <time.h>

#include "plug_ring.h"
#include "plugins.h"

struct plug;

/* What goes to a plug-in of one level, from one process. */
struct plug_out {
	struct plug *plug;
	struct plug_ring *ring;
	struct plug_slot *slot; /* being filled; NULL: none */
	unsigned filled;	/* slots handed over */
	uint32_t used;		/* bytes of it */
	unsigned char *defined; /* bits: texts of places */
	size_t defined_bytes;
};

struct plug {
	char *file, *args;
	struct plug_shared *s;
	size_t bytes;
	pid_t pid, owner;
	int pipe;
	int gone; /* nothing more goes to it */
	int failed;
	char why[500];
	uint32_t levels, feeders;
	double wait_s, memory_mib;
	unsigned progress; /* as last seen, */
	double since_s;	   /* and when that was new */
	char *text;	   /* what it said */
	size_t text_bytes;
	struct tape_plugins_line *line;
	size_t lines;
	struct plug_out *out; /* by plug_ring_index */
};

/* plug.c. Starts it: 0; else it has failed. */
int plug_start(struct plug *g, unsigned workers);

/* Waits for a semaphore of its: 0; -1: it is gone. */
int plug_wait(struct plug *g, sem_t *s);

/* Has it ended, or was it stopped, before anybody wants its end? Says so. */
void plug_check(struct plug *g);

/* Hears what it says to its end, and how it ends. */
void plug_finish(struct plug *g);

/* It has failed; says so on standard error. */
__attribute__((format(printf, 2, 3))) void plug_fail(struct plug *g,
						     const char *format, ...);

/* plug_out.c. Room for a record's payload; NULL: the plug-in is gone. */
void *plug_put(struct plug_out *o, unsigned kind, size_t bytes);

/* One of any length. */
void plug_put_long(struct plug_out *o, unsigned kind, const void *data,
		   size_t bytes);

/* Hands over what there is. */
void plug_flush(struct plug_out *o);

/* plugin_report.c: g->text to lines. 0: it is not all there. */
int plug_parse_output(struct plug *g);

#endif
