#!/bin/bash
# Exports of one real run, each read by somebody else's program; counts are
# tapedump's.
# Truth: other programs' readers of each format.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
cp "$TAPE_TOP/examples/stories.c" .
mpicc -O1 -g -o prog stories.c || { echo "Bail out! stories.c"; exit 1; }
mpirun -np 3 taperun -o run ./prog master >/dev/null
sba -o s.tape run.tape >/dev/null && tico -o c.tape s.tape >/dev/null
ok "there is a run" test -d c.tape
# calls as tapedump counts events, and messages
tapedump -c c.tape | awk -F, '$5 ~ /^MPI_/ { n[$5]++ } END {
	for (c in n) print c, n[c] }' | sort >calls
messages=$(tapedump --messages -c c.tape | grep -c ^matched)
echo "# $(wc -l <calls) calls, $messages messages"

# ---- Chrome ----
ok "t2chrome" t2chrome -o c.json c.tape
ok "Chrome: calls" equal "$(jq -r '.traceEvents[] | select(.ph == "X") | .name' \
	c.json | sort | uniq -c | awk '{ print $2, $1 }')" "$(cat calls)"
ok "Chrome: arrows in pairs" equal "$(jq -c '[.traceEvents[] | select(.ph == "s" or
	.ph == "f")] | group_by(.id) | [length, (map(length) | unique)]' c.json)" \
	"[$messages,[2]]"
ok "Chrome: nested, in order, arrows within slices" python3 - <<'PY'
import json
d = json.load(open("c.json"))["traceEvents"]
last, slices = {}, {}
for e in d:
    if e["ph"] == "M":
        continue
    k = e["pid"], e["tid"]
    if e["ph"] in "XBE":
        assert e["ts"] >= last.get(k, 0), e
        last[k] = e["ts"]
    if e["ph"] == "X":
        s = slices.setdefault(k, [])
        begin, end = round(1000 * e["ts"]), round(1000 * (e["ts"] + e["dur"]))
        assert not s or begin >= s[-1][1], (s[-1], e)
        s.append((begin, end))
for e in d:
    if e["ph"] in "sf":
        t = round(1000 * e["ts"])
        assert any(a <= t <= b for a, b in slices[e["pid"], e["tid"]]), e
PY

# ---- Paje ----
ok "t2paje" t2paje -o c.paje c.tape
if command -v pj_dump >/dev/null; then
	ok "Paje: pj_dump has no complaint" equal "$(pj_dump -q c.paje 2>&1; echo $?)" 0
	ok "Paje: states" equal "$(pj_dump c.paje | awk -F', ' '$1 == "State" {
		print $8 }' | sort | uniq -c | awk '{ print $2, $1 }')" "$(cat calls)"
	ok "Paje: links" equal "$(pj_dump c.paje | grep -c ^Link)" "$messages"
else
	skip "Paje" "pajeng is not installed"
fi
if command -v vite >/dev/null; then
	QT_QPA_PLATFORM=offscreen timeout 100 vite c.paje -e c.svg >/dev/null 2>&1
	ok "Paje: ViTE draws it" holds "<rect|<path|<polygon|<line" c.svg
else
	skip "Paje: ViTE" "vite is not installed"
fi

# ---- Paraver ----
ok "t2paraver" t2paraver -o c.prv c.tape
cat >prv.py <<'PY'
"""An own reader of .prv: the head, order, objects, what is open."""
import collections, re
names, type_ = {}, None
for line in open("c.pcf"):
    m = re.match(r"\d+ +(\d{8}) +(.*)", line)
    if m:
        type_ = int(m.group(1))
    m = re.match(r"(\d+)   (MPI_\w+)", line)
    if m:
        names[type_, int(m.group(1))] = m.group(2)
lines = open("c.prv").read().splitlines()
m = re.match(r"#Paraver \(\d\d/\d\d/\d\d at \d\d:\d\d\):(\d+)_ns:"
             r"1\(3\):1:3\(1:1,1:1,1:1\),(\d+)$", lines[0])
assert m, lines[0]
end, last, calls, messages = int(m.group(1)), 0, collections.Counter(), 0
states, open_ = collections.defaultdict(int), {}
comms = lines[1:1 + int(m.group(2))]
assert comms[0] == "c:1:1:3:1:2:3", comms
for i, c in enumerate(comms):
    f = [int(x) for x in c[2:].split(":")]
    assert f[:2] == [1, i + 1] and f[2] == len(f[3:]) > 0, c
    assert set(f[3:]) <= {1, 2, 3}, c
