#!/bin/bash
# Real programs, traced, through sba and t2np; tests/rigs/picl_check.py reads
# what comes out. The program below counts what it does: the trace must say the
# same. Then the output is damaged in known ways, each of which must be found.
# Truth: the program's own count; a checker of the format.
set -u
check=$TAPE_TOP/tests/rigs/picl_check.py
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
n=0 failed=0

# result STATUS WHAT
result()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	[ -s log ] && sed 's/^/# /' log | tail -n 20
	failed=1
}

finish()
{
	echo "1..$n"
	exit $failed
}

for tool in mpirun mpicc python3; do
	if ! command -v $tool >/dev/null; then
		echo "ok 1 - t2np end to end # SKIP mpi: no $tool"
		echo "1..1"
		exit 0
	fi
done

# ---- a program with everything ----

cat >mix.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tape_enter(const char *) __attribute__((weak));
void tape_leave(void) __attribute__((weak));
void tape_off(void) __attribute__((weak));
void tape_on(void) __attribute__((weak));

/* What a reader of the trace has to find, over all ranks. */
enum { SEND, ISEND, SENT, RECV, IRECV, RECEIVED, BARRIER, WHAT };
static const char *const name[WHAT] = { "send", "isend", "sent", "recv",
					"irecv", "received", "barrier" };
static long count[WHAT], total[WHAT];
static int rank, size, to, from;
static char out[64], in[4096];
static const MPI_Status *const no = MPI_STATUS_IGNORE;
#define W MPI_COMM_WORLD
#define NO ((MPI_Status *)no)

static void blocking(void)
{
	static char space[1 << 16];
	int size_of;
	char *p;

	if (rank % 2 == 0) {
		MPI_Buffer_attach(space, sizeof space);
		MPI_Send(out, 1, MPI_CHAR, rank + 1, 1, W);
		MPI_Ssend(out, 2, MPI_CHAR, rank + 1, 2, W);
		MPI_Bsend(out, 0, MPI_CHAR, rank + 1, 3, W);
		MPI_Buffer_detach(&p, &size_of);
		count[SEND] += 3;
	} else {
		MPI_Recv(in, 64, MPI_CHAR, rank - 1, 1, W, NO);
		MPI_Recv(in, 64, MPI_CHAR, MPI_ANY_SOURCE, 2, W, NO);
		MPI_Recv(in, 64, MPI_CHAR, rank - 1, MPI_ANY_TAG, W, NO);
		count[RECV] += 3;
	}
	MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 1, W);
	MPI_Recv(in, 1, MPI_CHAR, MPI_PROC_NULL, 1, W, NO);
	MPI_Sendrecv(out, 5, MPI_CHAR, rank ? MPI_PROC_NULL : 1, 4, in, 64,
		     MPI_CHAR, rank == 1 ? 0 : MPI_PROC_NULL, 4, W, NO);
	count[SEND] += rank == 0;
	count[RECV] += rank == 1;
	MPI_Sendrecv_replace(in, 7, MPI_CHAR, to, 5, from, 5, W, NO);
	count[SEND]++;
	count[RECV]++;
}

static void nonblocking(void)
{
	MPI_Request q[4];
	MPI_Status s[4];
	int done, index[4], flag = 0;

	MPI_Irecv(in, 64, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &q[0]);
	MPI_Isend(out, 9, MPI_CHAR, to, 6, W, &q[1]);
	MPI_Ibarrier(W, &q[2]);
	MPI_Irecv(in, 1, MPI_CHAR, MPI_PROC_NULL, 6, W, &q[3]);
	MPI_Waitall(4, q, s);
	MPI_Issend(out, 10, MPI_CHAR, to, 7, W, &q[0]);
	MPI_Irecv(in, 64, MPI_CHAR, from, 7, W, &q[1]);
	for (done = 0; done < 2;) {
		int got;

		MPI_Waitsome(2, q, &got, index, s);
		done += got;
	}
	MPI_Irecv(in, 64, MPI_CHAR, from, 8, W, &q[0]);
	if (rank == 0)
		usleep(2000);
	MPI_Isend(out, 11, MPI_CHAR, to, 8, W, &q[1]);
	while (!flag)
		MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE);
	MPI_Irecv(in, 64, MPI_CHAR, from, 12345, W, &q[0]);
	MPI_Cancel(&q[0]);
	MPI_Wait(&q[0], NO);
	count[ISEND] += 3;
	count[SENT] += 3;
	count[IRECV] += 4;
	count[RECEIVED] += 3;
}

