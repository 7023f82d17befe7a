/*
 * Programs whose output depends on what MPI leaves to chance, one for each call
 * that order.c does not have (order.sh): rank 0 prints the order in which it
 * meets the messages of the other ranks.
 *
 *	order_calls KIND [ROUNDS [double]]
 *
 * "list" prints the kinds that the MPI library has. With "double" rank 2 sends
 * in place of rank 1, too.
 */
#include "order_senders.h"

static int is_double;

/* A round: each rank but 0 sends a message, and all meet. */
static void send_round(int k)
{
	(void)k;
	send_all(1);
}

static void post_any(MPI_Request *r, int v[][2])
{
	for (int i = 0; i < size - 1; i++)
		MPI_Irecv(v[i], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			  MPI_COMM_WORLD, &r[i]);
}

/* ---- receives that also send ---- */

/* Rank 0 sends to each rank the message that rank 0 has received last. */
static void exchange_any(int k)
{
	int out[2] = {0, k}, in[2];
	MPI_Status s;

	for (int i = 1; i < size; i++) {
		MPI_Sendrecv(out, 2, MPI_INT, i, TAG, in, 2, MPI_INT,
			     MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
		print_message(in, &s);
		out[1] = in[1];
	}
}

static void replace_any(int k)
{
	MPI_Status s;

	for (int i = 1; i < size; i++) {
		int v[2] = {0, k};

		MPI_Sendrecv_replace(v, 2, MPI_INT, i, TAG, MPI_ANY_SOURCE,
				     MPI_ANY_TAG, MPI_COMM_WORLD, &s);
		print_message(v, &s);
	}
}

static void send_and_receive(int k)
{
	int v[2];

	(void)k;
	send_all(!is_double || rank > 2 ? 1 : rank == 2 ? 2 : 0);
	MPI_Recv(v, 2, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- requests ---- */

static void query_any(int k)
{
	int v[MOST][2], flag, polls = 0;
	MPI_Request r[MOST];
	MPI_Status s;

	(void)k;
	post_any(r, v);
	for (int i = 0; i < size - 1; i++) {
		for (flag = 0; !flag; polls++) {
			compute_a_while();
			MPI_Request_get_status(r[i], &flag, &s);
		}
		printf("after %d polls: ", polls);
		print_message(v[i], &s);
		MPI_Wait(&r[i], MPI_STATUS_IGNORE);
	}
}

/* Receives whose requests are freed before their messages come. */
static void free_any(int k)
{
	static int lost[1000][2];
	MPI_Request r;
	MPI_Status s;
	int v[2];

	MPI_Irecv(lost[k % 1000], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
		  MPI_COMM_WORLD, &r);
	MPI_Request_free(&r);
	for (int i = 1; i < size - 1; i++) {
		MPI_Recv(v, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			 MPI_COMM_WORLD, &s);
		print_message(v, &s);
	}
}

/* Persistent receives, of which each round starts all but one. */
static void start_some(int k)
{
	static MPI_Request r[MOST];
	static int v[MOST][2];
	int indices[MOST], count, index, flag, n = size - 1;
	MPI_Status s[MOST];

	for (int i = 0; !k && i <= n; i++)
		MPI_Recv_init(v[i], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			      MPI_COMM_WORLD, &r[i]);
	for (int i = 0; i < n; i++)
		MPI_Start(&r[i + (i >= k % (n + 1))]);
	for (int left = n; left; left -= count) {
		if (k % 3 == 0) {
			MPI_Waitsome(n + 1, r, &count, indices, s);
		} else if (k % 3 == 1) {
			MPI_Waitany(n + 1, r, indices, s);
			count = 1;
		} else {
			do
				MPI_Testany(n + 1, r, indices, &flag, s);
			while (!flag);
			count = 1;
		}
		for (int i = 0; i < count; i++) {
			printf("index %d: ", indices[i]);
			print_message(v[indices[i]], &s[i]);
		}
	}
	/* no request is active */
	MPI_Waitsome(n + 1, r, &count, indices, s);
	MPI_Testany(n + 1, r, &index, &flag, s);
	printf("%d %d %d\n", count == MPI_UNDEFINED, index == MPI_UNDEFINED,
	       flag);
	for (int i = 0; k == rounds - 1 && i <= n; i++)
		MPI_Request_free(&r[i]);
}

static void match_any(int k)
{
	int v[MOST][2], index;
	MPI_Request r[MOST];
	MPI_Message m;
	MPI_Status s;

	for (int i = 0; i < size - 1; i++) {
		match_message(k % 2, &m, &s);
		MPI_Imrecv(v[i], 2, MPI_INT, &m, &r[i]);
	}
	for (int i = 0; i < size - 1; i++) {
		MPI_Waitany(size - 1, r, &index, &s);
		printf("index %d: ", index);
		print_message(v[index], &s);
	}
}

/* Collectives that do not block, in the array of the receives. */
static void mix_any(int k)
{
	int v[MOST][2], index, one = 1, sum = 0, n = size + 1;
	MPI_Request r[MOST];
	MPI_Status s;

	(void)k;
	MPI_Ibarrier(MPI_COMM_WORLD, &r[size - 1]);
	MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
		       &r[size]);
	post_any(r, v);
	for (int i = 0; i < n; i++) {
		MPI_Waitany(n, r, &index, &s);
		printf("index %d\n", index);
		if (index < size - 1)
			print_message(v[index], &s);
	}
	printf("sum %d\n", sum);
}

static void send_mixed(int k)
{
	int one = 1, sum;
	MPI_Request r[2];

	if ((k + rank) % 2)
		send_all(1);
	MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
	MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[1]);
	if (!((k + rank) % 2))
		send_all(1);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

/* No call has a status, and some requests are null. */
static void ignore_statuses(int k)
{
	int v[MOST][2], indices[MOST], count, flag = 0, n = size - 1, index;
	MPI_Request r[MOST];

	post_any(r, v);
	r[n] = MPI_REQUEST_NULL;
	switch (k % 5) {
	case 0:
		for (int i = 0; i < n; i++) {
			MPI_Waitany(n + 1, r, &index, MPI_STATUS_IGNORE);
			printf("index %d\n", index);
		}
		break;
	case 1:
		for (int left = n; left; left -= count) {
			MPI_Waitsome(n + 1, r, &count, indices,
				     MPI_STATUSES_IGNORE);
			for (int i = 0; i < count; i++)
				printf("index %d\n", indices[i]);
		}
		break;
	case 2:
		for (int left = n; left; left -= count)
			MPI_Testsome(n + 1, r, &count, indices,
				     MPI_STATUSES_IGNORE);
		break;
	case 3:
		while (!flag)
			MPI_Testall(n + 1, r, &flag, MPI_STATUSES_IGNORE);
		break;
	default:
		for (int i = 0; i < n; i++)
			MPI_Wait(&r[i], MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < n; i++)
		printf("%d.%d\n", v[i][0], v[i][1]);
}

static int error_class(int code)
{
	int class_ = MPI_SUCCESS;

	if (code != MPI_SUCCESS)
		MPI_Error_class(code, &class_);
	return class_ == MPI_ERR_TRUNCATE ? 1 : class_ != MPI_SUCCESS ? 2 : 0;
}

/* Some receives are too short for their messages. */
static void cut_short(int k)
{
	int v[MOST][2], indices[MOST], count, n = size - 1, rc;
	MPI_Request r[MOST];
	MPI_Status s[MOST];

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	memset(v, 0, sizeof v);
	for (int i = 0; i < n; i++)
		MPI_Irecv(v[i], 1 + i % 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			  MPI_COMM_WORLD, &r[i]);
	for (int left = n; left; left -= count) {
		if (k % 2) {
			rc = MPI_Waitsome(n, r, &count, indices, s);
		} else {
			rc = MPI_Waitall(count = n, r, s);
			for (int i = 0; i < n; i++) {
				indices[i] = i;
				if (r[i] != MPI_REQUEST_NULL)
					s[i].MPI_ERROR = MPI_Wait(&r[i], &s[i]);
			}
		}
		for (int i = 0; i < count; i++)
			printf("index %d: from %d, error %d\n", indices[i],
			       s[i].MPI_SOURCE,
			       rc == MPI_SUCCESS ? 0
						 : error_class(s[i].MPI_ERROR));
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Which of the sends is complete first? */
static void send_some(int k)
{
	static int big[MOST][20000];
	MPI_Request r[MOST];
	int index;

	(void)k;
	for (int i = 1; i < size; i++)
		MPI_Isend(big[i], i % 2 ? 20000 : 1, MPI_INT, i, TAG,
			  MPI_COMM_WORLD, &r[i - 1]);
	for (int i = 1; i < size; i++) {
		MPI_Waitany(size - 1, r, &index, MPI_STATUS_IGNORE);
		printf("index %d\n", index);
	}
}

static void receive_late(int k)
{
	static int big[20000];

	(void)k;
	compute_a_while();
	MPI_Recv(big, 20000, MPI_INT, 0, TAG, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

/* A loop over a probe and a test. */
static void poll_both(int k)
{
	int v[2], posted[2], is_found, is_received = 0, polls = 0;
	MPI_Request r;
	MPI_Status s;

	(void)k;
	MPI_Irecv(posted, 2, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &r);
	for (int left = size - 1; left;) {
		polls++;
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			   &is_found, &s);
		if (is_found) {
			MPI_Recv(v, 2, MPI_INT, s.MPI_SOURCE, s.MPI_TAG,
				 MPI_COMM_WORLD, &s);
			printf("poll %d: ", polls);
			print_message(v, &s);
			left--;
		}
		if (is_received)
			continue;
		MPI_Test(&r, &is_received, &s);
		if (is_received) {
			printf("posted, poll %d: ", polls);
			print_message(posted, &s);
			left--;
		}
	}
}

/* ---- calls of MPI 4 ---- */

#if MPI_VERSION >= 4
/* Rank 0 receives a message of four parts from each rank. */
static void receive_parts(int k)
{
	int v[MOST][4], flag, polls = 0;
	MPI_Request r[MOST];

	(void)k;
	for (int i = 1; i < size; i++)
		MPI_Precv_init(v[i], 4, 1, MPI_INT, i, TAG, MPI_COMM_WORLD,
			       MPI_INFO_NULL, &r[i]);
	MPI_Startall(size - 1, r + 1);
	for (int i = 1; i < size; i++)
		for (int p = 0; p < 4; p++) {
			for (flag = 0; !flag; polls++)
				MPI_Parrived(r[i], p, &flag);
			printf("poll %d: part %d of %d: %d\n", polls, p, i,
			       v[i][p]);
		}
	MPI_Waitall(size - 1, r + 1, MPI_STATUSES_IGNORE);
	for (int i = 1; i < size; i++)
		MPI_Request_free(&r[i]);
}

static void send_parts(int k)
{
	int v[4];
	MPI_Request r;

	MPI_Psend_init(v, 4, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
		       &r);
	MPI_Start(&r);
	for (int p = 0; p < 4; p++) {
		compute_a_while();
		v[p] = 10 * k + p;
		MPI_Pready(p, r);
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Request_free(&r);
}

/* The calls with large counts, one after the other. */
static void count_large(int k)
{
	int v[MOST][2], out[2] = {0, k}, index, n = size - 1;
	static int kept[2];
	static MPI_Request persistent;
	MPI_Request r[MOST];
	MPI_Status s;

	if (!k)
		MPI_Recv_init_c(kept, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
				MPI_COMM_WORLD, &persistent);
	for (int i = 1; i < size; i++) {
		if (i % 2)
			MPI_Sendrecv_c(out, 2, MPI_INT, i, TAG, v[0], 2,
				       MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
				       MPI_COMM_WORLD, &s);
		else
			memcpy(v[0], out, sizeof out),
			    MPI_Sendrecv_replace_c(v[0], 2, MPI_INT, i, TAG,
						   MPI_ANY_SOURCE, MPI_ANY_TAG,
						   MPI_COMM_WORLD, &s);
		print_message(v[0], &s);
	}
	if (k % 2) {
		MPI_Start(&persistent);
		for (int i = 1; i < n; i++)
			MPI_Irecv_c(v[i], 2, MPI_INT, MPI_ANY_SOURCE,
				    MPI_ANY_TAG, MPI_COMM_WORLD, &r[i]);
		MPI_Wait(&persistent, &s);
		print_message(kept, &s);
		for (int i = 1; i < n; i++) {
			MPI_Waitany(n - 1, r + 1, &index, &s);
			printf("index %d: ", index);
			print_message(v[index + 1], &s);
		}
		return;
	}
	for (int i = 0; i < n; i++) {
		MPI_Recv_c(v[0], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			   MPI_COMM_WORLD, &s);
		print_message(v[0], &s);
	}
}

static void send_twice(int k)
{
	send_and_receive(k);
	send_all(1);
}
#endif

static const struct {
	const char *name;
	void (*receive)(int round); /* rank 0 */
	void (*send)(int round);    /* other ranks */
} kinds[] = {
    {"sendrecv", exchange_any, send_and_receive},
    {"replace", replace_any, send_and_receive},
    {"query", query_any, send_round},
    {"free", free_any, send_round},
    {"persistent", start_some, send_round},
    {"imrecv", match_any, send_round},
    {"icoll", mix_any, send_mixed},
    {"ignore", ignore_statuses, send_round},
    {"cut", cut_short, send_round},
    {"isend", send_some, receive_late},
    {"loop", poll_both, send_round},
#if MPI_VERSION >= 4
    {"parts", receive_parts, send_parts},
    {"large", count_large, send_twice},
#endif
};

int main(int argc, char **argv)
{
	size_t k = 0, n = sizeof kinds / sizeof *kinds;

	if (argc > 1 && !strcmp(argv[1], "list")) {
		for (size_t i = 0; i < n; i++)
			puts(kinds[i].name);
		return 0;
	}
	begin_program(&argc, &argv);
	is_double = argc > 3 && !strcmp(argv[3], "double");
	while (k < n && strcmp(kinds[k].name, argc > 1 ? argv[1] : ""))
		k++;
	if (k == n || size > MOST - 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 0; i < rounds; i++) {
		if (rank)
			kinds[k].send(i);
		else
			kinds[k].receive(i);
		/* what is posted then gets the message of a later round */
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
