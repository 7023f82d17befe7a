#!/bin/bash
# What tico learns from a test of bandwidth, whose messages are started together:
# no more than from those that were alone.
# Truth: what the program sends.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
mpicc -O2 -o window "$here/window.c" || exit 1
ok "it runs" sh -c \
	'taperun -o w.tape mpirun -np 2 ./window >own 2>errors'
sed 's/^/# /' own
ok "it is corrected" sh -c \
	'sba w.tape >sba.log 2>&1 && tico -j w.sba.tape >json'
# 7 sizes of 20 turns: an answer for each, and one of each window at most; the
# ends of the 8,960 others are those of a queue
echo "# learnt: $(jq -c '.model.shm' json)"
ok "of a window no more than its last message counts" \
	jq -e '.model.shm.messages <= 280' json
tico -o t.tape w.sba.tape >text
fit='fitted, [0-9]+ messages? of [0-9]+ sizes?, off by [0-9]+%'
ok "the report says what each fit stands on" sh -c \
	"! grep fitted text | grep -vqE '$fit'"
finish
