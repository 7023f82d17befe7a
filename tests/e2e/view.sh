#!/bin/bash
# tapeview's page in a browser without a screen: what it says is what tapedump and
# sba say of the same traces, what is pressed does what it should, and nothing is
# complained about.
# Truth: a real browser; figures compared with tapedump and sba.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3
chrome=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$chrome" ]; then
	skip "view" "chromium is not installed"
	finish
fi

# dom PAGE OUT [SIZE]: the page after its script has run; complaints in OUT.err
dom()
{
	timeout 60 "$chrome" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$work/browser" --virtual-time-budget=20000 \
		--window-size="${3:-1400,1000}" --enable-logging=stderr \
		--dump-dom "file://$PWD/$1" >"$2" 2>"$2.err"
}

# value FILE NAME: data-NAME of the whole page
value() { sed -nE "s/.*<html[^>]* data-$2=\"([^\"]*)\".*/\1/p" "$1"; }
# cells FILE TABLE: its rows, tabs between the cells
cells()
{
	tr -d '\n' <"$1" | grep -oE "<table id=\"$2\">.*" |
		sed 's,</table>.*,,; s,</tr>,\n,g' | grep '<td' |
		sed 's,</td><td[^>]*>,\t,g; s,<[^>]*>,,g'
}
quiet() { ! grep -E 'CONSOLE|Uncaught' "$1.err"; }

# ---- a program, traced once ----

cat >ring.c <<'END_C'
#include <mpi.h>
#include <tape.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size, in = 0, out = 1;
	MPI_Request q[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 20; i++) {
		tape_enter("step");
		usleep(rank == 1 ? 6000 : 500);
		MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 3,
			  MPI_COMM_WORLD, &q[0]);
		MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 3,
			  MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		tape_leave();
		MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
END_C
tapecc -O1 -g -o ring ring.c >log 2>&1 && mpirun -np 3 ./ring >>log 2>&1 &&
	sba ring.tape >>log 2>&1 && tico ring.sba.tape >>log 2>&1
ok "a ring is traced and corrected" test -d ring.tico.tape
ok "one page of three time bases" \
	tapeview ring.tape ring.sba.tape ring.tico.tape
mv ring.tico.html ring.html
dom ring.html ring.dom
ok "the browser complains of nothing" quiet ring.dom

tapedump -i ring.tico.tape | awk '/call and call site/ { on = 1; next }
	!NF { on = 0 } on { print $3 "\t" $2 "\t" $4 "\t" $5 " " $6 }' |
	sort >expected
cells ring.dom sites | awk -F'\t' '{ print $1 "\t" $2 "\t" $7 "\t" $8 }' |
	sort >shown
ok "the table of call sites is that of tapedump" same expected shown
ok "it has all call sites" equal "$(wc -l <shown)" 8
equal_messages()
{
	equal "$(value ring.dom messages)" \
		"$(tapedump --messages ring.tico.tape | grep -c ^matched)"
}
ok "as many messages" equal_messages
ok "and regions" equal "$(value ring.dom regions)" 60
ok "the region's table" equal "$(cells ring.dom regions | cut -f3,5)" \
	"60	step"
ok "no message goes backward" equal "$(value ring.dom backward)" 0
# list FILE: the lines of its report
list()
{
	sed -n '/<ul id="report">/,/<\/ul>/p' "$1" | sed -n 's,.*<li>\(.*\)</li>.*,\1,p' |
		sed 's/&gt;/>/g; s/&lt;/</g; s/&quot;/"/g; s/&amp;/\&/g'
}
tapestat --measured ring.sba.tape ring.tico.tape 2>>log |
	sed '1d; /^$/,$d' >expected
ok "the report is that of tapestat" same expected <(list ring.dom)
ok "it says what made ranks wait" \
	holds '^(Ranks? [0-9, and-]* caused .* of the (other )?waiting|No cause is certain)' expected
ok "corrected time is shown first" equal "$(value ring.dom base)" corrected

# ---- source lines ----

tapeview --source . -o source.html ring.tico.tape
dom source.html source.dom
# of the corrected trace alone, which does not know of waits for processors
tapestat -c -t efficiency -n 1000 ring.tico.tape 2>>log >expected
cells source.dom efficiency | tr -d '%' >shown
cat >same_efficiency.py <<'END_PY'
import csv

