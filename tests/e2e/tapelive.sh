#!/bin/bash
# tapelive: what it says at the end of a run that it follows is what tapestat
# says of the same trace, to the byte; programs that are killed; several at once;
# bad input.
# Truth: none; tapestat, which sums.sh compares with a truth.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
cp "$TAPE_TOP"/examples/{jacobi.c,plate.h,workers.c,fractal.h,stories.c} .
for p in jacobi workers stories; do
	mpicc -O1 -g -o $p $p.c -lm || { echo "Bail out! $p.c"; exit 1; }
done
mpicc -O1 -g -o mixed "$here/tapelive.c" ||
	{ echo "Bail out! tapelive.c"; exit 1; }

stat_of() { tapestat -a -n 0 "$1" 2>/dev/null; }
# follow NAME [OPTION...]: tapelive of NAME.tape goes to NAME.live, .said and .status
follow()
{
	timeout 300 tapelive --keep -a -n 0 --wait 100 "${@:2}" "$1.tape" \
		>"$1.live" 2>"$1.said"
	echo $? >"$1.status"
}
# streams NAME RANKS PROGRAM...: its trace says that it was streamed
streams()
{
	local name=$1 ranks=$2

	shift 2
	run "$name" timeout 300 mpirun -np "$ranks" taperun -s stream=node \
		-o "$name" "$@"
}
both() # NAME ORDER RANKS PROGRAM...
{
	local name=$1 order=$2 pid

	shift 2
	if [ "$order" = first ]; then
		follow "$name" & pid=$!
		streams "$name" "$@"
	else
		streams "$name" "$@" & pid=$!
		while [ ! -e "$name.tape/meta" ]; do sleep 0.05; done
		follow "$name"
	fi
	wait $pid
}
is_as_stat() # NAME [FILTER]
{
	local known=${2:-without_phases}

	equal "$(cat "$1.status")" 0 &&
		diff -u <(stat_of "$1.tape" | $known) <($known <"$1.live")
}

both jacobi first 3 ./jacobi
ok "jacobi: it runs" equal "$(cat jacobi.rc)" 0
ok "jacobi, the analyser is first" is_as_stat jacobi
both workers second 4 ./workers
ok "workers, the program is first" is_as_stat workers
both stories first 4 ./stories late
ok "a story of a late sender" is_as_stat stories
for seed in 1 2 3; do
	both mixed$seed first 3 ./mixed 1500 $seed
	ok "all kinds of calls, seed $seed" is_as_stat mixed$seed
done

# ---- counters ----

counted() # NAME [FILTER]
{
	local r

	is_as_stat "$@" || return
	for r in "in no region" "sum" "sum of the first" "overlap"; do
		holds "^$r +cpu +ns +[1-9]" "$1.live" || return
	done
}
follow counted & one=$!
streams counted 3 -s counters=cpu,minor_faults ./mixed 1500 4
wait $one
ok "counters, in regions and in none" counted counted
follow two.counted --processes 2 & one=$!
streams two.counted 3 -s counters=minor_faults,cpu ./mixed 1500 5
wait $one
ok "counters, two processes" counted two.counted without_ideal
for n in 1 2 3; do
	run again tapelive --keep --history 1 --processes $n -c -t counters \
		counted.tape
	ok "they need no history, $n processes" same again.out \
		<(tapestat -c -t counters counted.tape)
done
run page tapelive --keep --report counted.html counted.tape
ok "the page has them" holds '<h4>Counters, by region</h4>' counted.html
ok "and no table where there are none" eval \
	'tapereport -o none.html mixed1.tape && lacks Counters none.html'

# ---- killed ----

both killed first 3 ./mixed 1500 4 700
ok "a program that is killed: the report is of what came" is_as_stat killed
ok "and says so, and who fell silent" holds \
	'^INCOMPLETE: [1-9] of [0-9] ranks ha(s|ve) no end record[.:] .*rank [0-9]+, ' \
	killed.live

# ---- two programs ----

follow two1 & one=$!
streams two1 2 ./mixed 600 5 & p=$!
streams two2 2 ./jacobi
wait $p $one
run two timeout 100 tapelive --keep two1.tape two2.tape
ok "two directories: a chapter for each" equal \
	"$(grep -c '^Program [12] of 2$' two.out) $(cat two.rc)" "2 0"
# without a table of phases no phases are kept, which tell who is slowest when
no_phases() { grep -vE '^The slowest rank|^Rank .* longest: |^Each rank '; }
ok "each as tapestat has it" equal \
	"$(no_phases <two.out)" "$( (echo 'Program 1 of 2'; tapestat two1.tape
	echo; echo 'Program 2 of 2'; tapestat two2.tape) | no_phases)"

# ---- what is kept of a long run ----

