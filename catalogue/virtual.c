/*
 * The views virtual and virtual-fortran: for each call that takes a
 * communicator a function that hands the program's partition on where the
 * program says MPI_COMM_WORLD. See runtime/mpi/virtual.h for what is used here.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "mkcatalogue.h"

/* Is it a communicator that the call is about, by value? */
static int is_comm(const struct arg *a)
{
	return a->kind && (!strcmp(a->kind->name, "comm") ||
			   !strcmp(a->kind->name, "acomm"));
}

/* Written by hand: runtime/mpi/virtual.c; or the handle stays what it is. */
static int is_written_by_hand(const struct call *c)
{
	static const char *const names[] = {
	    "MPI_Comm_get_attr",  "MPI_Attr_get", "MPI_Comm_set_errhandler",
	    "MPI_Errhandler_set", "MPI_Comm_c2f",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(c->name, names[i]))
			return 1;
	return 0;
}

static int count_communicators(const struct call *c)
{
	int n = 0;

	if (is_variadic(c) || is_written_by_hand(c))
		return 0;
	for (int i = 0; i < c->n; i++)
		n += is_comm(&c->a[i]);
	return n;
}

void view_virtual(void)
{
	for (int k = 0; k < n_calls; k++) {
		const struct call *c = &calls[k];

		if (!count_communicators(c))
			continue;
		guard_begin(c);
		printf("static %s virtual_%s(", get_result_type(c), c->name);
		print_c_parameters(c);
		printf(")\n{\n\treturn below.to_%s(", c->name);
		for (int i = 0; i < c->n; i++)
			printf(is_comm(&c->a[i]) ? "%svirtual_comm(%s)"
						 : "%s%s",
			       i ? ", " : "", c->a[i].name);
		printf(");\n}\n");
		guard_end(c);
	}
	printf("\nstatic void install_generated(void)\n{\n");
	for (int k = 0; k < n_calls; k++) {
		const char *name = calls[k].name;

		if (!count_communicators(&calls[k]))
			continue;
		guard_begin(&calls[k]);
		printf("\ttape_next.to_%s = virtual_%s;\n", name, name);
		guard_end(&calls[k]);
	}
	printf("}\n");
}

/* All arguments are addresses, with the lengths of texts after them. */
static void print_fortran(const struct call *c, int interface)
{
	int texts = fortran_texts(c);

	printf("static void fortran%d_%s(", interface, c->name);
	for (int i = 0; i < c->n; i++)
		printf("void *%s, ", c->a[i].name);
	printf("void *ierror");
	for (int i = 0; i < texts; i++)
		printf(", size_t length%d", i);
	printf(")\n{\n");
	for (int i = 0; i < c->n; i++)
		if (is_comm(&c->a[i]))
			printf("\tMPI_Fint room%d_;\n", i);
	printf("\n\t((void (*)(");
	for (int i = 0; i <= c->n; i++)
		printf("%svoid *", i ? ", " : "");
	for (int i = 0; i < texts; i++)
		printf(", size_t");
	printf("))tape_virtual_fortran_below[%d][%d])(", c->id, interface);
	for (int i = 0; i < c->n; i++)
		if (is_comm(&c->a[i]))
			printf("fortran_virtual_comm(%s, &room%d_), ",
			       c->a[i].name, i);
		else
			printf("%s, ", c->a[i].name);
	printf("ierror");
	for (int i = 0; i < texts; i++)
		printf(", length%d", i);
	printf(");\n}\n");
}

void view_virtual_fortran(void)
{
	for (int k = 0; k < n_calls; k++) {
		const struct call *c = &calls[k];

		if (!count_communicators(c) || !in_fortran(c) || c->result)
			continue;
		guard_begin(c);
		print_fortran(c, 0);
		print_fortran(c, 1);
		guard_end(c);
	}
	printf("\nstatic fortran_function *const generated"
	       "[TAPE_CALL_COUNT][2] = {\n");
	for (int k = 0; k < n_calls; k++) {
		const struct call *c = &calls[k];

		if (!count_communicators(c) || !in_fortran(c) || c->result)
			continue;
		guard_begin(c);
		printf("\t[%d] = { (fortran_function *)fortran0_%s,\n"
		       "\t\t(fortran_function *)fortran1_%s },\n",
		       c->id, c->name, c->name);
		guard_end(c);
	}
	printf("};\n");
}
