/*
 * The views real-fortran and wrap-fortran: for each call the functions that
 * Fortran programs call, mpi_send_ (mpif.h, use mpi) and mpi_send_f08_ (use
 * mpi_f08), with all arguments by reference, ierror after them and the lengths
 * of character arguments at the end. They do not translate the call: the
 * library's own function of the same interface gets the very arguments. What
 * the class's hooks look at is handed to the same wrapper body as in C,
 * converted. See runtime/mpi/fortran.h for what is used here.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "mkcatalogue.h"

/* How Fortran passes what C has as a value of this type. */
enum passing {
	INTEGER, /* MPI_Fint */
	WIDE,    /* an integer of C's type */
	HANDLE,  /* MPI_Fint, translated by f2c */
	HANDLES, /* the same, written to or an array */
	STATUS,  /* MPI_Fint[] */
	BUFFER,  /* an address, or one that stands for something */
	TEXT,    /* an address, and a length at the end */
	ADDRESS  /* as in C: arrays of numbers, procedures */
};

static const struct {
	const char *type, *f2c;
	enum passing passing;
} types[] = {
	{ "int", NULL, INTEGER },
	{ "const int", NULL, INTEGER },
	{ "MPI_Aint", NULL, WIDE },
	{ "MPI_Offset", NULL, WIDE },
	{ "MPI_Count", NULL, WIDE },
	{ "MPI_Comm", "Comm", HANDLE },
	{ "MPI_Datatype", "Type", HANDLE },
	{ "MPI_Errhandler", "Errhandler", HANDLE },
	{ "MPI_File", "File", HANDLE },
	{ "MPI_Group", "Group", HANDLE },
	{ "MPI_Info", "Info", HANDLE },
	{ "MPI_Message", "Message", HANDLE },
	{ "MPI_Op", "Op", HANDLE },
	{ "MPI_Request", "Request", HANDLE },
	{ "MPI_Win", "Win", HANDLE },
	{ "MPI_Session", "Session", HANDLE },
	{ "MPI_Status *", NULL, STATUS },
	{ "const MPI_Status *", NULL, STATUS },
	{ "void *", NULL, BUFFER },
	{ "const void *", NULL, BUFFER },
	{ "char *", NULL, TEXT },
	{ "const char *", NULL, TEXT },
	{ "char **", NULL, TEXT },
	{ "char ***", NULL, TEXT },
};
enum { TYPES = sizeof types / sizeof *types };

static const char *c_type(const struct arg *a)
{
	return a->kind->type;
}

/* f2c: what to put into PMPI_..._f2c, or NULL. */
static enum passing find_passing(const struct arg *a, const char **f2c)
{
	size_t n = strlen(c_type(a));

	*f2c = NULL;
	for (int i = 0; i < TYPES; i++) {
		if (!strcmp(c_type(a), types[i].type)) {
			*f2c = types[i].f2c;
			return types[i].passing;
		}
		if (types[i].f2c && n == strlen(types[i].type) + 2 &&
		    !strncmp(c_type(a), types[i].type, n - 2)) {
			*f2c = types[i].f2c;
			return HANDLES;
		}
	}
	if (!strchr(c_type(a), '*') && !strchr(c_type(a), '['))
		fail_at_line("%s: %s: unknown how Fortran passes this type",
			     a->name, c_type(a));
	return ADDRESS;
}

static int has_role(const struct arg *a, const char *role)
{
	return !strcmp(a->kind->role, role);
}

/* The argument of that role, or NULL. */
static const struct arg *find_argument(const struct call *c, const char *role)
{
	for (int i = 0; i < c->n; i++)
		if (has_role(&c->a[i], role))
			return &c->a[i];
	return NULL;
}

/* Fortran has no command line: argc and argv are left out. */
static int is_passed(const struct arg *a)
{
	return strncmp(a->kind->name, "argc", 4) &&
	       strncmp(a->kind->name, "argv", 4);
}

/* Does anybody look at its value? */
static int is_used(const struct call *c, const struct arg *a)
{
	return c->special || !has_role(a, "-");
}

/*
 * Those between the languages are of C only, and those for large counts: what
 * mpi_f08 has in their place calls them.
 */
int in_fortran(const struct call *c)
{
	size_t n = strlen(c->name);

	return !is_variadic(c) && !strstr(c->name, "_f2c") &&
	       !strstr(c->name, "_c2f") && strcmp(c->name + n - 2, "_c");
}

