#!/bin/bash
# PVM: tasks of an untouched program trace themselves into one trace. Each says
# itself which messages it sent and took; the program's output, its status and
# its tasks' ends are those without Tape.
# Truth: the program without Tape; its own log of messages.
. "$(dirname "$0")/tap.bash"
need jq
machine=$TAPE_TOP/tests/rigs/pvm/pvm_machine
if ! command -v pvmd >/dev/null || [ ! -e "$TAPE_BUILD/lib/libtape-pvm.so" ]; then
	skip "pvm" "PVM is not installed"
	finish
	exit
fi
unset DEBUGINFOD_URLS
gcc -g -o prog "$here/pvm.c" -lgpvm3 -lpvm3 || exit 1

# in_pvm NAME COMMAND...: in a directory NAME, with NAME/out and NAME/status
in_pvm()
{
	local name=$1

	shift
	mkdir -p "$name"
	(cd "$name" && "$machine" "$@" >out 2>err; echo $? >status)
	[ "$(cat "$name/status")" -lt 64 ] || { cat "$name/err"; return 1; }
}

# messages DIRECTORY RANK: as its program writes them
messages()
{
	tapedump -j "$1/x.tape" 2>/dev/null | jq -r --argjson rank "$2" '
		select(.rank == $rank and .flag != 0 and .comm != 0) |
		if (.call | test("^pvm_(pk|upk|pack|unpack)"))
		then "\(.call) \(.bytes)"
		elif (.call | test("cast$")) then "\(.call) 0 \(.tag) \(.bytes)"
		elif (.call | test("recv$"))
		then "\(.call) \(.actual_peer) \(.actual_tag) \(.bytes)"
		elif (.call | test("send$") and . != "pvm_initsend")
		then "\(.call) \(.peer) \(.tag) \(.bytes)"
		else empty end'
}

# the ranks are the tasks, each of which says the same as its rank
as_the_tasks_say()
{
	local n r tid

	n=$(ls "$1"/truth.* | wc -l)
	[ "$n" -gt 1 ] && [ "$n" = "$(ls "$1"/x.tape/rank.* | wc -l)" ] ||
		return
	for ((r = 0; r < n; r++)); do
		tid=$(awk '$1 == "tid" { print $2 }' "$1/x.tape/rank.$r")
		messages "$1" "$r" | diff "$1/truth.$tid" - || return
		[ "$(wc -l <"$1/truth.$tid")" -gt 10 ] || return
	done
}

# as many messages as receives, and nothing left over
all_matched()
{
	local n

	n=$(cat "$1"/truth.* | grep -cE '^pvm_[pnt]?recv ')
	tapedump --messages "$1/x.tape" >"$1/matched" 2>/dev/null
	[ "$n" -gt 0 ] && [ "$(grep -c ^matched "$1/matched")" = "$n" ] &&
		[ "$(wc -l <"$1/matched")" = $((n + 1)) ]
}

ends() { tapedump "$1" 2>/dev/null | awk '$1 == "end" { print $2 }' | sort; }

in_pvm plain ../prog 3 && in_pvm traced taperun -o x ../prog 3
ok "output as without Tape" cmp plain/out traced/out
ok "status as without Tape" cmp plain/status traced/status
ok "nothing on standard error" cmp /dev/null traced/err
ok "each task's messages and packing are as it says" as_the_tasks_say traced
ok "all messages are matched" all_matched traced
ok "tasks leave by pvm_exit, end without, or are killed" test \
	"$(ends traced/x.tape | tr '\n' ' ')" = "exit finalize finalize none "
ok "the first task is the parent of the others" test \
	"$(sed -n 's/^tid //p' traced/x.tape/rank.0)" = \
	"$(sed -n 's/^parent //p' traced/x.tape/rank.[1-3] | sort -u)"
ok "who calls for one root is in one communicator" test \
	"$(awk '$1 == "comm" && $6 ~ /^group/ { print $3, $4, $5 }' \
	traced/x.tape/rank.* | sort | awk '{ m[$1] = m[$1] $2 ":" $3 "," }
	END { for (i in m) print m[i] }' | sort -u)" = "0:0,0:1,0:2,0:3,"
ok "its collectives are of it" test "0 20" = "$(tapedump -j traced/x.tape \
	2>/dev/null | jq -r 'select(.call | test(
		"^pvm_(barrier|reduce|gather|scatter)$")) | .comm' |
	awk '{ n++; none += !$1 } END { print none + 0, n }')"
ok "what a mark costs is measured in each task" test 4 = "$(cat \
	traced/x.tape/rank.* | awk '/^alpha (enter|leave) / {
		n += $3 > 0 && $4 > 0 } END { print n / 2 }')"
