#!/bin/bash
# tape: the whole way by one command, what is kept beside the trace, and what is
# said where something is wrong.
# Truth: none; the tools called one by one.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
cp "$TAPE_TOP/examples/stories.c" .
mpicc -O1 -g -o prog stories.c || { echo "Bail out! stories.c"; exit 1; }

mpirun -np 2 ./prog late | sort >plain
run whole tape run mpirun -np 2 ./prog late
ok "run: status of the program, and its output is its own" \
	equal "$(cat whole.rc; sort whole.out)" "$(echo 0; cat plain)"
ok "run: the answer" holds \
	"^Rank 1 waited .* in MPI_Recv stories.c:$(grep -n 'LATE \*/' "$TAPE_TOP/examples/stories.c" | cut -d: -f1) \(late sender\)$" whole.err
ok "run: it is of the corrected trace" holds \
	"^prog.tico.tape  2 ranks .*, without tracing$" whole.err
ok "run: the stages are beside the trace" equal "$(ls -d *.tape | xargs)" \
	"prog.sba.tape prog.tape prog.tico.tape"
stamp() { stat -c %Y.%i prog.sba.tape/meta prog.tico.tape/meta; }
before=$(stamp)
tape report prog.tape >again.txt
ok "report: nothing is made again" equal "$(stamp)" "$before"
ok "report: the same answer" equal \
	"$(grep -m 1 '^Rank 0 caused' again.txt)" \
	"$(grep -m 1 '^Rank 0 caused' whole.err)"
ok "the trace alone is a report" equal "$(tape prog.tape)" "$(cat again.txt)"
ok "report: options are tapestat's" holds '^"?waiting_s' \
	<(tape report prog.tape -c -t waits | sed 's/^/"/;s/^"w/w/')
ok "report: of a later stage" holds "^prog.tico.tape" \
	<(tape report prog.sba.tape)
ok "correct" equal "$(tape correct prog.tape)" prog.tico.tape
sleep 1
touch prog.tape/rank.0
tape report prog.tape >/dev/null
ok "report: made again where the trace is newer" [ "$(stamp)" != "$before" ]
ok "compare: a run with itself" holds "No call site or region is slower" \
	<(tape compare prog.tape prog.tape)
if command -v tapeview >/dev/null; then
	tape view prog.tape -o page.html >/dev/null 2>&1
	ok "view: a page" holds "</html>" page.html
	tape view -o page2.html prog.tape >/dev/null 2>&1
	ok "view: options before the trace" holds "</html>" page2.html
fi

# what is in the way, or missing
sleep 1
touch prog.tape/rank.0
rm -rf prog.sba.tape
mkdir prog.sba.tape
echo mine >prog.sba.tape/mine
run way tape report prog.tape
ok "somebody's directory in the way stays, and is named" equal \
	"$(cat prog.sba.tape/mine; grep -c '^tape: prog.sba.tape exists and was not written by' \
	way.err)" "mine
1"
ok "and the report is of what there is" holds "^prog.tape .*, as measured$" way.out
for c in "report nothing" "report prog" "report stories.c" "view nothing" \
	"compare prog.tape nothing"; do
	run wrong tape $c
	ok "tape $c: one sentence, status 1" equal \
		"$(cat wrong.rc wrong.out; grep -c '^tape: ' wrong.err)" "1
1"
done
for c in "" "run" "report" "compare prog.tape" "-x" "nonsense" "run -o" \
	"run -x" "view -o x.html -a" "live --receivers 1"; do
	run wrong tape $c
	ok "tape $c: wrong use" equal "$(cat wrong.rc wrong.out)" 2
done
# says WORDS ARGUMENT...: what is wrong, and what would be right
says()
{
	run wrong tape "${@:2}"
	ok "tape ${*:2}: $1" holds "^tape( run|run)?: .*$1" wrong.err
}
says "-x: there is no such option" run -x ./prog
says "--nonsense: there is no such option" run --nonsense ./prog
says "-o: the value is missing" run -o
says "the command to run is missing" run -o x
says "x=y: unknown setting" run -s x=y ./prog
says "xy: expected setting=value" run -s xy ./prog
says "tape report trace -a .*tapestat" report -a
says "tape page .option ....? trace" page -o x.html
run settings tape run -s groups=-collective -o settings mpirun -np 2 ./prog late
ok "run -s: a setting" holds '^filter groups -collective' settings.tape/meta
ok "report: options before the trace" equal \
	"$(tape report -c -t waits prog.tape)" "$(tape report prog.tape -c -t waits)"
run false tape run -o f mpirun -np 1 false
ok "run: status of what fails" equal "$(cat false.rc)" 1
ok "run: no trace, and that is said" holds "^tape: no trace was written" false.err
run exit tape run -o other mpirun -np 2 ./prog late
ok "run -o" equal "$(cat exit.rc; ls -d other*.tape | xargs)" \
	"0