int fortran_texts(const struct call *c)
{
	const char *f2c;
	int n = 0;

	for (int i = 0; i < c->n; i++)
		n +=
		    is_passed(&c->a[i]) && find_passing(&c->a[i], &f2c) == TEXT;
	return n;
}

/* Written by the call only: what is there before means nothing. */
static int only_result(const struct call *c, const struct arg *a)
{
	return (c->class->request && has_role(a, "request")) ||
	       (c->class->request && has_role(a, "message") &&
		!find_argument(c, "request")) ||
	       has_role(a, "new_object") ||
	       (has_role(a, "commp") && strcmp(c->class->name, "comm_free"));
}

/* The communicator's place is read when the request has completed. */
static int is_read_later(const struct call *c, const struct arg *a)
{
	return has_role(a, "commp") && !strcmp(c->class->name, "comm_inew");
}

/* A variable of its own in C, written back by real_NAME. */
static int needs_variable(const struct call *c, const struct arg *a)
{
	const char *f2c;

	if (!is_used(c, a) || !is_passed(a))
		return 0;
	if (has_role(a, "index") || has_role(a, "nout") ||
	    has_role(a, "status"))
		return 1;
	return find_passing(a, &f2c) == HANDLES && !has_role(a, "requests") &&
	       !has_role(a, "types") && !has_role(a, "rtypes") &&
	       !is_read_later(c, a);
}

/*
 * Nobody looks at the arguments of a local call: one function does for all what
 * is generated for each of the others.
 */
static int is_plain_call(const struct call *c)
{
	if (c->special || c->result || strcmp(c->class->name, "local"))
		return 0;
	for (int i = 0; i < c->n; i++)
		if (!has_role(&c->a[i], "-"))
			return 0;
	return 1;
}

static void print_parameters(const struct call *c)
{
	for (int i = 0; i < c->n; i++)
		if (is_passed(&c->a[i]))
			printf("void *%s, ", c->a[i].name);
	printf("void *ierror");
	for (int i = 0; i < fortran_texts(c); i++)
		printf(", size_t length%d", i);
}

/* The most arguments of a local call, with lengths: fortran_pass. */
enum { PLAIN_MOST = 12 };

static void print_plain(const struct call *c, const char *name)
{
	int n = 0;

	for (int i = 0; i < c->n; i++)
		n += is_passed(&c->a[i]);
	if (n + 1 + fortran_texts(c) > PLAIN_MOST)
		fail_at_line(
		    "%s: fortran_plain.h passes no more than %d arguments",
		    c->name, PLAIN_MOST);
	printf("static const struct fortran_plain plain_%s = {\n"
	       "\t%d, %d, %d, \"%s\", \"%s\"\n};\n\n",
	       c->name, c->id, n, n + 1 + fortran_texts(c), name, c->name);
	for (int interface = 0; interface < 2; interface++) {
		printf("TAPE_EXPORT void %s%s(", name,
		       interface ? "_f08_" : "_");
		print_parameters(c);
		printf(")\n{\n\tvoid *x[] = { ");
		for (int i = 0; i < c->n; i++)
			if (is_passed(&c->a[i]))
				printf("%s, ", c->a[i].name);
		printf("ierror");
		for (int i = 0; i < fortran_texts(c); i++)
			printf(", (void *)length%d", i);
		printf(" };\n\n\tfortran_plain(&plain_%s, %d, x,\n"
		       "\t\t__builtin_return_address(0));\n}\n\n",
		       c->name, interface);
	}
}

/* ---- what a call's Fortran arguments are kept in ---- */

static void print_struct(const struct call *c)
{
	printf("struct fortran_%s {\n\tstruct fortran_call h;\n", c->name);
	for (int i = 0; i < c->n; i++)
		if (is_passed(&c->a[i]))
			printf("\tvoid *%s;\n", c->a[i].name);
	printf("\tvoid *ierror;\n");
	for (int i = 0; i < fortran_texts(c); i++)
		printf("\tsize_t length%d;\n", i);
	printf("};\n\n");
}

