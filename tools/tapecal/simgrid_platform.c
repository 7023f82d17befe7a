/* See simgrid_platform.h and doc/platforms.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "platform.h"
#include "simgrid_platform.h"
#include "tool.h"

/* From this capacity on, two crossing messages count as independent. */
static const double capacity_least = 1.9;
/* One operation is one nanosecond: as t2ti writes computations. */
static const double speed = 1e9;

/* The content of the file; sizes and times that the factors are fitted to. */
struct fitted {
	struct tape_smpi smpi;
	struct tape_smpi_size size[SWEEP_SIZES];
	int n;
	struct tape_smpi_size near[SWEEP_SIZES];
	struct tape_platform platform;
};

/* Writes a name so that it cannot end a comment. */
static void write_plain(FILE *out, const char *s)
{
	for (; *s; s++)
		fputc(*s == '-' && s[1] == '-' ? '_' : *s, out);
}

static double error_of(double a, double b)
{
	return expm1(fabs(log(a / b)));
}

/* Writes the measured times and the error of the model as a comment. */
static void write_table(const struct fitted *f, FILE *out)
{
	double sum = 0, worst = 0, ns[MEASURE_ROUNDS];

	fprintf(out, "  bytes, half a round trip in ns: measured (half of the "
		"times), model, error\n");
	for (int k = 0; k < f->n; k++) {
		const struct tape_smpi_size *z = &f->size[k];
		double model = 1e9 * tape_smpi_message_s(&f->smpi, z->bytes);
		double off, half;

		memcpy(ns, z->ns, z->n * sizeof *ns);
		half = measure_quantile(ns, (int)z->n, 0.5);
		off = error_of(model, half);
		sum += off;
		worst = fmax(worst, off);
		fprintf(out, "  %7.0f %10.0f (%.0f to %.0f) %10.0f %5.1f%%\n",
			z->bytes, half, measure_quantile(ns, (int)z->n, 0.25),
			measure_quantile(ns, (int)z->n, 0.75), model,
			100 * off);
	}
	fprintf(out, "  error on average %.1f%%, at most %.1f%%\n",
		100 * sum / f->n, 100 * worst);
}

/* Warns of a busy machine, which gives no good platform. */
static void warn_busy(const struct sweep *s, const struct fitted *f)
{
	int unsettled = 0;

	for (int k = 0; k < s->n; k++)
		unsettled += !s->of[SWEEP_WHOLE][k].settled;
	if (f->n < s->n)
		tape_warn("other programs disturbed the measurement: %d of %d "
			  "sizes are discarded",
			  s->n - f->n, s->n);
	if (unsettled > s->n / 4)
		tape_warn("this machine is busy: the times of %d of %d sizes "
			  "were never repeatable",
			  unsettled, s->n);
}

static void write_head(const struct simgrid *g, const struct fitted *f,
		       double capacity, FILE *out)
{
	const struct sweep *s = g->net ? g->net : g->shm;

	fprintf(out, "<!-- A platform for SimGrid, measured by tapecal "
		TAPE_VERSION "\n  ");
	write_plain(out, g->library);
	fprintf(out, "\n  %s ", g->net ? "from" : "within");
	write_plain(out, g->host);
	fprintf(out, g->net ? " to another host\n" : "\n");
	fprintf(out, "  two messages that cross have %.2f times the bandwidth "
		"of one\n", capacity);
	if (f->n < s->n)
		fprintf(out,
			"  %d of %d sizes were disturbed by other programs and "
			"are discarded\n",
			s->n - f->n, s->n);
	write_table(f, out);
	fprintf(out, "-->\n");
}

/* SMPI's selector of the library's collectives, or NULL. */
static const char *collective_selector(const char *library)
{
	if (strstr(library, "Open MPI"))
		return "ompi";
	if (strstr(library, "MPICH"))
		return "mpich";
	if (strstr(library, "MVAPICH"))
		return "mvapich2";
	if (strstr(library, "Intel"))
		return "impi";
	return NULL;
}

static void set_seconds(FILE *config, const char *id, double ns)
{
	char text[32];

	snprintf(text, sizeof text, "%.3g", 1e-9 * ns);
	tape_platform_setting(config, id, text);
}

/* Returns text that the caller frees, or NULL. */
static char *make_settings(const struct simgrid *g, const struct tape_smpi *m)
{
	const char *table = collective_selector(g->library);
	char *text = NULL;
	size_t n;
	FILE *config = open_memstream(&text, &n);

	if (!config)
		return NULL;
	tape_platform_settings(m, config);
	if (table)
		tape_platform_setting(config, "smpi/coll-selector", table);
	/* a simulation without progress of time would never end */
	set_seconds(config, "smpi/iprobe", fmax(g->idle.iprobe, 10));
	set_seconds(config, "smpi/test", fmax(g->idle.test, 10));
	set_seconds(config, "smpi/wtime", g->idle.wtime);
	/* programs of this machine run at their own speed */
	tape_platform_setting(config, "smpi/host-speed", "1Gf");
	return fclose(config) ? (free(text), NULL) : text;
}

/* Makes the hosts, with latencies and bandwidths of both distances. */
static void make_platform(const struct simgrid *g, struct fitted *f,
			  double capacity)
{
	struct tape_platform *p = &f->platform;
	const struct tape_smpi *m = &f->smpi;

	*p = tape_platform_usual;
	p->shape = g->net ? TAPE_CLUSTER : TAPE_NODE;
	p->hosts = g->net ? g->hosts : 1;
	p->cores = g->cores;
	p->speed = speed;
	p->latency_s = m->latency_s;
	p->bandwidth = m->bandwidth;
	if (capacity < capacity_least)
		p->shared_bandwidth = capacity * m->bandwidth;
	if (g->net && g->shm) {
		p->loopback_latency_s = m->latency_s;
		p->loopback_bandwidth = m->bandwidth;
		tape_smpi_route(m, f->near,
				(size_t)sweep_sizes(g->shm, f->near),
				&p->loopback_latency_s,
				&p->loopback_bandwidth);
	}
}

int simgrid_write(const struct simgrid *g, FILE *out)
{
	const struct sweep *s = g->net ? g->net : g->shm;
	struct fitted *f = calloc(1, sizeof *f);
	int rc = TAPE_ENOMEM;
	double capacity;
	char *text;

	if (!f)
		return TAPE_ENOMEM;
	f->n = sweep_sizes(s, f->size);
	rc = tape_smpi_fit(f->size, (size_t)f->n, s->jump, (size_t)s->jumps,
			   s->limit_bytes < MEASURE_MAX_BYTES ? s->limit_bytes
							      : INT64_MAX,
			   &f->smpi);
	if (rc)
		goto out;
	capacity = tape_smpi_capacity(&f->smpi, f->size, (size_t)f->n);
	make_platform(g, f, capacity);
	warn_busy(s, f);
	text = make_settings(g, &f->smpi);
	rc = TAPE_ENOMEM;
	if (!text)
		goto out;
	rc = 0;
	f->platform.config = text;
	tape_platform_write(&f->platform, out);
	write_head(g, f, capacity, out);
	free(text);
out:
	free(f);
	return rc;
}