static void persistent(void)
{
	MPI_Request q[3];

	MPI_Send_init(out, 12, MPI_CHAR, to, 9, W, &q[0]);
	MPI_Recv_init(in, 64, MPI_CHAR, MPI_ANY_SOURCE, 9, W, &q[1]);
	MPI_Recv_init(in, 64, MPI_CHAR, MPI_PROC_NULL, 9, W, &q[2]);
	for (int i = 0; i < 3; i++) {
		if (i == 2) {
			MPI_Start(&q[0]);
			MPI_Start(&q[1]);
			MPI_Wait(&q[1], NO);
			MPI_Wait(&q[0], NO);
		} else {
			MPI_Startall(3, q);
			MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
		}
		count[ISEND]++, count[SENT]++;
		count[IRECV]++, count[RECEIVED]++;
	}
	for (int i = 0; i < 3; i++)
		MPI_Request_free(&q[i]);
}

static void probes(void)
{
	MPI_Message m;
	MPI_Request q;
	int flag = 0;

	for (int tag = 20; tag < 24; tag++)
		MPI_Send(out, 1 + tag, MPI_CHAR, to, tag, W);
	MPI_Probe(from, 20, W, NO);
	MPI_Recv(in, 64, MPI_CHAR, from, 20, W, NO);
	while (!flag)
		MPI_Iprobe(MPI_ANY_SOURCE, 21, W, &flag, NO);
	MPI_Recv(in, 64, MPI_CHAR, from, 21, W, NO);
	MPI_Mprobe(MPI_ANY_SOURCE, 22, W, &m, NO);
	MPI_Mrecv(in, 64, MPI_CHAR, &m, NO);
	for (flag = 0; !flag;)
		MPI_Improbe(from, 23, W, &flag, &m, NO);
	MPI_Imrecv(in, 64, MPI_CHAR, &m, &q);
	MPI_Wait(&q, NO);
	count[SEND] += 4;
	count[RECV] += 3;
	count[IRECV]++;
	count[RECEIVED]++;
}

/* Ranks here are not those of the world. */
static void communicators(void)
{
	MPI_Comm back, half;
	int me, many;
	double x = rank, y;

	MPI_Comm_split(W, 0, -rank, &back);
	MPI_Comm_split(W, rank % 2, rank, &half);
	MPI_Comm_rank(back, &me);
	MPI_Sendrecv(out, 30, MPI_CHAR, (me + 1) % size, 30, in, 64, MPI_CHAR,
		     (me + size - 1) % size, 30, back, NO);
	MPI_Barrier(back);
	MPI_Comm_rank(half, &me);
	MPI_Comm_size(half, &many);
	MPI_Sendrecv(out, 31, MPI_CHAR, (me + 1) % many, 31, in, 64, MPI_CHAR,
		     (me + many - 1) % many, 31, half, NO);
	MPI_Barrier(half);
	MPI_Barrier(W);
	MPI_Bcast(&x, 1, MPI_DOUBLE, 1, half);
	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, back);
	MPI_Comm_free(&half);
	MPI_Comm_free(&back);
	count[SEND] += 2;
	count[RECV] += 2;
	count[BARRIER] += 3;
}

/* A second flow of the rank, at the same time as the first. */
static void *thread(void *arg)
{
	MPI_Comm own = *(MPI_Comm *)arg;
	MPI_Request q;

	for (int i = 0; i < 50; i++) {
		MPI_Irecv(in + 2048, 64, MPI_CHAR, from, 40, own, &q);
		MPI_Send(out, 40, MPI_CHAR, to, 40, own);
		MPI_Wait(&q, NO);
	}
	return NULL;
}

static void threads(void)
{
	MPI_Comm own;
	pthread_t id;

	MPI_Comm_dup(W, &own);
	pthread_create(&id, NULL, thread, &own);
	for (int i = 0; i < 50; i++)
		MPI_Barrier(W);
	pthread_join(id, NULL);
	count[SEND] += 50;
	count[IRECV] += 50;
	count[RECEIVED] += 50;
	count[BARRIER] += 50;
}

