/* Coefficients of clocks in a file; see coefficients.h. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coefficients.h"
#include "file_input.h"
#include "file_output.h"
#include "tool.h"
#include "writer.h"

/* One line "clock" of the file. */
struct line {
	uint64_t tick, reference;
	double ratio, lo, hi, ratio_lo, ratio_hi;
};

/* ---- writing ---- */

/* The slope of the offset of clock c, in its ns per ns of the reference, and
 * the error of the slope by the intervals at both ends. */
static void drift_range(const struct clocks *k, const struct clock *c,
			double *slope, double *lo, double *hi)
{
	struct tape_clock_knot a = tape_clock_track_at(&c->track, k->from_ns);
	struct tape_clock_knot b = tape_clock_track_at(&c->track, k->to_ns);
	double span = k->to_ns - k->from_ns;

	*slope = (b.offset_ns - a.offset_ns) / span;
	*lo = (b.lo_ns - a.hi_ns) / span;
	*hi = (b.hi_ns - a.lo_ns) / span;
}

static void save_clock(FILE *f, const struct clocks *k, const struct clock *c)
{
	const struct clock *ref = &k->c[0];
	struct tape_clock_knot at = tape_clock_track_at(&c->track, k->to_ns);
	double reading = k->to_ns + at.offset_ns, slope, lo, hi;
	/* ticks of c for one of the reference, if both keep their rates */
	double ratio = ref->rate / c->rate;
	int64_t j = llrint(reading / c->rate), r = llrint(k->to_ns / ref->rate);
	/* rounding to whole ticks of both clocks */
	double slack = c->rate + ref->rate;

	drift_range(k, c, &slope, &lo, &hi);
	if (!isfinite(lo) || !isfinite(hi))
		return;
	fputs("clock", f);
	tape_write_word(f, c->info->name);
	fprintf(f, " %" PRIu64 " %" PRIu64 " %.17g %.17g %.17g %.17g %.17g\n",
		c->origin + (uint64_t)j, ref->origin + (uint64_t)r,
		ratio * (1 + slope), at.lo_ns - slack, at.hi_ns + slack,
		ratio * lo, ratio * hi);
}

void coefficients_save(const struct clocks *k, const char *file)
{
	FILE *f = tape_file_begin(file);

	fputs("tape-clocks 1\nreference", f);
	tape_write_word(f, k->c[0].info->name);
	fputc('\n', f);
	for (size_t i = 1; i < k->n; i++)
		if (k->c[i].status == CLOCK_PLACED)
			save_clock(f, k, &k->c[i]);
}

/* ---- reading ---- */

/* Returns 1 if the escaped word is that name. */
static int is_name(const char *word, const char *name)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int same;

	if (!f)
		tape_die_no_memory();
	tape_write_word(f, name);
	if (fclose(f))
		tape_die_no_memory();
	same = !strcmp(text + 1, word); /* after the blank */
	free(text);
	return same;
}

static int parse_line(char *rest, struct line *l)
{
	int n = 0;

	return sscanf(rest, "%" SCNu64 " %" SCNu64 " %lf %lf %lf %lf %lf%n",
		      &l->tick, &l->reference, &l->ratio, &l->lo, &l->hi,
		      &l->ratio_lo, &l->ratio_hi, &n) == 7 &&
	       !rest[n] && l->ratio > 1e-9 && l->ratio < 1e9 && l->lo <= 0 &&
	       l->hi >= 0 && l->ratio_lo <= 0 && l->ratio_hi >= 0 &&
	       isfinite(l->lo + l->hi + l->ratio_lo + l->ratio_hi);
}

/* Reads the lines of the file; sets found[i] for each clock with a line. */
static void read_coefficients(const struct clocks *k, const char *file,
			      struct line *lines, unsigned char *found)
{
	FILE *f = tape_file_input(file);
	char *line = NULL, *rest, *key, *name;
	unsigned number = 0;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		rest = line;
		if (!number++) {
			if (strcmp(line, "tape-clocks 1"))
				tape_die(TAPE_FAILED,
					 "%s: not a clock file of sba -s, or "
					 "written by a newer version",
					 file);
			continue;
		}
		key = strsep(&rest, " ");
		name = rest ? strsep(&rest, " ") : NULL;
		if (name && !strcmp(key, "reference"))
			found[0] |= (unsigned char)is_name(name,
							   k->c[0].info->name);
		if (strcmp(key, "clock"))
			continue;
		for (size_t i = 1; name && i < k->n; i++)
			if (is_name(name, k->c[i].info->name)) {
				if (!rest || !parse_line(rest, &lines[i]))
					tape_die(TAPE_FAILED,
						 "%s: line %u: bad "
						 "coefficients", file, number);
				found[i] = 1;
			}
	}
	free(line);
	fclose(f);
}

/*
 * The line in readings of this run. Both clocks continue between runs. The
 * ratio of their ticks is that of the quartzes and does not depend on the rates
 * that a run assumes.
 */
