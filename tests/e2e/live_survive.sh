#!/bin/bash
# Accidents of a program that is followed (tape live: stream = node): it ends as it
# does without Tape, and the report is of what came (survive.c).
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
. "$here/spools.bash"
need mpirun mpicc tapelive
build survive survive.c

# Hydra kills the other ranks when one ends without MPI_Finalize; its status then
# depends on who was quicker. Where all end by themselves it is to wait for them.
patient=()

# pair NAME MODE ARGUMENT...: survive, without Tape and followed
pair()
{
	local name=$1 mode=$2

	shift 2
	run "$name.plain" timeout 100 mpirun "${patient[@]}" -np 2 \
		"$heard" "$name.plain" ./survive "$mode" "$name.plain.n" "$@"
	run "$name" timeout 100 tape live -o "$name.report" mpirun \
		"${patient[@]}" -np 2 "$heard" "$name" ./survive "$mode" \
		"$name.n" "$@"
}
verdict() { grep -oE 'Signal: .*' "$1" | sort -u; }
ended_alike()
{
	equal "$(cat "$1.rc")" "$(cat "$1.plain.rc")" &&
		[ -s "$1.said" ] &&
		same <(sort "$1.plain.said") <(sort "$1.said") &&
		same <(verdict "$1.plain.told") <(verdict "$1.told") &&
		lacks '^tape(live)?: .*(not whole|died|signal 11|signal 6)' "$1.err" &&
		lacks '^tape' "$1.told"
}
reported() { holds '^survive  2 ranks' "$1.report"; }

for what in "kill 9 40000" "kill 15 10" "segv 0" "abort 5" "exit 3" "_exit 3" \
	"handler" "fork 2000"; do
	name=${what// /-} patient=()
	case $MPI-$what in
	mpich-exit* | mpich-_exit* | mpich-handler) patient=(-disable-auto-cleanup) ;;
	esac
	pair "$name" $what
	ok "$what: ends as without Tape" ended_alike "$name"
	ok "$what: there is a report of what came" reported "$name"
done
ok "of one that was killed it says so, and who fell silent" holds \
	'^INCOMPLETE: [1-9] of [0-9] ranks ha(s|ve) no end record[.:] .*rank [0-9]+, ' \
	kill-9-40000.report
ok "of one that forks it is whole" lacks INCOMPLETE fork-2000.report

# ---- the disk ----

mkdir disk
if mount -t tmpfs -o size=4m tape-e2e disk 2>/dev/null; then
	later umount disk
	later cd "$work"
	run full.plain mpirun -np 2 ./survive plain full.plain.n 60000
	timeout 100 tapelive --wait 60 disk/full.tape >full.report 2>full.said &
	pid=$!
	# it is there, and does not consume
	run full timeout 100 mpirun -np 2 taperun -s stream=node -s window=1 \
		-s stream_bytes=16777216 -o disk/full ./survive plain full.n 60000
	wait $pid
	ok "a full spool: status and output as without Tape" equal \
		"$(cat full.rc; sort full.out)" \
		"$(cat full.plain.rc; sort full.plain.out)"
	ok "a full spool: the analyser ends" [ -s full.report -o -s full.said ]
else
	skip "a full spool" "root cannot mount a tmpfs here"
fi
ok "no spool is left" equal "$(spools)" ""
finish
