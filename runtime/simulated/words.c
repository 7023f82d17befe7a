/* The words of handles; see simulated.h. */
#include <stdlib.h>

#include "core.h"

struct word {
	uintptr_t handle;
	uint64_t word;
	struct word *next;
};

uint64_t *tape_smpi_word(uintptr_t handle, int make)
{
	static struct word *table[1024];
	struct word **place = &table[(handle >> 4 ^ handle >> 14) % 1024];
	struct word *w = *place;

	while (w && w->handle != handle)
		w = w->next;
	if (!w && make && (w = calloc(1, sizeof *w))) {
		w->handle = handle;
		w->next = *place;
		*place = w;
	}
	return w ? &w->word : NULL;
}
