#!/bin/bash
# Communicators of the same members, made in different orders by different
# ranks, or by threads at once (twins.c): all ranks know each by one identity.
# SEED= and PROGRAMS= choose the programs that are made up.
# Truth: the program says which communicators are one.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build twins twins.c
: "${SEED:=$((RANDOM * 32768 + RANDOM))}" "${PROGRAMS:=3}"
echo "# SEED=$SEED"

# names TRACE RANK: for each message, which communicator the program sent it on
# (the tag) and which one the trace says (the identity), without repetitions
names()
{
	tapedump "$1" 2>/dev/null | awk -v rank="$2" '
		FILENAME != "-" { if ($1 == "comm") id[$2] = $3; next }
		$1 == "flow" { mine = $2 == rank }
		mine && $3 == "MPI_Sendrecv" {
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^tag=/) tag = substr($i, 5)
				if ($i ~ /^comm=/) comm = substr($i, 6)
			}
			print tag, id[comm]
		}' "$1/rank.$2" - | sort -u
}

# one_name NAME N: as without Tape; all ranks say the same of N communicators,
# every message has its partner and no collective lacks a rank
one_name()
{
	local t=$1.tape r

	equal "$(cat "$1.rc" "$1.out" "$1.err")" 0 || return
	names "$t" 0 >"$1.names"
	equal "$(cut -d' ' -f1 "$1.names" | sort -u | wc -l) $(
		cut -d' ' -f2 "$1.names" | sort -u | wc -l)" "$2 $2" || return
	for r in 1 2 3; do
		diff <(names "$t" $r) "$1.names" || return
	done
	equal "$(tapedump --messages "$t" 2>/dev/null | tail -n +2 | cut -d, -f1 |
		sort -u)" matched &&
		sba -o "$1.sba.tape" "$t" >/dev/null &&
		tico -o "$1.tico.tape" "$1.sba.tape" >"$1.tico" &&
		lacks '^open collectives' "$1.tico"
}

run orders timeout 60 mpirun -np 4 taperun -o orders ./twins orders
ok "a nonblocking call and one of a group, in both orders" one_name orders 5
run threads timeout 120 mpirun -np 4 taperun -o threads ./twins threads 20
if grep -q 'no threads' threads.out; then
	skip "threads that make their own at once" "mpi has no threads"
else
	ok "threads that make their own at once" one_name threads 180
fi
for ((i = 0; i < PROGRAMS; i++)); do
	seed=$((SEED + i))
	run "made$i" timeout 60 mpirun -np 4 taperun -o "made$i" \
		./twins random $seed
	ok "made up from seed $seed" one_name "made$i" \
		"$(tapedump "made$i.tape" 2>/dev/null | awk '
			$1 == "flow" { mine = $2 == 0 && $3 == 0 }
			mine && $3 == "MPI_Sendrecv"' | wc -l)"
done
finish