# threads that may come still have no share of it
follow long & one=$!
streams long 2 ./mixed 6000 5
wait $one
run short tapelive --keep --history 1 -j -t calls -t waits -t messages \
	-n 0 long.tape
ok "it is no more than was said" holds \
	"no critical path: the call history exceeded 1 MiB. Raise --history" short.err
# but for what needs causes: which waiting was for a processor
without_causes()
{
	jq '[.calls, .waits, .messages] |
		del(.[][].processor_s, .[][].processor_most_s)'
}
ok "with less history, calls, waits and messages are the same" equal \
	"$(without_causes <short.out)" "$(tapestat -j -t calls -t waits \
		-t messages -n 0 long.tape | without_causes)"

# ---- phases ----

# whether a run has phases depends on how evenly it ran; not all are uneven
cat ./*.live >all.lives
ok "phases were among what was the same" holds '^Phases: .* times' all.lives
streams many 2 ./jacobi -i 20000
run few tapelive --keep --history 1 -t phases many.tape
ok "a run with more steps than are kept has none, and that is said" equal \
	"$(cat few.rc few.out) $(grep -c 'no phases: the call history exceeded 1 MiB' \
		few.err)" "0 1"
run page tapelive --keep --report live.html long.tape
ok "the page has them" holds '<h3>Phases</h3>' live.html

# ---- more threads than there is room for ----

timeout 100 tapelive --keep --wait 100 --line-every 0.1 threads.tape \
	>threads.live 2>threads.said &
pid=$!
streams threads 2 ./jacobi -i 20000 & p=$!
tries=0
until grep -q events/s threads.said || [ $((++tries)) -gt 600 ]; do
	sleep 0.05
done
: >threads.tape/flow.0.1024
wait $p $pid
ok "threads that are not followed are told" holds \
	'rank 0 has too many threads: those from number 1024 on are not analysed' \
	threads.said

# ---- consumed ----

streams gone 2 ./mixed 3000 6 & p=$!
run gone.live timeout 300 tapelive -j -i 0.1 --line-every 0.2 --wait 100 gone.tape
wait $p
ok "a trace that is consumed: the run and the report end well" equal \
	"$(cat gone.rc gone.live.rc)" $'0\n0'
ok "next to nothing of it is left on disk" [ "$(du -sk gone.tape | cut -f1)" \
	-lt 2048 ]
ok "lines were printed while it ran" holds '^tapelive: mixed: .* events/s' \
	gone.live.err

# ---- bad input ----

says() # STATUS PATTERN COMMAND...
{
	local status=$1 pattern=$2

	shift 2
	run bad timeout 60 "$@"
	equal "$(cat bad.rc)" "$status" && holds "$pattern" bad.err &&
		equal "$(wc -l <bad.err)" 1
}
ok "no trace comes" says 1 'no trace appeared there within 0.2 s' \
	tapelive --wait 0.2 nothing.tape
echo x >file
ok "a file" says 1 'file: not a trace' tapelive --wait 0.2 file
mkdir other && echo "something else" >other/meta
ok "a directory that is no trace" says 1 'other/meta' tapelive --wait 0.3 other
cp -r two1.tape newer && sed -i 's/^version .*/version 99/' newer/meta &&
	sed -i '1s/.*/tape-trace 99/' newer/meta
ok "a trace of another version" says 1 'newer/meta' tapelive --wait 0.3 newer
cp -r two1.tape locked
printf 'XXXXXXXXXXXXXXXXXXXXXXXX' >locked/live
ok "a live file of something else" says 1 'locked/live: of another' \
	tapelive --wait 0.3 locked

# cut and damaged files, seeded: whatever is in them it comes to its end
mutate() # FILE SEED
{
	awk -v seed="$2" -v n="$(stat -c %s "$1")" 'BEGIN {
		srand(seed)
		for (i = 0; i < 4; i++)
			printf "%d %d\n", int(rand() * rand() * n), rand() * 256
	}' | while read -r at byte; do
		printf "\\x$(printf %x "$byte")" |
			dd of="$1" bs=1 seek="$at" conv=notrunc status=none
	done
	[ $(($2 % 3)) -ne 0 ] || truncate -s $(($(stat -c %s "$1") / 3)) "$1"
}
echo "# seeds 1 to 12"
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
	rm -rf cut && cp -r two1.tape cut && rm -f cut/live
	mutate cut/flow.0.0 $seed
	[ $((seed % 4)) -ne 0 ] || mutate cut/rank.1 $seed
	timeout 60 tapelive --keep --wait 1 cut >cut.out 2>cut.err
	rc=$?
	[ $rc -le 1 ] || { echo "seed $seed: status $rc"; cat cut.err; }
	! grep -q 'ended by signal' cut.err || { echo "seed $seed"; cat cut.err; }
done >cut.log 2>&1
ok "damaged and cut traces: no crash, no hang" same cut.log /dev/null
finish
