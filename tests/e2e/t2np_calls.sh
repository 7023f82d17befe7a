#!/bin/bash
# A program that makes each call that has a record of its own in New PICL
# (t2np_calls.c): as many records as tapestat counts calls, and nothing in them
# that the checker finds wrong.
# Truth: a checker of the format; counts of tapestat.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3
build calls t2np_calls.c
check=$TAPE_TOP/tests/rigs/picl_check.py

# counted CALL...: how often the program called these, by tapestat
counted()
{
	awk -F, -v calls=" $* " 'NR == 1 {
			for (i = 1; i <= NF; i++) column[$i] = i
			next
		}
		index(calls, " " $column["call"] " ") { n += $column["calls"] }
		END { print n + 0 }' "$trace.names"
}

# entries EVTTYPE...: how many records of these begin
entries()
{
	awk -v events=" $* " '$1 == "entries" &&
			index(events, " " $2 " ") { n += $3 }
		END { print n + 0 }' "$trace.counts"
}

# as_many "EVTTYPE..." "CALL...": of both, and some
as_many()
{
	[ "$(counted $2)" -gt 0 ] && equal "$(entries $1)" "$(counted $2)"
}

# exported NAME: of that trace
exported()
{
	trace=$1
	t2np -o "$trace.trf" "$trace.tape" && "$check" "$trace.trf" \
		>"$trace.counts" && tapestat -t names -c "$trace.tape" \
		>"$trace.names"
}

# without FILE: its records but overhead; labels, subsets and ends without times
without()
{
	awk '$2 == -602 { next }
		$1 == -5 || $1 == -202 || $2 == -12 || $2 == -901 { $3 = "" }
		{ print }' "$1" | sort
}

# overhead NAME: -a adds nothing else, no more than the alphas of tapedump
overhead()
{
	t2np -a -o "$1.a.trf" "$1.tape" && "$check" "$1.a.trf" &&
		cmp <(without "$1.trf") <(without "$1.a.trf") || return
	tapedump -j "$1.tape" | grep -oE '"alpha_(before|after)_ns":[^,}]*' |
		cut -d: -f2 >"$1.alphas"
	awk 'NR == FNR { most += $1 + 1; next }
		$2 == -602 { sum += $1 == -3 ? -$3 : $3 }
		END { print sum * 1e9, most
			exit !(sum > 0 && sum * 1e9 <= most) }' \
		"$1.alphas" "$1.a.trf"
}

for ranks in 2 5; do
	run n$ranks taperun -o n$ranks.tape mpirun -np $ranks ./calls
	ok "$ranks ranks: it runs" equal "$(cat n$ranks.rc)" 0
	sba -o n$ranks.sba.tape n$ranks.tape >log 2>&1
	ok "$ranks ranks: sba, t2np; the checker finds nothing wrong" \
		exported n$ranks.sba
	while read -r event calls; do
		ok "$ranks ranks: ${event//,/, } for ${calls// /, }" \
			as_many "${event//,/ }" "$calls"
	done <<'END'
-402 MPI_Barrier
-780 MPI_Allgather MPI_Allgatherv
-782 MPI_Allreduce
-783 MPI_Alltoall MPI_Alltoallv MPI_Alltoallw
-785 MPI_Bcast
-786 MPI_Gather MPI_Gatherv
-790 MPI_Reduce
-791 MPI_Reduce_scatter MPI_Reduce_scatter_block
-792 MPI_Scan MPI_Exscan
-793 MPI_Scatter MPI_Scatterv
-21 MPI_Send
-22 MPI_Bsend
-23 MPI_Ssend
-24 MPI_Rsend
-27 MPI_Isend
-33 MPI_Ibsend
-39 MPI_Issend
-45 MPI_Irsend
-30,-31 MPI_Isend
-36,-37 MPI_Ibsend
-42,-43 MPI_Issend
-48,-49 MPI_Irsend
-51,-52 MPI_Recv
-55,-56 MPI_Probe
-57 MPI_Irecv
-60,-61 MPI_Irecv
END
	ok "$ranks ranks: no request is left, nor a message" \
		equal "$(grep -cxE 'unended 0|unreceived 0' n$ranks.sba.counts)" 2
	ok "$ranks ranks: the task of no call with a record" \
		lacks '^entries MPI_(Barrier|.*(cast|duce|all|gather.?|scan|send)) ' \
		n$ranks.sba.counts
	ok "$ranks ranks: the tracer's own time" overhead n$ranks.sba
	# the whole, and five times off and on
	ok "$ranks ranks: tracing off and on" equal "$(
		grep -cE '^-[34] -901 ' n$ranks.sba.trf)" $((12 * ranks))
done
finish
