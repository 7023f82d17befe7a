#!/bin/bash
# Was the message there when its receive began? The trace's answers against the
# truth, which the program (arrival.c) logs on one clock of both ranks: of each
# way to receive, of small messages and of such as are handed over by rendezvous.
# Truth: the program's log of both ranks, on one clock.
. "$(dirname "$0")/tap.bash"
. "$here/arrival.bash"
need mpirun mpicc
build arrival arrival.c

for kind in recv sendrecv wait probe; do
	for bytes in 8 1024 65536; do
		eager=$((bytes < 65536)) early=$((bytes == 1024))
		ok_right "$kind, $bytes bytes" mpi_$kind 400 ./arrival $kind $bytes
	done
done
finish
