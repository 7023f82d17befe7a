/* Record and replay of the order of a PVM program; see pvm_order.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flows.h"
#include "handlers.h"
#include "message.h"
#include "order_course.h"
#include "order_read.h"
#include "order_write.h"
#include "own_stack.h"
#include "pvm_order.h"
#include "task_names.h"

static int records, replays;

/* The tasks of the trace that is replayed, and of this run. */
static struct tape_pvm_names recorded, running;

/* The message that a replay waits for; tid 0: not known yet, or no task. */
static struct {
	int tid, tag;
	const char *name; /* of the sender, or NULL: it has none */
} wanted;

/* A call in progress whose result chance decides. */
struct turn {
	unsigned call;
	int tid, tag;
	int is_any;  /* the sender is decided, too */
	int is_poll; /* the call may fail */
	int has_waited;
};

/* ---- the matching functions ---- */

static int match_nothing(int mid, int tid, int tag)
{
	(void)mid, (void)tid, (void)tag;
	return 0;
}

static int match_wanted(int mid, int tid, int tag)
{
	struct pvmminfo m;

	if (TAPE_REAL(pvm_getminfo)(mid, &m) < 0 || m.tag != wanted.tag)
		return 0;
	if (wanted.name ? m.src != wanted.tid
			: tape_pvm_find_tid(&running, m.src) != NULL)
		return 0;
	return tape_pvm_match_as_program(mid, tid, tag);
}

/* ---- replay ---- */

static const char *name_call(unsigned call)
{
	switch (call) {
	case TAPE_CALL_pvm_recv:
		return "pvm_recv";
	case TAPE_CALL_pvm_trecv:
		return "pvm_trecv";
	case TAPE_CALL_pvm_nrecv:
		return "pvm_nrecv";
	case TAPE_CALL_pvm_probe:
		return "pvm_probe";
	case TAPE_CALL_pvm_joingroup:
		return "pvm_joingroup";
	case TAPE_CALL_pvm_recvinfo:
		return "pvm_recvinfo";
	}
	return "another call";
}

static void name_source(int32_t tid, char *to, size_t n)
{
	const struct tape_pvm_named *t = tape_pvm_find_tid(&recorded, tid);

	if (t)
		snprintf(to, n, "task %s", t->name);
	else
		snprintf(to, n, "a task without a name");
}

static const struct tape_order_words words = {.call_name = name_call,
					      .name_source = name_source,
					      .last_call = "pvm_exit"};

/* Finds the sender in this run. Returns 0 while it has not enrolled. */
static int find_sender(void)
{
	const struct tape_pvm_named *t;

	if (wanted.tid > 0)
		return 1;
	tape_pvm_read_names(&running, tape_process.dir);
	if (!wanted.name)
		return 1;
	t = tape_pvm_find_name(&running, wanted.name);
	if (t)
		wanted.tid = t->tid;
	return t != NULL;
}

/* A pause of a wait, in microseconds, which input ends. */
enum { PAUSE_US = 1000 };

/* Waits for the message of the turn. Returns 1 if it is there, 0 if not. */
static int await_message(struct turn *t, int is_known)
{
	struct tape_order_patience w = {0};

	do {
		/* an error is reported by the call itself */
		if ((is_known || find_sender()) &&
		    tape_pvm_probe_quietly(t->tid, t->tag))
			return 1;
		if (tape_pvm_await_input(0))
			continue;
		t->has_waited = 1;
		tape_pvm_await_input(PAUSE_US);
	} while (!tape_order_give_up(&w, t->call));
	return 0;
}

static enum tape_order_kind find_kind(const struct turn *t)
{
	return !t->is_poll ? TAPE_DECISION_RECEIVED
	       : t->is_any ? TAPE_DECISION_FOUND
			   : TAPE_DECISION_TRUE;
}

static void depart_by_tag(const struct tape_order_decision *d, int tag)
{
	char expected[160], got[32];

	snprintf(got, sizeof got, "tag %d", tag);
	tape_order_depart(tape_order_describe(d, expected, sizeof expected),
			  got);
}

/* Has the library take the recorded message, and waits until it is there. */
static void await_decided(struct turn *t, const struct tape_order_decision *d)
{
	const struct tape_pvm_named *from;

	if (!t->is_any) {
		if (await_message(t, 1))
			tape_order_advance();
		return;
	}
	if (t->tag != -1 && t->tag != d->tag && !tape_pvm_matching) {
		depart_by_tag(d, t->tag);
		return;
	}
	from = tape_pvm_find_tid(&recorded, d->source);
	wanted.tid = 0;
	wanted.tag = d->tag;
	wanted.name = from ? from->name : NULL;
	tape_pvm_begin_match(match_wanted);
	if (await_message(t, 0))
		tape_order_advance();
	else
		tape_pvm_end_match();
}

