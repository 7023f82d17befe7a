/*
 * Fuzz target: an input is a C source for tapepp. A text without calls must
 * come out byte for byte; from any other, taking away what was put in must
 * give the text again.
 */
#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "expanded.h"
#include "input.h"
#include "reroute.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return 0;
}

/* Takes the table of sites, which ends in a #line directive. */
static void take_table(struct cursor *c)
{
	static const char line[] = "\n#endif\n#line 1 \"f.c\"\n";
	const char *at;

	MUST(starts(c, "#ifndef TAPE_SITES\n"));
	at = memmem(c->p, (size_t)(c->end - c->p), line, sizeof line - 1);
	MUST(at);
	c->p = at + sizeof line - 1;
}

/* The text with the insertions of r taken away must be in. */
static void check_body(struct cursor out, struct cursor in,
		       const struct tape_rerouted *r)
{
	size_t named = 0, handed = 0;
	char site[64];

	while (out.p < out.end) {
		snprintf(site, sizeof site, "&tape_sites[%zu]", handed);
		if (handed < named && take(&out, site)) {
			handed++;
			take(&out, ", ");
			continue;
		}
		if (!starts(&in, "tape_") && take(&out, "tape_")) {
			named++;
			continue;
		}
		MUST(in.p < in.end && *in.p == *out.p);
		in.p++;
		out.p++;
	}
	MUST(in.p == in.end);
	MUST(named == r->site_count && handed == named);
}

static void check(const struct tape_rerouted *r, const char *text, size_t n)
{
	struct cursor in, out;

	for (size_t i = 0; i < r->site_count; i++) {
		MUST(r->sites[i].call);
		MUST(!strncmp(r->sites[i].name, "MPI_", 4) ||
		     !strncmp(r->sites[i].name, "pvm_", 4));
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
	take_table(&out);
	check_body(out, in, r);
}

static void check_expanded(const char *text, size_t n, const char *expanded,
			   size_t en)
{
	struct tape_rerouted r;

	if (tape_reroute_expanded("f.c", text, n, expanded, en, &r))
		return;
	check(&r, text, n);
	tape_rerouted_free(&r);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	/* a block of just that size: a byte too far is then seen */
	char *text = malloc(n ? n : 1);
	struct tape_rerouted r;

	if (!text)
		return 0;
	memcpy(text, data, n);
	if (!tape_reroute("f.c", text, n, &r)) {
		check(&r, text, n);
		/* the result, and the input, as what the preprocessor made */
		check_expanded(text, n, r.text, r.n);
		check_expanded(text, n, text, n);
		tape_rerouted_free(&r);
	}
	free(text);
	return 0;
}
