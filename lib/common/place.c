/* Call sites for people; see place.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "place.h"

static const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *tape_place_text(const struct tape_site_info *s, char *text,
			    size_t n)
{
	char where[TAPE_PLACE_BYTES], whole[TAPE_PLACE_BYTES + 1024];
	int named = s && s->function && *s->function;

	if (!s)
		snprintf(where, sizeof where, "unknown");
	else if (s->file)
		snprintf(where, sizeof where, "%s:%d", file_base_name(s->file),
			 s->line);
	else if (s->module && (*s->module || s->address))
		snprintf(where, sizeof where, "%s+0x%" PRIx64,
			 file_base_name(s->module), s->address);
	else
		snprintf(where, sizeof where, "unknown");
	snprintf(whole, sizeof whole, "%.1000s%s%s%s", named ? s->function : "",
		 named ? " (" : "", where, named ? ")" : "");
	return tape_clean(whole, text, n);
}

const char *tape_place_python_function(const struct tape_site_info *s)
{
	size_t n = s->file ? strlen(s->file) : 0;
	int is_python = n && (*s->file == '<' ||
			      (n > 3 && !strcmp(s->file + n - 3, ".py")));

	return is_python && s->function && strcmp(s->function, "<module>")
		   ? s->function
		   : "";
}

int tape_place_order(const struct tape_site_info *a,
		     const struct tape_site_info *b)
{
	const char *fa = a->file ? a->file : a->module ? a->module : "";
	const char *fb = b->file ? b->file : b->module ? b->module : "";
	int d = strcmp(fa, fb);

	if (!d)
		d = !a->file - !b->file;
	if (!d && a->file)
		d = (a->line > b->line) - (a->line < b->line);
	if (!d && !a->file)
		d = (a->address > b->address) - (a->address < b->address);
	if (!d)
		d = strcmp(a->function ? a->function : "",
			   b->function ? b->function : "");
	return d ? d : a->call - b->call;
}

const struct tape_site_info *tape_site_of(const struct tape_trace *t, int rank,
					  uint32_t site)
{
	const struct tape_rank_info *r = tape_trace_rank(t, rank);

	return r && site && site < r->n_sites && r->sites[site].call
		       ? &r->sites[site]
		       : NULL;
}

int tape_peer_rank(const struct tape_trace *t, int rank, uint32_t comm,
		   int32_t peer)
{
	const struct tape_rank_info *r = tape_trace_rank(t, rank);
	const struct tape_comm_info *c;

	if (!r || comm >= r->n_comms || !r->comms[comm].index)
		return -1;
	if (r->tid)
		return tape_trace_task(t, peer);
	c = &r->comms[comm];
	if (peer < 0 || peer >= c->size || !c->members)
		return -1;
	return c->members[peer];
}
