/*
 * "pvm_noise PATH ROUNDS [race]": as noise.c, of a task and two that it
 * spawned. PATH: this program.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHILDREN = 2, TAG_GO = 1, TAG_ANSWER };

static void answer_requests(int rounds)
{
	int i;

	for (int k = 0; k < rounds; k++) {
		pvm_recv(pvm_parent(), TAG_GO);
		pvm_upkint(&i, 1, 1);
		pvm_initsend(PvmDataDefault);
		pvm_pkint(&i, 1, 1);
		pvm_send(pvm_parent(), TAG_ANSWER);
	}
}

static unsigned long ask_children(int rounds, int *tids, int race)
{
	unsigned long sum = 0;

	for (int k = 0; k < rounds; k++) {
		for (int i = 0; i < CHILDREN; i++) {
			pvm_initsend(PvmDataDefault);
			pvm_pkint(&i, 1, 1);
			pvm_send(tids[i], TAG_GO);
		}
		for (int i = 0, value; i < CHILDREN; i++) {
			pvm_recv(race ? -1 : tids[i], TAG_ANSWER);
			pvm_upkint(&value, 1, 1);
			sum = sum * 31 + (unsigned)value + 1;
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	int race = argc > 3 && !strcmp(argv[3], "race");
	int rounds = atoi(argv[2]), tids[CHILDREN];
	char *arguments[] = { argv[1], argv[2], NULL };

	if (pvm_parent() != PvmNoParent) {
		answer_requests(rounds);
	} else if (pvm_spawn(argv[1], arguments, PvmTaskDefault, "", CHILDREN,
			     tids) == CHILDREN) {
		printf("%lu\n", ask_children(rounds, tids, race));
	}
	pvm_exit();
	return 0;
}
