#!/bin/bash
# A window of a trace, cut from the trace or while it is followed: messages and
# collectives in it are pairs of the whole trace, those that are all in it are
# there, and every tool reads it.
# Truth: none; the whole trace, which other tests compare with a truth.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3
mpicc -O1 -g -o cut "$here/cut.c" || { echo "Bail out! cut.c"; exit 1; }
gcc -O1 -g -Wall -Wextra -Werror -shared -fPIC -o said.so "$here/cut_said.c" \
	-I"$TAPE_TOP/plugin" || { echo "Bail out! cut_said.c"; exit 1; }
said() { tapestat -t names --plugin said.so:"$2" "$1" >/dev/null 2>&1; }
# marks TRACE MARK: the last of them, or the first, in ns
last_on() { tapedump "$1" 2>/dev/null | sed -n 's/.* on ; //p' | sort -n | tail -n 1 | tr -d .; }
first_off() { tapedump "$1" 2>/dev/null | sed -n 's/.* off ; //p' | sort -n | head -n 1 | tr -d .; }

# pairs WHOLE CUT: what the plug-in said of both agrees
pairs()
{
	local from to

	said "$2" cut.txt
	from=$(last_on "$2") to=$(first_off "$2")
	python3 "$here/cut_check.py" whole.txt cut.txt "${from:-0}" \
		"${to:-9223372036854775807}"
}

# at TRACE PERCENT: seconds after the end of the first MPI_Init, or else after
# the first event, until so many of the messages of whole.txt were sent: that
# depends on how busy the machine is
at()
{
	local first

	first=$(tapedump -c "$1" 2>/dev/null | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["call"] == "MPI_Init" && (init == "" || $c["end_ns"] < init) {
			init = $c["end_ns"] }
		start == "" || $c["start_ns"] < start { start = $c["start_ns"] }
		END { printf "%.0f", init == "" ? start : init }')
	awk '/^message 0/ { print $8 }' whole.txt | sort -n |
		awk -v first="$first" -v q="$2" '{ at[NR] = $1 }
			END { printf "%.6f", (at[int(NR * q / 100) + 1] - first) / 1e9 }'
}

for seed in 1 2 3; do
	run all$seed timeout 100 mpirun -np 4 taperun -o all$seed ./cut 1500 $seed
	said all$seed.tape whole.txt
	for part in 10,40 30, 0,50 20,90; do
		from=$(at all$seed.tape ${part%,*}) to=${part#*,}
		[ "$from" != "$(at all$seed.tape 0)" ] || from=0
		window=$from,${to:+$(at all$seed.tape "$to")}
		rm -rf w.tape
		ok "seed $seed, $part: it is cut" \
			tapecut -o w.tape -w $window all$seed.tape
		ok "seed $seed, $part: pairs are those of the whole" \
			pairs all$seed.tape w.tape
		# each process cuts the flows of its ranks
		for n in 1 2 3 4; do
			rm -rf p$n.tape
			run p$n timeout 60 tapelive --keep -t names --processes $n \
				--window $window -o p$n.tape all$seed.tape
		done
		for n in 2 3 4; do
			ok "seed $seed, $part: $n processes cut the same" eval \
				'diff -r p1.tape p$n.tape && [ -s p$n.tape/meta ]'
			ok "and say the same" eval 'cmp p1.out p$n.out &&
				cmp p1.err p$n.err'
		done
	done
done
for n in 1 2 3; do
	run none$n timeout 60 tapelive --keep -t names --processes $n --window 9000, \
		-o none.tape all1.tape
done
ok "an empty window: one line, however many processes" equal \
	"$(cat none2.rc none3.rc none2.err none3.err)" \
	"$(cat none1.rc none1.rc none1.err none1.err)"
ok "and nothing is left of it" equal "$(ls -d none* .*none* 2>/dev/null |
	grep -v '^none[123]')" ""
run stat tapestat w.tape
ok "tapestat says of what it is" holds "^Not recorded: window = .* to .* s" stat.out
ok "and calls nothing incomplete" lacks INCOMPLETE stat.out
rm -rf two.tape
ok "a window of a window" tapecut -o two.tape -w "$(at w.tape 40),$(at w.tape 60)" w.tape
ok "its pairs are those of the whole, too" pairs all3.tape two.tape

# a corrected trace has windows as well
run correct tico all1.tape
said all1.tico.tape whole.txt
ok "of a corrected trace" tapecut -o c.tape \
	-w "$(at all1.tico.tape 20),$(at all1.tico.tape 60)" all1.tico.tape
ok "its pairs are those of the corrected one" pairs all1.tico.tape c.tape

# ---- while it is followed ----

# window NAME SEED OPTION...: NAME.tape, traced and followed. On a busy machine
# nothing may happen in that window: then once more.
window()
{
	local name=$1 seed=$2 pid attempt

	shift 2
	for attempt in 1 2 3 4 5; do
		rm -rf "$name.tape" "$@"
		timeout 100 tapelive "${options[@]}" --wait 100 -t names \
			--window 0.1,0.3 "$name.tape" >$name.out 2>$name.err &
		pid=$!
		run $name.run timeout 100 mpirun -np 4 taperun -s stream=node \
			-o $name ./cut 1500 $seed
		wait $pid
		status=$?
		grep -q 'window contains no events' $name.err || break
	done
}
options=(--keep -o live.tape)
window l 4 live.tape
ok "tapelive keeps a window" equal "$status $(cat l.err)" "0 "
tapecut -o l.cut.tape -w 0.1,0.3 l.tape
ok "it is the one that tapecut finds afterwards" same \
	<(tapedump live.tape | grep -v '^.history') \
	<(tapedump l.cut.tape | grep -v '^.history')
options=()
window consumed 5 consumed.window.tape
said consumed.window.tape cut.txt
ok "where the trace is consumed it is kept, too" [ "$(grep -c '^message 0' cut.txt)" -gt 50 ]
ok "and no two halves in it are of different messages" equal "$(awk '$1 == "message" &&
	$2 == 0 && $9 && $6 != $7' cut.txt)" ""
run both timeout 100 tapelive --keep -t names --window 0,0.2 -o both.tape \
	all1.tape all2.tape
ok "of two programs there are two" eval \
	'ls -d both-*.tape; cat both.err; [ -d both-1.tape -a -d both-2.tape ]'
if command -v t2otf2 >/dev/null && command -v otf2-print >/dev/null; then
	run otf2 t2otf2 -o w.otf2 live.tape
	ok "as OTF2" equal "$(cat otf2.rc)" 0
	ok "what has one half is told as unmatched" holds 'not in the trace: the other side of ' otf2.err
	otf2-print w.otf2/*.otf2 >print 2>&1
	ok "otf2-print reads it" holds '^MPI_SEND' print
fi

# ---- wrong use ----

for w in x 1,0 1,1 -1,2 1,x nan,2 1,2,3 ""; do
	run bad tapecut -o bad.tape -w "$w" all1.tape
	ok "'$w': one sentence and 2" equal "$(cat bad.rc) $(wc -l <bad.err)" "2 1"
done
run none tapecut -o none.tape -w 1000,2000 all1.tape
ok "a window behind the end" equal "$(cat none.rc) $(wc -l <none.err)" "1 1"
ok "leaves nothing" [ ! -e none.tape ]
run there tapecut -o w.tape -w 0,1 all1.tape
ok "a trace that is there stays" equal "$(cat there.rc) $(wc -l <there.err)" "1 1"
run alone tapelive --keep -o x.tape all1.tape
ok "-o without --window" equal "$(cat alone.rc) $(wc -l <alone.err)" "2 1"
finish
