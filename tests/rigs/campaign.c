/* See campaign.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"

void campaign_exit(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
		strerror(errno));
	exit(2);
}

int campaign_try(const struct campaign_place *c, const char *command)
{
	char line[4096];

	if (snprintf(line, sizeof line, "cd '%s' && PATH='%s':$PATH && %s",
		     c->dir, c->bin, command) >= (int)sizeof line)
		campaign_exit(c->dir);
	return system(line);
}

void campaign_run(const struct campaign_place *c, const char *command)
{
	if (campaign_try(c, command))
		campaign_exit(command);
}

static FILE *open_file(const struct campaign_place *c, const char *name,
		       const char *mode)
{
	char path[4200];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", c->dir, name);
	f = fopen(path, mode);
	if (!f)
		campaign_exit(path);
	return f;
}

FILE *campaign_begin_file(const struct campaign_place *c, const char *name)
{
	return open_file(c, name, "w");
}

void campaign_end_file(FILE *f, const char *name)
{
	if (ferror(f) | fclose(f))
		campaign_exit(name);
}

struct campaign_total campaign_read_total(const struct campaign_place *c,
					  const char *trace)
{
	struct campaign_total t = {0};
	char name[100], line[300];
	int found = 0;
	FILE *f;

	snprintf(name, sizeof name, "%s/meta", trace);
	f = open_file(c, name, "r");
	while (found < 1 && fgets(line, sizeof line, f))
		found =
		    sscanf(line, "total %*d %" SCNd64 " %" SCNd64 " %" SCNd64,
			   &t.total, &t.from, &t.to);
	fclose(f);
	t.is_certain = found == 3;
	return t;
}

static int order_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double campaign_median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, order_doubles);
	return n ? v[n / 2] : 0;
}
