/*
 * What an event does with messages: each form of MPI as operations. The trace
 * is only definitions; events are made here.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops.h"
#include "tap.h"

/* What a tool keeps with something that is pending. */
struct kept {
	uint64_t slot;
};

static struct kept *kept_of(const struct tape_op *op)
{
	return (struct kept *)(op->r + 1);
}

static char dir[] = "/tmp/tape-ops-XXXXXX";
static struct tape_ops *ops;
static struct tape_op *list;
static struct tape_done done_list[4];
static uint64_t created;

static void put_file(const char *name, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/* Two ranks; communicator 2 numbers them the other way round. */
static struct tape_trace *make_trace(void)
{
	struct tape_trace *t;

	if (!mkdtemp(dir))
		exit(1);
	put_file("meta", "tape-trace 1\nprogram x\nranks 2\nbase global\n"
			 "domain 0 d h\nclock 0 0 0 1 0 0\n");
	put_file("rank.0", "tape-rank 1\nrank 0\nhost h\npid 1\ndomain 0\n"
			   "comm 1 1 2 0 world\ncomm 2 abc 2 1 turned\n"
			   "sources 2 0 1\ncomm 3 de 1 0 inter\n"
			   "inter 3 0 1\ngroup 1 1\ngroup 2 1 0\n");
	put_file("rank.1", "tape-rank 1\nrank 1\nhost h\npid 2\ndomain 0\n"
			   "comm 1 1 2 1 world\ncomm 2 abc 2 0 turned\n"
			   "comm 3 de 1 0 inter\ninter 3 1 1\n");
	if (tape_trace_open(dir, &t)) {
		printf("# %s\n", tape_trace_error(t));
		exit(1);
	}
	return t;
}

static void remove_trace(void)
{
	static const char *const names[] = { "meta", "rank.0", "rank.1" };
	char path[64];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static struct tape_event event(unsigned call)
{
	struct tape_event e = { .call = (uint16_t)call, .polls = 1,
				.done = done_list };

	e.class_ = (uint16_t)tape_call_class(call);
	return e;
}

/* The operations of e as letters, one each. */
static const char *does(struct tape_event *e)
{
	static const char letters[] = {
		[TAPE_OP_SEND] = 's', [TAPE_OP_POST] = 'p',
		[TAPE_OP_RECV_END] = 'R', [TAPE_OP_SEND_END] = 'S',
		[TAPE_OP_PROBE] = '?', [TAPE_OP_ENTER] = 'e',
		[TAPE_OP_LEAVE] = 'L', [TAPE_OP_CANCEL] = 'x',
		[TAPE_OP_OPEN] = 'o', [TAPE_OP_GONE] = 'g',
		[TAPE_OP_TELL] = 't', [TAPE_OP_HEAR] = 'h' };
	static char word[16];
	int n;

	if (tape_event_creates(e->class_, &e->u))
		e->request = ++created;
	n = tape_ops_of(ops, e, &list);
	for (int i = 0; i < n && i < 15; i++)
		word[i] = letters[list[i].kind];
	word[n < 0 ? 0 : n < 15 ? n : 15] = '\0';
	return n < 0 ? "error" : word;
}

static int is(struct tape_event *e, const char *what)
{
	const char *got = does(e);

	if (!strcmp(got, what))
		return 1;
	printf("# %s: \"%s\", not \"%s\"\n", tape_call_name(e->call), got,
	       what);
	return 0;
}

static int key_is(const struct tape_match_key *k, uint64_t comm, int src,
		  int dst, int tag)
{
	return k->comm == comm && k->src == src && k->dst == dst &&
	       k->tag == tag;
}

/* An event that completes requests, receives as from rank 1 with tag 5. */
static struct tape_event completes(unsigned call, int n, const uint64_t *r,
				   enum tape_done_kind kind)
{
	struct tape_event e = event(call);

	for (int i = 0; i < n; i++)
		done_list[i] = (struct tape_done){ .request = r[i],
						   .kind = kind, .peer = 1,
						   .tag = 5, .bytes = 64,
						   .arrived = 1 };
	e.n_done = (uint32_t)n;
	if (e.class_ == TAPE_CLASS_TEST)
		e.u.test.flag = 1;
	return e;
}

static uint64_t isend(unsigned call, const char *expected)
{
	struct tape_event e = event(call);

	e.u.isend = (struct tape_isend){ .peer = 1, .tag = 5, .bytes = 32,
					 .comm = 1 };
	ok(is(&e, expected), "%s", tape_call_name(call));
	return created;
}

static uint64_t irecv(unsigned call, int peer, int tag, const char *expected)
{
	struct tape_event e = event(call);

	e.u.irecv = (struct tape_irecv){ .peer = peer, .tag = tag, .bytes = 99,
					 .comm = 1 };
	ok(is(&e, expected), "%s from %d, tag %d", tape_call_name(call), peer,
	   tag);
	return created;
}

static void blocking(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Send);

	e.u.send = (struct tape_send){ .peer = 0, .tag = 5, .bytes = 32,
				       .comm = 2 };
	ok(is(&e, "sS") && key_is(&list[0].key, 0xabc, 1, 0, 5) &&
		   list[0].r->from == 0 && list[0].r->to == 1 &&
		   list[0].bytes == 32 && list[0].blocking,
	   "a send begins and ends; ranks of the world are known, too");
	e.u.send.peer = TAPE_PROC_NULL;
	ok(is(&e, ""), "to nobody: nothing");
	e.u.send.peer = 2;
	ok(is(&e, "sS") && list[0].r->to == -1,
	   "to a rank that left no trace: sent all the same");
	e.u.send.peer = 0, e.u.send.comm = 0;
	ok(is(&e, ""), "in no communicator: nothing");
	e = event(TAPE_CALL_MPI_Recv);
	e.u.recv = (struct tape_recv){ .peer = TAPE_ANY_SOURCE,
				       .tag = TAPE_ANY_TAG, .actual_peer = 1,
				       .actual_tag = 6, .comm = 1, .bytes = 8,
				       .arrived = 1 };
	ok(is(&e, "pR") && key_is(&list[0].key, 1, 1, 0, 6) &&
		   list[1].bytes == 8 && list[1].arrived == 1,
	   "a receive from anybody is what it turned out to be");
	e = event(TAPE_CALL_MPI_Sendrecv);
	e.u.sendrecv = (struct tape_sendrecv){
		.peer = 1, .tag = 1, .bytes = 10, .comm = 1, .rpeer = 1,
		.rtag = 2, .actual_peer = 1, .actual_tag = 2, .rbytes = 20,
		.arrived = 0 };
	ok(is(&e, "spRS") && key_is(&list[0].key, 1, 0, 1, 1) &&
		   key_is(&list[2].key, 1, 1, 0, 2) && !list[0].blocking &&
		   list[2].bytes == 20,
	   "sendrecv: both");
	e.u.sendrecv.actual_peer = TAPE_PROC_NULL;
	ok(is(&e, "sS"), "sendrecv from nobody: the send");
	e.u.sendrecv.peer = TAPE_PROC_NULL, e.u.sendrecv.actual_peer = 1;
	ok(is(&e, "pR"), "sendrecv to nobody: the receive");
}

static void test_requests(void)
{
	uint64_t r[3];
	struct tape_event e;

	r[0] = isend(TAPE_CALL_MPI_Isend, "s");
	r[1] = irecv(TAPE_CALL_MPI_Irecv, 1, 5, "p");
	r[2] = irecv(TAPE_CALL_MPI_Irecv, TAPE_ANY_SOURCE, 5, "o");
	e = completes(TAPE_CALL_MPI_Waitall, 3, r, TAPE_DONE_RECV);
	done_list[0].kind = TAPE_DONE_REQUEST;
	ok(is(&e, "SRpR") && list[1].bytes == 64 && list[1].arrived == 1 &&
		   key_is(&list[3].key, 1, 1, 0, 5) &&
		   list[3].r->number == r[2],
	   "waitall: a wildcard is posted where it is known");
	ok(is(&e, "") && tape_ops_unknown(ops) == 3,
	   "once more: three unknown requests");
	r[0] = irecv(TAPE_CALL_MPI_Irecv, 1, 5, "p");
	e = completes(TAPE_CALL_MPI_Test, 1, r, TAPE_DONE_CANCELLED);
	ok(is(&e, "x") && key_is(&list[0].key, 1, 1, 0, 5), "cancelled");
	r[0] = irecv(TAPE_CALL_MPI_Irecv, 1, TAPE_ANY_TAG, "o");
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_CANCELLED);
	ok(is(&e, "x") && !kept_of(&list[0])->slot,
	   "a wildcard cancelled: never posted");
	r[0] = irecv(TAPE_CALL_MPI_Irecv, TAPE_PROC_NULL, 5, "");
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_RECV);
	done_list[0].peer = TAPE_PROC_NULL;
	ok(is(&e, ""), "from nobody: nothing");
	r[0] = isend(TAPE_CALL_MPI_Isend, "s");
	e = completes(TAPE_CALL_MPI_Request_free, 1, r, TAPE_DONE_REQUEST);
	ok(is(&e, "S"), "a freed send is let go");
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_REQUEST);
	ok(is(&e, "") && tape_ops_unknown(ops) == 4, "and is gone");
}

