/* The inputs of a correction; see inputs.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "eager_limits.h"
#include "escape.h"
#include "tool.h"

/* What is used where the trace does not say. */
#define EAGER_DEFAULT 4096

/* The limit of a transport holds for all its distances. */
static void read_eager(struct inputs *b)
{
	struct tape_eager_limits limits;

	tape_eager_limits_read(&limits, b->t);
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		enum tape_distance of = tape_transport((enum tape_distance)d);

		b->eager.bytes[d] =
		    limits.is_known[of] ? limits.bytes[of] : EAGER_DEFAULT;
		b->eager.known |= limits.is_known[of];
	}
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		int said = b->far.has[d]
			       ? d
			       : (int)tape_transport((enum tape_distance)d);

		if (b->said.limit_bytes[said] < 0)
			continue;
		b->eager.bytes[d] = (uint64_t)b->said.limit_bytes[said];
		b->eager.known = 1;
	}
	if (!b->eager.known)
		tape_warn(
		    "%s: the trace has no eager limit; %d bytes are assumed (a "
		    "model file can set it: \"all limit BYTES\", option -m)",
		    tape_trace_path(b->t), EAGER_DEFAULT);
}

/*
 * Times of several clocks have to be comparable. Returns what inputs_open does.
 */
static int check_clocks(const struct tape_trace *t)
{
	const char *host;
	int rank, several;
	enum clocks known = clocks_known(t, &several, &rank);

	if (known == CLOCKS_BOUNDED)
		return 0;
	host = tape_trace_rank(t, rank)->host;
	if (known == CLOCKS_APART)
		tape_die(TAPE_FAILED,
			 "%s: no samples and no messages relate the clock of "
			 "rank %d, host %s, to the other clocks, so their "
			 "times cannot be compared. Trace with sampling = on",
			 tape_trace_path(t), rank, host ? host : "?");
	return rank + 1;
}

static int check_base(const struct tape_trace *t)
{
	switch (tape_trace_base(t)) {
	case TAPE_BASE_COMPENSATED:
		tape_die(TAPE_FAILED, "%s is already corrected",
			 tape_trace_path(t));
	case TAPE_BASE_LOCAL:
		if (tape_trace_domains(t) > 1)
			tape_die(TAPE_FAILED,
				 "%s is in the local time of %zu clocks; run "
				 "sba on it first",
				 tape_trace_path(t), tape_trace_domains(t));
		return 0;
	case TAPE_BASE_GLOBAL:
		break;
	}
	return check_clocks(t);
}

void inputs_add_file(struct model_files *files, const char *path)
{
	if (files->n == INPUTS_FILES)
		tape_die(TAPE_USAGE, "-m %s: more than %d model files", path,
			 INPUTS_FILES);
	files->path[files->n++] = path;
}

static int is_lua(const char *path)
{
	const char *suffix = strrchr(path, '.');

	return suffix && !strcmp(suffix, ".lua");
}

static void read_models(struct inputs *b)
{
	struct tape_machine one;

	tape_machine_nothing(&b->said);
	for (int i = 0; i < b->files.n; i++) {
		const char *path = b->files.path[i];

		if (!is_lua(path)) {
			tape_machine_read(path, &one);
			tape_machine_add(&one, &b->said);
			continue;
		}
		if (b->own)
			tape_die(TAPE_USAGE,
				 "-m %s: only one model in Lua is allowed, and "
				 "%s is one",
				 path, b->own_path);
		b->own = own_model_open(path);
		b->own_path = path;
	}
}

void inputs_file_names(const struct inputs *b, char *text, size_t n)
{
	char name[200];
	size_t used = 0;

	*text = '\0';
	for (int i = 0; i < b->files.n && used < n; i++)
		used += (size_t)snprintf(
		    text + used, n - used, "%s%s", i ? "," : "",
		    tape_clean(b->files.path[i], name, sizeof name));
}

int inputs_open(struct inputs *b, struct tape_trace *trace,
		const struct model_files *files, int links)
{
	int loose;

	*b = (struct inputs){.t = trace, .files = *files, .links = links};
	loose = check_base(trace);
	tape_distances_trace(&b->far, trace);
	read_models(b);
	tape_machine_inherit(&b->said, &b->far);
	read_eager(b);
	in_situ_learn(trace, &b->in_situ);
	return loose;
}

void inputs_close(struct inputs *b)
{
	own_model_close(b->own);
	in_situ_free(&b->in_situ);
	tape_distances_free(&b->far);
}

/* Values from model files (-m) override values learned from the trace. */
static void apply_model_files(const struct inputs *b, struct tape_comm_model *m)
{
	tape_machine_give(&b->said, m);
	for (int d = TAPE_SELF + 1; d < TAPE_DISTANCES; d++)
		m->shared[d] |= b->links;
	if (b->own) {
		m->own_transit = own_model_transit;
		m->context = b->own;
	}
}

void inputs_learn_model(const struct inputs *b, struct how *how,
			struct sample *sample, struct tape_comm_model *model)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct result r;

	how->seen = calloc(1, sizeof *how->seen);
	if (!l || !how->seen)
		tape_die_no_memory();
	engine_run(b->t, &b->eager, l, NULL, how, sample, NULL, &r);
	memcpy(how->quickest_ns, r.causality.least_ns, sizeof how->quickest_ns);
	result_free(&r);
	if (tape_comm_fit(l, model))
		tape_die_no_memory();
	tape_comm_learner_free(l);
	tape_max_transit_fit(how->seen, &how->longest);
	free(how->seen);
	how->seen = NULL;
	apply_model_files(b, model);
}
