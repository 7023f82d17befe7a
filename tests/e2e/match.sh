#!/bin/bash
# Every way to send and receive: what the program says that it sent and got
# against the messages that the tools find in its trace.
# Truth: the program's own log of messages.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc

mpicc -O1 -g -w -o match "$here/match.c" -lpthread ||
	{ echo "Bail out! match.c does not compile"; exit 1; }
run plain timeout 120 mpirun -np 4 ./match
cat sent.? | sort >sent
cat got.? | sort >got
cat off.? | sort >off
rm sent.? got.? off.?
run traced timeout 120 mpirun -np 4 taperun -o run ./match
ok "it runs" equal "$(cat plain.rc traced.rc | tr '\n' ' ')" "0 0 "
ok "it says the same" same sent <(cat sent.? | sort)
ok "and received the same" same got <(cat got.? | sort)

tapedump --messages run.tape >messages 2>err
# by NAME...: these columns of the lines that awk's $condition selects
by()
{
	awk -F, -v names="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		'"$condition"' {
			n = split(names, name, " ")
			for (i = 1; i <= n; i++)
				printf "%s%s", $column[name[i]],
					i < n ? " " : "\n"
		}' messages | sort
}
state='$column["state"]'
received='$column["received"]'
condition="$state == \"matched\""
ok "$(wc -l <sent) messages sent: as the program says" \
	same sent <(by from to tag bytes)
ok "$(wc -l <got) received: as the program says" \
	same got <(by from to tag received)
# but for receives that were cut short
condition="$state == \"matched\" && $received != \$column[\"bytes\"] &&
	\$column[\"tag\"] != 42"
ok "each is the one that was sent" equal "$(by from to tag bytes received)" ""
condition="$state != \"matched\""
unmatched()
{
	by from to tag bytes | awk '{ n[$1 " " $2 " " $3] += $4 }
		END { for (k in n) print k, n[k] }' | sort >one_side
	same off one_side
}
ok "what one side did untraced has no partner, and is listed" unmatched
condition="$state == \"unreceived\""
ok "sends without a receive" equal "$(by from to tag bytes peer | uniq -c |
	tr -s ' \n' ' ')" " 3 1 2 70 700 2 "
condition="$state == \"unsent\""
ok "and a receive without a send" equal "$(by from to tag received peer)" \
	"2 3 71 710 2"
ok "a message is received after it was sent" equal "$(awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$1 == "matched" && $column["end_ns"] < $column["sent_ns"]' messages |
	wc -l)" 0

# Events are numbered as the text prints them: each send's line is a send.
events_named()
{
	tapedump run.tape 2>/dev/null | awk '
		$1 == "flow" { flow = $2 " " $3; n = 0 }
		/^\t[0-9]+ \+/ { print flow, ++n, $3 }' | sort >numbered
	condition="$state == \"matched\""
	by from from_thread sent_event \
		send_call >x
	condition="$state == \"matched\""
	by to to_thread posted_event \
		receive_call >>x
	sort -u x >named
	[ "$(wc -l <named)" -gt 1000 ] &&
		equal "$(comm -13 numbered named | head -n 3)" ""
}
ok "events are those of the text" events_named
if command -v jq >/dev/null; then
	json()
	{
		tapedump --messages -j run.tape 2>/dev/null | jq -r '
			select(.state == "matched") |
			"\(.from) \(.to) \(.tag) \(.bytes)"' | sort >x
		same sent x
	}
	ok "JSON lines hold the same" json
else
	skip "JSON lines hold the same" "jq is not installed"
fi

# ---- the tools' summaries ----

ok "sba" sba run.tape
run tico tico run.sba.tape
run t2np t2np run.sba.tape
row='^ +3 +2100 +1 +2 +70 +1 +MPI_Send one_side \(match.c:'
other='^ +1 +710 +3 +2 +71 +1 +MPI_Recv one_side \(match.c:'
sba -o again.tape run.tape >sba.out
ok "sba: the unmatched, with their call sites" eval \
	'holds "^unmatched +3 sends, 1 receives" sba.out &&
	holds "$row" sba.out && holds "$other" sba.out'
ok "tico: the same, going by dependencies" eval \
	'equal "$(cat tico.rc)" 0 && holds "^unmatched +3  sends, 1 receives" \
	tico.out && holds "$row" tico.out && holds "$other" tico.out'
ok "tico: one receive could not wait for its send" \
	holds '^partner missing +1 ' tico.out
definitions_kept()
{
	for r in 0 1 2 3; do
		grep -E '^(comm|inter|sources|group) ' run.tape/rank.$r >x
		grep -E '^(comm|inter|sources|group) ' run.tico.tape/rank.$r >y
		same x y && holds '^inter ' x || return
	done
}
ok "tico: keeps the definitions" definitions_kept
ok "tico: no request is unknown" lacks '^unknown requests' tico.out
ok "t2np: the same, on standard error" eval 'equal "$(cat t2np.rc)" 0 &&
	holds "not in the trace: the other side of 3 sends and 1 receives" t2np.err &&
	holds "$row" t2np.err && holds "$other" t2np.err'
if command -v jq >/dev/null; then
	query='[.unmatched_sends, .unmatched_receives, (.unmatched | length),
		.unmatched[0].count, .unmatched[0].bytes, .unmatched[0].tag,
		.unmatched[1].peer_world] == [3, 1, 2, 3, 2100, 70, 2]'
	ok "sba -j" eval 'sba -j -o j.tape run.tape | jq -e "$query"'
	ok "tico -j" eval 'tico -j -o k.tape run.sba.tape | jq -e "$query"'
else
	skip "summaries as JSON" "jq is not installed"
fi
ok "tapedump -m is no summary" eval \
	'tapedump --messages -i run.tape 2>x; equal "$?" 2 && holds "^usage:" x'
finish
