/* The machine that random programs run on, and who talks to whom; see des.h. */
#include <string.h>

#include "des.h"
#include "tape_ids.h"

static void make_comms(struct des_program *p)
{
	struct des_comm *c = p->comm;

	for (int i = 1; i <= DES_COMMS; i++)
		memset(c[i].place, -1, sizeof c[i].place);
	for (int r = 0; r < p->ranks; r++) {
		c[1].member[c[1].size++] = r;
		c[2].member[c[2].size++] = p->ranks - 1 - r;
		if (des_random(p, 3) || (r == p->ranks - 1 && !c[3].size))
			c[3].member[c[3].size++] = r;
	}
	c[DES_INTER] = c[1];
	for (int r = p->ranks / 2; r < p->ranks; r++)
		c[DES_INTER].side[r] = 1;
	for (int i = 1; i <= DES_COMMS; i++)
		for (int k = 0; k < c[i].size; k++) {
			int r = c[i].member[k];

			c[i].place[r] = k;
			c[i].number[r] = c[i].sizes[c[i].side[r]]++;
		}
}

void des_machine(struct des_program *p)
{
	static const int64_t alphas[] = { 30, 300, 3000, 15000 };
	int64_t dc = des_random(p, 500);
	int by_class = !des_random(p, 2);

	p->ranks = 2 + (int)des_random(p, DES_RANKS - 1);
	p->hosts = !des_random(p, 2) ? 1 : p->ranks;
	p->beta = 100 + des_random(p, 10000);
	p->tau = des_random(p, 3);
	p->eager = !des_random(p, 3) ? 100 : 4096;
	p->alpha = alphas[des_random(p, 4)];
	/* blocks of several members are eager, too */
	p->algorithms = p->seed % 2;
	if (p->algorithms)
		p->eager = 4096;
	for (int i = 0; i < DES_CLASSES; i++)
		p->dc[i] = by_class ? des_random(p, 2000) : dc;
	for (int r = 0; r < p->ranks; r++) {
		struct des_rank *k = &p->rank[r];
		/* some ranks are hardly traced: delays differ both ways */
		int64_t scale = !des_random(p, 3) ? 1 : p->alpha / 2 + 1;

		k->first = 1000000 + des_random(p, 10000);
		for (int c = 0; c < TAPE_CLASS_COUNT; c++) {
			k->before[c] = des_random(p, scale);
			k->after[c] = des_random(p, scale);
		}
		k->done_after = des_random(p, scale);
	}
	make_comms(p);
}
