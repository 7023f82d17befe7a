#!/bin/bash
# tapestat on real runs whose waits have a known reason: it names who waited,
# where, for whom and why; its sums are those of the program and of tapedump.
# Truth: the program's own waits.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq python3
cp "$TAPE_TOP/examples/stories.c" .
mpicc -O1 -g -o prog stories.c || { echo "Bail out! stories.c"; exit 1; }

line() { grep -n "/\* $1 \*/" stories.c | cut -d: -f1; }
# What jq finds in a story's JSON is true
truth() { jq -e "$2" "$1.json" >/dev/null; }
story() # NAME RANKS
{
	run $1 mpirun -np $2 taperun -o $1 ./prog $1
	ok "$1: it runs" equal "$(cat $1.rc $1.err)" 0
	sba -o $1.sba.tape $1.tape >/dev/null 2>&1
	tico -o $1.tico.tape $1.sba.tape >/dev/null 2>&1
	tapestat $1.tico.tape >$1.txt 2>$1.log
	ok "$1: the report has no complaint" equal "$(cat $1.log)" ""
	tapestat -j $1.tico.tape >$1.json
	ok "$1: waits, causes, path and ranks add up" truth $1 '
		def near($a; $b): ($a - $b | fabs) <= 1e-6 + 1e-3 * $b;
		near([.waits[].waiting_s] | add; .waiting_s) and
		near([.causes[].caused_s] | add; .waiting_s) and
		near([.path[].on_path_s] | add; .critical_path_s) and
		.critical_path_s <= .run_s + 1e-9 and
		near([.ranks[] | .computing_s + .communicating_s +
			.waiting_s + .tracing_s] | add; .all_ranks_s)'
	tapedump -i $1.tico.tape | awk '$1 ~ /^MPI_/ && $1 !~ /^MPI_(Init|Fin)/ {
		print $1, $3 }' | sort >$1.dump
	ok "$1: calls as tapedump counts them" equal "$(jq -r '.names[] |
		"\(.call) \(.calls + .counted)"' $1.json | sort)" "$(cat $1.dump)"
	cat $1.txt | head -n 6 | sed 's/^/# /'
}
# The share of all waiting at a line for a rank, at least
waits() # NAME LINE FOR SHARE
{
	jq -e --arg at "stories.c:$2" "([.waits[] | select((.call_site |
		endswith(\$at)) and .for_rank == $3) | .waiting_s] | add) >
		$4 * .waiting_s" "$1.json" >/dev/null
}
caused() # NAME RANK SHARE
{
	jq -e "([.causes[] | select(.rank == $2) | .caused_s] | add) >
		$3 * .waiting_s" "$1.json" >/dev/null
}

compare() { tapestat -d $1.tico.tape $2.tico.tape >/dev/null; }

story late 3
ok "late: ranks 1 and 2 wait where they receive, for rank 0" \
	waits late "$(line LATE)" 0 0.4
ok "late: the first of the waits is said so" holds \
	"^Rank 0 caused .* of the (other )?waiting.*outside MPI after MPI_Send stories.c" late.txt
ok "late: and where they waited" holds \
	"^Ranks 1 and 2 waited .* in MPI_Recv stories.c:$(line LATE) \(late sender\)$" late.txt
ok "late: rank 0 is to blame" caused late 0 0.4
ok "late: 10 x 2 x 20 ms of it, and no more than the run" truth late '
	[.waits[] | select(.kind == "late sender") | .waiting_s] | add |
	. > 0.3'
ok "late: messages from 0 to 1 and 2" equal "$(jq -c '[.messages[] |
	[.from, .to, .messages, .bytes]] | sort' late.json)" \
	"[[0,1,10,80],[0,2,10,80]]"

story slow 3
ok "slow: others wait in the barrier for rank 1" \
	waits slow "$(line SLOW)" 1 0.4
ok "slow: and that is said" holds \
	"waited .* in MPI_Barrier stories.c:$(line SLOW) \(wait at barrier\)$" slow.txt
ok "slow: it computes longest" holds "^Rank 1 is outside of calls longest" slow.txt
ok "slow: and is the critical path" truth slow '
	.ranks | max_by(.critical_path_s) | .rank == "1"'

story master 4
ok "master: workers wait for rank 0" waits master "$(line MASTER)" 0 0.4
ok "master: which is to blame" caused master 0 0.4

story lock 3
ok "lock: they wait for the lock" truth lock '
	([.waits[] | select(.kind == "lock of a window") | .waiting_s] |
	add) > 0.2 * .waiting_s'
ok "lock: and that is said" holds "waited .* in MPI_Win_.* \(lock of a window\)$" \
	lock.txt

