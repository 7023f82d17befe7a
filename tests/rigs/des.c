/*
 * des: a campaign of random programs (des.h). Each one's traced run goes
 * through tapedump --assemble and tico; the corrected times are compared with
 * the truth, event by event. Prints TAP and, after #, figures.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "des.h"
#include "tape_reader.h"

#define LEAVES 7

static const char usage[] =
    "usage: des [-cefktuw] [-r rule] [-n programs] [-l steps] [-s seed] "
    "bin-folder folder\n"
    "  -c  costs are stated by intervals, and differ within them\n"
    "  -k  each rank has a clock that errs, by as much as is stated\n"
    "  -f  tico fits the model itself: dates are near the truth, not it\n"
    "  -t  messages between near ranks are quicker, by six distances\n"
    "  -u  the same; the trace does not say where ranks are\n"
    "  -r  an option of tico's: another rule of when to ask the model\n"
    "  -w  it gets a model that is wrong: only the certificate must hold\n"
    "The last program's text, trace and report stay in folder.\n";

struct campaign {
	const char *bin, *dir;
	char *rule;
	int steps;
	uint64_t events, wrong, bad_programs, first_bad, leaves[LEAVES];
	int64_t worst, intruded;
	int fit, lie, blur, bend, tiers, efficiency;
	struct des_factors factors;
	uint64_t unexplained; /* programs whose shares do not add up */
	uint64_t violated; /* ends whose true time is outside their bounds */
	uint64_t impossible; /* impossible times, by the report */
	int64_t widest;
	uint64_t certain, open;     /* ends with an interval of 0, and others */
	int64_t earlier, later;     /* bounds of the end before in the flow */
	double off, off_before; /* errors of all ends, with and without tico */
	/* the earliest wrong event of the first wrong program */
	char complaint[400];
	int64_t complaint_at;
	uint64_t complaint_seed;
};

/* Is tico given the truth, so that its times must be exact? */
static int is_exact(const struct campaign *c)
{
	return !c->fit && !c->lie && !c->blur && !c->bend;
}

