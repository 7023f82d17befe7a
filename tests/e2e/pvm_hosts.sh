#!/bin/bash
# PVM on three hosts whose clocks are apart by a known number of seconds: the
# offsets that sba finds, and where it follows the messages none before it was
# sent; no exit from a collective that is for certain before what it depends on;
# the counters and the table of tasks that tico prints, counted again from the
# traces. How near an estimate is depends on who else uses the machine: only
# what is guaranteed is compared.
# Truth: offsets of clocks that are known; a second count in awk.
. "$(dirname "$0")/pvm.bash"
need jq
examples=$TAPE_BUILD/examples/pvm
compile later pvm_later.c
for p in "$examples/jacobi" "$TAPE_BUILD/lib/libtape-pvm.so"; do
	[ -e "$p" ] && continue
	skip "pvm_hosts" "pvm Tape was built without it"
	finish
done
skews="2 -3"

# on_hosts NAME PROGRAM ARGUMENT...: NAME.tape, then what the tools make of it
on_hosts()
{
	local name=$1 program=$2

	shift 2
	run "$name" "$TAPE_TOP/tests/rigs/hosts.sh" 0 $skews -- pvm_machine \
		-l "$name.log" taperun -s clock=monotonic_raw -o "$name" \
		"$program" "$@"
	[ "$(cat "$name.rc")" -ne 69 ] && [ "$(cat "$name.rc")" -ne 77 ] || {
		skip "$name" "root $(tail -n 1 "$name.err")"
		return 1
	}
	sba -j -o "$name.s.tape" "$name.tape" >"$name.sba" 2>/dev/null
	sba -j --messages -o "$name.g.tape" "$name.tape" >"$name.m.sba" 2>/dev/null
	tico -j -o "$name.c.tape" "$name.g.tape" >"$name.tico" 2>/dev/null
	for t in "$name" "$name.g" "$name.c"; do
		tapedump --messages "$t.tape" 2>/dev/null >"$t.messages"
		tapedump -j -g "$t.tape" 2>/dev/null >"$t.events"
	done
	ok "$name: runs, and nothing goes wrong" equal "$(cat "$name.rc") $(cat \
		"$name.err" "$name.log" | grep -c 'tape: ')" "0 0"
}

# ---- the clocks ----

# errors NAME: by how much each offset is wrong, us; each clock is that of one of
# the hosts 2 and on, and they are to be all of them
errors()
{
	jq -r --arg skews "$skews" '
		[$skews | split(" ")[] | tonumber * 1e6] as $true |
		[.clocks[1:][] | { clock: ., of: ([.hosts[].host |
			ltrimstr("host") | tonumber - 2]) }] |
		if ([.[].of] | sort) != [range($true | length) | [.]] then
			"a clock is missing"
		else .[] | [.clock.offset_us - $true[.of[0]],
			-.clock.guaranteed_hi_us, -.clock.guaranteed_lo_us] |
			@tsv
		end' "$1.sba"
}
# hosts_of NAME: "0=host1" and so on, as the tasks recorded it
hosts_of()
{
	sed -n 's/^host /=/p' $(ls -v "$1.tape"/rank.*) | nl -v 0 -w 1 -s ''
}
# as_guaranteed NAME: the true offset is in the interval
as_guaranteed()
{
	errors "$1" | awk '{ print } $1 >= $2 && $1 <= $3 { n++ }
		END { exit n != 2 }'
}
# found_in_it NAME: what was found as well, and it says something
found_in_it()
{
	jq -r '.clocks[1:][] | [.guaranteed_lo_us, .guaranteed_hi_us] | @tsv' \
		"$1.sba" | awk '{ print }
		$1 != "" && $2 != "" && $1 <= 0 && $2 >= 0 { n++ }
		END { exit n != 2 }'
}

# ---- what was sent and received ----

# early NAME: messages received before they were sent
early() { awk -F, '/^matched/ && $12 < $5 { n++ } END { print n + 0 }' "$1.messages"; }