static void persistent(void)
{
	uint64_t r[2];
	struct tape_event e;

	r[0] = isend(TAPE_CALL_MPI_Send_init, "");
	r[1] = irecv(TAPE_CALL_MPI_Recv_init, 1, 5, "");
	for (int i = 0; i < 2; i++) {
		e = completes(TAPE_CALL_MPI_Startall, 2, r, TAPE_DONE_REQUEST);
		ok(is(&e, "sp") && key_is(&list[0].key, 1, 0, 1, 5) &&
			   key_is(&list[1].key, 1, 1, 0, 5),
		   "start %d", i + 1);
		e = completes(TAPE_CALL_MPI_Waitall, 2, r, TAPE_DONE_RECV);
		done_list[0].kind = TAPE_DONE_REQUEST;
		ok(is(&e, "SR"), "end %d", i + 1);
	}
	r[0] = irecv(TAPE_CALL_MPI_Recv_init, TAPE_ANY_SOURCE, 5, "");
	for (int i = 0; i < 2; i++) {
		e = completes(TAPE_CALL_MPI_Start, 1, r, TAPE_DONE_REQUEST);
		ok(is(&e, "o"), "a wildcard starts %d", i + 1);
		e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_RECV);
		ok(is(&e, "pR"), "and ends %d", i + 1);
	}
}

