#!/bin/bash
# tapecal --network: which hosts share switches, by the latencies between them: on
# simulated machines whose switches are known, and on namespace hosts of which
# two pairs are some milliseconds apart where the kernel can delay packets.
# Truth: simulated machines whose switches are known.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc

# groups FILE: of each level and host the first host of its group, by name;
# lists of hosts have one bracket at most
groups()
{
	awk '
	/^#/ || !NF || $1 == "dims" { next }
	$1 == "levels" { levels = NF - 1; next }
	{
		name = $1; from = 0; to = 0; digits = 0
		if (match(name, /\[[0-9]+-[0-9]+\]/)) {
			split(substr(name, RSTART + 1, RLENGTH - 2), r, "-")
			from = r[1]; to = r[2]; digits = 1
			before = substr(name, 1, RSTART - 1)
			after = substr(name, RSTART + RLENGTH)
		}
		for (i = from; i <= to; i++) {
			h = digits ? before i after : name
			path = ""
			for (l = 1; l <= levels; l++) {
				path = path "/" $(l + 1)
				at[h, l] = path
				if (!(path in least) || h < least[path])
					least[path] = h
			}
			hosts[h]
		}
	}
	END {
		print "levels", levels
		for (h in hosts)
			for (l = 1; l <= levels; l++)
				print l, h, least[at[h, l]]
	}' "$1" | sort
}

# ---- simulated machines ----

# found SHAPE: what tapecal finds is what the machine has. Ranks are on hosts in
# an order that says nothing.
found()
{
	tapeplat -o machine.xml "$1" && tapeplat -L -o true "$1" &&
		tapeplat -l "$1" | uniq |
		shuf --random-source=<(yes 17) >hosts || return
	smpirun -np "$(wc -l <hosts)" -platform machine.xml -hostfile hosts \
		--cfg=smpi/simulate-computation:no \
		--cfg=smpi/privatization:dlopen --log=root.thresh:error \
		"$TAPE_BUILD/rig/smpi/tapecal" --network -o found || return
	same <(groups found) <(groups true)
}
if [ -x "$TAPE_BUILD/rig/smpi/tapecal" ]; then
	ok "cabinets" found cabinets:3x4
	ok "it says what takes how long" sh -c \
		'[ "$(grep -c "below one Switch1\|below none" found)" -eq 2 ]'
	ok "a tree of two levels of switches" found \
		tree:2x3x3,latency=4us/2us/1us
	ok "of three" found tree:2x2x3x2,latency=9us/5us/3us/2us
	ok "the runtime reads the file" sh -c \
		'tapecc --simulate -O1 -o prog "$1" 2>cc.err &&
		taperun --simulate -np 24 --platform machine.xml --bursts none \
			-s network=found -o prog ./prog' \
		sh "$TAPE_TOP/tests/e2e/pingpong.c"
	ok "and ranks are below the switches" equal "$(grep -hc \
		'^position Cluster/Switch3:./Switch2:./Switch1:./Machine:' \
		prog.tape/rank.* | sort -u)" 1
	no_levels()
	{
		tapeplat -o machine.xml "$1" && tapeplat -l "$1" | uniq >hosts
		smpirun -np "$(wc -l <hosts)" -platform machine.xml \
			-hostfile hosts --cfg=smpi/simulate-computation:no \
			--cfg=smpi/privatization:dlopen \
			--log=root.thresh:error \
			"$TAPE_BUILD/rig/smpi/tapecal" --network -o found &&
			equal "$(grep -c '^# no groups' found)
$(groups found)" "1
levels 0"
	}
	ok "one switch: no levels" no_levels cluster:7
else
	skip "simulated machines" "smpi smpicc was not there at build time"
fi

# ---- what cannot be done ----

run here mpirun -np 2 tapecal --network -o here
ok "one host: a sentence" holds '^tapecal: all processes are on one host' \
	here.err
ok "and no file" [ "$(cat here.rc)" -ne 0 -a ! -e here ]
run both mpirun -np 2 tapecal --network -s
ok "not both" holds '^usage: tapecal' both.err

# ---- namespace hosts ----

# delays: hosts 1 and 2 are so far from 3 and 4, both ways together
cat >delays <<'END'
for n in 1 2 3 4; do
	in="ip netns exec host$n"
	$in tc qdisc add dev eth0 root handle 1: prio bands 4 &&
	$in tc qdisc add dev eth0 parent 1:4 handle 40: netem delay 5ms || exit 77
	for far in $(case $n in 1|2) echo 3 4;; *) echo 1 2;; esac); do
		$in tc filter add dev eth0 protocol ip parent 1: prio 1 u32 \
			match ip dst 10.87.0.$far/32 flowid 1:4 || exit 77
	done
done
END
hosts=$TAPE_TOP/tests/rigs/hosts.sh
"$hosts" 0 0 -- true 2>reason
if [ $? -eq 77 ]; then
	skip "namespace hosts" "root: $(cat reason)"
	finish
fi
"$hosts" 0 0 0 0 -- sh ./delays 2>reason
delays=$?
run net "$hosts" 0 0 0 0 -- sh -c "sh ./delays 2>/dev/null; mpirun -np 5 \
	--host 10.87.0.1:2,10.87.0.3,10.87.0.2,10.87.0.4 \
	--mca plm_rsh_agent \$HOSTS_RSH --mca btl tcp,self,vader --bind-to none \
	--mca btl_tcp_if_include 10.87.0.0/24 \
	--mca oob_tcp_if_include 10.87.0.0/24 --mca mpi_yield_when_idle 1 \
	$TAPE_BUILD/bin/tapecal --network"
ok "five processes on four hosts" equal "$(cat net.rc)" 0
ok "all pairs were measured" equal "$(awk '$1 == "#" && $3 ~ /^[0-9.]+$/ &&
	$3 > 0 && $5 >= $4 { n += $2 } END { print n }' net.out)" 6
ok "the hosts" equal "$(sed -n 's/^\(host[0-9]\).*/\1/p' net.out | sort |
	xargs)" "host1 host2 host3 host4"
if [ $delays -ne 0 ]; then
	skip "delays between hosts" "netem $(head -n 1 reason)"
	finish
fi
ok "two switches" same <(groups net.out) - <<'END'
1 host1 host1
1 host2 host1
1 host3 host3
1 host4 host3
levels 1
END
finish
