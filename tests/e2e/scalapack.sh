#!/bin/bash
# ScaLAPACK's test programs: Fortran over the BLACS, which communicate in C.
# Packed messages, a datatype and an operation made and freed for each of them.
# Truth: the programs without Tape; calls counted by a library of its own.
# In make check-all only: a program of others.
. "$(dirname "$0")/programs.bash"
home=$(echo /usr/lib/*/scalapack/openmpi-tests)
if [ ! -d "$home" ]; then
	skip "scalapack" "mpi scalapack-mpi-test is not installed"
	finish
fi
export ranks=4

# driver NAME LEAST FIELD,FIELD... DATA: the table of runs, but for those fields
# of its lines (-1: the last but one), times and rates; the lines of processor time are there only
# where any was measured.
driver()
{
	local name=$1 least=$2 at=$home

	[ -x "$home/$name" ] || at=$home/PBLAS
	mkdir "$name"
	cp -L "$at/$name" "$at/$4" "$name/"
	eval "neutral_$name() { neutral_table $3; }"
	program "$name" "./$name" "$least" run.out --
}
neutral_table()
{
	awk -v fields="$1" '
		BEGIN { n = fields ? split(fields, f, ",") : 0 }
		$1 == "CPU" { next }
		$1 == "WALL" {
			for (i = 1; i <= n; i++)
				$(f[i] < 0 ? NF + f[i] : f[i]) = "."
		}
		{ print }'
}

# scalapack.sh [NAME...]: without names the two that are done soon
for name in ${*:-xdqr dpb1tst}; do
	case $name in
	xdlu) driver $name 400000 9,10,11 LU.dat ;;
	xdqr) driver $name 50000 8,9 QR.dat ;;
	# sums come in the order of arrival: its residuals differ, too
	xdtrd) driver $name 100000 -1,-2,-3 TRD.dat ;;
	xdls) driver $name 400000 10,11 LS.dat ;;
	dpb1tst) driver $name 5000 0 PDBLAS1TST.dat ;;
	*) echo "Bail out! no driver $name"; exit 1 ;;
	esac
done
finish
