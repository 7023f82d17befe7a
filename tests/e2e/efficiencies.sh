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
	prefixes synchronous large workers hidden regions"
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
	ok "nor by several processes" equal "$(mpirun -np 2 tapestat -j \
		transfers.4.tape 2>mpirun.err |
		jq -c '.efficiency | [.serialisation, .transfer, .parallel > 0.49]')" \
		"[null,null,true]"
else
	skip "by several processes" "tapestat-openmpi is not built"
fi
finish
