/*
 * Turns the tables of this folder into one generated file ("view"):
 *
 *	mkcatalogue VIEW FOLDER > file
 *
 * Used at build time only. The tables are small and trusted, the checks are
 * for their authors: every error names file and line.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mkcatalogue.h"

static struct kind kinds[MAX_KINDS];
struct class classes[MAX_CLASSES];
struct call calls[MAX_CALLS];
struct group groups[MAX_GROUPS];
int n_calls, n_classes, n_groups;
static int n_kinds;
static const struct group *group; /* of the lines that follow */
static const char *file;
static int line;

void fail(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "mkcatalogue: %s:%d: ", file, line);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void copy(char *to, const char *from)
{
	if (strlen(from) >= NAME)
		fail("name too long: %s", from);
	strcpy(to, from);
}

const char *upper(const char *s)
{
	static char out[4][NAME];
	static int turn;
	char *o = out[turn++ % 4], *p = o;

	while (*s)
		*p++ = (char)toupper((unsigned char)*s++);
	*p = '\0';
	return o;
}

static const struct kind *kind_of(const char *name)
{
	for (int i = 0; i < n_kinds; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	fail("unknown kind %s", name);
}

static const struct class *class_of(const char *name)
{
	for (int i = 0; i < n_classes; i++)
		if (!strcmp(classes[i].name, name))
			return &classes[i];
	fail("unknown class %s", name);
}

static void add_kind(char *s)
{
	struct kind *k = &kinds[n_kinds];
	char name[NAME], role[NAME];
	int used = 0;

	if (n_kinds == MAX_KINDS)
		fail("too many kinds");
	if (sscanf(s, "%47s %47s %n", name, role, &used) != 2 || !s[used])
		fail("expected: kind role type");
	for (int i = 0; i < n_kinds; i++)
		if (!strcmp(kinds[i].name, name))
			fail("%s: name used before", name);
	copy(k->name, name);
	copy(k->role, role);
	snprintf(k->type, sizeof k->type, "%s", s + used);
	n_kinds++;
}

static void add_class(char *s)
{
	struct class *c = &classes[n_classes];
	char *w = strtok(s, " \t");
	int operand = 1;

	if (n_classes == MAX_CLASSES)
		fail("too many classes");
	for (; *w == '+' || *w == '='; w++)
		if (*w == '+')
			c->request = 1;
		else
			c->always = 1;
	copy(c->name, w);
	for (int i = 0; i < n_classes; i++)
		if (!strcmp(classes[i].name, w))
			fail("%s: name used before", w);
	while ((w = strtok(NULL, " \t"))) {
		struct field *f = &c->f[c->n];
		char *colon = strchr(w, ':');

		if (!strcmp(w, "/")) {
			operand = 0;
			continue;
		}
		if (!colon || c->n == MAX_FIELDS)
			fail("expected field:encoding, got %s", w);
		*colon = '\0';
		copy(f->name, w);
		if (!strcmp(colon + 1, "int"))
			f->encoding = INT;
		else if (!strcmp(colon + 1, "u32"))
			f->encoding = U32;
		else if (!strcmp(colon + 1, "u64"))
			f->encoding = U64;
		else
			fail("unknown encoding %s", colon + 1);
		f->operand = operand;
		c->n++;
	}
	n_classes++;
}

static void add_call(char *s)
{
	struct call *c = &calls[n_calls];
	char *w, *colon, *digits_end;

	if (!strncmp(s, "group ", 6)) {
		group = begin_group(s);
		return;
	}
	if (n_calls == MAX_CALLS)
		fail("too many calls");
	if (!group)
		fail("a call before the first group");
	c->group = group;
	w = strtok(s, " \t");
	c->id = (int)strtol(w, &digits_end, 10);
	if (*digits_end || c->id < 1 || c->id > 16000)
		fail("bad id %s", w);
	w = strtok(NULL, " \t");
	if (!w)
		fail("expected: id call class argument:kind ...");
	copy(c->name, w);
	for (int i = 0; i < n_calls; i++)
		if (calls[i].id == c->id || !strcmp(calls[i].name, c->name))
			fail("%d %s: id or name used before", c->id, c->name);
	w = strtok(NULL, " \t");
	if (!w)
		fail("%s: no class", c->name);
	c->removed = *w == '-';
	w += c->removed;
	c->special = *w == '!';
	w += c->special;
	c->noticed = *w == '=';
	w += c->noticed;
	if ((colon = strchr(w, ':'))) {
		*colon = '\0';
		copy(c->shape, colon + 1);
	}
	c->class = class_of(w);
	while ((w = strtok(NULL, " \t"))) {
		struct arg *a = &c->a[c->n];
		char *end;

		if (c->n++ == MAX_ARGS)
			fail("%s: too many arguments", c->name);
		if (!strcmp(w, "..."))
			continue;
		if (!(colon = strchr(w, ':')))
			fail("%s: expected argument:kind, got %s", c->name, w);
		*colon = '\0';
		if (!strcmp(w, "return")) {
			c->result = kind_of(colon + 1);
			c->n--;
			continue;
		}
		copy(a->name, w);
		if ((end = strstr(colon + 1, "@root"))) {
			*end = '\0';
			a->at_root = 1;
		}
		if ((end = strchr(colon + 1, '*'))) {
			*end = '\0';
			a->per_member = 1;
		}
		a->kind = kind_of(colon + 1);
	}
	n_calls++;
}

static void read_table(const char *folder, const char *name,
		       void (*add)(char *))
{
	static char path[4096];
	char text[1024];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = path;
	line = 0;
	if (!(f = fopen(path, "r")))
		fail("cannot open");
	while (fgets(text, sizeof text, f)) {
		size_t n = strcspn(text, "\n");

		line++;
		if (text[n] != '\n')
			fail("line too long or without end");
		text[n] = '\0';
		if (*text && *text != '#')
			add(text);
	}
	fclose(f);
}

/* ---- views ---- */

static const char *c_type(const struct field *f)
{
	return f->encoding == INT ? "int32_t"
				  : f->encoding == U32 ? "uint32_t" : "uint64_t";
}

static void view_struct(const struct class *c)
{
	int words = 0, any = 0;

	printf("struct tape_%s {\n", c->name);
	for (int i = 0; i < c->n; i++)
		if (c->f[i].operand && c->f[i].encoding == U64)
			printf("\tuint64_t %s;\n", c->f[i].name), any = 1;
	for (int i = 0; i < c->n; i++)
		if (c->f[i].operand && c->f[i].encoding != U64)
			printf("\t%s %s;\n", c_type(&c->f[i]), c->f[i].name),
				words++, any = 1;
	if (words % 2)
		printf("\tuint32_t pad_;\n");
	for (int i = 0; i < c->n; i++)
		if (!c->f[i].operand)
			printf("\t%s %s;\n", c_type(&c->f[i]), c->f[i].name), any = 1;
	if (!any)
		printf("\tuint32_t none_;\n");
	printf("};\n\n");
}

static void view_ids(void)
{
	int most = 0;

	printf("#ifndef TAPE_IDS_H\n#define TAPE_IDS_H\n\n"
	       "#include <stdint.h>\n\nenum tape_class {\n");
	for (int i = 0; i < n_classes; i++)
		printf("\tTAPE_CLASS_%s,\n", upper(classes[i].name));
	printf("\tTAPE_CLASS_COUNT\n};\n\n"
	       "enum tape_shape {\n\tTAPE_SHAPE_NONE,\n\tTAPE_SHAPE_ALL,\n"
	       "\tTAPE_SHAPE_FROM,\n\tTAPE_SHAPE_TO,\n\tTAPE_SHAPE_SCAN,\n"
	       "\tTAPE_SHAPE_NEAR\n};\n\n"
	       "enum tape_call {\n");
	for (int i = 0; i < n_calls; i++) {
		printf("\tTAPE_CALL_%s = %d,\n", calls[i].name, calls[i].id);
		if (calls[i].id > most)
			most = calls[i].id;
	}
	printf("\tTAPE_CALL_COUNT = %d\n};\n\nenum tape_group {\n", most + 1);
	for (int i = 0; i < n_groups; i++)
		printf("\tTAPE_GROUP_%s,\n", upper(groups[i].name));
	printf("\tTAPE_GROUP_COUNT\n};\n\n");
	for (int i = 0; i < n_classes; i++)
		view_struct(&classes[i]);
	printf("union tape_fields {\n");
	for (int i = 0; i < n_classes; i++)
		printf("\tstruct tape_%s %s;\n", classes[i].name, classes[i].name);
	printf("};\n\n#endif\n");
}

static void codec_class(const struct class *c)
{
	printf("static inline int tape_same_%s(const struct tape_%s *a, "
	       "const struct tape_%s *b)\n{\n\t(void)a, (void)b;\n\treturn 1",
	       c->name, c->name, c->name);
	for (int i = 0; i < c->n; i++)
		if (c->f[i].operand)
			printf(" &&\n\t\ta->%s == b->%s", c->f[i].name, c->f[i].name);
	printf(";\n}\n\n");

	printf("static inline unsigned char *tape_encode_%s(unsigned char *p, "
	       "const struct tape_%s *a, int same)\n{\n\t(void)a, (void)same;\n",
	       c->name, c->name);
	for (int i = 0; i < c->n; i++) {
		const struct field *f = &c->f[i];

		printf("\t%sp = tape_put_varint(p, %s%s%s);\n",
		       f->operand ? "if (!same)\n\t\t" : "",
		       f->encoding == INT ? "tape_zigzag(a->" : "a->", f->name,
		       f->encoding == INT ? ")" : "");
	}
	printf("\treturn p;\n}\n\n");

	printf("static inline const unsigned char *tape_decode_%s("
	       "const unsigned char *p, const unsigned char *end, "
	       "struct tape_%s *a, int same)\n{\n"
	       "\tuint64_t v = 0;\n\n\t(void)a, (void)same, (void)end, (void)v;\n",
	       c->name, c->name);
	for (int i = 0; i < c->n; i++) {
		const struct field *f = &c->f[i];

		if (f->operand && (!i || !c->f[i - 1].operand))
			printf("\tif (same)\n\t\tgoto varying;\n");
		if (!f->operand && i && c->f[i - 1].operand)
			printf("varying:\n");
		printf("\tif (!(p = tape_get_varint(p, end, &v))");
		if (f->encoding != U64)
			printf(" || v > UINT32_MAX");
		printf(")\n\t\treturn NULL;\n\ta->%s = %s;\n", f->name,
		       f->encoding == INT ? "tape_unzigzag(v)"
					  : f->encoding == U32 ? "(uint32_t)v" : "v");
	}
	if (c->n && c->f[c->n - 1].operand)
		printf("varying:\n");
	printf("\treturn p;\n}\n\n");
}

static void view_codec(void)
{
	printf("#ifndef TAPE_CODEC_H\n#define TAPE_CODEC_H\n\n"
	       "#include \"record.h\"\n#include \"tape_ids.h\"\n\n");
	for (int i = 0; i < n_classes; i++)
		codec_class(&classes[i]);
	printf("/* By class number; u holds the site's previous operands. */\n"
	       "static inline const unsigned char *tape_decode_fields("
	       "unsigned class_, const unsigned char *p,\n"
	       "\tconst unsigned char *end, union tape_fields *u, int same)\n"
	       "{\n\tswitch ((enum tape_class)class_) {\n");
	for (int i = 0; i < n_classes; i++)
		printf("\tcase TAPE_CLASS_%s:\n\t\treturn tape_decode_%s(p, end, "
		       "&u->%s, same);\n", upper(classes[i].name),
		       classes[i].name, classes[i].name);
	printf("\tcase TAPE_CLASS_COUNT:\n\t\tbreak;\n\t}\n\treturn NULL;\n}\n\n"
	       "static inline unsigned char *tape_encode_fields("
	       "unsigned class_, unsigned char *p,\n"
	       "\tconst union tape_fields *u, int same)\n"
	       "{\n\tswitch ((enum tape_class)class_) {\n");
	for (int i = 0; i < n_classes; i++)
		printf("\tcase TAPE_CLASS_%s:\n\t\treturn tape_encode_%s(p, &u->%s, "
		       "same);\n", upper(classes[i].name), classes[i].name,
		       classes[i].name);
	printf("\tcase TAPE_CLASS_COUNT:\n\t\tbreak;\n\t}\n\treturn p;\n}\n\n"
	       "static inline int tape_same_fields(unsigned class_, "
	       "const union tape_fields *a,\n\tconst union tape_fields *b)\n"
	       "{\n\tswitch ((enum tape_class)class_) {\n");
	for (int i = 0; i < n_classes; i++)
		printf("\tcase TAPE_CLASS_%s:\n\t\treturn tape_same_%s(&a->%s, "
		       "&b->%s);\n", upper(classes[i].name), classes[i].name,
		       classes[i].name, classes[i].name);
	printf("\tcase TAPE_CLASS_COUNT:\n\t\tbreak;\n\t}\n\treturn 0;\n}\n\n"
	       "#endif\n");
}

/* The line of a class, as meta has it: "+irecv peer:int ... / probe:u64". */
static void print_layout(const struct class *c)
{
	static const char *const encodings[] = { "int", "u32", "u64" };

	printf("\"%s%s", c->request ? "+" : "", c->name);
	for (int j = 0; j < c->n; j++)
		printf("%s %s:%s",
		       !c->f[j].operand && (!j || c->f[j - 1].operand) ? " /"
								       : "",
		       c->f[j].name, encodings[c->f[j].encoding]);
	printf("\"");
}

/* What is in force where a trace is written, for its meta. */
static void view_layout(void)
{
	printf("static const char *const tape_layout[] = {\n");
	for (int i = 0; i < n_classes; i++) {
		printf("\t");
		print_layout(&classes[i]);
		printf(",\n");
	}
	printf("};\n");
}

/* Tables for the one file of the reader that defines them. */
static void view_names(void)
{
	printf("static const struct {\n\tconst char *name;\n"
	       "\tunsigned char class_, shape;\n} tape_calls[] = {\n");
	for (int i = 0; i < n_calls; i++)
		printf("\t[%d] = { \"%s\", TAPE_CLASS_%s, TAPE_SHAPE_%s },\n",
		       calls[i].id, calls[i].name, upper(calls[i].class->name),
		       *calls[i].shape ? upper(calls[i].shape) : "NONE");
	printf("};\n\nenum tape_encoding { TAPE_INT, TAPE_U32, TAPE_U64 };\n\n"
	       "struct tape_field_info {\n\tconst char *name;\n"
	       "\tunsigned char encoding, operand;\n\tunsigned short offset;\n"
	       "};\n\n");
	for (int i = 0; i < n_classes; i++) {
		printf("static const struct tape_field_info tape_fields_%s[] = {\n",
		       classes[i].name);
		for (int j = 0; j < classes[i].n; j++)
			printf("\t{ \"%s\", %s, %d, offsetof(struct tape_%s, %s) "
			       "},\n", classes[i].f[j].name,
			       classes[i].f[j].encoding == INT ? "TAPE_INT"
			       : classes[i].f[j].encoding == U32 ? "TAPE_U32"
								: "TAPE_U64",
			       classes[i].f[j].operand, classes[i].name,
			       classes[i].f[j].name);
		printf("\t{ NULL, 0, 0, 0 }\n};\n");
	}
	printf("\nstatic const struct {\n\tconst char *name;\n"
	       "\tunsigned char creates_request;\n"
	       "\tconst struct tape_field_info *fields;\n"
	       "\tconst char *layout;\n"
	       "} tape_classes[TAPE_CLASS_COUNT] = {\n");
	for (int i = 0; i < n_classes; i++) {
		printf("\t[TAPE_CLASS_%s] = { \"%s\", %d, tape_fields_%s,\n\t\t",
		       upper(classes[i].name), classes[i].name,
		       classes[i].request, classes[i].name);
		print_layout(&classes[i]);
		printf(" },\n");
	}
	printf("};\n");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct call *)a)->name,
		      ((const struct call *)b)->name);
}

