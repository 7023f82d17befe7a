/* The switches above hosts; see network.h. */
#include "hash_slots.h"
#include "hash_bits.h"
#include "number_text.h"
#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "network_file.h"

/* 262,144 hosts with a line of 250 bytes each. */
enum { FILE_MAX = 64 << 20 };

enum { SEVERAL = -1 };

/* A host by its whole name, or by what stands before its first dot. */
struct tape_network_slot {
	const char *name; /* NULL: free */
	size_t length;
	long host; /* or SEVERAL: hosts have this beginning */
	int whole;
};

/* Levels: their types. */
static int read_levels(struct tape_network *n, struct tape_network_text *t,
		       char *line)
{
	const char *type;

	while ((type = tape_network_word(&line))) {
		if (n->levels == TAPE_SWITCH_LEVELS_MAX)
			return tape_network_refuse(t, "more than 24 levels");
		if (strlen(type) >= TAPE_LEVEL_MAX)
			return tape_network_refuse(
			    t, "name of a level longer than 63 bytes");
		if (!tape_position_valid(type) || strpbrk(type, ":/"))
			return tape_network_refuse(
			    t, "invalid character in the name of a level");
		if (!strcasecmp(type, TAPE_LEVEL_CLUSTER) ||
		    !strcasecmp(type, TAPE_LEVEL_MACHINE))
			return tape_network_refuse(
			    t, "Cluster and Machine are predefined levels");
		for (int i = 0; i < n->levels; i++)
			if (!strcasecmp(type, n->level[i]))
				return tape_network_refuse(
				    t, "two levels with the same name");
		strcpy(n->level[n->levels++], type);
	}
	return 0;
}

/* As many numbers as there are levels. */
static int read_numbers(const struct tape_network *n,
			struct tape_network_text *t, char *line,
			unsigned long *numbers)
{
	const char *word;
	int k = 0;

	while ((word = tape_network_word(&line))) {
		size_t digits = strspn(word, "0123456789");

		if (word[digits] || digits > 9)
			return tape_network_refuse(
			    t, "expected a number of at most 9 digits");
		if (k == n->levels)
			return tape_network_refuse(t,
						   "more numbers than levels");
		numbers[k++] = tape_leading_number(word, 10);
	}
	return k == n->levels
		   ? 0
		   : tape_network_refuse(t, "fewer numbers than levels");
}

/* Hosts, and the number of their switch at each level. */
static int read_hosts(struct tape_network *n, struct tape_network_text *t,
		      const char *list, char *line, const unsigned long *dims)
{
	unsigned long at[TAPE_SWITCH_LEVELS_MAX];
	char path[TAPE_POSITION_MAX] = "", name[24];
	int e;

	if (read_numbers(n, t, line, at))
		return TAPE_EFORMAT;
	for (int i = 0; i < n->levels; i++) {
		if (dims && at[i] >= dims[i])
			return tape_network_refuse(
			    t, "switch number out of the range given by dims");
		snprintf(name, sizeof name, "%lu", at[i]);
		if (tape_position_add(path, n->level[i], name) ||
		    strlen(path) >= TAPE_PATH_MAX)
			return tape_network_refuse(
			    t, "the names of the levels are too long in total");
	}
	e = tape_network_add_hosts(n, t, list);
	return e ? e : tape_network_add_path(n, path);
}

static int read_coordinates(struct tape_network *n, struct tape_network_text *t,
			    char *line)
{
	unsigned long dims[TAPE_SWITCH_LEVELS_MAX];
	int have_dims = 0, e = read_levels(n, t, line);

	while (!e && (line = tape_network_line(t))) {
		const char *word = tape_network_word(&line);

		if (!strcmp(word, "levels")) {
			e = tape_network_refuse(t, "levels given twice");
		} else if (strcmp(word, "dims")) {
			e = read_hosts(n, t, word, line,
				       have_dims ? dims : NULL);
		} else if (n->n) {
			e = tape_network_refuse(t,
						"dims must come before hosts");
		} else {
			e = read_numbers(n, t, line, dims);
			have_dims = 1;
		}
	}
	return e;
}

struct host_key {
	const char *name;
	size_t length;
};

static uint64_t hash_name(struct host_key key)
{
	uint64_t h = tape_hash_bytes(TAPE_HASH_START, key.name, key.length);

	return h ^ h >> 32;
}

static int is_used(const struct tape_network_slot *s)
{
	return s->name != NULL;
}

static struct host_key get_key(const void *own,
			       const struct tape_network_slot *s)
{
	(void)own;
	return (struct host_key){s->name, s->length};
}

static int is_equal_name(struct host_key a, struct host_key b)
{
	return a.length == b.length && !memcmp(a.name, b.name, a.length);
}

TAPE_SLOTS(tape_network_slots, struct tape_network_slot, const void *,
	   struct host_key, is_used, get_key, hash_name, is_equal_name)

/* The slot of that name, or the free one where it belongs. */
static struct tape_network_slot *find_name_slot(const struct tape_network *n,
						const char *name, size_t length)
{
	return tape_network_slots_find(NULL, &n->slots,
				       (struct host_key){name, length});
}

