#!/bin/bash
# Waits without what was waiting for a processor: more ranks than processors, as
# many, and other programs on them; in each run ranks that compute alike, or one
# that computes longer.
# Truth: the kernel's count of each rank's time on a processor, read by the
# program around its own steps.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq python3
mpicc -O1 -g -w -o shared "$here/shared.c" -lm ||
	{ echo "Bail out! shared.c does not compile"; exit 1; }
. "$here/processors.bash"
at=$(grep -n MEET "$here/shared.c" | cut -d: -f1)

# What remains of the waiting in the steps without that for a processor, at least
# and at most, holds the truth, but for the time in which ranks come and go: 5 ms,
# and a twentieth of the waiting. Of ranks that compute alike it is known to within
# half of the waiting.
# NAME.small: hardly any remains for certain; NAME.blameless: hardly any remains
# in truth; NAME.left: in truth a third and more was for a processor; which of
# them, the scheduler of the kernel decides.
cat >rest.py <<'EOF'
import json, sys
name, line = sys.argv[1:3]
yields = sys.argv[3] == "openmpi"
without, waited = (float(x) / 1e6
                   for x in open(name.split(".")[0] + ".out").read().split())
told = json.load(open(name + ".json"))
rows = [r for r in told["waits"]
        if r["call_site"].endswith(":" + line)]
all_s = sum(r["waiting_s"] for r in rows)
least = all_s - sum(r.get("processor_most_s") or 0 for r in rows)
most = all_s - sum(r.get("processor_s") or 0 for r in rows)
slack = waited / 20 + 0.005
if least < 0.011 * told["all_ranks_s"]:
    open(name + ".small", "w")
if without < 0.009 * told["all_ranks_s"]:
    open(name + ".blameless", "w")
if without < waited * 2 / 3:
    open(name + ".left", "w")
print(f"# {name}: {least:.3f} to {most:.3f} of {all_s:.3f} s; "
      f"true: {without:.3f} of {waited:.3f}")
if not (least - slack <= without <= most + slack and
        -1e-9 <= least <= most <= all_s + 1e-9):
    sys.exit(1)
if "even" in name and yields and most > without + 0.5 * all_s + slack:
    sys.exit("much remains of a program that is balanced")
EOF
# trace NAME RANKS MODE [CPU...]
trace()
{
	local name=$1 ranks=$2

	shift 2
	run $name mpirun -np $ranks $bind taperun -o $name ./shared "$@"
	compare $name
}
# trace_crowded NAME: three ranks on a processor, and a fourth on another
trace_crowded()
{
	run $1 mpirun -np 3 $bind taperun -o $1 ./shared even $one : \
		-np 1 $bind taperun -o $1 ./shared even $two
	compare $1
}
# compare NAME
compare()
{
	local name=$1

	ok "$name: it runs" equal "$(cat $name.rc $name.err)" 0
	tico -o $name.c.tape $name.tape >$name.tico 2>&1
	for base in $name $name.c; do
		tapestat -n 0 -j -t waits $base.tape >$base.json 2>/dev/null
		tapestat $base.tape >$base.txt 2>/dev/null
		ok "$base: what remains" python3 rest.py $base $at $MPI
	done
}
# The slow rank is named with what remains, where that is certainly a hundredth of
# the time of all ranks; else nobody is.
names_slow_rank()
{
	if [ -e $1.small ]; then
		lacks "^Ranks? [^1].* caused .* of the other waiting" $1.txt
	else
		holds "^Rank 1 caused .*computing after MPI_Allreduce shared\.c:$at$" $1.txt
	fi
}
# Waiting for a processor comes first.
says_what_is_left_out()
{
	[ ! -e $1.left ] || holds "^Waiting for a processor was .* of the .* of waiting for other ranks\. Causes and waits are without that$" $1.txt
}
blames_nobody()
{
	[ ! -e $1.blameless ] || holds "^No (significant (other )?waiting|cause is certain)" $1.txt
}
for mode in slow even; do
	trace six-$mode 6 $mode $one $two
done
# whatever the scheduler does, the fourth waits twice as long as it computes
if [ $one != $two ]; then
	trace_crowded crowded-even
	for base in crowded-even crowded-even.c; do
		ok "$base: the truth is waiting for a processor" [ -e $base.left ]
		ok "$base: what is left out" says_what_is_left_out $base
		ok "$base: nobody is named" blames_nobody $base
	done
fi
for base in six-slow six-slow.c; do
	ok "$base: what is left out" says_what_is_left_out $base
	ok "$base: the slow rank is named" names_slow_rank $base
done
# in MPICH ranks that wait leave no processor to others, which hides for what the
# late ones waited in the call before
for base in six-even six-even.c; do
	[ "$MPI" != openmpi ] ||
		ok "$base: nobody is named" blames_nobody $base
done
trace two-slow 2 slow $one $two
ok "two-slow: the slow rank is named" names_slow_rank two-slow
# other programs: a loop on each processor
busy=()
for cpu in $one $two; do
	taskset -c $cpu bash -c 'while :; do :; done' &
	busy+=($!)
	later kill -9 $!
done
trace busy-slow 2 slow $one $two
trace busy-even 2 even $one $two
kill -9 "${busy[@]}"
wait "${busy[@]}" 2>/dev/null
undo=()
ok "busy-slow: the slow rank is named" names_slow_rank busy-slow
two_processes()
{
	mpirun -np 2 $bind tapestat -n 0 -j -t waits six-slow.tape 2>/dev/null |
		jq -c '.answer, .waits'
}
[ "$MPI" != openmpi ] || ok "two processes find the same" equal \
	"$(two_processes)" "$(jq -c '.answer, .waits' six-slow.json)"
finish
