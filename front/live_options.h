/* The command line of `tape live`. */
#ifndef TAPE_LIVE_OPTIONS_H
#define TAPE_LIVE_OPTIONS_H

#include "argument_list.h"

struct live_options {
	long receivers;	    /* -m; 0: none */
	const char *output; /* -o, absolute; NULL: standard error */
	int output_fd;	    /* the same, open; else of standard error */
	int stream_lost;    /* -s sets stream_lost */
	int top;	    /* --top: the keys control the view */
	struct argument_list settings; /* options of taperun: -s SETTING */
	struct argument_list analyser; /* options of tapelive */
	char **command;
};

/* Reads argv; argv[0] is "live". Exits with status 2 on wrong use. */
void live_options_read(struct live_options *o, int argc, char **argv);

#endif
