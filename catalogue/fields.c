/*
 * What a record holds, as code and as data: the views ids, codec, layout and
 * names; see mkcatalogue.h.
 */
#include <stdio.h>
#include <string.h>

#include "mkcatalogue.h"

static const char *c_type(const struct field *f)
{
	return f->encoding == INT   ? "int32_t"
	       : f->encoding == U32 ? "uint32_t"
				    : "uint64_t";
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
			printf("\t%s %s;\n", c_type(&c->f[i]), c->f[i].name),
			    any = 1;
	if (!any)
		printf("\tuint32_t none_;\n");
	printf("};\n\n");
}

void view_ids(void)
{
	int most = 0;

	printf("#ifndef TAPE_IDS_H\n#define TAPE_IDS_H\n\n"
	       "#include <stdint.h>\n\nenum tape_class {\n");
	for (int i = 0; i < n_classes; i++)
		printf("\tTAPE_CLASS_%s,\n", to_upper_case(classes[i].name));
	printf("\tTAPE_CLASS_COUNT\n};\n\n"
	       "enum tape_shape {\n\tTAPE_SHAPE_NONE,\n\tTAPE_SHAPE_ALL,\n"
	       "\tTAPE_SHAPE_FROM,\n\tTAPE_SHAPE_TO,\n\tTAPE_SHAPE_SCAN,\n"
	       "\tTAPE_SHAPE_NEAR\n};\n\n");
	print_record_codes();
	print_trait_ids();
	printf("enum tape_call {\n");
	for (int i = 0; i < n_calls; i++) {
		printf("\tTAPE_CALL_%s = %d,\n", calls[i].name, calls[i].id);
		if (calls[i].id > most)
			most = calls[i].id;
	}
	printf("\tTAPE_CALL_COUNT = %d\n};\n\nenum tape_group {\n", most + 1);
	for (int i = 0; i < n_groups; i++)
		printf("\tTAPE_GROUP_%s,\n", to_upper_case(groups[i].name));
	printf("\tTAPE_GROUP_COUNT\n};\n\n");
	for (int i = 0; i < n_classes; i++)
		view_struct(&classes[i]);
	printf("union tape_fields {\n");
	for (int i = 0; i < n_classes; i++)
		printf("\tstruct tape_%s %s;\n", classes[i].name,
		       classes[i].name);
	printf("};\n\n#endif\n");
}

static void codec_class(const struct class *c)
{
	printf("static inline int tape_same_%s(const struct tape_%s *a, "
	       "const struct tape_%s *b)\n{\n\t(void)a, (void)b;\n\treturn 1",
	       c->name, c->name, c->name);
	for (int i = 0; i < c->n; i++)
		if (c->f[i].operand)
			printf(" &&\n\t\ta->%s == b->%s", c->f[i].name,
			       c->f[i].name);
	printf(";\n}\n\n");

	printf(
	    "static inline unsigned char *tape_encode_%s(unsigned char *p, "
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

	printf(
	    "static inline const unsigned char *tape_decode_%s("
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
		       f->encoding == INT   ? "tape_unzigzag(v)"
		       : f->encoding == U32 ? "(uint32_t)v"
					    : "v");
	}
	if (c->n && c->f[c->n - 1].operand)
		printf("varying:\n");
	printf("\treturn p;\n}\n\n");
}

