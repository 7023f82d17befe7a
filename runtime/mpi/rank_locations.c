/*
 * Where the ranks are; see rank_locations.h. The file of switches is read by
 * rank 0, which tells each rank what is above its host; of what is inside a
 * host one rank of it asks hwloc, which may take 100 ms on a large one, and
 * tells the others.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "hardware.h"
#include "network.h"
#include "own_stack.h"
#include "yielding_wait.h"
#include "rank_locations.h"
#include "equal_texts.h"
#include "message.h"
#include "network_switches.h"

/* At the start, on a stack that is large enough. */
TAPE_ON_OWN_STACK

enum { NAME = TAPE_LOCATION_NAME, TAG = 4 };

/* ---- clocks and hosts ---- */

static const char *get_clock(const struct tape_locations *p, int r)
{
	return p->clocks + (size_t)r * NAME;
}

static const char *get_host(const struct tape_locations *p, int r)
{
	return p->hosts + (size_t)r * NAME;
}

/* What each rank says, NAME bytes. Of one process nothing is waited for. */
static void gather_names(const char *mine, char *all, MPI_Comm comm)
{
	MPI_Request r;

	if (tape_process.size == 1)
		memcpy(all, mine, NAME);
	else
		tape_yielding_wait(PMPI_Iallgather(mine, NAME, MPI_CHAR, all,
						   NAME, MPI_CHAR, comm, &r),
				   &r);
}

static int ask_all(struct tape_locations *p, MPI_Comm comm)
{
	char name[NAME] = "", host[NAME] = "";
	size_t size = (size_t)tape_process.size;

	tape_clock_domain(name, sizeof name);
	gethostname(host, sizeof host - 1);
	p->clocks = calloc(size, NAME);
	p->hosts = calloc(size, NAME);
	p->above = calloc(size, sizeof *p->above);
	p->domains = calloc(size, sizeof *p->domains);
	p->here = calloc(size, sizeof *p->here);
	p->pairs = calloc(size, sizeof *p->pairs);
	if (!tape_is_ok_everywhere(p->clocks && p->hosts && p->above &&
				       p->domains && p->here && p->pairs,
				   comm))
		return 0;
	gather_names(name, p->clocks, comm);
	gather_names(host, p->hosts, comm);
	return 1;
}

/* Numbers the clock domains; the reference's is 0. */
static int number_domains(struct tape_locations *p, int reference)
{
	size_t size = (size_t)tape_process.size, its;
	const char **name = malloc(size * sizeof *name);
	size_t *first = malloc(size * sizeof *first);
	int rc = -1;

	if (!name || !first)
		goto out;
	for (size_t r = 0; r < size; r++)
		name[r] = get_clock(p, (int)r);
	if (tape_find_equal_texts(name, size, first))
		goto out;
	its = first[reference];
	p->n_domains = 1;
	for (size_t r = 0; r < size; r++)
		p->domains[r] = first[r] == its ? 0
				: first[r] == r ? p->n_domains++
						: p->domains[first[r]];
	rc = 0;
out:
	free(name);
	free(first);
	return rc;
}

/* ---- switches ---- */

/* A line for each rank, what is above its host, of the file; NULL: none. */
static char *read_switches(const struct tape_locations *p, const char *path)
{
	struct tape_network *n = tape_switches_read(path);
	char position[TAPE_POSITION_MAX], *text = NULL;
	size_t bytes = 0;
	FILE *out;

	if (!n)
		return NULL;
	out = open_memstream(&text, &bytes);
	for (int r = 0; out && r < tape_process.size; r++) {
		tape_network_position(n, get_host(p, r), position);
		fprintf(out, "%.*s\n", (int)(strrchr(position, '/') - position),
			position);
	}
	tape_network_free(n);
	if (!out || fclose(out) || bytes >= INT_MAX) {
		free(text);
		text = NULL;
	}
	return text;
}

/* What is above each rank's host, as rank 0 finds it. */
static int share_switches(struct tape_locations *p, MPI_Comm comm)
{
	const char *path = tape_process.config.network;
	MPI_Request r;
	int n = 0;
	char *s;

	for (int i = 0; i < tape_process.size; i++)
		p->above[i] = TAPE_LEVEL_CLUSTER;
	if (!*path)
		return 1;
	if (!tape_process.rank && (p->switches = read_switches(p, path)))
		n = (int)strlen(p->switches) + 1;
	tape_yielding_wait(PMPI_Ibcast(&n, 1, MPI_INT, 0, comm, &r), &r);
	if (!n)
		return 1;
	if (tape_process.rank)
		p->switches = calloc((size_t)n, 1);
	if (!tape_is_ok_everywhere(p->switches != NULL, comm))
		return 0;
	tape_yielding_wait(PMPI_Ibcast(p->switches, n, MPI_CHAR, 0, comm, &r),
			   &r);
	s = p->switches;
	for (int i = 0; i < tape_process.size && *s; i++) {
		p->above[i] = s;
		s += strcspn(s, "\n");
		if (*s)
			*s++ = '\0';
	}
	return 1;
}

/*
 * The tree of clock domains. Those of one machine have the boot of its kernel
 * in common, the middle of "source:bootid:timens".
 */
