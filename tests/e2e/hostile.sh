#!/bin/bash
# Names that a trace holds are anybody's: what tools print of them is one line
# of printable UTF-8, and JSON, XML and the text that -r reads stay what they
# are. Good UTF-8 is printed as it is.
# Truth: rules of UTF-8, JSON and XML, by other parsers.
. "$(dirname "$0")/tap.bash"
need python3
python3 - >hostile.txt <<'PY'
# ESC [ 3 1 m, line breaks, DEL, C1 (raw and as UTF-8), bad and cut UTF-8, an
# override of direction, quotes, markup, a backslash; then what is good
evil = bytes(range(1, 32)) + b'\x7f\x9b31m\xc3\x28\xe2\x82\xff\xc2\x9b2J' \
    b'\xe2\x80\xae\xed\xa0\x80\xf5\x80\x80\x80"\'<&>\\,;%' + 'äß€𝄞'.encode()
raw = evil.translate(None, b'\n\0')
def word(*parts):
    return b''.join(b'%%%02x' % c if c <= 32 or c in b'%\x7f' else b'%c' % c
                    for c in b''.join(parts))
def out(*lines):
    import sys
    for l in lines:
        sys.stdout.buffer.write(l if isinstance(l, bytes) else l.encode())
        sys.stdout.buffer.write(b'\n')
e = word(evil)
samples = [b'sample %s 1 %d %d %d %d' % (w, t + 10000 * k,
           t + 10000 * k + 101, t + 10000 * k + 101, t + 10000 * k + 200)
           for w, t in ((b'before', 1000000), (b'after', 2000000000))
           for k in range(5)]
for title, lines in [
    (b"clocks", samples),
    (b'meta', [b'tape-trace 1', b'program ' + e, b'command x ' + e, b'date 0',
               b'ranks 3', b'library ' + e, b'version 1', b'base local',
               b'alpha calibrated', b'filter calls ' + e,
               b'domain 0 ' + e + b'a h', b'domain 1 ' + e + b'b h',
               b'eager shm 4096', b'history ' + e, b'unknown ' + raw])] + [
    (b'rank %d' % r, [b'tape-rank 1', b'rank %d' % r, b'host ' + e + b'%d' % r,
               b'pid 1', b'domain %d' % (r % 2), b'alpha send 10 20',
               b'site 1 120 14 ' + e + b' ' + e,
               b'site 2 124 20 ring.c ' + e,
               b'module /nowhere' + e + b' % 1 1',
               b'address 3 161 1f0 /nowhere' + e + b' ' + e,
               b'comm 1 1 3 %d ' % r + e, b'region 1 ' + e,
               b'counter 0 ' + e + b' ' + e + b' events 0',
               b'note ' + raw]) for r in (0, 1)]:
    out(title, *[b'\t' + l for l in lines])
for r in (0, 1):
    out('flow %d 0' % r, '\tanchor 900000 900000 0',
        '\tanchor 2000300000 2000300000 0', '\t1500000 +0 enter region=1')
    for k in range(20):
        if r == 0:
            out('\t%d +500 MPI_Send @1 peer=1 tag=7 bytes=100 comm=1 count=0:1:2' % (1503000 + 2000 * k))
        else:
            out('\t%d +900 MPI_Recv @2 peer=0 tag=7 comm=1 actual_peer=0 actual_tag=7 bytes=100 arrived=0 probe=0' % (1503100 + 2000 * k))
    out('\t1590000 +500 MPI_Send @1 peer=1 tag=9 bytes=100 comm=1',
        '\t1591000 +0 counted rate=5 calls=7 site=1 region=0',
        '\t1591000 +0 leave region=1',
        '\t1592000 +100 MPI_Iprobe @3 peer=1 tag=9 comm=1 flag=0 actual_peer=0 actual_tag=0 bytes=0',
        '\tend finalize 0')