/* The real call, with ours in place of status and ierror. */
static void print_call(const struct call *c, const char *indent,
		       const char *ierror)
{
	printf("%s((void (*)(", indent);
	for (int i = 0; i < c->n; i++)
		if (is_passed(&c->a[i]))
			printf("void *, ");
	printf("void *");
	for (int i = 0; i < fortran_texts(c); i++)
		printf(", size_t");
	printf("))x->h.real)(");
	for (int i = 0; i < c->n; i++) {
		const struct arg *a = &c->a[i];
		int ours = *ierror == '&' && is_used(c, a) &&
			   (has_role(a, "status") || has_role(a, "statuses"));

		if (is_passed(a))
			printf("%s%s, ", ours ? "own_" : "x->",
			       ours ? "" : a->name);
	}
	printf("%s", ierror);
	for (int i = 0; i < fortran_texts(c); i++)
		printf(", x->length%d", i);
	printf(");\n");
}

/* What the real call has written, for the hooks. */
static void print_results(const struct call *c)
{
	const struct arg *flag = find_argument(c, "flag"),
			 *n = find_argument(c, "n"),
			 *nout = find_argument(c, "nout");

	if (nout)
		printf("\t*%s = fortran_nout(rc_, x->%s);\n", nout->name,
		       nout->name);
	for (int i = 0; i < c->n; i++) {
		const struct arg *a = &c->a[i];
		const char *f2c;
		enum passing p = find_passing(a, &f2c);

		if (!is_used(c, a) || !is_passed(a))
			continue;
		if (has_role(a, "status")) {
			if (flag)
				printf("\tif (rc_ == MPI_SUCCESS && "
				       "fortran_int(x->%s))\n\t", flag->name);
			printf("\tPMPI_Status_f2c(own_, %s);\n", a->name);
		} else if (has_role(a, "index")) {
			printf("\t*%s = fortran_index(rc_, x->%s);\n", a->name,
			       a->name);
		} else if (has_role(a, "indices") && nout) {
			printf("\tfortran_indices(*%s, x->%s, %s);\n",
			       nout->name, a->name, a->name);
		} else if (has_role(a, "requests") && n) {
			printf("\tfortran_requests_after(&x->h, rc_, %s, "
			       "x->%s, %s);\n", n->name, a->name, a->name);
		} else if (needs_variable(c, a) && p == HANDLES) {
			printf("\t*%s = PMPI_%s_f2c(fortran_int(x->%s));\n",
			       a->name, f2c, a->name);
		}
	}
}

static void print_statuses_after(const struct call *c)
{
	const struct arg *statuses = find_argument(c, "statuses"),
			 *n = find_argument(c, "n"),
			 *flag = find_argument(c, "flag"),
			 *nout = find_argument(c, "nout"),
			 *requests = find_argument(c, "requests");

	if (!statuses || !n || !requests)
		return;
	printf("\tfortran_statuses_after(&x->h, rc_, ");
	if (nout)
		printf("*%s", nout->name);
	else if (flag)
		printf("fortran_all(rc_, x->%s, %s)", flag->name, n->name);
	else
		printf("%s", n->name);
	printf(", %s, own_, %s);\n", requests->name, statuses->name);
}

/* real_NAME: stands for PNAME, whose arguments are those of C. */
static void print_real(const struct call *c)
{
	const struct arg *status = find_argument(c, "status"),
			 *statuses = find_argument(c, "statuses");

	printf("static int real_%s(", c->name);
	print_c_parameters(c);
	printf(")\n{\n\tstruct fortran_%s *x = (void *)tape_fortran_now;\n"
	       "\tMPI_Fint rc_ = MPI_SUCCESS;\n", c->name);
	if (status)
		printf("\tMPI_Fint room_[FORTRAN_STATUS] = { 0 };\n"
		       "\tMPI_Fint *own_ = fortran_ignored(x->%s) ? room_ "
		       ": x->%s;\n", status->name, status->name);
	if (statuses)
		printf("\tMPI_Fint *own_ = fortran_ignored(x->%s)\n\t\t? "
		       "x->h.arrays->own : x->%s;\n", statuses->name,
		       statuses->name);
	printf("\n\t%sfortran_start(&x->h);\n",
	       is_rare_wrapper(c) ? "tape_" : "");
	print_call(c, "\t", "&rc_");
	printf("\t%sfortran_stopped(&x->h, x->ierror, rc_);\n",
	       is_rare_wrapper(c) ? "tape_" : "");
	print_results(c);
	print_statuses_after(c);
	printf("\treturn rc_;\n}\n\n");
}

