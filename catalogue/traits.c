/* Traits of calls: their table, their names in the other views. */
#include <stdio.h>
#include <string.h>

#include "mkcatalogue.h"

static struct trait {
	char name[NAME], what[128];
} traits[MAX_TRAITS];
static int n_traits;

void add_trait(char *s)
{
	struct trait *t = &traits[n_traits];
	char name[NAME];
	int used = 0;

	if (sscanf(s, "%47s %n", name, &used) != 1 || !s[used] ||
	    strlen(s + used) >= sizeof t->what)
		fail_at_line("expected: trait what");
	if (find_trait(name))
		fail_at_line("%s: name used before", name);
	if (n_traits == MAX_TRAITS)
		fail_at_line("too many traits");
	strcpy(t->name, name);
	strcpy(t->what, s + used);
	n_traits++;
}

unsigned find_trait(const char *name)
{
	for (int i = 0; i < n_traits; i++)
		if (!strcmp(traits[i].name, name))
			return 1u << i;
	return 0;
}

void print_trait_ids(void)
{
	printf("enum tape_trait {\n");
	for (int i = 0; i < n_traits; i++)
		printf("\tTAPE_TRAIT_%s = 1 << %d, /* %s */\n",
		       to_upper_case(traits[i].name), i, traits[i].what);
	printf("\tTAPE_TRAIT_NONE = 0\n};\n\n");
}

void print_traits(const struct call *c, const char *between)
{
	const char *before = "";

	for (int i = 0; i < n_traits; i++)
		if (c->traits >> i & 1) {
			printf("%s%s", before, traits[i].name);
			before = between;
		}
}

void print_trait_bits(const struct call *c)
{
	int any = 0;

	for (int i = 0; i < n_traits; i++)
		if (c->traits >> i & 1)
			printf("%sTAPE_TRAIT_%s", any++ ? " | " : "",
			       to_upper_case(traits[i].name));
	if (!any)
		printf("TAPE_TRAIT_NONE");
}

void man_traits(void)
{
	for (int i = 0; i < n_traits; i++) {
		int any = 0;

		printf(".TP\n.B %s\n%s\n.br\n", traits[i].name,
		       traits[i].what);
		for (int j = 0; j < n_calls; j++)
			if (calls[j].traits >> i & 1)
				printf("%s%s", any++ ? ",\n" : "",
				       calls[j].name);
		printf("%s\n", any ? "." : "No call has it.");
	}
}
