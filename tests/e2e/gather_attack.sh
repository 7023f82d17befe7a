#!/bin/bash
# Others who may use the host of a run that is followed attack its tape-gather: those
# who do not know its token, as another user, and one who got hold of it.
# Truth: no file outside, no crash, of attacks.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc tapelive
build until until.c
gather=$TAPE_BUILD/libexec/tape-gather
rig=$TAPE_TOP/tests/rigs/gather_attack.py
version=$(taperun -V | awk '{ print $2 }')
export OMPI_MCA_btl=tcp,self OMPI_MCA_mpi_yield_when_idle=1 MPIR_CVAR_NOLOCAL=1 \
	MPIR_CVAR_CH3_NOLOCAL=1

# ---- what is handed to a launcher, and how ----

mkdir launcher
cat >launcher/mpiexec.hydra <<'END2'
#!/bin/sh
echo "$*"
echo "HYDRA_ENV=${HYDRA_ENV-}"
END2
chmod +x launcher/mpiexec.hydra
cp launcher/mpiexec.hydra launcher/mpirun.openmpi
secret=0123456789abcdef0123456789abcdef
# handed LAUNCHER WORD...: its command line
handed()
{
	TAPE_GATHER=1:$secret:127.0.0.1 taperun "launcher/$1" "${@:2}"
}
handed mpirun.openmpi -np 1 ./until >openmpi.words
ok "Open MPI: names of settings, not what they say" eval \
	'holds "-x TAPE_GATHER " openmpi.words && lacks "$secret" openmpi.words'
if [ -e "$TAPE_BUILD/lib/libtape-mpich.so" ]; then
	{
		handed mpiexec.hydra -n 1 ./until
		handed mpiexec.hydra -genvlist A -n 1 -envnone ./until -envnone
		handed mpiexec.hydra -genvnone -n 1 -envlist B,C ./until
		HYDRA_ENV=none handed mpiexec.hydra -n 1 ./until
		HYDRA_ENV=list:D handed mpiexec.hydra -n 1 ./until
	} >mpich.words
	ok "Hydra: not what settings say" lacks "$secret" mpich.words
	# the library's name and the settings' are the build's and the run's own
	sed -E 's/-genv [A-Z_]+ [^ ]+ //g; s/TAPE_[A-Z_]+/S/g; s/S(,S)+/S/g' \
		mpich.words >mpich.short
	ok "Hydra: the settings are among what it passes on" equal \
		"$(cat mpich.short)" "-n 1 ./until
HYDRA_ENV=
-genvlist A,S -n 1 -envlist S ./until -envnone
HYDRA_ENV=
-genvlist S -n 1 -envlist B,C,S ./until
HYDRA_ENV=
-n 1 ./until
HYDRA_ENV=list:S
-n 1 ./until
HYDRA_ENV=list:D,S"
fi

# ---- a run, with one rank that does not see the spool ----

python=/usr/bin/python3
cat >far <<'END2'
#!/bin/bash
exec unshare --mount --propagation private bash -c \
	'mount -t tmpfs tape-far /dev/shm && exec "$@"' far "$@"
END2
chmod +x far
if ! ./far true 2>reason || ! setpriv --reuid 65534 --clear-groups true \
	2>>reason || [ ! -x $python ]; then
	skip "attacks on a run" "root, python3: $(head -1 reason)"
	finish
fi
# stranger WORD...: the attack of another user
stranger()
{
	(cd / && ulimit -n 4000 && exec setpriv --reuid 65534 --regid 65534 \
		--clear-groups $python - "$@" <"$rig")
}
# insider WORD...: of one who has the token, for the trace
insider() { $python - "$version" "$trace" "$@" <"$rig"; }

