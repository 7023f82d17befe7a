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
 * parts: see runtime/mpi/arrival_probe.h.
 */
static int has_parts(const struct call *c)
{
	return (c->traits & find_trait("asked")) != 0;
}

/* The real call; what it made is an object with a handle of its own. */
static void wrap_real(const struct call *c, const char *to)
{
	printf("\t%s = TAPE_REAL(%s)(", c->result ? "value_" : to, c->name);
	print_c_arguments(c);
	printf(");\n");
}

/* The same where it is not recorded. */
static void wrap_pass(const struct call *c, const char *to)
{
	printf("\tpassing_ = tape_pass_begin(__builtin_frame_address(0));\n");
	wrap_real(c, to);
	printf("\ttape_pass_end(passing_);\n");
}

/* The same, or the parts of the call. */
static void wrap_real_or_parts(const struct call *c)
{
	if (!has_parts(c)) {
		wrap_real(c, "a.rc");
		return;
	}
	printf("\tif (TAPE_LIKELY(a.probe_method == TAPE_PROBE_PARTS))\n"
	       "\t\ta.rc = parts_%s(",
	       c->twin_of ? c->twin_of->name : c->name);
	for (int i = 0; i < c->n; i++) /* not above INT_MAX, then */
		printf("%s%s, ", strcmp(c->a[i].kind->type, "MPI_Count")
					 ? "" : "(int)", c->a[i].name);
	printf("&a.answer);\n\telse\n\t");
	wrap_real(c, "a.rc");
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
 * How much of a call's wrapper is its own. Of those that programs make in their
 * inner loops, each entry point has all of it, at the price of a larger
 * library.
 */
static int is_inner_loop_call(const struct call *c)
{
	static const char *const names[] = {
		"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv",
		"MPI_Sendrecv", "MPI_Iprobe", "MPI_Start", "MPI_Startall",
		"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Test",
		"MPI_Testall", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce",
		"MPI_Allreduce", "MPI_Gather", "MPI_Scatter",
		"MPI_Allgather", "MPI_Alltoall",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(c->name, names[i]))
			return 1;
	return 0;
}

/* Calls of these classes share a wrapper between their entry points. */
static int is_frequent_call(const struct call *c)
{
	static const char *const names[] = {
		"send", "isend", "recv", "irecv", "sendrecv", "probe", "iprobe",
		"mprobe", "start", "wait", "test", "coll",
	};

	if (is_inner_loop_call(c) || c->special)
		return 1;
	if (c->traits &
	    (find_trait("not_everywhere") | find_trait("persistent")))
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(c->class->name, names[i]))
			return 1;
	return 0;
}

/* All others also share what their class does after the real call. */
int is_rare_wrapper(const struct call *c)
{
	return !c->special && !is_frequent_call(c);
}

/* In one object or the other; see runtime/mpi/wrap.c. */
void wrap_part_begin(const struct call *c)
{
	guard_begin(c);
	printf("#if TAPE_WRAPS_%s\n", is_rare_wrapper(c) ? "RARE" : "FREQUENT");
}

void wrap_part_end(const struct call *c)
{
	printf("#endif\n");
	guard_end(c);
}

static int is_local(const struct call *c)
{
	return !strcmp(c->class->name, "local");
}

/* What those do after the real call, by one function for each class. */
void wrap_rare_classes(void)
{
	printf("#if TAPE_WRAPS_RARE\nTAPE_RARE_LOCAL\n");
	for (int i = 0; i < n_classes; i++) {
		const struct class *class = &classes[i];
		const char *name = class->name;
		int used = 0;

		for (int k = 0; k < n_calls; k++)
			used |= calls[k].class == class &&
				is_rare_wrapper(&calls[k]) &&
				!is_local(&calls[k]);
		if (used)
			printf("TAPE_RARE(%s, %s%s, %s%s)\n", name,
			       class->request ? "created_" : "TAPE_NOTHING",
			       class->request ? name : "",
			       class->lists ? "done_" : "TAPE_NOTHING",
			       class->lists ? name : "");
	}
	printf("#endif\n");
}

