#!/bin/bash
# tapejoin ends in order, whatever traces it is given (tests/rigs/joined_damage.py)
# and however large their files are. JOINED_TURNS and JOINED_SEED: more, or others.
# Truth: no crash, no hang, of mutated traces; the messages of real jobs.
. "$(dirname "$0")/tap.bash"
need python3
ranks=$TAPE_TOP/tests/golden/tapejoin/ranks
run damaged python3 "$TAPE_TOP/tests/rigs/joined_damage.py" \
	"${JOINED_TURNS:-300}" "${JOINED_SEED:-1}" "$ranks/p.txt" "$ranks/c.txt"
grep '^#' damaged.out
ok "traces that do not fit: joined, or refused with a sentence" \
	equal "$(cat damaged.rc damaged.err)" 0

tapedump --assemble -o c.tape "$ranks/c.txt"
tapedump --assemble -o p.tape "$ranks/p.txt"

# ---- flows that end early ----

for t in c p; do
	python3 "$TAPE_TOP/tests/rigs/contain.py" $t.tape in.$t.tape 3
done
tapejoin -o whole.tape c.tape p.tape >/dev/null
ok "traces in containers" tapejoin -o same.tape in.c.tape in.p.tape
ok "are joined to the same trace" same <(tapedump whole.tape 2>&1) \
	<(tapedump same.tape 2>&1 | sed 's/same\.tape/whole.tape/')
# a second thread of rank 0, whose bytes have not been written
python3 - in.[cp].tape/node.0 <<'PY'
import struct, sys
for name in sys.argv[1:]:
    with open(name, "r+b") as f:
        head = bytearray(f.read(64))
        end, n = struct.unpack_from("<QQ", head, 8)
        struct.pack_into("<Q", head, 16, n + 1)
        f.seek(0)
        f.write(head)
        f.seek(64 + 32 * n)
        f.write(struct.pack("<IIQQQ", 0, 1, 0, end, 200000))
PY
run cut tapejoin -o cut.tape in.c.tape in.p.tape
ok "containers that end early are joined, too" equal "$(cat cut.rc)" 0
for t in c p; do
	ok "and it is said: $t" holds \
		"^tapejoin: in\.$t\.tape/flow\.0\.1: ends after 0 of 200000 bytes" cut.err
done

# ---- large files ----

# Each of these took minutes when all was compared with all.
python3 - <<'PY'
import shutil
def more(name, lines, rank_lines=""):
    with open(name + "/meta", "a") as f:
        f.write(lines)
    with open(name + "/rank.1", "a") as f:
        f.write(rank_lines)
for n, job in enumerate("cp"):
    more(job + ".tape",
         "".join("domain %d clock%d h\n" % (i, i * (n + 1))
                 for i in range(2 - n, 30000)) +
         "".join("filter calls %d\n" % i for i in range(900)) +
         "".join("program x%d\n" % i for i in range(900)))
for i in range(200):
    shutil.copytree("c.tape", "c%d.tape" % i)
    name = "c%d.tape/meta" % i
    text = open(name).read().split("domain 2 ")[0]
    open(name, "w").write(text.replace("spawned ab", "spawned c%03d" % i))
    more("p.tape", "", "comm %d c%03d 3 1 x\nspawn c%03d x\n" % (4 + i, i, i))
with open("p.tape/rank.0", "a") as f:
    f.writelines("spawn %x x\n" % i for i in range(1000000, 2000000))
PY
run large timeout 60 tapejoin -o large.tape p.tape c.tape c[0-9]*.tape
ok "many clocks, settings, jobs and lines" equal \
	"$(cat large.rc large.err; grep -c '^ranks' large.out)" $'0\n202'
ok "clocks of both are one" equal "$(grep -c ^domain large.tape/meta)" 45000
# ---- tape run ----

# The command of tape run "makes" traces: of p, of c, which p spawned, and of a job
# that nobody spawned.
mkdir run
tapedump --assemble -o run/p.tape "$ranks/p.txt"
sed 's/tsc:b:0 g/tsc:a:0 h/; /domain 1 tsc/d; s/^\tdomain 1$/\tdomain 0/' \
	"$ranks/c.txt" >c.txt
tapedump --assemble -o run/c.tape c.txt
tapedump --assemble -o run/other.tape "$ranks/p.txt"
cat >makes.sh <<'END'
for t in p c other; do
	cp -r run/$t.tape $t.run.tape
	echo "run_id $TAPE_RUN_ID" >>$t.run.tape/meta
done
echo "child /nowhere/c.run.tape" >p.run.tape/spawn.ab
eval "$1"
echo made
exit 3
END
reported() { grep -oE '^[a-z0-9.]+\.tape  ' "$1" | xargs; }
clear() { rm -rf ./*.run.tape ./*.run.*.tape; }
clear
run joins tape run sh makes.sh ''
ok "tape run: the traces of jobs that spawned one another are joined" equal \
	"$(reported joins.err)" "other.run.tico.tape p.run.joined.tico.tape"
ok "tape run: it says whose ranks are whose" holds \
	"^ranks 2 to 4 of c.run.tape, spawned by p.run.tape, rank 1$" joins.err
ok "tape run: status and output are the command's" equal \
	"$(cat joins.rc joins.out)" $'3\nmade'
ok "tape run: messages of both have both sides" equal "$(
	tapedump --messages p.run.joined.tape 2>/dev/null | grep -c ^matched)" 1
clear
run alone tape run sh makes.sh \
	'sed -i "s/version 1/version 2/" c.run.tape/meta'
ok "tape run: traces that cannot be joined are reported one by one" equal \
	"$(reported alone.err)" \
	"other.run.tico.tape p.run.tico.tape c.run.tico.tape"
ok "tape run: it says why" holds "^tapejoin: .*version" alone.err
clear
mkdir p.run.joined.tape
run way tape run sh makes.sh ''
ok "tape run: what is in the way stays" holds \
	"^tape: p.run.joined.tape exists and was not written by" way.err
clear
run circle tape run sh makes.sh \
	'sed -i "\$a spawned ad c" p.run.tape/meta; >c.run.tape/spawn.ad'
ok "tape run: jobs that spawned each other are reported one by one" equal \
	"$(reported circle.err)" \
	"c.run.tico.tape other.run.tico.tape p.run.tico.tape"
finish
