/* See distance_model.h; the lines are those of doc/models.md. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "distance_model.h"
#include "machine.h"

int64_t distance_model_size(int i)
{
	int64_t power, bytes;

	if (i < 2)
		return i;
	power = (int64_t)1 << (i / 2);
	bytes = i % 2 ? power + power / 2 : power;
	return bytes <= MEASURE_MAX_BYTES ? bytes : -1;
}

/* Writes the measured times of a size as a comment. */
static void write_comment(const struct distance_model *f, const char *what,
			  struct times *t, FILE *out)
{
	if (!t->n)
		return;
	fprintf(out,
		"# %s %s %" PRId64
		" bytes: %.0f ns, half of them from %.0f to %.0f; %d times, "
		"the fastest of %d batches\n",
		tape_distance_name[f->distance], what, t->bytes,
		measure_quantile(t->ns, t->n, 0.5),
		measure_quantile(t->ns, t->n, 0.25),
		measure_quantile(t->ns, t->n, 0.75), t->n, t->batches);
}

static void write_comments(const struct distance_model *f, const char *what,
			   struct times *t, const char *how, FILE *out)
{
	if (t->n)
		fprintf(out, "# %s\n", how);
	for (int i = 0; i < DISTANCE_MODEL_SIZES; i++)
		write_comment(f, what, &t[i], out);
}

/*
 * DC within the time of a message that was waited for: the fastest tenth of the
 * measured DC, since a waiting receiver has warm caches, and at most half of
 * the least time of the message. tico divides the times of a trace in the same
 * way (comm_points.c).
 */
static void quick_dc(struct distance_model *f, double *dc)
{
	for (int i = 0; i < DISTANCE_MODEL_SIZES; i++) {
		struct times *all = &f->eager[i], *t = &f->dc[i];

		dc[i] = 0;
		if (all->n && t->n)
			dc[i] = fmin(measure_quantile(t->ns, t->n, 0.1),
				     measure_quantile(all->ns, all->n, 0) / 2);
	}
}

/* Fits a curve to the times minus off, and writes its lines. */
static int write_curve(const struct distance_model *f, const char *what,
		       const struct times *t, const double *off, FILE *out)
{
	struct tape_timing *all;
	struct tape_curve c;
	size_t n = 0;
	int rc;

	for (int i = 0; i < DISTANCE_MODEL_SIZES; i++)
		n += (size_t)t[i].n;
	if (!n)
		return 0;
	all = malloc(n * sizeof *all);
	if (!all)
		return -1;
	n = 0;
	for (int i = 0; i < DISTANCE_MODEL_SIZES; i++)
		for (int k = 0; k < t[i].n; k++)
			all[n++] = (struct tape_timing){
				(double)t[i].bytes,
				t[i].ns[k] - (off ? off[i] : 0) };
	rc = tape_curve_fit(all, n, &c);
	free(all);
	for (int i = 0; !rc && i < c.n; i++)
		fprintf(out, "%s %s %.0f %.6g %.6g\n",
			tape_distance_name[f->distance], what,
			i ? c.piece[i].from_bytes : 0, c.piece[i].ns,
			c.piece[i].rate);
	return rc ? -1 : 0;
}

int distance_model_write(struct distance_model *f, FILE *out)
{
	double dc[DISTANCE_MODEL_SIZES];

	fprintf(out, "\n%s limit %" PRId64 "\n\n",
		tape_distance_name[f->distance], f->limit_bytes);
	write_comments(f, "eager", f->eager,
		       "half a round trip by MPI_Send: transit and delivery",
		       out);
	quick_dc(f, dc);
	if (write_curve(f, "eager", f->eager, dc, out))
		return -1;
	write_comments(f, "dc", f->dc, "receiving a message that has arrived",
		       out);
	if (write_curve(f, "dc", f->dc, NULL, out))
		return -1;
	write_comments(
	    f, "rendezvous", f->rendezvous,
	    "half a round trip by MPI_Ssend, above the limit MPI_Send", out);
	return write_curve(f, "rendezvous", f->rendezvous, NULL, out);
}