int main(int argc, char **argv)
{
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(W, &rank);
	MPI_Comm_size(W, &size);
	to = (rank + 1) % size;
	from = (rank + size - 1) % size;
	if (level != MPI_THREAD_MULTIPLE || size % 2 || !tape_enter)
		MPI_Abort(W, 3);
	tape_enter("the whole");
	tape_enter("blocking");
	blocking();
	tape_leave();
	nonblocking();
	persistent();
	probes();
	tape_off();
	MPI_Sendrecv(out, 1, MPI_CHAR, to, 50, in, 1, MPI_CHAR, from, 50, W,
		     NO);
	tape_on();
	communicators();
	threads();
	PMPI_Reduce(count, total, WHAT, MPI_LONG, MPI_SUM, 0, W);
	for (int i = 0; !rank && i < WHAT; i++)
		printf("%s %ld\n", name[i], total[i]);
	MPI_Finalize();
	return 0;
}
END
mpicc -O1 -pthread -o mix mix.c >log 2>&1
result $? "the test program compiles"

taperun mpirun -np 4 ./mix >truth 2>log && [ -d mix.tape ]
result $? "it runs traced" || finish
sba mix.tape >log 2>&1 && t2np mix.sba.tape >log 2>&1
result $? "sba, then t2np"
[ -f mix.sba.trf ] && ! ls | grep -q '\.part'
result $? "the result is named after the trace"

"$check" mix.sba.trf >counts 2>&1
rc=$?; cp counts log
result $rc "the checker finds nothing wrong"

# entries EVTTYPE...: how many records of these begin
entries()
{
	local e sum=0 c
	for e; do
		c=$(sed -n "s/^entries $e //p" counts)
		sum=$((sum + ${c:-0}))
	done
	echo $sum
}

while read -r what number; do
	case $what in
	send) got=$(entries -21 -22 -23) ;;
	isend) got=$(entries -27 -39) ;;
	sent) got=$(entries -30 -31 -42 -43) ;;
	recv) got=$(entries -51 -52) ;;
	irecv) got=$(entries -57) ;;
	received) got=$(entries -60 -61) ;;
	barrier) got=$(entries -402) ;;
	*) got=-1 ;;
	esac
	echo "$got, the program counted $number" >log
	[ "$got" = "$number" ] && [ "$number" -gt 0 ]
	result $? "as many of $what as the program counted"
done <truth
[ "$(wc -l <truth)" -eq 7 ]; result $? "seven kinds were counted"

cp counts log
grep -qx 'unreceived 0' counts; result $? "every message is received"
grep -qx 'unended 0' counts; result $? "every request has an end"
# what each of the ranks does, or each second one
for event in -22:2 -23:2 -39:4 -42,-43:4 -62:4 -53:8 -55,-56:8 -785:4 -782:4 \
	MPI_Ibarrier:4 the_whole:4 blocking:4 MPI_Cancel:4 MPI_Send_init:4 \
	tracing_off:4; do
	IFS=, read -ra kinds <<<"${event%:*}"
	[ "$(entries "${kinds[@]}")" = "${event#*:}" ] || break
done
result $? "modes, cancelled, probed, collectives, the rest as tasks ($event)"
[ "$(entries polling)" -gt 0 ]; result $? "failed tests are polling"
grep -q '^-202 ' mix.sba.trf; result $? "parts of the world are subsets"
awk '$5 == 1 { found = 1 } END { exit !found }' mix.sba.trf
result $? "the second thread is process 1 of its node"

t2np -o - mix.sba.tape | cmp -s - mix.sba.trf
result $? "-o - writes the same to stdout"
t2np -o again.trf mix.sba.tape && cmp -s again.trf mix.sba.trf
result $? "twice the same result"

# ---- a trace made by hand: everything at one nanosecond ----

python3 - <<'END' >log 2>&1
# Chunks that were never sealed need no checksum. One tick is one nanosecond.
import os
import struct

def varint(v):
    out = b""
    while v >= 0x80:
        out += bytes([v & 0x7f | 0x80])
        v >>= 7
    return out + bytes([v])