/* Many events ahead: each time that it is started a request is another. */
static void ahead(const struct tape_trace *t)
{
	struct tape_ops *o = tape_ops_new(t, 0, NULL, sizeof(struct kept));
	struct tape_ops_list l = { 0 }, later = { 0 };
	struct tape_event init = event(TAPE_CALL_MPI_Send_init), e;
	uint64_t r[1] = { 1 };
	int n = 0, wrong = 0, kept = 0;

	init.u.isend = (struct tape_isend){ .peer = 1, .tag = 5, .bytes = 8,
					    .comm = 1 };
	init.request = 1;
	n += tape_ops_append(o, &init, &l);
	for (int i = 0; i < 3; i++) {
		e = completes(TAPE_CALL_MPI_Start, 1, r, TAPE_DONE_REQUEST);
		n += tape_ops_append(o, &e, &l);
		kept += kept_of(&l.op[l.n - 1])->slot != 0;
		kept_of(&l.op[l.n - 1])->slot = 7 + (uint32_t)i;
		e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_REQUEST);
		n += tape_ops_append(o, &e, &l);
	}
	ok(n == 6 && l.n == 6, "the operations of seven events in one list");
	for (int i = 0; i < 3; i++)
		wrong += l.op[2 * i].kind != TAPE_OP_SEND ||
			 l.op[2 * i + 1].kind != TAPE_OP_SEND_END ||
			 l.op[2 * i].r != l.op[2 * i + 1].r ||
			 kept_of(&l.op[2 * i])->slot != 7 + (uint32_t)i;
	ok(!wrong, "each send ends as what it began");
	/* which may be written by another thread when the next one begins */
	ok(!kept, "and has nothing that the tool keeps of the one before");
	e = completes(TAPE_CALL_MPI_Start, 1, r, TAPE_DONE_REQUEST);
	n = tape_ops_append(o, &e, &later);
	tape_ops_clear(o, &l);
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_REQUEST);
	n += tape_ops_append(o, &e, &l);
	ok(n == 2 && l.n == 1 && l.op[0].r == later.op[0].r,
	   "one list may be emptied before another");
	tape_ops_list_free(&l);
	tape_ops_list_free(&later);
	tape_ops_free(o);
}

