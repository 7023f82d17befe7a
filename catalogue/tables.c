/* Reads the tables of this folder; see mkcatalogue.h. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "mkcatalogue.h"

static struct kind kinds[MAX_KINDS], large_kinds[MAX_KINDS];
struct class classes[MAX_CLASSES];
struct call calls[MAX_CALLS];
struct group groups[MAX_GROUPS];
int n_calls, n_classes, n_groups;
static int n_kinds;
static const struct group *group; /* of the lines that follow */
static const char *file;
static int line;

void fail_at_line(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "mkcatalogue: %s:%d: ", file, line);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void copy_name(char *to, const char *from)
{
	if (strlen(from) >= NAME)
		fail_at_line("name too long: %s", from);
	strcpy(to, from);
}

const char *to_upper_case(const char *s)
{
	static char out[4][NAME];
	static int turn;
	char *o = out[turn++ % 4], *p = o;

	while (*s)
		*p++ = (char)toupper((unsigned char)*s++);
	*p = '\0';
	return o;
}

static const struct kind *find_kind(const char *name)
{
	for (int i = 0; i < n_kinds; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	fail_at_line("unknown kind %s", name);
}

static const struct class *find_class(const char *name)
{
	for (int i = 0; i < n_classes; i++)
		if (!strcmp(classes[i].name, name))
			return &classes[i];
	fail_at_line("unknown class %s", name);
}

/* The same kind in calls of large counts. */
static void add_large(struct kind *k, const char *type)
{
	struct kind *l = &large_kinds[n_kinds];

	*l = *k;
	k->large = l->large = l;
	snprintf(l->type, sizeof l->type, "%s", type);
	if (strcmp(k->role, "-") && strchr(type, '*') &&
	    snprintf(l->role, sizeof l->role, "large_%s", k->role) >= NAME)
		fail_at_line("%s: role too long", k->name);
}

void add_kind(char *s)
{
	struct kind *k = &kinds[n_kinds];
	char name[NAME], role[NAME], *bar;
	int used = 0;

	if (n_kinds == MAX_KINDS)
		fail_at_line("too many kinds");
	if (sscanf(s, "%47s %47s %n", name, role, &used) != 2 || !s[used])
		fail_at_line("expected: kind role type");
	for (int i = 0; i < n_kinds; i++)
		if (!strcmp(kinds[i].name, name))
			fail_at_line("%s: name used before", name);
	copy_name(k->name, name);
	copy_name(k->role, role);
	if ((bar = strstr(s + used, " | ")))
		*bar = '\0';
	snprintf(k->type, sizeof k->type, "%s", s + used);
	k->large = k;
	if (bar)
		add_large(k, bar + 3);
	n_kinds++;
}

/* The line "@ class word ..." of a class, which stands above. */
static void add_class_uses(char *s)
{
	char *w = strtok(s, " \t");
	struct class *c = w ? &classes[find_class(w) - classes] : NULL;

	for (int i = 0; i < CLASS_USES; i++) {
		if (!c || !(w = strtok(NULL, " \t")) || c->use[i][0])
			fail_at_line("expected once: @ class waits channel "
				     "group doing");
		copy_name(c->use[i], w);
	}
	if (strtok(NULL, " \t"))
		fail_at_line("%s: too many words", c->name);
}

void check_class_uses(void)
{
	for (int i = 0; i < n_classes; i++)
		if (!classes[i].use[CLASS_USES - 1][0])
			fail_at_line("%s: no line @", classes[i].name);
}

void add_class(char *s)
{
	struct class *c = &classes[n_classes];
	char *w;
	int operand = 1;

	if (*s == '@') {
		add_class_uses(s + 1);
		return;
	}
	w = strtok(s, " \t");
	if (n_classes == MAX_CLASSES)
		fail_at_line("too many classes");
	for (; *w && strchr("+=*!", *w); w++)
		if (*w == '+')
			c->request = 1;
		else if (*w == '*')
			c->lists = 1;
		else if (*w == '!')
			c->blocks = 1;
		else
			c->always = 1;
	copy_name(c->name, w);
	for (int i = 0; i < n_classes; i++)
		if (!strcmp(classes[i].name, w))
			fail_at_line("%s: name used before", w);
	while ((w = strtok(NULL, " \t"))) {
		struct field *f = &c->f[c->n];
		char *colon = strchr(w, ':');

		if (!strcmp(w, "/")) {
			operand = 0;
			continue;
		}
		if (!colon || c->n == MAX_FIELDS)
			fail_at_line("expected field:encoding, got %s", w);
		*colon = '\0';
		copy_name(f->name, w);
		if (!strcmp(colon + 1, "int"))
			f->encoding = INT;
		else if (!strcmp(colon + 1, "u32"))
			f->encoding = U32;
		else if (!strcmp(colon + 1, "u64"))
			f->encoding = U64;
		else
			fail_at_line("unknown encoding %s", colon + 1);
		f->operand = operand;
		c->n++;
	}
	n_classes++;
}

static void check_new(const struct call *c)
{
	for (int i = 0; i < n_calls; i++)
		if (calls[i].id == c->id || !strcmp(calls[i].name, c->name))
			fail_at_line("%d %s: id or name used before", c->id,
				     c->name);
}

/* The same call for large counts. */
static void add_twin(struct call *of)
{
	struct call *c = &calls[n_calls];

	if (n_calls == MAX_CALLS)
		fail_at_line("too many calls");
	*c = *of;
	c->twin_of = of;
	c->id += TO_TWIN;
	c->traits &= ~find_trait("large");
	c->traits |= find_trait("not_everywhere");
	if (strlen(c->name) + 2 >= NAME)
		fail_at_line("name too long: %s_c", c->name);
	strcat(c->name, "_c");
	check_new(c);
	for (int i = 0; i < c->n; i++)
		if (c->a[i].kind)
			c->a[i].kind = c->a[i].kind->large;
	n_calls++;
}

/* A word after the class: a trait, or "argument:kind". */
static void add_word(struct call *c, char *w)
{
	struct arg *a = &c->a[c->n];
	char *colon = strchr(w, ':'), *end;

	if (!colon && find_trait(w)) {
		c->traits |= find_trait(w);
		return;
	}
	if (c->n++ == MAX_ARGS)
		fail_at_line("%s: too many arguments", c->name);
	if (!strcmp(w, "..."))
		return;
	if (!colon)
		fail_at_line("%s: expected a trait or argument:kind, got %s",
			     c->name, w);
	*colon = '\0';
	if (!strcmp(w, "return")) {
		c->result = find_kind(colon + 1);
		c->n--;
		return;
	}
	copy_name(a->name, w);
	if ((end = strstr(colon + 1, "@root"))) {
		*end = '\0';
		a->at_root = 1;
	}
	if ((end = strchr(colon + 1, '*'))) {
		*end = '\0';
		a->per_member = 1;
	}
	a->kind = find_kind(colon + 1);
}

void add_table_call(char *s)
{
	struct call *c = &calls[n_calls];
	char *w, *colon;
	int64_t id;

	if (!strncmp(s, "group ", 6)) {
		group = begin_group(s);
		return;
	}
	if (n_calls == MAX_CALLS)
		fail_at_line("too many calls");
	if (!group)
		fail_at_line("a call before the first group");
	c->group = group;
	w = strtok(s, " \t");
	if (tape_parse_whole(w, 1, 16000, &id, NULL))
		fail_at_line("bad id %s", w);
	c->id = (int)id;
	w = strtok(NULL, " \t");
	if (!w)
		fail_at_line("expected: id call class argument:kind ...");
	copy_name(c->name, w);
	check_new(c);
	w = strtok(NULL, " \t");
	if (!w)
		fail_at_line("%s: no class", c->name);
	c->removed = *w == '-';
	w += c->removed;
	c->special = *w == '!';
	w += c->special;
	c->noticed = *w == '=';
	w += c->noticed;
	if ((colon = strchr(w, ':'))) {
		*colon = '\0';
		copy_name(c->shape, colon + 1);
	}
	c->class = find_class(w);
	for (w = strtok(NULL, " \t"); w; w = strtok(NULL, " \t"))
		add_word(c, w);
	n_calls++;
	if (c->traits & find_trait("large"))
		add_twin(c);
}

static const struct call *find_call_by_name(const char *name)
{
	for (int i = 0; i < n_calls; i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

const struct call *find_base_call(const struct call *c)
{
	const struct call *found = NULL;
	char name[NAME];
	size_t n;

	c = c->twin_of ? c->twin_of : c;
	snprintf(name, sizeof name, "%s", c->name);
	n = strlen(name);
	if (n > 5 && !strcmp(name + n - 5, "_init")) {
		name[n - 5] = '\0';
		found = find_call_by_name(name);
	} else if (!strncmp(name, "MPI_I", 5)) {
		memmove(name + 4, name + 5, n - 4);
		name[4] = (char)toupper((unsigned char)name[4]);
		found = find_call_by_name(name);
	}
	return found ? found : c;
}

void guard_begin(const struct call *c)
{
	if (c->traits & find_trait("not_everywhere"))
		printf("#ifdef TAPE_HAS_%s\n", c->name);
}

void guard_end(const struct call *c)
{
	if (c->traits & find_trait("not_everywhere"))
		printf("#endif\n");
}

void read_table(const char *folder, const char *name, void (*add)(char *))
{
	static char path[4096];
	char text[1024];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = path;
	line = 0;
	if (!(f = fopen(path, "r")))
		fail_at_line("cannot open");
	while (fgets(text, sizeof text, f)) {
		size_t n = strcspn(text, "\n");

		line++;
		if (text[n] != '\n')
			fail_at_line("line too long or without end");
		text[n] = '\0';
		if (*text && *text != '#')
			add(text);
	}
	fclose(f);
}