static void wrap_arguments(const struct call *c)
{
	printf("%s\tstruct tape_mpi_args a = { .shape = TAPE_SHAPE_%s,\n",
	       c->class->lists ? "\tstruct tape_waited waited_;\n" : "",
	       *c->shape ? to_upper_case(c->shape) : "NONE");
	wrap_roles(c);
	if (c->class->lists)
		printf("\t\t.waited = &waited_,\n");
	printf("\t};\n\tstruct tape_%s r;\n", c->class->name);
	if (find_role(c, "status"))
		printf("\tMPI_Status own;\n");
}

/* Before the real call; with statuses of the wrapper's own. */
static void wrap_before(const struct call *c)
{
	const struct arg *status = find_role(c, "status");
	const struct arg *statuses = find_role(c, "statuses");

	if (status)
		printf("\tif (%s == MPI_STATUS_IGNORE)\n"
		       "\t\ta.status = %s = &own;\n", status->name,
		       status->name);
	printf("\tbefore_%s(f, &r, &a);\n", c->class->name);
	if (statuses)
		printf("\t%s = a.statuses;\n", statuses->name);
}

/* wrap_NAME of a rare call: what it does by itself is little. */
static void wrap_rare(const struct call *c)
{
	printf("static inline TAPE_ALWAYS %s wrap_%s(struct tape_rare *c_%s",
	       get_result_type(c), c->name, c->n ? ", " : "");
	if (c->n)
		print_c_parameters(c);
	printf(")\n{\n");
	if (is_local(c)) {
		printf("\t%s value_;\n\n\tTAPE_RARE_BEGIN(c_);\n"
		       "\tTAPE_RARE_START(c_);\n",
		       get_result_type(c));
		wrap_real(c, "value_");
		printf("\tTAPE_RARE_STOP(c_);\n\trare_local(c_);\n"
		       "\treturn value_;\n}\n\n");
		return;
	}
	if (c->result)
		fail_at_line("%s: a result that is no error code", c->name);
	wrap_arguments(c);
	printf("\tstruct tape_flow *f = c_->flow;\n\n"
	       "\tTAPE_RARE_BEGIN(c_);\n");
	wrap_before(c);
	if (c->class->blocks)
		printf("\tbegin_%s(f, c_->site, &r, &a);\n", c->class->name);
	printf("\tTAPE_RARE_START(c_);\n");
	wrap_real_or_parts(c);
	printf("\tTAPE_RARE_STOP(c_);\n");
	wrap_made(c);
	printf("\trare_%s(c_, &r, &a);\n\treturn a.rc;\n}\n\n",
	       c->class->name);
}

/*
 * A wrapper: fills the arguments by role, asks the class's hooks, times the
 * real call. See runtime/mpi/hooks.h for what is used here.
 */
void wrap_body(const struct call *c)
{
	const char *class = c->class->name;

	if (is_rare_wrapper(c)) {
		wrap_rare(c);
		return;
	}
	printf("static inline TAPE_ALWAYS %s wrap_%s(struct tape_flow *f, "
	       "uint32_t site%s",
	       get_result_type(c), c->name, c->n ? ", " : "");
	if (c->n)
		print_c_parameters(c);
	printf(")\n{\n");
	wrap_arguments(c);
	printf("\tTAPE_WRAP_BEGIN(f);\n");
	wrap_before(c);
	if (c->class->blocks)
		printf("\tbegin_%s(f, site, &r, &a);\n", class);
	printf("\tTAPE_WRAP_START(f);\n");
	if (c->class->blocks)
		printf("\tTAPE_WRAP_STARTED(f);\n");
	wrap_real_or_parts(c);
	printf("\tTAPE_WRAP_STOP(f);\n");
	wrap_made(c);
	printf("\tafter_%s(f, &r, &a);\n\tTAPE_WRAP_PUT(%s, f, site, &r);\n",
	       class, class);
	if (c->class->request)
		printf("\tcreated_%s(f, &r, &a);\n", class);
	if (c->class->lists)
		printf("\tdone_%s(f, &r, &a);\n", class);
	if (c->class->blocks)
		printf("\tTAPE_WRAP_ENDED(f);\n");
	printf("\tTAPE_WRAP_END(f, %s);\n\treturn a.rc;\n}\n\n",
	       to_upper_case(class));
}

