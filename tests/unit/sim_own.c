/* Our own engine of tapesim, against dates computed by hand. */
#include <math.h>

#include "made_actions.h"
#include "own.h"
#include "tap.h"

/* Dates of each action of each rank. */
#define RANKS 8
#define ACTIONS 64
static struct {
	int64_t begin[RANKS][ACTIONS], end[RANKS][ACTIONS];
	int n[RANKS];
} seen;

static int put(void *self, int rank, const struct tape_action *a,
	       int64_t begin_ns, int64_t end_ns)
{
	int k = seen.n[rank]++;

	(void)self;
	(void)a;
	if (k < ACTIONS) {
		seen.begin[rank][k] = begin_ns;
		seen.end[rank][k] = end_ns;
	}
	return 0;
}

static const struct sim_times times = {NULL, put};
static struct sim_outcome out;
static int host[RANKS];
static struct tape_actions made;

/* Replays a text; all on hosts of their own. */
static int replay(const struct sim_machine *m, int n, const char *text)
{
	struct sim_net net = *m->net;
	struct sim_machine one = *m;
	int rc;

	one.net = &net;
	memset(&seen, 0, sizeof seen);
	made_actions(&made, n, text);
	rc = sim_own_run(&made, &one, &times, &out);
	made_free(&made);
	return rc;
}

static void ends(int rank, int action, int64_t ns, const char *what)
{
	int64_t is = seen.end[rank][action];

	if (!ok(is == ns, "%s", what))
		printf("# %ld, and not %ld\n", (long)is, (long)ns);
}

/* 1000 ns and 1 ns a byte, overheads of 10 and 20 ns; 4096 bytes wait. */
static struct sim_smpi smpi(void)
{
	struct sim_smpi s = { .eager_bytes = 4096, .detached_bytes = 4096,
			      .tcp_gamma = 1e18 };

	s.route[TAPE_NET] = (struct sim_route){ 1e-6, 1e9 };
	s.route[TAPE_SHM] = (struct sim_route){ 1e-7, 1e10 };
	s.route[TAPE_SELF] = s.route[TAPE_SHM];
	sim_factors_read("0:10e-9", &s.send);
	sim_factors_read("0:30e-9", &s.isend);
	sim_factors_read("0:20e-9", &s.recv);
	return s;
}

static void messages(const struct sim_machine *m)
{
	ok(!replay(m, 2, "0 send 1 5 84\n0 recv 1 6 84\n"
			 "1 recv 0 5 84\n1 send 0 6 84\n"), "a ping-pong");
	/* 10 + 1000 + 84 + 16 + 20; back the same */
	ends(0, 0, 10, "the sender goes on after its overhead");
	ends(1, 0, 1130, "the message is there, and is taken");
	ends(1, 1, 1140, "the answer is sent");
	ends(0, 1, 2260, "and received");

	replay(m, 2, "0 compute 5000\n0 send 1 5 84\n1 recv 0 5 84\n");
	ends(1, 0, 6130, "a late sender is waited for");
	replay(m, 2, "0 send 1 5 84\n1 compute 5000\n1 recv 0 5 84\n");
	ends(1, 1, 5020, "a message that is there is taken at once");

	replay(m, 2, "0 send 1 5 4096\n1 compute 5000\n1 recv 0 5 4096\n");
	/* 5000 + 1000 + 4112 */
	ends(0, 0, 10112, "a rendezvous keeps its sender");
	ends(1, 1, 10112, "and its receiver, without overheads");
	replay(m, 2, "0 compute 7000\n0 ssend 1 5 84\n1 recv 0 5 84\n");
	ends(0, 1, 8110, "a synchronous send waits whatever the size");
	ends(1, 0, 8110, "and so does its receive");

	replay(m, 2, "0 isend 1 5 4096 1\n0 compute 500\n0 wait 1\n"
		     "1 irecv 0 5 4096 1\n1 compute 100\n1 wait 1\n");
	ends(0, 0, 30, "a send that does not wait has its own overhead");
	ends(0, 2, 5142, "a wait for a rendezvous ends with it");
	ends(1, 2, 5142, "at both ends");

	replay(m, 2, "0 send 1 5 84\n0 send 1 5 184\n0 send 1 6 84\n"
		     "1 recv 0 6 84\n1 recv 0 5 84\n1 recv 0 5 184\n");
	ends(1, 0, 1150, "the third message overtakes: it has another tag");
	ends(1, 1, 1170, "of a tag the first is first");
	ends(1, 2, 1240, "and the second second");
	ok(out.messages == 3 && out.actions == 6 && out.max_in_flight == 3,
	   "messages are counted");
}

