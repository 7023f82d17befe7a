/*
 * Programs whose output depends on what MPI leaves to chance (order.sh): ranks
 * compute for random times, with a seed from the clock, and rank 0 prints the
 * order in which it meets their messages.
 *
 *	order KIND [ROUNDS [CHANGE]]
 *
 * CHANGE makes a run unlike the recorded one: "more" receives more messages,
 * "late": rank 1 sends when all others have sent, "early": before all others,
 * "double": rank 2 sends in place of rank 1, too, "kill": rank 0 is killed at
 * half of its messages.
 */
#include <signal.h>
#include <unistd.h>

#include "order_senders.h"

static const char *change = "";

static int is_change(const char *word)
{
	return !strcmp(change, word);
}

static void receive_any(void)
{
	int n = (size - 1) * rounds, v[2];
	MPI_Status s;

	for (int i = 0; i < n; i++) {
		if (is_change("late") && i == n - rounds)
			MPI_Send(v, 0, MPI_INT, 1, TAG, MPI_COMM_WORLD);
		for (int k = 2; is_change("early") && i == rounds && k < size;
		     k++)
			MPI_Send(v, 0, MPI_INT, k, TAG, MPI_COMM_WORLD);
		MPI_Recv(v, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			 MPI_COMM_WORLD, &s);
		print_message(v, &s);
		if (is_change("kill") && i == n / 2) {
			fflush(stdout);
			raise(SIGKILL);
		}
	}
}

static void probe_any(void)
{
	int n = (size - 1) * rounds, v[2];
	MPI_Status s;

	for (int i = 0; i < n; i++) {
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
		MPI_Recv(v, 2, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD,
			 &s);
		print_message(v, &s);
	}
}

static void mprobe_any(void)
{
	int n = (size - 1) * rounds, v[2];
	MPI_Message m;
	MPI_Status s;

	for (int i = 0; i < n; i++) {
		match_message(i % 2, &m, &s);
		MPI_Mrecv(v, 2, MPI_INT, &m, &s);
		print_message(v, &s);
	}
}

static void poll_any(void)
{
	int n = (size - 1) * rounds, v[2], polls = 0, flag;
	MPI_Status s;

	for (int i = 0; i < n;) {
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag,
			   &s);
		polls++;
		if (!flag) {
			compute_a_while();
			continue;
		}
		MPI_Recv(v, 2, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		printf("after %d polls: ", polls);
		print_message(v, &s);
		i++;
	}
}

/* As many posts of any source as there are messages of a round. */
static void post_any(MPI_Request *r, int v[][2])
{
	for (int i = 0; i < size - 1; i++)
		MPI_Irecv(v[i], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			  MPI_COMM_WORLD, &r[i]);
}

