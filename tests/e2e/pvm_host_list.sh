#!/bin/bash
# The list of hosts that pvm_config gave a program stays as it is until the
# program asks again, though Tape asks in between.
# Truth: the program without Tape.
. "$(dirname "$0")/pvm.bash"
compile host_list pvm_host_list.c
run plain pvm_machine ./host_list
ok "the program runs" equal "$(cat plain.rc) $(grep -c " [A-Z0-9]* 1000$" plain.out)" "0 3"
run traced pvm_machine taperun -o traced ./host_list
ok "traced, its list stays" same plain.out traced.out
ok "and its end is the same" same plain.rc traced.rc
ok "its calls of pvm_config are recorded" equal \
	"$(tapedump traced.tape 2>/dev/null | grep -c pvm_config)" 3
gcc -O1 -g -o linked "$here/pvm_host_list.c" -L"$TAPE_BUILD/lib" \
	-Wl,-rpath,"$TAPE_BUILD/lib" -ltape-pvm -lgpvm3 -lpvm3
run linked pvm_machine env TAPE_TRACE=linked ./linked
ok "linked with Tape, its list stays" same plain.out linked.out
if command -v tapelive >/dev/null; then
	run live timeout 60 pvm_machine tape live -o live.report ./host_list
	ok "followed while it runs, its list stays" same plain.out live.out
fi
finish