for line in lines[1 + len(comms):]:
    f = [int(x) for x in line.split(":")]
    kind, task, t = f[0], f[3], f[5]
    assert 1 <= task <= 3 and last <= t <= end, line
    last = t
    if kind == 1:
        assert states[task] <= t <= f[6] <= end, line
        states[task] = f[6]
    elif kind == 2:
        for type_, value in zip(f[6::2], f[7::2]):
            if type_ == 50100004:
                assert 1 <= value <= len(comms), line
            if 50000001 <= type_ <= 50000005:
                if value:
                    assert not open_.get(task), line
                    calls[names[type_, value]] += 1
                open_[task] = value
    else:
        assert kind == 3 and f[5] <= f[11] and f[13] == 4, line
        messages += 1
print(messages, not any(open_.values()))
for name in sorted(calls):
    print(name, calls[name])
PY
ok "Paraver: in order, nothing overlaps, calls, messages" equal \
	"$(python3 prv.py 2>&1)" "$messages True
$(cat calls)"
ok "Paraver: names of threads" equal "$(sed -n '/THREAD SIZE/,$p' c.row | xargs)" \
	"LEVEL THREAD SIZE 3 THREAD 1.1.1 THREAD 1.2.1 THREAD 1.3.1"
cp -r c.tape less.tape && rm less.tape/flow.1.*
t2paraver -o less.prv less.tape 2>less.said
ok "Paraver: without rank 1 its thread has a name still" equal \
	"$(sed -n '/THREAD SIZE/,$p' less.row | xargs)" \
	"LEVEL THREAD SIZE 3 THREAD 1.1.1 THREAD 1.2.1 THREAD 1.3.1"

