#!/bin/bash
# The correction against true dates: Tape's own wrappers in simulated time,
# where a run without the tracer's cost tells when each event really was
# (tests/rigs/smpi). On a machine without contention the dates of messages and
# collectives must be found to the nanosecond, however much the tracer costs.
. "$(dirname "$0")/tap.bash"
rig=$TAPE_BUILD/rig
if ! command -v smpirun >/dev/null || [ ! -x "$rig/smpi/ring.traced" ]; then
	skip smpi "smpi smpicc is not installed, or was not at build time"
	echo "1..1"
	exit 0
fi
need jq
seed=${SMPI_SEED:-1}
echo "# seed $seed"

ranks=4 bytes=1024

# simulate PROGRAM ALPHA TRACE [COLLECTIVES]: 12 steps of 20 us on the ranks
simulate()
{
	RIG_ALPHA_NS=$2 TAPE_TRACE=$3 "$TAPE_TOP/tests/rigs/smpi/run" \
		"$TAPE_BUILD" free "$ranks" "$1" "$seed" 12 20000 "$bytes" \
		"${4:-0}" | sort -n
}

# corrected PROGRAM [COLLECTIVES]: PROGRAM.json compares the dates
corrected()
{
	simulate "$1.traced" 2000 "$1" "${2:-0}" >/dev/null &&
		sba -o "$1.sba.tape" "$1.tape" >/dev/null 2>&1 &&
		tico -j -o "$1.tico.tape" "$1.sba.tape" >"$1.report" &&
		"$rig/compare" -j "$1.0.tape" "$1.tape" "$1.tico.tape" \
			>"$1.json"
}

# is PROGRAM FILTER: the comparison says so
is() { jq -e "$2" "$1.json" || { cat "$1.json"; false; }; }

# by_table PROGRAM EXITS: of so many, all by the library's algorithm
by_table()
{
	jq -e ".by_table == $2 and .by_shape == 0" "$1.report" ||
		{ cat "$1.report"; false; }
}

# program PROGRAM EVENTS [COLLECTIVES]: how many events its ranks have
program()
{
	rm -rf "$1.0.tape" "$1.tape" "$1.sba.tape" "$1.tico.tape"
	simulate "$1" 0 none "${3:-0}" >"$1.plain"
	simulate "$1.traced" 0 "$1.0" "${3:-0}" >"$1.free"
	ok "$1: without its cost the tracer changes no time" \
		same "$1.plain" "$1.free"
	ok "$1: corrected" corrected "$1" "${3:-0}"
	ok "$1: all events are there, and the same ones" \
		is "$1" ".events == $2 and .differ == 0 and .reordered == 0"
	ok "$1: tracing takes a tenth and more" is "$1" '.none.total > 10'
}

# 12 steps, two exchanges each; MPI_Finalize
program ring $((4 * (12 * 2 + 1)))
ok "ring: every date to the nanosecond" is ring '.tico.max <= 1'
ok "ring: to subtract local costs is not enough" is ring '.local.p99 > 1000'

# 2 receives, 2 sends and a wait for them each; the same of both ends' data
program cg $((4 * (12 * 5 + 1)))
ok "cg: every date to the nanosecond" is cg '.tico.max <= 1'
ok "cg: to subtract local costs is not enough" is cg '.local.p99 > 1000'

# every fourth step a sum of 8 bytes, or two; a barrier
program ring $((4 * (12 * 2 + 3 + 1))) 4
ok "ring, sums: every date to the nanosecond" is ring '.tico.max <= 1'
ok "ring, sums: by the algorithm" by_table ring $((4 * 3))
program cg $((4 * (12 * 5 + 6 + 1))) 4
ok "cg, sums: every date to the nanosecond" is cg '.tico.max <= 1'
ok "cg, sums: by the algorithm" by_table cg $((4 * 6))
# 4 ranks, 2 x 2: waits for several messages are asked for one by one, so one
# event in a hundred may be off (doc/accuracy.md)
simulate stencil.traced 0 stencil.0 4 >/dev/null
ok "stencil, barriers: corrected" corrected stencil 4
ok "stencil, barriers: dates to the nanosecond" is stencil \
	'.tico.exact > 98 and .tico.total == 0'
ok "stencil, barriers: by the algorithm" by_table stencil $((4 * 3))
program fft $((4 * (12 + 1)))
ok "fft: every date to the nanosecond" is fft '.tico.max <= 1'

# each collective of 8, 64 and 512 bytes (barriers thrice, too), its root going
# around; the last kind is two calls
calls=$((12 * 13 * 3))
program collectives $((4 * (calls + 1)))
ok "collectives: every date to the nanosecond" is collectives '.tico.max <= 1'
ok "collectives: by the algorithm" by_table collectives $((4 * calls))
# not a power of two; blocks are gathered by an algorithm that has no table
ranks=5
for kind in 1 2 3 4 5 7 8 9 10; do
	rm -rf collectives.0.tape collectives.tape collectives.{sba,tico}.tape
	simulate collectives.traced 0 collectives.0 $kind >/dev/null
	simulate collectives.traced 2000 collectives $kind >/dev/null
	sba -o collectives.sba.tape collectives.tape >/dev/null 2>&1
	# scatter and gather alone do not tell how long a message takes
	tico -b 1016 -t 1 -j -o collectives.tico.tape collectives.sba.tape \
		>collectives.report
	"$rig/compare" -j collectives.0.tape collectives.tape \
		collectives.tico.tape >collectives.json
	ok "collectives, kind $kind on 5: every date to the nanosecond" \
		is collectives '.tico.max <= 1'
done
finish
