#!/bin/bash
# What a run of failed probes cost is taken out of the run, and not of the
# computing behind it (run_cost.c): there, the corrected time is at least what
# the program measured itself, but for 3 us. (More is no fault: the program may
# lose its processor beside its own two readings.)
# Truth: what the program measures of itself.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build run_cost run_cost.c

# gaps TRACE: from the end of each run of probes to the barrier behind it, ns
gaps()
{
	tapedump -c "$1" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
		$c["call"] == "MPI_Iprobe" { end = $c["end_ns"] }
		$c["call"] == "MPI_Barrier" { print $c["start_ns"] - end }'
}
# short TRACE: by how much too much was taken out at the worst, ns
short()
{
	gaps "$1" | paste - measured | awk '{ d = $2 - $1
		if (NR == 1 || d > most) most = d } END { printf "%d\n", most }'
}

for door in preload link; do
	program=./run_cost
	[ $door = preload ] || program=./run_cost.linked
	rm -rf ./*.tape
	run $door timeout 60 mpirun -np 1 taperun -o r "$program"
	cp $door.out measured
	sba r.tape >sba.txt && tico r.sba.tape >tico.txt
	ok "$door: a run of probes and a barrier each time, corrected too" equal \
		"$(gaps r.tape | wc -l) $(gaps r.tico.tape | wc -l) $(wc -l <measured)" "20 20 20"
	ok "$door: as measured the trace has all of the computing" [ \
		"$(short r.tape)" -le 0 ]
	taken=$(short r.tico.tape)
	ok "$door: no computing is taken out ($taken ns at the worst)" [ \
		"$taken" -le 3000 ]
done
finish