ok "sba and tico take it" sh -c \
	'(sba -o g.tape traced/x.tape && tico -o c.tape g.tape) >log 2>&1'
ok "no more messages or events for it" test \
	"$(tapedump -j traced/x.tape 2>/dev/null | wc -l)" = \
	"$(tapedump -j c.tape 2>/dev/null | wc -l)"
ok "t2np makes a record of each send" test "$(cat traced/truth.* |
	awk '/^pvm_p?send/ { n++ } /^pvm_[mb]cast/ { n += 3 } END { print n }')" \
	= "$(t2np -o - c.tape | awk '$1 == -3 && $2 == -21' | wc -l)"
# the group's calls by tapestat; all of them have the same tasks
collectives()
{
	tapestat -t names -c c.tape | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ n[$column["call"]] = $column["calls"] }
		END { print n["pvm_barrier"], n["pvm_reduce"], n["pvm_gather"],
			n["pvm_scatter"] }'
}
ok "and of each collective" test "$(collectives)" = \
	"$(t2np -o - c.tape | awk '$1 == -3 { n[$2]++ }
		END { print n[-402], n[-790], n[-786], n[-793] }')"
ok "which all is as it has to be" sh -c \
	"t2np -o - c.tape | $TAPE_TOP/tests/rigs/picl_check.py -"

# dates TRACE RANK: "CALL START END BEFORE AFTER" of each call, its probe's parts
dates()
{
	tapedump -j "$1" 2>/dev/null | jq -r "select(.rank == $2) | \"\(.call
		) \(.start_ns) \(.end_ns) \(.alpha_before_ns // 0
		) \(.alpha_after_ns // 0)\""
}
# how late, ns, by what the correction took away: both of the same trace, global
# and corrected
both() { paste -d' ' <(dates "$1" "$3") <(dates "$2" "$3"); }
began() { both "$@" | awk 'NR == 1 { printf "%.0f\n", $2 - $7 - $4 }'; }
ended() { both "$@" | awk '{ n = $3 - $8 + $5 } END { printf "%.0f\n", n }'; }
spawning()
{
	both "$@" | awk '$1 == "pvm_spawn" { printf "%.0f\n", $2 - $7 }'
}
# to two nanoseconds: dates are whole ones
as_late() { [ "$1" -gt 0 ] && [ $((($1 - $2) / 3)) = 0 ]; }
ok "a spawned task begins as late as it was spawned" as_late \
	"$(spawning g.tape c.tape 0)" "$(began g.tape c.tape 1)"

in_pvm wrong ../prog wrong && in_pvm wrong.traced taperun ../prog wrong
ok "what fails does so as without Tape" sh -c 'cmp wrong/out wrong.traced/out &&
	[ $(wc -l <wrong/out) -ge 19 ]'
ok "with the same complaints" sh -c \
	'sed -i "s/t[0-9a-f]*\]/task]/" wrong/err wrong.traced/err &&
	cmp wrong/err wrong.traced/err && [ -s wrong/err ]'

# tasks that begin otherwise than by asking who they are
gcc -g -o first "$here/pvm_first.c" -lpvm3 || exit 1
in_pvm first.plain ../first && in_pvm first.traced taperun -o x ../first
ok "a spawn comes first, and a receive" sh -c \
	'cmp first.plain/out first.traced/out && grep -q 7 first.traced/out'
ok "both are in the trace" test "pvm_spawn pvm_recv " = "$(for r in 0 1; do
	tapedump -j first.traced/x.tape 2>/dev/null |
		jq -r "select(.rank == $r) | .call" | head -n 1
	done | tr '\n' ' ')"
ok "so are the messages" test 2 = "$(tapedump --messages first.traced/x.tape \
	2>/dev/null | grep -c ^matched)"

# a process that comes back after pvm_exit is another task
gcc -g -o again "$here/pvm_again.c" -lgpvm3 -lpvm3 && "$TAPE_BUILD/bin/tapecc" \
	-o again.source "$here/pvm_again.c" -lgpvm3 -lpvm3 || exit 1
