/* A list of variables; see settings_of_job.h. */
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "settings_of_job.h"

/* In MPI_Init, on a stack that is large enough. */
TAPE_ON_OWN_STACK

struct pair {
	char *name, *value;
};

static struct pair *pairs;
static size_t n_pairs;

int tape_settings_add(const char *name, const char *value)
{
	struct pair *more = realloc(pairs, (n_pairs + 1) * sizeof *pairs);
	struct pair p = { more ? strdup(name) : NULL,
			  more ? strdup(value) : NULL };

	if (more)
		pairs = more;
	if (!p.name || !p.value) {
		free(p.name);
		free(p.value);
		return -1;
	}
	pairs[n_pairs++] = p;
	return 0;
}

const char *tape_settings_value(const char *name)
{
	const char *value = secure_getenv(name);

	for (size_t i = 0; !value && i < n_pairs; i++)
		if (!strcmp(pairs[i].name, name))
			value = pairs[i].value;
	return value;
}

void tape_settings_forget(void)
{
	while (n_pairs) {
		free(pairs[--n_pairs].name);
		free(pairs[n_pairs].value);
	}
	free(pairs);
	pairs = NULL;
}
TAPE_ON_OWN_STACK_END
