/*
 * Fuzz target: an input is a source in Fortran for tapepp; its first byte
 * chooses the form. A text without calls must come out byte for byte; any other
 * must be what is left of the result without what tapepp puts in.
 */
#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "input.h"
#include "reroute.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return 0;
}

static void take_line(struct cursor *c)
{
	const char *nl = memchr(c->p, '\n', (size_t)(c->end - c->p));

	MUST(nl);
	c->p = nl + 1;
}

/* # 12 "name" */
static int take_directive(struct cursor *c)
{
	struct cursor at = *c;

	if (!take(&at, "# ") || at.p == at.end || *at.p < '0' || *at.p > '9')
		return 0;
	while (at.p < at.end && *at.p >= '0' && *at.p <= '9')
		at.p++;
	if (!take(&at, " \""))
		return 0;
	take_line(&at);
	*c = at;
	return 1;
}

static int take_announcement(struct cursor *c, int columns)
{
	if (!starts(c, "      call tape_mpi_at(") &&
	    !starts(c, "      call tape_pvm_at("))
		return 0;
	do {
		const char *begin = c->p;

		take_line(c);
		MUST(!columns || c->p - begin <= 73);
		if (!columns && c->p[-2] != '&')
			break;
	} while (!columns || starts(c, "     &"));
	return take_directive(c);
}

/* Takes one thing that tapepp puts in, if the source goes on otherwise. */
static int take_ours(struct cursor *out, const struct cursor *in, int columns,
		     size_t *sites)
{
	struct cursor at = *out;

	if (in->p == in->end || *in->p != '\n')
		take(&at, "\n");
	if (!starts(in, "then\n"))
		take(&at, "then\n");
	if (take_announcement(&at, columns)) {
		++*sites;
		*out = at;
		return 1;
	}
	at = *out;
	if (in->p == in->end)
		take(&at, "\n");
	if (take(&at, "      end if\n") && take_directive(&at)) {
		*out = at;
		return 1;
	}
	return 0;
}

static void check_body(struct cursor out, struct cursor in,
		       const struct tape_rerouted *r, int columns)
{
	size_t sites = 0;

	while (out.p < out.end) {
		if (take_ours(&out, &in, columns, &sites))
			continue;
		if (in.p < in.end && *in.p == *out.p) {
			in.p++;
			out.p++;
			continue;
		}
		MUST(*out.p == ' '); /* up to the column of the source */
		out.p++;
	}
	MUST(in.p == in.end);
	MUST(sites == r->site_count);
}

static void check(const struct tape_rerouted *r, const char *text, size_t n,
		  int columns)
{
	struct cursor in, out;

	for (size_t i = 0; i < r->site_count; i++) {
		MUST(r->sites[i].call && *r->sites[i].name);
		MUST(r->sites[i].file && r->sites[i].function);
	}
	for (size_t i = 0; i < r->report_count; i++) {
		MUST(r->reports[i].file && r->reports[i].name);
		MUST(*tape_left_text(r->reports[i].why));
	}
	if (!r->site_count) {
		MUST(r->n == n && (!n || !memcmp(r->text, text, n)));
		return;
	}
	in = (struct cursor){ text, text + n };
	out = (struct cursor){ r->text, r->text + r->n };
	if (take(&in, "\xef\xbb\xbf"))
		MUST(take(&out, "\xef\xbb\xbf"));
	MUST(take(&out, "# 1 \"f.f\"\n"));
	check_body(out, in, r, columns);
}

/* Does the source hold what tapepp would put in? Nobody could tell it then. */
static int has_ours(const char *text, size_t n)
{
	static const char *const ours[] = { "call tape_mpi_at(",
					    "call tape_pvm_at(",
					    "      end if\n# " };

	for (int i = 0; i < 3; i++)
		if (memmem(text, n, ours[i], strlen(ours[i])))
			return 1;
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	static const int forms[] = { 0, 72, 132 };
	int columns = n ? forms[data[0] % 3] : 0;
	struct tape_rerouted r;
	char *text;

	if (!n--)
		return 0;
	/* a block of just that size: a byte too far is then seen */
	if (!(text = malloc(n ? n : 1)))
		return 0;
	memcpy(text, data + 1, n);
	if (!has_ours(text, n) &&
	    !tape_reroute_fortran("f.f", text, n, columns, &r)) {
		check(&r, text, n, columns);
		tape_rerouted_free(&r);
	}
	free(text);
	return 0;
}