# The k-th call of a collective by each task is one of them. All leave a barrier
# after all have come, the first task a reduction: early_exits NAME [US] counts
# who left before that at the latest instant that is guaranteed, and by US more.
early_exits()
{
	jq -s --argjson slack "${2:-0}" '
		map(select(.call == "pvm_barrier" or .call == "pvm_reduce")) |
		group_by([.call, .rank]) |
		map(to_entries | map(.value + { k: .key })) | add |
		group_by([.call, .k]) | map(
			(map(.start_ns + (.start_lo_ns // -1e18)) | max) as $last |
			map(select((.call == "pvm_barrier" or .rank == 0) and
				.end_ns + (.end_hi_ns // 1e18) + 1000 * $slack <
				$last)) | length) | add' "$1.events"
}

# ---- what tico says ----

tico_says() { jq -r --argjson n "${3:-0}" "$2" "$1.tico"; }
arrived()
{
	jq -s 'map(select((.call == "pvm_recv" or .call == "pvm_precv") and
		.arrived == 1)) | length' "$1.events"
}
# spans NAME: of each task, from its first event to the end of its last, ns
spans()
{
	jq -s -c 'group_by(.rank) | map((map(.end_ns) | max) -
		(map(.start_ns) | min))' "$1.events"
}

# checks NAME MESSAGES COLLECTIVES: so many, each by all tasks
checks()
{
	ok "$1: each rank is named with its host, once" equal \
		"$(jq -c '[.clocks[].hosts[] | .host as $h | .ranks[] |
			[., $h]] | sort' "$1.sba")" \
		"$(jq -R -n -c '[inputs / "=" | [(.[0] | tonumber), .[1]]]' \
			<<<"$(hosts_of "$1")")"
	ok "$1: the true offsets are in the guaranteed intervals" \
		as_guaranteed "$1"
	ok "$1: so are those that are found" found_in_it "$1"
	ok "$1: all messages are matched" equal "$(cut -d, -f1 \
		"$1.g.messages" | sort | uniq -c | tr -s ' \n' ' ')" \
		" $2 matched 1 state "
	ok "$1: as many bytes are sent as are received" equal "$(awk -F, '
		/^matched/ && ($13 != $14 || !$13)' "$1.g.messages")" ""
	ok "$1: all collectives are complete" equal \
		"$(tico_says "$1" '"\(.by_table + .by_shape) \(.open_collectives)"')" \
		"$3 0"
	ok "$1: by the clocks as they are messages come before they are sent" \
		[ "$(early "$1")" -gt 0 ]
	ok "$1: where sba follows them none does" equal \
		"$(early "$1.g") $(jq .violations_after "$1.m.sba")" "0 0"
	ok "$1: by the clocks as they are some leave a collective early" \
		[ "$(early_exits "$1")" -gt 0 ]
	ok "$1: nobody leaves a collective before all have come" \
		equal "$(early_exits "$1.g")" 0
	# what it corrects keeps the error of the clocks, and not its bounds
	ok "$1: nor after tico" equal "$(early "$1.c") $(early_exits "$1.c" \
		"$(jq .epsilon_us "$1.m.sba")")" "0 0"
	# one in a hundred comes while the task asks: sent behind the start
	ok "$1: tico counts the messages, those that were there, the leaves" \
		[ "$(tico_says "$1" "(\$n == .nbcom) and (.nbcom == (.leaves | add))
			and (.nbcomf == (.leaves[:4] | add)) and
			(.nbsim == (.leaves[2:4] | add)) and
			($(arrived "$1.g") - .nbcomf | . >= 0 and
			 . <= 1 + \$n / 100)" "$2")" = true ]
	ok "$1: the table of tasks, measured" equal \
		"$(tico_says "$1" '[.ranks[].measured_ns] | tostring')" \
		"$(spans "$1.g")"
	ok "$1: the table of tasks, corrected" equal \
		"$(tico_says "$1" '[.ranks[].corrected_ns] | tostring')" \
		"$(spans "$1.c")"
}

# Each step both ways between neighbours and the largest change to all but one,
# then the parts of the plate; a reduction each step, a barrier at both ends.
if on_hosts jacobi "$examples/jacobi" 6 -n 128 -i 60; then
	checks jacobi $((60 * 3 * 5 + 5)) $((6 * (60 + 2)))
fi
# each to each, twice, between two barriers; then what came out is gathered
if on_hosts fft2d "$examples/fft2d" 4 -n 128; then
	checks fft2d $((2 * 4 * 3)) $((4 * 4))
fi
# Three tasks of each host, one after the other: each is sampled, when it begins
# and when it leaves, for the one before it was gone.
samplings()
{
	awk '$4 - at[$2, $3] > 5e8 { n[$2, $3]++ } { at[$2, $3] = $4 }
		END { for (i in n) print n[i] }' "$1.tape/clocks" | tr '\n' ' '
}
if on_hosts later "$work/later" 3; then
	ok "later: the clock of a host is sampled by task after task" \
		equal "$(samplings later)" "3 3 3 3 "
	ok "later: the true offsets are in the guaranteed intervals" \
		as_guaranteed later
	ok "later: so are those that are found" found_in_it later
fi
finish