in_pvm again.plain ../again && in_pvm again.traced taperun -o x ../again
TAPE_TRACE=x in_pvm again.source.traced ../again.source
for how in traced source.traced; do
	ok "again, $how: output as without Tape" sh -c \
		"cmp again.plain/out again.$how/out && [ -s again.plain/out ] &&
		[ ! -s again.$how/err ]"
	ok "again, $how: each time it is a rank, with its own tid" test "3 3" = \
		"$(sed -n 's/^tid //p' again.$how/x.tape/rank.* |
		awk '{ n += !s[$1]++ } END { print NR, n }')"
	ok "again, $how: they leave but for the last" test \
		"$(ends again.$how/x.tape | tr '\n' ' ')" = "exit finalize finalize "
	ok "again, $how: their messages are their own" test "0 0 1 1 2 2 " = \
		"$(tapedump --messages again.$how/x.tape 2>/dev/null |
		awk -F, '$1 == "matched" { print $2, $6 }' | tr '\n' ' ')"
	ok "again, $how: barriers are of what the task defined" test \
		"1 barrier-1-again 2 barrier-1-again " = "$(for r in 1 2; do
		tapedump -j again.$how/x.tape 2>/dev/null | jq -r "select(
		.rank == $r and .call == \"pvm_barrier\") | .comm" |
		while read -r comm; do echo $r $(awk -v c="$comm" \
			'$1 == "comm" && $2 == c { print $6 }' \
			again.$how/x.tape/rank.$r); done; done | tr '\n' ' ')"
	ok "again, $how: the same calls at the same sites" test "18 6" = \
		"$(sba -o again.$how/g.tape again.$how/x.tape >/dev/null 2>&1
		tapedump -j again.$how/g.tape 2>/dev/null | jq -r \
		'select(.function == "turn") | "\(.call) \(.line)"' |
		sort | uniq -c | awk '$1 == 3 { n += 3; k++ } END { print n, k }')"
done

ok "again: each time it says which rank it was" equal "0 1 " \
	"$(sed -n 's/^former //p' again.traced/x.tape/rank.[0-2] | tr '\n' ' ')"
tico -o groups.a.tape again.traced/g.tape >log 2>&1
for r in 1 2; do
	ok "again, rank $r: it begins as late as it ended before" as_late \
		"$(ended again.traced/g.tape groups.a.tape $((r - 1)))" \
		"$(began again.traced/g.tape groups.a.tape $r)"
done

# groups that change, and of which not all meet
gcc -g -o groups "$here/pvm_groups.c" -lgpvm3 -lpvm3 || exit 1
in_pvm groups.plain ../groups && in_pvm groups.traced taperun -o x ../groups
ok "groups that change: output and status as without Tape" sh -c \
	'cmp groups.plain/out groups.traced/out &&
	cmp groups.plain/status groups.traced/status &&
	[ $(grep -c "^sum" groups.plain/out) = 3 ]'
sba -o groups.g.tape groups.traced/x.tape >log 2>&1
tico -j -o groups.c.tape groups.g.tape >groups.tico 2>>log
ok "barriers of some of them, reductions of all there are: each is complete" \
	test "35 0 0" = "$(jq -r '"\(.by_table + .by_shape) \(
		.open_collectives) \(.let_go)"' groups.tico)"
ok "a communicator is defined once" equal "" "$(for f in \
	groups.traced/x.tape/rank.*; do awk '$1 == "comm" { print $3 }' $f |
	sort | uniq -d; done)"

