/*
 * The hosts of a platform of SimGrid, by name, each on a line with its speed in
 * flop/s: for taperun --simulate, which does not depend on SimGrid itself.
 *
 *	tape-simgrid-hosts PLATFORM
 */
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SECONDS = 120 };
#define MEMORY ((rlim_t)4 << 30)

/* h2 comes before h10. */
static int compare_host_names(const void *a, const void *b)
{
	return strverscmp(sg_host_get_name(*(sg_host_t const *)a),
			  sg_host_get_name(*(sg_host_t const *)b));
}

/* smpi.h has it, with all of MPI. */
void smpi_init_options(void);

int main(int argc, char **argv)
{
	sg_host_t *hosts;
	size_t n;

	smpi_init_options(); /* its own options are known, too */
	simgrid_init(&argc, argv);
	if (argc != 2) {
		fprintf(stderr, "usage: tape-simgrid-hosts platform\n");
		return 2;
	}
	/* a few lines may stand for any number of hosts, and name pipes */
	setrlimit(RLIMIT_AS, &(struct rlimit){ MEMORY, MEMORY });
	setrlimit(RLIMIT_CPU, &(struct rlimit){ SECONDS, SECONDS });
	alarm(SECONDS);
	simgrid_load_platform(argv[1]);
	n = sg_host_count();
	hosts = sg_host_list();
	qsort(hosts, n, sizeof *hosts, compare_host_names);
	for (size_t i = 0; i < n; i++)
		printf("%s %.17g\n", sg_host_get_name(hosts[i]),
		       sg_host_get_speed(hosts[i]));
	free(hosts);
	return fflush(stdout) ? 1 : 0;
}
