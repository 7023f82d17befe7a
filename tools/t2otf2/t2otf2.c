/*
 * t2otf2: a trace -> OTF2, for Vampir, Scalasca and other tools. A thread is a
 * location. It has regions and calls, messages, collectives and counters.
 *
 * OTF2's own library writes the archive, one rank after the other: it needs at
 * least 256 KiB for each open file, and searches a list of them whenever it
 * opens or closes a file. So the trace is read twice, at first for the
 * definitions.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chunks.h"
#include "definitions.h"
#include "eager_limits.h"
#include "otf2_messages.h"
#include "otf2_rma.h"
#include "tool.h"

static const struct tape_export_kind kind = {"t2otf2", ".otf2"};

/* Bytes of a chunk of events and of definitions, of each location. */
enum { CHUNK = 1 << 18, DEFINITIONS = 1 << 22 };

/* Limit of the ranks that the trace lacks: they have files, too. */
enum { MOST_EMPTY = 1 << 17 };

struct otf2 {
	struct tape_export *x;
	const struct tape_trace *t;
	struct definitions *d;
	struct otf2_messages *messages;
	OTF2_Archive *archive;
	size_t locations; /* flows, and ranks that are not in the trace */
	struct chunks *chunks;
	/* by flow: writers of the current rank; number of events written */
	OTF2_EvtWriter **writer;
	uint64_t *events;
	OTF2_AttributeList *attributes;
	int64_t (*total)[TAPE_COUNTERS_MAX];
};

/* ---- the directory ---- */

/* The directory of the archive until it is complete. */
static char part[4300];

static int remove_path(const char *path, const struct stat *s, int type,
		       struct FTW *f)
{
	(void)s;
	(void)type;
	(void)f;
	return remove(path);
}

static void remove_part_directory(void)
{
	if (*part)
		nftw(part, remove_path, 16, FTW_DEPTH | FTW_PHYS);
}

static void begin_directory(const char *name)
{
	struct stat s;

	if (!strcmp(name, "-"))
		tape_die(TAPE_USAGE, "an OTF2 archive is a directory: it "
				     "cannot be written to standard output");
	if (!lstat(name, &s))
		tape_die(TAPE_FAILED, "%s: exists already", name);
	snprintf(part, sizeof part, "%s.part-%ld", name, (long)getpid());
	if (mkdir(part, 0777)) {
		int error = errno;

		*part = '\0';
		tape_die(TAPE_FAILED, "%s: %s", name, strerror(error));
	}
	atexit(remove_part_directory);
}

static void commit_directory(const char *name)
{
	if (rename(part, name))
		tape_die(TAPE_FAILED, "%s: %s", name, strerror(errno));
	*part = '\0';
}

/* ---- OTF2's library ---- */

static void check_otf2(OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS)
		tape_die(TAPE_FAILED, "OTF2: %s",
			 OTF2_Error_GetDescription(code));
}

/* Suppresses the library's own messages: check_otf2() prints errors. */
static OTF2_ErrorCode ignore_otf2_message(void *own, const char *file,
					  uint64_t line, const char *function,
					  OTF2_ErrorCode code,
					  const char *format, va_list args)
{
	(void)own;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)args;
	return code;
}

static OTF2_FlushType flush_always(void *own, OTF2_FileType type,
				   OTF2_LocationRef location, void *caller,
				   bool final)
{
	(void)own;
	(void)type;
	(void)location;
	(void)caller;
	(void)final;
	return OTF2_FLUSH;
}

/* For tapestat after otf2tape: sends up to them wait for no receive. */
static void write_eager_limits(struct otf2 *o)
{
	const char *line;
	uint64_t bytes;
	int d, measured;
	char value[40];

	for (size_t n = 0; (line = tape_trace_meta(o->t, "eager", n)); n++) {
		d = tape_eager_limit_parse(line, &bytes, &measured);
		if (d < 0)
			continue;
		snprintf(value, sizeof value, "%" PRIu64 "%s", bytes,
			 measured ? " measured" : "");
		check_otf2(OTF2_Archive_SetProperty(
		    o->archive, tape_eager_property[d], value, true));
	}
}

static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always,
					  .otf2_post_flush = NULL};

