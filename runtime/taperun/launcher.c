/* The environment of a traced program; see launcher.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launcher.h"
#include "launcher_options.h"
#include "program_file.h"

extern char **environ;

enum handed { PRELOAD, SANITIZER, HANDED };

static const char *const names[HANDED] = { "LD_PRELOAD", "ASAN_OPTIONS" };

/* The value for the program, where the user's is old (NULL: none). */
static char *join_values(enum handed which, const char *old,
			 const char *library)
{
	static const char order[] = "verify_asan_link_order";
	const char *mid = old && *old ? ":" : "";
	char *text = NULL;
	int rc;

	old = old ? old : "";
	if (which == PRELOAD)
		rc = asprintf(&text, "%s%s%s", library, mid, old);
	else if (strstr(old, order))
		rc = asprintf(&text, "%s", old);
	else
		rc = asprintf(&text, "%s%s%s=0", old, mid, order);
	return rc < 0 ? NULL : text;
}

int tape_launcher_set_environment(const char *library)
{
	for (enum handed h = PRELOAD; h < HANDED; h++) {
		char *value = join_values(h, getenv(names[h]), library);

		if (!value || setenv(names[h], value, 1))
			return -1;
		free(value);
	}
	return 0;
}

/* Which of the names text is, alone or with "=value" after; HANDED: none. */
static enum handed find_handed_name(const char *text)
{
	enum handed h = PRELOAD;

	for (; h < HANDED; h++) {
		size_t n = strlen(names[h]);

		if (!strncmp(text, names[h], n) && (!text[n] || text[n] == '='))
			break;
	}
	return h;
}

/* "name=value", allocated. */
static char *make_assignment(const char *name, const char *value)
{
	char *text = NULL;

	return value && asprintf(&text, "%s=%s", name, value) >= 0 ? text
								   : NULL;
}

struct arguments {
	char **v;
	size_t n;
	int failed;
};

static void put_argument(struct arguments *a, char *word)
{
	a->failed |= !word;
	a->v[a->n++] = word;
}

/* Open MPI's launcher: "-x NAME=value", "-x NAME" for one of its own. */
static void put_option(struct arguments *a, enum tape_family launcher,
		       const char *name, char *value)
{
	put_argument(a,
		     (char *)(launcher == TAPE_FAMILY_MPICH ? "-genv" : "-x"));
	if (launcher == TAPE_FAMILY_MPICH) {
		put_argument(a, (char *)name);
		put_argument(a, value);
	} else {
		put_argument(a, make_assignment(name, value));
	}
}

/*
 * The names of the settings after those of list (NULL: none), as Hydra takes
 * them: its processes pass the values on to each other through sockets.
 */
static char *names_joined(const char *list)
{
	char *text = strdup(list ? list : ""), *more = NULL;

	for (char **e = environ; text && *e; e++) {
		if (strncmp(*e, "TAPE_", 5) || !strchr(*e, '='))
			continue;
		if (asprintf(&more, "%s%s%.*s", text, *text ? "," : "",
			     (int)strcspn(*e, "="), *e) < 0)
			more = NULL;
		free(text);
		text = more;
	}
	return text;
}

/*
 * The names of the settings, and the others where the user does not hand them
 * over. Every user of the host can read a command line, and one of the settings
 * is a secret: values stay in the environment. Open MPI gets the names here;
 * Hydra passes all of its environment on, where nothing else is asked for.
 */
static void put_options(struct arguments *a, enum tape_family launcher,
			const char *library, const int *given)
{
	for (char **e = environ; *e; e++) {
		const char *eq = strchr(*e, '=');

		if (launcher == TAPE_FAMILY_MPICH ||
		    strncmp(*e, "TAPE_", 5) || !eq)
			continue;
		put_argument(a, (char *)"-x");
		put_argument(a, strndup(*e, (size_t)(eq - *e)));
	}
	for (enum handed h = PRELOAD; h < HANDED; h++)
		if (!given[h])
			put_option(a, launcher, names[h],
				   join_values(h, getenv(names[h]), library));
}

/*
 * Hydra is asked to pass on some of the environment only, by argv[i]: then the
 * settings, too. Returns how many words that is, 0 for other options.
 */
static int join_list(char **argv, int argc, int i, struct arguments *a)
{
	static const char *const lists[] = { "-genvlist", "-envlist" };
	static const char *const none[] = { "-genvnone", "-envnone" };
	const char *word = argv[i] + (argv[i][0] == '-' && argv[i][1] == '-');

	for (int k = 0; k < 2; k++) {
		size_t n = strlen(lists[k]);
		int apart = !strcmp(word, lists[k]) && i + 1 < argc;

		if (apart || (!strncmp(word, lists[k], n) && word[n] == '=')) {
			put_argument(a, (char *)lists[k]);
			put_argument(a, names_joined(apart ? argv[i + 1]
							   : word + n + 1));
			return 1 + apart;
		}
		if (!strcmp(word, none[k])) {
			put_argument(a, (char *)lists[k]);
			put_argument(a, names_joined(NULL));
			return 1;
		}
	}
	return 0;
}