static struct clock_line to_line(const struct clocks *k, const struct clock *c,
				 const struct line *l)
{
	double scale = c->rate / k->c[0].rate;
	struct clock_line x = {
		.at = clock_ticks(&k->c[0], l->reference),
		.drift = l->ratio * scale - 1,
		.lo_ns = l->lo, .hi_ns = l->hi,
		.drift_lo = l->ratio_lo * scale,
		.drift_hi = l->ratio_hi * scale };

	x.offset_ns = clock_ticks(c, l->tick) - x.at;
	return x;
}

/*
 * For a clock that was sampled at one end only: the samples give the offset,
 * the file the drift. Each round bounds the offset, referred to one instant by
 * the drift.
 */
static void anchor_line(const struct clocks *k, uint32_t i,
			struct clock_line *l)
{
	const struct clock *c = &k->c[i];
	const struct clock_pair *p = clocks_pair(k, c->by, i);
	double lo = -INFINITY, hi = INFINITY, best = INFINITY, at = 0, y = 0;

	for (size_t j = 0; j < p->n; j++) {
		struct tape_clock_round r = clocks_round(k, p, j, c->by, i);
		double trip = (r.r_ref - r.s_ref) - (r.s_j - r.r_j);

		if (trip < best) {
			best = trip;
			at = (r.s_ref + r.r_ref) / 2;
		}
	}
	for (size_t j = 0; j < p->n; j++) {
		struct tape_clock_round r = clocks_round(k, p, j, c->by, i);
		double more = fmax(l->drift_hi, -l->drift_lo);

		lo = fmax(lo, r.s_j - r.r_ref - l->drift * (r.r_ref - at) -
				      more * fabs(r.r_ref - at));
		hi = fmin(hi, r.r_j - r.s_ref - l->drift * (r.s_ref - at) +
				      more * fabs(r.s_ref - at));
	}
	y = fmin(fmax(tape_clock_offset(&c->fit, at), lo), hi);
	l->at = at;
	l->offset_ns = y;
	l->lo_ns = fmin(lo - y, 0);
	l->hi_ns = fmax(hi - y, 0);
}

/* Returns 1 if clock i needs the file: it was not sampled at both ends. */
static int needs_file(const struct clocks *k, size_t i)
{
	const struct clock *c = &k->c[i];

	return c->status == CLOCK_UNPLACED ||
	       (c->status == CLOCK_PLACED && c->fit.phases < 2);
}

/* Relates clock i to the clock that sampled it, by the lines of both. */
static void relate_to_parent(const struct clocks *k, uint32_t i,
			     const struct line *l, const unsigned char *found,
			     const char *file)
{
	struct clock *c = &k->c[i];
	uint32_t by = c->by;
	struct clock_line parent;

	if (by) {
		if (!found[by])
			tape_die(
			    TAPE_FAILED,
			    "%s: no clock %s, against which %s was sampled",
			    file, k->c[by].info->name, c->info->name);
		parent = to_line(k, &k->c[by], &l[by]);
		c->line.drift = (1 + c->line.drift) / (1 + parent.drift) - 1;
		c->line.drift_lo -= parent.drift_hi;
		c->line.drift_hi -= parent.drift_lo;
	}
	anchor_line(k, i, &c->line);
}

double coefficients_load(struct clocks *k, const char *file, double limit_s)
{
	struct line *l = calloc(k->n, sizeof *l);
	unsigned char *found = calloc(k->n, 1);
	double age, oldest = 0;

	if (!l || !found)
		tape_die_no_memory();
	read_coefficients(k, file, l, found);
	if (!found[0])
		tape_die(TAPE_FAILED,
			 "%s: its reference is not clock %s: the file was made "
			 "on another machine, or before a reboot",
			 file, k->c[0].info->name);
	for (uint32_t i = 1; i < k->n; i++) {
		struct clock *c = &k->c[i];

		if (!needs_file(k, i))
			continue;
		if (!found[i])
			tape_die(TAPE_FAILED,
				 "%s: no clock %s: the file was made without "
				 "that machine, or before a reboot",
				 file, c->info->name);
		age = -clock_ticks(&k->c[0], l[i].reference) / 1e9;
		oldest = fmax(oldest, fabs(age));
		c->line = to_line(k, c, &l[i]);
		if (c->status == CLOCK_PLACED) {
			relate_to_parent(k, i, l, found, file);
		} else {
			c->by = 0;
			k->order[k->n_order++] = i;
		}
		c->status = CLOCK_PLACED;
		c->source |= CLOCK_FILE;
	}
	if (oldest > limit_s)
		tape_die(TAPE_FAILED, "%s: is %.1f h old, more than %.1f: "
			 "take new samples, or allow it with -a", file,
			 oldest / 3600, limit_s / 3600);
	free(found);
	free(l);
	return oldest;
}