spool=$(mktemp -d /dev/shm/tape-e2e.XXXXXX) || exit 1
chmod 755 "$spool"
later rm -rf "$spool"
# ends the gatherer, the job and the attackers of a test that is interrupted
end_jobs()
{
	local j

	for j in $(jobs -pr); do
		# the gatherer ignores SIGTERM
		if [ "$j" = "$pid" ]; then kill -KILL "$j"; else kill "$j"; fi
	done
	wait
}
pid=
later end_jobs
# begin NAME [COMMAND...]: tape-gather into $spool/NAME, by COMMAND
begin()
{
	mkdir "$spool/$1"
	mkfifo where
	"${@:2}" "$gather" "$spool/$1" >where 2>"$1.gather" &
	pid=$!
	read -r TAPE_GATHER <where
	export TAPE_GATHER
	rm where
	port=${TAPE_GATHER%%:*}
	token=${TAPE_GATHER#*:} token=${token%%:*}
	trace=$spool/$1/until.tape
}
# end NAME: of it, whose status is in NAME.gather.rc; killed where it does not end
# before those do that hold connections
end()
{
	unset TAPE_GATHER
	kill -USR1 "$pid"
	timeout 40 tail -s 0.1 --pid="$pid" -f /dev/null || kill -KILL "$pid"
	wait "$pid"
	echo $? >"$1.gather.rc"
}
# start NAME: the job, until "stop NAME"; both ranks have called MPI since
start()
{
	timeout 200 taperun -s stream=node -o "$spool/$1/." \
		mpirun -np 1 ./until "$work/$1.stop" : \
		-np 1 ./far ./until "$work/$1.stop" \
		>"$1.out" 2>"$1.err" </dev/null &
	job=$!
	tries=0
	until [ -s "$trace/flow.0.0" ] && [ -s "$trace/flow.1.0" ] ||
		[ $((++tries)) -gt 1200 ]; do
		sleep 0.05
	done
}
stop()
{
	: >"$1.stop"
	wait $job
	echo $? >"$1.rc"
	end "$1"
}
# The trace has all exchanges of both ranks, and their ends.
is_whole()
{
	equal "$(cat "$1.rc"; end_of "$trace" 0; end_of "$trace" 1)" "0
finalize 0
finalize 0" && equal "$(sort "$1.out")" "0 $(events "$trace" 0 MPI_Sendrecv)
1 $(events "$trace" 1 MPI_Sendrecv)"
}

begin seen
ok "it listens to this host only" equal "$(stranger ports "$port")" "this host"
start seen
ok "another user finds the token nowhere, though command lines" equal \
	"$(stranger look 2 "$token" until)" "0 1"
ls "$trace" >before
ok "who guesses is refused" equal \
	"$(stranger guess "$port" "$version" "$trace")" refused
ls "$trace" | diff before - >changed
ok "and nothing has been written" equal "$(cat changed; ls "$spool/seen")" \
	until.tape
stop seen
ok "the trace is whole" is_whole seen
ok "the gatherer has nothing to say" equal \
	"$(cat seen.gather.rc seen.gather)" 0

# what a launcher says of other hosts
begin hosts
handed() { taperun -s stream=node "launcher/$1" "${@:2}" >/dev/null; }
handed mpirun.openmpi --host localhost:2 -np 2 ./until --host b
ok "a launcher with processes here: to this host only" equal \
	"$(stranger ports "$port")" "this host"
handed mpirun.openmpi -np 2 --host localhost,far.example ./until
if ip -o -4 addr show up scope global 2>/dev/null | grep -q .; then
	ok "with hosts: to others, too" equal "$(stranger ports "$port")" \
		"other hosts"
else
	skip "with hosts" "this host has no network"
fi
end hosts

# many who say nothing, and come again
begin crowd bash -c 'ulimit -n 300; exec "$@"' crowd
stranger crowd "$port" 1000 300 >crowd.said &
tries=0
until grep -q there crowd.said || [ $((++tries)) -gt 1200 ]; do sleep 0.05; done
ok "the crowd's connections are held" grep -q there crowd.said
start crowd
ok "beside a crowd of connections a rank is heard" test -s "$trace/flow.1.0"
stop crowd
ok "and the trace is whole" is_whole crowd

# who has the token
begin known
start known
ls "$trace" >before
taken='belongs to another process'
ok "who knows the token does not get a rank that is written here" eval \
	'insider "rank 0" >said; holds "$taken" said'
ok "nor one that another process sends" eval \
	'insider "rank 1" >said; holds "$taken" said'
for what in meta hole "chunk hole"; do
	insider "$what" >/dev/null
done
insider "rank 4194303" >/dev/null
insider thread >/dev/null
ok "high numbers cost no memory" awk '
	/^VmHWM/ { print; most = $2 } END { exit !(most > 0 && most < 20000) }' \
	"/proc/$pid/status"
ok "traces have a number" equal "$(insider traces)" 256
ok "files that were there are as they were" equal \
	"$(head -n 1 "$trace/meta" "$trace/rank.0" | tr '\n' ' ')" \
	"==> $trace/meta <== tape-trace 1  ==> $trace/rank.0 <== tape-rank 1 "
ok "no file has a hole" equal "$(find "$spool/known" -size +64M)" ""
# the attacker's own ranks are no part of the run
rm -f "$trace"/{rank,gone,flow}.{9,4194303}*
stop known
ok "the run's own trace is whole" is_whole known
ok "and the gatherer says what it was sent" eval \
	'[ "$(cat known.gather.rc)" = 1 ] &&
	! grep -v "invalid data received\|another process writes" known.gather'

# holding NAME WHAT: an insider that holds connections, once they are there
holding()
{
	mkdir "$trace"
	$python - "$version" "$trace" "$2" <"$rig" >"$1.said" 2>/dev/null &
	insider=$!
	tries=0
	until grep -q there "$1.said" || [ $((++tries)) -gt 600 ]; do
		sleep 0.05
	done
	ok "$1: the connections are held" grep -q there "$1.said"
}
# a process connects again, and its first connection never ends
begin half
holding half "half open"
sleep 1
end half
kill "$insider"
wait "$insider" 2>/dev/null
ok "a connection that is half open: the gatherer ends" equal \
	"$(cat half.gather.rc half.gather)" 0

# more connections than descriptors, all of them known
begin short bash -c 'ulimit -n 24; exec "$@"' short
holding short "ranks 60"
used() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; }
before=$(used)
sleep 2
ok "no descriptor is left: the gatherer waits, and uses no processor" eval \
	"echo $before \$(used); [ \$(used) -lt $((before + $(getconf CLK_TCK) / 2)) ]"
kill "$insider"
end short
ok "and ends" equal "$(cat short.gather.rc)" 0

# one who fills the spool
begin small unshare --mount --propagation private bash -c \
	'mount -t tmpfs -o size=16m tape-small "${@: -1}" &&
	mkdir "${@: -1}/until.tape" && exec "$@"' small
insider "text flood" >/dev/null
insider "meta flood" >/dev/null
ok "some room is left to others" eval \
	'set -- $(stat -f -c "%a %b" "/proc/$pid/root$spool/small"); echo $*;
	[ $1 -gt $(($2 / 20)) ] && [ $1 -lt $(($2 / 8)) ]'
end small
ok "and it is said" holds "no space for the data of rank 9" small.gather
finish