static void probes(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Probe);
	uint64_t r[1];

	e.u.probe = (struct tape_probe){ .peer = -1, .tag = -1, .comm = 1,
					 .actual_peer = 1, .actual_tag = 5,
					 .bytes = 7, .arrived = 0 };
	ok(is(&e, "?") && key_is(&list[0].key, 1, 1, 0, 5) &&
		   !list[0].arrived && !list[0].r->posted, "probe");
	e = event(TAPE_CALL_MPI_Iprobe);
	e.u.iprobe = (struct tape_iprobe){ .peer = 1, .tag = 5, .comm = 1 };
	ok(is(&e, ""), "iprobe that fails");
	e.u.iprobe.flag = 1;
	e.u.iprobe.actual_peer = 1, e.u.iprobe.actual_tag = 5;
	ok(is(&e, "?") && list[0].arrived == 2, "iprobe that finds");
	e = event(TAPE_CALL_MPI_Mprobe);
	e.u.mprobe = (struct tape_mprobe){ .comm = 1, .actual_peer = 1,
					   .actual_tag = 5, .bytes = 7,
					   .arrived = 1 };
	ok(is(&e, "p?") && list[1].r->posted && list[1].arrived == 1,
	   "mprobe takes the message");
	r[0] = created;
	e = completes(TAPE_CALL_MPI_Mrecv, 1, r, TAPE_DONE_RECV);
	ok(is(&e, "R") && list[0].r->number == r[0], "mrecv ends it");
	e = event(TAPE_CALL_MPI_Improbe);
	e.u.improbe = (struct tape_improbe){ .comm = 1, .actual_peer = 1,
					     .actual_tag = 5 };
	r[0] = created;
	ok(is(&e, "") && created == r[0], "improbe that fails: no handle");
	e.u.improbe.flag = 1;
	ok(is(&e, "p?"), "improbe that finds");
	r[0] = created;
	kept_of(&list[0])->slot = 77; /* as a tool would */
	e = completes(TAPE_CALL_MPI_Imrecv, 1, r, TAPE_DONE_REQUEST);
	ok(is(&e, ""), "imrecv hands over to a request");
	r[0] = created;
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_RECV);
	ok(is(&e, "R") && kept_of(&list[0])->slot == 77, "whose end it is");
}

static void collectives(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Bcast);
	uint64_t r[1], k;

	e.u.coll = (struct tape_coll){ .root = 1, .comm = 2 };
	ok(is(&e, "eL") && list[0].r->shape == TAPE_SHAPE_FROM &&
		   list[0].r->root == 1 && list[0].r->size == 2 &&
		   list[0].r->rank == 1 && list[0].key.comm == 0xabc,
	   "a collective is entered and left");
	k = list[0].r->k;
	ok(is(&e, "eL") && list[0].r->k == k + 1, "the next one");
	e.u.coll.comm = 1;
	ok(is(&e, "eL") && list[0].r->k == 0, "each communicator counts");
	e.u.coll.comm = 0;
	ok(is(&e, ""), "in no communicator: nothing");
	e = event(TAPE_CALL_MPI_Ibarrier);
	e.u.icoll = (struct tape_icoll){ .comm = 2 };
	ok(is(&e, "e") && list[0].r->k == k + 2 &&
		   list[0].r->shape == TAPE_SHAPE_ALL, "a non-blocking one");
	r[0] = created;
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_REQUEST);
	ok(is(&e, "L") && list[0].r->k == k + 2, "and its wait");
	e = event(TAPE_CALL_MPI_Comm_dup);
	e.u.comm_new = (struct tape_comm_new){ .comm = 1, .newcomm = 9 };
	ok(is(&e, "eL") && list[0].r->k == 1,
	   "a new communicator is made by all");
	e = event(TAPE_CALL_MPI_Type_size);
	ok(is(&e, ""), "a local call: nothing");
}

