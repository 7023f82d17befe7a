/*
 * Lists of patterns, what they say of calls, regions and files, and how the
 * settings take them: from a file, from the environment, and refused.
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "filter.h"
#include "folder.h"
#include "tap.h"
#include "tape_reader.h"

static enum tape_verdict says(const char *list, const char *name)
{
	return tape_list_verdict(list, name, NULL);
}

static void verdicts(void)
{
	uint64_t hits = 0;

	ok(says("solve", "solve") == TAPE_IN && says("-solve", "solve") ==
	   TAPE_OUT && says("+solve", "solve") == TAPE_IN,
	   "in, out, and in by its sign");
	ok(says("solve", "solver") == TAPE_UNSAID && says("", "x") ==
	   TAPE_UNSAID && says(" , ", "x") == TAPE_UNSAID,
	   "nothing is said of what does not match");
	ok(says("-io_*", "io_read") == TAPE_OUT && says("-io_?", "io_read") ==
	   TAPE_UNSAID && says("io_[rw]*", "io_write") == TAPE_IN,
	   "wildcards of a shell");
	ok(says("-io_*, +io_read", "io_read") == TAPE_IN &&
	   says("-io_*, +io_read", "io_write") == TAPE_OUT &&
	   says("+io_read -io_*", "io_read") == TAPE_OUT,
	   "the last word that matches counts");
	ok(says("a,b c", "b") == TAPE_IN && says("a,b c", "c") == TAPE_IN &&
	   says("two?words", "two words") == TAPE_IN,
	   "commas and blanks separate, ? stands for a blank");
	says("-x", "x");
	tape_list_verdict("-a, b*, ba", "ba", &hits);
	ok(hits == 6, "each word that matched is noted");
	ok(tape_list_changes("-a b") && tape_list_changes("+a") &&
	   tape_list_changes("") && !tape_list_changes("a -b"),
	   "the first word's sign tells from what a list starts");
}

static void files(void)
{
	ok(tape_list_file("-libfoo*", "/usr/lib/libfoo.so.3", NULL) ==
	   TAPE_OUT && tape_list_file("-libfoo*", "/libfoo/bar", NULL) ==
	   TAPE_UNSAID && tape_list_file("a.c", "a.c", NULL) == TAPE_IN,
	   "a pattern without / is for the last part of a path");
	ok(tape_list_file("-*/io/*", "src/io/a.c", NULL) == TAPE_OUT &&
	   tape_list_file("-*/io/*", "io.c", NULL) == TAPE_UNSAID,
	   "one with / is for the whole of it");
}

static void limits(void)
{
	char list[2 * TAPE_LIST_BYTES], word[16];

	ok(tape_list_is_valid("a, -b*") && tape_list_is_valid("") &&
	   !tape_list_is_valid("a, -") && !tape_list_is_valid("- a") &&
	   !tape_list_is_valid("+"), "a sign alone is no word");
	memset(list, 'x', sizeof list);
	list[TAPE_LIST_BYTES - 1] = '\0';
	ok(tape_list_is_valid(list), "the longest list");
	list[TAPE_LIST_BYTES - 1] = 'x';
	list[TAPE_LIST_BYTES] = '\0';
	ok(!tape_list_is_valid(list), "one byte more is too long");
	*list = '\0';
	for (unsigned i = 0; i < TAPE_LIST_WORDS; i++)
		strcat(list, "a,");
	ok(tape_list_is_valid(list), "as many words as there can be");
	strcat(list, "a");
	ok(!tape_list_is_valid(list), "one more is too many");
	ok(!strcmp(tape_list_word("-ab cd", 0, word, sizeof word), "ab") &&
	   !strcmp(tape_list_word("-ab cd", 1, word, sizeof word), "cd") &&
	   !tape_list_word("-ab cd", 2, word, sizeof word),
	   "words come without their signs");
}

/* ---- calls ---- */

static unsigned char wanted[TAPE_CALL_COUNT];

/* Which calls these settings record; their number. */
static unsigned choose(const char *groups, const char *calls)
{
	uint32_t bits;
	unsigned n = 0;

	if (tape_filter_groups(groups, &bits))
		return 0;
	tape_filter_calls(bits, calls, wanted);
	for (unsigned c = 0; c < TAPE_CALL_COUNT; c++)
		n += wanted[c];
	return n;
}

static int has(const char *call)
{
	return wanted[tape_call_find(call)];
}

