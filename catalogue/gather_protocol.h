/*
 * The messages between a traced process and tape-gather. Where a trace is
 * followed on one host (stream = node), a process on another one does not see
 * its directory. It sends its part of the trace by TCP to tape-gather there,
 * which writes it into the directory.
 *
 * The environment variable TAPE_GATHER says where: PORT:TOKEN:ADDRESS,... with
 * the addresses of the host that has the directory, in numbers. The process
 * connects, sends a tape_gather_hello and gets a tape_gather_reply. Then it
 * sends messages, each a u32 length and so many bytes of pieces
 * (stream_piece.h). It shuts its side down when all was sent. Both sides run
 * the same version of Tape. All values have their form in memory.
 *
 * At first tape-gather can be reached from its own host only, and the address
 * is TAPE_GATHER_HERE. Whoever starts processes on other hosts asks it before
 * to listen to them (TAPE_GATHER_HOSTS); the reply's text is what TAPE_GATHER
 * has to be from then on. The token stands in environments, never in a command
 * line.
 */
#ifndef TAPE_GATHER_PROTOCOL_H
#define TAPE_GATHER_PROTOCOL_H

#include <stdint.h>

#define TAPE_GATHER_VARIABLE "TAPE_GATHER"
#define TAPE_GATHER_MAGIC "tape-gat"
#define TAPE_GATHER_HERE "127.0.0.1"

enum {
	TAPE_GATHER_TOKEN = 32,		/* hexadecimal digits */
	TAPE_GATHER_IDENTITY = 16,	/* bytes */
	TAPE_GATHER_NAME = 4096,	/* longest name, with its end */
	TAPE_GATHER_MESSAGE = 128 << 10 /* longest message */
};

enum tape_gather_request {
	TAPE_GATHER_TRACE = 1, /* a new trace of program name; its rank 0 */
	TAPE_GATHER_RANK,      /* that rank of the trace in directory name */
	TAPE_GATHER_TASK,      /* the next rank of it that nobody has */
	TAPE_GATHER_HOSTS      /* to be heard from other hosts; that is all */
};

struct tape_gather_hello {
	char magic[8];
	char version[24];
	char token[TAPE_GATHER_TOKEN];
	/* random: who connects again for a rank has to be the same process */
	unsigned char identity[TAPE_GATHER_IDENTITY];
	uint32_t request;
	int32_t rank;
	char name[TAPE_GATHER_NAME];
};

struct tape_gather_reply {
	int32_t rank;		     /* -1: no, and text says why */
	char text[TAPE_GATHER_NAME]; /* the directory */
};

/*
 * A file TAPE_GATHER_GONE "R" in the directory: what rank R sends has ended,
 * and all of it is there.
 */
#define TAPE_GATHER_GONE "gone."

#endif
