/*
 * Finds the partitions of a job; see partitions.h. Each process says in one
 * gather what it is: a hash of what makes its partition. The rest follows
 * without a message, but for the texts, which the first rank of a partition
 * tells the others.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "partitions.h"

/* of a program that is traced, the tracing library has them for all */
#define EXPORT __attribute__((visibility("default")))

enum { TEXT_BYTES = 4096, VERSION_BYTES = 32 };

/* How long others may take before the user hears of it. */
enum { HINT_S = 10, PAUSE_NS = 20000 };

/*
 * What a process says of itself. It is the same in all versions of Tape that
 * know partitions, so that each program has its own even in a mixed job.
 */
struct card {
	uint64_t key;
	int32_t app; /* MPI_APPNUM, or -1 */
	uint32_t analyser;
	char version[VERSION_BYTES];
	char reserved[16];
};
_Static_assert(sizeof(struct card) == 64, "the same for all versions");

/* The texts of a partition, as its first rank has them. */
struct texts {
	char name[256], command[TEXT_BYTES];
};

static struct tape_partitions found = {.universe = MPI_COMM_NULL,
				       .mine = MPI_COMM_NULL};
static struct tape_partition *list;
static struct texts *texts;
static struct card *cards;
static int *ranks;
static int opened;

/*
 * Waits asleep: the others may be minutes away, and share the processor. Only
 * the first meeting is with a process that may never arrive.
 */
static int wait_asleep(int rc, MPI_Request *r, int hint)
{
	const struct timespec pause = {0, PAUSE_NS};
	time_t start = time(NULL);
	int done = 0;

	if (rc != MPI_SUCCESS)
		return rc;
	while ((rc = PMPI_Test(r, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS &&
	       !done) {
		nanosleep(&pause, NULL);
		if (!hint || time(NULL) - start < HINT_S)
			continue;
		hint = 0;
		if (!found.rank)
			fprintf(stderr,
				"tape: waiting for all processes of "
				"this job: with stream = mpi each has to run "
				"under taperun or be an analyser\n");
	}
	return rc;
}

/* The words of the command line, as the kernel has them. */
static void read_own_command(char *to, size_t n)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, to, n - 1) : 0;

	if (fd >= 0)
		close(fd);
	got = got > 0 ? got : 0;
	to[got] = '\0';
	while (got > 0 && !to[got - 1])
		got--;
	for (ssize_t i = 0; i < got; i++)
		if (!to[i])
			to[i] = ' ';
}

/* The program's name: the first word, without its folders. */
static void get_program_name(const char *command, char *to, size_t n)
{
	size_t word = strcspn(command, " ");
	const char *end = command + word, *name = end;

	while (name > command && name[-1] != '/')
		name--;
	snprintf(to, n, "%.*s", (int)(end - name), name);
	if (!*to)
		snprintf(to, n, "program");
}

static void describe_process(const struct tape_partition_request *w,
			     MPI_Comm world, struct card *c, struct texts *t)
{
	int *app, flag = 0;
	XXH64_hash_t key;

	memset(c, 0, sizeof *c);
	memset(t, 0, sizeof *t);
	PMPI_Comm_get_attr(world, MPI_APPNUM, &app, &flag);
	c->app = flag ? *app : -1;
	c->analyser = w->analyser != 0;
	snprintf(c->version, sizeof c->version, "%s", TAPE_VERSION);
	if (w->command)
		snprintf(t->command, sizeof t->command, "%s", w->command);
	else
		read_own_command(t->command, sizeof t->command);
	if (w->name && *w->name) {
		snprintf(t->name, sizeof t->name, "%s", w->name);
		key = XXH3_64bits(t->name, strlen(t->name));
	} else {
		get_program_name(t->command, t->name, sizeof t->name);
		key = XXH3_64bits_withSeed(t->command, strlen(t->command),
					   (XXH64_hash_t)c->app + 1);
	}
	c->key = key ^ c->analyser;
}

/* Partitions in order of first ranks, their sizes; of is that of each rank. */
static int count_partitions(int *of)
{
	int n = 0, k;

	for (int r = 0; r < found.size; r++) {
		for (k = 0; k < n; k++)
			if (cards[ranks[k]].key == cards[r].key)
				break;
		if (k == n)
			ranks[n++] = r; /* the first, until there is a list */
		of[r] = k;
	}
	return n;
}

/* How many parts of mpirun's line are before mine in my partition. */
static int get_own_app(const struct tape_partition *p)
{
	int32_t mine = cards[found.rank].app, least = -1;
	int before = 0;

	/* one after the other, in their order: there are few */
	for (;;) {
		int32_t next = mine;

		for (int i = 0; i < p->size; i++) {
			int32_t app = cards[p->ranks[i]].app;

			if (app > least && app < next)
				next = app;
		}
		if (next >= mine)
			return before;
		least = next;
		before++;
	}
}

static void fill_list(const int *of)
{
	int used = 0;

	for (int k = 0; k < found.n; k++) {
		struct tape_partition *p = &list[k];
		int *first = ranks + used;

		p->id = k;
		for (int r = 0; r < found.size; r++)
			if (of[r] == k)
				ranks[used++] = r;
		p->ranks = first;
		p->size = (int)(ranks + used - first);
		p->analyser = cards[*first].analyser != 0;
		p->version = cards[*first].version;
		p->name = texts[k].name;
		p->command = texts[k].command;
	}
	found.list = list;
	found.my = &list[of[found.rank]];
	found.my_app = get_own_app(found.my);
}

