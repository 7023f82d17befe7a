/*
 * Actions as text: what is written is read, and written again the same; what
 * SimGrid's own files say; what is wrong is said with file and line. With two
 * arguments: reads the first folder, or list, writes its files to the second.
 */
#include "action.h"
#include "action_text.h"
#include <sys/stat.h>

#include "folder.h"
#include "tap.h"

static char text[1 << 16];

/* The files of s, written one behind the other into name: 0, or why not. */
static const char *write_all(struct tape_actions *s, const char *name,
			     int packed)
{
	struct tape_action_sums sums = { .alone = 1 };
	const struct tape_action *a;
	const char *wrong = NULL;
	int fd, rc = 1;

	for (size_t r = 0; !wrong && r < tape_actions_ranks(s); r++) {
		struct tape_action_writer *w;
		char path[700];

		snprintf(path, sizeof path, "%s/rank.%zu", name, r);
		fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0666);
		w = tape_action_writer_new((int)r, fd, packed);
		while (w && (rc = tape_actions_next(s, (int)r, &a)) == 1)
			if (tape_action_writer_put(w, a))
				return "not written";
		if (rc)
			wrong = tape_actions_error(s);
		if (!w || tape_action_writer_end(w, &sums) || close(fd))
			wrong = "not written";
	}
	return wrong;
}

static void put(const char *name, const char *bytes)
{
	folder_write(folder_path(name, NULL), bytes, strlen(bytes));
}

