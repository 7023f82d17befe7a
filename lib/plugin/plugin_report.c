/* Output of plug-ins; see plugins.h and tools/tapeplugin/plugin_output.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "number_text.h"
#include "escape.h"
#include "json.h"
#include "plug.h"
#include "plugins_state.h"
#include "tool.h"

/* Parses a line without its newline. Returns 0 if it is no line of output. */
static int parse_output_line(char *text, struct tape_plugins_line *l,
			     uint32_t levels)
{
	char kind = *text, *end;
	const char *rest;
	uint64_t level;

	if (!*text || text[1] != ' ')
		return 0;
	if (tape_parse_unsigned(text + 2, 10, UINT64_MAX, &level, &rest) ||
	    *rest != ' ')
		return 0;
	*l = (struct tape_plugins_line){
	    .level = level <= levels ? (uint32_t)level : 0, .text = rest + 1};
	if (kind != 'F')
		return kind == 'L';
	l->is_figure = 1;
	l->value = strtod(rest + 1, &end);
	l->text = end + (*end == ' ');
	return 1;
}

int plug_parse_output(struct plug *g)
{
	char *at = g->text, *next;
	int all = 0;

	if (!at)
		return 0;
	at[g->text_bytes] = '\0';
	for (; (next = strchr(at, '\n')); at = next + 1) {
		*next = '\0';
		all = !strcmp(at, "E");
		g->line = tape_must(
		    tape_grow_list(g->line, g->lines, sizeof *g->line));
		g->lines += (size_t)parse_output_line(at, &g->line[g->lines],
						      g->levels);
	}
	return all;
}

const char *tape_plugins_file(const struct tape_plugins *p, size_t i)
{
	return i < p->n ? p->plug[i]->file : NULL;
}

const char *tape_plugins_failed(const struct tape_plugins *p, size_t i)
{
	return p->plug[i]->failed ? p->plug[i]->why : NULL;
}

const struct tape_plugins_line *tape_plugins_line(const struct tape_plugins *p,
						  size_t i, size_t k)
{
	return k < p->plug[i]->lines ? &p->plug[i]->line[k] : NULL;
}

void tape_plugins_status(const struct tape_plugins *p, size_t i, uint32_t level,
			 char *text, size_t n)
{
	char status[PLUG_STATUS_BYTES + 1] = "";

	if (p->plug[i]->s)
		memcpy(
		    status,
		    p->plug[i]
			->s
			->ring[plug_ring_index(p->plug[i]->feeders, level, 0)]
			.status,
		    PLUG_STATUS_BYTES);
	snprintf(text, n, "%s", status);
}

/* Prints the lines of one level, with a headline unless name is NULL. */
static void print_level(const struct plug *g, uint32_t level, const char *name,
			FILE *f)
{
	int any = 0;

	for (size_t i = 0; i < g->lines; i++) {
		const struct tape_plugins_line *l = &g->line[i];

		if (l->level != level)
			continue;
		if (name && !any++) {
			fprintf(f, "  ");
			tape_put_clean(f, name);
			fprintf(f, ":\n");
		}
		fprintf(f, name ? "    " : "  ");
		tape_put_clean(f, l->text);
		if (l->is_figure)
			fprintf(f, ": %.10g", l->value);
		fprintf(f, "\n");
	}
}

void tape_plugins_print(const struct tape_plugins *p, FILE *f,
			const char *const *name)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct plug *g = p->plug[i];

		fprintf(f, "\nplug-in ");
		tape_put_clean(f, g->file);
		fprintf(f, "\n");
		if (g->failed) {
			fprintf(f, "  FAILED: ");
			tape_put_clean(f, g->why);
			fprintf(f, "\n");
		}
		print_level(g, 0, NULL, f);
		for (uint32_t l = 1; l <= p->levels; l++)
			print_level(g, l, p->levels > 1 ? name[l - 1] : NULL,
				    f);
	}
}

static void json_lines(const struct plug *g, int figures, FILE *f,
		       const char *const *name)
{
	const char *comma = "";

	for (size_t i = 0; i < g->lines; i++) {
		const struct tape_plugins_line *l = &g->line[i];

		if (l->is_figure != figures)
			continue;
		fprintf(f, "%s{\"program\":", comma);
		comma = ",";
		if (l->level)
			tape_json_put(f, name[l->level - 1]);
		else
			fprintf(f, "null");
		fprintf(f, figures ? ",\"name\":" : ",\"text\":");
		tape_json_put(f, l->text);
		if (figures && l->value - l->value == 0) /* finite */
			fprintf(f, ",\"value\":%.17g", l->value);
		else if (figures)
			fprintf(f, ",\"value\":null");
		fprintf(f, "}");
	}
}

void tape_plugins_json(const struct tape_plugins *p, FILE *f,
		       const char *const *name)
{
	fprintf(f, ",\"plugins\":[");
	for (size_t i = 0; i < p->n; i++) {
		const struct plug *g = p->plug[i];

		fprintf(f, "%s{\"file\":", i ? "," : "");
		tape_json_put(f, g->file);
		fprintf(f, ",\"failed\":");
		if (g->failed)
			tape_json_put(f, g->why);
		else
			fprintf(f, "null");
		fprintf(f, ",\"lines\":[");
		json_lines(g, 0, f, name);
		fprintf(f, "],\"figures\":[");
		json_lines(g, 1, f, name);
		fprintf(f, "]}");
	}
	fprintf(f, "]");
}
