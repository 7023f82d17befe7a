/* The results of rerouting, and the text made of them; see result.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "growing_array.h"
#include "result.h"
#include "text.h"

int tape_result_site(struct tape_result *r, unsigned call, const char *name,
		     const char *file, int line, const char *function)
{
	struct tape_reroute_site *s = tape_grow_array(
	    r->out.sites, &r->site_size, r->out.site_count + 1, sizeof *s);

	if (!s)
		return TAPE_ENOMEM;
	r->out.sites = s;
	s += r->out.site_count;
	s->name = name;
	s->call = call;
	s->line = line;
	s->file = strdup(file);
	s->function = strdup(function);
	r->out.site_count++;
	return s->file && s->function ? 0 : TAPE_ENOMEM;
}

int tape_result_report(struct tape_result *r, enum tape_left why,
		       const char *name, const char *file, int line)
{
	struct tape_reroute_report *p =
	    tape_grow_array(r->out.reports, &r->report_size,
			    r->out.report_count + 1, sizeof *p);

	if (!p)
		return TAPE_ENOMEM;
	r->out.reports = p;
	p += r->out.report_count;
	p->why = why;
	p->line = line;
	p->file = strdup(file);
	p->name = strdup(name);
	r->out.report_count++;
	return p->file && p->name ? 0 : TAPE_ENOMEM;
}

int tape_result_edit(struct tape_result *r, struct tape_edit edit)
{
	struct tape_edit *e = tape_grow_array(r->edits, &r->edit_size,
					      r->edit_count + 1, sizeof *e);

	if (!e)
		return TAPE_ENOMEM;
	r->edits = e;
	r->edits[r->edit_count++] = edit;
	return 0;
}

/* ---- the text ---- */

/*
 * A string literal. Octal escapes, because they end after three digits; no
 * question mark, because two may begin a trigraph.
 */
static void put_c_string(struct tape_text *t, const char *s)
{
	tape_text_put(t, "\"", 1);
	for (; *s; s++)
		if (*s < ' ' || *s > '~' || strchr("\"\\?", *s))
			tape_text_format(t, "\\%03o",
					 (unsigned)(unsigned char)*s);
		else
			tape_text_put(t, s, 1);
	tape_text_put(t, "\"", 1);
}

/*
 * Unused: calls may all be in parts that the compiler skips. Guarded: a file
 * may include itself.
 */
static void put_table(struct tape_text *t, const struct tape_rerouted *r,
		      const char *file)
{
	tape_text_format(t,
			 "#ifndef TAPE_SITES\n#define TAPE_SITES %zu\n"
			 "#include <tape/site.h>\n"
			 "static struct tape_site tape_sites[TAPE_SITES] "
			 "__attribute__((__unused__)) = {\n",
			 r->site_count);
	for (size_t i = 0; i < r->site_count; i++) {
		const struct tape_reroute_site *s = &r->sites[i];

		tape_text_format(t, "\t{ %u, 0, 0, %d, ", s->call, s->line);
		put_c_string(t, s->file);
		tape_text_put(t, ", ", 2);
		put_c_string(t, s->function);
		tape_text_put(t, " },\n", 4);
	}
	tape_text_format(t, "};\n#endif\n#line 1 ");
	put_c_string(t, file);
	tape_text_put(t, "\n", 1);
}

int tape_result_write(struct tape_result *r, const char *file, const char *text,
		      size_t n, size_t start)
{
	struct tape_text t = {0};
	size_t at = 0;

	if (r->out.site_count) {
		tape_text_put(&t, text, start);
		put_table(&t, &r->out, file);
		at = start;
	}
	for (size_t i = 0; i < r->edit_count; i++) {
		const struct tape_edit *e = &r->edits[i];

		tape_text_put(&t, text + at, e->at - at);
		at = e->at;
		if (e->what == TAPE_EDIT_NAME)
			tape_text_put(&t, "tape_", 5);
		else
			tape_text_format(&t, "&tape_sites[%zu]%s", e->site,
					 e->what == TAPE_EDIT_FIRST ? ", "
								    : "");
	}
	tape_text_put(&t, text + at, n - at);
	if (t.failed) {
		free(t.p);
		return TAPE_ENOMEM;
	}
	r->out.text = t.p;
	r->out.n = t.n;
	return 0;
}

void tape_result_clear(struct tape_result *r)
{
	tape_rerouted_free(&r->out);
	free(r->edits);
	memset(r, 0, sizeof *r);
}