def flow(rank, *events):
    head = struct.pack("<8I4Q", 0x4b4e4843, 1, rank, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    body = b"".join(varint(v) for e in events for v in e)
    with open("hand.tape/flow.%d.0" % rank, "wb") as f:
        f.write((head.ljust(128, b"\0") + body).ljust(65536, b"\0"))
    with open("hand.tape/rank.%d" % rank, "w") as f:
        f.write("tape-rank 1\nrank %d\nhost h\ndomain 0\n" % rank)
        f.write("comm 1 1 2 %d w\n" % rank)
        for site, call in (1, 106), (2, 120), (3, 124):
            f.write("site %d %d 1 f.c %%\n" % (site, call))

os.mkdir("hand.tape")
with open("hand.tape/meta", "w") as f:
    f.write("tape-trace 1\nranks 2\ndomain 0 c h\nbase global\n"
            "clock 0 0 0 1 0 0\n")
LOCAL, SEND, RECV = 18, 20, 22
# code, start after the previous end, duration, fields (signed ones doubled)
flow(0, (RECV, 10, 90, 2, 14, 1, 2, 14, 3000000000, 0, 0), (LOCAL, 0, 0))
flow(1, (LOCAL, 50, 50), (SEND, 0, 0, 0, 14, 3000000000, 1), (LOCAL, 0, 5))
END
t2np hand.tape >>log 2>&1 && "$check" hand.trf >>log 2>&1
result $? "a send goes before its receive at the same nanosecond"
cp hand.trf log
grep -qx -e '-4 -52 0.000000090 0 0 3 3 3000000000 7 1' hand.trf
result $? "large numbers are long"
grep -qx -e '-4 -901 0.000000095 1 0 0' hand.trf
result $? "time counts from the first event"

# ---- messages in parts, which MPICH has ----

cat >parts.c <<'END'
#include <mpi.h>
#include <stdio.h>

/* Rounds of a ring; each message has its last part ready after the others. */
int main(int argc, char **argv)
{
	char in[6][10], out[6][10];
	int rank, size, list[] = { 5, 4 };
	MPI_Request q[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Psend_init(out, 6, 10, MPI_CHAR, (rank + 1) % size, 8,
		       MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]);
	MPI_Precv_init(in, 6, 10, MPI_CHAR, (rank + size - 1) % size, 8,
		       MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]);
	for (int k = 0; k < 5; k++) {
		MPI_Startall(2, q);
		MPI_Pready_range(0, 2, q[0]);
		MPI_Pready_list(2, list, q[0]);
		MPI_Pready(3, q[0]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
	MPI_Finalize();
	return 0;
}
END
if command -v mpicc.mpich mpirun.mpich >/dev/null &&
	mpicc.mpich -g -o parts parts.c >log 2>&1; then
	taperun mpirun.mpich -np 3 ./parts >log 2>&1 && sba parts.tape >log 2>&1 &&
		t2np parts.sba.tape >log 2>&1 &&
		"$check" parts.sba.trf >counts 2>&1
	rc=$?; cp counts log
	result $rc "messages in parts: the checker finds nothing wrong"
	[ "$(entries -27) $(entries -57) $(entries -30 -31) $(entries -60 -61)" \
		= "15 15 15 15" ]
	result $? "as many are sent and received as the program made"
	[ "$(entries MPI_Pready_list) $(entries MPI_Pready)" = "15 0" ]
	result $? "the last part sends the message, others are tasks"
	awk '$1 == -3 && $2 == -27 { n++; bad += $8 != 60 || $9 != 8 }
		END { exit bad || n != 15 }' parts.sba.trf
	result $? "with all of its bytes and its tag"
fi

# ---- what it must refuse ----

# the same events with a second clock that nothing relates to the first
cp -r mix.tape local.tape
sed -i '/^domain 0 /a domain 1 elsewhere nowhere' local.tape/meta
t2np local.tape >log 2>&1
[ $? -eq 1 ] && grep -q 'run sba' log && [ ! -e local.trf ]
result $? "dates of two clocks are refused, and sba is named"
t2np -o one.trf mix.tape >log 2>&1 && "$check" one.trf >>log 2>&1
result $? "local dates of one clock are good"

# a copy, not the linked files themselves
cp -r mix.sba.tape torn.tape
dd if=/dev/zero of=torn.tape/flow.2.0 bs=1 seek=300 count=8 conv=notrunc \
	2>/dev/null
t2np torn.tape >log 2>&1
[ $? -eq 0 ] &&
	grep -q 'flow\.2\.0: offset [0-9]*: .* the rest of this flow is not read$' log
result $? "a damaged flow: file and offset are named"
[ -s torn.trf ]; result $? "and what is whole of it is translated"
t2np >log 2>&1; [ $? -eq 2 ]; result $? "no trace: status 2"
t2np nothing.tape >log 2>&1; [ $? -eq 1 ]; result $? "no such trace: status 1"
t2np -o /dev/full mix.sba.tape >log 2>&1
[ $? -eq 1 ] && [ -c /dev/full ]; result $? "a full disk is told"

# ---- the checker can fail ----

# damage WHAT PATTERN AWK: the checker must find it, and say so like PATTERN
damage()
{
	awk "$3" mix.sba.trf >bad.trf
	"$check" bad.trf >log 2>&1
	[ $? -eq 1 ] && ! cmp -s bad.trf mix.sba.trf && grep -q "$2" log
	result $? "found: $1"
}

damage "a record out of order" "earlier than" \
	'NR == 380 { time = $3 } NR == 400 { $3 = time } { print }'
damage "an exit left out" "has no entry\|begins inside" \
	'$1 == -4 && $2 == -21 && !n++ { next } { print }'
damage "an entry left out" "has no entry" \
	'$1 == -3 && $2 == -57 && !n++ { next } { print }'
damage "a send left out" "received before" \
	'$2 == -21 && $4 == 2 && n < 2 { n++; next } { print }'
damage "a send that comes too late" "received before" \
	'$2 == -21 && $4 == 0 && n < 2 { late[n++] = $0; next }
	$1 == -2 && $2 == -12 && !m++ {
		kept = $0; time = $3; node = $4
		for (i = 0; i < n; i++) {
			$0 = late[i]; $3 = time; print }
		$0 = kept }
	{ print }'
damage "a message to another node" "received before" \
	'$1 == -3 && $2 == -21 && !n++ { $10 = 3 - $10 } { print }'
damage "another length" "received before" \
	'$1 == -4 && ($2 == -51 || $2 == -52) && !n++ { $8++ } { print }'
damage "another source than asked for" "asked for" \
	'$1 == -3 && $2 == -57 && $9 >= 0 && !n++ { $9 = ($9 + 1) % 4 }
	{ print }'
damage "a request that never began" "is no irecv" \
	'$1 == -3 && ($2 == -60 || $2 == -61) && !n++ { $8 += 999 } { print }'
damage "a request that ends twice" "is no irecv" \
	'{ print }
	$1 == -3 && ($2 == -60 || $2 == -61) && !n {
		n = 1; entry = $0; event = $2; node = $4; pid = $5 }
	n == 1 && $1 == -4 && $2 == event && $4 == node && $5 == pid {
		n = 2; exit_ = $0; $0 = entry; split(exit_, e, " ")
		$3 = e[3]; print; print exit_ }'
damage "nfields too large" "data, but nfields" \
	'$6 == 3 && !n++ { $6 = 4 } { print }'
damage "data without nfields" "nfields is 0" \
	'$6 == 1 && !n++ { $6 = 0 } { print }'
damage "an unknown descriptor" "bad descriptor" \
	'$6 == 3 && !n++ { $7 = 9 } { print }'
damage "an int that is none" "does not fit" \
	'$7 == 3 && !n++ { $7 = 2 } { print }'
damage "a word too few" "words, at least" \
	'$6 == 0 && !n++ { $0 = $1 " " $2 " " $3 " " $4 " " $5 } { print }'
damage "a coarse time" "bad time" \
	'NR == 50 { $3 = substr($3, 1, length($3) - 4) } { print }'
damage "an event of no agreed form" "unknown event" \
	'$2 == -51 || $2 == -52 { $2 = -25 } { print }'
damage "the end of another mode" "began by event -39" \
	'$2 == -42 || $2 == -43 { $2 += 12 } { print }'
damage "a probe that finds what nobody sent" "received before" \
	'$1 == -4 && $2 <= -53 && $2 >= -56 && !n++ { $8++ } { print }'
damage "a root outside of the subset" "is not in subset" \
	'$1 == -3 && $2 == -785 && !n++ { $9 = 1 - $9 % 2 } { print }'
damage "bytes of one that is not the root" "impossible size" \
	'$1 == -3 && $2 == -785 && $8 == -1 && !n++ { $8 = 1 } { print }'
damage "a broadcast before its root is there" "not in the broadcast" \
	'$2 == -785 && $4 == $9 && !r { r = 1; root = $4; held = 1 }
	held && $2 == -785 && $4 == root { late[m++] = $0; next }
	$1 == -2 && $2 == -12 && !end++ {
		kept = $0; time = $3
		for (i = 0; i < m; i++) {
			$0 = late[i]; $3 = time; print }
		$0 = kept }
	{ print }'
damage "another subset on exit" "another subset" \
	'$1 == -4 && $2 == -782 && !n++ { $8 += 1 } { print }'
damage "tracing that does not begin" "tracing is not on" \
	'$1 == -3 && $2 == -901 && $4 == 3 { next } { print }'
damage "tracing that does not end" "tracing does not end" \
	'$1 == -4 && $2 == -901 && $4 == 3 { next } { print }'
damage "a record after the end" "tracing is not on" \
	'{ print } END { $1 = -2; $2 = -12; print }'
damage "a task without a label" "has no label" \
	'$1 == -5 && !n++ { next } { print }'
damage "a label twice" "second label" \
	'{ print } $1 == -5 && !n++ { print }'
damage "a subset without a definition" "is not defined" \
	'$1 == -202 && !n++ { next } { print }'
damage "a subset without this node" "not in subset" \
	'$1 == -202 && !n++ { $NF = 3 - $NF } { print }'
damage "a barrier left too early" "not in the barrier" \
	'$2 == -402 && $4 == 1 && n < 2 { n++; next } { print }'
damage "a node that begins after a barrier of all" "after a barrier" \
	'{ print } END { $4 = 4; $1 = -3; print; $1 = -4; print }'
awk '{ print } END { $4 = 3; $1 = -3; print; $1 = -4; print }' hand.trf \
	>bad.trf
"$check" bad.trf >log 2>&1
[ $? -eq 1 ] && grep -q "node 2 has no record" log
result $? "found: a node that is not there"
head -c -1 mix.sba.trf >bad.trf; "$check" bad.trf >log 2>&1
[ $? -eq 1 ] && grep -q "no end" log; result $? "found: a line cut short"

# any entry or exit that is missing breaks a pair
seed=20261
found=0
for i in $(seq 20); do
	line=$(awk -v s=$((seed + i)) '$1 == -3 || $1 == -4 { l[n++] = NR }
		END { srand(s); print l[int(rand() * n)] }' mix.sba.trf)
	sed "${line}d" mix.sba.trf >bad.trf
	if "$check" bad.trf >log 2>&1; then
		echo "line $line is not missed" >log
	else
		found=$((found + 1))
	fi
done
[ $found -eq 20 ]; result $? "20 random records left out, seed $seed: $found found"

# ---- a program of others ----

if command -v hpcc >/dev/null; then
	cp /usr/share/doc/hpcc/examples/_hpccinf.txt hpccinf.txt 2>/dev/null ||
		: >hpccinf.txt
	sed -i -e '6s/^1000/200/' -e '11s/^2/1/' hpccinf.txt
	timeout 120 taperun mpirun -np 2 hpcc >log 2>&1
	sba hpcc.tape >>log 2>&1 && t2np hpcc.sba.tape >>log 2>&1
	result $? "hpcc, sba, t2np"
	"$check" hpcc.sba.trf >log 2>&1
	result $? "hpcc: the checker finds nothing wrong"
	[ "$(sed -n 's/^messages //p' log)" -gt 1000 ]
	result $? "hpcc: thousands of messages"
else
	echo "ok $((n += 1)) - hpcc # SKIP mpi: no hpcc"
fi
finish
