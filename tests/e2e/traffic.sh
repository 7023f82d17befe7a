#!/bin/bash
# Messages that share links: the correction on a simulated machine where what
# else is on its way counts, and where tracing thins that out
# (tests/rigs/smpi). A run without the tracer's cost tells the true dates.
# Truth: the same run in simulated time without cost.
. "$(dirname "$0")/smpi.bash"
# what SimGrid 3.32 makes of the platform for 1 KiB: 1.95 us and 1/0.341987 ns
# a byte, of 16 more than the message has
printf "all %s 0 1997 2.924\n" eager rendezvous >alone.model
alone=(-m alone.model)

# simulate PROGRAM ALPHA TRACE
simulate()
{
	RIG_ALPHA_NS=$2 TAPE_TRACE=$3 "$TAPE_TOP/tests/rigs/smpi/run" \
		"$TAPE_BUILD" shared 4 "$1.traced" "$seed" 20 50000 1024 0 \
		>/dev/null
}

# corrected PROGRAM OPTION...: PROGRAM.json compares the dates: of tico with
# the options, and as tico2 without any
corrected()
{
	local p=$1

	shift
	simulate "$p" 0 "$p.0" && simulate "$p" 1200 "$p" &&
		sba -o "$p.sba.tape" "$p.tape" >/dev/null 2>&1 &&
		tico "$@" -o "$p.tico.tape" "$p.sba.tape" >"$p.report" &&
		tico -o "$p.plain.tape" "$p.sba.tape" >/dev/null &&
		"$rig/compare" -j "$p.0.tape" "$p.tape" "$p.tico.tape" \
			"$p.plain.tape" >"$p.json"
}

for program in ring cg stencil; do
	ok "$program: corrected with shared links" corrected "$program" -sf -l \
		"${alone[@]}"
	ok "$program: the total within 0.15%" is "$program" \
		'.tico.total | fabs < 0.15'
	ok "$program: half of the dates within 1 us" is "$program" \
		'.tico.p50 < 1000'
done
ok "ring: a model that does not know the load is off by 1% and more" \
	is ring '.tico2.total | fabs > 1'
ok "ring: so are its dates" is ring '.tico2.p50 > 5 * .tico.p50'
finish
