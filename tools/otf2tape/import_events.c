/* Passes OTF2's events to flows; see import_events.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "import_events.h"
#include "tool.h"

struct reading {
	const struct archive *a;
	struct shared shared;
	struct flow **flows;
	struct tape_table at; /* by location: its flow's number */
	char function[512], file[512];
};

static struct flow *find_location_flow(struct reading *r,
				       OTF2_LocationRef location)
{
	const uint64_t *n = tape_table_find(&r->at, ref_key(location));

	if (!n)
		tape_die(TAPE_FAILED,
			 "%s: an event of location %llu is among "
			 "those of rank %d",
			 r->a->anchor, (unsigned long long)location,
			 r->shared.rank->number);
	return r->flows[*n];
}

static int64_t time_to_ns(const struct reading *r, OTF2_TimeStamp t)
{
	uint64_t hz = r->a->d->ticks_per_s, s = t / hz;

	if (s > INT64_MAX / 1000000000 / 2)
		tape_die(TAPE_FAILED, "%s: rank %d: a time of %llu s",
			 r->a->anchor, r->shared.rank->number,
			 (unsigned long long)s);
	return (int64_t)(s * 1000000000 +
			 (uint64_t)((double)(t % hz) * 1e9 / (double)hz));
}

/* ---- call sites ---- */

/* Splits "function (file:line)" or "file:line" into its parts. */
static void split_place(struct reading *r, const char *text, struct place *p)
{
	const char *open = strstr(text, " ("), *colon = strrchr(text, ':');
	const char *from = open ? open + 2 : text;
	const char *end;
	int64_t line;

	if (!colon || colon < from || !isdigit((unsigned char)colon[1]) ||
	    tape_parse_whole(colon + 1, 0, INT32_MAX, &line, &end) ||
	    strcmp(end, open ? ")" : ""))
		return;
	snprintf(r->function, sizeof r->function, "%.*s",
		 open ? (int)(open - text) : 0, text);
	snprintf(r->file, sizeof r->file, "%.*s", (int)(colon - from), from);
	p->function = r->function;
	p->file = r->file;
	p->line = (int)line;
}

/* Returns the call site of a call: from t2otf2's attribute, or its region. */
static struct place region_place(struct reading *r, const struct region *region,
				 const OTF2_AttributeList *list)
{
	const struct definitions *d = r->a->d;
	struct place p = {0, "", "", 0};
	OTF2_StringRef s;

	if (!region->call)
		return p;
	if (d->site != OTF2_UNDEFINED_ATTRIBUTE &&
	    !OTF2_AttributeList_GetStringRef(list, d->site, &s)) {
		p.key = 2 * ((uint64_t)s + 1);
		split_place(r, definitions_string(d, s), &p);
	} else if (region->line && region->line <= INT32_MAX) {
		p.key = 2 * (uint64_t)region->ref + 1;
		p.file = definitions_string(d, region->file);
		p.line = (int)region->line;
	}
	return p;
}

/* ---- callbacks ---- */