# ---- OTF2 ----
if command -v t2otf2 >/dev/null && command -v otf2-print >/dev/null; then
	ok "t2otf2" t2otf2 -o c.otf2 c.tape
	otf2-print -Werror c.otf2/traces.otf2 >otf2.txt 2>otf2.err
	ok "OTF2: otf2-print has no complaint" equal "$? $(cat otf2.err)" "0 "
	ok "OTF2: calls" equal "$(sed -n 's/^ENTER .*Region: "\([^"]*\)".*/\1/p' otf2.txt |
		sort | uniq -c | awk '{ print $2, $1 }')" "$(cat calls)"
	ok "OTF2: messages" equal "$(grep -c ^MPI_SEND otf2.txt) $(grep -c ^MPI_RECV \
		otf2.txt)" "$messages $messages"
	ok "OTF2: every location is sorted" awk '/^(ENTER|LEAVE|MPI_)/ {
		if ($3 < last[$2]) exit 1; last[$2] = $3 }' otf2.txt
	otf2-print -G c.otf2/traces.otf2 >defs.txt
	ok "OTF2: the world, of three" holds 'COMM .*"MPI_COMM_WORLD"' defs.txt
	ok "OTF2: a location for each rank" equal "$(grep -c '^LOCATION  ' defs.txt)" 3

	# a rank whose file is missing is a member of groups all the same
	t2otf2 -o less.otf2 less.tape 2>less.said
	otf2-print -Werror less.otf2/traces.otf2 >less.txt 2>less.err
	ok "OTF2: without rank 1 otf2-print has no complaint" equal \
		"$? $(cat less.err)" "0 "
	otf2-print -G less.otf2/traces.otf2 >less.defs
	ok "OTF2: rank 1 has a location without events" equal \
		"$(sed -n 's/^LOCATION  .*# Events: 0, Group: //p' less.defs)" \
		'"MPI Rank 1" <1>'
	# since its first event: times count from the first of all that are there
	of_first()
	{
		awk '$1 ~ /^(ENTER|LEAVE|MPI_)/ && $2 == 0 {
			if (!n++)
				first = $3
			$3 -= first
			print }' "$1" | sed 's/ <[0-9]*>//g; s/ ("[^"]*")//g'
	}
	# messages of rank 0 to rank 2 have the receiver that the whole trace says
	ok "OTF2: what the others do is as with all ranks" same \
		<(of_first otf2.txt) <(of_first less.txt)

	# the hierarchy of the hardware, there and back
	tapedump --assemble -o levels.tape \
		"$TAPE_TOP/tests/golden/tapestat/levels/run.txt"
	t2otf2 -o levels.otf2 levels.tape &&
		otf2-print -Werror -G levels.otf2/traces.otf2 >levels.txt
	ok "OTF2: nodes of the hierarchy" equal "$(awk '$1 == "SYSTEM_TREE_NODE" {
		print $7 }' levels.txt | LC_ALL=C sort | uniq -c | xargs)" \
		"6 Core 4 L3 4 Package 2 Switch1 1 Switch2 1 machine 3 node"
	ok "OTF2: a core holds its rank" holds \
		'"MPI Rank 7" .*Parent: "Core::Core:7"' levels.txt
	otf2tape -o there.tape levels.otf2/traces.otf2
	ok "OTF2: positions, there and back" same \
		<(tapestat -c -t positions levels.tape) \
		<(tapestat -c -t positions there.tape)

	# records SHORT NAME...: how many there are of each name
	records()
	{
		local of=$1 name

		shift
		for name; do
			awk -v n="$name" '$1 == n { k++ } END {
				printf "%d ", k }' "$of.txt"
		done
	}
	# calls_of SHORT PATTERN: events of calls of such names that did not fail
	calls_of()
	{
		awk -F, -v p="^($2)\$" '$5 ~ p && $19 > 0 { n++ }
			END { printf "%d ", n }' "$1.csv"
	}
	# exported SHORT: as OTF2, read by otf2-print
	exported()
	{
		t2otf2 -o "$1.otf2" "$1.tape" 2>"$1.log"
		otf2-print -Werror "$1.otf2/traces.otf2" >"$1.txt" 2>"$1.err"
		ok "OTF2, $1: otf2-print has no complaint" \
			equal "$? $(cat "$1.err")" "0 "
		tapedump -c "$1.tape" >"$1.csv" 2>"$1.log"
		otf2-print -G "$1.otf2/traces.otf2" >"$1.defs"
	}

	# windows: what is sent to nobody, or to a rank that there is not, is not
	# written; so is a fence of no window
	mpicc -O1 -g -o windows "$here/conform_windows.c"
	taperun -o windows.tape mpirun -np 3 ./windows >/dev/null 2>&1
	exported windows
	# a target among the three ranks
	moves()
	{
		awk -F, -v p="^($1)\$" '$5 ~ p && $16 != "" && $16 >= 0 && $16 < 3 { n++ }
			END { printf "%d ", n }' windows.csv
	}
	ok "OTF2, windows: puts, gets, atomic operations" equal \
		"$(records windows RMA_PUT RMA_GET RMA_ATOMIC)" \
		"$(moves 'MPI_R?put|MPI_Put')$(moves 'MPI_R?get|MPI_Get')$(moves \
		'MPI_.*acc.*|MPI_.*_op|MPI_Acc.*|MPI_Get_acc.*|MPI_Comp.*swap')"
	ok "OTF2, windows: each is over, here and there" equal \
		"$(records windows RMA_OP_COMPLETE_NON_BLOCKING \
		RMA_OP_COMPLETE_REMOTE)" "42 42 "
	ok "OTF2, windows: made, freed, met at" equal \
		"$(records windows RMA_WIN_CREATE RMA_WIN_DESTROY \
		RMA_COLLECTIVE_END)" \
		"18 18 $((36 + $(calls_of windows MPI_Win_fence))) "
	ok "OTF2, windows: six, of the world" equal "$(grep '^RMA_WIN ' \
		windows.defs | grep -c 'Communicator: "MPI_COMM_WORLD"')" 6
	ok "OTF2, windows: locks" equal \
		"$(records windows RMA_REQUEST_LOCK RMA_RELEASE_LOCK)" "6 6 "
	ok "OTF2, windows: groups" equal \
		"$(records windows RMA_GROUP_SYNC)" "36 "

	# two groups, persistent and cancelled requests, messages that a probe takes
	mpicc -O1 -g -pthread -o match "$here/match.c"
	taperun -o match.tape mpirun -np 4 ./match >/dev/null 2>&1
	exported match
	ends=$(tapedump --messages -c match.tape 2>/dev/null | awk -F, '
		/^matched/ || (/^unsent/ && $12 > 0) { n++ } END { print n }')
	ok "OTF2, match: messages are received" equal "$(awk '
		$1 == "MPI_RECV" || $1 == "MPI_IRECV" { n++ } END { print n }' \
		match.txt)" "$ends"
	ok "OTF2, match: two communicators of two groups" \
		equal "$(grep -c ^INTER_COMM match.defs)" 2
	ok "OTF2, match: whose root is in one" equal "$(awk '
		/COLLECTIVE_END.*Root: (SELF|THIS_GROUP)/ { n++ }
		END { print n }' match.txt)" 4

	mpicc -O1 -g -o persistent "$here/persistent.c"
	taperun -o persistent.tape mpirun -np 2 ./persistent >/dev/null 2>&1
	exported persistent
	# 2 ranks, three times; their collectives are of no catalogue
	ok "OTF2, persistent: messages" equal "$(records persistent MPI_ISEND \
		MPI_ISEND_COMPLETE MPI_IRECV_REQUEST MPI_IRECV)" "6 6 6 6 "
	tapedump --assemble -o parts.tape "$TAPE_TOP/tests/golden/t2np/parts/run.txt"
	exported parts
	ok "OTF2, parts: sent with the last part" equal "$(awk '
		$1 == "MPI_ISEND" { print $3 }' parts.txt | xargs)" "2000 3500"
	ok "OTF2, parts: messages" equal "$(records parts MPI_ISEND \
		MPI_ISEND_COMPLETE MPI_IRECV_REQUEST MPI_IRECV)" "2 2 2 2 "
else
	skip "OTF2" "libopen-trace-format2-dev or otf2-tools is not installed"
fi
finish
