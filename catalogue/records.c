/*
 * The codes of records (records.tab), and the function that skips a record
 * without decoding it: the view skip; see mkcatalogue.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "mkcatalogue.h"

/* How an operand is written. */
enum written { VARINT, REFERENCE, VALUES, FIELDS };

struct operand {
	char name[NAME];
	enum written written;
};

static struct record {
	char name[NAME];
	int n;
	struct operand o[MAX_FIELDS];
} records[MAX_RECORDS];
static int n_records;

static enum written find_written(const char *encoding)
{
	if (!strcmp(encoding, "int") || !strcmp(encoding, "u32") ||
	    !strcmp(encoding, "u64"))
		return VARINT;
	if (!strcmp(encoding, "request"))
		return REFERENCE;
	if (!strcmp(encoding, "values"))
		return VALUES;
	if (!strcmp(encoding, "fields"))
		return FIELDS;
	fail_at_line("unknown encoding %s", encoding);
}

void add_record(char *s)
{
	struct record *r = &records[n_records];
	char *w = strtok(s, " \t");
	int64_t code;

	/* the last code is the first of many */
	if (n_records && !strcmp(r[-1].name, "event"))
		fail_at_line("event is the last record");
	if (n_records == MAX_RECORDS)
		fail_at_line("too many records");
	if (tape_parse_whole(w, n_records, n_records, &code, NULL))
		fail_at_line("code %s: expected %d", w, n_records);
	if (!(w = strtok(NULL, " \t")) || strlen(w) >= NAME)
		fail_at_line("expected code name operand:encoding ...");
	for (int i = 0; i < n_records; i++)
		if (!strcmp(records[i].name, w))
			fail_at_line("%s: name used before", w);
	strcpy(r->name, w);
	while ((w = strtok(NULL, " \t"))) {
		char *colon = strchr(w, ':');

		if (!colon || r->n == MAX_FIELDS || colon - w >= NAME)
			fail_at_line("expected operand:encoding, got %s", w);
		*colon = '\0';
		strcpy(r->o[r->n].name, w);
		r->o[r->n].written = find_written(colon + 1);
		r->n++;
	}
	n_records++;
}

void print_record_codes(void)
{
	printf("/* Record codes; events have those from TAPE_CODE_SITE on. */\n"
	       "enum tape_code {\n");
	for (int i = 0; i < n_records - 1; i++)
		printf("\tTAPE_CODE_%s = %d,\n", to_upper_case(records[i].name),
		       i);
	printf("\tTAPE_CODE_SITE = %d\n};\n\n", n_records - 1);
}

/* The helpers take NULL, the end of what could be read, and return it. */
static const char helpers[] =
	"typedef const unsigned char *tape_bytes;\n\n"
	"static inline tape_bytes tape_skip_value(tape_bytes p, "
	"tape_bytes end, uint64_t *v)\n"
	"{\n\treturn p ? tape_get_varint(p, end, v) : NULL;\n}\n\n"
	"static inline tape_bytes tape_skip_varints(tape_bytes p, "
	"tape_bytes end, unsigned n)\n"
	"{\n\tuint64_t unused;\n\n\twhile (p && n--)\n"
	"\t\tp = tape_get_varint(p, end, &unused);\n\treturn p;\n}\n\n"
	"static inline tape_bytes tape_skip_reference(tape_bytes p, "
	"tape_bytes end)\n"
	"{\n\tuint64_t v = 0;\n\n\tp = tape_skip_value(p, end, &v);\n"
	"\treturn tape_skip_varints(p, end, v & 1);\n}\n\n"
	"static inline tape_bytes tape_skip_values(tape_bytes p, "
	"tape_bytes end)\n"
	"{\n\tuint64_t v = 0;\n\n\tp = tape_skip_value(p, end, &v);\n"
	"\treturn tape_skip_varints(p, end,\n"
	"\t\t(unsigned)__builtin_popcountll(v));\n}\n\n";