static int is_own_order(void)
{
	return tape_pvm_inside.handling || !tape_order_is_thread() ||
	       tape_is_child();
}

/* The library may do what the record says from here on. */
static void begin_turn(struct turn *t)
{
	unsigned kinds = TAPE_DECISION_BIT(find_kind(t));
	const struct tape_order_decision *d;
	int e = errno;

	if (!replays || is_own_order())
		return;
	if (t->is_poll && tape_order_take_failure(t->call, kinds))
		tape_pvm_begin_match(match_nothing);
	else if ((d = tape_order_follow(t->call, kinds)))
		await_decided(t, d);
	errno = e;
}

/* ---- record ---- */

static void record_message(const struct turn *t, int buffer)
{
	struct tape_order_decision d = {.kind = find_kind(t), .call = t->call};
	int bytes, tag = 0, source = 0;

	TAPE_REAL(pvm_bufinfo)(buffer, &bytes, &tag, &source);
	d.source = source;
	d.tag = tag;
	tape_order_append(&d, NULL, 0);
}

/* rc: what the call returned. */
static void end_turn(const struct turn *t, int rc)
{
	int e = errno;

	if (is_own_order())
		return;
	tape_pvm_end_match();
	if (records && rc > 0)
		record_message(t, rc);
	else if (records && !rc && t->is_poll)
		tape_order_append_failure(t->call);
	errno = e;
}

/* ---- calls ---- */

int tape_pvm_receive_in_order(const struct tape_flow *f, unsigned call, int tid,
			      int tag, struct timeval *limit, uint32_t *arrived)
{
	struct turn t = {.call = call,
			 .tid = tid,
			 .tag = tag,
			 .is_any = tid == -1 || tape_pvm_matching,
			 .is_poll = limit != NULL};
	int rc = 0;

	begin_turn(&t);
	*arrived = t.has_waited ? 0 : 2;
	if (!t.has_waited && f && tape_pvm_can_try(f, tid, tag)) {
		rc = tape_pvm_try(name_call(call), tid, tag);
		*arrived = rc > 0;
	}
	if (!rc)
		rc = call == TAPE_CALL_pvm_recv
			 ? TAPE_REAL(pvm_recv)(tid, tag)
			 : TAPE_REAL(pvm_trecv)(tid, tag, limit);
	end_turn(&t, rc);
	return rc;
}

int tape_pvm_poll_in_order(unsigned call, int tid, int tag)
{
	struct turn t = {.call = call,
			 .tid = tid,
			 .tag = tag,
			 .is_any = tid == -1 || tape_pvm_matching,
			 .is_poll = 1};
	int rc;

	begin_turn(&t);
	rc = call == TAPE_CALL_pvm_nrecv ? TAPE_REAL(pvm_nrecv)(tid, tag)
					 : TAPE_REAL(pvm_probe)(tid, tag);
	end_turn(&t, rc);
	return rc;
}

/* ---- groups: the lowest free instance is given ---- */

/* Waits until all instances below are taken. */
static int await_instance(char *name, int instance)
{
	struct tape_order_patience w = {0};
	int i = 0, said = pvmautoerr, error = pvm_errno;

	pvmautoerr = 0;
	while (i < instance) {
		if (TAPE_REAL(pvm_gettid)(name, i) >= 0) {
			i++;
			continue;
		}
		tape_pvm_await_input(PAUSE_US);
		if (tape_order_give_up(&w, TAPE_CALL_pvm_joingroup))
			break;
	}
	pvmautoerr = said;
	pvm_errno = error;
	return i == instance;
}

/* Returns the recorded instance, or -1 if the call goes its own way. */
static int find_instance(void)
{
	const struct tape_order_decision *d = tape_order_follow(
	    TAPE_CALL_pvm_joingroup, TAPE_DECISION_BIT(TAPE_DECISION_ANY));

	if (!d)
		return -1;
	if (!d->number) /* an error */
		tape_order_advance();
	return (int)d->number - 1;
}

static void check_instance(int expected, int got)
{
	char text[2][48];

	if (expected == got) {
		tape_order_advance();
		return;
	}
	snprintf(text[0], sizeof *text, "instance %d of pvm_joingroup",
		 expected);
	snprintf(text[1], sizeof *text, "%d", got);
	tape_order_depart(text[0], text[1]);
}

