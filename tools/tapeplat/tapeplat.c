/*
 * tapeplat: writes a platform for SimGrid from a few words: a node, a cluster,
 * cabinets with switches, a fat tree, a torus, a tree of levels.
 * platform_words.c parses the words, platform_file.c reads the measurements of
 * tapecal, lib/common/platform.c writes.
 */
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform_file.h"
#include "file_output.h"
#include "platform_words.h"
#include "program_options.h"
#include "tool.h"

struct options {
	const char *factors, *output, *shape;
	int list, levels;
};

static void parse_options(int argc, char **argv, struct options *x)
{
	int c;

	*x = (struct options){ .output = "-" };
	while ((c = tape_option_next("tapeplat", argc, argv)) != -1)
		if (c == 'f')
			x->factors = optarg;
		else if (c == 'l')
			x->list = 1;
		else if (c == 'L')
			x->levels = 1;
		else if (c == 'o')
			x->output = optarg;
		else
			tape_option_refuse("tapeplat", c);
	if (optind + 1 != argc || (x->list && x->levels))
		tape_option_usage("tapeplat");
	x->shape = argv[optind];
}

int main(int argc, char **argv)
{
	struct tape_platform p = tape_platform_usual;
	enum tape_shape measured;
	double shared;
	struct options x;
	FILE *out;

	tape_tool("tapeplat");
	parse_options(argc, argv, &x);
	if (x.factors)
		platform_read_file(x.factors, &p);
	/* a limit of cores does not apply to a network, nor vice versa */
	measured = p.shape;
	shared = p.shared_bandwidth;
	p.shared_bandwidth = 0;
	platform_read_words(x.shape, &p);
	if (!(p.shared_bandwidth > 0) && p.shape != TAPE_TORUS &&
	    (p.shape == TAPE_NODE) == (measured == TAPE_NODE))
		p.shared_bandwidth = shared;
	out = tape_file_begin(x.output);
	if (x.levels && tape_platform_write_levels(&p, out))
		tape_die(TAPE_USAGE, "this platform has no levels above hosts");
	else if (x.levels)
		;
	else if (x.list)
		tape_platform_write_hosts(&p, out);
	else
		tape_platform_write(&p, out);
	tape_file_commit();
	free((char *)(uintptr_t)p.config);
	return TAPE_DONE;
}
