#!/bin/bash
# Messages that the program takes by a function (pvm_addmhf) inside of pvm_mcast and
# pvm_bcast: these begin where the program calls them, by its own clock, and nothing of
# them arrives before it was sent.
# Truth: the program's own clock.
. "$(dirname "$0")/pvm.bash"
compile handled pvm_handled.c
run handled timeout 100 pvm_machine taperun -s clock=monotonic_raw -o handled \
	./handled
ok "the program ends well" equal "$(cat handled.rc)" 0
# how many messages come that early depends on the machine's load
ok "the function is called inside of calls of both kinds" awk '
	{ print }
	$1 == "call" { n[$2] += $4 > 0 }
	END { exit !(n["pvm_mcast"] && n["pvm_bcast"]) }' handled.out
tapedump handled.tape >handled.text
# calls: ns, name, bytes of those to several
awk '/^flow/ { mine = $2 == 0 } mine && $3 ~ /^pvm_[mb]cast$/ {
	for (i = 4; i <= NF; i++) if ($i ~ /^bytes=/) b = substr($i, 7)
	print $1, $3, b }' handled.text >calls
ok "each is there once, with its bytes" equal "$(cut -d' ' -f2,3 calls)" \
	"$(awk '$1 == "call" { print $2, 4 }' handled.out)"
# began before the function was called, or, of a group whose members have to be asked
# for first, at least before the call ended
ok "each begins within the program's call" eval 'paste -d" " \
	<(grep ^call handled.out) calls | awk "
	{ print }
	{ before = \$2 == \"pvm_mcast\" && \$4 ? \$4 : \$5 }
	!(\$7 >= \$3 && \$7 <= before) { bad = 1 }
	\$2 == \"pvm_mcast\" && \$4 { n++ }
	END { exit !n || bad }"'
# arrivals: of each task's k-th message of that tag
awk '/^flow/ { rank = $2; k = 0 }
	rank > 0 && $3 == "pvm_recv" && / tag=12 / {
		printf "%d %.0f\n", ++k, $1 + substr($2, 2) }' \
	handled.text | sort -n >arrivals
ok "all of their messages are there" equal "$(wc -l <arrivals)" 24
ok "none arrives before it was sent" awk '
	NR == FNR { sent[NR] = $1; next }
	$2 < sent[$1] { print $1, $2, sent[$1]; bad = 1 }
	END { exit bad }' calls arrivals
finish