/* ---- arguments as the wrapper's body takes them ---- */

/* An array of handles, one for each member; none where data are in place. */
static void print_types(const struct call *c, const struct arg *a)
{
	int receive = has_role(a, "rtypes");
	const struct arg *buf = find_argument(c, receive ? "rbuf" : "sbuf"),
			 *comm = find_argument(c, "comm");

	if (!buf || !comm)
		fail_at_line("%s: no buffer and communicator beside %s",
			     c->name, a->name);
	printf("\tMPI_Datatype *%s_ = tape_fortran_types(f, "
	       "fortran_int(x->%s), TAPE_SHAPE_%s, %d, x->%s, x->%s);\n\n"
	       "\tif (!%s_)\n\t\tgoto bare;\n",
	       a->name, comm->name, to_upper_case(c->shape), receive, buf->name,
	       a->name, a->name);
}

/* Texts that are looked at, as C writes them. */
static void print_texts(const struct call *c)
{
	const char *f2c;

	for (int i = 0, n = 0; i < c->n; i++) {
		const char *name = c->a[i].name;

		if (!is_passed(&c->a[i]) ||
		    find_passing(&c->a[i], &f2c) != TEXT)
			continue;
		if (is_used(c, &c->a[i]))
			printf("\tchar %s_[FORTRAN_TEXT];\n"
			       "\tconst char *%s = tape_fortran_text(x->%s, "
			       "x->length%d, %s_);\n", name, name, name, n,
			       name);
		n++;
	}
}

static void print_variables(const struct call *c, const char *flow)
{
	const struct arg *n = find_argument(c, "n"),
			 *requests = find_argument(c, "requests");
	const char *f2c;

	for (int i = 0; i < c->n; i++) {
		const struct arg *a = &c->a[i];

		if (!needs_variable(c, a))
			continue;
		if (has_role(a, "status"))
			printf("\tMPI_Status %s_;\n", a->name);
		else if (find_passing(a, &f2c) != HANDLES)
			printf("\tint %s_ = 0;\n", a->name);
		else if (only_result(c, a))
			printf("\t%.*s %s_;\n", (int)strlen(c_type(a)) - 2,
			       c_type(a), a->name);
		else
			printf("\t%.*s %s_ = "
			       "PMPI_%s_f2c(fortran_int(x->%s));\n",
			       (int)strlen(c_type(a)) - 2, c_type(a), a->name,
			       f2c, a->name);
	}
	print_texts(c);
	for (int i = 0; i < c->n; i++)
		if (has_role(&c->a[i], "types") || has_role(&c->a[i], "rtypes"))
			print_types(c, &c->a[i]);
	if (n && requests)
		printf("\tstruct fortran_arrays y_;\n\n"
		       "\tif (fortran_arrays(%s, &x->h, &y_, "
		       "fortran_int(x->%s), x->%s))\n\t\tgoto bare;\n",
		       flow, n->name, requests->name);
}

static void print_argument(const struct call *c, const struct arg *a)
{
	const char *f2c;
	enum passing p = find_passing(a, &f2c);

	if (!is_passed(a))
		printf("0");
	else if (needs_variable(c, a))
		printf("&%s_", a->name);
	else if (strchr(c_type(a), '*') && !is_used(c, a))
		printf("x->%s", a->name);
	else if (!is_used(c, a))
		printf("0");
	else if (has_role(a, "requests") || has_role(a, "statuses") ||
		 has_role(a, "indices"))
		printf("y_.%s", a->kind->role);
	else if (has_role(a, "types") || has_role(a, "rtypes"))
		printf("%s_", a->name);
	else if (p == INTEGER)
		printf("fortran_int(x->%s)", a->name);
	else if (p == WIDE)
		printf("*(const %s *)x->%s", c_type(a), a->name);
	else if (p == HANDLE)
		printf("PMPI_%s_f2c(fortran_int(x->%s))", f2c, a->name);
	else if (p == TEXT)
		printf("%s", a->name);
	else if (p == BUFFER)
		printf("fortran_buffer(x->%s)", a->name);
	else
		printf("x->%s", a->name);
}

static void print_arguments(const struct call *c, int first)
{
	for (int i = 0; i < c->n; i++) {
		printf("%s\n\t\t", i || !first ? "," : "");
		print_argument(c, &c->a[i]);
	}
}