/* Between two groups, ranks count those of group 0 first. */
static void two_groups(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Bcast);

	e.u.coll = (struct tape_coll){ .root = 0, .comm = 3 };
	ok(is(&e, "eL") && list[0].r->size == 2 && list[0].r->rank == 0 &&
		   list[0].r->root == 1 && list[0].r->known == 2,
	   "the root is in the other group");
	e.u.coll.root = TAPE_ROOT;
	ok(is(&e, "eL") && list[0].r->root == 0, "this is the root");
	e.u.coll.root = TAPE_PROC_NULL;
	ok(is(&e, "eL") && list[0].r->root == -1, "another one of this group");
	e = event(TAPE_CALL_MPI_Gather);
	e.u.coll = (struct tape_coll){ .root = TAPE_ROOT, .comm = 3 };
	ok(is(&e, "eL") && list[1].r->first == 1 && list[1].r->last == 2,
	   "what is gathered comes from the other group");
	e = event(TAPE_CALL_MPI_Intercomm_create);
	e.u.comm_new = (struct tape_comm_new){ .comm = 1, .newcomm = 3 };
	ok(is(&e, "eL") && list[0].key.comm == 0xde && list[0].r->size == 2,
	   "both groups make it");
	e.u.comm_new.newcomm = 9;
	ok(is(&e, ""), "nothing is known of what it made: nothing");
}

static void neighbours(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Neighbor_allgather);

	e.u.coll = (struct tape_coll){ .root = -1, .comm = 2 };
	ok(is(&e, "eL") && list[1].r->shape == TAPE_SHAPE_NEAR &&
		   list[1].r->n_sources == 2 && list[1].r->sources[1] == 1,
	   "a neighbourhood, with those whom it receives from");
}

static void windows(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Win_fence);
	uint64_t r[1];

	e.u.coll = (struct tape_coll){ .root = -1, .comm = 2 };
	ok(is(&e, "eL") && list[1].r->shape == TAPE_SHAPE_ALL, "a fence");
	e = event(TAPE_CALL_MPI_Win_free);
	e.u.comm_free = (struct tape_comm_free){ .comm = 2 };
	ok(is(&e, "eL"), "freeing a window is for all");
	e = event(TAPE_CALL_MPI_Win_post);
	e.u.pscw = (struct tape_pscw){ .comm = 2, .group = 2 };
	ok(is(&e, "tttt") && key_is(&list[0].key, 0xabc, 0, 1, 1) &&
		   key_is(&list[1].key, 0xabc, 0, 0, 1),
	   "post tells everyone of the group that may start, and leave");
	e = event(TAPE_CALL_MPI_Win_start);
	e.u.pscw = (struct tape_pscw){ .comm = 2, .group = 1 };
	ok(is(&e, "h") && list[0].weak &&
		   key_is(&list[0].key, 0xabc, 1, 0, 1), "start may wait");
	e = event(TAPE_CALL_MPI_Win_complete);
	e.u.pscw = (struct tape_pscw){ .comm = 2 };
	ok(is(&e, "ht") && !list[0].weak &&
		   key_is(&list[0].key, 0xabc, 1, 0, 2) &&
		   key_is(&list[1].key, 0xabc, 0, 1, 3),
	   "complete waits for what was started, and tells");
	ok(is(&e, ""), "once");
	e = event(TAPE_CALL_MPI_Win_test);
	e.u.wintest = (struct tape_wintest){ .comm = 2 };
	ok(is(&e, ""), "a test that fails");
	e.u.wintest.flag = 1;
	ok(is(&e, "hh") && key_is(&list[0].key, 0xabc, 1, 0, 3) &&
		   key_is(&list[1].key, 0xabc, 0, 0, 3),
	   "and one that ends, as a wait does");
	e = event(TAPE_CALL_MPI_Win_wait);
	e.u.pscw = (struct tape_pscw){ .comm = 2 };
	ok(is(&e, ""), "which is over then");
	e = event(TAPE_CALL_MPI_Win_lock);
	e.u.epoch = (struct tape_epoch){ .peer = 1, .comm = 2 };
	ok(is(&e, ""), "a lock is the origin's own");
	e = event(TAPE_CALL_MPI_Rput);
	e.u.irma = (struct tape_irma){ .peer = 1, .comm = 2, .bytes = 5 };
	ok(is(&e, ""), "so is moving data");
	r[0] = created;
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_REQUEST);
	ok(is(&e, ""), "and its end");
}

