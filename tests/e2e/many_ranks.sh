#!/bin/bash
# Traces of more ranks than a process may have files open, and than a page has room
# for lines.
# Truth: numbers of the generator.
. "$(dirname "$0")/tap.bash"
need jq
made=$TAPE_BUILD/bench/made
if [ ! -x "$made" ]; then
	skip "many ranks" "mpi bench/made was not built"
	finish
fi

"$made" halo 1500 22500 many.tape 64
with_few_files() { (ulimit -n 64 && "$@"); }
ok "bursts of 1500 ranks with 64 files open at most" \
	with_few_files tapebursts -o bursts many.tape
ok "each has its calls" \
	equal "$(cat bursts/* | wc -l)" $((1500 * (1 + 3 * 5 + 1)))

ok "a report" tapereport -o page.html many.tape
sed -n '/id="data"/,/^<.script>/p' page.html | sed '1d;$d' >page.json
tapereport -j many.tape >all.json
ok "the page has 2,000 rows of a table and says how many more there are" \
	equal "$(jq '.chapters[0] | (.waits | length), .waits_left_out > 0' \
		page.json)" "$(printf '2000\ntrue')"
ok "-j has all, these first" equal "$(jq -s '.[1].chapters[0].waits ==
		.[0].chapters[0].waits[:2000] and (.[0].chapters[0].waits |
		length) == 2000 + .[1].chapters[0].waits_left_out' \
	all.json page.json)" true
finish