rows = list(csv.reader(open("expected")))[1:]
# the page has no columns of which nothing is known
known = [i for i in range(len(rows[0]) - 1) if any(row[i] for row in rows)]
expected = {row[-1]: [row[i] for i in known] for row in rows}
shown = {row[-1]: row[:-1] for row in csv.reader(open("shown"), delimiter="\t")}
assert expected.keys() == shown.keys()
for part, row in expected.items():
    for i, (a, b) in enumerate(zip(row, shown[part])):
        if not a: # not known
            assert not any(c.isdigit() for c in b), (part, row, shown[part])
            continue
        assert abs(float(a) * (1 if i < 2 else 100) - float(b)) < (
            1e-6 if i < 2 else 0.06), (part, row, shown[part])
END_PY
ok "efficiencies are tapestat's" python3 same_efficiency.py
ok "of the run, the region, phases" test "$(wc -l <shown)" -ge 3
ok "the source line of a call site" holds '<td>MPI_Allreduce</td><td>main \(ring.c:[0-9]*\)</td><td>MPI_Allreduce\(&amp;in, &amp;out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD\);</td>' source.dom
tapeview --source .mpi -o source.html ring.tico.tape 2>log
ok "a folder without them" holds '^tapeview: --source .mpi: none of the source files' log
tapeview --source nowhere -o none.html ring.tico.tape 2>log
[ $? -eq 1 ] && [ ! -e none.html ]; ok "no such folder: status 1, no page" equal $? 0

# ---- waits and ranks, against tapestat ----

tapeview -o raw.html ring.tape
dom raw.html raw.dom
# a table of tapestat as the page has it, seconds with nine decimals
stat()
{
	tapestat -c -n 1000 -t "$1" ring.tape 2>>log | python3 -c '
import csv, sys
from collections import Counter
rows = list(csv.DictReader(sys.stdin))
if sys.argv[1] == "ranks":
    for r in rows:
        print(r["rank"], *("%.6f" % float(r[k]) for k in
              ("computing_s", "waiting_s", "tracing_s")))
if sys.argv[1] == "waits":
    sums = Counter()
    for r in rows:
        sums[r["kind"] + " " + r["call_site"]] += float(r["waiting_s"])
    for what, s in sums.items():
        print("%.9f" % s, what)
if sys.argv[1] == "path":
    for r in rows:
        print("%.9f" % float(r["on_path_s"]), r["what"])' "$1" | sort
}
cells raw.dom ranks | awk -F'\t' '
	{ printf "%d %.6f %.6f %.6f\n", $6, $1, $4, $5 }' | sort >shown
ok "computing, waiting, tracing of each rank are tapestat's" \
	same <(stat ranks) shown
ok "of three ranks" equal "$(wc -l <shown)" 3
cells raw.dom wait-sites | awk -F'\t' '{ print $1, $3, $4 }' | sort >shown
ok "the table of waits is tapestat's" same <(stat waits) shown
ok "and it has some" test -s shown
cells raw.dom path-places | awk -F'\t' '{ print $1, $5 }' | sort >shown
ok "the critical path's table is tapestat's" same <(stat path) shown
ok "and it has some" test -s shown

# ---- single events, against tapedump's own ----

# rank, thread, call, start, end; from the first event on
tapedump -c ring.sba.tape >events.csv
python3 - >expected <<'END_PY'
import csv
rows = list(csv.DictReader(open("events.csv")))
first = min(int(r["start_ns"]) for r in rows)
for r in rows:
    if r["call"].startswith("MPI_"):
        print(r["rank"], r["call"], int(r["start_ns"]) - first,
              int(r["end_ns"]) - first)
END_PY
tapeview -o global.html ring.sba.tape
python3 "$TAPE_TOP/tests/rigs/page_data.py" global.html events |
	sed -E 's/^([0-9]+) (-?[0-9]+)\.\.(-?[0-9]+) (MPI_[^ ]*).*/\1 \4 \2 \3/' |
	sort >shown
