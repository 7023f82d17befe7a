#!/bin/bash
# The setting noise: a program with a race (noise.c) has other results for some
# seeds, without a race it has one; each call that is to be delayed is, in C and
# Fortran, and the delay is alpha, so that it is no time of the program; meta and
# the report say it. MPI=mpich: with that library.
# Truth: the formula, computed by noise.py; the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc mpifort python3
build noise noise.c
. "$here/noise.bash"

# go NAME SEED COMMAND...
go()
{
	rm -rf "$1.tape"
	run "$1" env OMPI_MCA_mpi_yield_when_idle=1 timeout 200 mpirun -np 3 \
		taperun -o "$1" -s noise="$2" "${@:3}"
}

run plain timeout 100 mpirun -np 3 ./noise 20
try_seeds "1 2 3 4" ./noise 20
go linked 5:300:30 ./noise.linked 20
ok "linked: the result is the same" alike plain linked
ok "linked: each call that is drawn is delayed" drawn linked 5 300 30
tapecc -O1 -o noise.source "$here/noise.c" -w
go source 6:300:30 ./noise.source 20
ok "compiled: each call that is drawn is delayed" drawn source 6 300 30
TAPE_ALPHA=measured go measured 7:300:30 ./noise 20
ok "alpha = measured: each call that is drawn is delayed" drawn measured 7 300 30
mpifort -o fortran "$here/noise_fortran.f90" -w
run plain_fortran timeout 100 mpirun -np 3 ./fortran
go fortran 8:300:30 ./fortran
ok "Fortran: the result is the same" alike plain_fortran fortran
ok "Fortran: each call that is drawn is delayed" drawn fortran 8 300 30

# ---- what is said ----

ok "meta says it" holds '^noise 1:2000:50$' none1.tape/meta
tape report none1.tape >report 2>&1
ok "the report says it" holds '^Calls were delayed at random \(noise 1:2000:50\)' report
ok "the corrected trace, too" holds '^noise 1:2000:50$' none1.tico.tape/meta
go off off ./noise 20
ok "off: nothing is said" lacks '^noise' off.tape/meta
run refused taperun -s noise=1:0 ./noise 1
ok "what is wrong is refused" eval \
	"equal \$(cat refused.rc) 2 && holds 'noise = 1:0: expected off, or SEED' refused.err"
finish
