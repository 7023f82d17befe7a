/* Steps of phases, and a log of them; see phase_log.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel_sums.h"
#include "phase_log.h"
#include "tool.h"

/* Steps that are written and read at once. */
enum { BLOCK = 1024 };

static const char control[] = "MPI_Pcontrol ";

struct phase_log {
	FILE *file; /* NULL: not all of it could be kept */
	size_t most, written;
	struct phase_step block[BLOCK];
	size_t n, at; /* in block: how many, and the next one to be read */
	uint32_t *now;
	size_t places;
};

int stats_is_control(const struct tape_places *places, uint32_t region)
{
	const char *name = tape_place_get(places, region)->name;

	return name && *name == *control &&
	       !strncmp(name, control, sizeof control - 1);
}

static void event_step(struct tape_places *places, const struct tape_event *e,
		       struct phase_step *step)
{
	*step = (struct phase_step){.start_ns = e->start_ns,
				    .end_ns = e->end_ns,
				    .tracing_ns = tape_analysis_tracing_ns(e),
				    .flow = (uint32_t)e->flow,
				    .kind = STEP_OTHER};
	if (e->call && e->call != TAPE_CALL_MPI_Finalize)
		step->inside_ns = (double)e->inside_ns;
	if (tape_analysis_is_init(e)) {
		step->kind = STEP_INIT;
	} else if (e->class_ == TAPE_CLASS_ENTER) {
		step->place =
		    tape_place_from_region(places, e->rank, e->region);
		step->kind = stats_is_control(places, step->place)
				 ? STEP_CONTROL
				 : STEP_ENTER;
	} else if (e->class_ == TAPE_CLASS_LEAVE) {
		step->kind = STEP_LEAVE;
	} else if (e->class_ == TAPE_CLASS_ON) {
		step->kind = STEP_ON;
	} else if (e->call && e->call != TAPE_CALL_MPI_Finalize &&
		   e->class_ != TAPE_CLASS_BLOCK &&
		   e->class_ != TAPE_CLASS_COUNTED) {
		step->kind = STEP_CALL;
		step->place =
		    tape_place_from_site(places, e->rank, e->site, e->call);
	}
}

int phase_step_from(struct tape_places *places, const struct tape_found *f,
		    struct phase_step *step)
{
	if (f->wait) {
		*step = (struct phase_step){.start_ns = f->wait->from_ns,
					    .inside_ns = (double)f->wait->ns,
					    .flow = (uint32_t)f->wait->flow,
					    .kind = STEP_WAIT};
		return f->wait->kind != TAPE_WAIT_END;
	}
	if (f->item->kind != TAPE_ITEM_END)
		return 0;
	event_step(places, f->item->event, step);
	step->ideal_begun_ns = f->ideal_begun.ns;
	step->ideal_ns = f->ideal.ns;
	return 1;
}

/* ---- the log ---- */

struct phase_log *phase_log_new(size_t most)
{
	struct phase_log *l = tape_must(calloc(1, sizeof *l));

	l->most = most;
	l->file = tmpfile();
	return l;
}

static void drop_log(struct phase_log *l)
{
	if (l->file)
		fclose(l->file);
	l->file = NULL;
	l->n = 0;
}

static void write_block(struct phase_log *l)
{
	size_t bytes = l->n * sizeof *l->block;

	if ((l->most && l->written + bytes > l->most) ||
	    fwrite(l->block, 1, bytes, l->file) != bytes) {
		drop_log(l);
		return;
	}
	l->written += bytes;
	l->n = 0;
}

void phase_log_add_found(struct phase_log *l, const struct stats *s,
			 const struct tape_found *f)
{
	if (l->file && phase_step_from(s->places, f, &l->block[l->n]) &&
	    ++l->n == BLOCK)
		write_block(l);
}

enum { STEP_LOST = STEP_WAIT + 1 };

void phase_log_send(struct phase_log *l, struct tape_peers *p)
{
	struct phase_step step = {.kind = STEP_LOST};

	phase_log_rewind(l);
	if (!l->file)
		tape_peers_gather_add(p, STATS_STEP, &step, sizeof step);
	while (phase_log_next_step(l, &step))
		tape_peers_gather_add(p, STATS_STEP, &step, sizeof step);
}

void phase_log_add_step(struct phase_log *l, const struct phase_step *step)
{
	if (step->kind == STEP_LOST)
		drop_log(l);
	if (!l->file)
		return;
	l->block[l->n] = *step;
	if (++l->n == BLOCK)
		write_block(l);
}

void phase_log_renumber(struct phase_log *l, const uint32_t *now, size_t n)
{
	free(l->now);
	l->now = tape_must(calloc(n + 1, sizeof *now));
	memcpy(l->now, now, n * sizeof *now);
	l->places = n;
}

int phase_log_is_complete(const struct phase_log *l)
{
	return l->file != NULL;
}

void phase_log_rewind(struct phase_log *l)
{
	if (l->n && !l->at)
		write_block(l);
	l->n = l->at = 0;
	if (l->file && (fflush(l->file) || fseek(l->file, 0, SEEK_SET)))
		drop_log(l);
}

int phase_log_next_step(struct phase_log *l, struct phase_step *step)
{
	if (!l->file)
		return 0;
	if (l->at == l->n) {
		l->at = 0;
		l->n = fread(l->block, sizeof *l->block, BLOCK, l->file);
		if (ferror(l->file))
			tape_die(TAPE_FAILED,
				 "the temporary file of phases: %s",
				 strerror(errno));
		if (!l->n)
			return 0;
	}
	*step = l->block[l->at++];
	if (l->now && step->place < l->places)
		step->place = l->now[step->place];
	return 1;
}

void phase_log_free(struct phase_log *l)
{
	if (!l)
		return;
	drop_log(l);
	free(l->now);
	free(l);
}
