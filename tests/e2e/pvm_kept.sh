#!/bin/bash
# What PVM's calls leave alone (pvm_kept.c): options, the environment, results
# of what fails, the buffer that was received, matching functions.
# Truth: the program without Tape.
. "$(dirname "$0")/pvm.bash"
need jq
if [ ! -e "$TAPE_BUILD/lib/libtape-pvm.so" ]; then
	skip "pvm_kept" "pvm Tape was built without it"
	finish
fi
unset PVM_EXPORT
compile kept pvm_kept.c

# both NAME COMMAND...: before the machine is started, and the program's mode
both()
{
	local name=$1

	shift
	run "$name.plain" timeout 60 "$@" ./kept "$name"
	run "$name" timeout 60 "$@" taperun -s clock=monotonic_raw -o "$name" \
		./kept "$name"
	sed -i 's/\[t[0-9a-f]*\]/[task]/; s/\[pid[0-9]*\]/[pid]/' "$name.err" \
		"$name.plain.err"
}
# prints NAME LINE...
prints()
{
	equal "$(cat "$1.plain.out")" "$(printf '%s\n' "${@:2}")" &&
		alike "$1.plain" "$1" && lacks '^tape: ' "$1.err"
}

for mode in group exports precv match; do both $mode pvm_machine; done
ok "whether errors are said is as it was" prints group "said 1" "said 1" \
	"said 2"
ok "errors are said" [ -s group.err ]
ok "the environment is as it was, whether tasks are spawned or not" \
	prints exports "1 not set" "0 not set" "1 HOME" "0 HOME" "1 " \
	"run known"
ok "a receive that fails has no results" prints precv "-2: 11 12 13 14"
ok "a matching function is called as often" prints match "0 matched 1" \
	"1 matched 1" "2 matched 1" "21 matched 1"
for f in group exports precv match; do [ -s $f.tape/flow.0.0 ]; done
ok "they were traced" [ $? = 0 ]

# The tracer's time at an event is within that from the end of the event before
# to the start of the next one; of a run of failures it is that of its own.
both polls pvm_machine
ok "many receives that fail: as without Tape" prints polls nothing
too_much()
{
	tapedump -j polls.tape 2>/dev/null | jq -s 'map(select(.call and .call != "processor")) |
		[range(1; length - 1) as $i |
			.[$i].alpha_before_ns + .[$i].alpha_after_ns >
			.[$i + 1].start_ns - .[$i - 1].end_ns] |
		"\(map(select(.)) | length) of \(length)"'
}
# of 20,040 calls; marks of the processor, after each 20 ms, end a run
own_costs()
{
	[[ $(too_much) =~ ^\"0\ of\ ([0-9]+)\"$ ]] &&
		((BASH_REMATCH[1] >= 40 && BASH_REMATCH[1] < 2000)) ||
		{ too_much; false; }
}
ok "many receives that fail: each run has its own costs" own_costs

# The root is the task that has the number then. A reduction gives it as much as
# each one sends.
both numbers pvm_machine
ok "tasks change their numbers in a group: as without Tape" \
	prints numbers "numbers 0 1"
# of each task, of each reduction: whether there is a group, root, bytes
reductions()
{
	tapedump -j numbers.tape 2>/dev/null | jq -r -s '
		map(select(.call == "pvm_reduce")) | sort_by(.rank, .start_ns) |
		.[] | "\(.rank):\(.comm != 0) \(.root) \(.bytes) \(.rbytes)"' |
		sed "$(for r in 0 1; do echo "s/ $(sed -n 's/^tid //p' \
			numbers.tape/rank.$r) / $r /"; done)" | paste -sd,
}
ok "tasks change their numbers in a group: roots and bytes" \
	equal "$(reductions)" \
	"0:true 0 8 8,0:true 1 8 0,1:true 0 8 0,1:true 1 8 8"

both exports env -i PATH="$PATH" HOME="$HOME" PVM_TMP="$work" PVM_VMID=none \
	PVM_ALLOW_ROOT=1
ok "without a daemon the environment is as it was" prints exports \
	"-14 not set" "-14 not set" "-14 HOME" "-14 HOME" "-14 " "run none"

both hosts "$TAPE_TOP/tests/rigs/hosts.sh" 0 100 -5 -- pvm_machine
case $(cat hosts.rc) in
77 | 69) skip "three hosts" "root $(tail -n 1 hosts.err)" ;;
*)
	ok "a clock is sampled: what was received first and who matches stay" \
		prints hosts "hosts 3" "receive 42" "recvf 4241"
	ok "clocks were sampled" [ "$(cut -d' ' -f2,3 hosts.tape/clocks |
		sort -u | wc -l)" = 4 ]
	;;
esac
finish
