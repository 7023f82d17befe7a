/* Recordings of rounds; see stamps.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "stamps.h"

/* Room for twice as many lines of text as were read so far. */
static int grow(struct stamps *s, size_t *room)
{
	size_t n = *room ? 2 * *room : 1024;
	void *p = realloc(s->round, n * sizeof *s->round), *q;

	s->round = p ? p : s->round;
	q = realloc(s->start, (n + 1) * sizeof *s->start);
	s->start = q ? q : s->start;
	*room = n;
	return p && q ? 0 : TAPE_ENOMEM;
}

int stamps_read(const char *path, struct stamps *s)
{
	FILE *in = fopen(path, "re");
	size_t n = 0, room = 0;
	char line[256];
	int rc = in ? 0 : TAPE_EIO, between = 1;

	memset(s, 0, sizeof *s);
	while (!rc && fgets(line, sizeof line, in)) {
		struct tape_clock_round r = { 0, 0, 0, 0, 0 };
		int got;

		if (n == room && (rc = grow(s, &room)))
			break;
		got = sscanf(line, "%lf %lf %lf %lf", &r.s_ref, &r.r_j, &r.s_j,
			     &r.r_ref);
		if (got == 4) {
			if (between)
				s->start[s->n_phases++] = n;
			between = 0;
			s->round[n++] = r;
		} else if (strspn(line, " \t\n") == strlen(line)) {
			between = 1;
		} else {
			rc = TAPE_EFORMAT;
		}
	}
	if (!rc && !n)
		rc = TAPE_EFORMAT;
	if (!rc)
		s->start[s->n_phases] = n;
	if (in)
		fclose(in);
	return rc;
}

void stamps_free(struct stamps *s)
{
	free(s->round);
	free(s->start);
	memset(s, 0, sizeof *s);
}

size_t stamps_phase(const struct stamps *s, size_t phase, double at_ns,
		    double offset_ns, double drift, int after,
		    struct tape_clock_round *out)
{
	size_t n = s->start[phase + 1] - s->start[phase];
	const struct tape_clock_round *r = &s->round[s->start[phase]];
	double shift = at_ns - fmin(r->s_ref, r->s_j);

	for (size_t i = 0; i < n; i++) {
		double there = r[i].r_j + shift, away = r[i].s_j + shift;

		out[i] = (struct tape_clock_round){
			r[i].s_ref + shift, there + offset_ns + drift * there,
			away + offset_ns + drift * away, r[i].r_ref + shift,
			after };
	}
	return n;
}

double stamps_uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / 9007199254740992.0;
}
