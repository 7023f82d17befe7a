#!/bin/bash
# The correction against true dates: Tape's own wrappers in simulated time,
# where a run without the tracer's cost tells when each event really was
# (tests/rigs/smpi). On a machine without contention the dates of messages and
# collectives must be found to the nanosecond, however much the tracer costs.
# Truth: the same run in simulated time without cost.
. "$(dirname "$0")/smpi.bash"

ranks=4 bytes=1024
options= # of tico's

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
	RIG_PACK_NS=3 simulate "$1.traced" 2000 "$1" "${2:-0}" >/dev/null &&
		sba -o "$1.sba.tape" "$1.tape" >/dev/null 2>&1 &&
		tico -j $options -o "$1.tico.tape" "$1.sba.tape" >"$1.report" &&
		jq -e '.causality.after.violations == 0' "$1.report" &&
		"$rig/compare" -j "$1.0.tape" "$1.tape" "$1.tico.tape" \
			>"$1.json"
}

# of_thesis PROGRAM FILTER: the same of the tree alone
of_thesis()
{
	tico --rule thesis -o "$1.thesis.tape" "$1.sba.tape" >/dev/null &&
		"$rig/compare" -j "$1.0.tape" "$1.tape" "$1.thesis.tape" \
			>"$1.json" && is "$1" "$2"
}

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
	ok "$1: tracing takes a twentieth and more" is "$1" '.none.total > 5'
}

# 12 steps, two exchanges each; MPI_Finalize
program ring $((ranks * (12 * 2 + 1)))
ok "ring: every date to the nanosecond" is ring '.tico.max <= 1'
ok "ring: to subtract local costs is not enough" is ring '.local.p99 > 1000'

# 2 receives, 2 sends and a wait for them each; the same of both ends' data
program cg $((ranks * (12 * 5 + 1)))
ok "cg: every date to the nanosecond" is cg '.tico.max <= 1'
ok "cg: to subtract local costs is not enough" is cg '.local.p99 > 1000'

# large messages wait for their receivers; 2 receives, 2 sends, a wait: what the
# blocking ones took tells how long the wait's transfer did
program large $((ranks * (12 * 5 + 1)))
ok "large: every date to the nanosecond" is large '.tico.max <= 1'
ok "large: to subtract local costs is not enough" is large '.local.p99 > 1000'
ok "large: the transit of a rendezvous is learnt from it" \
	jq -e '.model.net.rendezvous.messages > 0' large.report

# What tapecal measures there is the machine's own: 1 us and 1 ns a byte of the
# message and of 16 more, from 65536 bytes on by rendezvous, in no time handed
# over. One host for each rank.
"$TAPE_TOP/tests/rigs/smpi/run" "$TAPE_BUILD" free 2 tapecal >machine.model
grep '^net' machine.model >machine.net
cat >machine.known <<END
net limit 65535
net eager 0 1016 1
net dc 0 0 0
net rendezvous 0 1016 1
END
ok "tapecal: the machine as it is" same machine.known machine.net
# with that in place of what the trace tells, nothing changes
ok "large: corrected by what tapecal measured" \
	tico -m machine.model -o known.tape large.sba.tape
ok "large: the same dates as by what it tells itself" \
	diff -r -x meta large.tico.tape known.tape

# The other machine slows messages down by factors that depend on their size:
# with jumps at several sizes. Nearly all medians are within 3% of the curve.
"$TAPE_TOP/tests/rigs/smpi/run" "$TAPE_BUILD" shared 2 tapecal >shared.model
awk 'BEGIN { n = m = far = 0 }
	/^# net rendezvous / { size[n] = $4; ns[n++] = $6 }
	/^net rendezvous/ { from[m] = $3; a[m] = $4; b[m++] = $5 }
	END {
		for (i = 0; i < n; i++) {
			for (k = m - 1; from[k] > size[i]; k--)
				;
			t = a[k] + b[k] * size[i]
			off = t > ns[i] ? t / ns[i] : ns[i] / t
			far += off > 1.03
		}
		print n, m, far
	}' shared.model >shared.far
read -r sizes pieces far <shared.far
ok "tapecal: $pieces pieces, $far of $sizes sizes off by more than 3%" \
	[ "$pieces" -ge 5 -a "$sizes" -ge 40 -a "$far" -le 2 ]

# 3 sends, 3 receives, and a wait for the sends
program tiles $((ranks * (12 * 7 + 1)))
ok "tiles: every date to the nanosecond" is tiles '.tico.max <= 1'

# The truth is the run in which packing takes no time.
options=-p
program pack $((ranks * (12 * 5 + 1)))
ok "pack: without packing, every date to the nanosecond" \
	is pack '.tico.max <= 1'
options=
tico -o pack.with.tape pack.sba.tape >with &&
	"$rig/compare" -j pack.0.tape pack.tape pack.with.tape >pack.json
ok "pack: packing is kept if one does not say so" is pack '.tico.total > 10'


# every fourth step a sum of 8 bytes, or two; a barrier
program ring $((4 * (12 * 2 + 3 + 1))) 4
ok "ring, sums: every date to the nanosecond" is ring '.tico.max <= 1'
ok "ring, sums: by the algorithm" by_table ring $((4 * 3))
program cg $((4 * (12 * 5 + 6 + 1))) 4
ok "cg, sums: every date to the nanosecond" is cg '.tico.max <= 1'
ok "cg, sums: by the algorithm" by_table cg $((4 * 6))
simulate stencil.traced 0 stencil.0 4 >/dev/null
ok "stencil, barriers: corrected" corrected stencil 4
ok "stencil, barriers: dates to the nanosecond" is stencil \
	'.tico.max <= 1'
ok "stencil, barriers: by the algorithm" by_table stencil $((4 * 3))
program fft $((4 * (12 + 1)))
ok "fft: every date to the nanosecond" is fft '.tico.max <= 1'

# each collective of 8, 64 and 512 bytes (barriers thrice, too), its root going
# around; the last kind is two calls
calls=$((12 * 13 * 3))
program collectives $((4 * (calls + 1)))
ok "collectives: every date to the nanosecond" is collectives '.tico.max <= 1'
ok "collectives: by the algorithm" by_table collectives $((4 * calls))
printf 'all %s 0 1016 1\n' eager rendezvous >exact.model
# not a power of two; blocks are gathered by an algorithm that has no table
ranks=5
for kind in 1 2 3 4 5 7 8 9 10; do
	rm -rf collectives.0.tape collectives.tape collectives.{sba,tico}.tape
	simulate collectives.traced 0 collectives.0 $kind >/dev/null
	simulate collectives.traced 2000 collectives $kind >/dev/null
	sba -o collectives.sba.tape collectives.tape >/dev/null 2>&1
	# scatter and gather alone do not tell how long a message takes
	tico -m exact.model -j -o collectives.tico.tape collectives.sba.tape \
		>collectives.report
	"$rig/compare" -j collectives.0.tape collectives.tape \
		collectives.tico.tape >collectives.json
	ok "collectives, kind $kind on 5: every date to the nanosecond" \
		is collectives '.tico.max <= 1'
done

# On more ranks a call asks for many messages, one after the other: some come
# while the others are asked for.
ranks=16
rm -rf cg.* stencil.*
program stencil $((ranks * (12 * 3 + 5)))
ok "stencil: every date to the nanosecond" is stencil '.tico.max <= 1'
program cg $((ranks * (12 * 9 + 1)))
ok "cg, 16 ranks: every date to the nanosecond" is cg '.tico.max <= 1'
ok "cg, 16 ranks: asked by the thesis's tree alone, it is off" \
	of_thesis cg '.tico.max > 100'
finish
