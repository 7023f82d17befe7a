#!/bin/bash
# Blocks of events that are skipped (alpha = in-situ): the program counts each
# mark and local call (in_situ.c), and what is in the trace, one by one or in a
# block, is as many.
# Truth: the program's own count.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
tapecc -O2 -g -w -pthread -o in_situ "$here/in_situ.c" ||
	{ echo "Bail out! in_situ.c does not compile"; exit 1; }

# trace NAME MODE N [SETTING...]: a run on two ranks
trace()
{
	local name=$1 mode=$2 n=$3 settings=()

	shift 3
	for s; do settings+=(-s "$s"); done
	run "$name" timeout 60 mpirun -np 2 taperun "${settings[@]}" \
		-o "$name.tape" ./in_situ "$mode" "$n" "$name.n"
	tapedump "$name.tape" >"$name.txt" 2>/dev/null
}

# calls NAME RANK: "PLACE CALLS", recorded and skipped, as in_situ.c has it
calls()
{
	awk -v rank="$2" '
		$1 == "rank" { of = $2 }
		$1 == "region" { region[of, $2] = $3 }
		$1 == "flow" { of = $2 }
		of != rank { next }
		$3 == "enter" { split($4, x, "="); n[region[of, x[2]]]++ }
		$3 == "MPI_Type_size" { n[$3]++; site["site=" substr($4, 2)] = $3 }
		$3 == "block" && /kind=[02]/ {
			split($9, x, "="); split($10, c, "=")
			n[x[2] ? region[of, x[2]] : "MPI_Type_size"] += c[2]
		}
		END { for (p in n) print p, n[p] }' "$1.txt" | sort
}
same_calls()
{
	[ -s "$1.n.$2" ] && same <(sort "$1.n.$2") <(calls "$1" "$2")
}
# skipped NAME: how many blocks were
skipped() { grep -c ' block .*kind=0' "$1.txt"; }
busy() { [ "$(skipped "$1")" -gt 10 ]; }

# balanced NAME: each leave is of the region that was entered last
balanced()
{
	awk '$1 == "flow" { depth = 0 }
		$3 == "enter" { open[++depth] = $4 }
		$3 == "leave" { bad += open[depth--] != $4 }
		END { exit bad != 0 }' "$1.txt"
}
again()
{
	tapedump --assemble -o "$1.again.tape" "$1.txt" &&
		tapedump "$1.again.tape" 2>/dev/null | same "$1.txt" /dev/stdin
}
tools()
{
	run sba sba -o "$1.s.tape" "$1.tape"
	run tico tico -j -o "$1.c.tape" "$1.s.tape"
	equal "$(cat sba.rc tico.rc | paste -sd' ')" "0 0"
}

for mode in loop:100000 nested:30000 threads:30000 off:30000; do
	n=${mode#*:} mode=${mode%:*}
	trace "$mode" "$mode" "$n"
	ok "$mode: it runs as without Tape" equal "$(cat $mode.rc $mode.err)" 0
	ok "$mode: blocks are skipped" busy $mode
	for rank in 0 1; do
		ok "$mode: every call of rank $rank is there, or in a block" \
			same_calls $mode $rank
	done
	ok "$mode: regions are left as they were entered" balanced $mode
	ok "$mode: the text is the same trace" again $mode
	ok "$mode: sba and tico take it" tools $mode
done
ok "loop: every barrier is recorded" \
	equal "$(events loop.tape 0 MPI_Barrier)" 20
# some 100 groups of blocks at the least; a machine that is busy may cut some
places()
{
	grep -oE '"groups":[0-9]+' tico.out | awk -F: '$2 >= 16 { n++ }
		END { exit n < 2 }'
}
run tico tico -j -o again.tape loop.s.tape
ok "loop: tico has blocks enough of its places" places

trace names names 30000
ok "names of the program's own: every call is recorded" same_calls names 0
ok "names of the program's own: none is skipped" equal "$(skipped names)" 0

for setting in alpha=calibrated alpha=measured max_rate=900000000 \
	counters=minor_faults regions=inner; do
	trace plain loop 20000 $setting
	ok "$setting: nothing is skipped" equal "$(skipped plain)" 0
done

trace killed killed 30000
ok "killed: blocks up to it are there" busy killed
# all but those of the block that was under way
nearly_all()
{
	local place n there

	while read -r place n; do
		there=$(calls killed 1 | awk -v p="$place" '$1 == p { print $2 }')
		[ "$there" -le "$n" ] && [ "$there" -ge $((n - 64)) ] ||
			{ echo "# $place: $there of $n"; return 1; }
	done <killed.n.1
}
ok "killed: at most one block is lost" nearly_all
ok "killed: sba and tico take what is there" tools killed
finish
