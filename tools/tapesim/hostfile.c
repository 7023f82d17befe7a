/* See hostfile.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "file_input.h"
#include "hostfile.h"
#include "position.h"
#include "sort.h"
#include "tool.h"

/*
 * The host in a position, to be freed. Returns NULL if word is no position or
 * has no host.
 */
static char *host_of_position(const char *word)
{
	size_t end, from;

	if (strncmp(word, TAPE_LEVEL_CLUSTER "/", 8) != 0 ||
	    !tape_position_valid(word))
		return NULL;
	from = end = tape_position_find(word, TAPE_LEVEL_MACHINE);
	while (from && word[from - 1] != '/')
		from--;
	from += strcspn(word + from, ":/") + 1;
	return from < end ? tape_must(strndup(word + from, end - from)) : NULL;
}

char **sim_hostfile_read(const char *path, size_t ranks, char ***positions)
{
	char **names = tape_must(calloc(ranks + 1, sizeof *names));
	char **where = tape_must(calloc(ranks + 1, sizeof *where));
	FILE *f = tape_file_input(path);
	char *line = NULL, *word, *rest, shown[300];
	size_t n = 0, room = 0;

	tape_clean(path, shown, sizeof shown);
	for (unsigned number = 1; getline(&line, &room, f) > 0; number++) {
		line[strcspn(line, "#")] = '\0';
		word = strtok_r(line, " \t\r\n", &rest);
		if (!word)
			continue;
		if (strtok_r(NULL, " \t\r\n", &rest))
			tape_die(TAPE_FAILED,
				 "%s:%u: more than the name "
				 "of a host",
				 shown, number);
		if (n < ranks) {
			names[n] = host_of_position(word);
			if (names[n])
				where[n] = tape_must(strdup(word));
			else
				names[n] = tape_must(strdup(word));
		}
		n++;
	}
	if (ferror(f))
		tape_die(TAPE_FAILED, "%s: it cannot be read", shown);
	if (n < ranks)
		tape_die(TAPE_FAILED, "%s: it names %zu hosts for %zu ranks",
			 shown, n, ranks);
	free(line);
	fclose(f);
	if (positions)
		*positions = where;
	else
		sim_hostfile_free(where, ranks);
	return names;
}

void sim_hostfile_free(char **names, size_t ranks)
{
	for (size_t i = 0; names && i < ranks; i++)
		free(names[i]);
	free(names);
}

static int compare_names(const void *a, const void *b)
{
	char *const *x = *(char *const *const *)a;
	char *const *y = *(char *const *const *)b;
	int order = strcmp(*x, *y);

	return order ? order : (x > y) - (x < y);
}

int *sim_hostfile_numbers(char *const *names, size_t ranks)
{
	char *const **sorted = tape_must(malloc((ranks + 1) * sizeof *sorted));
	int *number = tape_must(malloc((ranks + 1) * sizeof *number));
	size_t first = 0;
	int next = 0;

	for (size_t i = 0; i < ranks; i++)
		sorted[i] = &names[i];
	tape_sort(sorted, ranks, sizeof *sorted, compare_names);
	/* for now, the number is the first rank on the host */
	for (size_t i = 0; i < ranks; i++) {
		if (strcmp(*sorted[i], *sorted[first]) != 0)
			first = i;
		number[sorted[i] - names] = (int)(sorted[first] - names);
	}
	for (size_t i = 0; i < ranks; i++)
		number[i] = number[i] == (int)i ? next++ : number[number[i]];
	free(sorted);
	return number;
}
