#!/bin/bash
# Where the tasks of a PVM program are: on three hosts, below switches that a
# file names, which each task reads where it runs; and of a file that is no
# good the first task says it, once.
# Truth: hosts and switches that are given.
. "$(dirname "$0")/pvm.bash"
jacobi=$TAPE_BUILD/examples/pvm/jacobi
for p in "$jacobi" "$TAPE_BUILD/lib/libtape-pvm.so"; do
	[ -e "$p" ] && continue
	skip "pvm_positions" "pvm Tape was built without it"
	finish
done
cat >net <<END
SwitchName=top Switches=left,right
SwitchName=left Nodes=host[1-2]
SwitchName=right Nodes=host3
END

# traced NAME: on three hosts, with that file
traced()
{
	run "$1" "$TAPE_TOP/tests/rigs/hosts.sh" 0 0 0 -- pvm_machine \
		-l "$1.log" taperun -s clock=monotonic_raw -s network=net \
		-o "$1" "$jacobi" 3 16 100
	[ "$(cat "$1.rc")" -ne 69 ] && [ "$(cat "$1.rc")" -ne 77 ] || {
		skip "$1" "root $(tail -n 1 "$1.err")"
		finish
	}
}
traced good
ok "it runs, and nothing goes wrong" equal "$(cat good.rc) $(cat good.err \
	good.log | grep -c 'tape: ')" "0 0"
# the host that each task says, and its position
places() { awk '/^host / { h = $2 } /^position / { print h, $2 }' "$1"/rank.*; }
places good.tape >places
ok "on more than one host" sh -c '[ "$(cut -d" " -f1 places | sort -u |
	wc -l)" -gt 1 ]'
ok "each task is below its switch" same <(awk '{ print $2 }' places) <(
	awk '{ s = $1 == "host3" ? "right" : "left"
	print "Cluster/Switch2:top/Switch1:" s "/Machine:" $1 }' places)
echo "SwitchName=left Nodes=host9" >>net
traced bad
ok "a file that is no good costs one line" equal "$(cat bad.rc) $(
	cat bad.err bad.log | sed -n 's/.*tape: //p')" \
	"0 net:4: switch defined twice; positions are recorded without switches"
ok "positions are there, without switches" lacks Switch <(places bad.tape)
finish
