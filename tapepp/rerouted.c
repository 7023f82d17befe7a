/* Frees a rewritten source. */
#include <stdlib.h>
#include <string.h>

#include "rerouted.h"

void tape_rerouted_free(struct tape_rerouted *r)
{
	for (size_t i = 0; i < r->site_count; i++) {
		free(r->sites[i].file);
		free(r->sites[i].function);
	}
	for (size_t i = 0; i < r->report_count; i++) {
		free(r->reports[i].file);
		free(r->reports[i].name);
	}
	free(r->sites);
	free(r->reports);
	free(r->text);
	memset(r, 0, sizeof *r);
}
