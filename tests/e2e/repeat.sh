#!/bin/bash
# tape repeat: several runs of a program (repeat.c) that has three orders of
# receiving and two outputs; means and intervals.
# Truth: the program's number of the run; the times of each kept trace by tapestat,
# their mean and interval by Python (statistics, t of a published table).
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq python3
build repeat repeat.c

run six tape repeat 6 --keep -o six -j mpirun -np 4 ./repeat number
ok "the status is that of the run that failed" equal "$(cat six.rc)" 3
ok "nothing is said" lacks '^tape' six.err
ok "outputs: two, the second one from run 4 on, in line 2" equal \
	"$(jq -c '.outputs[] | [.runs, .first_run, .status, .differs_in_line]' six.out | xargs)" \
	"[5,1,0,null] [1,4,3,2]"
ok "orders: three in turn" equal \
	"$(jq -c '.orders[] | [.runs, .first_run]' six.out | xargs)" "[2,1] [2,2] [2,3]"
ok "the traces are kept" equal "$(ls -d six.*.tape | grep -c '^six\.[1-6]\.tape$')" 6
for i in 1 2 3 4 5 6; do
	tapestat -j -n 0 --measured six.$i.sba.tape six.$i.tico.tape
	echo
done >each 2>/dev/null
cat >check.py <<'END'
import json, math, statistics
T95 = {5: 2.5706}
runs = [json.loads(l) for l in open("each") if l.strip()]
told = json.load(open("six.out"))
n = len(runs)
assert n == told["runs"] == 6
def check(what, values, t):
    half = T95[n - 1] * statistics.stdev(values) / math.sqrt(n)
    mean = statistics.mean(values)
    for got, want in ((t["mean"], mean), (t["from"], max(mean - half, 0)),
                      (t["to"], mean + half), (t["least"], min(values)),
                      (t["most"], max(values))):
        assert abs(got - want) <= 2e-5 * mean + 1e-12, (what, got, want)
check("run", [r["run_s"] for r in runs], told["run_s"])
names = {c["call_site"] for r in runs for c in r["calls"]}
assert names == {c["call_site"] for c in told["calls"]}
for c in told["calls"]:
    check(c["call_site"], [sum(x["total_s"] for x in r["calls"]
        if x["call_site"] == c["call_site"]) for r in runs], c["seconds"])
causes = {c["activity"] for r in runs for c in r["answer"]["causes"]}
assert causes == {c["activity"] for c in told["causes"]}
for c in told["causes"]:
    check(c["activity"], [sum(x["seconds"] for x in r["answer"]["causes"]
        if x["activity"] == c["activity"]) for r in runs], c["seconds"])
END
ok "means, intervals, least and most of the run, sites and causes" python3 check.py

rm -f number
run text tape repeat 3 mpirun -np 4 ./repeat number
ok "as text: the status" equal "$(cat text.rc)" 0
ok "one output" holds '^1 different output$' text.out
ok "three orders" holds '^3 different orders of receiving$' text.out
ok "a line for the run" holds ' the run, after the start of MPI$' text.out
ok "of at most 100 columns" lacks '.{101}' text.out
ok "the traces are removed" equal "$(ls -d repeat.*.tape 2>/dev/null)" ""
run noisy tape repeat 2 --keep --noise=50:20 mpirun -np 4 ./repeat number
ok "noise: a seed for each run" equal \
	"$(grep -h '^noise' repeat.1.tape/meta repeat.2.tape/meta | xargs)" \
	"noise 1:50:20 noise 2:50:20"
run untraced tape repeat 2 true
ok "no trace: said" eval "equal \$(cat untraced.rc) 1 && holds 'wrote no trace' untraced.err"
for wrong in "" 1 x "3 -o" "3 --keep" "2 --what true"; do
	run wrong tape repeat $wrong
	ok "repeat $wrong: refused" equal "$(cat wrong.rc)" 2
done
finish
