#!/bin/bash
# The whole way on a real program: taperun, sba, tico, tapedump in all its
# forms, text and back; and what the tools say of traces that are damaged.
# Truth: the program's own count; round trips of text.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
# hpcc is a program of Open MPI
if [ "$MPI" = openmpi ] && command -v hpcc >/dev/null; then
	"$here/hpccinf" 100 >hpccinf.txt
	program=(hpcc)
elif [ "$MPI" = mpich ]; then
	build doors doors.c
	program=(./doors ring 2000)
else
	build conform conform.c
	program=(./conform counts)
fi

# quiet COMMAND...: ends well, says nothing on standard error
quiet()
{
	run quiet "$@"
	equal "$(cat quiet.rc; said quiet.err)" 0
}

ok "taperun ${program[0]}" quiet mpirun -np 2 taperun -o run "${program[@]}"
ok "sba" quiet sba run.tape
ok "sba names its output after the input" test -s run.sba.tape/meta
ok "sba: one clock, nothing to complain of" \
	holds '0 violations before.* 0 after' quiet.out
ok "tico" quiet tico run.sba.tape
cp quiet.out tico.out
ok "tico names its output after the input" test -s run.sba.tico.tape/meta \
	-o -s run.tico.tape/meta
corrected=$(ls -d run*.tico.tape)
ok "sba leaves the raw trace as it was" same run.tape/flow.0.0 \
	run.sba.tape/flow.0.0
bases()
{
	holds '^base local$' run.tape/meta &&
		holds '^base global$' run.sba.tape/meta &&
		holds '^base compensated$' "$corrected/meta" &&
		equal "$(grep -c ^history "$corrected/meta")" 2
}
ok "base and history" bases
refused()
{
	local words=$1

	shift
	run refused "$@"
	equal "$(cat refused.rc)$(cat refused.out)" 1 &&
		equal "$(wc -l <refused.err)" 1 && holds "$words" refused.err
}
ok "sba refuses what it wrote" refused '^sba: .*already in global time' \
	sba run.sba.tape
ok "tico refuses what it wrote" refused '^tico: .*already corrected' \
	tico "$corrected"
ok "sba does not write over what is there" refused \
	'^sba: run.sba.tape exists' sba run.tape
ok "tico does not write over what is there" refused \
	"^tico: $corrected exists" tico run.sba.tape
again()
{
	sba -o again.sba.tape run.tape >/dev/null &&
		tico -o again.tico.tape again.sba.tape >/dev/null &&
		diff -r run.sba.tape again.sba.tape &&
		diff -r "$corrected" again.tico.tape
}
ok "the same trace gives the same results, bit for bit" again

# ---- the same events in every form ----

# calls TRACE: rank, call, count, from the text
calls()
{
	tapedump "$1" | awk '
		$1 == "flow" { r = $2 }
		$3 ~ /^MPI_/ { n[r " " $3]++ }
		END { for (k in n) print k, n[k] }' | sort
}
events_kept()
{
	calls run.tape >raw.calls
	[ "$(wc -l <raw.calls)" -gt 10 ] && same raw.calls <(calls run.sba.tape) &&
		same raw.calls <(calls "$corrected")
}
ok "no event is lost or made on the way" events_kept

for t in run run.sba "${corrected%.tape}"; do
	text_again()
	{
		tapedump "$t.tape" >x && tapedump --assemble -o y.tape x &&
			tapedump y.tape >y && cmp x y && [ -s x ]
		local rc=$?
		rm -rf y.tape
		return $rc
	}
	ok "$t: text and back is the same text" text_again
	summary_agrees()
	{
		tapedump -i "$t.tape" | awk '$1 ~ /^MPI_/ { print $1, $2 }' |
			sort >i
		same i <(calls "$t.tape" | awk '{ n[$2] += $3 }
			END { for (k in n) print k, n[k] }' | sort)
	}
	ok "$t: the summary has the same counts" summary_agrees
	if command -v jq >/dev/null; then
		json()
		{
			tapedump -j "$t.tape" | jq -r 'select(.call | startswith("MPI_")) |
				"\(.rank) \(.call) \(.end_ns >= .start_ns)"' |
				sort | uniq -c |
				awk '{ print $2, $3, $1, $4 }' >j &&
				same <(awk '{ print $0, "true" }' raw.calls) j
		}
		ok "$t: JSON lines hold the same, each ends after its start" json
	else
		skip "$t: JSON lines" "jq is not installed"
	fi
	if command -v python3 >/dev/null; then
		csv() { tapedump -c "$t.tape" | python3 -c "$columns" >c &&
			same raw.calls c; }
		columns='
import collections, csv, sys
rows = csv.reader(sys.stdin, strict=True)
head = next(rows)
assert len(set(head)) == len(head) > 5, head
n = collections.Counter()
for row in rows:
	assert len(row) == len(head), row
	event = dict(zip(head, row))
	if event["call"].startswith("MPI_"):
		n["%s %s" % (event["rank"], event["call"])] += 1
for line in sorted("%s %d" % k for k in n.items()):
	print(line)'
		ok "$t: CSV holds the same, as many fields in each line" csv
	else
		skip "$t: CSV" "python3 is not installed"
	fi
done
ok "text from standard input" equal "$(tapedump run.tape |
	tapedump --assemble -o stdin.tape - 2>&1; tapedump stdin.tape | cmp - <(
	tapedump run.tape) && echo same)" same
