/*
 * What a correction rests on: clocks that can be compared, the sizes from which
 * messages wait for their receive, and the model of messages, from files or
 * learnt from the trace.
 *
 *	struct inputs b;
 *
 *	loose = inputs_open(&b, trace, &files, links);
 *	inputs_learn_model(&b, &how, &sample, &model);
 *	engine_run(trace, &b.eager, NULL, &model, &how, ...);
 *	inputs_close(&b);
 */
#ifndef CORRECT_INPUTS_H
#define CORRECT_INPUTS_H

#include "engine.h"
#include "in_situ.h"
#include "lua_model.h"
#include "machine.h"

/* Model files, in the order in which they are given. */
#define INPUTS_FILES 8
struct model_files {
	const char *path[INPUTS_FILES];
	int n;
};

struct inputs {
	struct tape_trace *t;
	struct model_files files;
	struct tape_distances far; /* how far ranks are from each other */
	struct tape_machine said;  /* what they say of those distances */
	struct own_model *own;	   /* one of them in Lua, or NULL */
	const char *own_path;
	int links; /* messages share links, whatever it says */
	struct eager eager;
	struct in_situ in_situ; /* what events cost where they stand */
};

/*
 * Looks at the clocks of trace and reads the model files: what a later one
 * says goes before what an earlier one does. links: hosts' links are shared.
 * Returns 0, or the number plus 1 of a rank whose clock has no guaranteed
 * interval, so that nothing is certain (how.loose). Dies where the trace is
 * corrected already, where its times cannot be compared, or where a model
 * cannot be used.
 */
int inputs_open(struct inputs *b, struct tape_trace *trace,
		const struct model_files *files, int links);
void inputs_close(struct inputs *b);

/* One more file, of an option. Dies where there are too many. */
void inputs_add_file(struct model_files *files, const char *path);

/* Their names, one after the other, with no character that does harm. */
void inputs_file_names(const struct inputs *b, char *text, size_t n);

/*
 * One pass over the trace, or over the part that sample says, which learns
 * the model from its messages and leaves in *how the longest transits seen.
 * Where the files say something, that is in model instead.
 */
void inputs_learn_model(const struct inputs *b, struct how *how,
			struct sample *sample, struct tape_comm_model *model);

/* The model in one line: the fitted one, or the first piece of what is said. */
struct tape_comm_line inputs_model_line(const struct inputs *b,
					const struct tape_comm_model *model,
					int distance, int rendezvous);

/* What the model is: lines of text, or a member of a JSON object. */
void inputs_print_model(const struct inputs *b,
			const struct tape_comm_model *model);
void inputs_print_model_json(const struct inputs *b,
			     const struct tape_comm_model *model);

#endif
