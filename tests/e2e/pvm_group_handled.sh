#!/bin/bash
# Collective calls of a group, and pvm_spawn, during which message handlers of the
# program run (pvm_addmhf): each begins where the program calls it, by the program's own
# clock, and not where the last handler returned.
# Truth: the program's own clock.
. "$(dirname "$0")/pvm.bash"
compile group_handled pvm_group_handled.c
run handled timeout 100 pvm_machine taperun -s clock=monotonic_raw -o handled \
	./group_handled
ok "the program ends well" equal "$(cat handled.rc)" 0
tapedump handled.tape >handled.text
# The calls of rank 0, in order: name, start, when the beginning ends (0: one event),
# when the call ends. Handlers send, and receive, nothing else.
awk '/^flow/ { mine = $2 == 0 }
	!mine || $3 !~ /^pvm_(barrier|reduce|gather|scatter|spawn)$/ { next }
	{ end = sprintf("%.0f", $1 + substr($2, 2)); part = / part=1/ ? 1 : / part=2/ ? 2 : 0 }
	$3 == "pvm_spawn" && !spawned++ { next }
	part == 1 { start = $1; first = end; open = $3; next }
	part == 2 { if (open != $3) print "no beginning of", $3
		print $3, start, first, end; open = ""; next }
	{ print $3, $1, 0, end }' handled.text >recorded
ok "each call is there once" equal "$(cut -d' ' -f1 recorded)" \
	"$(awk '$1 == "call" { print $2 }' handled.out)"
# name, start, first, end as the program has them, then as recorded
grep ^call handled.out | paste -d' ' - recorded | cut -d' ' -f2- >both
for call in pvm_barrier pvm_reduce pvm_gather pvm_scatter pvm_spawn; do
	# A handler that runs before the library knows the root is before the call,
	# which has sent nothing by then. In most rounds handlers run long after that.
	ok "$call begins before its handlers" awk -v call=$call '
		{ print }
		$1 != call { next }
		$7 { n++; if (!($2 <= $6 && $6 <= $3 && $3 <= $8)) bad = 1 }
		!($2 <= $6 && $8 <= $4) { bad = 1 }
		END { exit bad || !n }' both
done
ok "no clock contradicts the calls" eval \
	'tico -v handled.tape >tico.out && cat tico.out && ! grep -i contradict tico.out'
tapestat -c -t calls handled.tape >calls.csv
ok "tapestat counts each call once" equal \
	"$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$0 ~ /pvm_reduce/ { n += $column["calls"] } END { print n }' calls.csv)" \
	$((4 * 6))
finish
