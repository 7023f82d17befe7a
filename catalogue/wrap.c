/* The wrappers of all calls in C, by class; see mkcatalogue.h. */
#include <stdio.h>
#include <string.h>

#include "mkcatalogue.h"

/* Is it that role, or an array of such? */
static int is_count(const char *role, const char *count)
{
	size_t n = strlen(count);

	role += strncmp(role, "large_", 6) ? 0 : 6;
	return !strncmp(role, count, n) && (!role[n] || !strcmp(role + n, "s"));
}

/* The argument of that role, or NULL. */
static const struct arg *find_role(const struct call *c, const char *role)
{
	for (int i = 0; i < c->n; i++)
		if (!strcmp(c->a[i].kind->role, role))
			return &c->a[i];
	return NULL;
}

/* The arguments of the hooks: those that have a role, under its name. */
static void wrap_roles(const struct call *c)
{
	if (!strcmp(c->class->name, "comm_new") && !find_role(c, "comm"))
		printf("\t\t.comm = MPI_COMM_NULL,\n");
	if (c->traits) {
		printf("\t\t.traits = ");
		print_trait_bits(c);
		printf(",\n");
	}
	for (int i = 0; i < c->n; i++) {
		const struct arg *a = &c->a[i];
		const char *role = a->kind->role;

		if (!strcmp(role, "object"))
			printf("\t\t.object = (uintptr_t)%s,\n", a->name);
		else if (!strcmp(role, "old_object"))
			printf("\t\t.object = %s ? (uintptr_t)*%s : 0,\n",
			       a->name, a->name);
		else if (strcmp(role, "-") && strcmp(role, "new_object"))
			printf("\t\t.%s = %s,\n", role, a->name);
		if (!strcmp(role, "peer"))
			printf("\t\t.has_peer = 1,\n");
		if (!strcmp(role, "requests") || !strcmp(role, "nparts"))
			printf("\t\t.many = 1,\n");
		if (a->at_root && is_count(role, "count"))
			printf("\t\t.send_at_root = 1,\n");
		if (a->at_root && is_count(role, "rcount"))
			printf("\t\t.recv_at_root = 1,\n");
		if (a->per_member)
			printf("\t\t.%s_per_member = 1,\n", role);
	}
}

/*
 * Calls that wait for a message, which can be asked for by making them of their
 * parts: see runtime/mpi/asking.h.
 */
static int has_parts(const struct call *c)
{
	return (c->traits & find_trait("asked")) != 0;
}

/* The real call; what it made is an object with a handle of its own. */
static void wrap_real(const struct call *c)
{
	printf("\t%s = TAPE_REAL(%s)(", c->result ? "value_" : "a.rc", c->name);
	arguments(c);
	printf(");\n");
}

/* The same, or the parts of the call. */
static void wrap_real_or_parts(const struct call *c)
{
	if (!has_parts(c)) {
		wrap_real(c);
		return;
	}
	printf("\tif (TAPE_LIKELY(a.asking == TAPE_ASK_PARTS))\n"
	       "\t\ta.rc = parts_%s(",
	       c->twin_of ? c->twin_of->name : c->name);
	for (int i = 0; i < c->n; i++) /* not above INT_MAX, then */
		printf("%s%s, ", strcmp(c->a[i].kind->type, "MPI_Count")
					 ? "" : "(int)", c->a[i].name);
	printf("&a.answer);\n\telse\n\t");
	wrap_real(c);
}

static void wrap_made(const struct call *c)
{
	for (int i = 0; i < c->n; i++)
		if (!strcmp(c->a[i].kind->role, "new_object"))
			printf("\tif (a.rc == MPI_SUCCESS)\n"
			       "\t\ta.object = (uintptr_t)*%s;\n",
			       c->a[i].name);
}

/*
 * Calls that programs make in their inner loops: their wrapper is a part of
 * each door, at the price of a larger library. The doors of the others share
 * one function, and that shares with those of its class what it can.
 */
static int frequent(const struct call *c)
{
	static const char *const names[] = {
		"send", "isend", "recv", "irecv", "sendrecv", "probe", "iprobe",
		"start", "wait", "test", "MPI_Barrier", "MPI_Bcast",
		"MPI_Reduce", "MPI_Allreduce", "MPI_Gather", "MPI_Scatter",
		"MPI_Allgather", "MPI_Alltoall",
	};

	if (c->traits & find_trait("not_everywhere"))
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(c->class->name, names[i]) ||
		    !strcmp(c->name, names[i]))
			return 1;
	return 0;
}