sort -o expected expected
ok "each single call has tapedump's times" same expected shown
ok "as many as the page says" equal "$(value ring.dom events)" \
	"$(wc -l <expected)"

# ---- pictures ----

ok "SVG is XML that a checker takes" sh -c \
	'tapeview --svg -o ring.svg ring.sba.tape ring.tico.tape && python3 -c \
	"import xml.dom.minidom as m; m.parse(\"ring.svg\")"'
ok "it has a line for each message in both bases" \
	equal "$(grep -c 'class="message"' ring.svg)" 120
# by its head: signature, width, height
if tapeview --png -o ring.png ring.tico.tape 2>log; then
	ok "PNG of 2000 pixels" equal "$(od -An -tx1 -N 20 ring.png | tr -d ' \n')" \
		89504e470d0a1a0a0000000d49484452000007d0
else
	ok "without librsvg it says what to install" holds librsvg2-dev log
fi

# ---- pressing keys and clicking ----

# press PAGE OUT SCRIPT: the page with a script that runs once it is loaded
press()
{
	{
		cat "$1"
		echo "<script>"
		cat <<'END_JS'
const key = k => dispatchEvent(new KeyboardEvent('keydown', { key: k }));
/* what was changed, now: frames are rare in virtual time */
const drawn = () => draw();
const wait = ms => new Promise(r => setTimeout(r, ms));
/* the colour of most of some pixels around x: lines of the axis cross them */
const colour = (x, y) => {
	const v = document.getElementById('rows').getContext('2d')
		.getImageData(Math.round(x) - 8, y, 17, 1).data;
	const p = [0, 4, 8, 12, 16].map(i => v.slice(4 * i, 4 * i + 3).join());
	return p.sort((a, b) => p.filter(v => v === b).length -
		p.filter(v => v === a).length)[0];
};
const out = (k, v) => { document.documentElement.dataset[k] = v; };
(async () => {
	while (!document.documentElement.dataset.loadMs)
		await wait(20);
END_JS
		echo "$3"
		echo "	await wait(400); out('hash', location.hash); })();</script>"
	} >pressed.html
	dom pressed.html "$2"
}
press ring.html keys.dom "
	const wide = V.to - V.from;
	key('w'); drawn();
	out('zoomed', ((V.to - V.from) / wide).toFixed(2));
	key('b'); drawn();
	key('m'); drawn();
	key('p'); key('o'); drawn();
	const p = base().path, k = p.ns.indexOf(Math.max(...p.ns));
	const x = p.to[k] - p.ns[k] / 2;
	setWindow(x - p.ns[k], x + p.ns[k]); drawn();
	out('path', colour(toX(x), callsY(p.flow[k]) +
		Math.min(4, callsHeight() / 4)));"
ok "keys: no complaint" quiet keys.dom
ok "W zooms in" equal "$(value keys.dom zoomed)" 0.60
ok "B changes the time base" equal "$(value keys.dom base)" raw
ok "P draws the critical path" equal "$(value keys.dom path)" 214,0,108
ok "M hides the messages" equal "$(value keys.dom shown)" 0
ok "the address keeps that" \
	holds 'data-hash="#from=[0-9-]*&amp;to=[0-9-]*&amp;base=raw&amp;lines=0&amp;waits=0&amp;path=1"' keys.dom
press ring.html jump.dom "
	const e = T.to[5]; select(e); drawn();
	document.querySelector('.partner').click(); drawn();
	out('partner', V.selected === T.from[5]);
	jumpPartner(); drawn();
	out('back', V.selected === e);
	document.querySelector('#sites tbody tr').click(); drawn();
	out('sites', V.places.size);
	key('Escape'); drawn();
	out('none', V.places === null && V.selected === -1);
	document.getElementById('search').value = 'isend';
	document.getElementById('search').oninput({ target: { value: 'isend' } });
	drawn(); out('found', [...V.places].map(i => T.places[i][0]).join());
	search(''); key('?'); out('help', document.getElementById('help').open);"
ok "a click on the partner goes there" equal "$(value jump.dom partner)" true
ok "and again back" equal "$(value jump.dom back)" true
ok "a click on a call site highlights it" equal "$(value jump.dom sites)" 1
ok "Escape ends that" equal "$(value jump.dom none)" true
ok "search finds a call" equal "$(value jump.dom found)" MPI_Isend
ok "? opens help" equal "$(value jump.dom help)" true
ok "jumps: no complaint" quiet jump.dom

# ---- a mouse ----

look() { python3 "$TAPE_TOP/tests/rigs/browser.py" "$@"; }
wide='js:((V.to-V.from)/1e6).toFixed(3)'
middle()
{
	look ring.html "js:(b=>Math.round(b.top+b.height/2))(document.getElementById('$1').getBoundingClientRect())"
}
rows=$(middle rows) overview=$(middle overview)
look ring.html 'js:document.getElementById("rows").getBoundingClientRect().top' \
	"$wide" "wheel:700,$rows,-200" "$wide" "drag:700,$rows,500,$rows" \
	"$wide" 'js:window.at=V.from' "drag:700,$rows,600,$rows" \
	'js:V.from>at' "click:700,$overview" 'js:V.from>at+1e6' key:0 "$wide" \
	'js:(()=>{const e=T.first[1]+30;select(e);focus();focus();})()' \
	'js:[toX(base().start[V.selected]),callsY(1)].map(v=>v|0).join()' >log 2>err
ok "a mouse: no complaint" same /dev/null err
awk 'NR == 2 { a = $1 } NR == 3 { b = $1 } NR == 4 { c = $1 }
	NR == 6 { d = $1 } NR == 7 { e = $1 } NR == 8 { f = $1 }
	END { exit !(b < 0.9 * a && b > 0.3 * a && c == b && d == "True" &&
		f > a) }' log
rc=$?
ok "the wheel zooms, dragging moves, 0 shows all" sh -c "cat log; exit $rc"
look ring.html 'js:window.box=document.getElementById("rows").getBoundingClientRect(),window.m=T.to[5],(()=>{const b=base();setWindow(b.start[m]-1e5,b.end[m]+1e5);draw();})()' \
	'js:[(toX(base().start[m])+toX(base().end[m]))/2+box.left,callsY(flowOf(m))+callsHeight()/4+box.top].map(Math.round).join()' >log 2>err
at=$(sed -n 2p log)
look ring.html 'js:(()=>{window.m=T.to[5];const b=base();setWindow(b.start[m]-1e5,b.end[m]+1e5);draw();})()' \
	"move:$at" 'js:document.getElementById("tip").innerText.replace(/\s+/g," ")' >log 2>err
ok "a tip says the call, its line, its wait and its message" holds \
	'call MPI_Waitall call site main \(ring.c:[0-9]+\) on rank [0-2],.* start [0-9.]+ s took .*message from rank [0-2]: 4 bytes, tag 3, ' log

# ---- what is drawn: colours of pixels ----

press ring.html pixels.dom "
	V.lines = false; V.waits = false;
	const i = T.place.findIndex(p => T.places[p][0] === 'MPI_Waitall' );
	const b = base(), long = [...T.place.keys()].filter(e =>
		T.places[T.place[e]][0] === 'MPI_Waitall')
		.reduce((a, e) => b.end[e] - b.start[e] > b.end[a] - b.start[a] ? e : a, i);
	setWindow(b.start[long - 2] - 1e6, b.end[long] + 1e6); drawn();
	const at = ns => colour(toX(ns), callsY(flowOf(long)) + 3);
	out('inside', at(b.start[long] + (b.end[long] - b.start[long]) * 0.9));
	out('before', at(b.start[long - 2] - 2e5));"
ok "a wait has its colour" equal "$(value pixels.dom inside)" 230,159,0
ok "computing has its own" equal "$(value pixels.dom before)" 211,221,216

# ---- rows grouped by what ranks share ----

tapedump --assemble -o levels.tape "$TAPE_TOP/tests/golden/tapestat/levels/run.txt" &&
	tapeview levels.tape
press levels.html levels.dom "
	out('levels', T.head.levels.map(l => l.name + l.groups.length).join());
	out('first', levelNow().name + R.list.length);
	key('c'); drawn();
	out('closed', R.list.map(r => r.flows.length).join());
	out('between', L.drawn.length);
	out('together', colour(toX(5e6), callsY(6) + callsHeight() - 2));
	select(T.first[6] + 1); focus(); drawn();
	out('opened', R.list.map(r => r.flows.length).join());
	key('c'); key('g'); drawn();
	out('wider', levelNow().name);
	key('g'); drawn(); out('none', V.level + ' ' + R.list.length);
	key('g'); key('c'); drawn();
	out('nearest', levelNow().groups.map(g => g[0]).join());"
ok "levels that have groups" equal "$(value levels.dom levels)" \
	L36,Machine3,Switch12
ok "rows are grouped by host first" equal "$(value levels.dom first)" Machine8
ok "C closes all groups" equal "$(value levels.dom closed)" 4,2,2
ok "messages within them are not drawn" equal "$(value levels.dom between)" 2
# of the two on host c the first one waits
ok "a closed group shows its ranks" equal "$(value levels.dom together)" 240,228,66
ok "what is gone to opens its group" equal "$(value levels.dom opened)" 4,2,1,1
ok "G: the next level" equal "$(value levels.dom wider)" Switch1
ok "after the widest: ranks" equal "$(value levels.dom none)" "-1 8"
ok "then the nearest" equal "$(value levels.dom nearest)" \
	"a L3:0,a L3:1,rank 4,rank 5,c L3:0,c L3:1"
ok "the address keeps that" holds 'rows=L3&amp;closed=all' levels.dom
ok "groups: no complaint" quiet levels.dom
look levels.html 'js:["left","top"].map(k=>document.getElementById("rows").getBoundingClientRect()[k]).join()' >log 2>err
at=$(awk -F, '{ print int($1) + 20 "," int($2) + 32 }' log)
look levels.html "click:$at" 'js:R.list.length' "move:$at" \
	'js:document.getElementById("tip").innerText.replace(/\s+/g," ")' \
	"click:$at" 'js:R.list.length' >log 2>err
ok "a click on a name closes a group, and opens it" equal "$(tr '\n' ' ' <log)" \
	"5 host a position Cluster/Switch2:s2/Switch1:s0/Machine:a 4 ranks 0-3 a click opens it 8 "
ok "no complaint" same /dev/null err
ok "one host: nothing to choose" equal \
	"$(look ring.html 'js:document.getElementById("level").parentNode.hidden')" True

# ---- a message that goes backward, an incomplete trace ----

cat >back.txt <<'END_T'
meta
	tape-trace 1
	ranks 2
	base global
	domain 0 global host
	clock 0 0 0 1 0 0
rank 0
	tape-rank 1
	rank 0
	host host
	pid 10
	domain 0
	site 1 120 14 x.c <img/onerror=out("bad",1)>
	comm 1 1 2 0 MPI_COMM_WORLD
rank 1
	tape-rank 1
	rank 1
	host host
	pid 11
	domain 0
	site 1 124 32 x.c main
	comm 1 1 2 1 MPI_COMM_WORLD
flow 0 0
	3000 +10 MPI_Send @1 peer=1 tag=7 bytes=100 comm=1
	end exit 0
flow 1 0
	1000 +50 MPI_Recv @1 peer=0 tag=7 comm=1 actual_peer=0 actual_tag=7 bytes=100
	end finalize 0
END_T
tapedump --assemble back.txt && tapeview back.tape && dom back.html back.dom 500,900
ok "a message received before it was sent is counted" \
	equal "$(value back.dom backward)" 1
ok "and said" holds '1 of 1 messages are received before they were sent \(worst 1.95' back.dom
ok "an incomplete trace says so first" \
	holds '<body>.?<p id="incomplete">1 of 2 flows end early; rank 0' <(tr '\n' ' ' <back.dom)
ok "a name is no markup" lacks '<img' back.dom
sed '/^	1000 /d' back.txt >none.txt
tapedump --assemble none.txt && tapeview none.tape && dom none.html none.dom 500,900
for d in back none; do
	tr '\n' ' ' <$d.dom | grep -oE 'id="status"[^>]*>[^<]*' >$d.status
done
ok "of no messages nothing is said" eval \
	"holds 'before they were sent' back.status && [ -s none.status ] &&
	lacks ' of [0-9]+ +messages' none.status"
ok "and no complaint" quiet back.dom
finish
