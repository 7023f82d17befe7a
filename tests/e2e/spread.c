/*
 * Spawns copies of itself wherever PVM likes, and prints a line for each: its
 * host, what its monotonic clock shows in seconds, its PVM_TMP.
 *
 *	spread TASKS [stay]
 *
 * With "stay" the copies never end.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, TAG = 1 };

static void child(int parent, int stay)
{
	char host[256] = "", *tmp = getenv("PVM_TMP");
	struct timespec t;
	long s;

	gethostname(host, sizeof host - 1);
	clock_gettime(CLOCK_MONOTONIC, &t);
	s = (long)t.tv_sec;
	pvm_initsend(PvmDataDefault);
	pvm_pkstr(host);
	pvm_pklong(&s, 1, 1);
	pvm_pkstr(tmp ? tmp : "none");
	pvm_send(parent, TAG);
	while (stay)
		pause();
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, tids[MOST];

	if (pvm_parent() > 0) {
		child(pvm_parent(), argc > 2);
	} else if (n < 1 || n > MOST ||
		   pvm_spawn(argv[0], argv + 1, PvmTaskDefault, "", n, tids) !=
			   n) {
		fprintf(stderr, "spread: not all tasks were spawned\n");
		pvm_exit();
		return 1;
	} else {
		for (int i = 0; i < n; i++) {
			char host[256], tmp[4096];
			long s;

			pvm_recv(tids[i], TAG);
			pvm_upkstr(host);
			pvm_upklong(&s, 1, 1);
			pvm_upkstr(tmp);
			printf("%s %ld %s\n", host, s, tmp);
		}
	}
	pvm_exit();
	return 0;
}
