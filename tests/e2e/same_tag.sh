#!/bin/bash
# Several threads of a rank receive with one communicator and tag (same_tag.c):
# which message is whose is not certain. A pair that the clock refutes is none,
# nothing contradicts the clock, and the total is within its bounds.
# Truth: the clock of the host, which no pair may contradict.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq python3
export OMPI_MCA_mpi_yield_when_idle=1
mpicc -O1 -g -w -pthread -o same_tag "$here/same_tag.c" ||
	{ echo "Bail out! same_tag.c"; exit 1; }

sound()
{
	tico -j -o "$1.tico.tape" "$1.tape" >tico.json &&
		equal "$(jq -c '[.clamped, .causality.before.violations,
			.causality.after.violations, .let_go,
			.unmatched_sends, .unmatched_receives,
			((.certain // .certain_without_contention).total_ns |
			. == null or (.[0] <= $all and $all <= .[1]))]' \
			--argjson all "$(jq .corrected_ns tico.json)" \
			tico.json)" "[0,0,0,0,0,0,true]"
}

# Every message has a receive; wrong pairs are told, not judged: threads that
# wait for their processor end late, whatever they got.
pairs()
{
	python3 "$here/same_tag.py" "$1.tape" "$2" >pairs
	echo "# pairs, not the true ones, refuted: $(cat pairs)" >&3
	equal "$(cut -d' ' -f1 pairs)" 600
}

exec 3>&1
for senders in 1 2; do
	name=tag$senders
	ok "$senders senders: it runs" mpirun -np 2 taperun -o $name.tape \
		./same_tag 200 $senders
	ok "$senders senders: all are matched" pairs $name $senders
	ok "$senders senders: nothing contradicts the clock" sound $name
done
finish
