#!/bin/bash
# Waiting for a processor: what the trace says of it against what the program
# reads of the kernel itself, two ranks on one processor and on two.
# Truth: the kernel's figures, read by the program.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
mpicc -O1 -g -w -o prog "$here/contention.c" ||
	{ echo "Bail out! contention.c does not compile"; exit 1; }
. "$here/processors.bash"

# What the trace says: "RANK WAITED_US TAKEN" of the busiest thread of each rank
said()
{
	for rank in 0 1; do
		awk -v rank=$rank '$1 == "processor" && $2 == 0 {
			if (!n++) { w = $6; t = $8 }
			w1 = $6; t1 = $8
		} END { print rank, (w1 - w) / 1000, t1 - t, n }' \
			"$1.tape/rank.$rank"
	done
}
# near RUN: waited as the program says, within a tenth and 5 ms: the trace counts
# from MPI_Init on, and a little work of the ends
near()
{
	join <(sort "$1.out") <(said "$1") | awk '{
		d = $5 - $3; if (d < 0) d = -d
		if (d > 5000 + $3 / 10) { print; bad = 1 }
	} END { exit bad || NR != 2 }'
}
taken()
{
	join <(sort "$1.out") <(said "$1") | awk '{
		d = $6 - $4; if (d < 0) d = -d
		if (d > 10 + $4 / 5) { print; bad = 1 }
	} END { exit bad || NR != 2 }'
}
look() # NAME CPU CPU: of some runs, one whose ends did not have to wait, too
{
	for attempt in 1 2 3 4 5; do
		rm -rf "$1.tape"
		run $1 mpirun -np 2 $bind taperun -o $1 ./prog $2 $3
		near $1 >/dev/null && taken $1 >/dev/null && break
	done
	ok "$1: it runs" equal "$(cat $1.rc $1.err)" 0
	echo "# rank, us, waited, taken:" $(sort $1.out)
	ok "$1: waited as long as the program says" near $1
	ok "$1: as often taken from its processor" taken $1
	tico -o $1.c.tape $1.tape >$1.c 2>/dev/null
	tico -j -o $1.j.tape $1.tape >$1.json 2>/dev/null
}
share() { sort -n -k3 "$1.out" | tail -n 1 | awk '{ print $3 / $2 }'; }

look together "$one" "$one"
ok "together: they waited" awk "BEGIN { exit !($(share together) > 0.2) }"
ok "together: tico says so" holds \
	"^processors  *2 ranks shared 1 processor and waited .* of their time \(longest: rank [01], .*\)$" together.c
ok "together: nothing is certain of it" holds "^not certain  *how long ranks" together.c
ok "together: nor in JSON" equal "$(jq -c '[.certain, .contention.other_ranks]' \
	together.json)" "[null,1]"
ok "together: tico --certain refuses" sh -c '! tico --certain 0.9 -o n.tape together.tape' 2>/dev/null
tapestat --measured together.tape together.c.tape >together.txt 2>/dev/null
ok "together: the report of the corrected trace begins with that" holds \
	"^Warning: 2 ranks shared 1 processor and waited .*\)(\. What follows says little of the program)?$" \
	<(sed -n 2p together.txt)
ok "together: and says what waits are without it, or that they say little" holds \
	"says little of the program$|^Waiting for a processor was .* Causes and waits are without that$" \
	together.txt
ok "together: without the trace as measured, too" holds \
	"^Warning: 2 ranks shared 1 processor and waited " \
	<(tapestat together.c.tape 2>/dev/null | sed -n 2p)
ok "together: samples while it ran" [ "$(said together | awk '{ print $4 }' |
	sort -n | head -n 1)" -gt 4 ]
ok "together: a factor is known only if its bounds are near" jq -e '.efficiency |
	[[.parallel, .parallel_from, .parallel_to],
	 [.load_balance, .load_balance_from, .load_balance_to],
	 [.processors, .processors_from, .processors_to]] |
	all(if .[2] - .[1] > 0.1 then .[0] == null
	    else .[1] <= .[0] and .[0] <= .[2] end)' <(tapestat -j together.tape \
	2>/dev/null)
ok "together: no efficiency compared with itself" equal "$(tapestat -d -j \
	--measured together.tape --measured together.tape together.c.tape \
	together.c.tape 2>/dev/null | jq -c '.runs[0] | [.ranks, .parallel_share]')" \
	"[2,null]"
tapestat -d --fail-below 0.5 --measured together.tape --measured together.tape \
	together.c.tape together.c.tape >short.txt 2>short.err
ok "together: no efficiency can be wanted of it" equal "$? $(grep -c \
	'the efficiency is not known' short.err)" "1 1"
timeout 100 tapelive --keep --wait 100 followed.tape >followed.txt 2>/dev/null &
live=$!
run followed mpirun -np 2 $bind taperun -s stream=node -o followed ./prog $one $one
wait $live
ok "followed: the same is said as afterwards" equal \
	"$(grep '^Warning: .* shared 1 processor' followed.txt)" \
	"$(tapestat followed.tape 2>/dev/null | grep '^Warning: .* shared 1 processor')"
ok "followed: that they waited" holds "^Warning: .* shared 1 processor" followed.txt
if [ "$two" = "$one" ]; then
	skip "apart" "one processor"
	finish
fi
look apart "$one" "$two"
# whoever else uses the machine
if awk "BEGIN { exit !($(share apart) < 0.005) }"; then
	ok "apart: nothing is said" lacks "^processors|^not certain" apart.c
	ok "apart: nor in JSON" equal "$(jq -c '[.contention, .certain.too_long]' \
		apart.json)" "[null,0]"
elif awk "BEGIN { exit !($(share apart) > 0.02) }"; then
	ok "apart: others had the processors, and that is said" \
		holds "^processors .* waited" apart.c
else
	skip "apart: what is said" "waited 0.5 to 2% of the time"
fi
finish
