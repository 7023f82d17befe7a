/* Sorts and prints ranks by clock and host; see hosts.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower_bound.h"
#include "clocks.h"
#include "escape.h"
#include "hosts.h"
#include "json.h"
#include "sort.h"

/* Ranges printed for a host: cyclic distributions have very many. */
enum { RANGES_SHOWN = 8 };

static int compare_host_ranks(const void *a, const void *b)
{
	const struct host_rank *x = a, *y = b;
	int d = (x->domain > y->domain) - (x->domain < y->domain);

	if (!d)
		d = strcmp(x->host, y->host);
	return d ? d : (x->rank > y->rank) - (x->rank < y->rank);
}

void hosts_open(struct hosts *h, const struct tape_trace *t)
{
	size_t n = tape_trace_ranks(t);

	h->r = clocks_alloc(n, sizeof *h->r);
	h->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, (int)i);

		if (r->host)
			h->r[h->n++] = (struct host_rank){ r->domain, r->host,
							   r->rank };
	}
	tape_sort(h->r, h->n, sizeof *h->r, compare_host_ranks);
}

void hosts_close(struct hosts *h)
{
	free(h->r);
}

/* The first rank of a domain. */
static size_t domain_start(const struct hosts *h, uint32_t domain)
{
	size_t i;

	TAPE_LOWER_BOUND(i, h->n, h->r[i].domain < domain);
	return i;
}

/* The first rank after i on another host. */
static size_t host_end(const struct hosts *h, size_t i)
{
	size_t j = i;

	while (j < h->n && h->r[j].domain == h->r[i].domain &&
	       !strcmp(h->r[j].host, h->r[i].host))
		j++;
	return j;
}

int hosts_name(const char *name, size_t n)
{
	char raw[256], text[1024];
	int shown = 0;

	snprintf(raw, sizeof raw, "%.*s", (int)(n < 255 ? n : 255), name);
	tape_clean(raw, text, sizeof text);
	fputs(text, stdout);
	/* columns, more or less: bytes that begin a character */
	for (const char *s = text; *s; s++)
		shown += (*s & 0xc0) != 0x80;
	return shown;
}

static void print_ranks(const struct host_rank *r, size_t n)
{
	size_t first = 0, ranges = 0;

	for (size_t i = 1; i <= n; i++) {
		if (i < n && r[i].rank == r[i - 1].rank + 1)
			continue;
		if (ranges++ == RANGES_SHOWN) {
			printf(", ... (%zu ranks)", n);
			return;
		}
		printf("%s%d", first ? ", " : "", r[first].rank);
		if (i - first > 1)
			printf("-%d", r[i - 1].rank);
		first = i;
	}
}

void hosts_text(const struct hosts *h, uint32_t domain)
{
	size_t first = domain_start(h, domain), end;

	for (size_t i = first; i < h->n && h->r[i].domain == domain; i = end) {
		end = host_end(h, i);
		printf("%s", i > first ? "; " : "");
		hosts_name(h->r[i].host, SIZE_MAX);
		printf(": ");
		print_ranks(&h->r[i], end - i);
	}
}

void hosts_json(const struct hosts *h, uint32_t domain)
{
	size_t first = domain_start(h, domain), end;

	printf("[");
	for (size_t i = first; i < h->n && h->r[i].domain == domain; i = end) {
		end = host_end(h, i);
		printf("%s{\"host\":", i > first ? "," : "");
		tape_json_string(h->r[i].host);
		printf(",\"ranks\":[");
		for (size_t j = i; j < end; j++)
			printf("%s%d", j > i ? "," : "", h->r[j].rank);
		printf("]}");
	}
	printf("]");
}
