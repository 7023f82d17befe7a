#!/bin/bash
# Predictions of tapesim against true dates: the same programs run in simulated time
# (tests/rigs/smpi) on the machine of the trace and on the one that is predicted.
# Where messages do not slow each other down every date must be found to the
# nanosecond.
# Truth: the programs in simulated time on the machine that is predicted.
. "$(dirname "$0")/smpi.bash"

ranks=8

# platform NAME SPEED BANDWIDTH LATENCY [SETTING VALUE]...: no contention
platform()
{
	local name=$1 speed=$2 bandwidth=$3 latency=$4
	shift 4
	{
		echo '<?xml version="1.0"?>'
		echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
		echo '<platform version="4.1"><config id="General">'
		while [ $# -gt 0 ]; do
			echo "<prop id=\"$1\" value=\"$2\"/>"
			shift 2
		done
		echo '</config>'
		echo "<cluster id=\"$name\" prefix=\"h\" suffix=\"\" radical=\"0-15\""
		echo " speed=\"$speed\" bw=\"1PBps\" lat=\"0ns\" loopback_bw=\"1PBps\""
		echo " loopback_lat=\"0ns\" bb_bw=\"$bandwidth\" bb_lat=\"$latency\""
		echo ' bb_sharing_policy="FATPIPE"/></platform>'
	} >"$name.xml"
}

# simulate PLATFORM PROGRAM TRACE ARG...: free, or one of the above
simulate()
{
	local name=$1 program=$2 trace=$3
	shift 3
	[ "$name" = free ] || [ "$name" = oneway ] ||
		name=$(realpath --relative-to="$TAPE_TOP/tests/rigs/smpi" "$name")
	RIG_ALPHA_NS=0 TAPE_TRACE=$trace "$TAPE_TOP/tests/rigs/smpi/run" \
		"$TAPE_BUILD" "$name" "$ranks" "$program.traced" "$seed" "$@" \
		>"$program.out"
}

# predicts PROGRAM PLATFORM [OPTION]: of PROGRAM.tape, compared with PROGRAM.true.tape
predicts()
{
	rm -rf "$1.sim.tape"
	tapesim --engine own ${3:-} --platform "$2.xml" -j -o "$1.sim.tape" \
		"$1.tape" >"$1.report" 2>"$1.err" || { cat "$1.err"; return 1; }
	"$rig/compare" -j "$1.true.tape" "$1.tape" "$1.sim.tape" >"$1.json" &&
		is "$1" ".differ == 0 and .tico.max != null and .tico.max <= 1"
}

# program MACHINES PROGRAM ARG...: on the machine of the trace, and on others
program()
{
	local there machines=$1 p=$2
	shift 2
	rm -rf "$p.tape" "$p.true.tape"
	simulate free "$p" "$p.tape" "$@"
	cp -r "$p.tape" "$p.true.tape"
	ok "$p: on its own machine every date is the same" predicts "$p" free1
	for there in $machines; do
		rm -rf "$p.true.tape"
		simulate "$there" "$p" "$p.true.tape" "$@"
		ok "$p: on the machine \"$there\" to the nanosecond" \
			predicts "$p" "$there"
	done
}

# replayed PLATFORM RANKS_PER_HOST SEED...: random actions end, on each rank, when
# SimGrid's own replay of them says so
replayed()
{
	local name=$1 each=$2 s i
	shift 2
	for ((i = 0; i < ranks; i++)); do echo "h$((i / each))"; done >hosts
	for s; do
		rm -rf random
		python3 "$TAPE_TOP/tests/e2e/tapesim_random.py" "$s" "$ranks" 60 \
			random alone || return 1
		sed "s,^,$PWD/random/," random/ranks >list
		# shellcheck disable=SC2086 # a list of words
		smpirun -np "$ranks" -no-privatize -replay "$PWD/list" \
			-platform "$name.xml" -hostfile hosts \
			--cfg=surf/precision:1e-13 --cfg=network/weight-S:0 \
			--cfg=smpi/coll-selector:ompi \
			--log=smpi_replay.thres:verbose \
			--log=root.fmt:%12.12r_%a_%m%n >log 2>&1 ||
			{ tail -n 3 log; return 1; }
		awk -F_ '$2 ~ /^[0-9]+$/ && $3 !~ /Simul/ { end[$2] = $1 }
			END { for (r in end) printf "%d %.0f\n", r, end[r] * 1e9 }' \
			log | sort -n | cut -d' ' -f2 >theirs
		tapesim -j --engine own --platform "$name.xml" --ranks-per-host "$each" random |
			jq -r '.rank_ns[]' >ours
		[ "$(wc -l <ours)" -eq "$ranks" ] || return 1
		paste ours theirs |
			awk '($1 - $2) ^ 2 > 1 { print; bad = 1 } END { exit bad }' ||
			{ echo "seed $s"; return 1; }
	done
}

platform free1 1Gf 1GBps 1us smpi/bw-factor 0:1 smpi/lat-factor 0:1
# with all of SMPI's own factors
platform slow 1Gf 100MBps 20us
# calls take time. SMPI charges it to a persistent send as to a blocking one, to the
# messages of collectives, and to the tracer's question whether a message has come:
# programs with these are left out
platform busy 1Gf 10GBps 3us smpi/os "0:1e-6:1e-9;1000:2e-6:0" \
	smpi/ois 0:3e-7:0 smpi/or "0:1e-6:2e-9"

program "slow busy" ring 12 20000 1024
program slow stencil 12 20000 1024
program slow stencil 6 20000 100000 # each message waits for its receive
program slow cg 12 20000 1024
program slow fft 12 20000 1024
program "slow busy" large 6 20000
program "slow busy" pack 6 20000 1024
program "slow busy" tiles 6 20000 1024
# every kind of collective
for kind in 1 2 3 4 5 6 7 8 9 10 11; do
	program slow collectives 4 20000 4096 "$kind"
done

# by_model PROGRAM: the same by a model of the machine's messages, and corrected
by_model()
{
	rm -rf "$1".{sim,corrected}.tape
	tico -m exact.model -o "$1.corrected.tape" "$1.tape" >/dev/null 2>&1 &&
		tapesim -m exact.model -o "$1.sim.tape" "$1.corrected.tape" \
			>"$1.report" 2>"$1.err" || { cat "$1.err"; return 1; }
	"$rig/compare" -j "$1.tape" "$1.tape" "$1.sim.tape" >"$1.json" &&
		is "$1" '.differ == 0 and .tico.max != null and .tico.max <= 1'
}
printf 'all eager 0 1016 1\nall rendezvous 0 1016 1\nall limit 65535\n' \
	>exact.model
for p in ring cg stencil; do
	ok "$p: by a model, from a corrected trace" by_model "$p"
done

# by_simgrid PROGRAM PLATFORM: both engines predict the same dates
by_simgrid()
{
	rm -rf "$1".{own,theirs}.tape
	tapesim --engine own --platform "$2.xml" -o "$1.own.tape" "$1.tape" \
		>/dev/null 2>&1 &&
		tapesim --engine simgrid --platform "$2.xml" \
			-o "$1.theirs.tape" "$1.tape" >"$1.report" 2>"$1.err" ||
		{ cat "$1.err"; return 1; }
	"$rig/compare" -j "$1.theirs.tape" "$1.tape" "$1.own.tape" \
		>"$1.json" &&
		is "$1" '.differ == 0 and .tico.max != null and .tico.max <= 1'
}
for p in ring cg fft tiles; do
	ok "$p: both engines have the same dates" by_simgrid "$p" slow
done

# Where they share links: as SimGrid has it, but that messages take nothing of the way
# back (crosstraffic). The same machine, with other settings of ours.
shared()
{
	local p=$1
	shift
	rm -rf "$p.tape" "$p.true.tape"
	simulate free "$p" "$p.tape" "$@"
	simulate oneway "$p" "$p.true.tape" "$@"
	ok "$p: over shared links to the nanosecond" predicts "$p" shared -l
}
cp "$TAPE_TOP/tests/rigs/smpi/shared.xml" .
shared ring 12 20000 20000
shared stencil 6 20000 100000
shared cg 12 20000 20000
shared fft 6 20000 20000
shared transpose 6 20000 20000
for kind in 1 2 3 4 5 6 8 9 10 11; do
	shared collectives 4 20000 40000 "$kind"
done

overheads=(smpi/os "0:1e-6:1e-9;1000:2e-6:0" smpi/ois 0:3e-7:0 smpi/or "0:1e-6:2e-9")
seeds="$seed $((seed + 1)) $((seed + 2)) $((seed + 3))"
platform eager 1Gf 100MBps 20us smpi/async-small-thresh 65536 "${overheads[@]}"
platform later 1Gf 100MBps 20us smpi/async-small-thresh 0 "${overheads[@]}"
platform both 1Gf 10GBps 1us smpi/async-small-thresh 5000
sed -i 's/loopback_bw="1PBps"/loopback_bw="1GBps" core="4"/' eager.xml
ok "random messages, as SimGrid replays them" replayed both 1 $seeds
ok "the same where calls take time" replayed eager 1 $seeds
ok "the same with messages that leave when they are received" \
	replayed later 1 $seeds
ok "the same with several ranks on a host" replayed eager 4 $seeds
sed -i 's/core="4"/core="1"/' eager.xml
ok "the same where they share its processor" replayed eager 4 $seeds

# One host as tapecal and tapeplat describe it: a link for each message, one for all.
cat >node.xml <<'X'
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>
    <prop id="smpi/ois" value="0:1e-7:0;400:-1.5e-07:7.8e-10"/>
    <prop id="network/crosstraffic" value="no"/>
    <prop id="network/TCP-gamma" value="0"/>
  </config>
  <zone id="node" routing="Full">
    <host id="h0" speed="1Gf" core="4"/>
    <link id="message" bandwidth="10GBps" latency="100us" sharing_policy="FATPIPE"/>
    <link id="memory" bandwidth="10GBps" latency="0s" sharing_policy="SHARED"/>
    <route src="h0" dst="h0" symmetrical="NO"><link_ctn id="message"/><link_ctn id="memory"/></route>
  </zone>
</platform>
X
# engines SEED...: random actions end at the same time by both, on each rank
engines()
{
	local s
	for s; do
		rm -rf random
		python3 "$TAPE_TOP/tests/e2e/tapesim_random.py" "$s" "$ranks" 60 \
			random || return 1
		for e in "own -l" simgrid; do
			# shellcheck disable=SC2086 # a list of words
			tapesim -j --hosts 1 --engine $e --platform node.xml \
				random | jq -r '.rank_ns[]' >"${e%% *}"
		done
		[ "$(wc -l <own)" -eq "$ranks" ] || return 1
		paste own simgrid |
			awk '($1 - $2) ^ 2 > 1 { print; bad = 1 } END { exit bad }' ||
			{ echo "seed $s"; return 1; }
	done
}
ok "the same on one host, over the memory that all share" engines $seeds
finish
