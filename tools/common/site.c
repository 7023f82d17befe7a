/* Call sites as one reads them; see site.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "site.h"

void tape_site_text(const struct tape_site_info *s, char *text, size_t n)
{
	const char *base;

	if (s && s->file) {
		snprintf(text, n, "%s:%d%s%s", s->file, s->line,
			 *s->function ? " " : "", s->function);
	} else if (s && s->module) {
		base = strrchr(s->module, '/');
		snprintf(text, n, "%s+0x%" PRIx64,
			 base ? base + 1 : s->module, s->address);
	} else {
		snprintf(text, n, "unknown");
	}
}

const struct tape_site_info *tape_site_of(const struct tape_trace *t, int rank,
					  uint32_t site)
{
	const struct tape_rank_info *r = tape_trace_rank(t, rank);

	return r && site && site < r->n_sites && r->sites[site].call
		       ? &r->sites[site]
		       : NULL;
}
