/*
 * The wrappers of PVM's calls, and the real functions that they call; see
 * mkcatalogue.h and, for what is used here, runtime/pvm/pvm_hooks.h.
 */
#include <stdio.h>
#include <string.h>

#include "mkcatalogue.h"

/*
 * PVM has no profiling layer. A preloaded library finds the real functions by
 * dlsym; a program that is linked statically has them as __real_NAME, by the
 * linker's option --wrap.
 */
void view_real_pvm(void)
{
	printf("#ifndef TAPE_REAL_PVM_H\n#define TAPE_REAL_PVM_H\n\n"
	       "#ifdef TAPE_PVM_LINKED\n");
	for (int i = 0; i < n_calls; i++) {
		if (is_variadic(&calls[i]))
			continue;
		printf("%s __real_%s(", get_result_type(&calls[i]),
		       calls[i].name);
		print_c_parameters(&calls[i]);
		printf(");\n");
	}
	printf("#define TAPE_REAL(name) __real_##name\n"
	       "#define TAPE_ENTRY(name) __wrap_##name\n"
	       "#else\nstruct tape_pvm_real {\n");
	for (int i = 0; i < n_calls; i++) {
		if (is_variadic(&calls[i]))
			continue;
		printf("\t%s (*%s)(", get_result_type(&calls[i]),
		       calls[i].name);
		print_c_parameters(&calls[i]);
		printf(");\n");
	}
	printf("};\nextern struct tape_pvm_real tape_pvm_real\n"
	       "\t__attribute__((visibility(\"hidden\")));\n"
	       "#define TAPE_REAL(name) tape_pvm_real.name\n"
	       "#define TAPE_ENTRY(name) name\n#endif\n\n"
	       "#define TAPE_PVM_NAMES \\\n");
	for (int i = 0; i < n_calls; i++)
		if (!is_variadic(&calls[i]))
			printf("\t\"%s\", \\\n", calls[i].name);
	printf("\tNULL\n\n#endif\n");
}

static void print_roles(const struct call *c)
{
	for (int i = 0; i < c->n; i++) {
		const char *role = c->a[i].kind->role, *name = c->a[i].name;

		if (!strcmp(role, "item"))
			printf("\t\t.item = sizeof *%s,\n", name);
		else if (!strcmp(role, "pair"))
			printf("\t\t.item = 2 * sizeof *%s,\n", name);
		else if (strcmp(role, "-"))
			printf("\t\t.%s = %s,\n", role, name);
	}
}

static void print_arguments_struct(const struct call *c)
{
	printf("\tstruct tape_pvm_args a = { .call = %d, .shape = "
	       "TAPE_SHAPE_%s,\n\t\t.traits = ",
	       c->id, *c->shape ? to_upper_case(c->shape) : "NONE");
	print_trait_bits(c);
	printf(",\n");
	print_roles(c);
	printf("\t};\n");
}

static void print_real_call(const struct call *c)
{
	printf("\t%s = TAPE_REAL(%s)(", c->result ? "value_" : "a.rc", c->name);
	print_c_arguments(c);
	printf(");\n");
}

static void print_wrapper(const struct call *c)
{
	const char *value = c->result ? "value_" : "a.rc";

	printf("static inline %s wrap_%s(struct tape_flow *f, uint32_t site%s",
	       get_result_type(c), c->name, c->n ? ", " : "");
	if (c->n)
		print_c_parameters(c);
	printf(")\n{\n");
	print_arguments_struct(c);
	printf("\tstruct tape_%s r;\n", c->class->name);
	if (c->result)
		printf("\t%s value_;\n", get_result_type(c));
	printf("\tTAPE_PVM_BEGIN(f);\n\n\tbefore_%s(f, &r, &a);\n",
	       c->class->name);
	if (!strcmp(c->class->name, "coll"))
		printf("\ttape_pvm_call_begin(f, site, -1, -1);\n");
	printf("\tTAPE_PVM_START(f);\n");
	print_real_call(c);
	printf("\tTAPE_PVM_STOP(f, site, %s);\n"
	       "\tafter_%s(f, &r, &a);\n\tTAPE_PVM_PUT(%s, f, site, &r);\n"
	       "\tTAPE_PVM_END(f);\n\treturn %s;\n}\n\n", value,
	       c->class->name, c->class->name, value);
}

