/*
 * A PVM program whose first calls are none that usually come first: one task
 * begins with a spawn, and the other with a receive.
 */
#include <pvm3.h>
#include <stdio.h>

static int child(void)
{
	int value = 0, from = pvm_recv(-1, 3), bytes, tag;

	pvm_bufinfo(from, &bytes, &tag, &from);
	pvm_upkint(&value, 1, 1);
	value++;
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&value, 1, 1);
	pvm_send(from, 4);
	return pvm_exit();
}

int main(int argc, char **argv)
{
	char *args[] = { (char *)"child", NULL };
	int task = 0, value = 5;

	if (argc > 1)
		return child();
	value += pvm_spawn(argv[0], args, PvmTaskDefault, NULL, 1, &task);
	printf("%d\n", value);
	if (value < 6)
		return 5;
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&value, 1, 1);
	pvm_send(task, 3);
	pvm_recv(task, 4);
	pvm_upkint(&value, 1, 1);
	printf("%d\n", value);
	return pvm_exit();
}
