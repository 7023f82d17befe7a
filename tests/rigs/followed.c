/*
 * Prints all items of a trace, as it is (DIR) or while it is written (-f DIR),
 * to be compared. While it is written: what has been read is removed from the
 * files with -p; with -c the clocks are placed and steered, and it prints lines
 * "date RANK TICK NS ERROR" and, of messages, "message TRIP"; at the end "error
 * NOW WORST", ns. ERROR is what is said of the worst clock then.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clocks_now.h"
#include "replay.h"
#include "tape_follow.h"

struct reader {
	struct tape_trace *t;
	const char *path;
	int punch, tries;
};

static void pause_ms(long ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

/* Is the process there that writes the flow? */
static int waits(void *self, size_t flow)
{
	struct reader *r = self;
	const struct tape_flow_info *f;
	long pid;

	pause_ms(1);
	if (!r->t || flow == SIZE_MAX)
		return ++r->tries > 20000;
	f = tape_trace_flow(r->t, flow);
	pid = tape_trace_rank(r->t, f->rank)->pid;
	return pid && kill((pid_t)pid, 0) && errno == ESRCH;
}

static void consumed(void *self, size_t flow, uint64_t bytes)
{
	struct reader *r = self;
	int fd;

	if (!r->punch || !r->t)
		return;
	fd = open(tape_trace_flow(r->t, flow)->file, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				0, (off_t)bytes))
		err(1, "punch");
	close(fd);
}

/* With the clocks as they are. */
static void print_dates(const struct tape_item *i,
			const struct tape_clocks_now *k)
{
	const struct tape_event *e = i->event;
	const struct tape_message *m = i->message;
	double so_far;

	if (i->kind == TAPE_ITEM_END)
		printf("date %d %lu %ld %.0f\n", e->rank,
		       (unsigned long)e->end_tick, (long)e->end_ns,
		       tape_clocks_now_error(k, &so_far));
	if (i->kind == TAPE_ITEM_MESSAGE && m->state == TAPE_MATCHED)
		printf("message %ld\n", (long)(m->ended_ns - m->sent_ns));
}

static void print(const struct tape_item *i)
{
	const struct tape_event *e = i->event;
	const struct tape_message *m = i->message;
	const struct tape_collective_round *q = i->round;

	switch (i->kind) {
	case TAPE_ITEM_BEGIN:
		break;
	case TAPE_ITEM_END:
		printf("%d.%d %s %u %u %ld %ld %u %lu\n", e->rank, e->thread,
		       e->call ? tape_call_name(e->call)
			       : tape_class_name(e->class_),
		       e->site, e->region, (long)e->start_ns, (long)e->end_ns,
		       e->n_done, (unsigned long)e->polls);
		break;
	case TAPE_ITEM_MESSAGE:
		printf("message %d > %d state %d %lu bytes %ld %ld\n", m->from,
		       m->to, (int)m->state, (unsigned long)m->bytes,
		       (long)m->sent_ns, (long)m->ended_ns);
		break;
	case TAPE_ITEM_ROUND:
		printf("round %lx %lu %s size %d %d known %d left\n",
		       (unsigned long)q->comm, (unsigned long)q->k,
		       tape_call_name(q->call), q->size, q->known, q->left);
		break;
	case TAPE_ITEM_REQUEST:
		break;
	}
}

int main(int argc, char **argv)
{
	struct reader r = {0};
	const struct tape_following how = {waits, consumed, NULL, &r};
	const struct tape_item *i;
	struct tape_clocks_now *k = NULL;
	struct tape_replay *p;
	int c, follow = 0, clocks = 0, rc;
	double error, worst;

	while ((c = getopt(argc, argv, "cfp")) != -1)
		*(c == 'c' ? &clocks : c == 'f' ? &follow : &r.punch) = 1;
	r.path = argv[optind];
	rc = follow ? tape_trace_follow(argv[optind], &how, &r.t)
		    : tape_trace_open(argv[optind], &r.t);
	if (rc)
		errx(1, "%s", tape_trace_error(r.t));
	if (clocks && (tape_clocks_now_open(r.t, &k) || !k))
		errx(1, "no clocks: %s", tape_trace_error(r.t));
	if (tape_replay_open(r.t,
			     TAPE_REPLAY_EVENTS | TAPE_REPLAY_MESSAGES |
				 TAPE_REPLAY_ROUNDS,
			     &p))
		errx(1, "%s", tape_trace_error(r.t));
	while ((rc = tape_replay_next(p, &i)) == 1) {
		if (tape_clocks_now_add_item(k, i))
			errx(1, "clocks: %s", tape_trace_error(r.t));
		if (k)
			print_dates(i, k);
		else
			print(i);
	}
	if (k) {
		error = tape_clocks_now_error(k, &worst);
		printf("error %.0f %.0f\n", error, worst);
	}
	tape_clocks_now_close(k);
	for (size_t f = 0; f < tape_trace_flows(r.t); f++) {
		uint64_t lost;
		const struct tape_flow_info *n = tape_trace_flow(r.t, f);

		if (!access(n->file, F_OK))
			printf("end %d.%d %d\n", n->rank, n->thread,
			       (int)tape_replay_end(p, f, &lost));
		if (tape_trace_damage(r.t, f, NULL))
			printf("%s\n", tape_trace_damage(r.t, f, NULL));
	}
	tape_replay_close(p);
	tape_trace_close(r.t);
	return rc != 0;
}
