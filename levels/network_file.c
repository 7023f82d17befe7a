/* A network while its file is read; see network_file.h. */
#include "network_file.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

char *tape_network_line(struct tape_network_text *t)
{
	char *line, *end;

	do {
		int more;

		line = end = t->at;
		t->line = t->next;
		do {
			char *eol = end + strcspn(end, "\n");
			char *next = eol + (*eol != '\0');
			char *comment = end + strcspn(end, "#\n");

			memset(comment, ' ', (size_t)(eol - comment));
			while (eol > end && strchr(" \t\r", eol[-1]))
				eol--;
			more = eol > end && eol[-1] == '\\' && *next;
			if (more)
				memset(eol - 1, ' ', (size_t)(next - eol + 1));
			else
				*eol = '\0';
			t->next++;
			end = t->at = next;
		} while (more);
		line += strspn(line, " \t");
	} while (!*line && *t->at);
	return *line ? line : NULL;
}

char *tape_network_word(char **line)
{
	char *word = *line + strspn(*line, " \t");
	size_t n = strcspn(word, " \t");

	if (!*word)
		return NULL;
	*line = word + n;
	if (**line)
		*(*line)++ = '\0';
	return word;
}

int tape_network_refuse(struct tape_network_text *t, const char *why)
{
	t->what = why;
	return TAPE_EFORMAT;
}

/* Makes room for one more, of n; returns the array, or NULL. */
static void *grow_array(void *array, size_t n, size_t *room, size_t bytes)
{
	size_t more = *room ? *room * 2 : 64;
	void *bigger;

	if (n < *room)
		return array;
	bigger = realloc(array, more * bytes);
	if (bigger)
		*room = more;
	return bigger;
}

int tape_network_add_path(struct tape_network *n, const char *text)
{
	char **paths =
	    grow_array(n->paths, n->n_paths, &n->paths_room, sizeof *paths);

	if (!paths)
		return TAPE_ENOMEM;
	n->paths = paths;
	paths[n->n_paths] = strdup(text);
	return paths[n->n_paths] ? (n->n_paths++, 0) : TAPE_ENOMEM;
}

struct adding {
	struct tape_network *n;
	struct tape_network_text *t;
	const char *what;
};

static int add_host(void *adding, const char *name)
{
	struct adding *a = adding;
	struct tape_network *n = a->n;
	struct tape_network_host *hosts;

	if (n->n == TAPE_HOSTS_MAX) {
		a->what = "more than 262144 hosts";
		return TAPE_EFORMAT;
	}
	hosts = grow_array(n->hosts, n->n, &n->room, sizeof *hosts);
	if (!hosts)
		return TAPE_ENOMEM;
	n->hosts = hosts;
	hosts[n->n].name = strdup(name);
	hosts[n->n].line = a->t->line;
	hosts[n->n].path = n->n_paths;
	return hosts[n->n].name ? (n->n++, 0) : TAPE_ENOMEM;
}

int tape_network_add_hosts(struct tape_network *n, struct tape_network_text *t,
			   const char *list)
{
	struct adding a = {n, t, ""};
	int e = tape_host_list(list, add_host, &a, &a.what);

	return e == TAPE_EFORMAT ? tape_network_refuse(t, a.what) : e;
}