static void files(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_File_open);
	uint64_t r[1], k;

	e.u.file_new = (struct tape_file_new){ .comm = 1, .newcomm = 2 };
	ok(is(&e, "eL"), "opening is for all");
	e = event(TAPE_CALL_MPI_File_write_at);
	e.u.io_at = (struct tape_io_at){ .comm = 2, .bytes = 8 };
	ok(is(&e, ""), "writing alone");
	e = event(TAPE_CALL_MPI_File_write_at_all);
	e.u.io_at = (struct tape_io_at){ .comm = 2, .bytes = 8 };
	ok(is(&e, "eL"), "writing together");
	k = list[0].r->k;
	e = event(TAPE_CALL_MPI_File_read_all_begin);
	e.u.io = (struct tape_io){ .comm = 2, .bytes = 8 };
	ok(is(&e, "e") && list[0].r->k == k + 1, "begun together");
	e = event(TAPE_CALL_MPI_File_iread);
	e.u.iio = (struct tape_iio){ .comm = 2, .bytes = 8 };
	ok(is(&e, ""), "alone, meanwhile");
	e = event(TAPE_CALL_MPI_File_read_all_end);
	e.u.coll = (struct tape_coll){ .root = -1, .comm = 2 };
	ok(is(&e, "L") && list[0].r->k == k + 1, "and ended together");
	ok(is(&e, ""), "once");
	e = event(TAPE_CALL_MPI_File_iwrite_all);
	e.u.iio = (struct tape_iio){ .comm = 2, .bytes = 8 };
	ok(is(&e, "e") && list[0].r->k == k + 2, "together, with a request");
	r[0] = created;
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_REQUEST);
	ok(is(&e, "L") && list[0].r->k == k + 2, "its wait");
}

/* Behind wildcards: not in order where a tool cannot wait, else in full. */
static void order(struct tape_trace *t)
{
	struct tape_ops *was = ops;
	struct tape_event e;
	uint64_t r[2];

	r[0] = irecv(TAPE_CALL_MPI_Irecv, TAPE_ANY_SOURCE, 5, "o");
	r[1] = irecv(TAPE_CALL_MPI_Irecv, 1, 5, "o");
	irecv(TAPE_CALL_MPI_Irecv, 1, 6, "p");
	e = completes(TAPE_CALL_MPI_Wait, 1, &r[1], TAPE_DONE_RECV);
	ok(is(&e, "pR"), "posted where it ends, at the latest");
	r[1] = irecv(TAPE_CALL_MPI_Irecv, 1, 5, "o");
	e = completes(TAPE_CALL_MPI_Wait, 1, &r[0], TAPE_DONE_RECV);
	ok(is(&e, "pRp") && list[2].r->number == r[1],
	   "and right after what it was behind");
	ops = tape_ops_new(t, 0, NULL, sizeof(struct kept));
	created = 0;
	tape_ops_in_order(ops);
	r[0] = irecv(TAPE_CALL_MPI_Irecv, TAPE_ANY_SOURCE, 5, "o");
	r[1] = irecv(TAPE_CALL_MPI_Irecv, 1, 5, "o");
	e = completes(TAPE_CALL_MPI_Wait, 1, &r[1], TAPE_DONE_RECV);
	ok(is(&e, ""), "in order: not even where it ends");
	e = completes(TAPE_CALL_MPI_Wait, 1, &r[0], TAPE_DONE_RECV);
	ok(is(&e, "pRpR") && list[3].r->ended_ns == 0 && !list[3].r->number,
	   "but behind the one before");
	r[0] = irecv(TAPE_CALL_MPI_Irecv, 1, TAPE_ANY_TAG, "o");
	irecv(TAPE_CALL_MPI_Irecv, 1, 7, "o");
	ok(tape_ops_end(ops, &list) == 2 && list[0].kind == TAPE_OP_GONE &&
		   list[0].r->number == r[0] && list[1].kind == TAPE_OP_POST,
	   "at the end all is posted, or gone");
	tape_ops_free(ops);
	ops = was;
}

