#!/bin/bash
# The factors of efficiency: programs of which they are known run in simulated
# time on 4 and 16 ranks; regions and phases have theirs; what is not known is
# not said.
# Truth: closed formulas in efficiencies.c; for T_ideal the run time of the same
# program on a simulated machine whose messages take no time.
. "$(dirname "$0")/tap.bash"
need smpirun smpicc jq
if [ ! -e "$TAPE_BUILD/lib/tape-smpi.o" ]; then
	skip efficiencies "smpi was not installed at build time"
	finish
fi
cp "$TAPE_TOP/tests/rigs/smpi/free.xml" .
sed 's/bb_bw="1GBps" bb_lat="1us"/bb_bw="1PBps" bb_lat="0ns"/' free.xml >ideal.xml
ok "the programs are built" tapecc --simulate -O1 -g -Wall -Werror \
	-o efficiencies "$here/efficiencies.c"

# a message takes its latency, and its bytes at 1 GB/s
exact=(--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1
	--cfg=network/crosstraffic:no)
# simulate NAME MACHINE RANKS CASE: NAME.tape, NAME.json; its truth in NAME.truth
simulate()
{
	taperun --simulate -np "$3" --platform "./$2.xml" --bursts none \
		--cfg=smpi/host-speed:1Gf "${exact[@]}" -o "$1" ./efficiencies "$4" \
		>"$1.truth" 2>"$1.err" && tapestat -j "$1.tape" >"$1.json" 2>>"$1.err"
}

# is_true NAME: all factors within 0.005 of the truth, none above 1, and the
# products as they have to be
is_true()
{
	local balance serialisation transfer

	read -r _ balance serialisation transfer <"$1.truth"
	jq -e --argjson b "$balance" --argjson s "$serialisation" \
		--argjson t "$transfer" '.efficiency |
		([.load_balance - $b, .serialisation - $s, .transfer - $t,
		  .communication - $s * $t, .parallel - $b * $s * $t] |
		 all(fabs < 0.005)) and
		([.serialisation * .transfer - .communication,
		  .load_balance * .communication - .parallel] |
		 all(fabs < 1e-5)) and all(. <= 1)' "$1.json" >/dev/null ||
		{ jq -c .efficiency "$1.json"; cat "$1.truth" "$1.err"; false; }
}

# is_ideal NAME SECONDS: T_ideal is that, but for the digits of the factor
is_ideal()
{
	jq -e --argjson s "$2" '.efficiency.transfer * .run_s / $s - 1 |
		fabs < 1e-5' "$1.json" >/dev/null ||
		{ jq -c "[.run_s, .efficiency, $2]" "$1.json"; false; }
}

cases="token_ring pipeline turns turns_later transfers slow_rank roots gathered
	prefixes synchronous large workers hidden regions strong"
for ranks in 4 16; do
	for what in $cases; do
		simulate $what.$ranks free $ranks $what
		simulate $what.$ranks.ideal ideal $ranks $what
		ok "$ranks ranks, $what: the factors" is_true $what.$ranks
		ok "$ranks ranks, $what: T_ideal is the time without transfers" \
			is_ideal $what.$ranks "$(jq .run_s $what.$ranks.ideal.json)"
	done
done
for what in token_ring pipeline turns transfers roots synchronous large hidden; do
	ok "$what: and tapesim predicts it" is_ideal $what.16 "$(tapesim \
		--engine own --platform ideal.xml -j $what.16.tape |
		jq '.predicted_ns / 1e9')"
done

# ---- parts of a run ----

# part NAME PART BALANCE SERIALISATION TRANSFER: a line of the table, within 1%
part()
{
	jq -e --arg part "$2" --argjson b "$3" --argjson s "$(jq -n "$4")" --argjson t "$5" '
		.efficiencies[] | select(.part == $part) |
		[.balance_share - $b, .serialisation_share - $s,
		 .transfer_share - $t, .parallel_share - $b * $s * $t] |
		all(fabs < 0.01)' "$1.json" >/dev/null ||
		{ jq -c '.efficiencies[]' "$1.json"; false; }
}
for ranks in 4 16; do
	r=regions.$ranks
	ok "$ranks ranks: a region in which ranks work in turn" part $r \
		"region serial" 1 "1 / $ranks" 1
	ok "$ranks ranks: one in which they work together" part $r \
		"region even" 1 1 1
	ok "$ranks ranks: one within that" part $r "region inner" 1 1 1
	ok "$ranks ranks: a phase" part $r "phase 5" 1 "3 / ($ranks + 2)" 1
	ok "$ranks ranks: and the run" part $r run 1 "3 / ($ranks + 2)" 1
