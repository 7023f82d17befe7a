#!/bin/bash
# The setting noise with PVM: a program with a race (pvm_noise.c) has other results
# for some seeds, without a race it has one, and each call that is drawn is
# followed by its delay. Fortran: jacobi.
# Truth: the formula, computed by noise.py; the programs without Tape.
. "$(dirname "$0")/pvm.bash"
need python3
[ -e "$TAPE_BUILD/lib/libtape-pvm.so" ] || needs_pvm libtape-pvm.so
compile noise pvm_noise.c
. "$here/noise.bash"

# go NAME NOISE COMMAND...
go()
{
	rm -rf "$1.tape"
	run "$1" timeout 200 pvm_machine taperun -o "$1" -s noise="$2" "${@:3}"
}

run plain timeout 100 pvm_machine ./noise "$PWD/noise" 20
try_seeds "1 2 3" ./noise "$PWD/noise" 20
ok "meta says it" holds '^noise 1:2000:50$' none1.tape/meta
jacobi=$TAPE_BUILD/examples/pvm/jacobi_fortran
if [ -x "$jacobi" ]; then
	run plain_fortran timeout 100 pvm_machine "$jacobi" 2 -n 16 -i 20
	go fortran 4:200:30 "$jacobi" 2 -n 16 -i 20
	ok "Fortran: the result is the same" alike plain_fortran fortran
	ok "Fortran: each call that is drawn is delayed" drawn fortran 4 200 30
fi
finish
