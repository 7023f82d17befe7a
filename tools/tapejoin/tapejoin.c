/* tapejoin: the traces of jobs that spawned one another as one. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "joined_jobs.h"
#include "program_options.h"
#include "tool.h"

/* Prints which ranks are of which job. */
static void print_report(const struct join *j, const char *output)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct join_job *k = &j->jobs[i];
		int last = k->first + (int)tape_trace_ranks(k->t) - 1;

		if (last == k->first)
			printf("rank %d", k->first);
		else
			printf("ranks %d to %d", k->first, last);
		fputs(" of ", stdout);
		tape_put_clean(stdout, tape_trace_path(k->t));
		if (k->parent >= 0) {
			fputs(", spawned by ", stdout);
			tape_put_clean(stdout,
				       tape_trace_path(j->jobs[k->parent].t));
		}
		if (k->root >= 0)
			printf(", rank %d", k->root);
		putchar('\n');
	}
	fputs("written to ", stdout);
	tape_put_clean(stdout, output);
	putchar('\n');
}

/* ---- opening and closing ---- */

void join_open(struct join *j, char **paths, size_t n)
{
	memset(j, 0, sizeof *j);
	join_find_jobs(j, paths, n);
	join_order_jobs(j);
	join_read_meta(j);
}

void join_close(struct join *j)
{
	for (size_t i = 0; i < j->n; i++) {
		tape_trace_close(j->jobs[i].t);
		free(j->jobs[i].clocks);
	}
	for (size_t k = 0; k < JOIN_KEYS; k++)
		join_list_free(&j->meta[k]);
	join_list_free(&j->clocks);
	free(j->classes);
	free(j->jobs);
}

int main(int argc, char **argv)
{
	char output[4200] = "";
	struct tape_output *o;
	struct join j;
	int c;

	tape_tool("tapejoin");
	while ((c = tape_option_next("tapejoin", argc, argv)) != -1)
		if (c == 'o' && *optarg && strlen(optarg) < sizeof output)
			strcpy(output, optarg);
		else
			tape_option_refuse("tapejoin", c);
	if (optind == argc)
		tape_option_usage("tapejoin");
	join_open(&j, argv + optind, (size_t)(argc - optind));
	if (!*output)
		tape_output_name(tape_trace_path(j.jobs[0].t), "joined.tape",
				 output, sizeof output);
	o = tape_output_begin(output);
	join_write(&j, o);
	tape_output_commit(o);
	print_report(&j, output);
	join_close(&j);
	return fflush(stdout) || ferror(stdout) ? TAPE_FAILED : TAPE_DONE;
}
