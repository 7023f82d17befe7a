/*
 * Launchers' command lines: which of them lead to other hosts, and where the
 * settings stand in Hydra's. In a folder with programs of its own, one of which
 * is called as a value of --map-by is.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "launcher.h"
#include "several_hosts.h"
#include "tap.h"

enum { WORDS = 12 };

static void make_program(const char *name)
{
	folder_write(folder_path(name, NULL), "#!/bin/sh\n", 10);
	if (chmod(folder_path(name, NULL), 0755))
		exit(2);
}

/* line, cut at its blanks, into argv. */
static int cut(const char *line, char **argv)
{
	static char text[400];
	int n = 0;

	snprintf(text, sizeof text, "%s", line);
	for (char *w = strtok(text, " "); w && n < WORDS; w = strtok(NULL, " "))
		argv[n++] = w;
	argv[n] = NULL;
	return n;
}

static void hosts(void)
{
	static const struct {
		const char *line;
		int several;
	} truth[] = {
		{ "mpirun -np 2 prog", 0 },
		{ "mpirun -np 2 prog --hostfile x", 0 },
		{ "mpirun --hostfile x -np 2 prog", 1 },
		{ "mpirun --map-by node --hostfile x prog", 1 },
		{ "mpirun --map-by node -np 2 prog", 0 },
		{ "mpirun --bind-to node -H elsewhere prog", 1 },
		{ "mpirun -H localhost:4 prog", 0 },
		{ "mpirun -H localhost,elsewhere prog", 1 },
		{ "mpirun -np 1 prog : -host elsewhere prog", 1 },
		{ "mpirun -np 1 prog -H elsewhere", 0 },
		{ "mpirun --mca orte_default_hostfile x prog", 1 },
		{ "mpirun -x NODE --cpu-set node -machinefile x prog", 1 },
		{ "mpirun -hosts=localhost,elsewhere prog", 1 },
		{ "mpirun -hosts=localhost prog", 0 },
		{ "mpirun -f=hosts prog", 1 },
		{ "mpirun --oversubscribe absent -H elsewhere", 0 },
		{ "mpirun --unknown=1 absent -H elsewhere", 0 },
		{ "mpirun --unknown prog -H elsewhere", 0 },
		{ "mpirun --unknown absent -H elsewhere prog", 1 },
	};
	char *argv[WORDS + 1];

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		cut(truth[i].line, argv);
		ok(tape_may_be_several_hosts(argv, TAPE_FAMILY_OPENMPI,
					     TAPE_FAMILY_NONE) ==
			   truth[i].several,
		   "%s: %s", truth[i].line,
		   truth[i].several ? "other hosts" : "this host only");
	}
}

/* Hydra is asked for some variables only: the settings are among them. */
static void names(void)
{
	static const struct {
		const char *line, *list;
	} truth[] = {
		{ "mpiexec -map-by node -genvlist A prog", "A,TAPE_X" },
		{ "mpiexec -map-by node -genvnone prog", "TAPE_X" },
		{ "mpiexec -n 2 prog -genvlist A", "A" },
		{ "mpiexec -wdir /tmp absent -genvlist A", "A" },
	};
	char *argv[WORDS + 1], **out;

	setenv("TAPE_X", "secret", 1);
	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		const char *list = NULL;
		int n = cut(truth[i].line, argv), tells = 0;

		out = tape_launcher_arguments(argv, n, TAPE_FAMILY_MPICH,
					      "/lib/libtape-mpich.so");
		for (char **w = out; w && *w; w++) {
			tells |= strstr(*w, "secret") != NULL;
			if (!strcmp(*w, "-genvlist"))
				list = w[1];
		}
		ok(list && !strcmp(list, truth[i].list) && !tells,
		   "%s: the list is %s, without values", truth[i].line,
		   list ? list : "missing");
	}
}

int main(void)
{
	for (char **e = environ, *name; *e;) {
		name = strndup(*e, strcspn(*e, "="));
		unsetenv(name);
		free(name);
	}
	folder_make();
	make_program("mpirun");
	make_program("mpiexec");
	make_program("prog");
	make_program("node");
	setenv("PATH", folder_path("", NULL), 1);
	hosts();
	names();
	folder_remove();
	return done();
}
