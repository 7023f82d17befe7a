/* The job that spawned this one; see spawn.h. spawn_call.c has the calls. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "number_text.h"
#include "abi.h"
#include "define.h"
#include "next.h"
#include "message.h"
#include "settings_of_job.h"
#include "spawn.h"
#include "spawn_call.h"

/* In MPI_Init, on a stack that is large enough. */
TAPE_ON_OWN_STACK

static struct tape_spawned job;

static uint64_t make_number(void)
{
	uint64_t number = 0;
	struct timespec t;

	if (getrandom(&number, sizeof number, GRND_NONBLOCK) !=
	    sizeof number) {
		clock_gettime(CLOCK_REALTIME, &t);
		number = (uint64_t)t.tv_sec * 1000000007u +
			 (uint64_t)t.tv_nsec * 4294967311u + (uint64_t)getpid();
	}
	return number ? number : 1;
}

static int is_spawned(void)
{
	MPI_Comm parent = MPI_COMM_NULL;

	return PMPI_Comm_get_parent(&parent) == MPI_SUCCESS &&
	       parent != MPI_COMM_NULL;
}

/* Undoes tape_escape, in place. */
static char *unescape_word(char *word)
{
	char *to = word, digits[3] = "";

	if (!strcmp(word, "%"))
		*word = '\0';
	for (const char *p = word; *p; to++) {
		if (*p == '%' && isxdigit((unsigned char)p[1]) &&
		    isxdigit((unsigned char)p[2])) {
			memcpy(digits, p + 1, 2);
			*to = (char)tape_leading_number(digits, 16);
			p += 3;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
	return word;
}

/* One line of the file: a word, and one or two words after it. 0, or -1. */
static int parse_spawn_line(struct tape_spawned *s, char *line)
{
	char *rest = line, *key = strsep(&rest, " "), *word;

	if (!rest)
		return 0;
	if (!strcmp(key, "id")) {
		s->id = tape_leading_number(rest, 16);
	} else if (!strcmp(key, "trace")) {
		unescape_word(rest);
		if (strlen(rest) < sizeof s->trace)
			strcpy(s->trace, rest);
	} else if (!strcmp(key, "setting")) {
		word = strsep(&rest, " ");
		if (rest && !strncmp(word, "TAPE_", 5))
			return tape_settings_add(word, unescape_word(rest));
	}
	return 0;
}

/* The whole file as a text, to be freed; NULL with errno. */
static char *read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text = fd < 0 ? NULL : calloc(1, TAPE_SPAWN_BYTES + 1);
	size_t length = 0;
	ssize_t n = 0;

	while (text && length <= TAPE_SPAWN_BYTES &&
	       (n = TEMP_FAILURE_RETRY(
			read(fd, text + length,
			     TAPE_SPAWN_BYTES + 1 - length))) > 0)
		length += (size_t)n;
	if (fd >= 0)
		close(fd);
	if (length > TAPE_SPAWN_BYTES)
		errno = EFBIG;
	if (n >= 0 && length <= TAPE_SPAWN_BYTES)
		return text;
	free(text);
	return NULL;
}

/* 0, or -1 with errno. */
static int read_spawn_file(struct tape_spawned *s, const char *path)
{
	char *text = read_text(path), *rest = text;
	int rc = text ? 0 : -1;

	if (text && strcmp(strsep(&rest, "\n"), TAPE_SPAWN_FIRST)) {
		errno = EINVAL;
		rc = -1;
	}
	while (!rc && rest)
		rc = parse_spawn_line(s, strsep(&rest, "\n"));
	free(text);
	return rc;
}

void tape_spawn_find(struct tape_spawned *s)
{
	const char *path = secure_getenv(TAPE_SPAWNED);

	memset(s, 0, sizeof *s);
	s->run = make_number();
	/* what the spawned process starts is not spawned */
	if (!path || !*path || !is_spawned())
		return;
	errno = 0;
	if (read_spawn_file(s, path) || !s->id || !*s->trace) {
		tape_say("cannot read %.800s: %s; the trace is not linked to "
			 "that of the processes that spawned this one",
			 path, errno ? strerror(errno) : "it is incomplete");
		s->id = 0;
	}
}

void tape_spawn_start(const struct tape_spawned *s)
{
	static int put;

	job = *s;
	tape_comm_begin(s);
	if (!put)
		tape_next_replace(tape_spawn_put);
	put = 1;
}

void tape_spawn_define(void)
{
	MPI_Comm parent = MPI_COMM_NULL;

	if (job.id && PMPI_Comm_get_parent(&parent) == MPI_SUCCESS)
		tape_comm_parent(parent);
}

/* In the trace of those who spawned: where this one is. */
static void report_to_parent(void)
{
	char word[3 * sizeof tape_process.dir + 2], *line = NULL;
	const char *path = secure_getenv(TAPE_SPAWNED);
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
		      : -1;
	int n = asprintf(&line, "child %s\n",
			 tape_escape(word, sizeof word, tape_process.dir));

	/* who reads it finds the trace, or is told */
	if (fd >= 0 && n > 0)
		(void)!TEMP_FAILURE_RETRY(write(fd, line, (size_t)n));
	if (fd >= 0)
		close(fd);
	if (n > 0)
		free(line);
}

void tape_spawn_meta(FILE *meta)
{
	char word[3 * sizeof job.trace + 2];

	if (!job.id)
		return;
	fprintf(meta, "spawned %llx %s\n", (unsigned long long)job.id,
		tape_escape(word, sizeof word, job.trace));
	report_to_parent();
}
TAPE_ON_OWN_STACK_END
