#!/bin/bash
# The reader for one's own code: the shared library, its page's example in C and
# C++ from a place that was moved, and the Python module, with and without pandas.
# Truth: numbers of the trace, written by hand.
. "$(dirname "$0")/tap.bash"
command -v cc >/dev/null || { skip reader "no C compiler"; finish; }
tapedump --assemble -o run.tape "$TAPE_TOP/tests/golden/tapestat/delay/run.txt"

# ---- C ----
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory -C "$TAPE_TOP" B="$TAPE_BUILD" PREFIX="$work/old" \
	install >/dev/null 2>install.err
ok "it is installed" equal "$(cat install.err)" ""
mv old new
export PKG_CONFIG_LIBDIR=$work/new/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=
sed -n '/^\.EX/,/^\.EE/p' "$TAPE_TOP/reader/tape-reader.3" | grep -v '^\.E' |
	sed 's/\\e/\\/g' >inside.c
cp inside.c inside.cc
san=
nm -D new/lib/libtape-reader.so | grep -q __asan_init &&
	san=-fsanitize=address,undefined
truth='rank 0: 0.000000000 s
rank 1: 0.006000000 s
rank 2: 0.009000000 s'
if command -v pkg-config >/dev/null; then
	flags=$(pkg-config --cflags --libs tape-reader)
	ok "C, from where it was moved to" cc -Wall -Wextra -Werror $san inside.c $flags -o c
	ok "it runs, without any setting" equal "$(./c run.tape)" "$truth"
	ok "by the shared library" holds "libtape-reader.so.0" <(ldd c)
	ok "what is wrong is said" equal "$(./c nothing.tape 2>&1)" \
		"nothing.tape: No such file or directory"
	if command -v c++ >/dev/null; then
		ok "C++" c++ -Wall -Wextra -Werror $san inside.cc $flags -o cc
		ok "C++: it runs" equal "$(./cc run.tape)" "$truth"
	fi
else
	skip "pkg-config" "it is not installed"
fi
nm -D --defined-only new/lib/libtape-reader.so | awk '{ print $3 }' | sort >exported
grep -ohE '^[a-z].*[ *]tape_[a-z_]+\(' "$TAPE_TOP"/reader/tape_{reader,follow,call_in_progress}.h |
	grep -v '^static' | grep -oE 'tape_[a-z_]+\($' | tr -d '(' | sort -u >declared
ok "it exports what the header declares" equal "$(cat exported)" "$(cat declared)"
ok "and the page names it" equal "$(while read -r f; do
	grep -q "$f" "$TAPE_TOP/reader/tape-reader.3" || echo $f; done <declared)" ""

# ---- Python ----
python=${PYTHON:-/usr/bin/python3}
[ -z "$san" ] || { skip python "the library is built with sanitizers"; finish; }
[ -x $python ] || { skip python "mpi python3 is not installed"; finish; }
export PYTHONPATH=$work/new/lib/python3/dist-packages
cat >use.py <<'PY'
import sys
if sys.argv[1] == "plain":
    sys.modules["pandas"] = None
    sys.modules["numpy"] = None
import tape
with tape.Trace("run.tape") as t:
    e, m, w = t.events(), t.messages(), t.waits()
    if sys.argv[1] != "plain":
        e, m, w = (x.to_dict("records") for x in (e, m, w))
    print(t.base, t.ranks, t.hosts, t.positions[2], len(e))
    for x in e:
        if x["call"] == "MPI_Recv":
            print(x["rank"], x["start_ns"], x["duration_ns"], x["peer"],
                  x["tag"], x["bytes"], x["comm"], x["site"], x["class"])
    print(sorted({x["region"] for x in e}))
    print([(x["from"], x["to"], x["sent_ns"], x["end_ns"]) for x in m])
    print([(x["rank"], x["for_rank"], x["waiting_s"], x["call_site"])
           for x in w])
    print(len(t.table("path")))
for bad in "nothing.tape", "use.py":
    try:
        tape.Trace(bad)
    except tape.Error as x:
        print(x)
try:
    tape.Trace("run.tape").table("nonsense")
except tape.Error as x:
    print(x)
PY
truth="global 3 ['host', 'host', 'host'] Cluster/Machine:host 18
1 4000000 6000000 0 7 8 1 work.c:6 recv
2 3000000 9000000 1 7 8 1 work.c:6 recv
['', 'f', 'g']
[(0, 1, 10000000, 10000000), (1, 2, 12000000, 12000000)]
[(2, 1, 0.009, 'MPI_Recv work.c:6'), (1, 0, 0.006, 'MPI_Recv work.c:6')]"
ok "Python, without pandas" equal "$($python use.py plain 2>&1 | head -n 6)" "$truth"
ok "Python: errors are the reader's and the tools'" equal \
	"$($python use.py plain 2>&1 | tail -n 3 | cut -c1-45)" \
	"nothing.tape: No such file or directory
use.py: Not a directory
tapestat: nonsense: no such table. Tables are"
if $python -c 'import pandas' 2>/dev/null; then
	ok "Python, with pandas" equal "$($python use.py pandas 2>&1 | head -n 6)" "$truth"
else
	skip "Python, with pandas" "mpi python3-pandas is not installed"
fi

# a region whose name a spreadsheet would run: CSV shields it, Python has it
sed 's/region 1 f$/region 1 =f/' \
	"$TAPE_TOP/tests/golden/tapestat/delay/run.txt" >formula.txt
tapedump --assemble -o formula.tape formula.txt
tapedump -c formula.tape >formula.csv
tapestat -c -t regions formula.tape >>formula.csv
ok "CSV: no field is a formula" equal \
	"$(grep -Ec "(^|,)'=f(,|$)" formula.csv) $(grep -Ec '(^|,)=f' formula.csv)" "7 0"
cat >formula.py <<'PY'
import sys
if sys.argv[1] == "plain":
    sys.modules["pandas"] = None
    sys.modules["numpy"] = None
import tape
r = tape.Trace("formula.tape").table("regions")
print(sorted(r["region"] if sys.argv[1] != "plain" else
             [x["region"] for x in r]))
PY
ok "Python: the name is as in the program" equal \
	"$($python formula.py plain 2>&1)" "['=f', 'g']"
if $python -c 'import pandas' 2>/dev/null; then
	ok "Python: with pandas too" equal "$($python formula.py pandas 2>&1)" \
		"['=f', 'g']"
fi
finish