static int shared(const struct call *c)
{
	return !c->special && !frequent(c);
}

/* The records of those are stored by one function for each class. */
void wrap_puts(void)
{
	for (int i = 0; i < n_classes; i++) {
		const char *name = classes[i].name;
		int used = 0;

		for (int k = 0; k < n_calls; k++)
			used |= calls[k].class == &classes[i] &&
				shared(&calls[k]);
		if (used)
			printf("TAPE_WRAP_SHARED(%s)\n", name);
	}
}

/*
 * A wrapper: fills the arguments by role, asks the class's hooks, times the
 * real call. See runtime/mpi/hooks.h for what is used here.
 */
void wrap_body(const struct call *c)
{
	const struct arg *status = find_role(c, "status");
	const struct arg *statuses = find_role(c, "statuses");
	int often = frequent(c);

	printf("static %s %s wrap_%s(struct tape_flow *f, uint32_t site%s",
	       often ? "inline TAPE_ALWAYS" : "TAPE_APART", result(c), c->name,
	       c->n ? ", " : "");
	if (c->n)
		parameters(c);
	printf(")\n{\n%s\tstruct tape_mpi_args a = { .shape = TAPE_SHAPE_%s,\n",
	       c->class->lists ? "\tstruct tape_waited waited_;\n" : "",
	       *c->shape ? upper(c->shape) : "NONE");
	wrap_roles(c);
	if (c->class->lists)
		printf("\t\t.waited = &waited_,\n");
	printf("\t};\n\tstruct tape_%s r;\n", c->class->name);
	if (c->result)
		printf("\t%s value_;\n", result(c));
	printf("\tTAPE_WRAP_BEGIN(f);\n");
	if (status)
		printf("\tMPI_Status own;\n\n\tif (%s == MPI_STATUS_IGNORE)\n"
		       "\t\ta.status = %s = &own;\n", status->name,
		       status->name);
	printf("\tbefore_%s(f, &r, &a);\n", c->class->name);
	if (statuses)
		printf("\t%s = a.statuses;\n", statuses->name);
	printf("\tTAPE_WRAP_START(f);\n");
	wrap_real_or_parts(c);
	printf("\tTAPE_WRAP_STOP(f);\n");
	wrap_made(c);
	printf("\tafter_%s(f, &r, &a);\n\tTAPE_WRAP_PUT%s(%s, f, site, &r);\n",
	       c->class->name, often ? "" : "_SHARED", c->class->name);
	if (c->class->request)
		printf("\tcreated_%s(f, &r, &a);\n", c->class->name);
	if (c->class->lists)
		printf("\tdone_%s(f, &r, &a);\n", c->class->name);
	printf("\tTAPE_WRAP_END(f);\n\treturn %s;\n}\n\n",
	       c->result ? "value_" : "a.rc");
}

/*
 * The body of an exported function: source is the call site that tapepp made
 * or NULL, address the return address or NULL. A call that is not recorded
 * goes to the library; those of classes marked "=" and the special ones pass
 * their outside_ function, which has to notice them all the same.
 */
static void wrap_door(const struct call *c, const char *source,
		      const char *address)
{
	int sourced = strcmp(source, "NULL") != 0;

	if (shared(c))
		printf("\tstruct tape_door d = tape_door_%s(%d, %s,\n"
		       "\t\t__builtin_frame_address(0));\n"
		       "\tstruct tape_flow *f = d.flow;\n"
		       "\tuint32_t site = d.site;\n\n",
		       sourced ? "source" : "here", c->id,
		       sourced ? source : address);
	else if (sourced)
		printf("\tstruct tape_flow *f = tape_flow_now();\n"
		       "\tuint32_t site = TAPE_LIKELY(f != NULL)\n"
		       "\t\t? tape_site_source(f, %s, %d) : 0;\n\n",
		       source, c->id);
	else
		printf("\tstruct tape_flow *f = tape_flow_now();\n"
		       "\tuint32_t site = TAPE_LIKELY(f != NULL)\n"
		       "\t\t? tape_site_here(f, %d, %s) : 0;\n\n",
		       c->id, address);
	printf("\tif (TAPE_LIKELY(site != 0))\n\t\treturn wrap_%s(f, site%s",
	       c->name, c->n ? ", " : "");
	arguments(c);
	printf(");\n\t");
	if (c->special || c->class->always) {
		printf("if (tape_from_fortran())\n\t\treturn TAPE_REAL(%s)(",
		       c->name);
		arguments(c);
		printf(");\n\treturn outside_%s(", c->name);
		if (!c->class->always)
			printf("%s, %s%s", source, address, c->n ? ", " : "");
	} else {
		printf("return TAPE_REAL(%s)(", c->name);
	}
	arguments(c);
	printf(");\n}\n\n");
}