static void open_archive(struct otf2 *o)
{
	size_t n = tape_trace_flows(o->t);

	o->locations = definitions_locations(o->d);
	if (o->locations - n > MOST_EMPTY)
		tape_die(TAPE_FAILED,
			 "%s: %zu ranks are missing from the trace; OTF2 needs "
			 "two files for each",
			 tape_trace_path(o->t), o->locations - n);

	OTF2_Error_RegisterCallback(ignore_otf2_message, NULL);
	o->archive = OTF2_Archive_Open(part, "traces", OTF2_FILEMODE_WRITE,
				       CHUNK, DEFINITIONS,
				       OTF2_SUBSTRATE_POSIX,
				       OTF2_COMPRESSION_NONE);
	o->writer = calloc(n + 1, sizeof *o->writer);
	o->events = calloc(n + 1, sizeof *o->events);
	o->total = calloc(n + 1, sizeof *o->total);
	o->attributes = OTF2_AttributeList_New();
	if (!o->archive || !o->writer || !o->events || !o->total ||
	    !o->attributes)
		tape_die(TAPE_FAILED, "%s: cannot write the OTF2 archive",
			 tape_export_name(o->x));
	check_otf2(OTF2_Archive_SetFlushCallbacks(o->archive, &flush, NULL));
	o->chunks = chunks_new(o->archive);
	check_otf2(OTF2_Archive_SetSerialCollectiveCallbacks(o->archive));
	check_otf2(OTF2_Archive_SetCreator(o->archive, "Tape " TAPE_VERSION));
	check_otf2(OTF2_Archive_SetDescription(o->archive,
					       tape_export_base_text(o->x)));
	write_eager_limits(o);
	check_otf2(OTF2_Archive_OpenEvtFiles(o->archive));
}

static void open_writer(struct otf2 *o, size_t flow)
{
	o->writer[flow] = OTF2_Archive_GetEvtWriter(o->archive, flow);
	if (!o->writer[flow])
		tape_die(TAPE_FAILED, "OTF2: too many files");
}

static void close_writer(struct otf2 *o, size_t flow)
{
	check_otf2(OTF2_EvtWriter_GetNumberOfEvents(o->writer[flow],
						    &o->events[flow]));
	check_otf2(OTF2_Archive_CloseEvtWriter(o->archive, o->writer[flow]));
}

/* The library compares each definition file with all earlier ones. */
static void close_archive(struct otf2 *o)
{
	check_otf2(OTF2_Archive_CloseEvtFiles(o->archive));
	check_otf2(OTF2_Archive_OpenDefFiles(o->archive));
	for (size_t i = 0; i < o->locations; i++)
		check_otf2(OTF2_Archive_CloseDefWriter(
		    o->archive, OTF2_Archive_GetDefWriter(o->archive, i)));
	check_otf2(OTF2_Archive_CloseDefFiles(o->archive));
	definitions_write(o->d, o->archive, o->events,
			  (uint64_t)tape_export_end_ns(o->x));
	check_otf2(OTF2_Archive_Close(o->archive));
	chunks_free(o->chunks);
}

/* ---- events ---- */

static void put_otf2_region(struct otf2 *o, const struct tape_step *s)
{
	OTF2_RegionRef r = definitions_region(o->d, s->rank, s->region);
	OTF2_EvtWriter *w = o->writer[s->flow];

	if (s->kind == TAPE_STEP_OPEN)
		check_otf2(
		    OTF2_EvtWriter_Enter(w, NULL, (uint64_t)s->from_ns, r));
	else
		check_otf2(
		    OTF2_EvtWriter_Leave(w, NULL, (uint64_t)s->from_ns, r));
}

/* Returns 1 if the call was recorded, not only counted. */
static int is_recorded_call(const struct tape_step *s)
{
	return s->kind == TAPE_STEP_CALL && s->event &&
	       s->event->class_ != TAPE_CLASS_BLOCK;
}

