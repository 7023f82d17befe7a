#!/bin/bash
# layout = node: the ranks of a host share a file, a container. What was recorded
# is in it, also of processes that are killed, and tools read it as files of
# ranks, whatever somebody has made of it (tests/rigs/contain.py writes
# containers by the document alone).
# Truth: containers written by a program of another language, from the document
#   alone.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3
build survive survive.c
build defining defining.c -pthread
contain() { python3 "$TAPE_TOP/tests/rigs/contain.py" "$@"; }
count() { od -An -tu8 "$1" | tr -d ' '; }
# what is in it, without the name
text() { tapedump "$1" 2>/dev/null; }

# ---- written by the runtime ----

node="taperun -s layout=node -s window=1"
run plain mpirun -np 3 ./survive plain p.n 3000
run shared mpirun -np 3 $node -o shared.tape ./survive plain shared.n 3000
ok "three ranks share a file: the program ends as without Tape" \
	same_output plain shared
ok "there is no file of a rank" equal "$(ls shared.tape | paste -sd' ')" \
	"meta node.0"
all_there()
{
	local r

	for r in 0 1 2; do
		equal "$(events "$1.tape" $r)" "$(count "$1.n.$r")" || return
	done
}
ok "every call of each is in it" all_there shared
ok "what is not used of a window takes no room on the disk" \
	[ "$(du -k shared.tape | cut -f1)" -lt 1000 ]

run defining mpirun -np 2 $node -o defining.tape ./defining 4 300
entered()
{
	tapedump defining.tape 2>defining.said |
		awk '$3 == "enter" { n++ }
			$NF ~ /^of\.[0-9]+\.[0-9]+$/ { named++ }
			END { print n + 0, named + 0 }'
}
# named where it is defined and where it is entered
ok "threads that define regions at once: each is in it, by its name" \
	equal "$(entered) $(cat defining.said)" "48000 96000 "

run killed mpirun -np 2 $node -o killed.tape ./survive kill killed.n 9 40000
ok "kill -9 of one rank: every call up to it" \
	equal "$(events killed.tape 1)" "$(count killed.n.1)"
near() { [ "$1" -ge "$2" ] && [ "$1" -le $(($2 + 1)) ]; }
ok "and of the other, which mpirun ended" \
	near "$(events killed.tape 0)" "$(count killed.n.0)"
run sba sba -o killed.sba.tape killed.tape
ok "sba takes what is there" equal "$(cat sba.rc)" 0
ok "and shares the container" \
	[ killed.tape/node.0 -ef killed.sba.tape/node.0 ]
run tico tico -o killed.tico.tape killed.sba.tape
ok "tico writes files of ranks" equal \
	"$(cat tico.rc; ls killed.tico.tape | grep -c '^flow')" "0
2"
run stream mpirun -np 2 $node -s stream=node -o stream.tape \
	./survive plain stream.n 50
ok "what is consumed is in files of ranks" \
	lacks '^layout' stream.tape/meta
run live timeout 60 tapelive shared.tape
ok "who would follow a container is told" holds \
	'shared.tape: the ranks share files .layout = node.' live.err
ok "and fails" equal "$(cat live.rc)" 1

# Two hosts, of a clock each (a time namespace is one).
two_hosts()
{
	mpirun -np 1 $node -o hosts.tape ./survive plain hosts.n 200 : -np 1 \
		unshare --time --fork --monotonic 100 \
		$node -o hosts.tape ./survive plain hosts.n 200 &&
		equal "$(cd hosts.tape && ls node.* | paste -sd' ')" \
			"node.0 node.1" &&
		equal "$(events hosts.tape 0) $(events hosts.tape 1)" \
			"$(count hosts.n.0) $(count hosts.n.1)"
}
if unshare --time --fork --monotonic 100 true 2>/dev/null; then
	ok "each host has a container" two_hosts
else
	skip "each host has a container" "no right to a time namespace"
fi

# ---- read like files of ranks ----

run three mpirun -np 3 taperun -s window=1 -o three.tape ./survive plain \
	three.n 3000
text three.tape >three.txt
for piece in 300 70000 10000000; do
	contain three.tape c$piece.tape 2 $piece
	text c$piece.tape >c$piece.txt
	ok "pieces of $piece bytes in two containers: the same is read" \
		same three.txt c$piece.txt
done
tapedump --assemble -o again.tape c300.txt
text again.tape >again.txt
ok "its text makes a trace of files of ranks" \
	equal "$(same three.txt again.txt; ls again.tape | grep -c node)" 0
