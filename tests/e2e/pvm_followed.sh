#!/bin/bash
# Tasks of PVM, which come one by one, read while they run (tests/rigs/followed):
# what is found is the same as afterwards.
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
finish