done
ok "a step of transfers" part transfers.4 "phase 7" 1 1 0.5
tapestat -t efficiency regions.4.tape >table.txt 2>&1
ok "the table, no wider than 100 columns" equal \
	"$(grep -c . table.txt) $(awk 'length > 100' table.txt | wc -l)" "13 0"
tapestat transfers.4.tape >said.txt 2>&1
ok "the sentence" holds \
	"^Parallel efficiency 50%: load balance 100%, communication 50% .serialisation 100%, transfer 50%.$" \
	said.txt

# ---- what is not known ----

# unknown NAME: load balance is known, T_ideal is not
unknown()
{
	tapestat -j "$1.tape" >"$1.json" 2>"$1.err"
	jq -e '.efficiency | .load_balance != null and .serialisation == null and
		.transfer == null' "$1.json" >/dev/null ||
		{ jq -c .efficiency "$1.json"; cat "$1.err"; false; }
}
ok "a window without the sends of its messages is cut" tapecut -o part.tape \
	-w 0.0205,0.0405 token_ring.4.tape
ok "of messages whose senders are not in the trace nothing is said" unknown part
for f in token_ring.4 transfers.4; do
	cp -r $f.tape cut.$f.tape
	truncate -s -40 cut.$f.tape/flow.1.0
	ok "$f: nor of a trace that is not complete" unknown cut.$f
done
if [ -x "$TAPE_BUILD/libexec/tapestat-openmpi" ] && command -v mpirun >/dev/null; then
	mpirun -np 2 tapestat -j -t efficiency regions.4.tape >two.json \
		2>mpirun.err
	tapestat -j -t efficiency regions.4.tape >one.json 2>one.err
	ideal='(.serialisation, .transfer, .serialisation_share, .transfer_share)'
	ok "nor by several processes, of regions and phases neither" jq -e \
		"[.efficiency, .efficiencies[] | $ideal] | all(. == null)" two.json
	ok "all else is what one process finds" equal \
		"$(jq "del((.efficiency, .efficiencies[]) | $ideal)" two.json)" \
		"$(jq "del((.efficiency, .efficiencies[]) | $ideal)" one.json)"
else
	skip "by several processes" "tapestat-openmpi is not built"
fi

# ---- intervals ----

# Bounds of all factors are around these. Simulated tracing costs nothing, so that
# they are near.
cat >bounds.py <<'EOF'
import json, sys
run = json.load(open(sys.argv[1]))
lines = [(run["efficiency"], "", ["load_balance"])]
lines += [(x, "_share", ["balance"]) for x in run["efficiencies"]]
n = 0
for line, end, names in lines:
    for name in names + ["communication", "parallel", "serialisation",
                         "transfer"]:
        low, value, high = (line[name + x + end] for x in ("_from", "", "_to"))
        if value is None and line["part"].startswith("phase"):
            continue  # nothing is computed in it
        n += 1
        if not 0 <= low <= value + 1e-6 <= high + 2e-6 <= 1 + 3e-6 or \
           high - low > 0.001:
            sys.exit(f"{line.get('part')} {name}: {low} {value} {high}")
print(f"# {n} factors")
EOF
for what in regions transfers large; do
	tico -o $what.4.c.tape $what.4.tape >tico.out 2>&1
	tapestat -j -t efficiency --measured $what.4.tape $what.4.c.tape \
		>$what.c.json 2>c.err
	ok "$what: factors are within their bounds" python3 bounds.py $what.c.json
done

# ---- runs compared ----

