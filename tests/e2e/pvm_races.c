/*
 * A master that takes messages of three tasks in the order in which they come,
 * and then in the order of the tasks. Lines with a race have the comment "race"
 * before them.
 */
#include <pvm3.h>

static void send_message(int to, int tag)
{
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&tag, 1, 1);
	pvm_send(to, tag);
}

int main(int argc, char **argv)
{
	enum { TASKS = 3 };
	int parent, tid[TASKS];

	(void)argc;
	pvm_mytid();
	parent = pvm_parent();
	if (parent != PvmNoParent) {
		send_message(parent, 1);
		send_message(parent, 2);
		pvm_exit();
		return 0;
	}
	pvm_spawn(argv[0], 0, PvmTaskDefault, "", TASKS, tid);
	for (int i = 0; i < TASKS; i++)
		/* race */
		pvm_recv(-1, 1);
	for (int i = 0; i < TASKS; i++)
		pvm_recv(tid[i], 2);
	pvm_exit();
	return 0;
}