static void wait_all(void)
{
	MPI_Request r[MOST];
	MPI_Status s[MOST];
	int v[MOST][2];

	for (int k = 0; k < rounds; k++) {
		post_any(r, v);
		if (k % 2)
			MPI_Waitall(size - 1, r, s);
		else
			for (int i = size - 2; i >= 0; i--)
				MPI_Wait(&r[i], &s[i]);
		for (int i = 0; i < size - 1; i++)
			print_message(v[i], &s[i]);
		/* what is posted then gets the message of a later round */
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void wait_any(void)
{
	int v[MOST][2], index;
	MPI_Request r[MOST];
	MPI_Status s;

	for (int k = 0; k < rounds; k++) {
		post_any(r, v);
		for (int i = 0; i < size; i++) {
			MPI_Waitany(size - 1, r, &index, &s);
			printf("index %d ",
			       index == MPI_UNDEFINED ? -1 : index);
			if (index != MPI_UNDEFINED)
				print_message(v[index], &s);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* Receives of known sources; their order of completion is by chance. */
static void test_some(void)
{
	int v[MOST][2], indices[MOST], left, count, polls = 0;
	MPI_Request r[MOST];
	MPI_Status s[MOST];

	for (int k = 0; k < rounds; k++) {
		for (int i = 0; i < size - 1; i++)
			MPI_Irecv(v[i], 2, MPI_INT, i + 1, MPI_ANY_TAG,
				  MPI_COMM_WORLD, &r[i]);
		for (left = size - 1; left; polls++) {
			if (k % 2)
				MPI_Testsome(size - 1, r, &count, indices, s);
			else
				MPI_Waitsome(size - 1, r, &count, indices, s);
			left -= count;
			printf("poll %d: %d\n", polls, count);
			for (int i = 0; i < count; i++)
				print_message(v[indices[i]], &s[i]);
			if (!count)
				compute_a_while();
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void test_all(void)
{
	int v[MOST][2], flag, index, polls = 0;
	MPI_Request r[MOST];
	MPI_Status s[MOST];

	for (int k = 0; k < rounds; k++) {
		post_any(r, v);
		for (flag = 0; !flag; polls++) {
			compute_a_while();
			if (k % 3 == 0)
				MPI_Testall(size - 1, r, &flag, s);
			else if (k % 3 == 1)
				MPI_Test(&r[0], &flag, &s[0]);
			else
				MPI_Testany(size - 1, r, &index, &flag, &s[0]);
		}
		if (k % 3 == 2)
			printf("index %d ", index);
		printf("after %d polls: %d\n", polls, s[0].MPI_SOURCE);
		MPI_Waitall(size - 1, r, s);
		for (int i = 0; i < size - 1; i++)
			printf("%d.%d\n", v[i][0], v[i][1]);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* A post that never gets a message is cancelled; others may be. */
static void cancel_some(void)
{
	int v[MOST][2], flag;
	MPI_Request r[2];
	MPI_Status s;

	for (int k = 0; k < rounds * (size - 1); k++) {
		MPI_Irecv(v[0], 2, MPI_INT, MPI_ANY_SOURCE, TAG + k % 3,
			  MPI_COMM_WORLD, &r[0]);
		compute_a_while();
		MPI_Cancel(&r[0]);
		MPI_Wait(&r[0], &s);
		MPI_Test_cancelled(&s, &flag);
		printf("cancelled %d\n", flag);
		if (flag)
			MPI_Recv(v[0], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
				 MPI_COMM_WORLD, &s);
		print_message(v[0], &s);
	}
}

/* Persistent receives of any source; each start may get another one. */
static void start_some(void)
{
	int v[MOST][2], indices[MOST], left, count, n = size - 1, polls = 0;
	MPI_Request r[MOST], one;
	MPI_Status s[MOST];

	for (int i = 0; i < n; i++)
		MPI_Recv_init(v[i], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			      MPI_COMM_WORLD, &r[i]);
	for (int k = 0; k < rounds; k++) {
		one = r[0];
		MPI_Start(&one);
		MPI_Startall(n - 1, r + 1);
		if (k % 3 == 0) {
			MPI_Waitall(n, r, s);
			for (int i = 0; i < n; i++)
				print_message(v[i], &s[i]);
		}
		for (left = k % 3 ? n : 0; left; left -= count) {
			if (k % 3 == 1)
				MPI_Testsome(n, r, &count, indices, s);
			else
				MPI_Waitany(n, r, indices, s), count = 1;
			polls++;
			for (int i = 0; i < count; i++) {
				printf("%d, %d: ", polls, indices[i]);
				print_message(v[indices[i]], &s[i]);
			}
		}
		if (r[0] != one)
			printf("a persistent request has another handle\n");
		MPI_Barrier(MPI_COMM_WORLD);
	}
	for (int i = 0; i < n; i++)
		MPI_Request_free(&r[i]);
}

static const struct {
	const char *name;
	void (*receive)(void);
	int has_barriers; /* a round of messages at a time */
} kinds[] = {{"recv", receive_any, 0},	 {"probe", probe_any, 0},
	     {"mprobe", mprobe_any, 0},	 {"iprobe", poll_any, 0},
	     {"waitall", wait_all, 1},	 {"waitany", wait_any, 1},
	     {"testsome", test_some, 1}, {"testall", test_all, 1},
	     {"cancel", cancel_some, 0}, {"start", start_some, 1}};

static void receive_more(void)
{
	int v[2] = {0, 0};
	MPI_Status s;

	if (rank) {
		MPI_Send(v, 2, MPI_INT, 0, 99, MPI_COMM_WORLD);
		return;
	}
	for (int i = 1; i < size; i++)
		MPI_Recv(v, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			 MPI_COMM_WORLD, &s);
}

/* The messages of a round. */
static void send_round(void)
{
	if (!is_change("double"))
		send_all(1);
	else if (rank > 1)
		send_all(rank == 2 ? 2 : 1);
}

int main(int argc, char **argv)
{
	size_t k = 0;

	begin_program(&argc, &argv);
	if (argc > 3)
		change = argv[3];
	while (k < sizeof kinds / sizeof *kinds &&
	       strcmp(kinds[k].name, argc > 1 ? argv[1] : ""))
		k++;
	if (k == sizeof kinds / sizeof *kinds || size > MOST)
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (rank && kinds[k].has_barriers) {
		for (int i = 0; i < rounds; i++) {
			send_round();
			MPI_Barrier(MPI_COMM_WORLD);
		}
	} else if (rank) {
		if (is_change(rank == 1 ? "late" : "early"))
			MPI_Recv(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		send_all(rounds);
	} else {
		kinds[k].receive();
	}
	if (is_change("more"))
		receive_more();
	MPI_Finalize();
	return 0;
}