static void calls(void)
{
	char word[64];
	unsigned all = choose("all", ""), n = 0, probes;

	for (unsigned c = 0; c < TAPE_CALL_COUNT; c++)
		n += *tape_call_name(c) != '?';
	ok(all == n, "all: the %u calls of the catalogue", n);
	ok(choose("none", "") == 8 && has("MPI_Init") && has("MPI_Finalize") &&
	   has("MPI_Init_thread") && has("MPI_Abort") && has("pvm_mytid") &&
	   has("pvm_exit"),
	   "none: the start and the end stay");
	probes = choose("probe", "");
	ok(has("MPI_Iprobe") && has("MPI_Mprobe") && !has("MPI_Mrecv") &&
	   has("pvm_probe") && probes == 13, "a group alone");
	ok(choose("-probe", "") == all - 5 && !has("MPI_Iprobe"),
	   "a group less");
	choose("-p2p collective,-collective", "");
	ok(!has("MPI_Bcast") && !has("MPI_Send") && has("MPI_Wait"),
	   "groups in turn");
	ok(!choose("p2p,q2q", "") && !choose("always", "") && !choose("p*", ""),
	   "no such group");
	ok(choose("all", "-MPI_Iprobe -MPI_Type_*") < all - 20 &&
	   !has("MPI_Iprobe") && !has("MPI_Type_size") && has("MPI_Probe"),
	   "calls less, by patterns");
	ok(choose("all", "MPI_Send, MPI_Recv") == 10 && has("MPI_Send") &&
	   has("MPI_Recv") && has("MPI_Init"), "only these calls");
	choose("probe", "+MPI_Bcast -MPI_Iprobe");
	ok(has("MPI_Bcast") && has("MPI_Probe") && !has("MPI_Iprobe") &&
	   !has("MPI_Send"), "a group, and calls more and less");
	choose("all", "-*");
	ok(has("MPI_Init") && has("MPI_Finalize") && !has("MPI_Send"),
	   "the start and the end cannot be taken away");
	ok(!tape_filter_unknown("-MPI_*, MPI_Send", word, sizeof word) &&
	   !strcmp(tape_filter_unknown("MPI_Send -mpi_send", word,
				       sizeof word), "mpi_send"),
	   "a pattern that no call has is found");
}

/* ---- settings ---- */

static struct tape_config config;
static char error[1200];

static int read_with(const char *text)
{
	const char *path = folder_path("conf", NULL);

	folder_write(path, text, strlen(text));
	setenv("TAPE_CONF", path, 1);
	*error = '\0';
	return tape_config_read(&config, error, sizeof error);
}

static int refused(const char *text, const char *sentence)
{
	return read_with(text) && strstr(error, "conf:1: ") &&
	       strstr(error, sentence) && !strchr(error, '\n');
}

static void settings(void)
{
	ok(!read_with("") && !config.max_rate && !*config.regions &&
	   config.wanted[TAPE_CALL_MPI_Send], "by default all is recorded");
	ok(!read_with("calls = -MPI_Send\nregions = -a, b\nmarks = c\n"
		      "files = -*.h\nmax_rate = 1000\ngroups=-io\n") &&
	   !config.wanted[TAPE_CALL_MPI_Send] &&
	   !config.wanted[TAPE_CALL_MPI_File_open] &&
	   !strcmp(config.regions, "-a, b") && !strcmp(config.marks, "c") &&
	   !strcmp(config.files, "-*.h") && config.max_rate == 1000,
	   "each from a file, in any order");
	setenv("TAPE_CALLS", "-MPI_Recv", 1);
	ok(!read_with("calls = -MPI_Send\n") &&
	   config.wanted[TAPE_CALL_MPI_Send] &&
	   !config.wanted[TAPE_CALL_MPI_Recv],
	   "the environment replaces the whole list");
	unsetenv("TAPE_CALLS");
	ok(refused("calls = -MPI_Send, -MPI_Sned\n",
		   "calls: MPI_Sned is not a call;"),
	   "an unknown call is refused by its name");
	ok(refused("calls = -\n", "calls = -: expected"), "a sign alone");
	ok(refused("groups = p2p,q2q\n", "groups = p2p,q2q: expected") &&
	   strstr(error, "completion, collective"),
	   "an unknown group: the sentence has all names");
	ok(refused("max_rate = -1\n", "max_rate = -1: expected events") &&
	   refused("max_rate = 1e6\n", "max_rate = 1e6: expected events") &&
	   refused("max_rate = 1000000001\n", "expected events"),
	   "a rate out of range");
}

int main(void)
{
	folder_make();
	verdicts();
	files();
	limits();
	calls();
	settings();
	folder_remove();
	return done();
}
