/* Looks ahead for nonblocking operations; see look_ahead.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "look_ahead.h"
#include "tool.h"

enum { BLOCK = 2048 };

struct look_ahead {
	FILE *file;             /* operations in the order they begin */
	struct tape_table open; /* by request: number of its operation + 1 */
	uint64_t begun, next;   /* number of operations; next to be read */
	struct look_ahead_op block[BLOCK]; /* that of number next */
};

static __attribute__((noreturn)) void die_of_file_error(void)
{
	tape_die(TAPE_FAILED, "a temporary file: %s", strerror(errno));
}

/* ---- the first pass ---- */

static OTF2_CallbackCode add_open_request(struct look_ahead *p,
					  uint64_t request)
{
	uint64_t *number =
	    tape_must(tape_table_get(&p->open, ref_key(request)));

	*number = ++p->begun;
	return OTF2_CALLBACK_SUCCESS;
}

/* An operation that never completes is a hole in the file: zeros. */
static OTF2_CallbackCode store_operation(struct look_ahead *p, uint64_t request,
					 const struct look_ahead_op *op)
{
	const uint64_t *number = tape_table_find(&p->open, ref_key(request));

	if (!number)
		return OTF2_CALLBACK_SUCCESS;
	if (op && pwrite(fileno(p->file), op, sizeof *op,
			 (off_t)((*number - 1) * sizeof *op)) != sizeof *op)
		die_of_file_error();
	tape_table_drop(&p->open, ref_key(request));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_request(OTF2_LocationRef location,
				    OTF2_TimeStamp time, void *own,
				    OTF2_AttributeList *list, uint64_t request)
{
	(void)location;
	(void)time;
	(void)list;
	return add_open_request(own, request);
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location,
				  OTF2_TimeStamp time, void *own,
				  OTF2_AttributeList *list, uint32_t peer,
				  OTF2_CommRef comm, uint32_t tag,
				  uint64_t bytes, uint64_t request)
{
	struct look_ahead_op op = {bytes, bytes, comm, peer, tag, 1};

	(void)location;
	(void)time;
	(void)list;
	return store_operation(own, request, &op);
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location,
				      OTF2_TimeStamp time, void *own,
				      OTF2_AttributeList *list,
				      uint64_t request)
{
	(void)location;
	(void)time;
	(void)list;
	return store_operation(own, request, NULL);
}

#if OTF2_VERSION_MAJOR >= 3
static OTF2_CallbackCode
on_collective(OTF2_LocationRef location, OTF2_TimeStamp time, void *own,
	      OTF2_AttributeList *list, OTF2_CollectiveOp what,
	      OTF2_CommRef comm, uint32_t root, uint64_t sent,
	      uint64_t received, uint64_t request)
{
	struct look_ahead_op op = {sent, received, comm, root, 0, 1};

	(void)location;
	(void)time;
	(void)list;
	(void)what;
	return store_operation(own, request, &op);
}
#endif

static OTF2_GlobalEvtReaderCallbacks *new_request_callbacks(void)
{
	OTF2_GlobalEvtReaderCallbacks *c =
	    tape_must(OTF2_GlobalEvtReaderCallbacks_New());

	OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_request);
	OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
	OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(
	    c, on_cancelled);
#if OTF2_VERSION_MAJOR >= 3
	OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
	    c, on_request);
	OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
	    c, on_collective);
#endif
	return c;
}

struct look_ahead *look_ahead_read(const struct archive *a,
				   const struct location *const *list, size_t n)
{
	struct look_ahead *p = tape_must(calloc(1, sizeof *p));
	OTF2_GlobalEvtReaderCallbacks *c = new_request_callbacks();

	p->open.bytes = sizeof(uint64_t);
	p->file = tmpfile();
	if (!p->file)
		die_of_file_error();
	archive_read_events(a, list, n, c, p);
	OTF2_GlobalEvtReaderCallbacks_Delete(c);
	if (ftruncate(fileno(p->file),
		      (off_t)(p->begun * sizeof(struct look_ahead_op))))
		die_of_file_error();
	return p;
}

void look_ahead_free(struct look_ahead *p)
{
	fclose(p->file);
	tape_table_free(&p->open);
	free(p);
}

/* ---- the second pass ---- */

struct look_ahead_op look_ahead_next(struct look_ahead *p)
{
	size_t at = p->next % BLOCK;
	ssize_t got;

	if (p->next >= p->begun)
		return (struct look_ahead_op){0};
	if (!at) {
		memset(p->block, 0, sizeof p->block);
		got = pread(fileno(p->file), p->block, sizeof p->block,
			    (off_t)(p->next * sizeof *p->block));
		if (got < 0)
			die_of_file_error();
	}
	p->next++;
	return p->block[at];
}
