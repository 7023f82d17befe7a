#!/bin/bash
# Clocks with a known error in a real run (tests/rigs/warp): what the rounds of
# the tree say, and what dates sba makes of them, against the truth.
# Truth: clocks with a known error.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
live=$TAPE_BUILD/rig/live warp=$TAPE_TOP/tests/rigs/warp/warp
build doors doors.c
build pulse pulse.c
program="./doors ring 100"

# bent NAME RANKS TRANSPORT CLOCKS [SETTING...]: $program traced under clocks with
# these errors, all of one machine; leaves NAME.tape, NAME.sba.tape and the
# comparison NAME.live
bent()
{
	local name=$1 ranks=$2 transport=$3 clocks=$4

	shift 4
	"$warp" run "$name" "$ranks" "$transport" "$clocks" \
		WARP_ONE_MACHINE=1 "$@" -- $program
	sba -j -o "$name.sba.tape" "$name.tape" >"$name.json" 2>"$name.sba.err"
	echo $? >"$name.sba.rc"
	"$live" "$name.truth" "$name.sba.tape" >"$name.live" 2>&1
	sba --messages -o "$name.m.tape" "$name.tape" >"$name.report" 2>&1
	"$live" "$name.truth" "$name.m.tape" >"$name.m.live" 2>&1
}

ran()
{
	equal "$(cat "$1.rc" "$1.sba.rc")" $'0\n0' &&
		lacks '^tape: ' "$1.err" && holds '^sum ' "$1.out"
}

# readings NAME RANK: lines of what a reading showed, and its true date
readings()
{
	od -An -v -t u8 -w16 "$1.truth/readings.$2" | awk '$2 { print $1, $2 }'
}

# The raw rounds of NAME, DOMAINS clocks: each domain is asked in both phases, at
# least three times, by one clock, which is the reference or was asked itself;
# some are DEPTH from the reference, none more. By the truth, which ranks of one
# machine share, no round arrived before it was sent, and all four readings are
# readings of the ranks that are said to have made them. Each rank is a domain.
rounds()
{
	local r

	for r in $(seq 0 $(($2 - 1))); do
		sed "s/^/truth $(awk '$1 == "domain" { print $2 }' \
			"$1.tape/rank.$r") /" <(readings "$1" "$r")
	done | awk -v domains="$2" -v depth="$3" '
		$1 == "truth" { real[$2, $3] = $4; next }
		{
			by = $8 + 0
			n[$2, $3]++
			bad += $3 in asked && asked[$3] != by
			asked[$3] = by
			a = real[by, $4]; b = real[$3, $5]
			c = real[$3, $6]; d = real[by, $7]
			bad += a == "" || b == "" || c == "" || d == ""
			bad += !(a <= b && b <= c && c <= d)
			rounds++
		}
		END {
			for (i = 1; i < domains; i++) {
				at = i
				for (k = 0; at && k < domains; k++)
					at = asked[at]
				bad += at != 0
				deepest = k > deepest ? k : deepest
				bad += n["before", i] < 3 || n["after", i] < 3
			}
			print bad + 0, "wrong of", rounds, "rounds, depth",
				deepest
			exit bad || rounds < 6 || deepest != depth ||
				length(asked) != domains - 1
		}' - "$1.tape/clocks"
}

# covered NAME DATES: each date was found among the readings, at least so many,
# and is within its guaranteed interval, which is not without end.
covered()
{
	holds '^total .* outside 0 missing 0$' "$1.live" &&
		lacks 'width_ns -1' "$1.live" &&
		[ "$(awk '$1 == "total" { print $3 }' "$1.live")" -ge "$2" ] ||
		{ cat "$1.live"; false; }
}

# The same where the run's own messages bound the clocks: none of them arrives
# before it was sent.
bounded()
{
	covered "$1.m" "$2" &&
		holds '^messages [0-9]* violations 0$' "$1.m.live" ||
		{ cat "$1.report"; false; }
}

# bent, until messages bound the dates: where delays are as long as the run's own
# time, on a busy machine, noise passes for bends of a clock. One of three runs
# is to show it.
bent_and_bounded()
{
	local attempt

	for attempt in 1 2 3; do
		rm -rf "$1" "$1".*
		bent "$@"
		bounded "$1" 1 >/dev/null && break
	done
}

