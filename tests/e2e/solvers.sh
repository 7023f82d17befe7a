#!/bin/bash
# Small programs of several kinds: MUMPS (Fortran: packed messages, probes), the
# graphs of PT-Scotch (threads, user's operations), the vertices of a polytope
# by mplrs (a master, workers, and a process that writes).
# Truth: the programs without Tape; calls counted by a library of its own.
# In make check-all only: programs of others.
. "$(dirname "$0")/programs.bash"

mkdir mumps
cp -L /usr/lib/mumps/{dsimpletest,input_simpletest_real} mumps/ 2>/dev/null
neutral_mumps() { sed -E '/[Tt]ime/s/[0-9.]+(E[+-]?[0-9]+)?$//'; }
input=$work/mumps/input_simpletest_real ranks=3 \
	program mumps ./dsimpletest 1000 run.out --

# A grid of 32 x 32 points; the order that is found differs from run to run.
mkdir dgord
awk 'function at(a, b) {
		if (a >= 0 && a < n && b >= 0 && b < n) {
			d++
			s = s " " b * n + a
		}
	}
	BEGIN {
		n = 32
		printf "0\n%d %d\n0 000\n", n * n, 4 * n * (n - 1)
		for (y = 0; y < n; y++)
			for (x = 0; x < n; x++) {
				d = 0; s = ""
				at(x - 1, y); at(x + 1, y)
				at(x, y - 1); at(x, y + 1)
				print d s
			}
	}' >dgord/grid.grf
neutral_dgord()
{
	case $1 in
	order) awk 'NR > 1 { print $1 }' ;;
	*) cat ;;
	esac
}
# its second thread ends when its work is done
warned='flow.[01].[1-9]: ends before MPI_Finalize' \
	explained='^incomplete +[0-9]+ +flows without MPI_Finalize' \
	program dgord dgord 100 order -- grid.grf order

# The vertices of a cube in seven dimensions, in the order they are found; the
# requests of the master that are not used any more are freed.
mkdir mplrs
awk 'BEGIN {
		n = 7
		printf "cube\nH-representation\nbegin\n%d %d integer\n", 2 * n,
			n + 1
		for (i = 0; i < n; i++)
			for (s = -1; s < 2; s += 2) {
				printf "1"
				for (j = 0; j < n; j++)
					printf " %d", j == i ? s : 0
				print ""
			}
		print "end"
	}' >mplrs/cube.ine
neutral_mplrs()
{
	grep -vE '^\*(Phase 1 time|Elapsed time|Total number of jobs)' | sort
}
ranks=4 explained='^unmatched +0 +sends, [0-9]+ receives' \
	program mplrs mplrs 300 vertices -- cube.ine vertices
finish