/* Starts or ends the tracing: it must pass also while nothing is traced. */
static int is_life_call(const struct call *c)
{
	return (c->traits & find_trait("life")) != 0;
}

/* Which flow and which site, or where to go on. */
static void print_beginning(const struct call *c, const char *name)
{
	if (is_rare_wrapper(c)) {
		printf("\tstruct tape_rare c_;\n"
		       "\tint way_ = tape_fortran_enter(&x->h, &c_, %d, "
		       "\"%s\", address,\n\t\t__builtin_frame_address(0));\n"
		       "\tstruct tape_flow *f = x->h.flow;\n\n"
		       "\t(void)f;\n"
		       "\tif (TAPE_UNLIKELY(way_ < 0))\n\t\tgoto missing;\n"
		       "\tif (TAPE_UNLIKELY(!way_))\n\t\tgoto outside;\n",
		       c->id, name);
		return;
	}
	printf("\tstruct tape_flow *f = tape_flow_now();\n"
	       "\tuint32_t site = 0;\n\n"
	       "\taddress = tape_announced_or(%d, address);\n"
	       "\tif (TAPE_UNLIKELY(!fortran_find(f, &x->h, %d, \"%s\")))\n"
	       "\t\tgoto missing;\n"
	       "\tif (TAPE_LIKELY(f != NULL))\n"
	       "\t\tsite = tape_site_here(f, %d, address);\n"
	       "\tif (TAPE_UNLIKELY(!site))\n\t\tgoto outside;\n"
	       "\tfortran_begin(f, &x->h);\n", c->id, c->id, name, c->id);
}

/* What notices the call while it is not recorded. */
static void print_outside(const struct call *c)
{
	if (!is_life_call(c))
		printf("\tif (tape_process.state != TAPE_RUNNING)\n"
		       "\t\tgoto bare;\n");
	printf("\ttape_fortran_now = &x->h;\n\t{\n");
	print_variables(c, "NULL");
	printf("\n\toutside_%s(", c->name);
	if (!c->class->always)
		printf("NULL, address");
	print_arguments(c, c->class->always);
	printf(");\n");
	if (find_argument(c, "n") && find_argument(c, "requests"))
		printf("\tfree(y_.heap);\n");
	printf("\t}\n\treturn;\n");
}

/* fortran_NAME: both interfaces end here; they differ in x->h.real. */
static void print_body(const struct call *c, const char *name)
{
	int noticed = c->special || c->class->always;

	printf("static TAPE_APART void fortran_%s(\n"
	       "\tstruct fortran_%s *x, const void *address)\n{\n",
	       c->name, c->name);
	if (!is_life_call(c))
		printf("\tstruct tape_flow *passing_;\n");
	print_beginning(c, name);
	printf("\t{\n");
	print_variables(c, "f");
	printf("\n\twrap_%s(%s", c->name,
	       is_rare_wrapper(c) ? "&c_" : "f, site");
	print_arguments(c, 0);
	printf(");\n\t}\n\treturn;\noutside:\n");
	if (noticed)
		print_outside(c);
	if (noticed ? !is_life_call(c)
		    : find_argument(c, "types") || find_argument(c, "rtypes") ||
			  find_argument(c, "requests"))
		printf("bare:\n");
	if (!is_life_call(c)) {
		printf("\tpassing_ = tape_pass_begin("
		       "__builtin_frame_address(0));\n");
		print_call(c, "\t", "x->ierror");
		printf("\ttape_pass_end(passing_);\n\treturn;\n");
	}
	printf("missing:\n\ttape_fortran_missing(x->ierror, \"%s\");\n}\n\n",
	       c->name);
}

/*
 * A function that returns no error code: MPI_Wtime, and MPI_Aint_add, whose
 * arguments are only read.
 */
static void print_function_type(const struct call *c)
{
	printf("%s (*)(", get_result_type(c));
	for (int i = 0; i < c->n; i++)
		printf("%s%s *", i ? ", " : "", c->a[i].kind->type);
	printf("%s)", c->n ? "" : "void");
}

static void print_function_real(const struct call *c)
{
	printf("static %s real_%s(", get_result_type(c), c->name);
	print_c_parameters(c);
	printf(")\n{\n"
	       "\tstruct fortran_call *h = tape_fortran_now;\n\t%s value_;\n\n"
	       "\ttape_fortran_start(h);\n\tvalue_ = ((",
	       get_result_type(c));
	print_function_type(c);
	printf(")h->real)(");
	for (int i = 0; i < c->n; i++)
		printf("%s&%s", i ? ", " : "", c->a[i].name);
	printf(");\n"
	       "\ttape_fortran_stopped(h, NULL, MPI_SUCCESS);\n"
	       "\treturn value_;\n}\n\n");
}

