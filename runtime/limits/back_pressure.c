/* A flow waits for its consumer; see back_pressure.h. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "back_pressure.h"
#include "live_file.h"
#include "own_stack.h"
#include "message.h"
#include "sink.h"
#include "window.h"

/* All of this is seldom, and on a stack that is large enough. */
TAPE_ON_OWN_STACK

enum { FIRST_PAUSE_NS = 50000, LONGEST_PAUSE_NS = 1600000, TRIES = 100 };

static const char *live_path(char *path, size_t n)
{
	snprintf(path, n, "%s/" TAPE_LIVE_FILE, tape_process.dir);
	return path;
}

/* Opens the file that analyser and writers share, which may not be there. */
static int open_live(struct tape_file *live)
{
	char path[sizeof tape_process.dir + 16];

	live_path(path, sizeof path);
	return tape_file_create(live, tape_process.dir, path, O_RDWR) &&
		       (errno != EEXIST ||
			tape_file_adopt(live, tape_process.dir, path, O_RDWR))
		   ? -1
		   : 0;
}

static int get_live_descriptor(struct tape_file *live)
{
	char path[sizeof tape_process.dir + 16];

	return tape_file_descriptor(live, tape_process.dir,
				    live_path(path, sizeof path));
}

/* Says it if nobody of the run has; sentences begin with the directory. */
static void say_once(const char *what)
{
	static const struct timespec pause = {0, 1000000};
	struct tape_file live = {.fd = -1};
	unsigned char said = 0;
	int fd = open_live(&live) ? -1 : live.fd, held = 0;

	for (int i = 0; fd >= 0 && !held && i < TRIES; i++) {
		held = !flock(fd, LOCK_EX | LOCK_NB);
		if (!held)
			nanosleep(&pause, NULL);
	}
	if (fd < 0 || pread(fd, &said, 1, TAPE_LIVE_SAID) != 1 || !said) {
		said = 1;
		if (fd >= 0)
			(void)!TEMP_FAILURE_RETRY(
			    pwrite(fd, &said, 1, TAPE_LIVE_SAID));
		tape_say("%s %s", tape_process.dir, what);
	}
	if (held)
		flock(fd, LOCK_UN);
	if (fd >= 0)
		tape_file_close(&live);
}

void tape_back_start(struct tape_flow *f)
{
	char path[sizeof tape_process.dir + 64];
	struct tape_file live;
	int e = errno, fd;

	tape_process.read_once = 0;
	tape_process.unread_ns = 0;
	tape_process.unread = 0;
	if (tape_process.config.stream != TAPE_STREAM_NODE ||
	    !tape_sink_has_files())
		return;
	if (!open_live(&live))
		tape_file_close(&live);
	/* a hole after the end changes nothing */
	fd = tape_file_descriptor(&f->file, tape_process.dir,
				  tape_output_path(f, path, sizeof path));
	if (fd >= 0 &&
	    TEMP_FAILURE_RETRY(
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)(f->window_at + f->window_bytes),
			  (off_t)tape_page_bytes())) &&
	    (errno == EOPNOTSUPP || errno == ENOSYS)) {
		tape_process.unread = 1;
		tape_process.config.stream = TAPE_STREAM_OFF;
		say_once("is on a file system that cannot free consumed data: "
			 "the trace is written without a size limit");
	}
	errno = e;
}

static int is_flow_full(struct tape_flow *f, uint64_t bytes)
{
	char path[sizeof tape_process.dir + 64];
	int fd = tape_file_descriptor(&f->file, tape_process.dir,
				      tape_output_path(f, path, sizeof path));
	struct stat s;

	/* what is wrong with the file is found by the function that allocates
	 * in it */
	return fd >= 0 && !fstat(fd, &s) &&
	       (uint64_t)s.st_blocks * 512 + bytes >
		   tape_process.config.stream_bytes;
}

/* Has the trace an analyser, or may one still come? */
static int is_consumed(int fd)
{
	unsigned char pid[4] = {0};
	uint64_t now = tape_raw_ns();
	long rc = TEMP_FAILURE_RETRY(flock(fd, LOCK_SH | LOCK_NB));

	if (rc) /* the program may just have closed it */
		return 1;
	flock(fd, LOCK_UN);
	if (pread(fd, pid, sizeof pid, TAPE_LIVE_PID) == sizeof pid &&
	    tape_get32(pid))
		tape_process.read_once = 1;
	if (!tape_process.unread_ns)
		tape_process.unread_ns = now;
	return !tape_process.read_once &&
	       now - tape_process.unread_ns <
		   TAPE_LIVE_GRACE_MS * UINT64_C(1000000);
}

