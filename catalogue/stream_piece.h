/*
 * What a traced program sends to an analyser of its MPI job (stream = mpi):
 * pieces of the files that the trace has, or would have, in the order in which
 * they are written. A message is a row of pieces: a head, which is this struct
 * as it stands in memory, then its bytes.
 */
#ifndef TAPE_STREAM_PIECE_H
#define TAPE_STREAM_PIECE_H

#include <stdint.h>

enum tape_frame_kind {
	TAPE_FRAME_META = 1, /* of the file meta */
	TAPE_FRAME_CLOCKS,   /* clocks */
	TAPE_FRAME_RANK,     /* rank.R of the sender */
	TAPE_FRAME_RECORDS,  /* flow.R.T: whole records of one chunk */
	TAPE_FRAME_CHUNK     /* flow.R.T: a chunk's header; its records that
			      * it counts were sent before */
};

struct tape_frame {
	uint32_t kind;
	uint32_t thread; /* T */
	uint64_t at;	 /* where in the file */
	uint64_t bytes;
};

/* Maximum bytes of a message. */
#define TAPE_FRAME_MESSAGE (1u << 20)

#endif