/* Waits for several, for one of several, and for what is unknown. */
static void waits(const struct sim_machine *m)
{
	replay(m, 3, "0 irecv 1 1 84 1\n0 irecv 2 1 84 2\n0 wait 1 2 9\n"
		     "1 compute 3000\n1 send 0 1 84\n2 send 0 1 84\n");
	/* there at 4110 and 1110; 20 each, one after the other */
	ends(0, 2, 4130, "the overhead of the first is over by then");
	replay(m, 3, "0 irecv 1 1 84 1\n0 irecv 2 1 84 2\n0 compute 9000\n"
		     "0 wait 2\n0 wait 1\n1 send 0 1 84\n2 send 0 1 84\n");
	ends(0, 3, 9020, "one of several is waited for");
	ends(0, 4, 9040, "and later the other one");
	replay(m, 2, "0 probe 1 1 84\n0 recv 1 1 84\n1 compute 100\n"
		     "1 send 0 1 84\n");
	ends(0, 0, 1210, "a probe ends when the message is there");
	ends(0, 1, 1230, "and its receive goes on from there");
	replay(m, 2, "0 compute 5000\n0 probe 1 1 84\n0 recv 1 1 84\n"
		     "1 send 0 1 84\n");
	ends(0, 1, 5000, "a probe of what is there takes no time");
	replay(m, 2, "0 probe 1 1 5000\n0 recv 1 1 5000\n1 compute 100\n"
		     "1 send 0 1 5000\n");
	ok(seen.end[0][0] == 1100 && seen.end[0][1] == 7116,
	   "of a rendezvous the envelope comes, and then it begins");
}

static void machine(const struct sim_machine *m)
{
	struct sim_machine other = *m;
	double speeds[2] = { 1, 0.5 };

	other.speed = 2;
	other.rank_speed = speeds;
	replay(&other, 2, "0 compute 1000\n0 sleep 1e-6\n1 compute 1000\n");
	ok(seen.end[0][0] == 500 && seen.end[1][0] == 1000,
	   "processors have speeds");
	ends(0, 1, 1500, "which change nothing of sleep");
	other = *m;
	host[0] = host[1] = 3;
	other.host = host;
	replay(&other, 2, "0 send 1 1 984\n0 send 0 1 984\n0 recv 0 1 984\n"
			  "1 recv 0 1 984\n");
	ends(1, 0, 230, "a message within a host");
	ends(0, 2, 240, "and one to oneself");
}