static const char *get(const char *name)
{
	FILE *f = fopen(folder_path(name, NULL), "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	return text;
}

/* Rank 0 of two says this; the other one nothing. */
static const char *again(const char *lines, int packed)
{
	struct tape_actions *s;
	const char *wrong;
	static char said[1500];
	int rc;

	put("in/ranks", "rank.0\n\n# the other\n  rank.1 \n");
	put("in/rank.0", lines);
	put("in/rank.1", "1 init\n1 finalize\n");
	rc = tape_actions_open_files(folder_path("in", NULL), &s);
	wrong = rc ? tape_actions_error(s)
		   : write_all(s, folder_path("out", NULL), packed);
	snprintf(said, sizeof said, "%s", wrong ? wrong : "");
	if (!wrong && packed) {
		tape_actions_close(s);
		put("out/ranks", "rank.0\nrank.1\n");
		rc = tape_actions_open_files(folder_path("out", NULL), &s);
		wrong = rc ? tape_actions_error(s)
			   : write_all(s, folder_path("in", NULL), 0);
		snprintf(said, sizeof said, "%s", wrong ? wrong : "");
	}
	tape_actions_close(s);
	return *said ? said : get(packed ? "in/rank.0" : "out/rank.0");
}

/* Both without the finalize that ends each file, where they have none. */
static void check(const char *what, const char *lines, const char *expected)
{
	const char *end = strstr(lines, "finalize") ? "" : "0 finalize\n";
	static char in[4000], out[4000];
	const char *got;

	snprintf(in, sizeof in, "%s%s", lines, end);
	snprintf(out, sizeof out, "%s%s", expected, end);
	got = again(in, 0);
	if (!ok(!strcmp(got, out), "%s", what))
		printf("# got:\n%s# expected:\n%s", got, out);
}

static void same(const char *what, const char *lines)
{
	check(what, lines, lines);
}

static void wrong(const char *line, const char *why)
{
	char lines[512], expected[512];
	const char *got;

	snprintf(lines, sizeof lines, "0 init\n%s\n0 finalize\n", line);
	snprintf(expected, sizeof expected, "%s: line 2: %s",
		 folder_path("in/rank.0", NULL), why);
	got = again(lines, 0);
	if (!ok(!strcmp(got, expected), "%s", line))
		printf("# got: %s\n# not: %s\n", got, expected);
}

static const char all[] =
	"0 init\n0 compute 1000000\n0 pack 12\n0 sleep 0.500000000\n"
	"0 send 1 0 10 6\n0 ssend 1 2147483647 10 6\n0 isend 1 3 0 6\n"
	"0 issend 0 3 4611686018427387904 6\n0 recv 1 0 10 6\n"
	"0 irecv 1 3 10 6\n0 probe 1 7\n0 wait 0 1 3\n"
	"0 waits 2 0 0 3 1 0 3\n0 barrier\n0 bcast 8 1 6\n"
	"0 reduce 8 0 1 6\n0 allreduce 8 0 6\n0 scan 8 0 6\n"
	"0 exscan 8 0 6\n0 gather 8 16 0 6 6\n0 scatter 8 16 1 6 6\n"
	"0 allgather 8 8 6 6\n0 alltoall 8 8 6 6\n0 reduce_scatter 16 8\n"
	"0 gatherv 8 24 0\n0 scatterv 8 24 1\n0 allgatherv 8 24\n"
	"0 alltoallv 32 24\n0 comm 1 0 5 0\n0 comm 2 1 7 3\n"
	"0 comm 0 1 -1 0\n0 comm 3 3 3 1 1 0\n0 on 1 barrier\n"
	"0 on 2 reduce_scatter 16 8\n0 begin 4 3 allreduce 8 0 6\n"
	"0 begin 5 0 bcast 8 1 6\n0 end 4 5\n0 comm_free 2\n"
	"0 win 4 1 100\n0 win 5 0 0\n0 put 4 1 10\n0 get 4 0 10\n"
	"0 accumulate 4 1 10 0\n0 fence 4\n0 lock 4 1 1\n0 lock 4 -1 0\n"
	"0 unlock 4 1\n0 unlock 4 -1\n0 flush 4 -1\n0 post 4 1 0\n"
	"0 start 4 1\n0 complete 4\n0 wait_win 4\n0 win_free 4\n"
	"0 finalize\n";

static void forms_of_simgrid(void)
{
	check("bytes without a type, doubles behind init 1",
	      "0 send 1 0 10\n0 init 1\n0 send 1 0 10\n0 recv 1 0\n",
	      "0 send 1 0 10 6\n0 init\n0 send 1 0 80 6\n0 recv 1 0 0 6\n");
	check("types by their numbers",
	      "0 send 1 0 3 0\n0 send 1 0 3 1\n0 send 1 0 3 2\n"
	      "0 send 1 0 3 3\n0 send 1 0 3 4\n0 send 1 0 3 5\n"
	      "0 gather 3 2 0 0 1\n",
	      "0 send 1 0 24 6\n0 send 1 0 12 6\n0 send 1 0 3 6\n"
	      "0 send 1 0 6 6\n0 send 1 0 24 6\n0 send 1 0 12 6\n"
	      "0 gather 24 8 0 6 6\n");
	check("roots and types left out",
	      "0 bcast 8\n0 bcast 8 1\n0 reduce 8 0\n0 reduce 8 7 1 1\n"
	      "0 allreduce 8 7\n0 gather 8 8\n0 scatter 1 2 1\n"
	      "0 allgather 4 5\n",
	      "0 bcast 8 0 6\n0 bcast 8 1 6\n0 reduce 8 0 0 6\n"
	      "0 reduce 32 0 1 6\n0 compute 7\n0 allreduce 8 0 6\n"
	      "0 compute 7\n0 gather 8 8 0 6 6\n0 scatter 1 2 1 6 6\n"
	      "0 allgather 4 5 6 6\n");
	check("a count for each rank",
	      "0 alltoallv 9 1 2 9 3 4\n0 gatherv 5 1 2 1 1 1\n"
	      "0 scatterv 1 2 5 1\n0 allgatherv 5 1 2\n"
	      "0 reducescatter 3 4 9 1\n",
	      "0 alltoallv 3 7\n0 gatherv 20 12 1\n0 scatterv 3 5 1\n"
	      "0 allgatherv 5 3\n0 reduce_scatter 28 12\n0 compute 9\n");
	check("waitall, sendRecv, what has no effect",
	      "0 isend 1 1 5\n0 irecv 1 2 5\n0 waitall 2\n"
	      "0 sendRecv 5 1 6 1\n0 test 0 1 1\n0 location a.c 12\n"
	      "0 comm_size 2\n# 0 barrier\n\t\n0\tbarrier \r\n0 compute 1e6\n"
	      "0 finalize",
	      "0 isend 1 1 5 6\n0 irecv 1 2 5 6\n0 waits 2 0 1 1 1 0 2\n"
	      "0 isend 1 0 5 6\n0 irecv 1 0 6 6\n0 waits 2 0 1 0 1 0 0\n"
	      "0 barrier\n0 compute 1000000\n0 finalize\n");
	check("computations are one, in whole operations",
	      "0 compute 1.75\n0 compute 1.75\n0 barrier\n0 compute 0.5\n",
	      "0 compute 3\n0 barrier\n0 compute 1\n");
}

static void errors(void)
{
	wrong("0", "line: action is missing");
	wrong("x barrier", "\"x\" is no rank");
	wrong("1 barrier", "an action of rank 1 in the file of rank 0");
	wrong("0 dance", "\"dance\" is no action");
	wrong("0 comput 1", "\"comput\" is no action");
	wrong("0 compute", "compute: amount is missing");
	wrong("0 compute -1", "\"-1\" is no amount");
	wrong("0 compute nan", "\"nan\" is no amount");
	wrong("0 compute 1e999", "\"1e999\" is no amount");
	wrong("0 send 2 0 1", "\"2\" is no rank of these files");
	wrong("0 send -1 0 1", "\"-1\" is no rank of these files");
	wrong("0 send 1 -1 1", "\"-1\" is no tag");
	wrong("0 send 1 2147483648 1", "\"2147483648\" is no tag");
	wrong("0 send 1 0 -5 6", "\"-5\" is no size");
	wrong("0 send 1 0 1.5 6", "\"1.5\" is no size");
	wrong("0 send 1 0", "send: size is missing");
	wrong("0 send 1 0 5 8", "\"8\" is no type");
	wrong("0 send 1 0 4611686018427387904 0",
	      "more bytes than there can be");
	wrong("0 send 1 0 5 6 6", "\"6\" is no field of this action");
	wrong("0 wait 0 1 5",
	      "no message from 0 to 1 with tag 5 is pending here");
	wrong("0 wait 1 1 5",
	      "no message from 1 to 1 with tag 5 is pending here");
	wrong("0 waits 2 0 1 5",
	      "no message from 0 to 1 with tag 5 is pending here");
	wrong("0 waits 0", "a wait for 0 requests");
	wrong("0 bcast 8 2", "\"2\" is no rank of these files");
	wrong("0 on 1 barrier", "\"1\" is no communicator here");
	wrong("0 on 0 send 1 0 1", "\"send\" is no collective");
	wrong("0 on 0", "on: collective is missing");
	wrong("0 end 1", "no collective 1 is pending here");
	wrong("0 end", "end: request is missing");
	wrong("0 comm 1 2 0 0", "\"2\" is no communicator here");
	wrong("0 comm 0 0 0 0", "communicator 0 is the world");
	wrong("0 comm 1 1 0 0 1",
	      "list of members missing, or this rank is not at index "
	      "KEY of the list");
	wrong("0 comm_free 0", "communicator 0 is the world");
	wrong("0 fence 1", "\"1\" is no window here");
	wrong("0 win 0 0 5", "window numbers start at 1");
}

static void many_waits(void)
{
	size_t room = 4 << 20, used;
	char *lines = malloc(room);
	struct tape_actions *s;
	const struct tape_action *a;
	size_t most = 0;
	int rc = 1;

	used = (size_t)sprintf(lines, "0 init\n");
	for (int i = 0; i < 20000; i++)
		used += (size_t)sprintf(lines + used, "0 isend 1 %d 8 6\n", i);
	used += (size_t)sprintf(lines + used, "0 waits 20000");
	for (int i = 0; i < 20000; i++)
		used += (size_t)sprintf(lines + used, " 0 1 %d", 19999 - i);
	used += (size_t)sprintf(lines + used, "\n0 finalize\n");
	put("in/rank.0", lines);
	if (!tape_actions_open_files(folder_path("in", NULL), &s))
		while ((rc = tape_actions_next(s, 0, &a)) == 1)
			if (a->n_waits > most)
				most = a->n_waits;
	ok(rc == 0 && most == 20000, "a line of 250,000 bytes");
	tape_actions_close(s);
	free(lines);
}

static void lists(void)
{
	struct tape_actions *s;

	put("in/ranks", "# none\n");
	ok(tape_actions_open_files(folder_path("in", NULL), &s) ==
		   TAPE_EFORMAT &&
	       strstr(tape_actions_error(s), "lists no files"),
	   "a list of nothing");
	tape_actions_close(s);
	put("in/ranks", "rank.0\nrank.7\n");
	ok(tape_actions_open_files(folder_path("in/ranks", NULL), &s) ==
		   TAPE_EIO &&
	       strstr(tape_actions_error(s), "in/rank.7: No such file"),
	   "a file that is missing");
	tape_actions_close(s);
	ok(tape_actions_open_files(folder_path("none", NULL), &s) == TAPE_EIO,
	   "a list that is missing");
	tape_actions_close(s);
}

static void packed(void)
{
	char bytes[64] = "\x1f\x8b\x08\0 this is none";

	if (!tape_action_can_compress()) {
		ok(1, "compressed # SKIP there is no zlib");
		return;
	}
	ok(!strcmp(again(all, 1), all), "compressed, and read again");
	ok(strstr(again(bytes, 0), "in/rank.0: ") != NULL, "%s",
	   "compressed data that are none");
}

int main(int argc, char **argv)
{
	struct tape_actions *s;
	const char *why;

	if (argc == 3) {
		why = tape_actions_open_files(argv[1], &s) < 0
			  ? tape_actions_error(s)
			  : write_all(s, argv[2], 0);
		if (why)
			fprintf(stderr, "%s\n", why);
		tape_actions_close(s);
		return why != NULL;
	}
	folder_make();
	mkdir(folder_path("in", NULL), 0777);
	mkdir(folder_path("out", NULL), 0777);
	same("each action, written and read", all);
	forms_of_simgrid();
	errors();
	many_waits();
	packed();
	lists();
	folder_remove();
	return done();
}
