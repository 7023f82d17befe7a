#!/bin/bash
# tico --reference, the correction in phases: simulated programs (phases), and two
# real runs of one order (repeat.c, whose order is its number); runs that differ.
# PHASES_PROGRAMS and PHASES_SEED make a larger campaign, or another one.
# Truth: the simulated run without costs; the number that determines the order.
. "$(dirname "$0")/tap.bash"
need tico tapedump
run phases "$TAPE_BUILD/rig/phases" "${PHASES_PROGRAMS:-25}" \
	"${PHASES_SEED:-1}" "$TAPE_BUILD/bin" .
grep '^#' phases.out
ok "no bound misses the truth" equal "$(cat phases.rc)" 0

need mpirun mpicc jq
cp "$here/repeat.c" .
mpicc -O1 -g -w -o repeat repeat.c
# go NAME NUMBER COMMAND...: a run of that order
go()
{
	rm -rf "$1".*
	echo "$2" >number
	run "$1" timeout 100 mpirun -np 4 taperun -o "$1" "${@:3}"
	sba "$1.tape" >"$1.log" 2>&1
}
# a program whose receive is at another line, and one that receives once more
sed 's/^\t\tif (!rank)$/\n&/' repeat.c >moved.c
mpicc -O1 -g -w -o moved moved.c
sed -i 's/i < 3; i++/i < 4; i++/' repeat.c
mpicc -O1 -g -w -o longer repeat.c
go t0 1 ./repeat number
go t1 1 ./repeat number
go other 2 ./repeat number
go moved 1 ./moved number
go longer 1 ./longer number

run same tico -j --reference t0.sba.tape t1.sba.tape
ok "the same order: corrected" equal "$(cat same.rc)" 0
ok "three receives have times" equal "$(jq .reference.events same.out)" 3
run text tico --reference t0.sba.tape -o text.tico.tape t1.sba.tape
ok "the report says of which run it is" holds \
	'^  holds for +the run recorded in t0.sba.tape$' text.out
tico -o t0.tico.tape t0.sba.tape >/dev/null 2>&1
run again tico -j --reference t0.tico.tape -o again.tico.tape t1.sba.tape
ok "a corrected reference: the same number" equal \
	"$(jq .reference.events again.out)" 3
# refused NAME PATTERN: as the reference of t1
refused()
{
	run refused tico --reference "$1" -o refused.tico.tape t1.sba.tape
	equal "$(cat refused.rc)" 1 && holds "$2" refused.err &&
		equal "$(ls -d refused.tico.tape 2>&1 | grep -c '^refused')" 0
}
ok "another order: refused, where" refused other.sba.tape \
	'^tico: the runs differ: rank 0, receive or completion 1: MPI_Recv .* from 3, tag 7 in other.* from 2, tag 7 in t1'
ok "another call site: refused, where" refused moved.sba.tape \
	'^tico: the runs differ: rank 0, receive or completion 1: MPI_Recv main \(moved.c:[0-9]+\).*, MPI_Recv main \(repeat.c:'
ok "more receives: refused, where" refused longer.sba.tape \
	'^tico: the runs differ: rank 0, receive or completion 4: MPI_Recv .* in longer.sba.tape, nothing in t1.sba.tape$'
ok "no trace: refused" refused nothing.tape 'nothing.tape'
run rule tico -sf --reference t0.sba.tape -o rule.tico.tape t1.sba.tape
ok "with another rule: refused" equal "$(cat rule.rc)" 2

# tape run --phases: both, on a program whose order differs from run to run
build order order.c
run both timeout 100 tape run --phases -o app mpirun -np 4 ./order recv 8
ok "tape run --phases: the program ran twice" equal "$(cat both.rc) $(wc -l <both.out)" "0 48"
ok "in the same order" same <(head -n 24 both.out) <(tail -n 24 both.out)
ok "its trace is corrected by the first run" holds \
	'^history tico .*--reference' app.tico.tape/meta
run fails timeout 100 tape run --phases -o none mpirun -np 4 false
ok "a first run that fails: no second one" holds 'no second run' fails.err
ok "and its exit status" equal "$(cat fails.rc)" 1
finish
