#!/bin/bash
# Programs on simulated machines: tapecc --simulate, taperun --simulate. A run ends
# when it ends without Tape (smpicc, smpirun), dates are those that follow from
# the machine, and every call is in the trace.
# Truth: smpirun without Tape.
. "$(dirname "$0")/tap.bash"
need smpirun smpicc jq
if [ ! -e "$TAPE_BUILD/lib/tape-smpi.o" ]; then
	skip simulate "smpi was not installed at build time"
	finish
fi

# Two machines: each message has 1 GB/s and 1 us of its own; and one where they
# share links.
cp "$TAPE_TOP/tests/rigs/smpi/free.xml" .
sed 's/bw="1PBps"/bw="1GBps"/; s/ bb_[a-z_]*="[^"]*"//g; s/lat="0ns"/lat="500ns"/' \
	free.xml >shared.xml
sed 's/radical="0-255"/radical="0-2"/' free.xml >three.xml
for ((i = 0; i < 64; i++)); do echo "h$i"; done >hosts
exact=(--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1
	--cfg=network/crosstraffic:no --cfg=surf/precision:1e-13)

# what taperun --simulate has unless told otherwise
usual=(--cfg=smpi/async-small-thresh:65536
	--cfg=smpi/send-is-detached-thresh:65536 --cfg=smpi/coll-selector:ompi
	--cfg=surf/precision:1e-11)

# plain NP PLATFORM PROGRAM ...: as SimGrid runs it; options in cfg
plain()
{
	local np=$1 platform=$2
	shift 2
	smpirun -np "$np" -platform "$platform" -hostfile hosts \
		--cfg=smpi/simulate-computation:no "${usual[@]}" "${cfg[@]}" \
		--log=root.thresh:warning "$@"
}
# simulate NAME NP PLATFORM PROGRAM ...: NAME.tape
simulate()
{
	local name=$1 np=$2 platform=$3
	shift 3
	taperun --simulate -np "$np" --platform "$platform" --bursts "$bursts" \
		"${cfg[@]}" -o "$name" "$@"
}
cfg=() bursts=none

# alike NAME NP PLATFORM PROGRAM ...: PROGRAM.plain, built without Tape, and
# PROGRAM print the same, the simulated times of their ends among it
alike()
{
	local name=$1 np=$2 platform=$3 program=$4
	shift 4
	plain "$np" "$platform" "$program.plain" "$@" | sort >"$name.without" &&
		simulate "$name" "$np" "$platform" "$program" "$@" |
		sort >"$name.traced" && same "$name.without" "$name.traced" &&
		[ "$(grep -c ^end "$name.without")" -eq "$np" ]
}

# ---- programs ----

compiled()
{
	tapecc --simulate -O1 -g -Wall -Werror -o calls "$here/simulate_calls.c" &&
		smpicc -O1 -o calls.plain "$here/simulate_calls.c" &&
		tapecc --simulate -O1 -g -o small "$here/simulate.c" &&
		smpicc -O1 -o small.plain "$here/simulate.c"
}
ok "programs are built" compiled

# The calls that the program counted, and those of the trace.
counted()
{
	same <(sed -n 's/^calls //p' "$1.traced" | sort) \
		<(tapedump -c "$1.tape" 2>/dev/null | awk -F, 'NR == 1 {
			for (i = 1; i <= NF; i++) if ($i == "call") c = i }
			NR > 1 && $c ~ /^MPI_/ { n[$c]++ }
			END { for (i in n) print i, n[i] }' | sort)
}
ok "calls of all kinds: the end is as without Tape" \
	alike calls 6 ./free.xml ./calls
ok "every call is in the trace" counted calls
both_sides()
{
	tico -j -o calls.tico.tape calls.tape >calls.report 2>&1
	jq -e '.unmatched_sends == 0 and .unmatched_receives == 0 and
		.measured_ns == .corrected_ns' calls.report
}
ok "its messages have both sides, and tico finds nothing to take out" both_sides
ok "calls of all kinds on 17 hosts that share links" \
	alike shared 17 ./shared.xml ./calls
ok "every call of that, too" counted shared
cfg=(--cfg=smpi/coll-selector:mpich --cfg=smpi/wtime:0)
ok "and with other algorithms" alike ompi 8 ./free.xml ./calls
cfg=()

no_correction()
{
	tapedump -i calls.tape >calls.summary 2>&1 &&
		holds '^base +global' calls.summary &&
		holds '^library +SMPI of SimGrid' calls.summary &&
		tapestat calls.tape >calls.report 2>&1 &&
		lacks 'Tracing added' calls.report &&
		holds 'simulate_calls.c:' calls.report
}
ok "the trace has one clock, needs no correction and knows its lines" \
	no_correction

