#!/bin/bash
# Clocks that go wrong in known ways, by a preloaded clock_gettime that knows
# nothing of Tape (tests/rigs/warp): every date that sba gives is compared with
# the true one, and with its interval. bench/warped does it at large.
# Truth: clocks with a known error.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
warp=$TAPE_TOP/tests/rigs/warp/warp
mpicc -O2 -o traffic "$TAPE_TOP/tests/rigs/warp/traffic.c" ||
	{ echo "Bail out! traffic.c does not compile"; exit 1; }

# The guarantee supposes that messages tell something: it takes a machine that
# lets the ranks run.
calm() { [ "$(sed -n 's/^longest \([0-9]*\) ms$/\1/p' "$1.out")" -le 200 ]; }

# A clock that is set back while its rank is busy shows times that no event can
# have: they would come before the one ahead. The steps are meant for pauses.
paused() { holds '^set_back 0$' "$1.p.live" >/dev/null 2>&1; }

# warped NAME TRANSPORT BENDS: a run of 4 ranks with these clocks, judged
warped()
{
	for attempt in 1 2 3; do
		rm -rf "$1".*
		"$warp" run "$1" 4 "$2" "$3" -- ./traffic 4 "$attempt"
		"$warp" judge "$1"
		calm "$1" && paused "$1" && break
	done
}

ran() { equal "$(cat "$1.rc" "$1.p.rc" "$1.m.rc")" $'0\n0\n0'; }

four() { equal "$(grep -c '^domain' "$1.tape/meta")" 4; }

# Every date was found among the readings, and is within its interval; no message
# arrives before it was sent.
covered()
{
	cat "$1.$2.live" "$1.$2"
	holds '^total dates [0-9]{4,} .* outside 0 missing 0$' "$1.$2.live" &&
		holds '^messages [0-9]* violations 0$' "$1.$2.live"
}

# checked NAME: plain sba and sba -m
checked()
{
	ok "$1: the run ends well" ran "$1"
	ok "$1: four machines" four "$1"
	if ! calm "$1"; then
		skip "$1: dates" "no processor for a while, twice"
		return
	fi
	ok "$1: the truth is in every interval" covered "$1" p
	ok "$1: with -m, too" covered "$1" m
}

warped even vader "1:offset=2e9,drift=3e-5 2:offset=-5e9,drift=-4e-5 3:offset=7e8"
checked even
warped steps vader "1:offset=2e9,drift=3e-5,step=3e5@2
	2:offset=-5e9,drift=-4e-5,step=-3e5@1.5 3:step=3e5@1.2,step=-3e5@3"
checked steps
ok "steps: which is said" holds 'offset is derived from messages|more than the least' \
	steps.p
warped bends vader "1:sine=20000/3,drift=2e-5 2:slew=2e-4@1.5+1 3:drift=-3e-5"
checked bends
warped tcp tcp "1:offset=2e9,step=-3e5@2 2:slew=-5e-4@1.5+1 3:sine=20000/2"
checked tcp
finish
