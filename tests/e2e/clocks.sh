#!/bin/bash
# Hosts whose clocks differ by seconds that are known (tests/rigs/hosts.sh):
# the trace has a clock domain for each, sba finds the differences to within
# what it guarantees, and no message arrives before it was sent.
# Truth: offsets that the kernel gives the hosts.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
hosts=$TAPE_TOP/tests/rigs/hosts.sh
"$hosts" 0 1 -- true 2>reason
if [ $? -eq 77 ]; then
	skip "clocks of several hosts" "root: $(cat reason)"
	echo "1..$tests"
	exit 0
fi
build doors doors.c

# on NAME SKEWS MPIRUN-OPTION... : the ring on these hosts, one slot each or
# as the options say. Ranks outnumber cores: they yield while they wait. -s
# first, so that its settings reach every host by the command line.
on()
{
	local name=$1 skews=$2 command

	shift 2
	command="mpirun $* --mca plm_rsh_agent \$HOSTS_RSH --map-by node
		--mca btl tcp,self,vader --bind-to none
		--mca btl_tcp_if_include 10.87.0.0/24
		--mca oob_tcp_if_include 10.87.0.0/24
		--mca mpi_yield_when_idle 1"
	run "$name.plain" "$hosts" $skews -- \
		sh -c "$(tr '\n' ' ' <<<"$command") $work/doors ring 100"
	run "$name" "$hosts" $skews -- \
		sh -c "$(tr '\n' ' ' <<<"$command") $TAPE_BUILD/bin/taperun -s clock=monotonic_raw -s rounds=60 -o $work/$name $work/doors ring 100"
	sba -j -o "$name.sba.tape" "$name.tape" >"$name.json" 2>"$name.sba.err"
	echo $? >"$name.sba.rc"
}

# value NAME KEY [N]: from sba's report; the Nth of several
value()
{
	grep -o "\"$2\":[^,}]*" "$1.json" | sed -n "${3:-1}s/.*://p"
}

domains()
{
	equal "$(grep -c '^domain ' "$1.tape/meta")" "$2" &&
		equal "$(awk '/^domain / { print $4 }' "$1.tape/meta" |
			sort -u | wc -l)" "$2" &&
		equal "$(grep -o '"domain":' "$1.json" | wc -l)" "$2"
}

# The map that sba wrote, as the true difference of the clocks sees it. Line
# "clock J TICK0 NS0 RATE LO HI": at tick TICK0 of J it is NS0, and the true
# date is between NS0 + LO and NS0 + HI. The reference's clock shows TICK0
# less the skew then. Ticks are ns.
within()
{
	awk -v skews="$2" '
		BEGIN { split(skews, skew, " ") }
		$1 == "domain" { sub(/host/, "", $4); host[$2] = $4 }
		$1 == "clock" && !($2 in tick) { tick[$2] = $3; ns[$2] = $4
			lo[$2] = $6; hi[$2] = $7; n++ }
		END {
			for (j = 1; j < n; j++) {
				true = skew[host[j]] - skew[host[0]]
				err = tick[j] - true * 1e9 - tick[0]
				err -= ns[j] - ns[0]
				print j, "error", err, "of", lo[j], hi[j]
				# a clock that is read in whole ns
				bad += !(err >= lo[j] - 1 && err <= hi[j] + 1)
				# an interval is worth something
				bad += hi[j] - lo[j] > 1e8
			}
			exit !(n > 1 && !bad)
		}' "$1.sba.tape/meta"
}

# offset N of the report, in us, is the skew to within the interval
# The estimated offset less the true one is what the true date lies beyond the
# date: it is in the guaranteed interval.
reported()
{
	awk -v got="$(value "$1" offset_us "$2")" -v skew="$3" \
		-v lo="$(value "$1" guaranteed_lo_us $(($2 + 1)))" \
		-v hi="$(value "$1" guaranteed_hi_us $(($2 + 1)))" 'BEGIN {
			d = got - skew * 1e6
			print "off by", d, "us of", lo, hi
			exit !(got != "" && d >= lo - 0.01 && d <= hi + 0.01)
		}'
}

# Does sba say itself that the clocks were not sampled well enough to order
# single messages (all rounds waited for a processor)?
unsure()
{
	awk -v e="$(value "$1" epsilon_us)" \
		-v t="$(value "$1" smallest_transit_us)" \
		'BEGIN { exit !(e > t) }'
}