int variadic(const struct call *c)
{
	return c->n && !c->a[c->n - 1].kind;
}

const char *result(const struct call *c)
{
	return c->result ? c->result->type : "int";
}

int in_source(const struct call *c)
{
	return !variadic(c) && !c->removed;
}

static void view_reroute(void)
{
	qsort(calls, (size_t)n_calls, sizeof *calls, by_name);
	for (int i = 0; i < n_calls; i++)
		if (in_source(&calls[i]))
			printf("{ \"%s\", %d },\n", calls[i].name, calls[i].id);
}

/* A type may say with % where the name goes. */
static void declare(const char *type, const char *name)
{
	const char *at = strchr(type, '%');

	if (at)
		printf("%.*s%s%s", (int)(at - type), type, name, at + 1);
	else
		printf("%s %s", type, name);
}

void parameters(const struct call *c)
{
	for (int i = 0; i < c->n; i++) {
		printf("%s", i ? ", " : "");
		if (c->a[i].kind)
			declare(c->a[i].kind->type, c->a[i].name);
		else
			printf("...");
	}
	if (!c->n)
		printf("void");
}

void arguments(const struct call *c)
{
	for (int i = 0; i < c->n; i++)
		printf("%s%s", i ? ", " : "", c->a[i].name);
}

/* A FILE is known where <stdio.h> came first, as in pvm3.h. */
static int takes_file(const struct call *c)
{
	for (int i = 0; i < c->n; i++)
		if (c->a[i].kind && !strcmp(c->a[i].kind->name, "stdio"))
			return 1;
	return 0;
}

