/* Looks for calls that macros changed; see expanded.h. */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "expanded.h"
#include "scan.h"

#define TABLE "tape_sites"
#define PREFIX "tape_"

enum { SEEN_USED = 1, SEEN_DECLARED = 2 };

struct work {
	struct tape_source s;
	const struct tape_rerouted *r;
	unsigned char *left;
	unsigned char *seen;	 /* by site: SEEN_... */
};

/* The number of n bytes at p; r's number of sites where there is none. */
static size_t number_at(const struct work *w, const char *p, size_t n)
{
	size_t value = 0, i = 0;

	for (; i < n && p[i] >= '0' && p[i] <= '9'; i++) {
		value = 10 * value + (size_t)(p[i] - '0');
		if (value > w->r->site_count)
			break;
	}
	return i && value < w->r->site_count ? value : w->r->site_count;
}

/* Every site in the string at token i. */
static void check_string(struct work *w, size_t i)
{
	static const char table[] = TABLE "[";
	const char *p = w->s.text + w->s.tokens[i].at, *q;
	const char *end = p + w->s.tokens[i].n;

	while ((q = memmem(p, (size_t)(end - p), table, sizeof table - 1))) {
		size_t site;

		p = q + sizeof table - 1;
		site = number_at(w, p, (size_t)(end - p));
		if (site < w->r->site_count)
			w->left[site] = TAPE_LEFT_STRING;
	}
}

/* Is token i the name of the wrapper of a site's call? */
static int is_wrapper(const struct work *w, size_t i, size_t site)
{
	char name[300];

	tape_source_name(&w->s, i, name, sizeof name);
	return !strncmp(name, PREFIX, strlen(PREFIX)) &&
	       !strcmp(name + strlen(PREFIX), w->r->sites[site].name);
}

/* The table's name at token i: is a whole call before it? */
static void check_table_use(struct work *w, size_t i)
{
	const struct tape_token *t = w->s.tokens;
	size_t site;

	if (tape_source_code(&w->s, i + 1) != '[' || i + 2 >= w->s.count ||
	    t[i + 2].kind != TAPE_NUMBER)
		return;
	site = number_at(w, w->s.text + t[i + 2].at, t[i + 2].n);
	if (site == w->r->site_count)
		return;
	w->seen[site] |= SEEN_USED;
	if (i < 3 || tape_source_code(&w->s, i - 1) != '&' ||
	    tape_source_code(&w->s, i - 2) != '(' ||
	    !is_wrapper(w, i - 3, site))
		w->left[site] = TAPE_LEFT_PASTED;
}

/* The name at token i, which may be that of a wrapper, with "(" after it. */
static void mark_declared(struct work *w, size_t i)
{
	for (size_t k = 0; k < w->r->site_count; k++)
		if (!(w->seen[k] & SEEN_DECLARED) && is_wrapper(w, i, k))
			w->seen[k] |= SEEN_DECLARED;
}

static void check_token(struct work *w, size_t i)
{
	const struct tape_token *t = &w->s.tokens[i];

	if (t->kind == TAPE_STRING)
		check_string(w, i);
	else if (tape_source_is(&w->s, i, TABLE))
		check_table_use(w, i);
	else if (t->kind == TAPE_IDENTIFIER && t->n > strlen(PREFIX) &&
		 !memcmp(w->s.text + t->at, PREFIX, strlen(PREFIX)) &&
		 tape_source_code(&w->s, i + 1) == '(' &&
		 tape_source_code(&w->s, i + 2) != '&')
		mark_declared(w, i);
}

/*
 * text (n bytes) is the result r after the preprocessor. Sets left[i], for
 * each site of r, to the reason why its call must not be rerouted, or 0.
 */
static int find_left(const char *text, size_t n, const struct tape_rerouted *r,
		     unsigned char *left)
{
	struct work w = {.r = r, .left = left};
	struct tape_token *tokens = NULL;
	int rc = TAPE_ENOMEM, in_directive = 0;

	memset(left, 0, r->site_count);
	w.s.text = text;
	w.seen = calloc(r->site_count + 1, 1);
	if (w.seen)
		rc = tape_scan(text, n, 0, &tokens, &w.s.count);
	w.s.tokens = tokens;
	for (size_t i = 0; !rc && i < w.s.count; i++) {
		/* # 12 "file" */
		if (tokens[i].kind == TAPE_DIRECTIVE)
			in_directive = 1;
		else if (tokens[i].kind == TAPE_END)
			in_directive = 0;
		else if (!in_directive)
			check_token(&w, i);
	}
	for (size_t k = 0; !rc && k < r->site_count; k++)
		if (w.seen[k] == SEEN_USED && !left[k])
			left[k] = TAPE_LEFT_UNDECLARED;
	free(w.seen);
	free(tokens);
	return rc;
}

int tape_reroute_expanded(const char *file, const char *text, size_t n,
			  const char *expanded, size_t en,
			  struct tape_rerouted *r)
{
	unsigned char *left;
	size_t count;
	int rc = tape_reroute(file, text, n, r);

	if (rc || !r->site_count || !en)
		return rc;
	count = r->site_count;
	left = malloc(count);
	rc = left ? find_left(expanded, en, r, left) : TAPE_ENOMEM;
	tape_rerouted_free(r);
	if (!rc)
		rc = tape_reroute_but(file, text, n, left, count, r);
	free(left);
	return rc;
}
