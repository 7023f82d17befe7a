/*
 * The master and workers of ../workers.c with PVM.
 *
 *	workers TASKS [-n rows]
 *
 * One of the tasks is the master. There is no group: the master knows whom it
 * has spawned, a worker who its parent is. Workers learn the size of the
 * picture from a message; see jacobi.c on how they are found.
 */
#include <pvm3.h>
#include "../fractal.h"

enum { TAG_SIZE = 1, TAG_ROW, TAG_DONE, TAG_STOP };
enum { WORKERS_MOST = 127 };

/* The next row to worker, or the word that there is none. 1 if there was. */
static int deal(int worker, int *next, int n)
{
	int more = *next < n;

	pvm_initsend(PvmDataDefault);
	pvm_pkint(next, 1, 1);
	pvm_send(worker, more ? TAG_ROW : TAG_STOP);
	*next += more;
	return more;
}

/*
 * A message from a worker is the row's number and its points, from whoever
 * comes first. Returns how many came.
 */
static int lead(int *picture, int n, int *tids, int workers)
{
	int next = 0, busy = 0, rows = 0;

	pvm_initsend(PvmDataDefault);
	pvm_pkint(&n, 1, 1);
	pvm_mcast(tids, workers, TAG_SIZE);
	for (int w = 0; w < workers; w++)
		busy += deal(tids[w], &next, n);
	while (busy > 0) {
		int message = pvm_recv(-1, TAG_DONE), from, i;

		pvm_bufinfo(message, NULL, NULL, &from);
		pvm_upkint(&i, 1, 1);
		pvm_upkint(picture + (size_t)i * (size_t)n, n, 1);
		rows++;
		busy += deal(from, &next, n) - 1;
	}
	return rows;
}

/* A worker's whole life. */
static int work(int master)
{
	int *points, n, i, tag;

	pvm_recv(master, TAG_SIZE);
	pvm_upkint(&n, 1, 1);
	points = malloc((size_t)n * sizeof *points);
	while (points) {
		pvm_bufinfo(pvm_recv(master, -1), NULL, &tag, NULL);
		if (tag == TAG_STOP)
			break;
		pvm_upkint(&i, 1, 1);
		compute(points, i, n);
		pvm_initsend(PvmDataDefault);
		pvm_pkint(&i, 1, 1);
		pvm_pkint(points, n, 1);
		pvm_send(master, TAG_DONE);
	}
	free(points);
	return !points;
}

/* The master's: 1 if the picture is right. */
static int master(int n, int workers, char *program)
{
	int tids[WORKERS_MOST], spawned, good = 0;
	int *picture = calloc((size_t)n * (size_t)n, sizeof *picture);

	spawned = pvm_spawn(program, NULL, PvmTaskDefault, "", workers, tids);
	if (picture && spawned == workers) {
		good = judge(picture, n, lead(picture, n, tids, workers),
			     workers);
	} else {
		fprintf(stderr, "workers: not enough memory or tasks\n");
		for (int w = 0; w < spawned; w++)
			pvm_kill(tids[w]);
	}
	free(picture);
	return good;
}

int main(int argc, char **argv)
{
	int tasks = argc > 1 ? atoi(argv[1]) : 0, n, failed;

	if (pvm_parent() > 0) {
		failed = work(pvm_parent());
		pvm_exit();
		return failed;
	}
	n = tasks > 1 ? parse(argc - 1, argv + 1) : 0;
	if (!n || tasks > WORKERS_MOST + 1) {
		fprintf(stderr, "usage: workers tasks [-n rows], from 1 to "
				"10000, on 2 to %d tasks\n", WORKERS_MOST + 1);
		failed = 2;
	} else {
		failed = !master(n, tasks - 1, argv[0]);
	}
	pvm_exit();
	return failed;
}
