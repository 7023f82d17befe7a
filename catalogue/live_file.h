/*
 * What a traced program and the analyser that follows its trace tell each other
 * while both run: the file DIR/live, in the trace directory DIR.
 * Whoever comes first creates it; it has TAPE_LIVE_BYTES bytes,
 * little-endian:
 *
 *   0 u32 magic     4 u32 version    8 u32 process id of the analyser, or 0
 *  12 u8 starved    13 u8 said        14 ... 63 zeros
 *
 * The analyser holds an exclusive flock on it as long as it lives: this alone
 * says that somebody consumes, and the kernel ends it whatever becomes of the
 * process. A writer tests it by a shared lock that it releases at once; so
 * the analyser asks again where it finds one.
 *
 * The analyser consumes by punching holes into flow.R.T (fallocate,
 * FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE): whole pages of chunks that are
 * sealed (u32 used is not 0) and that it will not read again. It never punches
 * what is in an open chunk: its writer still stores there. Files keep their
 * size; a writer sees by the blocks of its own file (st_blocks) how much is not
 * consumed, and waits where that is more than the setting stream_bytes.
 *
 * starved: the analyser sets it to 1 while it waits for events of a flow, and
 * back to 0 when it has got some. Where it stays so for TAPE_LIVE_STARVED_MS no
 * writer waits any longer, however much there is: the one whose events are
 * missing may itself wait for a message of another one that is held back.
 *
 * said: a writer sets it to 1 when it says for all that nobody consumes.
 *
 * Where magic or version are others than these, the file's owner is of another
 * version of Tape: no writer waits for it, and no analyser consumes.
 *
 * A file TAPE_LIVE_OVER in DIR, or in the directory that DIR is in (the spool),
 * says that all writers have ended: nothing more is written, and no trace is
 * begun there. Who started them makes it (tape live; the receivers of a job).
 * Without it the analyser has to find out: by the ends of flows, or by the
 * processes that rank.R names.
 */
#ifndef TAPE_LIVE_FILE_H
#define TAPE_LIVE_FILE_H

#include <stdint.h>

#define TAPE_LIVE_FILE "live"
#define TAPE_LIVE_OVER "over"
#define TAPE_LIVE_MAGIC 0x4556494cu /* "LIVE" */
#define TAPE_LIVE_VERSION 1u
#define TAPE_LIVE_BYTES 64u

/* Offsets. */
enum { TAPE_LIVE_PID = 8, TAPE_LIVE_STARVED = 12, TAPE_LIVE_SAID = 13 };

/* How long a writer that has to wait gives the first analyser to come. */
enum { TAPE_LIVE_GRACE_MS = 10000 };

/* Less is how long an analyser on a busy machine takes to wake up. */
enum { TAPE_LIVE_STARVED_MS = 20 };

/* What an analyser has of it. */
struct tape_live {
	int fd;
	int starved; /* as it was last said */
	int is_new; /* the file was not there before */
};

/*
 * Becomes the analyser of the trace in dir. Returns 0, or TAPE_EIO (errno is
 * set; EWOULDBLOCK: it has one already), or TAPE_EFORMAT where the file is of
 * another version.
 */
int tape_live_hold(struct tape_live *l, const char *dir);

/* Waits for events (1), or has them (0); a system call where that is new. */
void tape_live_set_starved(struct tape_live *l, int starved);

/* Consumes no more. */
void tape_live_release(struct tape_live *l);

/*
 * Removes the file from dir, where it was not there before: nobody writes the
 * trace any more, or its writers look at no such file.
 */
void tape_live_remove(const struct tape_live *l, const char *dir);

/*
 * Frees the bytes of a flow's file from *done to upto, both offsets, upto
 * at the end of a sealed chunk or in a flow that has ended; *done becomes the
 * next one that is still there. Returns 0, or TAPE_EIO: the file system cannot
 * (errno EOPNOTSUPP), the file is also one of another trace (EMLINK; sba's
 * results have the same flows), or something else failed.
 */
int tape_live_consume(int fd, uint64_t *done, uint64_t upto);

#endif