# What SimGrid's mpi.h declares and its library has, functions on addresses and
# an alias of its own apart.
wrapped()
{
	local library
	library=$(ldd calls | awk '/libsimgrid/ { print $3 }')
	nm -D --defined-only "$library" | awk '$2 == "T" && $3 ~ /^MPI_/ {
		print $3 }' | grep -vxE 'MPI_Aint_(add|diff)|MPI_Type_create_indexed' |
		sort -u >there
	nm "$TAPE_BUILD/lib/tape-smpi.o" | awk '$2 == "T" && $3 ~ /^MPI_/ {
		print $3 }' | sort -u >ours
	[ "$(wc -l <there)" -gt 300 ] && equal "$(comm -23 there ours)" ""
}
ok "each call that SimGrid has has its wrapper" wrapped

# ---- dates ----

cfg=("${exact[@]}")
# dates BYTES: each message is there 1000 ns and 1 for each of its bytes and 16
# more after the one before
dates()
{
	alike "pp$1" 2 ./free.xml ./small pingpong "$1" 20 || return
	tapedump -c "pp$1.tape" 2>/dev/null | awk -F, -v each=$((1016 + $1)) '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["call"] == "MPI_Recv" { n++; end = int($at["end_ns"] + .5)
			if (end % each || seen[end]++ || end > 20 * each) {
				print end, each; bad = 1 } }
		END { exit bad || n != 20 }'
}
ok "a message's dates follow from the machine: 1000 bytes" dates 1000
ok "large ones, which wait for their receivers" dates 100000

# dates_of_simgrid NAME NP LEAST PROGRAM ...: those that SimGrid writes itself
# are the trace's, of so many calls at least
dates_of_simgrid()
{
	local name=$1 np=$2 least=$3 n
	shift 3
	cfg=(--cfg=tracing:yes "--cfg=tracing/filename:$name.paje"
		--cfg=tracing/smpi:yes --cfg=tracing/precision:12)
	simulate "$name" "$np" ./shared.xml "$@" >"$name.out"
	cfg=("${exact[@]}")
	tapedump -c "$name.tape" >"$name.csv" 2>/dev/null
	n=$("$here/simulate_dates.py" "$name.paje" "$name.csv") &&
		echo "$n calls" && [ "$n" -ge "$least" ]
}
if command -v python3 >/dev/null; then
	ok "all dates of other calls are those of SimGrid's own trace" \
		dates_of_simgrid own 8 500 ./calls
else
	skip "dates of SimGrid's own trace" "python3 is not installed"
fi

twice()
{
	rm -rf one.tape two.tape
	simulate one 8 ./shared.xml ./calls >/dev/null &&
		simulate two 8 ./shared.xml ./calls >/dev/null &&
		same <(tapedump -c one.tape) <(tapedump -c two.tape)
}
ok "another run has the same dates" twice

delays()
{
	alike delay 4 ./free.xml ./small delay &&
		tapedump -c delay.tape 2>/dev/null | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["call"] == "MPI_Barrier" {
			want = ($at["rank"] + 1) * 1000000
			if ($at["start_ns"] - want > 1 || want - $at["start_ns"] > 1)
				bad = 1
			n++ }
		END { exit bad || n != 4 }'
}
cfg+=(--cfg=smpi/host-speed:1Gf)
ok "what SMPI_SAMPLE_DELAY says is computed" delays
cfg=("${exact[@]}") bursts=measured
sampled()
{
	simulate sample 4 ./free.xml ./small sample >sample.out &&
		holds '^run 8$' sample.out
}
ok "of a loop in SMPI_SAMPLE_LOCAL each rank runs 2 of 20 rounds" sampled

# ---- errors ----

bursts=none
returned()
{
	alike returned 2 ./free.xml ./small truncate 1 &&
		holds '^error 1 1$' returned.traced
}
ok "errors are returned where the program wants them" returned
fatal()
{
	run without plain 2 ./free.xml ./small.plain truncate 0
	run fatal simulate fatal 2 ./free.xml ./small truncate 0
	equal "$(cat fatal.rc)" "$(cat without.rc)" &&
		same <(grep '^e' without.out) <(grep '^e' fatal.out) &&
		lacks '^error 1' fatal.out
}
ok "and end the program where it does not" fatal

# ---- memory ----

bursts=none
folded()
{
	simulate folded 32 ./free.xml ./small shared 67108864 >folded.out &&
		equal "$(grep -c ^end folded.out)" 32 &&
		[ "$(sed -n 's/^MiB //p' folded.out)" -lt 512 ]
}
ok "SMPI_SHARED_MALLOC: 32 ranks have 64 MiB together" folded

# ---- bursts of an earlier run ----

