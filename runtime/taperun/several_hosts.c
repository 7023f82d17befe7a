/* Commands that run on several hosts; see several_hosts.h. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"
#include "program_file.h"
#include "several_hosts.h"

/* Set by what reserves hosts for a job, or read by a launcher. */
static const char *const reserved[] = {
	"SLURM_JOB_NODELIST", "SLURM_NODELIST", "PBS_NODEFILE",
	"PBS_JOBID", "LSB_HOSTS", "LSB_MCPU_HOSTS", "LSB_DJOB_HOSTFILE",
	"PE_HOSTFILE", "LOADL_STEP_ID", "OAR_NODEFILE", "COBALT_NODEFILE",
	"FLUX_URI", "HYDRA_HOST_FILE", "HYDRA_RMK", "HYDRA_LAUNCHER",
	"I_MPI_HYDRA_HOST_FILE", NULL
};

/* Options with names of hosts, divided by commas. */
static const char *const lists[] = { "H", "host", "hosts", "hostlist",
				     "add-host", NULL };

/* Those that name a file of hosts, or what else starts processes. */
static const char *const elsewhere[] = {
	"f", "hostfile", "machinefile", "default-hostfile", "add-hostfile",
	"rf", "rankfile", "app", "configfile", "am", "tune", "hnp", "dvm",
	"rmk", "launcher", "launcher-exec", "bootstrap",
	"bootstrap-exec", NULL
};

/* An option by its name, alone or with "=value" after it. */
static int is_named_option(const char *word, const char *const *names)
{
	for (size_t n = strcspn(word, "="); *names; names++)
		if (strlen(*names) == n && !strncmp(word, *names, n))
			return 1;
	return 0;
}

/* Is that host this one, by its name with n letters? */
static int is_local_host(const char *name, size_t n)
{
	static const char *const local[] = { "localhost", "127.0.0.1", "::1" };
	char own[256] = "";

	for (int i = 0; i < 3; i++)
		if (n == strlen(local[i]) && !strncmp(name, local[i], n))
			return 1;
	gethostname(own, sizeof own - 1);
	return n && !strncmp(name, own, n) && (!own[n] || own[n] == '.');
}

/* Does the list name this host only? Each may have a number of slots. */
static int lists_other_hosts(const char *list)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (!is_local_host(list, strcspn(list, ",:")))
			return 1;
		list += n + (list[n] == ',');
	}
	return 0;
}

/* Does an option of the launcher lead to other hosts? */
static int has_option(char **argv)
{
	struct tape_launcher_words w = { 0 };

	for (char **a = argv + 1; *a; a++) {
		const char *word = *a, *value = strchr(word, '=');

		if (!tape_launcher_owns(&w, word) || *word != '-')
			continue;
		word += 1 + (word[1] == '-');
		if (is_named_option(word, elsewhere) ||
		    strstr(word, "hostfile") ||
		    (is_named_option(word, lists) &&
		     lists_other_hosts(value ? value + 1 : a[1])))
			return 1;
		/* parameters of Open MPI: a name and a value */
		if (strstr(word, "mca") && a[1] &&
		    (strstr(a[1], "hostfile") || strstr(a[1], "rsh_agent")))
			return 1;
	}
	return 0;
}

/* Has the file a line of text? */
static int has_text(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[1024];
	int found = 0;

	while (f && !found && fgets(line, sizeof line, f)) {
		const char *s = line;

		while (isspace((unsigned char)*s))
			s++;
		found = *s && *s != '#';
	}
	if (f)
		fclose(f);
	return found;
}

/* Open MPI's own list of hosts, where it was installed. */
static int has_default_hosts(const char *launcher)
{
	static const char *const names[] = {
		"../etc/openmpi-default-hostfile",
		"../etc/openmpi/openmpi-default-hostfile",
		"../../etc/openmpi/openmpi-default-hostfile"
	};
	char path[PATH_MAX], file[PATH_MAX + 64];

	if (tape_program_find(launcher, path, sizeof path))
		return 0;
	for (int i = 0; i < 3; i++) {
		char *slash = strrchr(path, '/');

		snprintf(file, sizeof file, "%.*s/%s",
			 slash ? (int)(slash - path) : 1, slash ? path : ".",
			 names[i]);
		if (has_text(file))
			return 1;
	}
	return 0;
}

static int has_variable(void)
{
	extern char **environ;

	for (int i = 0; reserved[i]; i++)
		if (secure_getenv(reserved[i]))
			return 1;
	for (char **e = environ; *e; e++)
		if (!strncmp(*e, "OMPI_MCA_", 9) &&
		    memmem(*e, strcspn(*e, "="), "hostfile", 8))
			return 1;
	return 0;
}

int tape_may_be_several_hosts(char **argv, enum tape_family launcher,
			      enum tape_family family)
{
	char path[PATH_MAX];

	if (launcher != TAPE_FAMILY_NONE)
		return has_variable() || has_option(argv) ||
		       (launcher == TAPE_FAMILY_OPENMPI &&
			has_default_hosts(argv[0]));
	if (family == TAPE_FAMILY_PVM)
		return 0;
	return tape_program_find(argv[0], path, sizeof path) ||
	       tape_program_look(path).family == TAPE_FAMILY_NONE;
}