/* By the table of SMPI, messages of 1024 ns. */
static void collectives(struct sim_machine m)
{
	struct sim_net net = *m.net;
	struct sim_smpi s = smpi();
	const int some[3] = { 3, 1, 0 };
	char text[2000] = "";

	s.send = s.isend = s.recv = (struct sim_factors){ 0 };
	net.smpi = &s;
	m.net = &net;
	m.library = TAPE_COLL_SMPI;
	replay(&m, 8, "0 bcast 0 8 0\n1 bcast 0 8 0\n2 bcast 0 8 0\n"
		      "3 bcast 0 8 0\n4 bcast 0 8 0\n5 bcast 0 8 0\n"
		      "6 bcast 0 8 0\n7 bcast 0 8 0\n");
	ends(0, 0, 0, "the root of a broadcast goes on");
	/* as smpirun -replay has it, by SimGrid 3.32: 0 to 1 and 2, 1 to 3
	 * and 4, 2 to 5 and 6, 3 to 7 */
	ends(2, 0, 1024, "a child of it leaves a message later");
	ends(4, 0, 2048, "a child of that two of them");
	ends(7, 0, 3072, "the last one has three of them behind it");

	for (int r = 0; r < 8; r++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 "%d compute %d\n%d allreduce 0 8 -1\n", r, 100 * r,
			 r);
	replay(&m, 8, text);
	/* the last to enter is three exchanges away from 0; it needs three
	 * itself, the first of which it is late for */
	ends(0, 1, 700 + 3 * 1024, "recursive doubling of 8");
	ends(7, 1, 3 * 1024, "the last to enter waits for the first");
	ok(out.rounds == 1 && !out.unknown, "its algorithm is known");

	made_actions(&made, 4, "0 allreduce 1 8 -1\n1 allreduce 1 8 -1\n"
			       "2 compute 1\n3 compute 50\n"
			       "3 allreduce 1 8 -1\n");
	made.comm[1] = some;
	made.comm_size[1] = 3;
	memset(&seen, 0, sizeof seen);
	ok(!sim_own_run(&made, &m, &times, &out) && out.rounds == 1 &&
	       seen.n[2] == 1 && seen.end[0][0] > 1024,
	   "a communicator of some");
	made_free(&made);

	replay(&m, 2, "0 iallreduce 0 8 -1 1\n0 compute 500\n0 wait 1\n"
		      "1 compute 2000\n1 iallreduce 0 8 -1 1\n1 wait 1\n");
	ends(0, 0, 0, "a collective that does not wait");
	ends(0, 2, 3024, "is waited for");
	ends(1, 2, 2000, "but by the last, who has its part by then");
	replay(&m, 2, "0 comm 1 0\n1 compute 2000\n1 comm 1 0\n");
	ends(0, 0, 3024, "a new communicator is a collective of its parent");
}

static void windows(const struct sim_machine *m)
{
	replay(m, 2, "0 win 1 0\n0 put 1 1 84\n0 fence 1\n"
		     "1 win 1 0\n1 fence 1\n");
	ok(seen.end[1][1] >= seen.end[0][0] + 30 + 1100 + 1016,
	   "a fence comes after what was put");
	replay(m, 3, "0 win 1 0\n0 lock 1 2 1\n0 compute 5000\n0 unlock 1 2\n"
		     "1 win 1 0\n1 compute 100\n1 lock 1 2 1\n"
		     "1 compute 1000\n1 unlock 1 2\n"
		     "2 win 1 0\n");
	ok(seen.end[0][1] == seen.end[0][0] &&
	   seen.end[1][2] == seen.end[0][3],
	   "the lock is had by who asks first, then by the next");
	ok(seen.end[1][4] == seen.end[0][3] + 1000, "and given back");
	replay(m, 3, "0 win 1 0\n0 lock 1 2 0\n0 compute 5000\n0 unlock 1 2\n"
		     "1 win 1 0\n1 compute 100\n1 lock 1 2 0\n1 unlock 1 2\n"
		     "2 win 1 0\n2 compute 150\n2 lock 1 2 1\n2 unlock 1 2\n");
	ok(seen.end[1][2] == seen.begin[1][2], "two may share a lock");
	ok(seen.end[2][2] == seen.end[0][3], "who wants it alone waits");
	replay(m, 2, "0 win 1 0\n0 compute 3000\n0 post 1 1\n0 wait_win 1\n"
		     "1 win 1 0\n1 start 1 0\n1 put 1 0 84\n1 complete 1\n");
	ok(seen.end[1][1] == seen.end[0][2] + 10 + 1016,
	   "who starts an epoch waits for its post");
	ok(seen.end[1][3] == seen.end[1][1] + 30 + 1100,
	   "who completes it for what was put");
	ok(seen.end[0][3] == seen.end[1][3] + 10 + 1016,
	   "and who posted it for that");
}

static void fails(const struct sim_machine *m, int n, const char *text, int rc,
		  const char *sentence)
{
	int is = replay(m, n, text);

	if (!ok(is == rc && !strcmp(out.error, sentence), "%s", sentence))
		printf("# %d %s\n", is, out.error);
}

