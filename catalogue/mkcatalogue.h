/*
 * The tables as mkcatalogue holds them, and the parts of its views that more
 * than one file prints. Of use to the generator only.
 */
#ifndef TAPE_MKCATALOGUE_H
#define TAPE_MKCATALOGUE_H

#define MAX_CALLS 1024
#define MAX_ARGS 24
#define MAX_FIELDS 16
#define MAX_CLASSES 64
#define MAX_RECORDS 64
#define MAX_KINDS 192
#define MAX_GROUPS 31 /* a setting holds them as bits of 32 */
#define MAX_TRAITS 31 /* bits of an enum */
#define NAME 48

struct kind {
	char name[NAME], role[NAME], type[64];
	const struct kind *large; /* in calls of large counts; itself, mostly */
};

/* From a call's number to that of its large-count variant. */
#define TO_TWIN 1000

struct field {
	char name[NAME];
	enum { INT, U32, U64 } encoding;
	int operand; /* left out when equal to the previous at the site */
};

/* How many words the line "@" of a class has. */
enum { CLASS_USES = 4 };

struct class {
	char name[NAME];
	int request; /* creates a request */
	int always;  /* noticed also while tracing is off */
	int lists;   /* what becomes of requests follows the record */
	int blocks;  /* may block: stored while it is in progress */
	int n;
	struct field f[MAX_FIELDS];
	char use[CLASS_USES][NAME]; /* waits, channel, group, doing */
};

struct arg {
	char name[NAME];
	const struct kind *kind; /* NULL for "..." */
	int at_root, per_member;
};

/* Calls that are switched on and off together, by the setting groups. */
struct group {
	char name[NAME], what[128];
};

struct call {
	int id, special, removed, noticed, n;
	unsigned traits; /* bits of find_trait */
	const struct group *group;
	char name[NAME], shape[NAME];
	const struct class *class;
	const struct kind *result; /* NULL: int, an error code */
	const struct call *twin_of; /* that of ordinary counts, or NULL */
	struct arg a[MAX_ARGS];
};

/* In the order of the table. */
extern struct call calls[MAX_CALLS];
extern struct class classes[MAX_CLASSES];
extern struct group groups[MAX_GROUPS];
extern int n_calls, n_classes, n_groups;

/* Prints a sentence with the table's file and line, and ends with status 1. */
__attribute__((noreturn, format(printf, 1, 2))) void
fail_at_line(const char *format, ...);

/* s in capitals; valid until the fourth call after this one. */
const char *to_upper_case(const char *s);

/*
 * "group NAME WHAT...": of it are the calls up to the next such line. Returns
 * the group, which may have come before.
 */
const struct group *begin_group(const char *line);

/*
 * Traits (traits.c): a line of traits.tab; the bit of one, 0 if there is none
 * of that name; the enum of all; those of a call as words, with something
 * between them, and as an expression of bits; a list for the manual page.
 */
void add_trait(char *s);
unsigned find_trait(const char *name);
void print_trait_ids(void);
void print_traits(const struct call *c, const char *between);
void print_trait_bits(const struct call *c);
void man_traits(void);

/*
 * The blocking call of ordinary counts that it is a variant of, by name:
 * MPI_Bcast of MPI_Ibcast and MPI_Bcast_init; or c.
 */
const struct call *find_base_call(const struct call *c);

/* Reads a table of the folder, each of its lines by add (tables.c). */
void read_table(const char *folder, const char *name, void (*add)(char *));
void add_kind(char *s);
void add_class(char *s);
/* Fails if a class has no line "@". */
void check_class_uses(void);
void add_table_call(char *s);

/* What a record holds (fields.c). */
void view_ids(void);
void view_codec(void);
void view_layout(void);
void view_class_uses(void);
void view_names(void);

/*
 * Records (records.c): a line of records.tab; the enum of their codes; how one
 * is skipped.
 */
void add_record(char *s);
void print_record_codes(void);
void view_skip(void);

/* What the runtime's filters need; the table of groups of tape.conf(5). */
void view_calls(void);
void view_groups(void);

/* tape-calls(7): calls and classes. */
void view_man(void);
/* Does the call take "..."? */
int is_variadic(const struct call *c);

/* The type of what the call returns. */
const char *get_result_type(const struct call *c);

/* "type name, ..." as in C, and "name, ...". */
void print_c_parameters(const struct call *c);
void print_c_arguments(const struct call *c);

/*
 * Before and after what is about a call that mpi.h may lack: there is a macro
 * of each that it has, made from that file when Tape is built.
 */
void guard_begin(const struct call *c);
void guard_end(const struct call *c);

/* Does source code that calls it still compile? */
int in_source(const struct call *c);

/* The wrappers of all calls (wrap.c). */
void view_wrap(void);
void view_next(void);
/* What the bodies of rare calls share; to be printed before them. */
void wrap_rare_classes(void);
/* Is that one of them? */
int is_rare_wrapper(const struct call *c);
/* Around what belongs with the wrapper of the call: guards it, too. */
void wrap_part_begin(const struct call *c);
void wrap_part_end(const struct call *c);
/* wrap_NAME, and for a class marked "=" outside_NAME: see hooks.h. */
void wrap_body(const struct call *c);
void wrap_outside(const struct call *c);
/*
 * The exported functions of a call: MACRO(NAME), and tape_NAME for sources that
 * tapepp went through, if it does. entry prints a body; source and address are
 * expressions of the call site.
 */
void wrap_functions(const struct call *c, const char *macro,
		    void (*entry)(const struct call *c, const char *source,
				  const char *address));

/* The real calls and the wrappers with Fortran's arguments (fortran.c). */
void view_real_fortran(void);
void view_wrap_fortran(void);
/* Has Fortran an interface for the call of MPI? */
int in_fortran(const struct call *c);

/* How many texts of the call Fortran passes, each with its length. */
int fortran_texts(const struct call *c);

/* What stands for the program's MPI_COMM_WORLD in a call (virtual.c). */
void view_virtual(void);
void view_virtual_fortran(void);

/* A line of pvm_fortran.tab; the names in Fortran (fortran_names.c). */
void add_pvm_fortran(char *s);
void view_reroute_fortran(void);

/* The same of PVM, in C; the check of the types (pvm.c). */
void view_real_pvm(void);
void view_wrap_pvm(void);
void view_check_pvm(void);

#endif