/* Of either library: the header that includes it is included once. */
static void view_prototypes(void)
{
	printf("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
	for (int i = 0; i < n_calls; i++) {
		const char *end = takes_file(&calls[i]) ? "\n#endif" : "";

		if (!in_source(&calls[i]))
			continue;
		printf("%s%s tape_%s(struct tape_site *tape_site_%s",
		       *end ? "#ifdef EOF\n" : "", result(&calls[i]),
		       calls[i].name, calls[i].n ? ", " : "");
		if (calls[i].n)
			parameters(&calls[i]);
		printf(");%s\n", end);
	}
	printf("#ifdef __cplusplus\n}\n#endif\n");
}

static void view_check(void)
{
	printf("/* Compiles only if each call has exactly this type. */\n"
	       "#include <mpi.h>\n\n");
	for (int i = 0; i < n_calls; i++) {
		/* a macro has no type */
		printf("#ifndef %s\nextern %s (*tape_check_%s)(",
		       calls[i].name, result(&calls[i]), calls[i].name);
		parameters(&calls[i]);
		printf(");\n%s (*tape_check_%s)(", result(&calls[i]),
		       calls[i].name);
		parameters(&calls[i]);
		printf(") = %s;\n#endif\n", calls[i].name);
	}
}

/* Both libraries' tables have one space of numbers; some views are of one. */
enum { MPI = 1, PVM = 2, BOTH = 3 };

static const struct view {
	const char *name;
	void (*print)(void);
	unsigned of;
} views[] = {
	{ "ids", view_ids, BOTH },
	{ "codec", view_codec, BOTH },
	{ "names", view_names, BOTH },
	{ "layout", view_layout, BOTH },
	{ "calls", view_calls, BOTH },
	{ "groups", view_groups, BOTH },
	{ "man", view_man, BOTH },
	{ "reroute", view_reroute, BOTH },
	{ "reroute-fortran", view_reroute_fortran, BOTH },
	{ "prototypes", view_prototypes, MPI },
	{ "wrap-c", view_wrap, MPI },
	{ "next", view_next, MPI },
	{ "check", view_check, MPI },
	{ "real-fortran", view_real_fortran, MPI },
	{ "wrap-fortran", view_wrap_fortran, MPI },
	{ "real-pvm", view_real_pvm, PVM },
	{ "wrap-pvm", view_wrap_pvm, PVM },
	{ "prototypes-pvm", view_prototypes, PVM },
	{ "check-pvm", view_check_pvm, PVM },
};

static const struct view *view_of(const char *name)
{
	for (size_t i = 0; i < sizeof views / sizeof *views; i++)
		if (!strcmp(name, views[i].name))
			return &views[i];
	fprintf(stderr, "mkcatalogue: unknown view %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	const struct view *v;

	if (argc != 3) {
		fprintf(stderr, "usage: mkcatalogue view folder\n");
		return 2;
	}
	v = view_of(argv[1]);
	read_table(argv[2], "kinds.tab", add_kind);
	read_table(argv[2], "classes.tab", add_class);
	if (v->of & MPI)
		read_table(argv[2], "mpi.tab", add_call);
	if (v->of & PVM)
		read_table(argv[2], "pvm.tab", add_call);
	if (v->print == view_reroute_fortran)
		read_table(argv[2], "pvm_fortran.tab", add_pvm_fortran);
	if (v->print == view_man)
		printf("'\\\" t\n");
	else if (v->print != view_groups)
		printf("/* Generated by mkcatalogue %s. */\n", v->name);
	v->print();
	return fflush(stdout) != 0 || ferror(stdout);
}
