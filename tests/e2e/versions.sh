#!/bin/bash
# Versions of Tape that differ: the traced program has another one than the
# receiver of its job, or than who follows its trace. One sentence says so, and the
# program goes on, with its results and exit status. tests/rigs/other is the tracer
# as version 9.9.9.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc tapelive
build streamed streamed.c
other=$TAPE_BUILD/rig/other/bin/taperun
here_version=$(tapedump -V | cut -d' ' -f2)
receiver=$TAPE_BUILD/libexec/tapelive-$([ "$MPI" = mpich ] && echo mpich || echo openmpi)

# A program that still works, and prints, behind MPI_Finalize
cat >after.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int me;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	for (int i = 0; i < 100; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	sleep(1);
	printf("rank %d ends\n", me);
	return atoi(argv[1]);
}
END
mpicc -O1 -o after after.c || { echo "Bail out! after.c"; exit 1; }
barriers() { events "$1" 0 MPI_Barrier; }

# ---- in a job ----

if [ ! -x "$receiver" ]; then
	skip "in a job" "$receiver is not built"
else
	run job timeout 100 mpirun -np 2 "$other" -s stream=mpi -o job ./after 0 : \
		-np 2 tapelive
	ok "a job of two versions: the program comes to its end" equal \
		"$(grep ends job.out | sort)" $'rank 0 ends\nrank 1 ends'
	ok "the analyser says why, in one line" equal "$(grep ^tapelive job.err)" \
		"tapelive: the programs of this job run different versions of Tape"
	ok "so does the program" equal "$(grep ^tape: job.err)" "tape: stream = mpi: the programs of this job run different versions of Tape; the trace is written to files"
	ok "the status is that of an analysis that failed" equal "$(cat job.rc)" 1
	ok "there is a trace of the other version" holds '^version 9.9.9$' \
		job.tape/meta
	ok "all of it, and it can be read" equal "$(barriers job.tape)" 100
	run status timeout 100 mpirun -np 2 "$other" -s stream=mpi -s \
		stream_lost=stop -o status ./after 3 : -np 1 tapelive
	ok "the program's status is the job's, where it has one" equal \
		"$(cat status.rc)" 3
	ok "stream_lost=stop: there is no trace, and that is said" eval \
		'[ ! -e status.tape ] && holds "different versions" status.err'
	run three timeout 100 mpirun -np 1 taperun -s stream=mpi -o one ./after 0 : \
		-np 1 "$other" -s stream=mpi -o two ./after 0 : -np 1 tapelive
	ok "one of two programs is of another version: both come to their ends" \
		equal "$(grep -c ends three.out)" 2
	ok "nothing is analysed" eval '! grep -q "after MPI_Init" three.out'
	ok "both have traces" equal "$(barriers one.tape) $(barriers two.tape)" \
		"100 100"
	# whoever fails waits for the program
	run fails timeout 100 mpirun -np 2 taperun -s stream=mpi ./after 0 : \
		-np 1 tapelive --report "$work/no/such/folder/page.html"
	ok "an analysis that fails at its end does not end the program" equal \
		"$(cat fails.rc) $(grep -c ends fails.out)" "1 2"
fi

# ---- a trace that is followed ----

# so many events are more than stream_bytes, however short their times are
run plain mpirun -np 2 ./streamed rounds 60000
# followed NAME TAPERUN SETTING...: by tapelive: NAME.live, .said and .status
followed()
{
	local name=$1 pid

	timeout 100 tapelive -a -n 0 --wait 60 $keep "$name.tape" >"$name.live" \
		2>"$name.said" & pid=$!
	run "$name" timeout 100 mpirun -np 2 "${@:2}" -s stream=node \
		-o "$name" ./streamed rounds 60000
	wait $pid
	echo $? >"$name.status"
}
as_alone()
{
	equal "$(cat "$1.rc"; sort "$1.out")" "$(cat plain.rc; sort plain.out)"
}
keep=--keep
followed older "$other"
ok "another version, the same format: as alone" as_alone older
ok "it is followed as any" equal "$(cat older.status)" 0
ok "the report is tapestat's" same <(without_phases <older.live) \
	<(tapestat -a -n 0 older.tape | without_phases)

# the same tracer, which says that its traces are of a newer format
mkdir -p newer/bin newer/lib
cp "$other" newer/bin
for f in "${other%/bin/*}"/lib/*.so; do
	sed 's/tape-trace 1/tape-trace 2/g' "$f" >"newer/lib/${f##*/}"
done
keep=
followed format newer/bin/taperun -s stream_bytes=196608
ok "a newer format: as alone" as_alone format
ok "who follows it says so, in one sentence" equal "$(cat format.status format.said)" "1
tapelive: format.tape/meta: written by Tape 9.9.9, which is newer than this version, $here_version"
# it may have refused the trace before the writers saw that it had come
ok "nobody waits for who is gone, and that is said once" equal "$(grep -cE \
	'is (not consumed: no analyser has started|no longer consumed: the analyser has exited)' \
	format.err)" 1
sed -i 's/^tape-trace 2/tape-trace 1/' format.tape/meta
ok "the trace is whole" equal "$(events format.tape 0 MPI_Sendrecv)" \
	"$(events older.tape 0 MPI_Sendrecv)"

# a follower whose words are not known: its file says that it is of another version
run_node()
{
	run node timeout 100 mpirun -np 2 taperun -s stream=node \
		-s stream_bytes=196608 -o node ./streamed rounds 60000
}
run_node &
pid=$!
until [ -e node.tape/live ]; do sleep 0.02; done
printf 'LIVE\2\0\0\0' | dd of=node.tape/live conv=notrunc status=none
wait $pid
ok "a follower of another version: as alone" as_alone node
ok "that is said once" equal "$(grep -c \
	'is read by another version of Tape: the trace is now written' node.err)" 1
ok "and the trace is whole" equal "$(events node.tape 1 MPI_Sendrecv)" 60000
finish