static void stuck(const struct sim_machine *m)
{
	fails(m, 2, "0 compute 1\n0 recv 1 7 8\n1 compute 9\n", TAPE_ECYCLE,
	      "rank 0, action 2 (recv, event 1): waits for a message of rank "
	      "1 with tag 7 that is never sent");
	fails(m, 2, "0 send 1 7 5000\n1 compute 9\n", TAPE_ECYCLE,
	      "rank 0, action 1 (send, event 1): waits for rank 1 to receive "
	      "its message with tag 7, but there is no such receive");
	fails(m, 3, "0 barrier 0 0 -1\n1 barrier 0 0 -1\n2 compute 9\n",
	      TAPE_ECYCLE, "rank 0, action 1 (collective, event 1): waits for "
	      "all 3 members of its communicator, but only 2 arrive");
	fails(m, 2, "0 send 4 7 8\n1 compute 9\n", TAPE_ERANGE,
	      "rank 0, action 1 (send, event 1): no rank 4");
	fails(m, 2, "0 barrier 0 0 -1\n1 bcast 0 0 0\n", TAPE_EFORMAT,
	      "rank 1, action 1 (collective, event 1): the other members "
	      "of communicator 0 are in a different collective");
}

/* Two messages at once over the same links take twice as long. */
static void links(struct sim_machine m)
{
	struct sim_net net = *m.net;
	struct sim_smpi s = smpi();

	s.send = s.isend = s.recv = (struct sim_factors){ 0 };
	s.shared = 1;
	s.eager_bytes = s.detached_bytes = 1 << 20;
	net.smpi = &s;
	m.net = &net;
	replay(&m, 3, "0 send 2 1 9984\n1 send 2 1 9984\n"
		      "2 recv 0 1 9984\n2 recv 1 1 9984\n");
	ends(2, 1, 1000 + 20000, "two messages share the link of a host");
	replay(&m, 4, "0 send 2 1 9984\n1 send 3 1 9984\n"
		      "2 recv 0 1 9984\n3 recv 1 1 9984\n");
	ends(2, 0, 1000 + 10000, "other links are others'");
	replay(&m, 3, "0 send 2 1 9984\n1 compute 6000\n1 send 2 1 9984\n"
		      "2 recv 0 1 9984\n2 recv 1 1 9984\n");
	/* alone from 1000 to 7000, then both until 4000 are over at half */
	ends(2, 0, 15000, "who comes later slows the first down");
	ends(2, 1, 21000, "and then has the link alone");
}

/* More ranks on a host than processors. */
static void cores(struct sim_machine m)
{
	host[0] = host[1] = host[2] = 0;
	m.host = host;
	m.cores = 1;
	replay(&m, 2, "0 compute 1000\n1 compute 1000\n1 compute 500\n");
	ends(0, 0, 2000, "two ranks share a processor");
	ends(1, 1, 2500, "the second then has it alone");
	ok(out.cores, "and that is told");
	replay(&m, 2, "0 compute 1000\n1 sleep 400e-9\n1 compute 1000\n");
	/* alone to 400, both to 1600, alone to 2000 */
	ends(0, 0, 1600, "one that sleeps needs none");
	ends(1, 1, 2000, "until it computes");
	m.cores = 2;
	replay(&m, 3, "0 compute 1000\n1 compute 1000\n2 compute 1000\n");
	ends(2, 0, 1500, "three share two");
	m.cores = 3;
	replay(&m, 3, "0 compute 1000\n1 compute 1000\n2 compute 1000\n");
	ok(seen.end[2][0] == 1000 && !out.cores, "three of three are enough");
	m.cores = 1;
	replay(&m, 2, "0 compute 1000\n0 barrier 0 0 -1\n0 compute 10\n"
		      "1 compute 3000\n1 barrier 0 0 -1\n");
	ok(seen.end[0][0] == 2000 && seen.end[1][0] == 4000 &&
	   seen.end[0][1] > 4000 && out.rounds == 1,
	   "a collective between them");
}

int main(void)
{
	static struct sim_net net;
	struct sim_smpi s = smpi();
	struct sim_machine m = { .net = &net, .rate = 1e9 };

	sim_net_set(&net, &s, NULL);
	messages(&m);
	waits(&m);
	machine(&m);
	collectives(m);
	windows(&m);
	stuck(&m);
	links(m);
	cores(m);
	return done();
}