/* suffix, interface: those of print_entries. */
static void print_function(const struct call *c, const char *name,
			   const char *suffix, int interface)
{
	printf("TAPE_EXPORT %s %s%s(", get_result_type(c), name, suffix);
	for (int i = 0; i < c->n; i++)
		printf("%s%s *%s", i ? ", " : "", c->a[i].kind->type,
		       c->a[i].name);
	printf("%s)\n{\n"
	       "\tstruct fortran_call h = { .interface = %d };\n"
	       "\tstruct tape_rare c;\n"
	       "\tint way = tape_fortran_enter(&h, &c, %d, \"%s\",\n"
	       "\t\t__builtin_return_address(0),\n"
	       "\t\t__builtin_frame_address(0));\n\n"
	       "\tif (TAPE_UNLIKELY(way < 0)) {\n"
	       "\t\ttape_fortran_missing(NULL, \"%s\");\n\t\treturn 0;\n"
	       "\t}\n\treturn way ? wrap_%s(&c",
	       c->n ? "" : "void", interface, c->id, name, c->name, c->name);
	for (int i = 0; i < c->n; i++)
		printf(", *%s", c->a[i].name);
	printf(") : ((");
	print_function_type(c);
	printf(")h.real)(");
	print_c_arguments(c);
	printf(");\n}\n\n");
}

/* ---- the exported functions ---- */

static void print_name(const char *name, char *lower)
{
	for (; *name; name++)
		*lower++ = (char)tolower((unsigned char)*name);
	*lower = '\0';
}

static void print_entries(const struct call *c, const char *name,
			  const char *suffix, int interface)
{
	int n = 0;

	printf("TAPE_EXPORT void %s%s(", name, suffix);
	print_parameters(c);
	printf(")\n{\n\tstruct fortran_%s x = { .h.interface = %d", c->name,
	       interface);
	for (int i = 0; i < c->n; i++)
		if (is_passed(&c->a[i]))
			printf(",\n\t\t.%s = %s", c->a[i].name, c->a[i].name);
	printf(",\n\t\t.ierror = ierror");
	for (; n < fortran_texts(c); n++)
		printf(",\n\t\t.length%d = length%d", n, n);
	printf(" };\n\n\tfortran_%s(&x, __builtin_return_address(0));\n"
	       "}\n\n", c->name);
}

/* The names that other compilers, or other options, make of the same. */
static void print_aliases(const struct call *c, const char *name)
{
	printf("FORTRAN_ALIAS(%s_, \"%s\")\nFORTRAN_ALIAS(%s_, \"%s__\")\n"
	       "FORTRAN_ALIAS(%s_, \"%s\")\n\n",
	       name, name, name, name, name, to_upper_case(c->name));
}

void view_real_fortran(void)
{
	for (int i = 0; i < n_calls; i++) {
		const struct call *c = &calls[i];

		if (!in_fortran(c))
			continue;
		wrap_part_begin(c);
		if (c->result) {
			print_function_real(c);
		} else if (!is_plain_call(c)) {
			print_struct(c);
			print_real(c);
		}
		wrap_part_end(c);
	}
}

void view_wrap_fortran(void)
{
	char name[NAME];

	wrap_rare_classes();
	for (int i = 0; i < n_calls; i++) {
		const struct call *c = &calls[i];

		if (!in_fortran(c))
			continue;
		wrap_part_begin(c);
		print_name(c->name, name);
		print_aliases(c, name);
		if (is_plain_call(c)) {
			print_plain(c, name);
			wrap_part_end(c);
			continue;
		}
		if (!c->special)
			wrap_body(c);
		if (c->class->always)
			wrap_outside(c);
		if (c->result) {
			print_function(c, name, "_", 0);
			if (c->n) /* mpi_f08 has MPI_Wtime of C */
				print_function(c, name, "_f08_", 1);
		} else {
			print_body(c, name);
			print_entries(c, name, "_", 0);
			print_entries(c, name, "_f08_", 1);
		}
		wrap_part_end(c);
	}
}