/* The fields of a class. */
static void skip_classes(void)
{
	printf("static inline tape_bytes tape_skip_fields(int class_, "
	       "tape_bytes p, tape_bytes end, int same)\n"
	       "{\n\tif (class_ < 0)\n\t\treturn NULL;\n"
	       "\tswitch ((enum tape_class)class_) {\n");
	for (int i = 0; i < n_classes; i++) {
		int operands = 0;

		for (int j = 0; j < classes[i].n; j++)
			operands += classes[i].f[j].operand;
		printf("\tcase TAPE_CLASS_%s:\n"
		       "\t\treturn tape_skip_varints(p, end, "
		       "same ? %d : %d);\n",
		       to_upper_case(classes[i].name), classes[i].n - operands,
		       classes[i].n);
	}
	printf("\tcase TAPE_CLASS_COUNT:\n\t\tbreak;\n\t}\n"
	       "\treturn NULL;\n}\n\n");
}

/* Are its values of interest, and not only where they end? */
static int is_reported(const struct operand *o)
{
	return !strcmp(o->name, "region") || !strcmp(o->name, "site");
}

/* Skips operands from number k on; how many. */
static int skip_operands(const struct record *r, int k)
{
	int n = 1;

	switch (r->o[k].written) {
	case REFERENCE:
		printf("\t\tp = tape_skip_reference(p, end);\n");
		return 1;
	case VALUES:
		printf("\t\tp = tape_skip_values(p, end);\n");
		return 1;
	case FIELDS:
		printf("\t\tp = tape_skip_fields(class_of(site / 2), p, end, "
		       "site & 1);\n");
		return 1;
	case VARINT:
		break;
	}
	if (is_reported(&r->o[k])) {
		printf("\t\tp = tape_skip_value(p, end, &%s);\n",
		       r->o[k].name);
		return 1;
	}
	while (k + n < r->n && r->o[k + n].written == VARINT &&
	       !is_reported(&r->o[k + n]))
		n++;
	printf("\t\tp = tape_skip_varints(p, end, %d);\n", n);
	return n;
}

void view_skip(void)
{
	printf("#ifndef TAPE_SKIP_H\n#define TAPE_SKIP_H\n\n"
	       "#include \"record.h\"\n#include \"tape_ids.h\"\n\n%s", helpers);
	skip_classes();
	printf("/*\n * Skips a record whose code has been read: returns the "
	       "byte after it, or NULL\n * where it does not end before "
	       "end, or is of no known kind. class_of gives the\n"
	       " * class of a call site, -1: there is none. *what gets "
	       "2 x site of an event, 2 x\n"
	       " * region + 1 of a mark in a region, else 0.\n */\n"
	       "static inline tape_bytes tape_skip_record(uint64_t code, "
	       "tape_bytes p, tape_bytes end,\n"
	       "\tint (*class_of)(uint64_t site), uint64_t *what)\n{\n"
	       "\tuint64_t site = 0, region = UINT64_MAX;\n\n"
	       "\t*what = 0;\n\tif (code >= TAPE_CODE_SITE) {\n"
	       "\t\tsite = code - TAPE_CODE_SITE;\n"
	       "\t\t*what = site & ~(uint64_t)1;\n"
	       "\t\tcode = TAPE_CODE_SITE;\n\t}\n"
	       "\tswitch ((enum tape_code)code) {\n");
	for (int i = 1; i < n_records; i++) {
		printf("\tcase TAPE_CODE_%s:\n",
		       i == n_records - 1 ? "SITE"
					  : to_upper_case(records[i].name));
		for (int j = 0; j < records[i].n;)
			j += skip_operands(&records[i], j);
		printf("\t\tbreak;\n");
	}
	printf("\tcase TAPE_CODE_NONE:\n\t\treturn NULL;\n\t}\n"
	       "\tif (p && region != UINT64_MAX)\n"
	       "\t\t*what = 2 * region + 1;\n\treturn p;\n}\n\n#endif\n");
}
