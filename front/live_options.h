/* The command line of `tape live`. */
#ifndef TAPE_LIVE_OPTIONS_H
#define TAPE_LIVE_OPTIONS_H

#include "argument_list.h"

struct live_options {
	long receivers;	    /* -m; 0: none */
	const char *output; /* -o, absolute; NULL: standard error */
	int output_fd;	    /* the same, open; else of standard error */
	int stream_lost;    /* -s says what becomes of lost events */
	int top;	    /* keys are the view's */
	struct argument_list settings; /* taperun's: -s SETTING */
	struct argument_list analyser; /* tapelive's */
	char **command;
};

/* argv[0] is "live". What is wrong is said before anything runs, status 2. */
void live_options_read(struct live_options *o, int argc, char **argv);

#endif