static OTF2_CallbackCode on_enter(OTF2_LocationRef location,
				  OTF2_TimeStamp time, void *own,
				  OTF2_AttributeList *list, OTF2_RegionRef ref)
{
	struct reading *r = own;
	const struct region *region = definitions_region(r->a->d, ref);
	struct place place;

	if (!region) {
		r->shared.losses->undefined++;
		return OTF2_CALLBACK_SUCCESS;
	}
	place = region_place(r, region, list);
	flow_enter(find_location_flow(r, location), time_to_ns(r, time), region,
		   &place);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location,
				  OTF2_TimeStamp time, void *own,
				  OTF2_AttributeList *list, OTF2_RegionRef ref)
{
	struct reading *r = own;
	const struct region *region = definitions_region(r->a->d, ref);

	(void)list;
	if (region)
		flow_leave(find_location_flow(r, location), time_to_ns(r, time),
			   region);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recording(OTF2_LocationRef location,
				      OTF2_TimeStamp time, void *own,
				      OTF2_AttributeList *list,
				      OTF2_MeasurementMode mode)
{
	struct reading *r = own;

	(void)list;
	flow_switch_recording(find_location_flow(r, location),
			      time_to_ns(r, time), mode == OTF2_MEASUREMENT_ON);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time,
				 void *own, OTF2_AttributeList *list,
				 uint32_t peer, OTF2_CommRef comm, uint32_t tag,
				 uint64_t bytes)
{
	struct message m = {comm, peer, tag, bytes};
	struct reading *r = own;

	(void)list;
	flow_send(find_location_flow(r, location), time_to_ns(r, time), &m);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time,
				 void *own, OTF2_AttributeList *list,
				 uint32_t peer, OTF2_CommRef comm, uint32_t tag,
				 uint64_t bytes)
{
	struct message m = {comm, peer, tag, bytes};
	struct reading *r = own;

	(void)list;
	flow_recv(find_location_flow(r, location), time_to_ns(r, time), &m);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location,
				  OTF2_TimeStamp time, void *own,
				  OTF2_AttributeList *list, uint32_t peer,
				  OTF2_CommRef comm, uint32_t tag,
				  uint64_t bytes, uint64_t request)
{
	struct message m = {comm, peer, tag, bytes};
	struct reading *r = own;

	(void)list;
	flow_isend(find_location_flow(r, location), time_to_ns(r, time), &m,
		   request);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend_complete(OTF2_LocationRef location,
					   OTF2_TimeStamp time, void *own,
					   OTF2_AttributeList *list,
					   uint64_t request)
{
	struct reading *r = own;

	(void)list;
	flow_complete(find_location_flow(r, location), time_to_ns(r, time),
		      request, NULL);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location,
					  OTF2_TimeStamp time, void *own,
					  OTF2_AttributeList *list,
					  uint64_t request)
{
	struct reading *r = own;

	(void)list;
	flow_irecv(find_location_flow(r, location), time_to_ns(r, time),
		   request);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location,
				  OTF2_TimeStamp time, void *own,
				  OTF2_AttributeList *list, uint32_t peer,
				  OTF2_CommRef comm, uint32_t tag,
				  uint64_t bytes, uint64_t request)
{
	struct message m = {comm, peer, tag, bytes};
	struct reading *r = own;

	(void)list;
	flow_complete(find_location_flow(r, location), time_to_ns(r, time),
		      request, &m);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_test(OTF2_LocationRef location, OTF2_TimeStamp time,
				 void *own, OTF2_AttributeList *list,
				 uint64_t request)
{
	(void)time;
	(void)list;
	(void)request;
	flow_add_failed_test(find_location_flow(own, location));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location,
				      OTF2_TimeStamp time, void *own,
				      OTF2_AttributeList *list,
				      uint64_t request)
{
	struct reading *r = own;

	(void)list;
	flow_cancel(find_location_flow(r, location), time_to_ns(r, time),
		    request);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_begin(OTF2_LocationRef location,
					     OTF2_TimeStamp time, void *own,
					     OTF2_AttributeList *list)
{
	struct reading *r = own;

	(void)list;
	flow_collective_begin(find_location_flow(r, location),
			      time_to_ns(r, time));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_collective(OTF2_LocationRef location, OTF2_TimeStamp time, void *own,
	      OTF2_AttributeList *list, OTF2_CollectiveOp op, OTF2_CommRef comm,
	      uint32_t root, uint64_t sent, uint64_t received)
{
	struct collective c = {op, comm, root, sent, received};
	struct reading *r = own;

	(void)list;
	flow_collective(find_location_flow(r, location), time_to_ns(r, time),
			&c);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, void *own,
	  OTF2_AttributeList *list, OTF2_MetricRef metric, uint8_t n,
	  const OTF2_Type *types, const OTF2_MetricValue *values)
{
	struct reading *r = own;
	const struct definitions *d = r->a->d;
	const struct metric_class *c =
	    tape_table_find(&d->metric_classes, ref_key(metric));
	const struct metric *m;

	(void)time;
	(void)list;
	for (uint8_t i = 0; c && i < n && i < c->n; i++) {
		m = tape_table_find(&d->metrics, ref_key(c->members[i]));
		if (m && m->counter >= 0 &&
		    (types[i] == OTF2_TYPE_INT64 ||
		     types[i] == OTF2_TYPE_UINT64))
			flow_counter(find_location_flow(r, location),
				     (uint32_t)m->counter,
				     values[i].signed_int);
	}
	return OTF2_CALLBACK_SUCCESS;
}

#if OTF2_VERSION_MAJOR >= 3
static OTF2_CallbackCode on_icoll(OTF2_LocationRef location,
				  OTF2_TimeStamp time, void *own,
				  OTF2_AttributeList *list, uint64_t request)
{
	struct reading *r = own;

	(void)list;
	flow_icoll(find_location_flow(r, location), time_to_ns(r, time),
		   request);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_icoll_done(OTF2_LocationRef location, OTF2_TimeStamp time, void *own,
	      OTF2_AttributeList *list, OTF2_CollectiveOp op, OTF2_CommRef comm,
	      uint32_t root, uint64_t sent, uint64_t received, uint64_t request)
{
	(void)op;
	(void)comm;
	(void)root;
	(void)sent;
	(void)received;
	return on_isend_complete(location, time, own, list, request);
}
#endif

static OTF2_GlobalEvtReaderCallbacks *new_event_callbacks(void)
{
	OTF2_GlobalEvtReaderCallbacks *c =
	    tape_must(OTF2_GlobalEvtReaderCallbacks_New());

#define ON(name, function)                                                     \
	OTF2_GlobalEvtReaderCallbacks_Set##name##Callback(c, function)
	ON(Enter, on_enter);
	ON(Leave, on_leave);
	ON(MeasurementOnOff, on_recording);
	ON(MpiSend, on_send);
	ON(MpiRecv, on_recv);
	ON(MpiIsend, on_isend);
	ON(MpiIsendComplete, on_isend_complete);
	ON(MpiIrecvRequest, on_irecv_request);
	ON(MpiIrecv, on_irecv);
	ON(MpiRequestTest, on_test);
	ON(MpiRequestCancelled, on_cancelled);
	ON(MpiCollectiveBegin, on_collective_begin);
	ON(MpiCollectiveEnd, on_collective);
	ON(Metric, on_metric);
#if OTF2_VERSION_MAJOR >= 3
	ON(NonBlockingCollectiveRequest, on_icoll);
	ON(NonBlockingCollectiveComplete, on_icoll_done);
#endif
#undef ON
	return c;
}

void import_rank_events(const struct archive *a, const struct world *w,
			struct rank *rank, struct losses *losses)
{
	const struct location **list = w->flow + w->first_flow[rank->number];
	size_t n =
	    w->first_flow[rank->number + 1] - w->first_flow[rank->number];
	OTF2_GlobalEvtReaderCallbacks *c = new_event_callbacks();
	struct reading r = {.a = a, .shared = {rank, NULL, {0}, losses}};

	r.flows = calloc(n, sizeof(struct flow *));
	r.at.bytes = sizeof(uint64_t);
	r.shared.requests.bytes = sizeof(uint64_t);
	r.shared.look_ahead = look_ahead_read(a, list, n);
	for (size_t i = 0; r.flows && i < n; i++) {
		uint64_t *at =
		    tape_must(tape_table_get(&r.at, ref_key(list[i]->ref)));

		*at = i;
		r.flows[i] = flow_open(&r.shared, list[i]->thread);
	}
	if (!r.flows)
		tape_die_no_memory();
	archive_read_events(a, list, n, c, &r);
	for (size_t i = 0; i < n; i++)
		flow_close(r.flows[i]);
	look_ahead_free(r.shared.look_ahead);
	tape_table_free(&r.shared.requests);
	tape_table_free(&r.at);
	free(r.flows);
	OTF2_GlobalEvtReaderCallbacks_Delete(c);
}
