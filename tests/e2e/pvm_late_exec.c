/*
 * Preloaded into PVM's daemon: a task is a daemon's child for 300 ms before it
 * begins its program, as on a machine that is busy.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

int execv(const char *path, char *const argv[])
{
	int (*next)(const char *, char *const[]);

	*(void **)&next = dlsym(RTLD_NEXT, "execv");
	usleep(300000);
	return next(path, argv);
}

int execve(const char *path, char *const argv[], char *const env[])
{
	int (*next)(const char *, char *const[], char *const[]);

	*(void **)&next = dlsym(RTLD_NEXT, "execve");
	usleep(300000);
	return next(path, argv, env);
}