# No message arrives before it was sent.
causal()
{
	{ unsure "$1" || equal "$(value "$1" violations_after)" 0; } &&
		equal "$(value "$1" unmatched_sends) $(
			value "$1" unmatched_receives)" "0 0" &&
		[ "$(value "$1" messages)" -ge "$2" ] &&
		[ "$(value "$1" violations_before)" -gt 100 ]
}

corrected()
{
	run tico tico -o "$1.tico.tape" "$1.sba.tape"
	equal "$(cat tico.rc tico.err)" 0 &&
		lacks 'unmatched|partner missing' tico.out &&
		{ unsure "$1" || lacks 'negative intervals' tico.out; }
}

both()
{
	local name=$1 ranks=$2 r

	equal "$(cat "$name.rc") $(cat "$name.plain.rc")" "0 0" &&
		same "$name.plain.out" "$name.out" &&
		lacks '^tape: ' "$name.err" || return
	for ((r = 0; r < ranks; r++)); do
		equal "$(end_of "$name.tape" $r)" "finalize 0" || return
	done
	equal "$(cat "$name.sba.rc" "$name.sba.err")" 0
}

on two "0 1000" --host 10.87.0.1,10.87.0.2 -np 2
ok "two hosts: same results, whole traces" both two 2
ok "two hosts: two clock domains" domains two 2
ok "two hosts: the known difference is within the guarantee" \
	within two "0 1000"
ok "two hosts: sba reports it" reported two 1 1000
ok "two hosts: causality restored" causal two 600
ok "two hosts: tico takes it" corrected two

# Four ranks, the first host has two of them; the reference is a shifted one.
export TAPE_REFERENCE=1
on three "40 3 250000" --host 10.87.0.1:2,10.87.0.2,10.87.0.3 -np 4 \
	-x TAPE_REFERENCE
unset TAPE_REFERENCE
ok "three hosts: same results, whole traces" both three 4
ok "three hosts: three clock domains for four ranks" domains three 3
ok "three hosts: the reference is the second rank's" \
	holds '^domain 0 .* host2$' three.tape/meta
ok "three hosts: the known differences are within the guarantees" \
	within three "40 3 250000"
ok "three hosts: causality restored" causal three 1200
ok "three hosts: tico takes it" corrected three

# Five hosts: a tree of three levels, two deep, each clock asked once in each
# phase, and each round bounds what the difference of the skews is in truth.
# Ticks are ns; lines "sample PHASE DOMAIN S_REF R_J S_J R_REF [BY]".
tree()
{
	awk -v skews="$2" -v deep="$3" '
		BEGIN { split(skews, skew, " ") }
		$1 == "domain" { sub(/host/, "", $4); host[$2] = $4; n++ }
		$1 == "sample" {
			by = $8 + 0
			bad += $3 in asked && asked[$3] != by
			asked[$3] = by
			rounds[$2, $3]++
			true = (skew[host[$3]] - skew[host[by]]) * 1e9
			refuted += $6 - $7 > true || $5 - $4 < true
		}
		END {
			for (d = 1; d < n; d++) {
				at = d
				for (k = 0; at && k < n; k++)
					at = asked[at]
				bad += at != 0
				deepest = k > deepest ? k : deepest
				bad += rounds["before", d] < 3
				bad += rounds["after", d] < 3
			}
			print bad + 0, "wrong,", refuted + 0, "refuted, depth",
				deepest
			exit bad || refuted || deepest != deep || n < 2
		}' "$1.tape/meta" "$1.tape/clocks"
}
on five "0 1000 20 3000 70" -np 5 \
	--host 10.87.0.1,10.87.0.2,10.87.0.3,10.87.0.4,10.87.0.5
ok "five hosts: same results, whole traces" both five 5
ok "five hosts: five clock domains" domains five 5
ok "five hosts: a tree, two deep, no round refutes the known differences" \
	tree five "0 1000 20 3000 70" 2
ok "five hosts: the known differences are within the guarantees" \
	within five "0 1000 20 3000 70"
ok "five hosts: causality restored" causal five 1500

# The kernel says how long a host has slept; none of these does meanwhile.
awake()
{
	local r

	for r in 0 1 2 3 4; do
		awk '$1 == "asleep" { ns[++n] = $2 }
			END { exit n != 2 || (ns[1] - ns[2]) ^ 2 > 1e12 }' \
			five.tape/rank.$r || return
	done
}
ok "five hosts: none of them slept during the run" awake

# Local times of several clocks are no dates.
refused()
{
	run refused tico -o refused.tape two.tape
	equal "$(cat refused.rc)" 1 &&
		holds '^tico: .*in the local time of 2 clocks; run sba' refused.err
}
ok "tico refuses several clocks in local time" refused
finish
