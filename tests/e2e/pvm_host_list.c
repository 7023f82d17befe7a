/*
 * Holds the list of hosts from its first call on, as PVM has it: until the next
 * pvm_config of this program. What anybody frees is overwritten and not used
 * again. "child": ends at once.
 */
#include <malloc.h>
#include <pvm3.h>
#include <stdio.h>
#include <string.h>

void free(void *p)
{
	if (p)
		memset(p, 165, malloc_usable_size(p));
}

static void print_list(const char *when, const struct pvmhostinfo *host, int n)
{
	printf("%s:", when);
	for (int i = 0; i < n; i++)
		printf(" %s %s %d", host[i].hi_name, host[i].hi_arch,
		       host[i].hi_speed);
	puts("");
}

int main(int argc, char **argv)
{
	char *child[] = { "child", NULL };
	struct pvmhostinfo *host = NULL;
	int hosts = 0, tid;

	(void)argv;
	if (argc > 1)
		return pvm_mytid() < 0 || pvm_exit();
	printf("%d\n", pvm_config(&hosts, NULL, &host));
	print_list("first", host, hosts);
	pvm_spawn("host_list", child, PvmTaskDefault, "", 1, &tid);
	print_list("after pvm_spawn", host, hosts);
	pvm_config(&hosts, NULL, &host);
	print_list("again", host, hosts);
	pvm_config(&hosts, NULL, NULL);
	pvm_exit();
	return 0;
}
