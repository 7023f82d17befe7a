#!/bin/bash
# Tasks of PVM, which come one by one, read while they run (tests/rigs/followed):
# what is found is the same as afterwards.
# Truth: none; the same trace read afterwards.
. "$(dirname "$0")/pvm.bash"
followed=$TAPE_BUILD/rig/followed
compile churn pvm_churn.c

timeout 100 "$followed" -f x.tape >x.live 2>x.err &
reader=$!
run traced pvm_machine taperun -o x ./churn 50
wait $reader
ok "reader and program end" equal "$? $(cat traced.rc)" "0 0"
echo "stream node" >>x.tape/meta
"$followed" x.tape >x.after 2>>x.err
of() { grep -E "$2" "$1" | sort; }
ok "all events of all tasks" equal "$(of x.live '^[0-9]+\.0 ' | md5sum)" \
	"$(of x.after '^[0-9]+\.0 ' | md5sum)"
ok "all messages" equal "$(of x.live '^message' | md5sum)" \
	"$(of x.after '^message' | md5sum)"
ok "of more than one task" [ "$(of x.live '^[0-9]+\.0 ' | cut -d. -f1 |
	sort -u | wc -l)" -gt 2 ]

# A task of another host has said who it is when the trace is opened, but has no
# record yet: its clock is sampled only then, and is placed when it comes.
mkdir y.tape
cp x.tape/{meta,rank.0,flow.0.0,rank.1} y.tape
sed -i 's/^domain .*/domain far/' y.tape/rank.1
timeout 100 "$followed" -fc y.tape >y.live 2>y.err &
reader=$!
sleep 1
echo "sample before far 100000 4000 5000 200000" >y.tape/clocks
cp x.tape/flow.1.0 y.tape
wait $reader
ok "a clock that comes while the trace is opened" equal "$? $(cat y.err)" "0 "
ok "is placed by its samples" holds '^error [0-9]+ [0-9]+$' y.live
ok "and its task is read" equal "$(grep -c '^date 1' y.live)" \
	"$(grep -c '^1\.0 ' x.after)"
finish
