/* The switches above hosts; see network.h. */
#include "network.h"

#include "error.h"

int tape_network_read(struct tape_network **n, const char *path,
		      struct tape_network_fault *fault)
{
	(void)path;
	*n = NULL;
	fault->line = 0;
	fault->what = "not read yet";
	return TAPE_EFORMAT;
}

void tape_network_free(struct tape_network *n)
{
	(void)n;
}

void tape_network_position(const struct tape_network *n, const char *host,
			   char position[TAPE_POSITION_MAX])
{
	(void)n;
	position[0] = '\0';
	tape_position_add(position, TAPE_LEVEL_CLUSTER, NULL);
	tape_position_add(position, TAPE_LEVEL_MACHINE, host);
}

int tape_network_levels(const struct tape_network *n)
{
	(void)n;
	return 0;
}

const char *tape_network_level(const struct tape_network *n, int i)
{
	(void)n, (void)i;
	return NULL;
}

const char *tape_network_host(const struct tape_network *n, size_t i)
{
	(void)n, (void)i;
	return NULL;
}