/* Hosts by name, then those with a dot by what is before it. */
static int index_hosts(struct tape_network *n, struct tape_network_text *t)
{
	size_t room = 16;

	while (room < 4 * n->n)
		room *= 2;
	if (tape_network_slots_reserve(NULL, &n->slots, room))
		return TAPE_ENOMEM;
	for (size_t i = 0; i < n->n; i++) {
		const char *name = n->hosts[i].name;
		struct tape_network_slot *s =
		    find_name_slot(n, name, strlen(name));

		if (s->name) {
			t->line = n->hosts[i].line;
			return tape_network_refuse(t, "host given twice");
		}
		*s = (struct tape_network_slot){name, strlen(name), (long)i, 1};
	}
	for (size_t i = 0; i < n->n; i++) {
		const char *name = n->hosts[i].name;
		size_t length = strcspn(name, ".");
		struct tape_network_slot *s;

		if (!name[length] || !length)
			continue;
		s = find_name_slot(n, name, length);
		if (!s->name)
			*s = (struct tape_network_slot){name, length, (long)i,
							0};
		else if (!s->whole)
			s->host = SEVERAL;
	}
	return 0;
}

int tape_network_parse(struct tape_network **network, char *text,
		       struct tape_network_fault *fault)
{
	struct tape_network *n = calloc(1, sizeof *n);
	struct tape_network_text t = {text, 0, 1, NULL};
	char *line, *word;
	int e;

	*network = NULL;
	fault->line = 0;
	fault->what = tape_error_text(TAPE_ENOMEM);
	if (!n)
		return TAPE_ENOMEM;
	line = tape_network_line(&t);
	if (!line) {
		t.line = 0;
		e = tape_network_refuse(&t, "the file is empty");
	} else if (line[strcspn(line, "= \t")] == '=') {
		e = tape_network_slurm(n, &t, line);
	} else {
		word = tape_network_word(&line);
		e = strcmp(word, "levels")
			? tape_network_refuse(&t, "expected levels, or "
						  "SwitchName= as Slurm has it")
			: read_coordinates(n, &t, line);
	}
	if (!e)
		e = index_hosts(n, &t);
	if (e == TAPE_EFORMAT) {
		fault->line = t.line;
		fault->what = t.what;
	}
	if (e)
		tape_network_free(n);
	else
		*network = n;
	return e;
}

static int refuse_file(struct tape_network_fault *fault, const char *why)
{
	fault->line = 0;
	fault->what = why;
	return TAPE_EFORMAT;
}

/* All bytes of the file, and a NUL, into *text. */
static int read_network_text(int fd, char **text,
			     struct tape_network_fault *fault)
{
	struct stat s;
	size_t n = 0, room;

	if (fstat(fd, &s))
		return TAPE_EIO;
	if (!S_ISREG(s.st_mode))
		return refuse_file(fault, "not a plain file");
	if (s.st_size > FILE_MAX)
		return refuse_file(fault, "larger than 64 MiB");
	room = (size_t)s.st_size; /* what comes later is left out */
	*text = malloc(room + 1);
	if (!*text)
		return TAPE_ENOMEM;
	while (n < room) {
		ssize_t got = TEMP_FAILURE_RETRY(read(fd, *text + n, room - n));

		if (got < 0)
			return TAPE_EIO;
		if (!got)
			break;
		n += (size_t)got;
	}
	(*text)[n] = '\0';
	return strlen(*text) == n ? 0 : refuse_file(fault, "not a text file");
}

int tape_network_text(char **text, const char *path,
		      struct tape_network_fault *fault)
{
	/* does not wait for the other end of a pipe */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int e, saved;

	*text = NULL;
	fault->line = 0;
	fault->what = tape_error_text(TAPE_EIO);
	if (fd < 0)
		return TAPE_EIO;
	e = read_network_text(fd, text, fault);
	saved = errno;
	close(fd);
	if (e) {
		free(*text);
		*text = NULL;
	}
	errno = saved;
	return e;
}

int tape_network_read(struct tape_network **n, const char *path,
		      struct tape_network_fault *fault)
{
	char *text;
	int e = tape_network_text(&text, path, fault);

	*n = NULL;
	if (!e)
		e = tape_network_parse(n, text, fault);
	free(text);
	return e;
}

void tape_network_free(struct tape_network *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n; i++)
		free(n->hosts[i].name);
	for (size_t i = 0; i < n->n_paths; i++)
		free(n->paths[i]);
	free(n->hosts);
	free(n->paths);
	free(n->slots.list);
	free(n);
}

/* The host of that name, or NULL. */
static const struct tape_network_host *find_host(const struct tape_network *n,
						 const char *host)
{
	size_t length = strlen(host), before = strcspn(host, ".");
	const struct tape_network_slot *s = find_name_slot(n, host, length);

	if (!s->name && before && before < length) {
		s = find_name_slot(n, host, before);
		if (s->name && !s->whole)
			return NULL; /* another domain's */
	}
	return s->name && s->host != SEVERAL ? &n->hosts[s->host] : NULL;
}

void tape_network_position(const struct tape_network *n, const char *host,
			   char position[TAPE_POSITION_MAX])
{
	const struct tape_network_host *h = n ? find_host(n, host) : NULL;
	const char *path = h ? n->paths[h->path] : "";

	snprintf(position, TAPE_POSITION_MAX, "%s%s%s", TAPE_LEVEL_CLUSTER,
		 *path ? "/" : "", path);
	tape_position_add(position, TAPE_LEVEL_MACHINE, host);
}

int tape_network_knows(const struct tape_network *n, const char *host)
{
	return n && find_host(n, host) != NULL;
}

int tape_network_levels(const struct tape_network *n)
{
	return n ? n->levels : 0;
}

const char *tape_network_level(const struct tape_network *n, int i)
{
	return n->level[i];
}

const char *tape_network_host(const struct tape_network *n, size_t i)
{
	return n && i < n->n ? n->hosts[i].name : NULL;
}