simulate strong.8 free 8 strong
# row NUMBER RANKS SPEED-UP BALANCE SERIAL TRANSFER SCALING GLOBAL: a line of the
# table in runs.json, from 0, within 1%
row()
{
	jq -e --argjson i "$1" --argjson want "[$2, $3, $4, $5, $6, $7, $8]" '
		.runs[$i] | [.ranks, .["speed-up"], .balance_share,
			.serial_share, .transfer_share, .scaling_share,
			.global_share] as $got |
		[range(7) | $got[.] / $want[.] - 1] | all(fabs < 0.01)' \
		runs.json >/dev/null || { jq -c '.runs[]' runs.json; false; }
}
# The run on n ranks takes 20 (16 / n + 3) ms, its ranks compute 20 (16 + n + 1)
# ms: 140, 100 and 80; 420, 500 and 660.
strong=(strong.4.tape strong.8.tape strong.16.tape)
tape compare -j "${strong[@]}" >runs.json 2>runs.err
ok "three runs: the reference" row 0 4 1 0.875 1 0.857143 1 0.75
ok "twice as many ranks" row 1 8 1.4 0.78125 1 0.8 0.84 0.525
ok "four times" row 2 16 1.75 0.6875 1 0.75 0.636364 0.328125
# Taken as weak: the mean of the computing times is 105, 62.5 and 41.25 ms
tape compare --weak -j "${strong[@]}" >runs.json 2>runs.err
ok "weak scaling: twice as many" row 1 8 2.8 0.78125 1 0.8 1.68 1.05
ok "weak scaling: four times" row 2 16 7 0.6875 1 0.75 2.545455 1.3125
tape compare -j --baseline strong.16.tape strong.4.tape >runs.json 2>runs.err
ok "the baseline comes first" row 1 4 0.571429 0.875 1 0.857143 1.571429 1.178571
ok "and two runs have their differences, too" jq -e '.traces == 2 and
	(.differences | length > 2)' runs.json
tape compare "${strong[@]}" >runs.txt 2>runs.err
ok "the table, no wider than 100 columns" equal \
	"$(grep -c . runs.txt) $(awk 'length > 100' runs.txt | wc -l)" "8 0"
tape compare -c "${strong[@]}" >runs.csv 2>runs.err
ok "and as CSV" equal "$(head -n 1 runs.csv) $(wc -l <runs.csv)" \
	"run,ranks,length_s,speed-up,balance_share,serial_share,transfer_share,comm_share,parallel_share,scaling_share,global_share,name 4"

# ends STATUS ARG...: tape compare with these arguments
ends()
{
	local want=$1 rc

	shift
	tape compare "$@" >ends.txt 2>ends.err
	rc=$?
	[ $rc -eq "$want" ] || { echo "status $rc"; cat ends.txt ends.err; false; }
}
# the efficiency on 8 ranks is 0.7 of that on 4
ok "an efficiency of 0.7, where 0.69 is enough" ends 0 --baseline strong.4.tape \
	--fail-below 0.69 strong.8.tape
ok "and where 0.71 is wanted" ends 4 --baseline=strong.4.tape \
	--fail-below 0.71 strong.8.tape
ok "a line says which factor fell most" holds \
	"^strong.8.tico.tape: the global efficiency is 52.[45]%, 0.700 of the reference's 75.0% and below 0.71 of it: most by computation scaling, 84.0% after 100.0%$" \
	ends.txt
slow=(transfers.4.ideal.tape transfers.4.tape transfers.4.ideal.tape)
ok "a run that waits for transfers" ends 4 --fail-below 0.9 "${slow[@]}"
ok "is named by its factor" holds \
	"^transfers.4.tico.tape: .*: most by transfer, 50.0% after 100.0%$" ends.txt
ok "and not the run that does well" equal "$(grep -c 'most by' ends.txt)" 1
ok "the same as JSON" equal "$(tape compare -j --fail-below 0.9 "${slow[@]}" \
	2>ends.err | jq '.falls_short | length')" 1
ok "against itself nothing falls" ends 0 --fail-below 1 strong.8.tape strong.8.tape
ok "an error is another status" ends 1 --fail-below 0.9 strong.8.tape missing.tape
ok "and wrong use" ends 2 --fail-below much strong.8.tape strong.4.tape
tapereport -j "${strong[@]}" >page.json 2>page.err
cp page.json runs.json
ok "the page has the runs" row 2 16 1.75 0.6875 1 0.75 0.636364 0.328125
tapereport -o page.html "${strong[@]}" >page.log 2>&1
ok "as a table" holds "<h4>Runs, compared with the first one</h4>" page.html
finish