/* A name that an earlier one has gets a number: "a-2". */
static void make_unique(void)
{
	for (int k = 0; k < found.n; k++) {
		char plain[200];
		int again = 1, i = 0;

		texts[k].name[sizeof texts[k].name - 1] = '\0';
		texts[k].command[TEXT_BYTES - 1] = '\0';
		snprintf(plain, sizeof plain, "%.199s", texts[k].name);
		snprintf(texts[k].name, sizeof texts[k].name, "%s", plain);
		while (i < k) {
			if (strcmp(texts[k].name, texts[i++].name))
				continue;
			snprintf(texts[k].name, sizeof texts[k].name, "%s-%d",
				 plain, ++again);
			i = 0;
		}
	}
}

static int share_texts(const struct texts *mine, const int *of)
{
	for (int k = 0, first = 0; k < found.n; k++) {
		MPI_Request r;

		while (of[first] != k)
			first++;
		if (first == found.rank)
			texts[k] = *mine;
		if (wait_asleep(PMPI_Ibcast(&texts[k], sizeof *texts, MPI_BYTE,
					    first, found.universe, &r),
				&r, 0) != MPI_SUCCESS)
			return -1;
		first = 0;
	}
	make_unique();
	return 0;
}

static void free_partitions(void)
{
	if (found.mine != MPI_COMM_NULL)
		PMPI_Comm_free(&found.mine);
	if (found.universe != MPI_COMM_NULL)
		PMPI_Comm_free(&found.universe);
	free(cards);
	free(ranks);
	free(list);
	free(texts);
	cards = NULL;
	ranks = NULL;
	list = NULL;
	texts = NULL;
	found = (struct tape_partitions){.universe = MPI_COMM_NULL,
					 .mine = MPI_COMM_NULL};
}

/* With room for the table; own and mine are what this process says. */
static int find_partitions(MPI_Comm world, const struct card *own,
			   const struct texts *mine, int *of)
{
	MPI_Request r;

	if (wait_asleep(PMPI_Iallgather(own, sizeof *own, MPI_BYTE, cards,
					sizeof *cards, MPI_BYTE, found.universe,
					&r),
			&r, 0) != MPI_SUCCESS)
		return TAPE_EIO;
	found.one_version = 1;
	for (int i = 0; i < found.size; i++) {
		cards[i].version[VERSION_BYTES - 1] = '\0';
		found.one_version &=
		    !strcmp(cards[i].version, cards[0].version);
	}
	found.n = count_partitions(of);
	list = calloc((size_t)found.n, sizeof *list);
	texts = calloc((size_t)found.n, sizeof *texts);
	if (!list || !texts)
		return TAPE_ENOMEM;
	fill_list(of);
	/* of world: the new communicator has its error handler */
	if (share_texts(mine, of) ||
	    PMPI_Comm_split(world, of[found.rank], found.rank, &found.mine) !=
		MPI_SUCCESS)
		return TAPE_EIO;
	PMPI_Comm_rank(found.mine, &found.my_rank);
	return 0;
}

static int open_partitions(const struct tape_partition_request *w,
			   struct texts *mine)
{
	MPI_Comm world = w->world ? *w->world : MPI_COMM_WORLD;
	struct card own;
	MPI_Request r;
	int *of, rc = TAPE_ENOMEM;

	describe_process(w, world, &own, mine);
	PMPI_Comm_rank(world, &found.rank);
	PMPI_Comm_size(world, &found.size);
	if (wait_asleep(PMPI_Comm_idup(world, &found.universe, &r), &r, 1) !=
	    MPI_SUCCESS) {
		found.universe = MPI_COMM_NULL;
		return TAPE_EIO;
	}
	PMPI_Comm_set_errhandler(found.universe, MPI_ERRORS_RETURN);
	of = calloc((size_t)found.size, sizeof *of);
	ranks = calloc((size_t)found.size, sizeof *ranks);
	cards = calloc((size_t)found.size, sizeof *cards);
	if (of && ranks && cards)
		rc = find_partitions(world, &own, mine, of);
	free(of);
	return rc;
}

EXPORT int tape_partitions_open(const struct tape_partition_request *request,
				char *error, size_t n)
{
	struct texts *mine;
	int rc = TAPE_ENOMEM;

	if (opened) {
		opened++;
		return 0;
	}
	mine = malloc(sizeof *mine);
	if (mine)
		rc = open_partitions(request, mine);
	free(mine);
	if (!rc) {
		opened = 1;
		return 0;
	}
	free_partitions();
	snprintf(error, n,
		 "the programs of this job cannot be distinguished: %s",
		 tape_error_text(rc));
	return rc;
}

EXPORT const struct tape_partitions *tape_partitions(void)
{
	return opened ? &found : NULL;
}

EXPORT const struct tape_partition *tape_partitions_find(const char *name)
{
	for (int k = 0; opened && k < found.n; k++)
		if (!strcmp(list[k].name, name))
			return &list[k];
	return NULL;
}

EXPORT void tape_partitions_close(void)
{
	if (opened && !--opened)
		free_partitions();
}
