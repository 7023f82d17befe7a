#!/bin/bash
# stream = mpi: a job of programs and receivers. What the receivers write is to
# the byte what the same run writes to files (stream_keep); what is not in files
# is the same in kind.
# Truth: none; the files of the same run.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
receiver=$TAPE_BUILD/libexec/tapelive-$([ "$MPI" = mpich ] && echo mpich || echo openmpi)
[ -x "$receiver" ] || { skip streamed "no $receiver"; finish; }
build streamed streamed_mpi.c
build defining defining.c -pthread
both="-s stream=mpi -s stream_keep=on"

# equal TRACE SPOOL/PROGRAM: the same files with the same bytes
equal_traces()
{
	diff <(ls "$1") <(ls "$2") && [ -s "$2/meta" ] &&
		(cd "$1" && for f in *; do cmp "$f" "$2/$f" || exit 1; done)
}
receive() { echo "$receiver" -k -S "$work/$1"; }

ok "a program and a receiver run" eval "mpirun -np 3 taperun $both -o a \
	./streamed 20000 : -np 1 $(receive s1) >a.out"
ok "the program sees itself alone" same <(echo "3 ranks, level 200") \
	<(sed 's/level .*/level 200/' a.out)
ok "the spool is the trace on disk" equal_traces a.tape "$work/s1/streamed"
ok "which is whole" eval "tapedump a.tape >a.text 2>a.err && [ ! -s a.err ]"
ok "it has all messages" equal \
	"$(grep -c MPI_Sendrecv_replace a.text)" 60000
ok "the end is said" test -e s1/over

ok "two programs, two receivers" eval "mpirun -np 2 taperun $both -o b \
	./streamed 5000 : -np 3 taperun $both -o c ./streamed.linked 300 : \
	-np 2 $(receive s2)"
ok "the first one's spool is its trace" \
	equal_traces b.tape "$work/s2/streamed"
ok "the second one's, too" equal_traces c.tape "$work/s2/streamed.linked"

ok "without files" eval "mpirun -np 2 taperun -s stream=mpi -o d \
	./streamed 20000 : -np 1 $(receive s3)"
ok "there are none" eval '! ls -d d*.tape'
ok "the trace is in the spool" eval "tapedump s3/streamed >d.text 2>d.err &&
	[ ! -s d.err ]"
ok "all of it" equal "$(grep -c MPI_Sendrecv_replace d.text)" 40000

ok "threads that call MPI" eval "mpirun -np 2 taperun $both -o e \
	./streamed 8000 threads : -np 1 $(receive s4)"
ok "are in the spool as on disk" equal_traces e.tape "$work/s4/streamed"
ok "a thread that sets marks only" eval "mpirun -np 2 taperun $both -o f \
	./streamed.linked 20000 marks : -np 1 $(receive s5)"
ok "is in the spool as on disk" \
	equal_traces f.tape "$work/s5/streamed.linked"
ok "with two flows" test -s s5/streamed.linked/flow.1.1

ok "threads that define call sites and regions at once" eval "mpirun -np 1 \
	taperun $both -o defining ./defining 4 300 : -np 1 $(receive s.defining)"
ok "are in the spool as on disk" \
	equal_traces defining.tape "$work/s.defining/defining"

if command -v mpifort >/dev/null; then
	mpifort -O1 -o fortran_ring "$here/fortran_ring.F90" 2>/dev/null
	ok "Fortran" eval "mpirun -np 2 taperun $both -o g ./fortran_ring : \
		-np 1 $(receive s6)"
	ok "is in the spool as on disk" \
		equal_traces g.tape "$work/s6/fortran_ring"
fi

# settings that change what stands in chunks
ok "call sites that are only counted" eval "mpirun -np 2 taperun $both \
	-s max_rate=20000 -s counters=cpu -o h ./streamed 30000 : \
	-np 1 $(receive s7)"
ok "are in the spool as on disk" equal_traces h.tape "$work/s7/streamed"

# an unfinished chunk comes, too
mpirun -np 1 taperun -s stream=mpi ./streamed 100 pause : \
	-np 1 $(receive s8) >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 600; i++)); do
	[ -s s8/streamed/rank.0 ] && break
	sleep 0.05
done
ok "definitions are there while the program runs" test -s s8/streamed/meta
wait $pid

# ends that nobody planned
broken_off()
{
	rm -rf "$work/$2" "$1.tape"
	run "$1" timeout 60 mpirun -np 2 taperun $both -o "$1" ./streamed 20000 \
		"$3" : -np 1 $(receive "$2")
}
until_ended i broken_off i s9 abort
ok "MPI_Abort: the job has its status" equal "$(cat i.rc)" 5
ok "what came is a trace" eval "tapedump s9/streamed >i.text"
# how far depends on how soon the job is killed
ok "it begins as that on disk" eval "head -c 2000 s9/streamed/meta |
	cmp -n 2000 - i.tape/meta"
until_ended j broken_off j s10 kill
ok "killed: what came is a trace" eval "tapedump s10/streamed >j.text"

# options of tapelive go on to the one that follows
run options mpirun -np 2 taperun -s stream=mpi ./streamed 2000 : \
	-np 2 tapelive -j -t calls -i 0.1 --line-every 0.1 --report page.html \
	--spool "$work/s12" --keep
ok "options of tapelive in a job: it ends" equal "$(cat options.rc)" 0
# Open MPI's mpirun gives out lines of others in between
grep '^{' options.out >options.json
ok "-j, -t calls: what is printed" equal \
	"$(grep -c '"calls":.*MPI_Sendrecv_replace' options.json) $(
	grep -c '"waits":\[' options.json)" "1 0"
ok "--line-every: what is printed meanwhile" holds '^tapelive: .*streamed: ' \
	options.err
ok "--report: a page" holds '</html>' page.html
ok "--spool, --keep: the trace stays" same <(without_ideal <options.json) \
	<(tapestat -j -t calls "$work/s12/streamed" | without_ideal)
for wrong in "--nonsense" "-i x" "--keep --consume" "-t nonsense"; do
	until_ended wrong run wrong timeout 60 mpirun -np 2 taperun -s stream=mpi \
		./streamed 100 : -np 1 tapelive $wrong
	ok "$wrong: one sentence, and the job is over" equal \
		"$(cat wrong.rc) $(grep -c '^tapelive: ' wrong.err)" "2 1"
done
run wrong tapelive --spool x y
ok "--spool with a directory to follow" equal \
	"$(cat wrong.rc) $(grep -c '^tapelive: ' wrong.err)" "2 1"

# who is missing
ok "no analyser: the program runs" eval \
	'mpirun -np 2 taperun -s stream=mpi -o k ./streamed 100 >k.out 2>k.err'
ok "one line says so" equal "$(grep -c 'tape: .*no analyser' k.err)" 1
ok "and there are files" test -s k.tape/flow.1.0
ok "no program: not done" eval "! mpirun -np 2 $receiver 2>l.err"
ok "one line says so" equal "$(grep -c '^tapelive: no other program' l.err)" 1
ok "a program that is not to be traced ends" eval "echo 'reference = 77' \
	>wrong.conf; TAPE_CONF=wrong.conf mpirun -np 2 taperun -s stream=mpi \
	./streamed 100 : -np 1 $(receive s11) 2>m.err"
ok "and says why" holds "reference = 77" m.err
finish