# differ A B: no burst of the one is more than 1 ns off the other's
differ()
{
	rm -rf a.bursts b.bursts
	tapebursts -o a.bursts "$1" && tapebursts -o b.bursts "$2" || return
	for f in a.bursts/rank.*; do
		paste "$f" "b.bursts/${f##*/}" | awk 'NR > 1 { n++
			d = $2 - $4; if ($1 != $3 || d > 1 || d < -1) bad = 1 }
			END { if (bad || n < 20) { print FILENAME; exit 1 } }' ||
			return
	done
}
again()
{
	simulate again 4 ./shared.xml ./small compute 10 >/dev/null &&
		differ "$1" again.tape
}
cfg=("${exact[@]}") bursts=measured
simulate before 4 ./free.xml ./small compute 10 >before.out 2>&1
cfg=(--cfg=surf/precision:1e-13) bursts=before.tape
ok "bursts of a simulated run, on another machine: to the nanosecond" \
	again before.tape
if command -v mpirun >/dev/null && command -v mpicc >/dev/null; then
	tapecc -O1 -g -o real "$here/simulate.c" &&
		TAPE_TRACE=real mpirun -np 4 ./real compute 10 >real.out 2>&1
	bursts=real.tape
	rm -rf again.tape
	ok "bursts of a real run: to the nanosecond" again real.tape
	TAPE_COUNTERS=cpu TAPE_TRACE=cpu mpirun -np 4 ./real compute 10 \
		>real.out 2>&1
	bursts=cpu.tape
	rm -rf again.tape
	ok "processor time of a real run: to the nanosecond" again cpu.tape
else
	skip "bursts of a real run" "mpi is not installed"
fi
# half as long where the machine was half as fast as the hosts
half()
{
	taperun --simulate -np 4 --platform shared.xml --bursts before.tape \
		"${cfg[@]}" --host-speed 500Mf -o half ./small compute 10 \
		>/dev/null && rm -rf a.bursts b.bursts &&
		tapebursts -o a.bursts before.tape &&
		tapebursts -o b.bursts half.tape &&
		paste a.bursts/rank.2 b.bursts/rank.2 | awk 'NR > 1 {
			d = $2 / 2 - $4; if (d > 1 || d < -1) bad = 1; n++ }
			END { exit bad || n < 20 }'
}
ok "--host-speed: of a machine of half the speed" half
bursts=none cfg=()

# ---- Fortran ----

if command -v smpif90 >/dev/null && command -v gfortran >/dev/null; then
	fortran()
	{
		cp "$here/simulate_fortran.f90" f.f90
		tapefc --simulate -O1 -o fortran f.f90 2>fortran.err &&
			equal "$(cat fortran.err)" "" &&
			smpif90 -O1 -o fortran.plain f.f90 &&
			alike fortran 4 ./free.xml ./fortran
	}
	ok "a program in Fortran ends as without Tape" fortran
	fortran_calls()
	{
		tapedump -i fortran.tape >fortran.sum 2>&1
		holds '^MPI_Sendrecv +12 +12 ' fortran.sum &&
			holds '^MPI_Waitall +4 +4 ' fortran.sum &&
			holds '^MPI_Allreduce +4 +4 ' fortran.sum &&
			holds '^ +12 +12 .*MPI_Sendrecv  simulate \(f.f90:17\)' \
				fortran.sum
	}
	ok "its calls are there, with their lines" fortran_calls
	! command -v python3 >/dev/null || ok "its dates are SimGrid's own" \
		dates_of_simgrid fortran_dates 4 30 ./fortran
	ok "with the bytes of statuses that it ignored" jq -se 'map(select(
		.call == "MPI_Sendrecv")) | length == 12 and
		all(.actual_peer == (.rank + 3) % 4 and .rbytes == 400)' \
		<(tapedump -j fortran.tape 2>/dev/null)
else
	skip "a program in Fortran" "gfortran is not installed"
fi

# ---- C++ ----

if command -v smpicxx >/dev/null && command -v g++ >/dev/null; then
	cat >cxx.cpp <<'END'
#include <mpi.h>
#include <vector>
int main(int argc, char **argv)
{
	std::vector<double> v(10, 1.0), w(10);
	MPI_Init(&argc, &argv);
	MPI_Allreduce(v.data(), w.data(), 10, MPI_DOUBLE, MPI_SUM,
		      MPI_COMM_WORLD);
	MPI_Finalize();
	return w[9] != 4;
}
END
	linked()
	{
		smpicxx -O1 -g -o cxx cxx.cpp "$TAPE_BUILD/lib/tape-smpi.o" &&
			simulate cxx 4 ./free.xml ./cxx &&
			tapestat cxx.tape >cxx.report 2>&1 &&
			holds 'MPI_Allreduce .*cxx.cpp:[67]$' cxx.report
	}
	ok "a program in C++ that is linked with the wrappers" linked
