/*
 * A trace whose definitions come while it is read: each line is written when
 * the reader has seen those before it, at the latest moment that a runtime may
 * write it. What is read then is the same as afterwards.
 */
#include "folder.h"
#include "output.h"
#include "replay.h"
#include "tap.h"
#include "tape_follow.h"
#include "writer.h"

static const char meta_text[] =
    "tape-trace 1\nprogram ./a\nranks 2\nbase global\n"
    "domain 0 global %\nclock 0 0 0 1 0 0\n";

static const char rank_text[] =
    "tape-rank 1\nrank %d\nhost node\npid 7\ndomain 0\n"
    "site 1 254 10 a.c main\nsite 2 200 11 a.c main\n"
    "site 3 391 12 a.c main\nsite 4 625 13 a.c main\n"
    "comm 1 1 2 %d MPI_COMM_WORLD\n";

/* Lines that come later: once the trace is open, or once somebody waits. */
static struct coming {
	const char *name;
	const char *at_start[2], *opened[2], *awaited[2]; /* of each rank */
	int last; /* whoever waits is told that no more comes */
	int waited;
} now;

static void append(const char *const *lines)
{
	char file[16];
	FILE *f;

	for (int r = 0; r < 2; r++) {
		snprintf(file, sizeof file, "rank.%d", r);
		f = fopen(folder_path(now.name, file), "a");
		if (!f || fputs(lines[r] ? lines[r] : "", f) < 0 || fclose(f))
			exit(2);
	}
}

static int waits(void *self, size_t flow)
{
	(void)self, (void)flow;
	if (now.waited++)
		return 1;
	append(now.awaited);
	return now.last;
}

/* Each rank makes that event. */
static void write_trace(const struct tape_event *e)
{
	struct tape_output *o = tape_output_begin(folder_path(now.name, NULL));
	char text[400], file[16];

	folder_write(tape_output_path(o, "meta"), meta_text, strlen(meta_text));
	for (int r = 0; r < 2; r++) {
		struct tape_flow_writer *w = tape_flow_writer_open(o, r, 0, 10);
		int n = snprintf(text, sizeof text, rank_text, r, r);

		snprintf(file, sizeof file, "rank.%d", r);
		folder_write(tape_output_path(o, file), text, (size_t)n);
		tape_flow_writer_put(w, e);
		tape_flow_writer_close(w, TAPE_END_FINALIZE, 0);
	}
	tape_output_commit(o);
	append(now.at_start);
}

static struct tape_event event(unsigned call, unsigned site)
{
	return (struct tape_event){.call = (uint16_t)call,
				   .class_ = (uint16_t)tape_call_class(call),
				   .site = site,
				   .polls = 1,
				   .start_ns = 20,
				   .end_ns = 30};
}

/* Plays it; the only round. */
static struct tape_collective_round play(const struct tape_event *e,
					 struct tape_trace **t)
{
	static const struct tape_following how = {waits, NULL, NULL, NULL};
	struct tape_collective_round round = {0};
	const struct tape_item *i;
	struct tape_replay *p;
	int rounds = 0;

	write_trace(e);
	if (tape_trace_follow(folder_path(now.name, NULL), &how, t)) {
		ok(0, "%s: %s", now.name, tape_trace_error(*t));
		exit(1);
	}
	append(now.opened);
	if (tape_replay_open(*t, TAPE_REPLAY_EVENTS | TAPE_REPLAY_ROUNDS, &p))
		exit(2);
	while (tape_replay_next(p, &i) == 1)
		if (i->kind == TAPE_ITEM_ROUND && !rounds++)
			round = *i->round;
	tape_replay_close(p);
	ok(!tape_trace_damage(*t, 0, NULL) && rounds <= 1, "%s: it is read",
	   now.name);
	return round;
}

/* Members of a new communicator that have yet to say that they are in it. */
static void made_by_its_members(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Comm_create_group, 1);
	struct tape_collective_round q;
	struct tape_trace *t;

	e.u.comm_new = (struct tape_comm_new){.comm = 1, .newcomm = 3};
	for (int last = 0; last < 2; last++) {
		now = (struct coming){.name = last ? "last" : "made",
				      .opened = {"comm 3 abc 2 0 x\n", NULL},
				      .awaited = {NULL, "comm 3 abc 2 1 x\n"},
				      .last = last};
		q = play(&e, &t);
		tape_trace_close(t);
		ok(q.comm == 0xabc && !q.k && q.size == 2 && q.known == 2 &&
		       q.left == 2,
		   "%s: a collective of the new one, with all members",
		   now.name);
	}
}

static void two_groups(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Barrier, 2);
	struct tape_collective_round q;
	struct tape_trace *t;

	e.u.coll = (struct tape_coll){.root = -1, .comm = 2};
	now = (struct coming){
	    .name = "inter",
	    .at_start = {"comm 2 abc 1 0 x\n", "comm 2 abc 1 0 x\n"},
	    .opened = {"inter 2 0 1\n", "inter 2 1 1\n"},
	    .last = 1};
	q = play(&e, &t);
	tape_trace_close(t);
	ok(q.comm == 0xabc && q.size == 2 && q.known == 2 && q.left == 2,
	   "of two groups, which is said in a line of its own");
}

static void neighbours(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Neighbor_allgather, 3);
	const struct tape_comm_info *c;
	struct tape_trace *t;

	e.u.coll = (struct tape_coll){.root = -1, .comm = 2};
	now = (struct coming){
	    .name = "sources",
	    .at_start = {"comm 2 abc 2 0 x\n", "comm 2 abc 2 1 x\n"},
	    .opened = {"sources 2 1\n", "sources 2 0\n"},
	    .last = 1};
	play(&e, &t);
	c = tape_trace_rank(t, 1)->comms;
	ok(c[2].n_sources == 1 && !c[2].sources[0], "neighbours");
	tape_trace_close(t);
}

/* A long group has several lines. */
static void groups(void)
{
	struct tape_event e = event(TAPE_CALL_MPI_Win_post, 4);
	const struct tape_group_info *g;
	struct tape_trace *t;

	e.u.pscw = (struct tape_pscw){.comm = 1, .group = 1};
	now = (struct coming){.name = "group",
			      .at_start = {"group 1 0\n", "group 1 0\n"},
			      .opened = {"group 1 1\n", "group 1 1\n"},
			      .last = 1};
	play(&e, &t);
	g = tape_trace_rank(t, 1)->groups;
	ok(g[1].n == 2 && g[1].ranks[1] == 1, "all of a group");
	tape_trace_close(t);
}

int main(void)
{
	folder_make();
	made_by_its_members();
	two_groups();
	neighbours();
	groups();
	folder_remove();
	return done();
}