PY
cat >scan.py <<'PY'
# Good UTF-8, without control characters but newline (and tab, with -t), nor
# what turns the direction of text round; of JSON (-j) each line is an object.
import json, sys, unicodedata
args = sys.argv[1:]
for name in args:
    if name.startswith('-'):
        continue
    text = open(name, 'rb').read().decode()
    for i, line in enumerate(text.split('\n')):
        for c in line:
            if unicodedata.category(c) in ('Cc', 'Cf', 'Cs', 'Cn', 'Zl', 'Zp') \
                    and not (c == '\t' and '-t' in args):
                sys.exit('%s: line %d: %r in %r' % (name, i + 1, c, line))
        if '-j' in args and line:
            json.loads(line)
    if '-n' in args and 'äß€𝄞' not in text:
        sys.exit('%s: good UTF-8 is not in it' % name)
    if not text and '-e' not in args:
        sys.exit('%s: nothing in it' % name)
PY
evil=$(printf 'x\033[31m\ny')
ok "the trace is put together" tapedump --assemble -o "$evil.tape" hostile.txt
# scan FLAGS NAME COMMAND...: what it prints on both streams
scan()
{
	local flags=$1 name=$2

	shift 2
	"$@" >"$name.out" 2>"$name.err" </dev/null
	python3 scan.py $flags "$name.out" &&
		{ [ ! -s "$name.err" ] || python3 scan.py "$name.err"; }
}
ok "tapedump" scan "-t -n" text tapedump "$evil.tape"
ok "tapedump -g" scan "-t -n" text-g tapedump -g "$evil.tape"
ok "tapedump -i" scan -n summary tapedump -i "$evil.tape"
ok "tapedump -j" scan "-j -n" json tapedump -j "$evil.tape"
ok "tapedump -c" scan -n csv tapedump -c "$evil.tape"
ok "tapedump -m" scan -n pairs tapedump --messages "$evil.tape"
ok "tapedump -m -j" scan "-j -n" pairs-j tapedump --messages -j "$evil.tape"
ok "sba" scan -n sba sba --messages -s "coef$evil" --plot plots "$evil.tape"
ok "sba: its pictures are XML" python3 -c '
import xml.dom.minidom, glob
f = glob.glob("plots/*.svg")
assert f
for n in f: xml.dom.minidom.parse(n)'
ok "sba: its pictures" python3 scan.py -n plots/clock.1.svg
ok "sba: coefficients" python3 scan.py -n "coef$evil"
ok "sba: they are read back" sba -l "coef$evil" -a 1e9 -o loaded.tape "$evil.tape"
rm -rf "$evil.sba.tape"
ok "sba -j" scan "-j -n" sba-j sba --messages -j "$evil.tape"
ok "tico" scan -n tico tico -o t1.tape "$evil.sba.tape"
ok "tico -j" scan "-j -n" tico-j tico -j -o t2.tape "$evil.sba.tape"
ok "tapefit" scan -e trial tapefit -g "page$evil" "$evil.sba.tape"
ok "tapefit: its page" python3 scan.py "page$evil"
ok "tapedump of the result" scan "-t -n" result tapedump t1.tape
ok "t2np" scan "" t2np t2np -o - "$evil.sba.tape"
ok "tapestat" scan "" tapestat tapestat -a "$evil.sba.tape"
ok "tapestat -j" scan "-j" tapestat tapestat -j "$evil.sba.tape"
ok "errors: what does not exist" scan -e none tapedump -j "no$evil"
printf '\377' | dd of="$evil.tape/flow.0.0" bs=1 seek=4 conv=notrunc status=none
ok "errors: damage" scan -n damage tapedump -i "$evil.tape"

# text, back into a trace, and text again
cp text.out again.txt
ok "text is read back" tapedump --assemble -o again.tape again.txt
ok "text of that" scan "-t -n" again tapedump again.tape
ok "both texts are the same" same text.out again.out
tapedump -j again.tape >again.json 2>/dev/null
ok "and so are the names" same json.out again.json
ok "CSV has as many fields in each line" python3 -c '
import csv
for n in "csv.out", "pairs.out":
    assert len({len(r) for r in csv.reader(open(n, encoding="utf-8"))}) == 1'
ok "JSON: good characters are kept, a line break is one" python3 -c '
import json
r = [json.loads(l)["function"] for l in open("json.out") if "function" in l]
assert "\n" in r[0] and r[0].endswith("äß€𝄞") and "\x1b" in r[0], r[0]'
finish
