#!/bin/bash
# The efficiency of six ranks that share two processors: waiting for a processor
# is a factor of its own, and no imbalance.
# Truth: the kernel's counts, read by the program around its own pieces; the
# processor time that each rank takes by design (outside.c).
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq python3
mpicc -O1 -g -w -DREGIONS -I"$TAPE_TOP/runtime" -o outside "$here/outside.c" ||
	{ echo "Bail out! outside.c does not compile"; exit 1; }
. "$here/processors.bash"

# factors.py JSON OUT [PART]: of the run or of a part of it, the bounds of the
# factors hold those of the times that the program read, and the factors. Its pieces are never blocked, so that their
# processor time is useful. Between a call and a reading a rank may wait: for 5 ms
# and a twentieth at most, of which it is on a processor for 2 ms and a fiftieth.
cat >factors.py <<'EOF'
import json, sys
run = json.load(open(sys.argv[1]))
e = run["efficiency"]
if len(sys.argv) > 3:
    part = [x for x in run["efficiencies"] if x["part"] == sys.argv[3]][0]
    e = {name + end: part[name.replace("load_", "") + end + "_share"]
         for name in ("load_balance", "processors", "parallel")
         for end in ("", "_from", "_to")}
outside, useful = [], []
for line in open(sys.argv[2]):
    rank, us, cpu = map(float, line.split()[:3])
    outside.append((us - 5e3 - us / 20, us + 5e3 + us / 20))
    useful.append((cpu - 2e3 - cpu / 50, cpu + 2e3 + cpu / 50))
n = len(useful)
sums = [sum(x[i] for x in useful) / n for i in (0, 1)]
most = [max(x[i] for x in useful) for i in (0, 1)]
longest = [max(x[i] for x in outside) for i in (0, 1)]
true = {"load_balance": (sums[0] / most[1], sums[1] / most[0]),
        "processors": (most[0] / longest[1], most[1] / longest[0])}
bad = 0
for name, (low, high) in true.items():
    print(f"# {name}: {e[name]}, {e[name + '_from']} to {e[name + '_to']}, "
          f"true: {low:.3f} to {high:.3f}")
    if e[name + "_to"] < low or e[name + "_from"] > high:
        bad = 1
for name in ("load_balance", "processors", "parallel"):
    low, high = e[name + "_from"], e[name + "_to"]
    if not 0 <= low <= high <= 1:
        bad = 1
    if (e[name] is None) != (high - low > 0.1):
        print(f"{name} is known, and wide, or neither")
        bad = 1
    if e[name] is not None and not low <= e[name] <= high:
        print(f"{name} is out of its bounds")
        bad = 1
sys.exit(bad)
EOF
product='.efficiency | [.parallel, .load_balance, .processors, .communication] |
	any(. == null) or (.[0] - .[1] * .[2] * .[3] | fabs < 1e-4)'
# trace MODE BALANCE: six ranks, whose load balance is BALANCE by design
trace()
{
	local base

	run $1 mpirun -np 6 $bind taperun -o $1 ./outside $1 $one ${two:-$one}
	ok "$1: it runs" equal "$(cat $1.rc $1.err)" 0
	tico -o $1.c.tape $1.tape >$1.tico 2>&1
	tapestat -j -t efficiency $1.tape >$1.json 2>/dev/null
	tapestat -j --measured $1.tape $1.c.tape >$1.c.json 2>/dev/null
	tapestat -j $1.c.tape >$1.alone.json 2>/dev/null
	tapestat $1.tape >$1.txt 2>/dev/null
	for base in $1 $1.c $1.alone; do
		ok "$base: bounds hold what the kernel counted" \
			python3 factors.py $base.json $1.out
		ok "$base: parallel efficiency is the product" \
			jq -e "$product" $base.json
		ok "$base: load balance is that of the processor time" jq -e \
			--argjson b "$2" '.efficiency |
			.load_balance_from <= $b + 0.05 and
			.load_balance_to >= $b - 0.05' $base.json
	done
	for part in outer inner; do
		ok "$1: so do those of the region $part" python3 factors.py \
			$1.json $1.out "region $part"
	done
	ok "$1: load balance of phases is that of the processor time" jq -e \
		--argjson b "$2" '[.efficiencies[] |
		select(.part | test("^phase [0-9]"))] | length > 2 and
		all(.balance_from_share <= $b + 0.1 and
		.balance_to_share >= $b - 0.1 and
		(.balance_share == null or
		(.balance_from_share <= .balance_share and
		.balance_share <= .balance_to_share)))' $1.json
	ok "$1: the table has the factors" jq -e '.efficiencies[0] as $t |
		.efficiency | [.parallel, $t.parallel_share, .processors,
		$t.processors_share] | any(. == null) or
		(.[0] - .[1] + .[2] - .[3] | fabs < 1e-4)' $1.json
	if jq -e '.efficiency.parallel_to - .efficiency.parallel_from < 0.19' \
		$1.json >/dev/null; then
		ok "$1: a sentence says it" holds "^Parallel efficiency [^:]*: load balance [^,]*, processors [0-9].*%\)?, communication" $1.txt
	else
		skip "$1: the sentence" "the marks tell too little"
	fi
}
trace even 1
trace compute 0.5
ok "what is compared stays unknown" equal "$(tapestat -d -j --measured even.tape \
	--measured even.tape even.c.tape even.c.tape 2>/dev/null |
	jq -c '.runs[0] | [.ranks, .parallel_share]')" "[6,null]"
finish