# Seconds apart, tens of ppm of drift.
four="1:offset=2e9,drift=3e-5 2:offset=-5e9,drift=-4e-5 3:offset=1e7,drift=1e-5"
eight="$four 4:offset=7e9,drift=-2e-5 5:drift=9e-5 6:offset=-3e9
	7:offset=4e8,drift=-1e-5"
eight=$(echo $eight)
for transport in vader tcp; do
	bent_and_bounded four-$transport 4 $transport "$four"
	ok "4 clocks, $transport: the run ends well" ran four-$transport
	ok "4 clocks, $transport: honest rounds, two deep" \
		rounds four-$transport 4 2
	ok "4 clocks, $transport: the truth is in every interval" \
		covered four-$transport 3000
	ok "4 clocks, $transport: the same by messages, causality restored" \
		bounded four-$transport 3000
	bent_and_bounded eight-$transport 8 $transport "$eight"
	ok "8 clocks, $transport: the run ends well" ran eight-$transport
	ok "8 clocks, $transport: honest rounds, three deep" \
		rounds eight-$transport 8 3
	ok "8 clocks, $transport: the truth is in every interval" \
		covered eight-$transport 6000
	ok "8 clocks, $transport: the same by messages, causality restored" \
		bounded eight-$transport 6000
done

# The reference need not be rank 0; the others have the errors.
bent_and_bounded second 3 vader "0:offset=3e9,drift=2e-5 1:offset=-1e9" TAPE_REFERENCE=2
ok "the reference is rank 2" rounds second 3 1
ok "the reference is rank 2: the truth is in every interval" covered second 1500
ok "the reference is rank 2: causality restored" bounded second 1500

# One phase each.
bent_and_bounded before 2 vader "1:offset=2e9,drift=3e-5" TAPE_SAMPLING=before
bent_and_bounded after 2 vader "1:offset=2e9,drift=3e-5" TAPE_SAMPLING=after
phases()
{
	equal "$(awk '{ print $2 }' "$1.tape/clocks" | sort -u)" "$1"
}
ok "sampling = before" phases before
ok "sampling = after" phases after
for name in before after; do
	ok "sampling = $name: the truth is in every interval" covered $name 900
	ok "sampling = $name: causality restored" bounded $name 900
done

# Clocks that are no line: an oscillation, a step forward, a saw-tooth that loses
# and is set forward (a clock that goes back has two true dates for a reading).
# What they did before the first round nobody can know: the step is in mid-run,
# the others are slow. What guarantee they can have follows from messages.
program="./pulse 3500 4"
crooked="1:sine=20000/1 2:step=3e5@2 3:saw=-1e5/1,offset=1e9"
# The guarantee supposes that a clock does not turn round between messages: it
# takes a machine that lets the ranks run, and one run of three is to show it.
calm() { [ "$(sed -n 's/^longest \([0-9]*\) ms$/\1/p' crooked.out)" -le 60 ]; }
for attempt in 1 2 3; do
	rm -rf crooked*
	bent crooked 4 vader "$crooked"
	calm && bounded crooked 3000 >/dev/null && break
done
ok "crooked clocks: the run ends well" ran crooked
ok "crooked clocks: honest rounds" rounds crooked 4 2
ok "crooked clocks: each date has its truth" \
	holds '^total dates [0-9]{4,} .* missing 0$' crooked.live
if calm; then
	ok "crooked clocks: messages bound the dates" bounded crooked 3000
else
	skip "crooked clocks: messages bound the dates" \
		"no processor for a while, three times"
fi
program="./doors ring 100"

# What Tape meets at the end is none of the program's business.
cat >gone.c <<'C'
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int me;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!me && system("rm -rf gone.tape"))
		return 1;
	MPI_Barrier(MPI_COMM_WORLD);
	errno = 78;
	MPI_Finalize();
	if (!me)
		printf("errno %d\n", errno);
	return 0;
}
C
mpicc -w -o gone gone.c || { echo "Bail out! gone.c does not compile"; exit 1; }
run gone.plain mpirun -np 2 ./gone
run gone mpirun -np 2 taperun -o gone ./gone
left_alone() { equal "$(cat gone.rc)" 0 && same gone.plain.out gone.out; }
ok "the trace directory is gone: MPI_Finalize leaves the same errno" left_alone
finish
