#!/bin/bash
# Actions without times (t2ti): what a program does is the same however its
# processes share the processors, and as much as the program says itself; a
# reader of its own plays it to the end (t2ti_play.py), and SimGrid's replay.
# Truth: the program's own count; SimGrid.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3 taskset

# plays FOLDER: and prints what there is
plays() { python3 "$here/t2ti_play.py" "$1"; }

# calls FOLDER: all but how much is computed
calls() { grep -hvE ' (compute|pack) ' "$1"/rank.*; }

# operations FOLDER
operations() { awk '$2 == "compute" || $2 == "pack" { s += $3 } END {
	printf "%.0f", s }' "$1"/rank.*; }

# ---- a program of which all is known ----

np=4 rounds=40
mpicc -O1 -g -o prog "$here/t2ti.c" || { echo "Bail out! t2ti.c"; exit 1; }
# all on one processor, not each on its own
unbound=()
[ "$MPI" = mpich ] || unbound=(--bind-to none)
one=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
ok "traced" mpirun -np $np taperun -s counters=cpu -o apart.tape \
	./prog $rounds 100000
ok "traced with all processes on one processor" taskset -c "$one" \
	mpirun -np $np "${unbound[@]}" taperun -s counters=cpu -o folded.tape \
	./prog $rounds 100000
ok "actions of both" eval 't2ti apart.tape >apart.log &&
	t2ti folded.tape >folded.log'
sed 's/^/# /' apart.log folded.log
# two messages of 1000 + 100 i bytes in round i, one of 8 in every second
messages=$((np * (2 * rounds + rounds / 2)))
bytes=$((np * (2 * (1000 * rounds + 100 * rounds * (rounds - 1) / 2) +
	8 * (rounds / 2))))
collectives=$((np * (rounds + 5)))
ok "as much as the program does" equal "$(plays apart.ti)" \
	"$bytes bytes, $collectives collectives, $messages messages"
ok "folded: exactly the same actions" diff <(calls apart.ti) <(calls folded.ti)
echo "# operations folded / apart: $(awk -v a="$(operations apart.ti)" \
	-v b="$(operations folded.ti)" 'BEGIN { printf "%.4f", b / a }')"
sba -o s.tape apart.tape >/dev/null 2>&1 && tico -o c.tape s.tape >/dev/null
ok "SimGrid has all of them" holds 'only SimGrid replays them$' apart.log
ok "corrected: the same" eval 't2ti -o c.ti c.tape >/dev/null &&
	diff <(calls apart.ti) <(calls c.ti)'

# ---- others read it ----

again=$TAPE_BUILD/unit/actions_text
mkdir again packed
ok "read and written again" "$again" apart.ti again
ok "it is the same" eval 'for r in apart.ti/rank.*; do
	cmp $r again/${r##*/} || exit 1; done'
if t2ti -z -o z.ti apart.tape >/dev/null 2>&1; then
	ok "compressed: the same" eval '"$again" z.ti packed &&
		for r in apart.ti/rank.*; do
			cmp $r packed/${r##*/} || exit 1; done'
else
	skip "compressed" "there is no zlib"
fi
if command -v smpirun >/dev/null; then
	for ((r = 0; r < np; r++)); do echo h$r; done >hosts
	replay()
	(
		cd apart.ti && smpirun -np $np -no-privatize -replay ranks \
			-platform "$TAPE_TOP/tests/rigs/smpi/free.xml" \
			-hostfile ../hosts >../smpi.log 2>&1
	)
	ok "SimGrid's replay takes it" replay
	# not in less time than a rank computes, at 1e9 operations a second
	ok "and computes what it says" python3 -c '
import re
log = open("smpi.log").read()
t = float(re.search(r"Simulation time ([0-9.]+)", log).group(1))
of = [sum(float(l.split()[2]) for l in open(f"apart.ti/rank.{r}")
          if " compute " in l) for r in range(4)]
print(t, of)
assert max(of) / 1e9 < t < sum(of) / 1e9 + 1'
else
	skip "SimGrid's replay" "smpi smpirun is not installed"
fi

# ---- calls of all kinds ----

# program NP NAME [ARGUMENT...]
program()
{
	local n=$1 name=$2

	shift 2
	mpicc -O1 -g -w -pthread -I"$TAPE_TOP/runtime" -o "$name" \
		"$here/$name.c" || return
	timeout 100 mpirun -np "$n" taperun -o "$name.tape" "./$name" "$@" \
		>"$name.out" 2>&1
	t2ti "$name.tape" && plays "$name.ti"
}
ok "requests" program 2 requests
ok "persistent requests, messages in parts" program 2 persistent
ok "blocking receives, sendrecv" program 2 receives
ok "communicators, in whichever order" program 4 twins orders
ok "communicators of one tag" program 2 communicators
ok "windows" program 3 conform_windows
ok "files" program 2 conform_files
ok "local calls" program 2 conform_local
[ "$MPI" = openmpi ] || ok "of the MPI of 2021 on" program 3 conform_new
refused()
{
	local name=$2

	! program "$@" 2>refused.err && [ ! -e "$name.ti" ] &&
		equal "$(wc -l <refused.err)" 1
}
ok "two groups: refused" refused 3 conform
ok "and where" holds \
	'^t2ti: conform.tape: rank 0: MPI_[A-Z].* at .*conform\.c:[0-9]+\): a collective of an intercommunicator' \
	refused.err
ok "two threads: refused" refused 4 match
ok "and which" holds 'rank [0-9]: threads 0 and 1 both communicate' \
	refused.err
finish