static void put_otf2_call(struct otf2 *o, const struct tape_step *s)
{
	OTF2_EvtWriter *w = o->writer[s->flow];
	OTF2_RegionRef r = definitions_call_region(s->call);

	if (s->event && s->event->site)
		OTF2_AttributeList_AddStringRef(
		    o->attributes, 0,
		    definitions_site_string(o->d, s->rank, s->event->site));
	check_otf2(
	    OTF2_EvtWriter_Enter(w, o->attributes, (uint64_t)s->from_ns, r));
	OTF2_AttributeList_RemoveAllAttributes(o->attributes);
	if (is_recorded_call(s)) {
		check_otf2(messages_begin(o->messages, w, s));
		check_otf2(messages_end(o->messages, w, s));
	}
	check_otf2(OTF2_EvtWriter_Leave(w, NULL, (uint64_t)s->to_ns, r));
}

/* Writes the counters as sums since the start. */
static void put_otf2_counters(struct otf2 *o, const struct tape_step *s)
{
	const struct tape_rank_info *r = tape_trace_rank(o->t, s->rank);
	const struct tape_event *e = s->event;
	OTF2_Type type[TAPE_COUNTERS_MAX];
	OTF2_MetricValue value[TAPE_COUNTERS_MAX];
	uint8_t n = 0;

	for (uint32_t i = 0; i < e->n_counts && i < r->n_counters; i++) {
		int64_t *total = &o->total[s->flow][i];

		*total = (int64_t)((uint64_t)*total +
				   (uint64_t)e->counts[i].before);
		type[n] = OTF2_TYPE_INT64;
		value[n++].signed_int = *total;
		*total = (int64_t)((uint64_t)*total +
				   (uint64_t)e->counts[i].inside);
	}
	if (n && n == r->n_counters)
		check_otf2(OTF2_EvtWriter_Metric(
		    o->writer[s->flow], NULL, (uint64_t)s->from_ns,
		    definitions_metric_class(s->rank), n, type, value));
}

static void put_otf2_step(struct otf2 *o, const struct tape_step *s)
{
	switch (s->kind) {
	case TAPE_STEP_OPEN:
	case TAPE_STEP_CLOSE:
		put_otf2_region(o, s);
		break;
	case TAPE_STEP_CALL:
		put_otf2_call(o, s);
		break;
	case TAPE_STEP_COUNTS:
		put_otf2_counters(o, s);
		break;
	case TAPE_STEP_MESSAGE: /* both sides are written with their calls */
		break;
	}
}

/* Writes the rank whose first flow is first. Returns the next rank's first
 * flow. */
static size_t write_rank_flows(struct otf2 *o, size_t first)
{
	int rank = tape_trace_flow(o->t, first)->rank;
	size_t n = tape_trace_flows(o->t), end = first;
	struct tape_step s;

	for (; end < n && tape_trace_flow(o->t, end)->rank == rank; end++)
		open_writer(o, end);
	o->messages = messages_new(o->t, o->d);
	tape_export_restart_rank(o->x, rank);
	while (tape_export_next(o->x, &s))
		put_otf2_step(o, &s);
	messages_free(o->messages);
	for (size_t i = first; i < end; i++)
		close_writer(o, i);
	return end;
}

/* Readers open the events of all locations, so empty locations need a file. */
static void write_empty(struct otf2 *o)
{
	for (size_t i = tape_trace_flows(o->t); i < o->locations; i++)
		check_otf2(OTF2_Archive_CloseEvtWriter(
		    o->archive, OTF2_Archive_GetEvtWriter(o->archive, i)));
}

int main(int argc, char **argv)
{
	struct otf2 o = { .x = tape_export_open(argc, argv, &kind) };
	struct tape_step s;

	o.t = tape_export_trace(o.x);
	begin_directory(tape_export_name(o.x));
	o.d = definitions_new(o.x);
	open_archive(&o);
	while (tape_export_next(o.x, &s))
		if (is_recorded_call(&s))
			rma_define(o.d, &s);
	for (size_t i = 0; i < tape_trace_flows(o.t);)
		i = write_rank_flows(&o, i);
	write_empty(&o);
	close_archive(&o);
	commit_directory(tape_export_name(o.x));
	definitions_free(o.d);
	OTF2_AttributeList_Delete(o.attributes);
	free(o.writer);
	free(o.events);
	free(o.total);
	tape_export_close(o.x);
	return TAPE_DONE;
}
