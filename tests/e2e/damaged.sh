#!/bin/bash
# Whatever a trace has been made of, tools that show or export it end in order
# (tests/rigs/damaged.py). DAMAGED_TURNS and DAMAGED_SEED: more, or others.
# Truth: no crash, no hang, of mutated traces.
. "$(dirname "$0")/tap.bash"
need python3
golden=$TAPE_TOP/tests/golden
run damaged python3 "$TAPE_TOP/tests/rigs/damaged.py" "${DAMAGED_TURNS:-250}" \
	"${DAMAGED_SEED:-1}" "$TAPE_TOP/tests/fuzz/sample.txt" \
	"$golden"/tapestat/{kinds,lock,certain,phases}/run.txt \
	"$golden"/t2np/collectives/run.txt "$golden"/tapeview/counters/run.txt
grep '^#' damaged.out
ok "damaged traces: each tool ends by itself, with a sentence where it fails" \
	equal "$(cat damaged.rc damaged.err)" 0
finish