other.sba.tape other.tape other.tico.tape"
ok "run -o: its report" holds "^other.tico.tape" exit.err
run second tape run -o other mpirun -np 2 ./prog late
ok "run -o once more: the new one's report" holds "^other.2.tico.tape" second.err
mkdir 'sub [a]'
run sub tape run -o "sub [a]/x" mpirun -np 2 ./prog late
ok "run -o in a folder of its own" holds "^sub \[a\]/x.tico.tape" sub.err
run stale tape run -o other mpirun -np 1 false
ok "run -o: an earlier run's trace is no answer" equal \
	"$(cat stale.rc stale.out; grep -c '^tape: no trace was written' stale.err
	grep -c '^Rank' stale.err)" "1
1
0"
mkdir sub
TAPE_TRACE=$PWD/sub/named run named tape run mpirun -np 2 ./prog late
ok "run: TAPE_TRACE names the trace" holds \
	"^/.*/sub/named.tico.tape" named.err
TMPDIR=$PWD/sub/none run notmp tape run -o notmp mpirun -np 2 ./prog late
ok "run: without a place for temporary files" equal \
	"$(cat notmp.rc; sort notmp.out)" "$(echo 0; cat plain)"

# ---- several runs in one directory ----

mkdir together
cd together || exit 1
for name in first second third; do cp ../prog $name; done
cat >waits.sh <<'END'
mpirun -np 2 ./first late
until [ -e next ]; do sleep 0.05; done
END
run first timeout 200 tape run sh waits.sh &
tries=0
until [ -e first.tape/meta ] || [ $((++tries)) -gt 1200 ]; do sleep 0.05; done
run second tape run mpirun -np 2 ./second late
run third tape run mpirun -np 2 taperun ./third late
touch next
wait $!
reported() { grep -oE '^[a-z0-9.]+\.tape  ' "$1" | xargs; }
ok "two runs at once: each report is of its own trace" equal \
	"$(for n in first second third; do reported $n.err; done | xargs)" \
	"first.tico.tape second.tico.tape third.tico.tape"
run several tape run mpirun -np 1 ./third late : -np 1 ./second late
ok "several programs in one job: one trace" equal "$(reported several.err)" \
	third.2.tico.tape
run inside tape run -o both sh -c \
	'mpirun -np 2 ./first late; mpirun -np 2 ./first late'
ok "two jobs of one run: both" equal "$(reported inside.err)" \
	"both.2.tico.tape both.tico.tape"
if command -v mpiexec.mpich >/dev/null && command -v mpicc.mpich >/dev/null; then
	mpicc.mpich -O1 -g -o fourth ../stories.c
	run fourth tape run mpiexec.mpich -n 2 ./fourth late
	ok "MPICH" equal "$(reported fourth.err)" fourth.tico.tape
fi
# each process has a tape of its own, and one of them has the trace
run behind mpirun -np 2 tape run ./second late
ok "mpirun before tape run: nobody says that there is no trace" eval \
	"lacks 'no trace was written' behind.err && equal $(cat behind.rc) 0"
strip -g third
run bare tape run mpirun -np 2 ./third late
ok "call sites without a line: said once" equal \
	"$(grep -cE '/third: no lines? for [0-9]+ call sites?: ' bare.err)" 1
cd ..

# ---- signals ----

cat >ends.sh <<'END'
trap 'exit 9' TERM INT
mpirun -np 2 ./prog late >&2
touch made
while :; do sleep 0.05; done
END
for signal in TERM INT; do
	rm -f made
	setsid env --default-signal=INT timeout 200 tape run -o ended bash ends.sh \
		>ended.out 2>ended.err </dev/null &
	pid=$!
	tries=0
	until [ -e made ] || [ $((++tries)) -gt 1200 ]; do sleep 0.05; done
	kill -s $signal "$(pgrep -P $pid)"
	wait $pid
	ok "run: SIG$signal goes to the command, and there is a report" eval \
		"equal $? 9 && holds '^ended.*tico.tape  2 ranks' ended.err"
done

# ---- a folder that cannot be written ----

stranger=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod 755 .
if "${stranger[@]}" test -x "$(command -v tapestat)" -a -x "$PWD" \
	2>/dev/null; then
	mkdir -m 755 shut
	cp -r other.tape shut/run.tape
	chmod -R a+rX shut
	run shut "${stranger[@]}" tape report shut/run.tape
	ok "report: results are kept beside the trace, where they can be" equal \
		"$(cat shut.err; ls shut)" \
		"tape: reporting on the uncorrected trace shut/run.tape: results are stored next to it, but shut cannot be written. Copy the trace to a writable directory
run.tape"
	ok "report: and of the trace as it is" holds "^shut/run.tape .*as measured" \
		shut.out
else
	skip "a folder that cannot be written" "needs root and a build for all"
fi

tape help live >page
ok "help: the man page, of one that is not installed, too" holds \
	"from an MPI or PVM program" page

finish
