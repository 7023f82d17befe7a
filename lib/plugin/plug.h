/*
 * The process of a plug-in, from the side of the analysis; for the files of
 * plugins.h.
 */
#ifndef PLUGIN_PLUG_H
#define PLUGIN_PLUG_H

#include <sys/types.h>
#include <time.h>

#include "plug_ring.h"
#include "plugins.h"

struct plug;

/* The output of one process to a plug-in, of one level. */
struct plug_out {
	struct plug *plug;
	struct plug_ring *ring;
	struct plug_slot *slot; /* being filled; NULL: none */
	unsigned filled;	/* slots passed on so far */
	uint32_t used;		/* bytes used in slot */
	unsigned char *defined; /* bit set: places whose text was sent */
	size_t defined_bytes;
};

struct plug {
	char *file, *args;
	struct plug_shared *s;
	size_t bytes;
	pid_t pid, owner;
	int pipe;
	int gone; /* no more is sent to it */
	int failed;
	char why[500];
	uint32_t levels, feeders;
	double wait_s, memory_mib;
	unsigned progress; /* last value of the plug-in's progress counter, */
	double since_s;	   /* and the time when it changed */
	char *text;	   /* output of the plug-in */
	size_t text_bytes;
	struct tape_plugins_line *line;
	size_t lines;
	struct plug_out *out; /* by plug_ring_index */
};

/* plug.c. Starts the process. Returns 0, or -1 if the plug-in has failed. */
int plug_start(struct plug *g, unsigned workers);

/*
 * Waits for a semaphore of the plug-in. Returns 0, or -1 if the plug-in has
 * exited or was stopped.
 */
int plug_wait(struct plug *g, sem_t *s);

/*
 * Checks whether the process ended unexpectedly, or was stopped, and reports
 * it.
 */
void plug_check(struct plug *g);

/* Reads the output of the plug-in to its end, and its exit status. */
void plug_finish(struct plug *g);

/* Marks the plug-in as failed and prints the reason to standard error. */
__attribute__((format(printf, 2, 3))) void plug_fail(struct plug *g,
						     const char *format, ...);

/*
 * plug_out.c. Adds a record. Returns the memory of its payload, or NULL if the
 * plug-in has exited or was stopped.
 */
void *plug_put(struct plug_out *o, unsigned kind, size_t bytes);

/* Adds a record of any length. */
void plug_put_long(struct plug_out *o, unsigned kind, const void *data,
		   size_t bytes);

/* Passes on a partly filled slot. */
void plug_flush(struct plug_out *o);

/*
 * plugin_report.c. Parses g->text into lines. Returns 0 if the output is
 * incomplete.
 */
int plug_parse_output(struct plug *g);

#endif
