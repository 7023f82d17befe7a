#!/bin/bash
# tapereport's page in a browser: its figures are tapestat's, its maps what the
# program did, it loads nothing; without Graphviz it is whole, too. And the page
# that tapelive writes at the end.
# Truth: a real browser; figures compared with tapestat, which sums.sh compares
#   with a truth.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3
chrome=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
look() { timeout 120 python3 "$TAPE_TOP/tests/rigs/browser.py" "$@"; }

# Rank r sends r + 1 messages of 100 bytes to the next one of a ring, in each of 6
# steps.
cat >ring.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	char in[100], out[100] = "";
	int r, n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &r);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	for (int step = 0; step < 6; step++) {
		for (int i = 0; i <= r; i++)
			MPI_Send(out, 100, MPI_CHAR, (r + 1) % n, 0,
				 MPI_COMM_WORLD);
		for (int i = 0; i <= (r + n - 1) % n; i++)
			MPI_Recv(in, 100, MPI_CHAR, (r + n - 1) % n, 0,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
END
mpicc -O1 -g -o ring ring.c && mpirun -np 4 taperun -o ring.tape ./ring >log 2>&1 &&
	mpirun -np 3 taperun -o other.tape ./ring >>log 2>&1
ok "two runs" test -d other.tape
ok "one page of both" tapereport --name one --name '<b>two' -o r.html ring.tape other.tape

# ---- the data, and the truth of the program ----

tapereport -j ring.tape >data.json
python3 - >maps <<'END'
import json
c = json.load(open("data.json"))["chapters"][0]
for m in sorted(c["maps"]["map"], key=lambda m: (m["of"], m["what"])):
    if m["what"] in ("hits", "bytes") and m["of"] in ("MPI_Send", "MPI_Recv"):
        print(m["of"], m["what"], *m["values"])
print(*(p[:4] for p in c["pairs"]["largest"]))
END
ok "maps: what each rank did" same maps - <<'END'
MPI_Recv bytes 2400 600 1200 1800
MPI_Recv hits 24 6 12 18
MPI_Send bytes 600 1200 1800 2400
MPI_Send hits 6 12 18 24
[3, 0, 24, 2400] [2, 3, 18, 1800] [1, 2, 12, 1200] [0, 1, 6, 600]
END

# ---- what a browser shows ----

if [ -z "$chrome" ]; then
	skip "in a browser" "chromium is not installed"
else
	look r.html "js:[...document.querySelectorAll('h2')].map(e => e.textContent).join('|')" \
		"js:JSON.parse(document.getElementById('data').textContent).chapters.length" \
		"js:performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length" \
		"js:[...document.querySelectorAll('img')].every(i => i.complete && i.naturalWidth > 0)" \
		"js:document.querySelectorAll('#c1 .nodes circle').length + ' ' + document.querySelectorAll('#c1 .edges path').length" \
		"js:document.querySelectorAll('b b, h2 b').length" >shown 2>complaints
	ok "chapters, pictures, nothing from elsewhere" same shown - <<'END'
Comparison|one|<b>two|Words
2
0
True
4 4
0
END
	ok "and no complaint" test ! -s complaints
	look r.html 'js:[...[...document.querySelectorAll("#c1 h4")].find(h => h.textContent == "By call site").nextElementSibling.querySelectorAll("tbody tr")].map(r => r.cells[1].textContent + " " + r.cells[6].textContent + " " + r.cells[0].textContent).join("\n")' >sites
	tapestat -c -t calls ring.tape | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
most = max(float(r["total_s"]) for r in rows)
digits = 3 if most >= 100 else 6 if most >= 0.001 else 9
for r in rows[:12]:
    print("%.*f" % (digits, float(r["total_s"])), r["calls"], r["call_site"])' >expected
	ok "the profile is tapestat's" same expected sites
	# a square's rank and value under the pointer
	look r.html 'js:(() => { const f = [...document.querySelectorAll("#c1 .map")].find(f => f.closest(".maps").querySelector("h4")?.textContent == "MPI_Send"); const i = f.querySelector("img"); i.scrollIntoView({block: "center"}); const b = i.getBoundingClientRect(); i.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: b.right - 3, clientY: b.bottom - 3})); return document.getElementById("tip").textContent })()' >tip
	ok "a square says whose it is" equal "$(cat tip)" "rank 3: 24"
fi

# ---- without Graphviz ----

mkdir none
ok "without Graphviz" env PATH="$PWD/none" "$(command -v tapereport)" \
	-o plain.html ring.tape
ok "it says so" holds 'Graphviz, which finds a better layout, is not installed' plain.html
ok "and draws all ranks" equal "$(grep -c '<circle' plain.html)" 4
printf '#!/bin/sh\nwhile :; do echo node 99999 1e999 "<script>"; break; done\n' >none/neato
chmod +x none/neato
env PATH="$PWD/none:$PATH" tapereport -o bad.html ring.tape
ok "a Graphviz that talks nonsense" holds 'Graphviz found no layout' bad.html

# ---- of a program that is followed ----

tapelive --report live.html --keep --wait 100 live.tape >live.out 2>live.err &
pid=$!
mpirun -np 4 taperun -o live.tape ./ring >>log 2>&1
wait $pid
ok "tapelive writes a page at the end" equal $? 0
sed -n '/id="data"/,/^<.script>/p' live.html | sed '1d;$d' >live.json
python3 -c '
import json
for m in json.load(open("live.json"))["chapters"][0]["maps"]["map"]:
    if m["of"] == "MPI_Send" and m["what"] == "hits": print(*m["values"])' >hits
ok "with the same maps" equal "$(cat hits)" "6 12 18 24"
finish