int tape_pvm_join_in_order(char *name)
{
	struct tape_order_decision d = {.kind = TAPE_DECISION_ANY,
					.call = TAPE_CALL_pvm_joingroup};
	int expected = -1, rc, e = errno;

	if (is_own_order())
		return TAPE_REAL(pvm_joingroup)(name);
	if (replays && name && (expected = find_instance()) >= 0 &&
	    !await_instance(name, expected))
		expected = -1;
	errno = e;
	rc = TAPE_REAL(pvm_joingroup)(name);
	e = errno;
	if (expected >= 0)
		check_instance(expected, rc);
	d.number = rc < 0 ? 0 : (uint64_t)rc + 1;
	if (records)
		tape_order_append(&d, NULL, 0);
	errno = e;
	return rc;
}

/* ---- mailboxes ---- */

/* No mailbox has this name. */
#define NO_MAILBOX "#tape#none"

int tape_pvm_is_polled_mailbox(const char *name, int flags)
{
	return name && *name != '#' && strcmp(name, "pvmgs") != 0 &&
	       !(flags & PvmMboxWaitForInfo);
}

/* Asks until the mailbox is there: the record has it. */
static int await_mailbox(char *name, int index, int flags)
{
	struct tape_order_patience w = {0};
	int rc;

	while ((rc = TAPE_REAL(pvm_recvinfo)(name, index, flags)) ==
	       PvmNotFound) {
		tape_pvm_await_input(PAUSE_US);
		if (tape_order_give_up(&w, TAPE_CALL_pvm_recvinfo))
			return rc;
	}
	tape_order_advance();
	return rc;
}

int tape_pvm_recvinfo_in_order(char *name, int index, int flags)
{
	const unsigned call = TAPE_CALL_pvm_recvinfo;
	const unsigned kinds = TAPE_DECISION_BIT(TAPE_DECISION_TRUE);
	struct tape_order_decision d = {.kind = TAPE_DECISION_TRUE,
					.call = call};
	int rc, is_own = is_own_order();

	if (replays && !is_own && tape_order_take_failure(call, kinds))
		rc = TAPE_REAL(pvm_recvinfo)(NO_MAILBOX, 0, PvmMboxDefault);
	else if (replays && !is_own && tape_order_follow(call, kinds))
		rc = await_mailbox(name, index, flags);
	else
		rc = TAPE_REAL(pvm_recvinfo)(name, index, flags);
	if (records && !is_own && rc == PvmNotFound)
		tape_order_append_failure(call);
	else if (records && !is_own && rc > 0)
		tape_order_append(&d, NULL, 0);
	return rc;
}

/* ---- start and end ---- */

TAPE_ON_OWN_STACK

int tape_pvm_wants_order(void)
{
	const struct tape_config *c = &tape_process.config;

	return *c->replay || c->record != TAPE_RECORD_EVENTS;
}

/* Returns 1 if the record of that task is there; else error has a sentence. */
static int find_record(const char *name, char *error, size_t n)
{
	const char *dir = tape_process.config.replay;
	const struct tape_pvm_named *t;

	tape_pvm_read_names(&recorded, dir);
	t = name ? tape_pvm_find_name(&recorded, name) : NULL;
	if (t)
		return !tape_order_open(dir, t->rank, error, n);
	snprintf(error, n, "%.800s has no order of task %.200s", dir,
		 name ? name : "without a name");
	return 0;
}

static void start_replay(const char *name)
{
	char error[1200];

	replays = find_record(name, error, sizeof error);
	if (replays)
		tape_order_begin_course(&words);
	else
		tape_say("rank %d: %s; it runs in its own order",
			 tape_process.rank, error);
}

static void start_record(void)
{
	records = !tape_order_create();
	if (!records)
		tape_say("rank %d: cannot record its order: %s",
			 tape_process.rank, strerror(errno));
}

/* A task may end without pvm_exit. */
static void stop_at_exit(int status, void *unused)
{
	(void)status, (void)unused;
	if (tape_process.pid == getpid())
		tape_pvm_stop_order();
}

void tape_pvm_start_order(const char *name)
{
	static int is_hooked;
	const struct tape_config *c = &tape_process.config;

	if (!tape_pvm_wants_order())
		return;
	tape_order_choose_thread();
	if (*c->replay)
		start_replay(name);
	if (c->record != TAPE_RECORD_EVENTS)
		start_record();
	tape_pvm_is_ordered = records || replays;
	if (!is_hooked)
		is_hooked = !on_exit(stop_at_exit, NULL);
}

static void stop_order(void *unused)
{
	(void)unused;
	if (replays)
		tape_order_end_course();
	if (records)
		tape_order_close(0);
	replays = records = tape_pvm_is_ordered = 0;
}

void tape_pvm_stop_order(void)
{
	if (tape_pvm_is_ordered)
		tape_run_on_own_stack(stop_order, NULL);
}
TAPE_ON_OWN_STACK_END