/* What is not recorded; calls marked "=" are noticed nevertheless. */
static void print_outside_call(const struct call *c)
{
	printf("static inline %s outside_%s(", get_result_type(c), c->name);
	print_c_parameters(c);
	printf(")\n{\n");
	if (c->class->always || c->noticed)
		print_arguments_struct(c);
	if (c->class->always)
		printf("\n\toutside_%s(&a);\n", c->class->name);
	if (c->noticed) {
		printf("\n");
		print_real_call(c);
		printf("\tnoticed_%s(&a);\n\treturn a.rc;\n}\n\n", c->name);
		return;
	}
	printf("\treturn TAPE_REAL(%s)(", c->name);
	print_c_arguments(c);
	printf(");\n}\n\n");
}

/*
 * The entry points of these calls share all that is around the real call: no
 * hook looks at their arguments. See runtime/pvm/pvm_rare.h.
 */
static int is_rare_call(const struct call *c)
{
	return !strcmp(c->class->name, "local") && !c->special &&
	       !c->noticed && !c->traits;
}

static void print_rare_entry(const struct call *c, const char *source,
			     const char *address)
{
	printf("\tstruct tape_pvm_rare c_;\n\t%s value_;\n\n"
	       "\ttape_pvm_rare_begin(&c_, %d, %s, %s,\n"
	       "\t\t__builtin_frame_address(0));\n"
	       "\tvalue_ = TAPE_REAL(%s)(",
	       get_result_type(c), c->id, source, address, c->name);
	print_c_arguments(c);
	printf(");\n\ttape_pvm_rare_end(&c_);\n\treturn value_;\n}\n\n");
}

/*
 * The body of an exported function: source is the call site that tapepp made
 * or NULL, address the return address or NULL. A call that is not recorded, but
 * others are, goes to the library with the recording stopped: what the library
 * calls there is not the program's.
 */
static void print_entry(const struct call *c, const char *source,
			const char *address)
{
	printf(
	    "\tstruct tape_flow *f = tape_flow_now();\n"
	    "\tuint32_t site = 0;\n\n"
	    "\tif (TAPE_UNLIKELY(!f) && !(f = tape_pvm_first_flow(%s, %s)))\n"
	    "\t\treturn outside_%s(",
	    source, address, c->name);
	print_c_arguments(c);
	printf(");\n\tif (TAPE_LIKELY(tape_current != NULL) &&\n");
	if (strcmp(source, "NULL"))
		printf("\t    !(site = tape_site_source(f, %s, %d))) {\n",
		       source, c->id);
	else
		printf("\t    !(site = tape_site_here(f, %d, %s))) {\n", c->id,
		       address);
	printf("\t\t%s value_;\n\n"
	       "\t\tTAPE_PVM_PASS(f, __builtin_frame_address(0));\n"
	       "\t\tvalue_ = outside_%s(",
	       get_result_type(c), c->name);
	print_c_arguments(c);
	printf(");\n\t\tTAPE_PVM_PASS_END(f);\n\t\treturn value_;\n"
	       "\t}\n\treturn wrap_%s(f, site%s", c->name, c->n ? ", " : "");
	print_c_arguments(c);
	printf(");\n}\n\n");
}

void view_wrap_pvm(void)
{
	for (int i = 0; i < n_calls; i++) {
		const struct call *c = &calls[i];

		if (is_variadic(c))
			continue;
		if (is_rare_call(c)) {
			wrap_functions(c, "TAPE_ENTRY", print_rare_entry);
			continue;
		}
		if (!c->special) {
			print_wrapper(c);
			print_outside_call(c);
		}
		wrap_functions(c, "TAPE_ENTRY", print_entry);
	}
}

/* Compiles only if each call has exactly this type. */
void view_check_pvm(void)
{
	printf("#include <stdarg.h>\n#include <stdio.h>\n#include <pvm3.h>\n\n"
	       "typedef int (*tape_pvm_match)(int, int, int);\n"
	       "typedef int (*tape_pvm_matched)(tape_pvm_match);\n\n");
	for (int i = 0; i < n_calls; i++) {
		if (calls[i].removed)
			continue;
		printf("%s (*tape_check_%s)(", get_result_type(&calls[i]),
		       calls[i].name);
		print_c_parameters(&calls[i]);
		printf(") = %s;\n", calls[i].name);
	}
}
