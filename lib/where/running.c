/* Which processes of a trace still run on this host; see states.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "states.h"

/* Copies the text that is in a small file or a link, without its newline. */
static int read_text(const char *path, int is_link, char *text, size_t size)
{
	ssize_t n = -1;
	int fd;

	if (is_link) {
		n = readlink(path, text, size - 1);
	} else if ((fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	if (n < 0)
		return -1;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

/* The name of a clock domain ends with ":BOOT:[NAMESPACE]". */
static int is_domain_here(const char *domain)
{
	char boot[64], space[64], end[160];
	size_t n, all = strlen(domain);

	if (read_text("/proc/sys/kernel/random/boot_id", 0, boot, sizeof boot))
		return 0;
	if (read_text("/proc/self/ns/time", 1, space, sizeof space))
		return 0;
	snprintf(end, sizeof end, ":%s:%s", boot,
		 strchr(space, '[') ? strchr(space, '[') : "");
	n = strlen(end);
	return all >= n && !strcmp(domain + all - n, end);
}

/* Does the process map a file of the trace's directory? */
static int has_trace_mapped(long pid, const char *directory)
{
	char path[64], *line = NULL;
	size_t room = 0;
	int found = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!found && getline(&line, &room, f) > 0)
		found = strstr(line, directory) != NULL;
	free(line);
	fclose(f);
	return found;
}

void where_find_running(struct where_states *s, const char *dir)
{
	char *whole = realpath(dir, NULL);
	struct timespec now;
	size_t k, last = SIZE_MAX;
	int here = 0;

	if (!whole)
		return;
	for (k = 0; k < s->n_ranks; k++) {
		const struct tape_rank_info *r = tape_trace_rank(s->t, (int)k);

		if (!r || !r->host || r->pid <= 0 || !s->rank[k].n_active)
			continue;
		if (r->domain != last) {
			last = r->domain;
			here = is_domain_here(
			    tape_trace_domain(s->t, r->domain)->name);
		}
		s->rank[k].is_here = here;
		s->rank[k].is_running = here && has_trace_mapped(r->pid, whole);
		s->is_running |= s->rank[k].is_running;
	}
	free(whole);
	if (!s->is_running || tape_trace_base(s->t) != TAPE_BASE_LOCAL)
		return;
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	s->now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
