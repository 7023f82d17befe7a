#!/bin/bash
# Programs of several threads (threads.c): what they print is as without Tape,
# every call of every thread is in the trace, every completion names its
# request, flows are few, and the tools take such traces.
# Truth: the program without Tape; its own count of calls.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
# more threads than processors: who waits lets the others run
export OMPI_MCA_mpi_yield_when_idle=1
openmp=-fopenmp
echo 'int main(void) { return 0; }' >omp.c
mpicc -fopenmp -o omp omp.c 2>omp.err || openmp=
mpicc -O1 -g -w -pthread $openmp -I"$TAPE_TOP/runtime" -o threads \
	"$here/threads.c" || { echo "Bail out! threads.c"; exit 1; }

# both NAME ARGUMENTS: without and with Tape, traces in NAME.tape
both()
{
	local name=$1

	shift
	run "$name.plain" mpirun -np 2 ./threads "$@"
	run "$name" mpirun -np 2 taperun -o "$name.tape" ./threads "$@"
}

# How often a program polls is up to the machine.
without_polls() { grep -vE '^calls MPI_(Test|Iprobe) ' "$1.out" >"$1.some"; }

as_before()
{
	without_polls "$1.plain"
	without_polls "$1"
	equal "$(cat "$1.rc")" "$(cat "$1.plain.rc")" &&
		same "$1.plain.some" "$1.some" && lacks '^tape: ' "$1.err"
}

# Every call that the program counted is in the trace, polls too.
counted()
{
	local kind calls

	[ "$(grep -c '^calls' "$1.out")" -gt 0 ] || return
	while read -r _ kind calls; do
		equal "$kind $(($(events "$1.tape" 0 "$kind") +
			$(events "$1.tape" 1 "$kind")))" "$kind $calls" ||
			return
	done < <(grep '^calls' "$1.out")
}

# Every request is completed once, and nothing else is.
completed()
{
	equal "$(tapedump "$1.tape" 2>/dev/null | awk '
		$1 == "flow" { flow = $2 " " $3; rank = $2; made = 0 }
		$3 ~ /^MPI_(Isend|Irecv)$/ {
			made++
			open[flow " " made] = 1
		}
		{
			for (i = 4; i <= NF && $i != ";"; i++) {
				if ($i !~ /^(done|received)=/)
					continue
				sub(/^[a-z]*=/, "", $i)
				split($i, r, ":")
				if (r[1] !~ /[.]/)
					r[1] = substr(flow, length(rank) + 2) \
						"." r[1]
				split(r[1], w, "[.]")
				ended[rank " " w[1] " " w[2]]++
			}
		}
		END {
			for (k in open)
				if (ended[k] != 1)
					bad[ended[k] + 0 " times"]++
			for (k in ended)
				if (!(k in open))
					bad["never created"]++
			for (k in bad)
				print k, bad[k]
		}')" ""
}

flows_of() { find "$1.tape" -name "flow.$2.*" | wc -l; }

tools()
{
	local n=$1

	run sba sba -o "$n.sba.tape" "$n.tape" &&
		run tico tico -j -o "$n.tico.tape" "$n.sba.tape" &&
		run np t2np -o "$n.trc" "$n.sba.tape" &&
		run dump tapedump "$n.tico.tape"
	equal "$(cat sba.rc tico.rc np.rc dump.rc sba.err tico.err np.err |
		paste -sd' ')" "0 0 0 0" &&
		holds '"unmatched_sends":0,"unmatched_receives":0' tico.out &&
		holds '"let_go":0,"unknown_requests":0' tico.out &&
		holds ' 0 violations before' sba.out
}

# ---- what threads do ----

both stress stress 3 1000
ok "threads that send, receive and poll: as without Tape" as_before stress
ok "threads: every call of each" counted stress
ok "threads: every completion names its request" completed stress
ok "threads: sba, tico, t2np and tapedump take it" tools stress
first()
{
	tapedump stress.tape | awk '
		$1 == "flow" { new = 1; next }
		new && $2 ~ /^[+]/ && $3 != "pthread" { print $3; new = 0 }' |
		sort | uniq -c |
		awk '{ print $2, $1 }' | paste -sd' '
}
ok "threads: flow 0 is the first thread's, others begin with a mark, and a step before" \
	equal "$(first)" "MPI_Init_thread 2 thread $((
		$(flows_of stress 0) + $(flows_of stress 1) - 2))"

both hand hand 100
ok "requests that change hands: as without Tape" as_before hand
ok "requests that change hands: completions name them" completed hand
ok "requests that change hands: the tools" tools hand
ok "requests that change hands: tico has seen it" \
	holds '"handed_over":6400' tico.out

both share share 200
ok "threads that share a tag: as without Tape" as_before share
ok "threads that share a tag: the tools" tools share