# Phases: those that the program marks, and those that come again.
cat >phases.c <<'C'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int me, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	usleep(20000);
	if (argc > 1)
		MPI_Pcontrol(2);
	for (int i = 0; i < 12; i++) {
		usleep(me == (i >= 6) ? 30000 : 2000);
		for (int k = 0; k < 3; k++)
			MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM,
				      MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (argc > 1)
		MPI_Pcontrol(3);
	usleep(20000);
	MPI_Finalize();
	return 0;
}
C
mpicc -g -o phases phases.c
mpirun -np 2 taperun -o marked ./phases marked
mpirun -np 2 taperun -o loop ./phases
tape report marked.tape -j >marked.json
tape report loop.tape -j >loop.json
ok "phases: those that MPI_Pcontrol marks" equal "$(jq -r '.phases[] |
	"\(.phase) \(.name)"' marked.json | paste -sd,)" \
	"before ,1 MPI_Pcontrol 2,2 MPI_Pcontrol 3"
ok "phases: the barrier ends each of eleven, the allreduce comes too often" \
	equal "$(jq -r '.phases[].phase' loop.json | paste -sd' ')" \
	"before 1 2 3 4 5 6 7 8 9 10 11 after"
for t in marked loop; do
	ok "phases of $t: all of them are the run" truth $t '
		def near($a; $b): ($a - $b | fabs) <= 1e-6 + 1e-3 * $b;
		near([.phases[].computing_s] | add; .computing_s) and
		near([.phases[] | .computing_s + .communicating_s +
			.waiting_s] | add; [.ranks[] | .computing_s] +
			[.names[].total_s] | add)'
done
ok "phases: rank 0 computes longer in the first half, rank 1 in the second" \
	truth loop '([.phases[1:6][] | select(.rank == 0)] | length >= 3) and
		([.phases[7:12][] | select(.rank == 1)] | length >= 3)'
tapestat -j loop.sba.tape >measured.json
ok "measured beside: as tapestat has it of that trace" equal \
	"$(jq -c '[.calls[] | [.call_site, .measured_s]] | sort' loop.json)" \
	"$(jq -c '[.calls[] | [.call_site, .total_s]] | sort' measured.json)"
ok "measured beside: the same of waits" equal \
	"$(jq -c '[.waits[] | select(.measured_s > 0) | [.call_site, .kind,
		.rank, .for_rank, .measured_s]] | sort' loop.json)" \
	"$(jq -c --slurpfile l loop.json '[.waits[] | [.call_site, .kind,
		.rank, .for_rank, .waiting_s] | select(. as $w | $l[0].waits |
		any([.call_site, .kind, .rank, .for_rank] == $w[:4]))] |
		sort' measured.json)"
ok "what is certain holds what is told" truth loop '
	[.calls[], .ranks[] | select(.at_least_s) |
	.at_least_s <= (.total_s // .computing_s) + 1e-12 and
	.at_most_s >= (.total_s // .computing_s) - 1e-12] | all'

ok "late against itself: nothing is slower" compare late late
ok "late against slow: status 3" equal "$(compare late slow; echo $?)" 3

# ---- how wide tables are ----

# the widest line of the tables in FILE, which begin after the first blank line
widest() { sed '1,/^$/d; s/\r//' "$1" | awk '{ if (length > n) n = length } END { print +n }'; }
tapestat -a --measured loop.sba.tape loop.tico.tape >wide.txt
ok "without a terminal tables fit 100 columns" test "$(widest wide.txt)" -le 100
ok "what is not shown is named" holds '^Not shown: .*p99.* \(-c has all columns\)' wide.txt
cat >terminal.py <<'END_PY'
import fcntl, os, pty, struct, sys, termios

child, terminal = pty.fork()
if not child:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 50, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    sys.stdout.buffer.write(data)
END_PY
# Some columns stay in any case
for columns in 72 60; do
	python3 terminal.py $columns tapestat -t calls -t ranks loop.tico.tape >narrow.txt
	ok "on a terminal of $columns columns they fit it" \
		test "$(grep -v '^Not shown' narrow.txt >rows; widest rows)" -le $columns
done
python3 terminal.py 250 tapestat -t calls loop.tico.tape >narrow.txt
ok "a wide terminal has all columns" sh -c "grep -q p99 narrow.txt && ! grep 'Not shown' narrow.txt"

# ---- one rank ----

cat >self.c <<'EOF'
#include <mpi.h>
int main(int n, char **v)
{
	int x = 0, y;

	MPI_Init(&n, &v);
	for (int i = 0; i < 100; i++)
		MPI_Sendrecv(&x, 1, MPI_INT, 0, 1, &y, 1, MPI_INT, 0, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
EOF
mpicc -g -o self self.c
run self mpirun -np 1 taperun -o self ./self
run alone tapestat -a self.tape
ok "one rank that talks to itself" equal "$(cat self.rc alone.rc)" $'0\n0'
finish
