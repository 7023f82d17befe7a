#!/bin/bash
# Exports of one real run, each read by somebody else's program; counts are
# tapedump's.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
cp "$here/stat.c" .
mpicc -O1 -g -o prog stat.c || { echo "Bail out! stat.c"; exit 1; }
mpirun -np 3 taperun -o run ./prog master >/dev/null
sba -o s.tape run.tape >/dev/null && tico -o c.tape s.tape >/dev/null
ok "there is a run" test -d c.tape
# calls as tapedump counts events, and messages
tapedump -c c.tape | awk -F, '$5 ~ /^MPI_/ { n[$5]++ } END {
	for (c in n) print c, n[c] }' | sort >calls
messages=$(tapedump -m -c c.tape | grep -c ^matched)
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
last, stack, slices = None, {}, {}
for e in d:
    if e["ph"] == "M":
        continue
    assert last is None or e["ts"] >= last, e
    last = e["ts"]
    k = e["pid"], e["tid"]
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
else
	skip "OTF2" "libopen-trace-format2-dev or otf2-tools is not installed"
fi
finish