# barriers of one group by ever different members of it, as the tasks say
gcc -g -o meet "$here/pvm_subsets.c" -lgpvm3 -lpvm3 || exit 1
seed=$((RANDOM)) rounds=200
echo "# seed $seed"
in_pvm subsets taperun -o x ../meet $seed $rounds
sba -o groups.s.tape subsets/x.tape >log 2>&1
tico -j -o groups.t.tape groups.s.tape >subsets.tico 2>>log
# "ROUND START END" of each barrier of a round, by the order of a task's own
meetings()
{
	local f rank

	for f in subsets/x.tape/rank.*; do
		rank=${f##*.}
		tapedump -j "$1" 2>/dev/null | jq -r "select(.rank == $rank and
			.call == \"pvm_barrier\") | \"\(.start_ns) \(.end_ns)\"" |
			sed '1d;$d' | paste -d' ' \
			subsets/truth."$(sed -n 's/^tid //p' "$f")" -
	done
}
# all have come before one leaves: rounds of which that is true
kept()
{
	meetings "$1" | awk '
		!n[$1]++ || $2 > last[$1] { last[$1] = $2 }
		n[$1] == 1 || $3 < first[$1] { first[$1] = $3 }
		END { for (r in n) good += n[r] > 1 && last[r] <= first[r]
			print good }'
}
ok "barriers of subsets that change: nobody leaves before all have come" \
	equal "$(kept subsets/x.tape) $(kept groups.t.tape)" "$rounds $rounds"
ok "barriers of subsets that change: each is complete, none let go" equal \
	"$(jq -r '"\(.by_shape) \(.open_collectives) \(.let_go)"' \
	subsets.tico)" "$(($(cat subsets/truth.* | wc -l) + 10)) 0 0"

# relinked, without taperun: with the shared library, and with PVM in archives
lib=$TAPE_BUILD/lib
gcc -g -o prog.linked "$here/pvm.c" -L"$lib" -Wl,-rpath,"$lib" -ltape-pvm -lgpvm3 \
	-lpvm3 && gcc -g -o prog.static "$here/pvm.c" -L"$lib" \
	@"$lib/libtape-pvm.link"
for how in linked static; do
	TAPE_TRACE=x in_pvm $how ../prog.$how 3
	ok "$how: output and status as without Tape" sh -c \
		"cmp plain/out $how/out && cmp plain/status $how/status"
	ok "$how: each task is as it says" as_the_tasks_say $how
	ok "$how: all messages are matched" all_matched $how
done
ok "the latter has no PVM library to be preloaded for" sh -c \
	'ldd prog.static >libraries && ! grep pvm libraries'

# three hosts, each with a clock of its own: the server knows how they differ
in_hosts()
{
	mkdir -p hosts
	(cd hosts && "$TAPE_TOP/tests/rigs/hosts.sh" 0 100 -5 -- "$machine" \
		taperun -s clock=monotonic_raw -o x ../prog 6 >out 2>err \
		</dev/null)
	echo $? >hosts/status
}
# offsets SECONDS...: of the clocks, in any order, to a millisecond
offsets()
{
	sba -j -o hosts/g.tape hosts/x.tape 2>/dev/null |
		jq -r '.clocks[] | .offset_us // empty | . / 1e6 |
			. * 1000 | round / 1000' | sort -n | tr '\n' ' '
}
in_hosts
case $(cat hosts/status) in
77 | 69)
	skip "three hosts" "$(tail -n 1 hosts/err)"
	;;
*)
	ok "three hosts: nothing goes wrong" sh -c \
		'[ "$(cat hosts/status)" = 3 ] && cmp /dev/null hosts/err'
	ok "each task is as it says" as_the_tasks_say hosts
	ok "all messages are matched" all_matched hosts
	ok "two clocks are sampled, before and after" test "$(awk \
		'{ print $2, $3 }' hosts/x.tape/clocks | sort -u |
		cut -d" " -f1 | sort | uniq -c | tr -s ' \n' ' ')" = \
		" 2 after 2 before "
	ok "their offsets are found" test "$(offsets)" = "-5 100 "
	ok "no message comes a millisecond before it was sent" test "0 46" = \
		"$(tapedump --messages hosts/g.tape 2>/dev/null | awk -F, '
		/^matched/ { n++; early += $12 < $5 - 1000000 }
		END { print early + 0, (n > 45 ? 46 : n) }')"
esac

# what is not there, or not allowed
in_pvm nowhere taperun -o /nonexistent/x ../prog 1
ok "without a directory the program runs all the same" grep -q \
	"^typed 33 6 seven" nowhere/out
ok "and says so, once a task" test "$(grep -c "is not traced" \
	nowhere/err)" = 1
in_pvm none taperun -s groups=none -o x ../prog 1
ok "groups=none: only start and end" test "$(tapedump -j none/x.tape \
	2>/dev/null | jq -r .call | grep -v '^processor$' | sort | uniq -c |
	tr -s ' \n' ' ')" = " 2 pvm_exit 3 pvm_mytid "
# a mark takes time: an event that starts at its tick began before, and was moved
ok "marks of the processor move no call" test -z "$(tapedump none/x.tape \
	2>/dev/null | awk '/^flow/ { mark = "" } $2 ~ /^\+/ {
		if ($1 == mark)
			print
		mark = $3 == "processor" ? $1 : "" }')"
alone()
{
	env -i PATH="$PATH" HOME="$HOME" PVM_TMP="$work" PVM_VMID=none \
		PVM_ALLOW_ROOT=1 "$@" 2>&1 | sed 's/\[pid[0-9]*\]//'
	echo "${PIPESTATUS[0]}"
}
for p in "prog 1" first; do
	ok "${p% *} without a daemon: as without Tape" equal \
		"$(alone taperun ./$p)" "$(alone ./$p)"
done
ok "and no trace" sh -c '! ls *.tape/meta 2>/dev/null | grep -v "^[gc]"'
ok "nothing that the library calls itself is recorded" sh -c \
	'! grep "^address.*libg\?pvm3" traced/x.tape/rank.* \
	first.traced/x.tape/rank.* again.traced/x.tape/rank.* \
	none/x.tape/rank.*'
finish
