/* The child that continues after the traced process has exited; see child.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer.h"
#include "child.h"
#include "core.h"
#include "define.h"
#include "own_stack.h"
#include "message.h"
#include "window.h"

void tape_child_before_fork(void)
{
	struct tape_flow *f = tape_own;

	/* the child finds zeros in the first bytes of the flow */
	if (tape_process.state == TAPE_RUNNING && f && f->chunk)
		memcpy(f->kept, f, sizeof f->kept);
}

void tape_child_after_fork(void)
{
	struct tape_flow *f = tape_own;

	tape_process.inherited_calls = 0;
	tape_process.inherited_flow =
	    f && f->chunk && !f->filed && !f->gap && !f->end && !f->broken
		? f
		: NULL;
}

/* Returns 1 if the process has exited, whether its parent waited or not. */
TAPE_ON_OWN_STACK
static int has_process_ended(long pid)
{
	char path[64], text[512], *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) /* unless all of /proc is hidden */
		return !access("/proc/self/stat", R_OK);
	n = TEMP_FAILURE_RETRY(read(fd, text, sizeof text - 1));
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	state = strrchr(text, ')');
	return state && state[1] && strchr("ZX", state[2]);
}

/* Maps the parent's window and resets f to its state before fork. */
static int map_again(struct tape_flow *f)
{
	char path[sizeof tape_process.dir + 64];
	unsigned char *w;
	ptrdiff_t d;
	int fd;

	fd = tape_file_descriptor(&f->file, tape_process.dir,
				  tape_output_path(f, path, sizeof path));
	if (fd < 0)
		return -1;
	w = mmap(NULL, f->window_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 tape_output_place(f));
	if (w == MAP_FAILED)
		return -1;
	memcpy(f, f->kept, sizeof f->kept);
	d = w - f->window;
	/* unless the parent has recorded since */
	if (f->p[d] ||
	    tape_get64(f->chunk + d + TAPE_CHUNK_POLL) != f->poll_count) {
		munmap(w, f->window_bytes);
		memset(f, 0, sizeof f->kept);
		return -1;
	}
	madvise(w, f->window_bytes, MADV_DONTFORK);
	f->window = w;
	f->chunk += d;
	f->p += d;
	if (f->rate_from) {
		f->rate_from += d;
		f->rate_look += d;
	}
	if (f->limit)
		f->limit = tape_chunk_limit(f);
	return 0;
}

static void continue_in_child(void *done)
{
	char path[sizeof tape_process.dir + 64];
	struct tape_flow *f = tape_process.inherited_flow;

	if (!has_process_ended(tape_process.pid))
		return;
	tape_process.inherited_flow = NULL;
	if (tape_file_descriptor(&tape_process.defines, tape_process.dir,
				 tape_define_path(path, sizeof path)) < 0 ||
	    map_again(f)) {
		tape_say("rank %d: the traced process exited; its child "
			 "continues untraced",
			 tape_process.rank);
		return;
	}
	f->next = NULL;
	tape_process.flows = f;
	tape_process.pid = getpid();
	tape_process.state = TAPE_RUNNING;
	tape_define("note goes-on-in-process-%ld;-%llu-calls-are-missing\n",
		    (long)getpid(),
		    (unsigned long long)tape_process.inherited_calls - 1);
	tape_say("rank %d: the traced process exited; tracing continues in its "
		 "child (%llu calls of the child were not recorded)",
		 tape_process.rank,
		 (unsigned long long)tape_process.inherited_calls - 1);
	*(int *)done = 1;
}
TAPE_ON_OWN_STACK_END

void tape_child_call(void)
{
	uint64_t n = ++tape_process.inherited_calls;
	struct tape_flow *f = tape_process.inherited_flow;
	int done = 0, e = errno;

	/* the parent may exit late: later tests are rare */
	if (n > 64 && n % 64)
		return;
	tape_run_on_own_stack(continue_in_child, &done);
	if (done) {
		tape_own = f;
		tape_current = f->self;
	}
	errno = e;
}