static int make_tree(struct tape_locations *p, int reference)
{
	size_t n = (size_t)p->n_domains, *first = calloc(n, sizeof *first);
	char *text = calloc(n, NAME);
	const char **boots = calloc(n, sizeof *boots);
	const char **above = calloc(n, sizeof *above);
	int *machines = calloc(n, sizeof *machines), rc = -1;

	if (!first || !text || !boots || !above || !machines)
		goto out;
	for (int r = tape_process.size; r-- > 0;) {
		const char *name = get_clock(p, r);
		int d = p->domains[r];

		name += strcspn(name, ":");
		name += *name == ':';
		snprintf(text + (size_t)d * NAME, NAME, "%.*s",
			 (int)strcspn(name, ":"), name);
		boots[d] = text + (size_t)d * NAME;
		above[d] = p->above[r];
	}
	if (tape_find_equal_texts(boots, n, first))
		goto out;
	for (size_t d = 0; d < n; d++)
		machines[d] = (int)first[d];
	rc = tape_sampling_tree(p->domains, tape_process.size, machines, above,
				p->n_domains, reference, p->pairs);
out:
	free(first);
	free(text);
	free(boots);
	free(above);
	free(machines);
	return rc < 0 ? -1 : 0;
}

/* ---- inside of a host ---- */

/* Is rank r on this one's host, by name and by the boot of its kernel? */
static int is_on_own_host(const struct tape_locations *p, int r)
{
	const char *mine = strchr(get_clock(p, tape_process.rank), ':');
	const char *its = strchr(get_clock(p, r), ':');

	return !strcmp(get_host(p, r), get_host(p, tape_process.rank)) &&
	       mine && its &&
	       !strncmp(its + 1, mine + 1, strcspn(mine + 1, ":") + 1);
}

/* The ranks of this host, in order, n of them; this one is the place-th. */
struct here {
	int *ranks;
	int n, place;
};

/* The text of the first, by a binomial tree, to all; NULL: none. */
static char *share_text(const struct here *h, char *text, MPI_Comm comm)
{
	int n = text ? (int)strlen(text) + 1 : 0, bit = 1;
	MPI_Request r;

	for (; bit < h->n && !(h->place & bit); bit *= 2)
		;
	if (h->place) {
		int from = h->ranks[h->place - bit];

		tape_yielding_wait(
		    PMPI_Irecv(&n, 1, MPI_INT, from, TAG, comm, &r), &r);
		text = n ? calloc((size_t)n, 1) : NULL;
		if (n)
			tape_yielding_wait(PMPI_Irecv(text, text ? n : 0,
						      MPI_CHAR, from, TAG, comm,
						      &r),
					   &r);
	}
	while ((bit /= 2)) {
		int to = h->place + bit;

		if (to >= h->n)
			continue;
		to = h->ranks[to];
		if (!text)
			n = 0;
		tape_yielding_wait(
		    PMPI_Isend(&n, 1, MPI_INT, to, TAG, comm, &r), &r);
		if (n)
			tape_yielding_wait(
			    PMPI_Isend(text, n, MPI_CHAR, to, TAG, comm, &r),
			    &r);
	}
	return text;
}

/* What the processors of this host are below; nothing if that is not known. */
static void ask_hardware(const struct tape_locations *p, MPI_Comm comm,
			 struct tape_hardware *hardware)
{
	struct here h = {p->here, 0, 0};
	char *text = NULL;

	memset(hardware, 0, sizeof *hardware);
	if (!tape_hardware_known())
		return;
	for (int r = 0; r < tape_process.size; r++) {
		if (!is_on_own_host(p, r))
			continue;
		if (r == tape_process.rank)
			h.place = h.n;
		h.ranks[h.n++] = r;
	}
	if (!h.place && !tape_hardware_load(hardware) && h.n > 1)
		text = tape_hardware_text(hardware);
	if (h.n > 1)
		text = share_text(&h, text, comm);
	if (h.place && text)
		tape_hardware_parse(hardware, text);
	free(text);
}

static void find_position(struct tape_locations *p, MPI_Comm comm)
{
	struct tape_hardware hardware;

	ask_hardware(p, comm, &hardware);
	snprintf(p->position, sizeof p->position, "%s",
		 p->above[tape_process.rank]);
	tape_position_add(p->position, TAPE_LEVEL_MACHINE,
			  get_host(p, tape_process.rank));
	if (tape_hardware_position(&hardware, p->position))
		tape_say("rank %d: TAPE_BINDING is not a list of processors "
			 "such as 0-3,8; the rank's position ends at its host",
			 tape_process.rank);
	tape_hardware_free(&hardware);
}

int tape_locations_find(struct tape_locations *p, MPI_Comm comm)
{
	int reference = tape_process.config.reference;

	memset(p, 0, sizeof *p);
	if (ask_all(p, comm) && share_switches(p, comm) &&
	    tape_is_ok_everywhere(!number_domains(p, reference) &&
				      !make_tree(p, reference),
				  comm)) {
		find_position(p, comm);
		return 1;
	}
	tape_locations_trim(p);
	free(p->domains);
	free(p->pairs);
	memset(p, 0, sizeof *p);
	return 0;
}

void tape_locations_trim(struct tape_locations *p)
{
	free(p->clocks);
	free(p->hosts);
	free(p->switches);
	free(p->above);
	free(p->here);
	p->here = NULL;
	p->clocks = p->hosts = p->switches = NULL;
	p->above = NULL;
}
TAPE_ON_OWN_STACK_END
