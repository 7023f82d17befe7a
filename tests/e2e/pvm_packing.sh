#!/bin/bash
# Packing of PVM's messages: each call an event, or summed by message (packing =
# message) as the program says, whatever is counted, measured or left out beside;
# and the cost of an event, calibrated or measured.
# Truth: the program's own count.
. "$(dirname "$0")/pvm.bash"
need jq
[ -e "$TAPE_BUILD/lib/libtape-pvm.so" ] || needs_pvm libtape-pvm.so
compile packing pvm_packing.c

# in_pvm NAME COMMAND...: in a directory NAME; out, err, rc
in_pvm()
{
	mkdir -p "$1"
	(cd "$1" && pvm_machine "${@:2}" >out 2>err; echo $? >rc)
}
# traced NAME SETTING... [-- ARGUMENT]
traced()
{
	local name=$1 s=() a=

	for a in "${@:2}"; do
		[ "$a" != -- ] || break
		s+=(-s "$a")
	done
	[ "$a" = -- ] && a=${*: -1} || a=
	in_pvm "$name" taperun "${s[@]}" -o x ../packing $a
}
# packing NAME: the events of class pack as the program writes them
packing() { packing_of "$1/x.tape"; }
packing_of()
{
	tapedump -j "$1" 2>/dev/null | jq -r '
		select(.call | test("^pvm_(pk|upk|pack|unpack)")) |
		"\(.call) \(.polls // 1) \(.bytes)"'
}
# as_it_says NAME: what is summed is what the program says
as_it_says()
{
	packing "$1" >"$1/packing"
	same "$1/truth" "$1/packing" && [ "$(wc -l <"$1/truth")" -gt 15 ]
}
# each NAME: nothing is summed, and it all comes to the same
each()
{
	packing "$1" | awk '{ n++; sums += $2 > 1; b += $3 }
		END { print n, sums + 0, b }' >"$1/counts"
	awk '{ n += $2; b += $3 } END { print n, 0, b }' "$1/truth" >"$1/want"
	same "$1/want" "$1/counts"
}
# inside NAME: the calls of a sum take time, no more than from first to last
inside()
{
	tapedump -c "$1/x.tape" 2>/dev/null | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["call"] ~ /^pvm_u?pk/ && $at["polls"] > 1 {
			span = $at["end_ns"] - $at["start_ns"]
			n++
			# of ticks: rounded
			bad += $at["inside_ns"] > span + 1
			less += $at["inside_ns"] < span
			# what reading the clock takes is more, now and then
			none += !$at["inside_ns"]
		}
		END { print bad + 0, (10 * none > n), (n > 10 && 2 * less > n) }
	' >"$1/inside"
	equal "$(cat "$1/inside")" "0 0 1"
}

in_pvm plain ../packing
traced call
traced message packing=message
ok "the program's output and status" sh -c 'for d in call message; do
	cmp plain/out $d/out && cmp plain/rc $d/rc || exit; done
	[ "$(wc -l <plain/out)" = 3 ]'
ok "packing = call: every call is an event" each call
ok "packing = message: sums as the program says" as_it_says message
ok "and the time inside them without that between" inside message
ok "by less than half of the bytes" test \
	"$((2 * $(stat -c %s message/x.tape/flow.0.0)))" -lt \
	"$(stat -c %s call/x.tape/flow.0.0)"
ok "as text and back it is the same" sh -c '
	tapedump message/x.tape >1.txt 2>/dev/null &&
	tapedump --assemble -o 2.tape 1.txt && tapedump 2.tape 2>/dev/null | cmp 1.txt -'
ok "the summary has the calls" equal "$(tapedump -i message/x.tape 2>/dev/null |
	awk '$1 ~ /^pvm_(u?pk|packf|unpackf)/ && NF == 4 { e += $2; n += $3 }
	END { print e, n }')" "$(awk '{ n += $2 } END { print NR, n }' \
	message/truth)"

# alpha: constants of the classes, and beside them what happens once
constants() # NAME [KEY]
{
	awk -v key="${2:-alpha}" '$1 == key && $2 !~ /^(enter|leave)$/ && $3 > 0 && $4 > 0 {
		print $2 }' "$1/x.tape/rank.0" | sort | paste -sd' '
}
# noted NAME: events of packing that have an alpha of their own, of all
noted()
{
	tapedump "$1/x.tape" 2>/dev/null |
		awk '$3 ~ /^pvm_u?pk/ { n++; own += / alpha=/ }
		END { print (own * 20 < n), (own == n) }'
}
ok "what an event costs is constant, by class" equal "$(constants call)" \
	"coll iprobe local mcast nrecv pack poll recv send"
# in the order of the calibration, as far as its time went: on a busy machine
# it may have had none
again()
{
	local name

	for name in $(constants call alpha_end); do
		[[ " iprobe local pack poll recv send " = *" $name "* ]] ||
			{ echo "# $name"; return 1; }
	done
}
ok "calibrated again at the end is what there was" again
ok "so few events have a cost of their own" equal "$(noted call)" "1 0"
# whatever else is asked for
traced measured packing=message alpha=measured
traced counted packing=message counters=cpu,minor_faults
traced few packing=message groups=packing,p2p,probe
ok "with measured alpha" as_it_says measured
ok "which each event then has of its own" equal "$(noted measured)" "0 1"
ok "meta says which" equal "$(sed -n 's/^alpha //p' call/x.tape/meta \
	measured/x.tape/meta | paste -sd' ')" "in-situ measured"
ok "with counters" as_it_says counted
ok "a call that is not recorded ends a sum, too" as_it_says few
ok "but only packing and messages are there" equal "$(tapedump -j few/x.tape \
	2>/dev/null | jq -r .call | grep -c 'pvm_initsend\|pvm_getsbuf')" 0
traced none packing=message groups=-packing
ok "without packing none is there" equal "$(packing none | wc -l)" 0
traced rate packing=message max_rate=1
# counted: calls at packing's sites that are no events; their numbers are 900 on
counted()
{
	local sites

	sites=$(awk '$1 == "address" && $3 >= 900 && $3 < 950 { print $2 }' \
		"$1/x.tape/rank.0" | paste -sd,)
	tapedump -j "$1/x.tape" 2>/dev/null | jq -r "
		select(.call == \"counted\" and .calls > 0 and
			(.site as \$s | [$sites] | index(\$s))) | .calls" |
		awk '{ n += $1 } END { print n + 0 }'
}
ok "what is only counted" test "$(counted rate)" -gt 0
ok "is not summed: together they are all calls" equal "$(packing rate |
	awk -v n="$(counted rate)" '{ n += $2 } END { print n }')" "$(awk \
	'{ n += $2 } END { print n }' rate/truth)"

# a process that dies
traced killed packing=message -- kill
ok "kill -9: the sum under way is there" as_it_says killed
ok "and that the process was killed is said" sh -c \
	'tapedump killed/x.tape 2>&1 >/dev/null | grep -q "was killed"'
traced polled packing=message -- poll
ok "kill -9 among probes: these are there, and the sum before" as_it_says polled
ok "and nothing of the sum in them" equal "4 null" "$(tapedump -j \
	polled/x.tape 2>/dev/null | jq -r '"\(.polls) \(.also_polls)"' |
	tail -n 1)"

# the tools
for d in call message measured; do
	(cd $d && sba -o g.tape x.tape && tico -j -o c.tape g.tape) >$d/tico 2>&1
done
ok "sba and tico keep the sums" sh -c 'for f in g c; do
	cmp message/$f message/truth || exit; done' "$(for f in g c; do
	packing_of message/$f.tape >message/$f; done)"
finish