/* The way past the record for a class marked "=". */
void wrap_outside(const struct call *c)
{
	const char *past = c->class->lists ? ", &untraced_" : "";

	printf("static int outside_%s(", c->name);
	print_c_parameters(c);
	printf(")\n{\n\tstruct tape_mpi_args a = {\n");
	wrap_roles(c);
	printf("\t};\n\tstruct tape_flow *passing_;\n%s\n"
	       "\toutside_before_%s(&a%s);\n",
	       c->class->lists ? "\tstruct tape_untraced untraced_;\n" : "",
	       c->class->name, past);
	wrap_pass(c, "a.rc");
	wrap_made(c);
	printf("\toutside_after_%s(&a%s);\n\treturn a.rc;\n}\n\n",
	       c->class->name, past);
}

/*
 * Where the call is not recorded it goes to the library; those of classes
 * marked "=" and the special ones pass their outside_ function, which has to
 * notice them nevertheless.
 */
static void wrap_not_recorded(const struct call *c, const char *source,
			      const char *address)
{
	if (!c->special && !c->class->always) {
		wrap_pass(c, "value_");
		printf("\treturn value_;\n}\n\n");
		return;
	}
	printf("\tif (tape_from_fortran())\n\t\treturn TAPE_REAL(%s)(",
	       c->name);
	print_c_arguments(c);
	printf(");\n\treturn outside_%s(", c->name);
	if (!c->class->always)
		printf("%s, %s%s", source, address, c->n ? ", " : "");
	print_c_arguments(c);
	printf(");\n}\n\n");
}

/* What the same needs. */
static void wrap_not_recorded_variables(const struct call *c)
{
	if (!c->special && !c->class->always)
		printf("\tstruct tape_flow *passing_;\n\t%s value_;\n",
		       get_result_type(c));
}

static void wrap_recorded(const struct call *c)
{
	printf("\tif (TAPE_LIKELY(site != 0))\n\t\treturn wrap_%s(f, site%s",
	       c->name, c->n ? ", " : "");
	print_c_arguments(c);
	printf(");\n");
}

/* The function that both entry points of a call use: source_ or address_ is
 * NULL. */
static void wrap_either(const struct call *c)
{
	printf("static TAPE_APART %s either_%s(struct tape_site *source_,\n"
	       "\tconst void *address_%s",
	       get_result_type(c), c->name, c->n ? ", " : "");
	if (c->n)
		print_c_parameters(c);
	printf(")\n{\n");
	wrap_not_recorded_variables(c);
	if (is_rare_wrapper(c)) {
		printf("\tstruct tape_rare c_;\n\n"
		       "\tif (tape_rare_begin(&c_, %d, source_, address_,\n"
		       "\t\t__builtin_frame_address(0)))\n"
		       "\t\treturn wrap_%s(&c_%s", c->id, c->name,
		       c->n ? ", " : "");
		print_c_arguments(c);
		printf(");\n");
	} else {
		printf(
		    "\tstruct tape_call_entry d = tape_enter_call(%d, source_, "
		    "address_,\n\t\t__builtin_frame_address(0));\n"
		    "\tstruct tape_flow *f = d.flow;\n"
		    "\tuint32_t site = d.site;\n\n",
		    c->id);
		wrap_recorded(c);
	}
	wrap_not_recorded(c, "source_", "address_");
}

