/* The hosts for the ranks of a simulated run; see simulate_hosts.h. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "installed_file.h"
#include "simulate_hosts.h"
#include "simulate_tools.h"

struct host {
	char *name;
	char speed[40];
};

struct hosts {
	struct host *all;
	int n;
};

static void add_host(struct hosts *h, const char *name, const char *speed)
{
	size_t room = (size_t)h->n + 1;

	/* grown when their number comes to a power of 2 */
	if (!(h->n & (h->n - 1)))
		h->all = realloc(h->all, 2 * room * sizeof *h->all);
	if (!h->all || !(h->all[h->n].name = strdup(name)))
		tape_simulate_no_memory();
	snprintf(h->all[h->n++].speed, sizeof h->all->speed, "%.39s", speed);
}

/*
 * What SimGrid complained of: its first line with "ERROR] " or "CRITICAL] ",
 * without what is before and without the name of an exception's type.
 */
static void read_simgrid_error(FILE *f, char *text, size_t n)
{
	char line[1200];
	const char *s = NULL, *type;

	snprintf(text, n, "no reason given");
	rewind(f);
	while (!s && fgets(line, sizeof line, f)) {
		if (!(s = strstr(line, "ERROR] ")))
			s = strstr(line, "CRITICAL] ");
		if (!s)
			continue;
		s = strchr(s, ' ') + 1;
		type = strstr(s, "exception std::");
		if (type && (type = strstr(type, ": ")))
			s = type + 2;
		snprintf(text, n, "%.*s", (int)strcspn(s, "\n"), s);
	}
}

/* Those of the platform, by SimGrid, which gets the options, too. */
static void list_platform_hosts(const struct tape_simulate_hosts *h,
				struct hosts *hosts)
{
	char program[PATH_MAX], name[1024], speed[64], why[1000];
	char **argv = calloc((size_t)h->n_options + 3, sizeof *argv);
	FILE *out = tape_simulate_file("all");
	FILE *said = tape_simulate_file("said");

	tape_find_installed("lib", "tape-simgrid-hosts", program,
			    sizeof program);
	if (access(program, X_OK))
		tape_simulate_fail(
		    1, "%s is missing: Tape was built without SimGrid",
		    program);
	if (!argv)
		tape_simulate_no_memory();
	argv[0] = program;
	for (int i = 0; i < h->n_options; i++)
		argv[i + 1] = h->options[i];
	argv[h->n_options + 1] = (char *)(uintptr_t)h->platform;
	if (tape_simulate_call(argv, fileno(out), fileno(said))) {
		read_simgrid_error(said, why, sizeof why);
		tape_simulate_fail(1, "%s: rejected by SimGrid: %s",
				   h->platform, why);
	}
	rewind(out);
	while (fscanf(out, "%1023s %63s", name, speed) == 2)
		add_host(hosts, name, speed);
	fclose(out);
	fclose(said);
	free(argv);
}

static const struct host *find_host(const struct hosts *all, const char *name)
{
	for (int i = 0; i < all->n; i++)
		if (!strcmp(all->all[i].name, name))
			return &all->all[i];
	return NULL;
}

/* One line of a hostfile, HOST or HOST:SLOTS. */
static void read_hostfile_line(const struct tape_simulate_hosts *h, char *line,
			       const struct hosts *all, struct hosts *wanted)
{
	char *name = line + strspn(line, " \t");
	const struct host *host;
	char *slots;
	int n;

	name[strcspn(name, " \t\r\n")] = '\0';
	if (!*name)
		return;
	host = find_host(all, name);
	slots = strrchr(name, ':');
	if (!host && slots) {
		*slots = '\0';
		host = find_host(all, name);
	} else {
		slots = NULL;
	}
	if (!host)
		tape_simulate_fail(1, "%s: no host %s in %s", h->hostfile, name,
				   h->platform);
	n = slots ? atoi(slots + 1) : 1;
	for (int i = 0; i < n && wanted->n < h->ranks; i++)
		add_host(wanted, host->name, host->speed);
}

static void read_hostfile(const struct tape_simulate_hosts *h,
			  const struct hosts *all, struct hosts *wanted)
{
	FILE *f = fopen(h->hostfile, "re");
	char line[2048];

	if (!f)
		tape_simulate_fail(1, "%s: %s", h->hostfile, strerror(errno));
	while (fgets(line, sizeof line, f))
		read_hostfile_line(h, line, all, wanted);
	fclose(f);
}

static void check_number(const struct tape_simulate_hosts *h,
			 const struct hosts *use)
{
	const char *file = h->hostfile ? h->hostfile : h->platform;

	if (use->n >= h->ranks)
		return;
	if (!use->n || !h->round_robin)
		tape_simulate_fail(
		    1, "%s has %d hosts for %d ranks%s", file, use->n, h->ranks,
		    use->n ? "; --round-robin places several ranks on a host"
			   : "");
	fprintf(stderr, "taperun: %d ranks on %d hosts, in turn\n", h->ranks,
		use->n);
}

const char *tape_simulate_hosts(struct tape_simulate_hosts *h)
{
	static char path[PATH_MAX + 16];
	struct hosts all = {NULL, 0}, wanted = {NULL, 0};
	const struct hosts *use = h->hostfile ? &wanted : &all;
	FILE *to = tape_simulate_file("hosts");

	list_platform_hosts(h, &all);
	if (h->hostfile)
		read_hostfile(h, &all, &wanted);
	check_number(h, use);
	snprintf(h->speed, sizeof h->speed, "%s", use->all[0].speed);
	for (int i = 0; i < h->ranks; i++)
		fprintf(to, "%s\n", use->all[i % use->n].name);
	if (fflush(to) || fclose(to))
		tape_simulate_fail(1, "%s: %s", tape_simulate_own,
				   strerror(errno));
	snprintf(path, sizeof path, "%s/hosts", tape_simulate_own);
	return path;
}