/* The way past the record for a class marked "=". */
void wrap_outside(const struct call *c)
{
	const char *past = c->class->lists ? ", &past_" : "";

	printf("static int outside_%s(", c->name);
	parameters(c);
	printf(")\n{\n\tstruct tape_mpi_args a = {\n");
	wrap_roles(c);
	printf("\t};\n%s\n\toutside_before_%s(&a%s);\n",
	       c->class->lists ? "\tstruct tape_past past_;\n" : "",
	       c->class->name, past);
	wrap_real(c);
	wrap_made(c);
	printf("\toutside_after_%s(&a%s);\n\treturn a.rc;\n}\n\n",
	       c->class->name, past);
}

/*
 * Programs in Fortran come here, too: which calls of these announce their sites
 * each library says, but that mpi_f08 declares MPI_Wtime as it is in C.
 */
static const char *address_of_site(const struct call *c)
{
	return !strncmp(c->name, "MPI_", 4) && c->result && in_fortran(c)
		       ? "tape_announced_or"
		       : "TAPE_C_SITE";
}

void wrap_functions(const struct call *c, const char *macro,
		    void (*door)(const struct call *c, const char *source,
				 const char *address))
{
	printf("TAPE_EXPORT %s %s(%s)(", result(c), macro, c->name);
	parameters(c);
	printf(")\n{\n");
	printf("\tconst void *address_ = %s(%d,\n"
	       "\t\t__builtin_return_address(0));\n", address_of_site(c),
	       c->id);
	door(c, "NULL", "address_");
	if (!in_source(c))
		return;
	printf("TAPE_EXPORT %s tape_%s(struct tape_site *site_%s", result(c),
	       c->name, c->n ? ", " : "");
	if (c->n)
		parameters(c);
	printf(")\n{\n");
	door(c, "site_", "NULL");
}

void view_wrap(void)
{
	wrap_puts();
	for (int i = 0; i < n_calls; i++) {
		const struct call *c = &calls[i];

		if (variadic(c))
			continue;
		guard_begin(c);
		if (!c->special)
			wrap_body(c);
		if (c->class->always)
			wrap_outside(c);
		/* in brackets: some libraries have a macro of that name */
		wrap_functions(c, "", wrap_door);
		guard_end(c);
	}
}

/*
 * What stands behind each wrapper: the library's functions, or those of a layer
 * between; runtime/mpi/next.h. What the library has as a macro only gets a
 * function.
 */
void view_next(void)
{
	printf("struct tape_next {\n");
	for (int i = 0; i < n_calls; i++) {
		guard_begin(&calls[i]);
		printf("\t%s (*to_%s)(", result(&calls[i]), calls[i].name);
		parameters(&calls[i]);
		printf(");\n");
		guard_end(&calls[i]);
	}
	printf("};\n\n#ifdef TAPE_NEXT_TABLE\n");
	for (int i = 0; i < n_calls; i++) {
		const struct call *c = &calls[i];

		guard_begin(c);
		printf("#ifdef P%s\n", c->name);
		if (!variadic(c)) {
			printf("static %s library_%s(", result(c), c->name);
			parameters(c);
			printf(")\n{\n\treturn P%s(", c->name);
			arguments(c);
			printf(");\n}\n");
		}
		printf("#else\n#pragma weak P%s\n#define library_%s P%s\n"
		       "#endif\n", c->name, c->name, c->name);
		guard_end(c);
	}
	printf("struct tape_next tape_next = {\n");
	for (int i = 0; i < n_calls; i++) {
		guard_begin(&calls[i]);
		printf("\t.to_%s = library_%s,\n", calls[i].name,
		       calls[i].name);
		guard_end(&calls[i]);
	}
	printf("};\n\n/* their names and numbers, in that order */\n"
	       "static const struct {\n\tconst char *name;\n"
	       "\tunsigned call;\n} next_calls[] = {\n");
	for (int i = 0; i < n_calls; i++) {
		guard_begin(&calls[i]);
		printf("\t{ \"%s\", %d },\n", calls[i].name, calls[i].id);
		guard_end(&calls[i]);
	}
	printf("};\n#endif\n");
}
