/*
 * Fuzz target: an input is a file of switches. What comes of it gives each of
 * its hosts a position that is one; a fault names a line of the input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"
#include "position.h"

#define MUST(condition) ((condition) ? (void)0 : broken(__LINE__, #condition))

__attribute__((noreturn)) static void broken(int line, const char *what)
{
	fprintf(stderr, "network.c:%d: the contract is broken: %s\n", line,
		what);
	abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return 0;
}

static void check(const struct tape_network *n)
{
	char position[TAPE_POSITION_MAX];
	const char *host;

	MUST(tape_network_levels(n) >= 0 && tape_network_levels(n) <= 24);
	for (int i = 0; i < tape_network_levels(n); i++)
		MUST(*tape_network_level(n, i));
	for (size_t i = 0; (host = tape_network_host(n, i)); i++) {
		size_t all;

		tape_network_position(n, host, position);
		all = strlen(position);
		MUST(tape_position_valid(position));
		MUST(tape_position_depth(position, all) <=
		     2 + tape_network_levels(n));
		MUST(tape_position_find(position, "Machine") == all);
		MUST(!strcmp(position + all - strlen(host), host));
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	struct tape_network_fault fault;
	struct tape_network *network;
	unsigned lines = 1;
	char *text = malloc(n + 1);

	if (!text)
		return 0;
	memcpy(text, data, n);
	text[n] = '\0';
	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	if (tape_network_parse(&network, text, &fault) == 0) {
		check(network);
	} else {
		MUST(!network && fault.what && fault.line <= lines);
	}
	tape_network_free(network);
	free(text);
	return 0;
}
