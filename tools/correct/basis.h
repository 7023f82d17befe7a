/*
 * What a correction rests on: clocks that can be compared, the sizes from which
 * messages wait for their receive, and the model of messages, from files or
 * learnt from the trace.
 *
 *	struct basis b;
 *
 *	loose = basis_open(&b, trace, &files, links);
 *	basis_learn(&b, &how, &sample, &model);
 *	engine_run(trace, &b.eager, NULL, &model, &how, ...);
 *	basis_close(&b);
 */
#ifndef CORRECT_BASIS_H
#define CORRECT_BASIS_H

#include "engine.h"
#include "in_situ.h"
#include "lua.h"
#include "machine.h"

/* Model files, in the order in which they are given. */
#define BASIS_FILES 8
struct basis_files {
	const char *path[BASIS_FILES];
	int n;
};

struct basis {
	struct tape_trace *t;
	struct basis_files files;
	struct tape_distances far; /* how far ranks are from each other */
	struct tape_machine said;  /* what they say of those distances */
	struct own_model *own;    /* one of them in Lua, or NULL */
	const char *own_path;
	int links;                /* messages share links, whatever it says */
	struct eager eager;
	struct in_situ in_situ;   /* what events cost where they stand */
};

/*
 * Looks at the clocks of trace and reads the model files: what a later one
 * says goes before what an earlier one does. links: hosts' links are shared.
 * Returns 0, or the number plus 1 of a rank whose clock has no guaranteed
 * interval, so that nothing is certain (how.loose). Dies where the trace is
 * corrected already, where its times cannot be compared, or where a model
 * cannot be used.
 */
int basis_open(struct basis *b, struct tape_trace *trace,
	       const struct basis_files *files, int links);
void basis_close(struct basis *b);

/* One more file, of an option. Dies where there are too many. */
void basis_file(struct basis_files *files, const char *path);

/* Their names, one after the other, with no character that does harm. */
void basis_names(const struct basis *b, char *text, size_t n);

/*
 * One pass over the trace, or over the part that sample says, which learns
 * the model from its messages and leaves in *how the longest transits seen.
 * Where the files say something, that is in model instead.
 */
void basis_learn(const struct basis *b, struct how *how, struct sample *sample,
		 struct tape_comm_model *model);

/* The model in one line: the fitted one, or the first piece of what is said. */
struct tape_comm_line basis_line(const struct basis *b,
				 const struct tape_comm_model *model,
				 int distance, int rendezvous);

/* What the model is: lines of text, or a member of a JSON object. */
void basis_text(const struct basis *b, const struct tape_comm_model *model);
void basis_json(const struct basis *b, const struct tape_comm_model *model);

#endif