else
	skip "a program in C++" "g++ is not installed"
fi

# ---- what is refused ----

# refused STATUS SENTENCE ARGUMENT ...: one line of taperun's, no trace
refused()
{
	local status=$1 sentence=$2
	shift 2
	rm -rf refused.tape
	run refused taperun --simulate "$@" -o refused ./small pingpong 8 2
	equal "$(cat refused.rc)" "$status" && holds "$sentence" refused.err &&
		equal "$(grep -c . refused.err)" 1 && [ ! -e refused.tape ]
}
ok "no number of ranks" refused 2 '^taperun: .*-np' --platform free.xml
ok "no platform" refused 2 '^taperun: .*--platform' -np 2
ok "a platform that is not there" refused 1 '^taperun: no.xml: No such file' \
	-np 2 --platform no.xml
ok "too few hosts" refused 1 '^taperun: three.xml has 3 hosts for 4 ranks; ' \
	-np 4 --platform three.xml
echo '<platform version="4.1"><zone id="a" routing="Full">' >bad.xml
ok "a platform that SimGrid does not read" refused 1 \
	'^taperun: bad.xml: rejected by SimGrid: Parse error' -np 2 \
	--platform bad.xml
ok "an option that SimGrid does not have" refused 1 \
	'rejected by SimGrid: Bad config key: smpi/nonsense' -np 2 \
	--platform free.xml --cfg=smpi/nonsense:1
ok "a speed that is none" refused 2 '^taperun: --host-speed fast: expected' \
	-np 2 --platform free.xml --host-speed fast
echo nowhere >nowhere
ok "a host that is not there" refused 1 \
	'^taperun: nowhere: no host nowhere in free.xml$' -np 2 \
	--platform free.xml --hostfile nowhere
slots()
{
	printf 'h5:2\nh3\n' >slots
	taperun --simulate -np 3 --platform free.xml --hostfile slots \
		--bursts none -o slots ./small pingpong 8 2 >/dev/null &&
		equal "$(cat slots.tape/rank.? | grep ^host | xargs)" \
			"host h5 host h5 host h3"
}
ok "a list of hosts with slots" slots
in_turn()
{
	taperun --simulate -np 4 --platform three.xml --round-robin --bursts none \
		-o turn ./small pingpong 8 2 >turn.out 2>turn.err &&
		holds '^taperun: 4 ranks on 3 hosts, in turn$' turn.err &&
		equal "$(cat turn.tape/rank.3 | grep ^host)" "host h0"
}
ok "--round-robin" in_turn
not_built()
{
	run not taperun --simulate -np 2 --platform free.xml ./small.plain
	equal "$(cat not.rc)" 1 && holds 'tapecc --simulate' not.err
}
ok "a program that smpicc built" not_built
no_smpirun()
{
	mkdir -p empty
	PATH=$work/empty run no "$TAPE_BUILD/bin/taperun" --simulate -np 2 \
		--platform free.xml ./small
	equal "$(cat no.rc)" 1 && holds 'smpirun.*libsimgrid-dev' no.err
}
ok "no smpirun" no_smpirun
other_run()
{
	run other taperun --simulate -np 4 --platform free.xml \
		--bursts before.tape -o other ./small pingpong 8 2
	equal "$(cat other.rc)" 1 && holds 'call 3 after MPI_Init is MPI_' \
		other.err && holds 'was MPI_Allreduce in the earlier run' other.err
}
ok "bursts of another program" other_run
ok "bursts of another number of ranks" refused 1 'has 4 ranks, but -np is 2' \
	-np 2 --platform free.xml --bursts before.tape
mkdir tmp
left()
{
	TMPDIR=$work/tmp taperun --simulate -np 2 --platform free.xml \
		--bursts none -o left ./small pingpong 8 2 >/dev/null 2>&1 &&
		equal "$(ls tmp)" ""
}
ok "no file is left behind" left
# a signal ends the simulation, too, and the trace stays readable
ended()
{
	local pid
	TMPDIR=$work/tmp taperun --simulate -np 2 --platform free.xml \
		--bursts none -o ended ./small pingpong 8 2000000000 \
		>/dev/null 2>&1 &
	pid=$!
	for ((i = 0; i < 1000; i++)); do
		[ -s ended.tape/flow.1.0 ] && break
		sleep 0.1
	done
	kill "$pid"
	wait "$pid"
	[ $? -ne 0 ] && equal "$(ls tmp)" "" &&
		tapedump -i ended.tape 2>/dev/null | grep -q '^MPI_Init  *2 '
}
ok "a signal ends all of it" ended
finish