ok "sba -j is one JSON object" eval 'sba -j -o j.tape run.tape |
	jq -e ".violations_after == 0 and (.clocks | length) == 1"'
ok "tico -j is one JSON object" eval 'tico -j -o k.tape run.sba.tape | jq -e "type == \"object\""'
to_full() { ! tapedump run.tape >/dev/full 2>err && holds '^tapedump: ' err; }
ok "a full standard output is an error" to_full

# ---- damaged traces ----

fresh() { rm -rf bad.tape && cp -r run.tape bad.tape; }

# flip FILE OFFSET: the byte there becomes another
flip()
{
	local was

	was=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
	printf "\\$(printf %o $((was ^ 255)))" |
		dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Each tool fails with one sentence that names the file, and its place.
sentence()
{
	local words=$1 tool rc

	for tool in "sba -o out.tape" "tico -o out.tape" "tapedump -i" \
		"tapedump -j"; do
		$tool bad.tape >bad.out 2>bad.err
		rc=$?
		equal "$rc" 1 && equal "$(said bad.err | wc -l)" 1 &&
			holds "^${tool%% *}: .*bad.tape/$words" bad.err &&
			[ ! -e out.tape ] || { echo "$tool"; return 1; }
	done
}
# Each tool works on what is whole, and says in one such sentence what is not.
goes_on()
{
	local words=$1 tool rc

	for tool in "sba -o out.tape" "tico -o out.tape" "tapedump -i" \
		"tapedump -j"; do
		rm -rf out.tape
		$tool bad.tape >bad.out 2>bad.err
		rc=$?
		equal "$rc" 0 && equal "$(said bad.err | wc -l)" 1 &&
			holds "^${tool%% *}: .*bad.tape/$words" bad.err &&
			[ -s bad.out ] &&
			{ [[ $tool != *-o* ]] || [ -d out.tape ]; } ||
			{ echo "$tool"; return 1; }
	done
	holds '"rank":0,' bad.out
	rm -rf out.tape
}
place='offset [0-9]+: '
size=$(stat -c %s run.tape/flow.1.0)
fresh; flip bad.tape/flow.1.0 3000
ok "a byte of a record changed" goes_on "flow.1.0: .*$place"
fresh; flip bad.tape/flow.1.0 0
ok "a chunk's first byte changed" goes_on "flow.1.0: .*$place"
fresh; flip bad.tape/flow.1.0 20
ok "a chunk's length changed" goes_on "flow.1.0: .*$place"
if [ "$size" -gt 70000 ]; then
	fresh; flip bad.tape/flow.1.0 65560
	ok "a later chunk's header changed" goes_on "flow.1.0: .*$place"
	fresh; truncate -s 70000 bad.tape/flow.1.0
	ok "the flow cut in the middle of a chunk" goes_on \
		"flow.1.0: .*$place"
	fresh; cp bad.tape/flow.0.0 bad.tape/flow.1.0
	ok "another rank's flow" goes_on "flow.1.0: .*$place"
else
	skip "later chunks" "the program's trace has one chunk"
fi
fresh; echo 'nonsense' >bad.tape/meta
ok "meta is something else" sentence 'meta: line 1: '
fresh; sed -i 's/^ranks .*/ranks 1000000000000/' bad.tape/meta
ok "meta claims ranks without end" sentence 'meta: line [0-9]+: '
fresh; sed -i 's/^base .*/base neither/' bad.tape/meta
ok "meta: an unknown base" sentence 'meta: line [0-9]+: '
fresh; sed -i '/^domain /d' bad.tape/meta
ok "meta without clock domains" sentence '(meta|rank.[01])(: line [0-9]+)?: '
fresh; sed -i '0,/^address/s/^address [0-9]*/address 99999999/' bad.tape/rank.0
ok "a call site out of order" sentence 'rank.0: line [0-9]+: '
fresh; sed -i 's/^domain .*/domain 7/' bad.tape/rank.1
ok "a domain that is none" sentence 'rank.1: line [0-9]+: '
fresh; rm bad.tape/meta
ok "no meta" sentence 'meta: No such file'
no_trace()
{
	local tool

	for tool in sba tico tapedump; do
		refused "^$tool: none.tape" "$tool" none.tape || return
	done
}
ok "no such trace" no_trace
text_damaged()
{
	tapedump run.tape >x
	sed '0,/ +[0-9]* MPI_/s/\(+[0-9]*\) MPI_[A-Za-z_]*/\1 MPI_Nothing/' x >y
	refused '^tapedump: y: line [0-9]+: ' tapedump --assemble -o out.tape y &&
		[ ! -e out.tape ]
}
ok "text with a call that is none: refused, with its line" text_damaged
finish
