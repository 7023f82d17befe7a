#!/bin/bash
# The virtual machine of the tests (tests/rigs/pvm): a command in it is as
# outside, tasks are spawned, machines do not meet, nothing is left of them
# however they end; and one of three hosts with clocks of their own.
# Truth: processes and files that are left.
. "$(dirname "$0")/pvm.bash"
compile spread spread.c
export TMPDIR=$work/tmp
mkdir tmp

# nothing_left [DIRECTORY]: of the machines in this TMPDIR, no process either
nothing_left()
{
	local tmp=${1:-tmp}

	equal "$(ls -A "$tmp")" "" &&
		equal "$(grep -lsz "^PVM_TMP=$work/$tmp/" \
			/proc/[0-9]*/environ)" ""
}

# ---- no hang: these take their time, aside ----

mkdir hangs ends
printf '#!/bin/sh\nexec sleep 600\n' >hangs/pvmd
printf '#!/bin/sh\necho the reason >&2\nexit 3\n' >ends/pvmd
chmod +x {hangs,ends}/pvmd
mkdir {hangs,stays}.tmp
PATH=$work/hangs:$PATH TMPDIR=$work/hangs.tmp run hangs pvm_machine true &
TMPDIR=$work/stays.tmp run stays pvm_machine ./spread 2 stay &

# ---- one host ----

told=$(pvm_machine sh -c 'cat; pwd; printf "<%s>" "$@"; exit 7' sh \
	"a  b" '$c' '*' <<<line; echo " $?")
ok "input, output, directory, arguments, status" equal "$told" \
	"$(printf '%s\n' line "$work" '<a  b><$c><*> 7')"
ok "a signal ends the command as outside, without a word" \
	equal "$(pvm_machine sh -c 'kill -SEGV $$' 2>&1; echo $?)" 139
ok "SIGINT is not ignored" \
	equal "$(pvm_machine sh -c 'kill -INT $$; echo alive' 2>/dev/null)" ""
run one pvm_machine ./spread 3
ok "tasks are spawned" equal "$(cat one.rc) $(wc -l <one.out)" "0 3"
ok "their directory is the machine's own" \
	equal "$(awk '{ print $3 }' one.out | grep -c "^$work/tmp/")" 3
mkdir bin
cp spread bin/elsewhere
PATH=$PATH:$work/bin run elsewhere pvm_machine elsewhere 2
ok "tasks are found in PATH" \
	equal "$(cat elsewhere.rc) $(wc -l <elsewhere.out)" "0 2"
printf '#!/bin/sh\necho said\n' >bin/says
chmod +x bin/says
for k in 1 2; do
	PATH=$PATH:$work/bin pvm_machine -l log \
		sh -c 'echo spawn says | pvm >/dev/null'
done
ok "what tasks print is appended to the log" \
	equal "$(grep -c '\] said$' log)" 2

# tasks that are not yet in their program when the command has ended
mkdir late
gcc -O1 -shared -fPIC -o late.so "$here/pvm_late_exec.c" -ldl
printf '#!/bin/sh\nLD_PRELOAD=%s exec "%s" "$@"\n' "$work/late.so" \
	"$(command -v pvmd)" >late/pvmd
chmod +x late/pvmd
PATH=$work/late:$PATH:$work/bin pvm_machine -l late.log \
	sh -c 'echo spawn -2 says | pvm >/dev/null'
ok "tasks that begin late are waited for" equal "$(grep -c '\] said$' late.log)" 2

# ---- several at a time, one inside another ----

names='echo "$PVM_TMP $PVM_VMID"; ./spread 2 >/dev/null; echo $?
left() { echo ps -a | pvm | grep -c spread; }
for i in $(seq 300); do [ "$(left)" -eq 0 ] && break; sleep 0.1; done; left'
for k in 1 2 3; do
	run side.$k pvm_machine sh -c "$names" &
	sides+=($!)
done
wait "${sides[@]}"
ok "machines side by side each have a name" \
	equal "$(head -qn 1 side.?.out | sort -u | wc -l)" 3
ok "and each works, without the others' tasks" \
	equal "$(tail -qn +2 side.?.out | paste -sd' ')" "0 0 0 0 0 0"
run inside pvm_machine sh -c 'pvm_machine ./spread 2 >/dev/null && ./spread 2'
ok "one inside another leaves that alone" \
	equal "$(cat inside.rc) $(wc -l <inside.out)" "0 2"
ok "nothing is left of them" nothing_left

# ---- interrupted ----

# interrupted SIGNAL STATUS: while tasks are there; only the script hears it
interrupted()
{
	local pid

	rm -f up
	pvm_machine sh -c './spread 2 stay >/dev/null; touch up; sleep 600' \
		>interrupted.out 2>&1 &
	pid=$!
	until [ -e up ]; do
		kill -0 $pid || return
		sleep 0.05
	done
	kill -s "$1" $pid
	{ wait $pid; } 2>/dev/null
	equal $? "$2" && nothing_left && lacks . interrupted.out
}
ok "nothing is left after SIGTERM" interrupted TERM 143
ok "nothing is left after SIGHUP" interrupted HUP 129

# ---- a daemon that does not come up ----

PATH=$work/ends:$PATH run ends pvm_machine touch ran
ok "a daemon that ends" equal "$(cat ends.rc) $(cat ends.out)" "69 "
ok "is explained" holds '^pvm_machine: no PVM .*the reason' ends.err
ok "and the command is not run" [ ! -e ran ]
ok "nothing is left of it" nothing_left

# ---- three hosts ----

hosts=$TAPE_TOP/tests/rigs/hosts.sh
"$hosts" 0 1 -- true 2>reason
if [ $? -eq 77 ]; then
	skip "three hosts" "root: $(cat reason)"
else
	run three "$hosts" 0 1000 7000 -- pvm_machine ./spread 6
	ok "tasks are on each of three hosts, each with a directory" \
		equal "$(cat three.rc) $(awk '{ sub(/.*\//, "", $3)
			print $1, $3 }' three.out | sort | uniq -c |
			awk '{ $1 = $1; print }' | paste -sd' ')" \
		"0 2 host1 host1 2 host2 host2 2 host3 host3"
	ok "each has a clock of its own" \
		equal "$(awk '{ s[$1] = $2 } END {
			printf "%.0f %.0f", (s["host2"] - s["host1"]) / 500,
				(s["host3"] - s["host1"]) / 500 }' \
			three.out)" "2 14"
	run other "$hosts" 50 0 -- pvm_machine sh -c 'hostname; exit 5'
	ok "the command runs on the first, and gives its status" \
		equal "$(cat other.rc) $(cat other.out)" "5 host1"
	ok "nothing is left of them" nothing_left
fi

wait
ok "a daemon that hangs" equal "$(cat hangs.rc)" 69
ok "is explained" holds '^pvm_machine: no PVM' hangs.err
ok "tasks that stay are ended" equal "$(cat stays.rc)" 0
ok "nothing is left of the one" nothing_left hangs.tmp
ok "nor of the other" nothing_left stays.tmp
finish