/*
 * The body of an exported function: source is the call site that tapepp made
 * or NULL, address the return address or NULL.
 */
static void wrap_entries(const struct call *c, const char *source,
			 const char *address)
{
	if (!is_inner_loop_call(c)) {
		printf("\treturn either_%s(%s, %s%s", c->name, source, address,
		       c->n ? ", " : "");
		print_c_arguments(c);
		printf(");\n}\n\n");
		return;
	}
	wrap_not_recorded_variables(c);
	printf("\tstruct tape_flow *f = tape_flow_now();\n"
	       "\tuint32_t site = TAPE_LIKELY(f != NULL)\n\t\t? ");
	if (strcmp(source, "NULL"))
		printf("tape_site_source(f, %s, %d) : 0;\n\n", source, c->id);
	else
		printf("tape_site_here(f, %d, %s) : 0;\n\n", c->id, address);
	wrap_recorded(c);
	wrap_not_recorded(c, source, address);
}

/*
 * Programs in Fortran come here, too: which calls of these announce their sites
 * each library says, but that mpi_f08 declares MPI_Wtime as it is in C.
 */
static const char *address_of_site(const struct call *c)
{
	if (!strncmp(c->name, "MPI_", 4) && is_rare_wrapper(c) && !c->result)
		return "tape_rare_site"; /* tape_rare_begin does the rest */
	return !strncmp(c->name, "MPI_", 4) && c->result && in_fortran(c)
		       ? "tape_announced_or"
		       : "TAPE_C_SITE";
}

void wrap_functions(const struct call *c, const char *macro,
		    void (*entry)(const struct call *c, const char *source,
				  const char *address))
{
	printf("TAPE_EXPORT %s %s(%s)(", get_result_type(c), macro, c->name);
	print_c_parameters(c);
	printf(")\n{\n");
	printf("\tconst void *address_ = %s(%d,\n"
	       "\t\t__builtin_return_address(0));\n", address_of_site(c),
	       c->id);
	entry(c, "NULL", "address_");
	if (!in_source(c))
		return;
	printf("TAPE_EXPORT %s tape_%s(struct tape_site *site_%s",
	       get_result_type(c), c->name, c->n ? ", " : "");
	if (c->n)
		print_c_parameters(c);
	printf(")\n{\n");
	entry(c, "site_", "NULL");
}

void view_wrap(void)
{
	wrap_rare_classes();
	for (int i = 0; i < n_calls; i++) {
		const struct call *c = &calls[i];

		if (is_variadic(c))
			continue;
		wrap_part_begin(c);
		if (!c->special)
			wrap_body(c);
		if (c->class->always)
			wrap_outside(c);
		if (!is_inner_loop_call(c))
			wrap_either(c);
		/* in brackets: some libraries have a macro of that name */
		wrap_functions(c, "", wrap_entries);
		wrap_part_end(c);
	}
}

/*
 * What each wrapper calls: the library's functions, or those of a layer
 * between; runtime/mpi/next.h. What the library has as a macro only gets a
 * function.
 */
void view_next(void)
{
	printf("struct tape_next {\n");
	for (int i = 0; i < n_calls; i++) {
		guard_begin(&calls[i]);
		printf("\t%s (*to_%s)(", get_result_type(&calls[i]),
		       calls[i].name);
		print_c_parameters(&calls[i]);
		printf(");\n");
		guard_end(&calls[i]);
	}
	printf("};\n\n#ifdef TAPE_NEXT_TABLE\n");
	for (int i = 0; i < n_calls; i++) {
		const struct call *c = &calls[i];

		guard_begin(c);
		printf("#ifdef P%s\n", c->name);
		if (!is_variadic(c)) {
			printf("static %s library_%s(", get_result_type(c),
			       c->name);
			print_c_parameters(c);
			printf(")\n{\n\treturn P%s(", c->name);
			print_c_arguments(c);
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