cp -r c300.tape both.tape
echo "not the definitions of a rank" >both.tape/rank.0
echo "nor a flow" >both.tape/flow.0.0
text both.tape >both.txt
ok "files of ranks beside a container are none of the trace" \
	same three.txt both.txt

# ---- hostile ----

cat >edit.py <<'PY'
# edit.py FILE OFFSET FORMAT VALUE ...
import struct, sys
with open(sys.argv[1], "r+b") as f:
    for at, form, value in zip(*[iter(sys.argv[2:])] * 3):
        f.seek(int(at))
        f.write(struct.pack("<" + form, int(value)))
PY
# refused WHAT PATTERN EDIT...: of a copy, one sentence and status 1
refused()
{
	local what=$1 pattern=$2

	shift 2
	rm -rf bad.tape
	cp -r c70000.tape bad.tape
	python3 edit.py bad.tape/node.0 "$@"
	run bad tapedump bad.tape
	ok "$what: refused" equal "$(cat bad.rc; wc -l <bad.err)" "1
1"
	ok "$what: the sentence" holds "^tapedump: bad.tape/$pattern" bad.err
}
first=$((64)) second=$((64 + 32))
refused "other bytes at its head" "node.0: not a container" 0 I 1
refused "a newer container" "node.0: a newer version" 4 I 2
refused "more entries than fit" "node.0: not a container" 16 Q 99999999
refused "a rank that is not in meta" "node.0: this rank is not in meta" $first I 3
refused "a thread that cannot be" "node.0: this rank is not in meta" \
	$((first + 4)) I 1000001
refused "a place in the index" "node.0: bad entry" $((first + 16)) Q 64
refused "a size beyond all files" "node.0: bad entry" \
	$((first + 24)) Q $((1 << 62))
refused "a gap between pieces" "node.0: the extents" $((first + 8)) Q 70001
refused "a piece twice" "node.0: the extents" $first I 0 $((first + 4)) I 0 \
	$((first + 8)) Q 0 $second I 0 $((second + 4)) I 0 $((second + 8)) Q 0
rm -rf bad.tape
cp -r c70000.tape bad.tape
sed -i 's/^layout node/layout galaxy/' bad.tape/meta
run bad tapedump bad.tape
ok "another layout: of a newer version" holds 'newer version' bad.err
ok "and fails" equal "$(cat bad.rc)" 1

mv bad.tape/node.0 elsewhere
sed -i 's/^layout galaxy/layout node/' bad.tape/meta
run bad tapestat bad.tape
ok "a container is missing: its ranks are said to be, the rest is read" \
	holds '2 of 3 ranks are missing from the trace: 0-1' bad.err
ok "and it is not an error" equal "$(cat bad.rc)" 0
ln -s ../elsewhere bad.tape/node.0
run bad tapedump bad.tape
ok "a symbolic link is not followed" holds 'a symbolic link' bad.err
rm bad.tape/node.0
mkfifo bad.tape/node.0
run bad timeout 100 tapedump bad.tape
ok "a FIFO is no container, and nobody waits for it" \
	equal "$(cat bad.rc; wc -l <bad.err)" "1
1"
rm bad.tape/node.0
: >bad.tape/node.0
run bad tapestat bad.tape
ok "an empty one: its ranks are missing" equal "$(cat bad.rc)" 0

# Cut anywhere, and with any bytes in its index: tools end by themselves.
cat >spoil.py <<'PY'
import os, random, shutil, subprocess, sys
seed = int(sys.argv[1])
print("# seed", seed)
r = random.Random(seed)
for turn in range(int(sys.argv[2])):
    shutil.rmtree("spoilt.tape", ignore_errors=True)
    shutil.copytree("c300.tape", "spoilt.tape")
    path = "spoilt.tape/node.%d" % r.randrange(2)
    with open(path, "r+b") as f:
        if turn % 3 == 0:
            f.truncate(r.randrange(os.path.getsize(path)))
        for _ in range(r.randrange(1, 4)):
            f.seek(r.randrange(4000))
            f.write(bytes([r.choice([0, 1, 127, 255, r.randrange(256)])]))
    for tool in "tapedump", "tapestat":
        done = subprocess.run([tool, "spoilt.tape"], timeout=60,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        said = done.stderr.startswith(tool + ": ")
        if done.returncode not in (0, 1) or (done.returncode and not said):
            sys.exit("turn %d: %s: %d: %s" % (turn, tool, done.returncode,
                                              done.stderr))
PY
ok "containers that are spoilt: tools end in order" \
	python3 spoil.py "${SPOIL_SEED:-1}" "${SPOIL_TURNS:-120}"
finish