/* Thousands outstanding, completed in another order. */
static void many(void)
{
	enum { N = 5000 };
	static uint64_t r[N];
	struct tape_event e;
	int wrong = 0;

	for (int i = 0; i < N; i++) {
		e = event(TAPE_CALL_MPI_Irecv);
		e.u.irecv = (struct tape_irecv){ .peer = 1, .tag = i,
						 .comm = 1 };
		wrong += strcmp(does(&e), "p") != 0;
		r[i] = created;
	}
	for (int i = 0; i < N; i++) {
		int k = (int)((long)i * 2111 % N);

		e = completes(TAPE_CALL_MPI_Wait, 1, &r[k], TAPE_DONE_RECV);
		wrong += strcmp(does(&e), "R") != 0 || list[0].key.tag != k;
	}
	ok(!wrong, "%d requests at once: each is found again", N);
}

/* A collective that is started again and again: a round each time. */
static void started(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Gather_init_c);
	uint64_t r[1], k = 0;

	ok(tape_call_base(TAPE_CALL_MPI_Gather_init_c) ==
			   TAPE_CALL_MPI_Gather &&
		   tape_call_base(TAPE_CALL_MPI_Ibcast) ==
			   TAPE_CALL_MPI_Bcast &&
		   tape_call_base(TAPE_CALL_MPI_Send_c) == TAPE_CALL_MPI_Send &&
		   tape_call_base(TAPE_CALL_MPI_Init) == TAPE_CALL_MPI_Init &&
		   tape_call_base(9999) == 9999,
	   "the blocking call that a call is a variant of");
	e.u.icoll = (struct tape_icoll){ .comm = 2, .root = 1, .bytes = 8 };
	ok(is(&e, ""), "a persistent collective: nothing yet");
	r[0] = created;
	for (uint64_t i = 0; i < 3; i++) {
		e = completes(TAPE_CALL_MPI_Start, 1, r, TAPE_DONE_REQUEST);
		ok(is(&e, "e") && list[0].key.comm == 0xabc &&
			   list[0].r->shape == TAPE_SHAPE_TO &&
			   list[0].r->root == 1 && !list[0].r->weak &&
			   (!i || list[0].r->k == k + i),
		   "each start enters the next round");
		k = i ? k : list[0].r->k;
		e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_REQUEST);
		ok(is(&e, "L") && list[0].r->k == k + i, "its wait leaves it");
	}
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_REQUEST);
	ok(is(&e, ""), "a wait for one that was not started: nothing");
	e = completes(TAPE_CALL_MPI_Request_free, 1, r, TAPE_DONE_REQUEST);
	ok(is(&e, ""), "it is freed");
}