/* The same, asked for by HYDRA_ENV, which is all, none or list:A,B. */
static int join_environment(void)
{
	const char *asked = getenv("HYDRA_ENV");
	char *list, *value;
	int rc = -1;

	if (!asked || (strcmp(asked, "none") && strncmp(asked, "list:", 5)))
		return 0;
	list = names_joined(*asked == 'l' ? asked + 5 : NULL);
	if (list && asprintf(&value, "list:%s", list) >= 0) {
		rc = setenv("HYDRA_ENV", value, 1);
		free(value);
	}
	free(list);
	return rc;
}

/*
 * Joins the value that the user passes at argv[i] with ours: "-x NAME[=value]",
 * or Hydra's "-genv NAME value" and "-env NAME value". Notes it in given.
 * Returns how many words that is, 0 for other options.
 */
static int join_user_option(char **argv, int argc, int i,
			    enum tape_family launcher, const char *library,
			    int *given, struct arguments *a)
{
	int env = !strcmp(argv[i], "-env") || !strcmp(argv[i], "--env");
	int genv = !strcmp(argv[i], "-genv") || !strcmp(argv[i], "--genv");
	const char *value;
	enum handed h;

	if (i + 1 >= argc || (h = find_handed_name(argv[i + 1])) == HANDED)
		return 0;
	if (launcher == TAPE_FAMILY_MPICH) {
		if ((!env && !genv) || i + 2 >= argc ||
		    strcmp(argv[i + 1], names[h]))
			return 0;
		if (a) {
			put_argument(a, argv[i]);
			put_argument(a, argv[i + 1]);
			put_argument(a, join_values(h, argv[i + 2], library));
		}
		given[h] |= genv;
		return 3;
	}
	if (strcmp(argv[i], "-x") && strcmp(argv[i], "--x"))
		return 0;
	value = strchr(argv[i + 1], '=');
	if (a)
		put_option(a, launcher, names[h],
			   join_values(h, value ? value + 1 : getenv(names[h]),
				       library));
	given[h] = 1;
	return 2;
}

/* Variables that the user passes to the program whose words begin after i. */
static void find_user_options(char **argv, int argc, int i,
			      enum tape_family launcher, const char *library,
			      int *given)
{
	memset(given, 0, HANDED * sizeof *given);
	while (++i < argc &&
	       (launcher == TAPE_FAMILY_MPICH || strcmp(argv[i], ":")))
		join_user_option(argv, argc, i, launcher, library, given, NULL);
}

int tape_launcher_owns(struct tape_launcher_words *w, const char *word)
{
	char path[PATH_MAX];

	w->is_program = strcmp(word, ":") &&
			(w->is_program ||
			 (w->values <= 0 && *word != '-' &&
			  (!w->values ||
			   !tape_program_find(word, path, sizeof path))));
	w->values = w->values > 0 ? w->values - 1 : tape_launcher_values(word);
	return !w->is_program;
}

char **tape_launcher_arguments(char **argv, int argc, enum tape_family launcher,
			       const char *library)
{
	size_t settings = HANDED, programs = 1;
	struct arguments a = { 0 };
	int given[HANDED], words;
	struct tape_launcher_words w = { 0 };

	for (char **e = environ; *e; e++)
		settings += !strncmp(*e, "TAPE_", 5);
	for (int i = 1; i < argc; i++)
		programs += !strcmp(argv[i], ":");
	/* an option without a value may become one with a value */
	a.v = calloc(2 * (size_t)argc + 3 * settings * programs + 1,
		     sizeof *a.v);
	if (!a.v || (launcher == TAPE_FAMILY_MPICH && join_environment()))
		return NULL;
	for (int i = 0; i < argc; i += words) {
		words = i ? join_user_option(argv, argc, i, launcher, library,
					     given, &a)
			  : 0;
		if (i && tape_launcher_owns(&w, argv[i]) && !words &&
		    launcher == TAPE_FAMILY_MPICH)
			words = join_list(argv, argc, i, &a);
		if (words)
			w.values = 0;
		else
			put_argument(&a, argv[i]);
		words += !words;
		if (!i || (launcher != TAPE_FAMILY_MPICH &&
			   !strcmp(argv[i], ":"))) {
			find_user_options(argv, argc, i, launcher, library,
					  given);
			put_options(&a, launcher, library, given);
		}
	}
	return a.failed ? NULL : a.v;
}