void view_codec(void)
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
		printf(
		    "\tcase TAPE_CLASS_%s:\n\t\treturn tape_decode_%s(p, end, "
		    "&u->%s, same);\n",
		    to_upper_case(classes[i].name), classes[i].name,
		    classes[i].name);
	printf(
	    "\tcase TAPE_CLASS_COUNT:\n\t\tbreak;\n\t}\n\treturn NULL;\n}\n\n"
	    "static inline unsigned char *tape_encode_fields("
	    "unsigned class_, unsigned char *p,\n"
	    "\tconst union tape_fields *u, int same)\n"
	    "{\n\tswitch ((enum tape_class)class_) {\n");
	for (int i = 0; i < n_classes; i++)
		printf("\tcase TAPE_CLASS_%s:\n\t\treturn tape_encode_%s(p, "
		       "&u->%s, "
		       "same);\n",
		       to_upper_case(classes[i].name), classes[i].name,
		       classes[i].name);
	printf("\tcase TAPE_CLASS_COUNT:\n\t\tbreak;\n\t}\n\treturn p;\n}\n\n"
	       "static inline int tape_same_fields(unsigned class_, "
	       "const union tape_fields *a,\n\tconst union tape_fields *b)\n"
	       "{\n\tswitch ((enum tape_class)class_) {\n");
	for (int i = 0; i < n_classes; i++)
		printf("\tcase TAPE_CLASS_%s:\n\t\treturn tape_same_%s(&a->%s, "
		       "&b->%s);\n",
		       to_upper_case(classes[i].name), classes[i].name,
		       classes[i].name, classes[i].name);
	printf("\tcase TAPE_CLASS_COUNT:\n\t\tbreak;\n\t}\n\treturn 0;\n}\n\n"
	       "#endif\n");
}

/* The line of a class, as meta has it: "+irecv peer:int ... / probe:u64". */
static void print_layout(const struct class *c)
{
	static const char *const encodings[] = {"int", "u32", "u64"};

	printf("\"%s%s", c->request ? "+" : "", c->name);
	for (int j = 0; j < c->n; j++)
		printf("%s %s:%s",
		       !c->f[j].operand && (!j || c->f[j - 1].operand) ? " /"
								       : "",
		       c->f[j].name, encodings[c->f[j].encoding]);
	printf("\"");
}

/* What is in force where a trace is written, for its meta. */
void view_class_uses(void)
{
	printf("/* X(CLASS, WAITS, CHANNEL, GROUP, DOING) for each class */\n"
	       "#define TAPE_CLASS_USES(X)");
	for (int i = 0; i < n_classes; i++) {
		printf(" \\\n\tX(%s", to_upper_case(classes[i].name));
		for (int k = 0; k < CLASS_USES; k++)
			printf(", %s", to_upper_case(classes[i].use[k]));
		printf(")");
	}
	printf("\n");
}

void view_layout(void)
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
void view_names(void)
{
	printf("static const struct {\n\tconst char *name;\n"
	       "\tunsigned char class_, shape;\n"
	       "\tuint16_t base;\n\tuint32_t traits;\n"
	       "} tape_calls[] = {\n");
	for (int i = 0; i < n_calls; i++) {
		printf("\t[%d] = { \"%s\", TAPE_CLASS_%s, TAPE_SHAPE_%s, "
		       "%d, ",
		       calls[i].id, calls[i].name,
		       to_upper_case(calls[i].class->name),
		       *calls[i].shape ? to_upper_case(calls[i].shape) : "NONE",
		       find_base_call(&calls[i])->id);
		print_trait_bits(&calls[i]);
		printf(" },\n");
	}
	printf("};\n\nenum tape_encoding { TAPE_INT, TAPE_U32, TAPE_U64 };\n\n"
	       "struct tape_field_info {\n\tconst char *name;\n"
	       "\tunsigned char encoding, operand;\n\tunsigned short offset;\n"
	       "};\n\n");
	for (int i = 0; i < n_classes; i++) {
		printf("static const struct tape_field_info tape_fields_%s[] = "
		       "{\n",
		       classes[i].name);
		for (int j = 0; j < classes[i].n; j++)
			printf(
			    "\t{ \"%s\", %s, %d, offsetof(struct tape_%s, %s) "
			    "},\n",
			    classes[i].f[j].name,
			    classes[i].f[j].encoding == INT   ? "TAPE_INT"
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
		printf(
		    "\t[TAPE_CLASS_%s] = { \"%s\", %d, tape_fields_%s,\n\t\t",
		    to_upper_case(classes[i].name), classes[i].name,
		    classes[i].request, classes[i].name);
		print_layout(&classes[i]);
		printf(" },\n");
	}
	printf("};\n");
}
