/*
 * Turns the tables of this folder into one generated file ("view"):
 *
 *	mkcatalogue VIEW FOLDER > file
 *
 * Used at build time only. The tables are small and trusted, the checks are
 * for their authors: every error names file and line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mkcatalogue.h"

static int compare_call_names(const void *a, const void *b)
{
	return strcmp(((const struct call *)a)->name,
		      ((const struct call *)b)->name);
}

int is_variadic(const struct call *c)
{
	return c->n && !c->a[c->n - 1].kind;
}

const char *get_result_type(const struct call *c)
{
	return c->result ? c->result->type : "int";
}

int in_source(const struct call *c)
{
	return !is_variadic(c) && !c->removed;
}

static void view_reroute(void)
{
	qsort(calls, (size_t)n_calls, sizeof *calls, compare_call_names);
	for (int i = 0; i < n_calls; i++)
		if (in_source(&calls[i]))
			printf("{ \"%s\", %d },\n", calls[i].name, calls[i].id);
}

/* A type may say with % where the name goes. */
static void print_declaration(const char *type, const char *name)
{
	const char *at = strchr(type, '%');

	if (at)
		printf("%.*s%s%s", (int)(at - type), type, name, at + 1);
	else
		printf("%s %s", type, name);
}

void print_c_parameters(const struct call *c)
{
	for (int i = 0; i < c->n; i++) {
		printf("%s", i ? ", " : "");
		if (c->a[i].kind)
			print_declaration(c->a[i].kind->type, c->a[i].name);
		else
			printf("...");
	}
	if (!c->n)
		printf("void");
}

void print_c_arguments(const struct call *c)
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

/*
 * Of either library: the header that includes it is included once. Calls whose
 * types mpi.h may lack have a prototype where it has them all; elsewhere they
 * go to the library.
 */
static void view_prototypes(void)
{
	unsigned optional = find_trait("not_everywhere");

	printf("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
	for (int i = 0; i < n_calls; i++) {
		const char *end = takes_file(&calls[i]) ? "\n#endif" : "";

		if (!in_source(&calls[i]))
			continue;
		if (calls[i].traits & optional)
			printf("#if !defined TAPE_HAS_%s && MPI_VERSION < 4\n"
			       "#define tape_%s(tape_site_, ...) "
			       "%s(__VA_ARGS__)\n#else\n", calls[i].name,
			       calls[i].name, calls[i].name);
		printf("%s%s tape_%s(struct tape_site *tape_site_%s",
		       *end ? "#ifdef EOF\n" : "", get_result_type(&calls[i]),
		       calls[i].name, calls[i].n ? ", " : "");
		if (calls[i].n)
			print_c_parameters(&calls[i]);
		printf(");%s\n%s", end,
		       calls[i].traits & optional ? "#endif\n" : "");
	}
	printf("#ifdef __cplusplus\n}\n#endif\n");
}

static void view_check(void)
{
	printf("/* Compiles only if each call has exactly this type. */\n"
	       "#include <mpi.h>\n\n");
	for (int i = 0; i < n_calls; i++) {
		guard_begin(&calls[i]);
		/* a macro has no type */
		printf("#ifndef %s\nextern %s (*tape_check_%s)(", calls[i].name,
		       get_result_type(&calls[i]), calls[i].name);
		print_c_parameters(&calls[i]);
		printf(");\n%s (*tape_check_%s)(", get_result_type(&calls[i]),
		       calls[i].name);
		print_c_parameters(&calls[i]);
		printf(") = %s;\n#endif\n", calls[i].name);
		guard_end(&calls[i]);
	}
}

/* Number, name and traits of each call: for tests. */
static void view_list(void)
{
	for (int i = 0; i < n_calls; i++) {
		printf("%d %s%s", calls[i].id, calls[i].name,
		       calls[i].traits ? " " : "");
		print_traits(&calls[i], " ");
		printf("\n");
	}
}

/* Both libraries' tables have one space of numbers; some views are of one. */
enum { MPI = 1, PVM = 2, BOTH = 3 };

static const struct view {
	const char *name;
	void (*print)(void);
	unsigned of;
} views[] = {
    {"ids", view_ids, BOTH},
    {"codec", view_codec, BOTH},
    {"skip", view_skip, BOTH},
    {"names", view_names, BOTH},
    {"layout", view_layout, BOTH},
    {"class-uses", view_class_uses, BOTH},
    {"calls", view_calls, BOTH},
    {"groups", view_groups, BOTH},
    {"list", view_list, BOTH},
    {"man", view_man, BOTH},
    {"reroute", view_reroute, BOTH},
    {"reroute-fortran", view_reroute_fortran, BOTH},
    {"prototypes", view_prototypes, MPI},
    {"wrap-c", view_wrap, MPI},
    {"next", view_next, MPI},
    {"check", view_check, MPI},
    {"real-fortran", view_real_fortran, MPI},
    {"wrap-fortran", view_wrap_fortran, MPI},
    {"virtual", view_virtual, MPI},
    {"virtual-fortran", view_virtual_fortran, MPI},
    {"real-pvm", view_real_pvm, PVM},
    {"wrap-pvm", view_wrap_pvm, PVM},
    {"prototypes-pvm", view_prototypes, PVM},
    {"check-pvm", view_check_pvm, PVM},
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
	read_table(argv[2], "traits.tab", add_trait);
	read_table(argv[2], "kinds.tab", add_kind);
	read_table(argv[2], "classes.tab", add_class);
	check_class_uses();
	read_table(argv[2], "records.tab", add_record);
	if (v->of & MPI)
		read_table(argv[2], "mpi.tab", add_table_call);
	if (v->of & PVM)
		read_table(argv[2], "pvm.tab", add_table_call);
	if (v->print == view_reroute_fortran)
		read_table(argv[2], "pvm_fortran.tab", add_pvm_fortran);
	if (v->print == view_man)
		printf("'\\\" t\n");
	else if (v->print != view_groups && v->print != view_list)
		printf("/* Generated by mkcatalogue %s. */\n", v->name);
	v->print();
	return fflush(stdout) != 0 || ferror(stdout);
}
