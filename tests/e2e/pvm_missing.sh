#!/bin/bash
# Tasks of PVM on several hosts that leave little or nothing: how many there were,
# and what is missing, is known all the same.
# Truth: tasks that the test starts and ends.
. "$(dirname "$0")/pvm.bash"
hosts=$TAPE_TOP/tests/rigs/hosts.sh
gather=$TAPE_BUILD/libexec/tape-gather
export HOSTS_APART=1
"$hosts" 0 0 -- true 2>reason
if [ $? -eq 77 ] || ! command -v tapelive >/dev/null; then
	skip "pvm_missing" "root: $(cat reason)"
	finish
fi
compile brief pvm_brief.c
spool=$(mktemp -d /dev/shm/tape-e2e.XXXXXX) || exit 1
later rm -rf "$spool"

# each host has a /dev/shm of its own: what others write is not here
run files timeout 100 "$hosts" 0 0 0 -- pvm_machine \
	taperun -o "$spool/x" ./brief 7 exit
ok "the program is as alone" equal "$(cat files.rc files.out)" $'0\n7'
run stat timeout 60 tapestat "$spool/x.tape"
ok "tasks that are not in the trace are counted, by hosts" equal \
	"$(grep 'pvm_spawn started' stat.err)" \
	"tapestat: $spool/x.tape: 4 tasks that pvm_spawn started are missing from the trace: 2 on host2, 2 on host3"
ok "and the report says so" holds \
	"^INCOMPLETE: 4 tasks that pvm_spawn started are missing from the trace, 2 on host2" stat.out
ok "as JSON" holds '"missing_tasks":4[,}]' <(tapestat -j "$spool/x.tape" 2>&1)
sba -o sba.tape "$spool/x.tape" >sba.out 2>&1
tapecut -o cut.tape -w 0,100 "$spool/x.tape" >cut.out 2>&1
for t in sba cut; do
	ok "$t's result: as well" holds '"missing_tasks":4[,}]' \
		<(tapestat -j $t.tape 2>&1)
done
run whole timeout 100 pvm_machine taperun -o whole ./brief 3 exit
ok "where all are there nothing is said" lacks "pvm_spawn started|INCOMPLETE" \
	<(tapestat whole.tape 2>&1)

# followed: each task that was there is counted, however it ends
for way in exit return kill; do
	run "$way" timeout 150 "$hosts" 0 0 0 -- pvm_machine timeout 100 \
		tape live -o "$way.report" ./brief 9 $way
	ok "$way: the program ends" equal "$(cat $way.rc)" 0
	# all that were spawned
	ok "$way: tasks and hosts are counted" holds \
		"^brief  $((1 + $(cat $way.out))) ranks on 3 hosts" "$way.report"
	ok "$way: no task is missing" lacks "pvm_spawn started" "$way.err"
done
ok "of tasks that were killed it is said" holds \
	"^INCOMPLETE: [0-9]* of [0-9]* ranks have no end" kill.report

# the host that follows it goes
cat >vanish <<END2
#!/bin/bash
mkfifo where
"$gather" "$spool" >where 2>gather.err &
gatherer=\$!
read -r TAPE_GATHER <where
export TAPE_GATHER
(
	tries=0
	until [ -s "$spool/pvm_streamed.tape/flow.1.0" ] || [ \$((++tries)) -gt 900 ]; do
		sleep 0.05
	done
	sleep 0.3
	kill -9 \$gatherer
) &
taperun -s stream=node -o "$spool/." ./pvm_streamed 1 20000
END2
chmod +x vanish
gcc -O1 -g -w -o pvm_streamed "$here/pvm_streamed.c" -lgpvm3 -lpvm3
run vanish timeout 150 "$hosts" 0 0 -- pvm_machine -l vanish.log ./vanish
ok "the gatherer is killed: the program is as alone" equal \
	"$(cat vanish.rc vanish.out)" $'0\n199990000'
cat vanish.err vanish.log >vanish.all
ok "it is said how many events are lost" awk '
	{ print }
	match($0, /tape: at least [0-9]+ events of rank 1 are lost/) {
		split(substr($0, RSTART), w, " ")
		n = w[4]
	}
	END { exit !(n > 100 && n <= 120010) }' vanish.all
run gone timeout 60 tapestat "$spool/pvm_streamed.tape"
ok "the report names the host of the task that has no end" holds \
	"^INCOMPLETE: 1 of 2 ranks has no end record: rank 1 on host2" gone.out
finish
