/* The choice of a family of libraries; see choose_family.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choose_family.h"
#include "program_file.h"

static const char *find_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int is_in_names(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return 1;
	return 0;
}

/* Names that say whose launcher it is. */
static enum tape_family family_of_name(const char *name)
{
	static const char *const openmpi[] = { "orterun", "prterun",
					       "mpirun.openmpi",
					       "mpiexec.openmpi", NULL };
	static const char *const mpich[] = { "mpiexec.hydra", "mpirun.hydra",
					     "mpirun.mpich", "mpiexec.mpich",
					     "mpiexec.gforker", NULL };

	if (is_in_names(name, openmpi))
		return TAPE_FAMILY_OPENMPI;
	return is_in_names(name, mpich) ? TAPE_FAMILY_MPICH : TAPE_FAMILY_NONE;
}

/* Is there a program of that name in path's folder? */
static int has_neighbour(const char *path, const char *name)
{
	char other[PATH_MAX];
	int folder = (int)(find_base_name(path) - path);

	return (size_t)snprintf(other, sizeof other, "%.*s%s", folder, path,
				name) < sizeof other &&
	       !access(other, X_OK);
}

/*
 * mpirun and mpiexec are links in most places, to what they are; Intel's is a
 * script in the folder of mpiexec.hydra.
 */
enum tape_family tape_family_of_launcher(const char *program)
{
	static const char *const plain[] = { "mpirun", "mpiexec", NULL };
	enum tape_family family = family_of_name(find_base_name(program));
	char path[PATH_MAX], real[PATH_MAX];

	if (family != TAPE_FAMILY_NONE ||
	    !is_in_names(find_base_name(program), plain))
		return family;
	if (tape_program_find(program, path, sizeof path) ||
	    !realpath(path, real))
		return TAPE_FAMILY_OPENMPI;
	family = family_of_name(find_base_name(real));
	if (family == TAPE_FAMILY_NONE)
		family = !has_neighbour(real, "orterun") &&
					 !has_neighbour(real, "prterun") &&
					 has_neighbour(real, "mpiexec.hydra")
				 ? TAPE_FAMILY_MPICH
				 : TAPE_FAMILY_OPENMPI;
	return family;
}

static struct tape_program examine_program(const char *name)
{
	struct tape_program nothing = { TAPE_PROGRAM_OTHER, TAPE_FAMILY_NONE };
	char path[PATH_MAX];

	if (tape_program_find(name, path, sizeof path))
		return nothing;
	return tape_program_look(path);
}

enum tape_family tape_family_of_program(char **argv, int *is_static)
{
	struct tape_program u = examine_program(argv[0]);

	*is_static = u.kind == TAPE_PROGRAM_STATIC;
	if (u.family == TAPE_FAMILY_NONE)
		u.family = tape_family_of_environment();
	for (int i = 1; u.family == TAPE_FAMILY_NONE && argv[i]; i++)
		u.family = family_of_name(find_base_name(argv[i]));
	/* a path, so that not every word is looked for in $PATH */
	for (int i = 1; u.family == TAPE_FAMILY_NONE && argv[i]; i++)
		if (strchr(argv[i], '/'))
			u.family = examine_program(argv[i]).family;
	return u.family;
}
