#!/bin/bash
# tapejoin ends in order, whatever traces it is given (tests/rigs/joined_damage.py)
# and however large their files are. JOINED_TURNS and JOINED_SEED: more, or others.
. "$(dirname "$0")/tap.bash"
need python3
ranks=$TAPE_TOP/tests/golden/tapejoin/ranks
run damaged python3 "$TAPE_TOP/tests/rigs/joined_damage.py" \
	"${JOINED_TURNS:-300}" "${JOINED_SEED:-1}" "$ranks/p.txt" "$ranks/c.txt"
grep '^#' damaged.out
ok "traces that do not fit: joined, or refused with a sentence" \
	equal "$(cat damaged.rc damaged.err)" 0

tapedump -r -o c.tape "$ranks/c.txt"
tapedump -r -o p.tape "$ranks/p.txt"

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
finish
