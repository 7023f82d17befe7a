#!/bin/bash
# Actions of PVM's tasks (t2ti): messages by task, packing, and groups whose
# members change, which are refused.
# Truth: the program's own count of messages.
. "$(dirname "$0")/pvm.bash"
needs_pvm python3
if [ ! -e "$TAPE_BUILD/lib/libtape-pvm.so" ]; then
	skip "pvm_t2ti" "pvm Tape was built without it"
	finish
fi
unset DEBUGINFOD_URLS
plays() { python3 "$here/t2ti_play.py" "$1"; }

# traced NAME: its actions are in NAME.ti
traced()
{
	compile "$1" "$1.c"
	mkdir "$1.run"
	(cd "$1.run" && pvm_machine taperun -o "../$1.tape" "../$1" \
		>out 2>err </dev/null)
	t2ti "$1.tape"
}
ok "messages" eval 'traced pvm_first && [ "$(plays pvm_first.ti)" ]'
ok "packing" eval 'traced pvm_packing && plays pvm_packing.ti'
ok "it is told apart" holds '^0 pack [0-9]+$' pvm_packing.ti/rank.0
ok "groups whose members change: refused" eval '! traced pvm_groups 2>err'
ok "and why" holds 'rank [0-9]+: pvm_[a-z]+ at .*pvm_groups\.c:[0-9]+\): its participants change' err
finish
