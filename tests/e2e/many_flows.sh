#!/bin/bash
# Traces of many flows: their chunks are read and written piece by piece, with
# few descriptors. What is read must be the same as of a trace of few flows.
# Truth: none; a trace of few flows.
. "$(dirname "$0")/tap.bash"
made=$TAPE_BUILD/bench/made
[ -x "$made" ] || { echo "1..0 # SKIP no bench/made"; exit 0; }

ok "a trace of 600 flows" "$made" busy 600 100000 many.tape
ok "one of 2" "$made" busy 2 100000 few.tape

# of the busy rank, the last one: times, call, fields; not its number
busy() # TRACE RANK
{
	tapedump -c "$1" | awk -F, -v r="$2" '$3 == r { $3 = $(NF - 1) = ""; print }'
}
busy few.tape 1 >few.txt
busy many.tape 599 >many.txt
ok "all events of the busy rank are there" [ "$(wc -l <few.txt)" = 100003 ]
ok "of many flows the same events are read as of few" cmp few.txt many.txt

ok "tico with 64 descriptors" \
	bash -c 'ulimit -n 64; exec tico --threads 2 -o many.tico.tape many.tape'
ok "tico of two flows" tico -o few.tico.tape few.tape
busy few.tico.tape 1 >few.txt
busy many.tico.tape 599 >many.txt
ok "all of its corrected events" [ "$(wc -l <few.txt)" = 100003 ]
ok "the same of many flows as of few" cmp few.txt many.txt
finish