static void fail(const char *what)
{
	fprintf(stderr, "des: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Runs a program with its output in file; its exit status, 128 + signal. */
static int spawn(char *const argv[], const char *file)
{
	pid_t pid = fork();
	int status, fd;

	if (pid < 0)
		fail("fork");
	if (!pid) {
		fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
			_exit(126);
		execv(argv[0], argv);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0)
		fail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status)
				 : 128 + WTERMSIG(status);
}

static void path(const struct campaign *c, const char *name, char *to, size_t n)
{
	if (snprintf(to, n, "%s/%s", c->dir, name) >= (int)n)
		fail(c->dir);
}

/* ---- comparison ---- */

static int differs(struct campaign *c, int64_t is, int64_t should)
{
	int64_t e = is > should ? is - should : should - is;

	c->worst = e > c->worst ? e : c->worst;
	return e != 0;
}

static void complain(struct campaign *c, const struct des_program *p, int rank,
		     int at, const struct tape_event *e, int64_t start,
		     int64_t end)
{
	const struct des_dates *d = &p->rank[rank].step[at].d[DES_TRACED];

	if (*c->complaint &&
	    (c->complaint_seed != p->seed || c->complaint_at <= end))
		return;
	c->complaint_seed = p->seed;
	c->complaint_at = end;
	snprintf(c->complaint, sizeof c->complaint,
		 "# seed %" PRIu64 " rank %d step %d %s: corrected %" PRId64
		 " %" PRId64 " (-%" PRId64 " +%" PRId64 "), truth %" PRId64
		 " %" PRId64 ", traced %" PRId64 " %" PRId64 "\n", p->seed,
		 rank, at, tape_call_name(e->call), e->start_ns, e->end_ns,
		 e->earlier_ns, e->later_ns, start, end, d->start, d->end);
}

/*
 * How much more a start may be off than the end before it: the costs in
 * between. Clocks may have changed by any amount.
 */
static int64_t start_room(const struct campaign *c, const struct des_program *p,
			  int rank, int at)
{
	const struct des_rank *r = &p->rank[rank];
	const struct des_step *s = &r->step[at];
	int64_t room = 0;

	if (c->bend)
		return INT64_MAX / 4;
	for (int k = 0; c->blur && k < 65; k++)
		room = r->less[k] + r->more[k] > room ? r->less[k] + r->more[k]
						      : room;
	return (2 + s->n + (at ? s[-1].n : 0)) * room;
}

/* Is the truth within what the trace guarantees? */
static void check_certificate(struct campaign *c, const struct des_program *p,
			      int rank, int at, const struct tape_event *e,
			      int64_t start, int64_t end)
{
	int64_t width = e->earlier_ns + e->later_ns;
	int64_t room = start_room(c, p, rank, at);

	c->certain += !width;
	c->open += width != 0;
	c->widest = width > c->widest ? width : c->widest;
	if (end < e->end_ns - e->earlier_ns || end > e->end_ns + e->later_ns ||
	    start < e->start_ns - c->earlier - room ||
	    start > e->start_ns + c->later + room) {
		c->violated++;
		complain(c, p, rank, at, e, start, end);
	}
	c->earlier = e->earlier_ns;
	c->later = e->later_ns;
}

static int mismatch(struct campaign *c, const struct des_program *p, int rank,
		    int at, const struct tape_event *e, int64_t start,
		    int64_t end)
{
	const struct des_dates *d = p->rank[rank].step[at].d;

	c->off += fabs((double)(e->end_ns - end));
	c->off_before += fabs((double)(d[DES_TRACED].end -
				       d[DES_TRUTH].end));
	check_certificate(c, p, rank, at, e, start, end);
	if (!(differs(c, e->start_ns, start) | differs(c, e->end_ns, end)))
		return 0;
	c->wrong++;
	if (is_exact(c))
		complain(c, p, rank, at, e, start, end);
	return 1;
}

/* The next event of the flow must be there, of the call expected. */
static const struct tape_event *next(struct tape_flow *f, int call)
{
	const struct tape_event *e;
	int rc;

	while ((rc = tape_flow_next(f, &e)) == 1 && !e->call)
		; /* a mark */
	if (rc == 1 && e->call == call)
		return e;
	printf("# the corrected flow %s\n",
	       rc < 0 ? tape_flow_error(f) : "lacks events, or has others");
	return NULL;
}

/* 1 when the rank's dates are right. */
static int compare_rank(struct campaign *c, const struct des_program *p,
			int rank, struct tape_flow *f)
{
	uint64_t before = c->wrong;
	const struct tape_event *e;

	c->earlier = c->later = 0;

	for (int i = 0; i < p->rank[rank].n; i++) {
		const struct des_step *s = &p->rank[rank].step[i];
		const struct des_dates *truth = &s->d[DES_TRUTH];
		int64_t start = truth->start;

		/* of failed polls only the beginning is in both runs */
		if (s->d[DES_TRACED].polled) {
			if (!(e = next(f, s->call)))
				return 0;
			mismatch(c, p, rank, i, e, truth->from, e->end_ns);
			/* the one that ends the wait begins where it is over */
			c->earlier = e->earlier_ns;
			c->later = e->later_ns;
		} else {
			start = truth->from;
		}
		if (!(e = next(f, s->call)))
			return 0;
		mismatch(c, p, rank, i, e, start, truth->end);
		c->events++;
	}
	return c->wrong == before && (p->regions || tape_flow_next(f, &e) == 0);
}

static int compare(struct campaign *c, const struct des_program *p,
		   const char *file)
{
	struct tape_trace *t;
	struct tape_flow *f;
	int good = !tape_trace_open(file, &t), whole = good;

	if (!good)
		printf("# %s\n", tape_trace_error(t));
	for (int r = 0; whole && r < p->ranks; r++) {
		if (tape_flow_open(t, (size_t)r, &f)) {
			printf("# %s\n", tape_trace_error(t));
			good = 0;
			break;
		}
		good &= compare_rank(c, p, r, f);
		tape_flow_close(f);
	}
	tape_trace_close(t);
	return good;
}

/* ---- one program ---- */

/* The leaves that were taken, and how many times are impossible. */
static void add_counts(struct campaign *c, const char *report)
{
	static const char after[] = "\"after\":{\"violations\":";
	char line[65536], *at;
	FILE *f = fopen(report, "r");
	size_t n;

	if (!f)
		fail(report);
	n = fread(line, 1, sizeof line - 1, f);
	line[n] = '\0';
	fclose(f);
	at = strstr(line, "\"leaves\":[");
	if (!at)
		return;
	at += strlen("\"leaves\":[");
	for (int i = 0; i < LEAVES; i++) {
		c->leaves[i] += strtoull(at, &at, 10);
		at += *at == ',';
	}
	at = strstr(at, after);
	c->impossible += at ? strtoull(at + strlen(after), NULL, 10) : 1;
}

/*
 * The report's "reached", summed over all places, must be the delay of the last
 * event.
 */
static void check_shares(struct campaign *c, const struct des_program *p,
			 const char *report)
{
	static const char key[] = "\"reached_ns\":";
	FILE *f = fopen(report, "r");
	int64_t last = 0, late = 0;
	double sum = 0;
	int places = 0, ch, at = 0;

	for (int r = 0; r < p->ranks; r++) {
		const struct des_rank *k = &p->rank[r];
		const struct des_dates *d = k->n ? k->step[k->n - 1].d : NULL;

		if (d && d[DES_TRACED].end >= last) {
			last = d[DES_TRACED].end;
			late = last - d[DES_TRUTH].end;
		}
	}
	while (f && (ch = getc(f)) != EOF) {
		double one;

		at = ch == key[at] ? at + 1 : ch == key[0];
		if (key[at])
			continue;
		at = 0;
		places++;
		if (fscanf(f, "%lf", &one) == 1)
			sum += one;
	}
	if (f)
		fclose(f);
	/* each is rounded, and shares are exact to half a nanosecond */
	if (fabs(sum - (double)late) <= places + 2)
		return;
	if (!c->unexplained++)
		printf("# seed %" PRIu64 ": %.0f ns explained of %" PRId64
		       "\n", p->seed, sum, late);
}

static int64_t last_end(const struct des_program *p, enum des_runs run)
{
	int64_t last = 0;

	for (int r = 0; r < p->ranks; r++) {
		const struct des_rank *k = &p->rank[r];

		if (k->n && k->step[k->n - 1].d[run].end > last)
			last = k->step[k->n - 1].d[run].end;
	}
	return last;
}

static void remove_trace(struct campaign *c, const char *trace)
{
	char log[4200], rm[] = "/bin/rm", option[] = "-rf", *argv[] = {
		rm, option, (char *)(uintptr_t)trace, NULL };

	path(c, "log", log, sizeof log);
	spawn(argv, log);
}

/*
 * The model that tico gets: the true one, or one that errs by up to 20 times
 * either way. Every other program also gets a bound on the transit: the
 * tightest there is, or a loose one.
 */
static void write_models(const struct campaign *c, struct des_program *p,
			 char *beta, char *tau, char *longest, size_t n)
{
	static const double factors[] = { 0, 0.05, 0.5, 0.9, 1.1, 2, 20 };
	double f = c->lie ? factors[des_random(p, 7)] : 1;
	double g = c->lie ? factors[des_random(p, 7)] : 1;
	int64_t loose = p->seed % 4 == 1 ? 1 : 3;

	snprintf(beta, n, "%.0f", f * (double)p->beta);
	snprintf(tau, n, "%.3f", g * (double)p->tau);
	snprintf(longest, n, "%" PRId64 ":%" PRId64, loose * p->beta,
		 loose * p->tau);
}

/*
 * The same in a model file, and from which size messages wait. Inside of
 * collectives, and at some of many distances, sizes may occur that no receive
 * of the trace shows: there it also says how long messages are handed over;
 * elsewhere sometimes, where it is the same for all sizes.
 */
static void write_machine(struct campaign *c, const struct des_program *p,
			  const char *beta, const char *tau, char *name,
			  size_t n)
{
	FILE *f;

	path(c, "run.model", name, n);
	f = fopen(name, "w");
	if (!f)
		fail(name);
	fprintf(f, "all limit %" PRId64 "\n", p->eager);
	for (int k = 0; !c->fit && p->tiers && k < DES_TIERS; k++)
		for (int r = 0; r < 2; r++)
			fprintf(f, "%s %s 0 %" PRId64 " %s\n", des_tier_name[k],
				r ? "rendezvous" : "eager", des_tier_beta(p, k),
				tau);
	if (!c->fit && !p->tiers)
		fprintf(f, "all eager 0 %s %s\nall rendezvous 0 %s %s\n",
			beta, tau, beta, tau);
	/* no message is as large as the last of them */
	for (int k = 0; !c->fit && (p->algorithms || p->tiers) && k < 40; k++)
		fprintf(f, "all dc %" PRId64 " %" PRId64 " 0\n",
			k ? (int64_t)1 << (k - 1) : 0, p->dc[k]);
	if ((c->fit || !(p->algorithms || p->tiers)) && p->dc[0] == p->dc[1] &&
	    p->seed % 4 > 1)
		fprintf(f, "all dc 0 %" PRId64 " 0\n", p->dc[0]);
	if (ferror(f) | fclose(f))
		fail(name);
}

/* Text -> trace -> corrected trace: 0 if both tools succeed. */
static int correct(struct campaign *c, struct des_program *p, char *output)
{
	char text[4200], trace[4200], report[4200], tool[2][4200];
	char beta[32], tau[32], longest[64], machine[4200];
	char r[] = "--assemble", o[] = "-o", j[] = "-j", d[] = "-d", m[] = "-m";
	char *dump[] = { tool[0], r, o, trace, text, NULL };
	char *tico[20] = { tool[1], j, m, machine, o, output };
	int n = 6, rc;
	FILE *f;

	path(c, "run.txt", text, sizeof text);
	path(c, "run.tape", trace, sizeof trace);
	path(c, "report", report, sizeof report);
	snprintf(tool[0], sizeof tool[0], "%s/tapedump", c->bin);
	snprintf(tool[1], sizeof tool[1], "%s/tico", c->bin);
	write_models(c, p, beta, tau, longest, sizeof beta);
	write_machine(c, p, beta, tau, machine, sizeof machine);
	if (p->seed % 2)
		tico[n++] = d, tico[n++] = longest;
	if (c->rule)
		tico[n++] = c->rule;
	tico[n] = trace;
	remove_trace(c, trace);
	remove_trace(c, output);
	f = fopen(text, "w");
	if (!f)
		fail(text);
	des_text(p, DES_TRACED, f);
	if (ferror(f) | fclose(f))
		fail(text);
	if ((rc = spawn(dump, report)) ||
	    (rc = spawn(tico, report))) {
		printf("# seed %" PRIu64 ": a tool ended with %d, see %s\n",
		       p->seed, rc, report);
		return -1;
	}
	add_counts(c, report);
	if (is_exact(c))
		check_shares(c, p, report);
	return 0;
}

/* ---- efficiencies ---- */

/* tapestat's factors of the truth, and of the corrected run with intervals. */
static void compare_factors(struct campaign *c, const struct des_program *p,
			    const char *output)
{
	char text[4200], truth[4200], run[4200], tool[2][4200], json[2][4200];
	char r[] = "--assemble", o[] = "-o", j[] = "-j", m[] = "--measured";
	char t[] = "-t", table[] = "efficiency", phase[] = "--phase";
	char marker[100];
	char *dump[] = {tool[0], r, o, truth, text, NULL};
	char *stat[] = {tool[1], j, t, table, phase, marker, truth, NULL};
	char *both[] = {tool[1], j, t, table, phase, marker, m, run,
			(char *)(uintptr_t)output, NULL};
	FILE *f;

	path(c, "truth.txt", text, sizeof text);
	path(c, "truth.tape", truth, sizeof truth);
	path(c, "run.tape", run, sizeof run);
	path(c, "truth.json", json[0], sizeof json[0]);
	path(c, "run.json", json[1], sizeof json[1]);
	snprintf(tool[0], sizeof tool[0], "%s/tapedump", c->bin);
	snprintf(tool[1], sizeof tool[1], "%s/tapestat", c->bin);
	des_find_marker(p, marker, sizeof marker);
	remove_trace(c, truth);
	f = fopen(text, "w");
	if (!f)
		fail(text);
	des_text(p, DES_TRUTH, f);
	if (ferror(f) | fclose(f))
		fail(text);
	if (spawn(dump, json[0]) || spawn(stat, json[0]) ||
	    spawn(both, json[1])) {
		printf("# seed %" PRIu64 ": a tool failed\n", p->seed);
		c->factors.outside++;
		return;
	}
	des_compare_factors(&c->factors, p, json[0], json[1]);
}

static void one(struct campaign *c, uint64_t seed)
{
	struct des_program *p = des_make(seed, c->steps);
	char output[4200];
	int good;

	path(c, "run.tico.tape", output, sizeof output);
	p->tiers = c->tiers;
	p->regions = c->efficiency;
	if (c->blur)
		des_blur(p);
	if (des_run(p, DES_TRUTH) || des_run(p, DES_TRACED)) {
		printf("# seed %" PRIu64 ": the program locks up\n", seed);
		good = 0;
	} else {
		if (c->bend)
			des_bend(p);
		good = !correct(c, p, output) && compare(c, p, output);
		if (c->efficiency)
			compare_factors(c, p, output);
		c->intruded += last_end(p, DES_TRACED) -
			       last_end(p, DES_TRUTH);
	}
	if (!good && !c->bad_programs++)
		c->first_bad = seed;
	des_free(p);
}

static void ok(int good, int *number, int *failed)
{
	printf("%sok %d - ", good ? "" : "not ", ++*number);
	*failed |= !good;
}

/* What the kind of campaign promises; the certificate holds in all. */
static int verdict(const struct campaign *c, int programs)
{
	int failed = 0, n = 0, all = 1;

	if (c->fit) {
		/* a fitted model errs; nearly all of the intrusion must be
		 * removed */
		ok(c->events && c->off < 0.1 * c->off_before, &n, &failed);
		printf("%d programs, fitted models: %" PRIu64 " of %" PRIu64
		       " events off, %.2f%% of the error is left, worst "
		       "%" PRId64 " ns\n", programs, c->wrong, c->events,
		       100 * c->off / fmax(c->off_before, 1), c->worst);
	} else if (is_exact(c)) {
		/* the exact model gives the exact dates */
		ok(!c->bad_programs, &n, &failed);
		printf("%d programs%s%s: %" PRIu64 " wrong, %" PRIu64 " events "
		       "wrong, worst error %" PRId64 " ns\n", programs,
		       c->rule ? " with " : "", c->rule ? c->rule : "",
		       c->bad_programs, c->wrong, c->worst);
	}
	if (is_exact(c)) {
		ok(c->events && !c->unexplained, &n, &failed);
		printf("what reached the end adds up, but in %" PRIu64
		       " programs\n", c->unexplained);
	}
	ok(c->events && !c->violated, &n, &failed);
	printf("%" PRIu64 " events, %s models%s%s: %" PRIu64 " outside of "
	       "their certificate\n", c->events, c->fit ? "fitted" : c->lie
	       ? "wrong" : "exact", c->blur ? ", costs by intervals" : "",
	       c->bend ? ", clocks that err" : "", c->violated);
	ok(!c->impossible, &n, &failed);
	printf("%" PRIu64 " dates contradict others\n", c->impossible);
	if (c->efficiency) {
		const struct des_factors *x = &c->factors;

		ok(x->ideals && x->regions && x->phases && !x->outside, &n,
		   &failed);
		printf("%" PRIu64 " factors of efficiency, %" PRIu64 " of "
		       "regions, %" PRIu64 " of phases, %" PRIu64 " of T_ideal "
		       "(mean interval %.4f): %" PRIu64 " outside of their "
		       "intervals\n",
		       x->all, x->regions, x->phases, x->ideals,
		       x->width / fmax((double)x->ideals, 1), x->outside);
	}
	for (int i = 0; i < LEAVES; i++)
		all &= c->leaves[i] > 0;
	if (programs >= 50 && is_exact(c) && !c->rule) {
		ok(all, &n, &failed);
		puts("every leaf was taken");
	}
	printf("1..%d\n", n);
	if (failed)
		printf("%s# first wrong: des %s%s%s%s-n 1 -l %d -s %" PRIu64
		       "\n",
		       c->complaint, c->fit ? "-f " : c->lie ? "-w " : "",
		       c->blur ? "-c " : "", c->bend ? "-k " : "",
		       c->efficiency ? "-e " : "",
		       c->steps, *c->complaint ? c->complaint_seed
					       : c->first_bad);
	return failed;
}

static void figures(const struct campaign *c)
{
	static const char *const names[LEAVES] = {
		"arrived early", "arrived by a bound", "arrived by the model",
		"late by the model", "waited", "waited still",
		"waits no more" };

	printf("# %" PRIu64 " events, %" PRId64 " ns of intrusion in all\n"
	       "# %" PRIu64 " ends are certain, %" PRIu64 " have an interval, "
	       "of %" PRId64 " ns at most\n", c->events, c->intruded,
	       c->certain, c->open, c->widest);
	for (int i = 0; i < LEAVES; i++)
		printf("# leaf %d %-20s %10" PRIu64 "\n", i + 1, names[i],
		       c->leaves[i]);
}

int main(int argc, char **argv)
{
	struct campaign c = { .steps = 120 };
	uint64_t seed = 1;
	int programs = 100, option;

	while ((option = getopt(argc, argv, "cefkl:n:r:s:tuw")) != -1) {
		if (option == 'c')
			c.blur = 1;
		else if (option == 'e')
			c.efficiency = 1;
		else if (option == 'k')
			c.bend = 1;
		else if (option == 'f')
			c.fit = 1;
		else if (option == 'l')
			c.steps = atoi(optarg);
		else if (option == 'n')
			programs = atoi(optarg);
		else if (option == 'r')
			c.rule = optarg;
		else if (option == 't')
			c.tiers = 2;
		else if (option == 'u')
			c.tiers = 1;
		else if (option == 'w')
			c.lie = 1;
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else
			break;
	}
	if (option != -1 || argc - optind != 2 || c.steps < 1 || programs < 1) {
		fputs(usage, stderr);
		return 2;
	}
	c.bin = argv[optind];
	c.dir = argv[optind + 1];
	printf("# seeds from %" PRIu64 "\n", seed);
	fflush(stdout);
	for (int i = 0; i < programs; i++)
		one(&c, seed + (uint64_t)i);
	figures(&c);
	return verdict(&c, programs);
}
