/* See joined_trace.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corrected_trace.h"
#include "joined_trace.h"
#include "tool.h"
#include "trace_name.h"

enum { NO_JOB = -1 };

/* Returns 1 if the job of that trace spawned the job of the other one. */
static int is_parent(const char *trace, const char *child)
{
	char id[20] = "", *path = NULL;
	int is;

	if (!trace_read_line(child, "spawned ", id, sizeof id))
		return 0;
	id[strcspn(id, " ")] = '\0';
	if (!*id || id[strspn(id, "0123456789abcdef")])
		return 0;
	if (asprintf(&path, "%s/spawn.%s", trace, id) < 0)
		path = NULL;
	is = !access(tape_must(path), F_OK);
	free(path);
	return is;
}

static int find_parent(const struct argument_list *traces, size_t child)
{
	for (size_t i = 0; i < traces->n; i++)
		if (i != child &&
		    is_parent(traces->word[i], traces->word[child]))
			return (int)i;
	return NO_JOB;
}

/*
 * Sets, for each trace, the first job of its tree of jobs. A job that spawned
 * itself, directly or not, as damaged files may say, is a tree by itself.
 */
static size_t *find_roots(const struct argument_list *traces)
{
	int *parent = tape_must(malloc(traces->n * sizeof *parent));
	size_t *root = tape_must(malloc(traces->n * sizeof *root));

	for (size_t i = 0; i < traces->n; i++)
		parent[i] = find_parent(traces, i);
	for (size_t i = 0; i < traces->n; i++) {
		size_t steps = 0;

		root[i] = i;
		while (parent[root[i]] != NO_JOB && steps++ < traces->n)
			root[i] = (size_t)parent[root[i]];
		if (steps > traces->n)
			root[i] = i;
	}
	free(parent);
	return root;
}

/* Adds the joined trace of the tree, or each of its traces. */
static void add_tree(const struct argument_list *tree,
		     struct argument_list *traces)
{
	const char *first = tree->word[0];
	char *joined = NULL;

	if (tree->n == 1) {
		arguments_add(traces, first);
		return;
	}
	if (asprintf(&joined, "%.*s.joined.tape",
		     (int)trace_stem_length(first), first) < 0)
		joined = NULL;
	if (trace_make("tapejoin", tree->word, tape_must(joined),
		       STDERR_FILENO))
		arguments_add(traces, joined);
	else
		arguments_add_all(traces, tree->word);
}

void traces_join(struct argument_list *traces)
{
	struct argument_list joined = {0};
	size_t *root;

	if (traces->n < 2)
		return;
	root = find_roots(traces);
	for (size_t i = 0; i < traces->n; i++) {
		struct argument_list tree = {0};

		if (root[i] != i)
			continue;
		arguments_add(&tree, traces->word[i]);
		for (size_t k = 0; k < traces->n; k++)
			if (k != i && root[k] == i)
				arguments_add(&tree, traces->word[k]);
		add_tree(&tree, &joined);
		free(tree.word);
	}
	free(root);
	free(traces->word);
	*traces = joined;
}
