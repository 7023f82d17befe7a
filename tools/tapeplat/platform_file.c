/*
 * See platform_file.h. Reads tags and attributes in their order, which is
 * enough XML for files that SimGrid reads.
 */
#include <stdlib.h>
#include <string.h>

#include "platform_file.h"
#include "file_input.h"
#include "growing_array.h"
#include "platform_words.h"
#include "tool.h"

/* A file that is being read. */
struct source {
	const char *path;
	char *text;
	const char *tag, *end; /* current tag: after '<', at '>' */
};

__attribute__((noreturn)) static void die_at_tag(const struct source *s,
						 const char *what)
{
	unsigned long line = 1;

	for (const char *c = s->text; c < s->tag; c++)
		line += *c == '\n';
	tape_die(TAPE_FAILED, "%s:%lu: %s", s->path, line, what);
}

static char *read_text_file(const char *path)
{
	FILE *f = tape_file_input(path);
	size_t n = 0, room = 65536, got;
	char *text = tape_must(malloc(room));

	while ((got = fread(text + n, 1, room - n - 1, f))) {
		n += got;
		text = tape_must(tape_grow_array(text, &room, n + 2, 1));
	}
	if (ferror(f))
		tape_die(TAPE_FAILED, "%s: cannot be read", path);
	fclose(f);
	text[n] = '\0';
	if (strlen(text) != n)
		tape_die(TAPE_FAILED, "%s: not a text file", path);
	return text;
}

/*
 * Finds the next tag that is no comment or declaration. Returns 1, or 0 at the
 * end.
 */
static int next_tag(struct source *s)
{
	const char *c = s->end;

	for (;;) {
		c = strchr(c, '<');
		if (!c)
			return 0;
		s->tag = c + 1;
		if (!strncmp(c, "<!--", 4)) {
			c = strstr(c, "-->");
			if (!c)
				die_at_tag(s, "a comment without an end");
			continue;
		}
		s->end = strchr(c, '>');
		if (!s->end)
			die_at_tag(s, "a tag without an end");
		if (c[1] != '!' && c[1] != '?')
			return 1;
		c = s->end;
	}
}

static int is_tag(const struct source *s, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(s->tag, name, n) && strchr(" \t\r\n/>", s->tag[n]);
}

/* The value of an attribute of the tag, to be freed; or NULL. */
static char *copy_attribute(const struct source *s, const char *name)
{
	size_t n = strlen(name);

	for (const char *c = s->tag; c < s->end; c++) {
		const char *from = c + n + 2, *to;

		if (!strchr(" \t\r\n", c[-1]) || strncmp(c, name, n) != 0 ||
		    c[n] != '=' || (c[n + 1] != '"' && c[n + 1] != '\''))
			continue;
		to = strchr(from, c[n + 1]);
		if (!to || to > s->end)
			die_at_tag(s, "a value without an end");
		return tape_must(strndup(from, (size_t)(to - from)));
	}
	return NULL;
}

typedef int number(const char *s, double *value);

static void read_value(const struct source *s, const char *name, number *read,
		       double *value)
{
	char *text = copy_attribute(s, name), what[120];

	if (text && read(text, value)) {
		snprintf(what, sizeof what, "\"%.60s\" is not a value of %s",
			 text, name);
		die_at_tag(s, what);
	}
	free(text);
}

static void read_cores(const struct source *s, int *cores)
{
	char *text = copy_attribute(s, "core");

	if (text) {
		*cores = atoi(text);
		if (*cores < 1)
			die_at_tag(s, "a host without a core");
	}
	free(text);
}

/* Copies a setting unchanged. */
static void copy_setting(const struct source *s, FILE *config)
{
	char *id = copy_attribute(s, "id"), *value = copy_attribute(s, "value");

	if (!id || !value || strpbrk(id, "<\"") || strpbrk(value, "<\""))
		die_at_tag(s, "a setting without an id or a value");
	tape_platform_setting(config, id, value);
	free(id);
	free(value);
}

/* A node is a cluster whose hosts are its cores: "0-7". */
static void read_node(const struct source *s, struct tape_platform *p)
{
	char *id = copy_attribute(s, "id"),
	     *radical = copy_attribute(s, "radical");

	p->shape = TAPE_CLUSTER;
	if (id && radical && !strcmp(id, "node")) {
		p->shape = TAPE_NODE;
		if (sscanf(radical, "0-%d", &p->cores) != 1 || p->cores < 0 ||
		    p->cores >= TAPE_PLATFORM_MOST)
			die_at_tag(s, "a node whose cores are not 0-N");
		p->cores++;
	}
	free(id);
	free(radical);
}

static void read_cluster(const struct source *s, struct tape_platform *p)
{
	double latency_s = p->latency_s / 2;

	read_node(s, p);
	read_value(s, "bw", platform_parse_bandwidth, &p->bandwidth);
	read_value(s, "lat", platform_parse_time, &latency_s);
	p->latency_s = 2 * latency_s;
	read_value(s, "limiter_link", platform_parse_bandwidth,
		   &p->shared_bandwidth);
	read_value(s, "loopback_bw", platform_parse_bandwidth,
		   &p->loopback_bandwidth);
	read_value(s, "loopback_lat", platform_parse_time,
		   &p->loopback_latency_s);
	read_value(s, "speed", platform_parse_speed, &p->speed);
	if (p->shape != TAPE_NODE)
		read_cores(s, &p->cores);
}

void platform_read_file(const char *path, struct tape_platform *p)
{
	struct source s = {.path = path, .text = read_text_file(path)};
	int inside = 0, settings = 0;
	char *text = NULL;
	size_t n;
	FILE *config = tape_must(open_memstream(&text, &n));

	s.tag = s.end = s.text;
	while (next_tag(&s)) {
		inside |= is_tag(&s, "config");
		if (is_tag(&s, "/config"))
			inside = 0;
		if (inside && is_tag(&s, "prop")) {
			copy_setting(&s, config);
			settings++;
		}
		if (is_tag(&s, "cluster"))
			read_cluster(&s, p);
	}
	if (fclose(config) || !text)
		tape_die_no_memory();
	if (!settings)
		tape_die(TAPE_FAILED, "%s: no settings of SimGrid", path);
	p->config = text;
	free(s.text);
}