both short short 400
ok "400 threads, four at once: as without Tape" as_before short
few()
{
	local n

	for r in 0 1; do
		n=$(flows_of short $r)
		[ "$n" -ge 2 ] && [ "$n" -le 6 ] || { echo "$n flows"; return 1; }
	done
	equal "$(tapedump short.tape 2>/dev/null | awk '
		$3 == "thread" { if (open) print "left open"; n++ }
		$3 == "enter" { open++ }
		$3 == "leave" { open-- }
		$3 == "MPI_Sendrecv" { s++ }
		END { print n, s, open }')" "800 800 0"
}
ok "400 threads: a few flows, each thread in them, regions closed" few
small()
{
	[ "$(du -sk short.tape | cut -f1)" -lt 1024 ] || du -sk short.tape
}
ok "400 threads: the trace is small" small
ok "400 threads: the tools" tools short

if [ -n "$openmp" ]; then
	both openmp openmp 50
	ok "OpenMP: as without Tape" as_before openmp
	ok "OpenMP: every call" equal "$(events openmp.tape 0 MPI_Sendrecv) $(
		events openmp.tape 1 MPI_Sendrecv)" "200 200"
	in_order()
	{
		equal "$(tapedump openmp.tape 2>&1 | grep -cE '	end finalize 0|ends|no end')" \
			"$(($(flows_of openmp 0) + $(flows_of openmp 1)))"
	}
	ok "OpenMP: its threads' flows are whole" in_order
else
	skip "OpenMP" "no compiler for it"
fi

both funneled funneled 500
ok "MPI_THREAD_FUNNELED, regions in all threads: as without Tape" \
	as_before funneled
ok "MPI_THREAD_FUNNELED: every region, by itself or in a block" \
	equal "$(tapedump funneled.tape 2>/dev/null |
		awk '$3 == "enter" { n++ }
			$3 == "block" && /region=[1-9]/ {
				split($10, calls, "=")
				n += calls[2]
			}
			END { print n }')" 3000
both serialized serialized 200
ok "MPI_THREAD_SERIALIZED: as without Tape" as_before serialized
ok "MPI_THREAD_SERIALIZED: completions name their requests" \
	completed serialized

# ---- how threads end ----

for kind in finalize exit; do
	both "at-$kind" exit "$kind"
	at()
	{
		sort -o "$1.out" "$1.out"
		sort -o "$1.plain.out" "$1.plain.out"
		equal "$(cat "$1.rc")" "$(cat "$1.plain.rc")" &&
			same "$1.plain.out" "$1.out"
	}
	ok "threads at work at $kind: as without Tape" at "at-$kind"
	readable() { run d tapedump -i "$1.tape"; equal "$(cat d.rc)" 0; }
	ok "threads at work at $kind: every flow is readable" \
		readable "at-$kind"
done
both cancel cancel
ok "a cancelled thread: as without Tape" as_before cancel
ok "a cancelled thread: its region is closed, its clean-up recorded" \
	equal "$(tapedump cancel.tape 2>/dev/null | awk '
		$1 == "flow" { mine = $2 == 0 && $3 }
		mine && $3 ~ /^(thread|enter|leave|MPI)/ { print $3 }' |
		uniq | paste -sd' ')" "thread enter MPI_Iprobe leave"
both destructor destructor
ok "calls in a key's destructor: as without Tape" as_before destructor
# each thread: one of its own, one in the destructor
ok "calls in a key's destructor: recorded" \
	equal "$(events destructor.tape 0 MPI_Iprobe) $(
		events destructor.tape 1 MPI_Iprobe)" "6 6"
both off off
ok "tape_off and tape_on in several threads" \
	equal "$(cat off.rc) $(events off.tape 0 MPI_Iprobe)" "0 75"
both fork fork 100
ok "threads that fork: as without Tape" as_before fork
ok "threads that fork: every call of the parent" counted fork

# ---- killed ----

# Between a call's end and the count of it lies one event a thread at most.
killed()
{
	local r t n found

	for r in 0 1; do
		for t in 0 1 2 3; do
			n=$(od -An -t d8 -j $(((4 * r + t) * 8)) -N 8 counts |
				tr -d ' ')
			echo "$r $n"
		done
	done >"counted"
	for r in 0 1; do
		n=$(awk -v r=$r '$1 == r { n += $2 } END { print n }' counted)
		found=$(events kill.tape $r MPI_Iprobe)
		[ "$found" -ge "$n" ] && [ "$found" -le $((n + 4)) ] ||
			{ echo "rank $r: $found of $n"; return 1; }
	done
}
run kill mpirun -np 2 taperun -o kill.tape ./threads kill counts 50000
ok "kill -9 with four threads at work: every call of each is there" killed
killed_tools()
{
	run sba sba -o kill.sba.tape kill.tape
	run tico tico -o kill.tico.tape kill.sba.tape
	equal "$(cat sba.rc tico.rc | paste -sd' ')" "0 0"
}
ok "kill -9: sba and tico take what is there" killed_tools

finish