/* Messages in parts: sent with the last part, of a channel of their own. */
static void in_parts(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Psend_init);
	uint64_t s[2], r[1];
	struct tape_match_key key = { 0 }, other;

	for (int i = 0; i < 2; i++) {
		e.u.psend = (struct tape_psend){ .peer = 1, .tag = 5, .comm = 1,
						 .bytes = 64, .parts = 4 };
		ok(is(&e, ""), "a send in parts: nothing yet");
		s[i] = created;
	}
	e = event(TAPE_CALL_MPI_Precv_init);
	e.u.irecv = (struct tape_irecv){ .peer = 1, .tag = 5, .comm = 1,
					 .bytes = 64 };
	ok(is(&e, ""), "nor a receive");
	r[0] = created;
	for (int i = 0; i < 2; i++) {
		e = completes(TAPE_CALL_MPI_Startall, 2, s, TAPE_DONE_REQUEST);
		ok(is(&e, ""), "started: no part is ready");
		e = completes(TAPE_CALL_MPI_Pready_range, 1, s,
			      TAPE_DONE_REQUEST);
		e.u.pready.n = 3;
		ok(is(&e, ""), "three of four are");
		e = completes(TAPE_CALL_MPI_Pready, 1, s, TAPE_DONE_REQUEST);
		e.u.pready.n = 1;
		ok(is(&e, "s") && list[0].bytes == 64, "the last one sends it");
		other = key;
		key = list[0].key;
		ok(!i || !memcmp(&key, &other, sizeof key),
		   "each time by the same channel");
		e = completes(TAPE_CALL_MPI_Pready_list, 1, s + 1,
			      TAPE_DONE_REQUEST);
		e.u.pready.n = 4;
		ok(is(&e, "s") && list[0].key.comm != key.comm,
		   "the second request has another");
		e = completes(TAPE_CALL_MPI_Start, 1, r, TAPE_DONE_REQUEST);
		ok(is(&e, "p") && list[0].key.comm == key.comm &&
			   list[0].key.src == 1 && list[0].key.comm != 1,
		   "the first receive has the first send's");
		e = event(TAPE_CALL_MPI_Parrived);
		e.u.query = (struct tape_query){ .asked = r[0], .flag = 1 };
		ok(is(&e, ""), "one part that came is no message");
		e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_RECV);
		ok(is(&e, "R") && list[0].bytes == 64, "it is complete");
		e = completes(TAPE_CALL_MPI_Waitall, 2, s, TAPE_DONE_REQUEST);
		ok(is(&e, "SS"), "the sends are");
	}
}

static void both_ways(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Isendrecv);
	uint64_t r[1];

	e.u.isendrecv = (struct tape_isendrecv){
		.peer = 1, .tag = 4, .bytes = 32, .comm = 1, .rpeer = 1,
		.rtag = 5, .rbytes = 64 };
	ok(is(&e, "sp") && key_is(&list[0].key, 1, 0, 1, 4) &&
		   key_is(&list[1].key, 1, 1, 0, 5),
	   "an isendrecv sends and posts");
	r[0] = created;
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_RECV);
	ok(is(&e, "RS") && list[0].bytes == 64 && list[1].bytes == 32,
	   "both end where it is complete");
	e = event(TAPE_CALL_MPI_Isendrecv_replace);
	e.u.isendrecv = (struct tape_isendrecv){
		.peer = TAPE_PROC_NULL, .comm = 1, .rpeer = TAPE_ANY_SOURCE,
		.rtag = 5 };
	ok(is(&e, "o"), "to nobody, from anybody");
	r[0] = created;
	e = completes(TAPE_CALL_MPI_Wait, 1, r, TAPE_DONE_RECV);
	ok(is(&e, "pR"), "and its end");
}

int main(void)
{
	struct tape_trace *t = make_trace();
	struct tape_ops *first, *second;
	struct tape_event e;
	uint64_t r;

	ops = first = tape_ops_new(t, 0, NULL, sizeof(struct kept));
	blocking();
	test_requests();
	persistent();
	ahead(t);
	probes();
	collectives();
	started();
	both_ways();
	in_parts();
	two_groups();
	neighbours();
	windows();
	files();
	order(t);
	many();
	second = tape_ops_new(t, 0, first, sizeof(struct kept));
	r = irecv(TAPE_CALL_MPI_Irecv, 1, 5, "p");
	ops = second;
	e = completes(TAPE_CALL_MPI_Wait, 1, &r, TAPE_DONE_RECV);
	ok(is(&e, "R"), "another thread of the rank ends it");
	tape_ops_free(first);
	r = isend(TAPE_CALL_MPI_Isend, "s");
	ok(tape_ops_unknown(second) == 4, "what the two know is one");
	tape_ops_free(second);
	tape_ops_free(NULL);
	tape_trace_close(t);
	remove_trace();
	return done();
}