/* Does it lack events? Since when it has is kept in *since, 0: it did not. */
static int is_starved(int fd, uint64_t *since)
{
	unsigned char starved = 0;
	uint64_t now = tape_raw_ns();

	if (pread(fd, &starved, 1, TAPE_LIVE_STARVED) != 1 || !starved)
		*since = 0;
	else if (!*since)
		*since = now;
	return *since &&
	       now - *since >= TAPE_LIVE_STARVED_MS * UINT64_C(1000000);
}

/* Is the file that of another version of Tape, whose words are not known? */
static int is_other_version(int fd)
{
	unsigned char head[8] = {0};

	return pread(fd, head, sizeof head, 0) == sizeof head &&
	       tape_get32(head) &&
	       (tape_get32(head) != TAPE_LIVE_MAGIC ||
		tape_get32(head + 4) != TAPE_LIVE_VERSION);
}

/* Nobody consumes, once and for all. */
static enum tape_back end_back_pressure(int other)
{
	int stops = tape_process.config.stream_stops != 0;

	tape_process.unread = 1;
	if (stops)
		return TAPE_BACK_STOP;
	say_once(other ? "is read by another version of Tape: the trace is now "
			 "written without a size limit"
		 : tape_process.read_once
		     ? "is no longer consumed: the analyser has exited; the "
		       "trace is now written without a size limit"
		     : "is not consumed: no analyser has started; the trace is "
		       "now written without a size limit");
	return TAPE_BACK_GO;
}

static enum tape_back wait_for_room(struct tape_flow *f, uint64_t bytes)
{
	const struct tape_config *c = &tape_process.config;
	struct timespec pause = {0, FIRST_PAUSE_NS};
	enum tape_back answer = TAPE_BACK_GO;
	uint64_t starved_since = 0;
	struct tape_file live;

	if (tape_process.unread)
		return c->stream_stops ? TAPE_BACK_STOP : TAPE_BACK_GO;
	if (!is_flow_full(f, bytes))
		return TAPE_BACK_GO;
	if (open_live(&live))
		return end_back_pressure(0);
	while (is_flow_full(f, bytes) && tape_process.state == TAPE_RUNNING) {
		int fd = get_live_descriptor(&live);
		int other = fd >= 0 && is_other_version(fd);

		if (fd < 0 || other || !is_consumed(fd)) {
			answer = end_back_pressure(other);
			break;
		}
		if (c->stream_drops)
			answer = TAPE_BACK_FULL;
		if (c->stream_drops || is_starved(fd, &starved_since))
			break;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LONGEST_PAUSE_NS)
			pause.tv_nsec *= 2;
	}
	tape_file_close(&live);
	return answer;
}

/* The same for a trace that is sent: the flow waits for its consumer. */
static enum tape_back wait_for_sink(const struct tape_sink *sink)
{
	struct timespec pause = {0, FIRST_PAUSE_NS};

	while (sink->is_full() && tape_process.state == TAPE_RUNNING) {
		if (tape_process.config.stream_drops)
			return TAPE_BACK_FULL;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LONGEST_PAUSE_NS)
			pause.tv_nsec *= 2;
	}
	return TAPE_BACK_GO;
}

enum tape_back tape_back_reserve(struct tape_flow *f, uint64_t bytes)
{
	const struct tape_sink *sink = tape_process.sink;
	struct tape_flow *current = tape_current;
	int e = errno, cancelling, sent = sink && sink->is_full;
	enum tape_back answer;

	if (tape_process.config.stream != TAPE_STREAM_NODE || (!sent && !bytes))
		return TAPE_BACK_GO;
	/* what a signal's handler calls meanwhile finds a call in progress */
	tape_current = NULL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	answer = sent ? wait_for_sink(sink) : wait_for_room(f, bytes);
	pthread_setcancelstate(cancelling, NULL);
	tape_current = current;
	errno = e;
	return answer;
}
TAPE_ON_OWN_STACK_END
