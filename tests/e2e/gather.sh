#!/bin/bash
# A trace that is followed on one host, of which some processes run where its
# directory is not seen: their parts go there through tape-gather. Here such a
# process has a /dev/shm of its own.
# Truth: the program without Tape; none for the report, which is compared with a
#   trace on disk.
. "$(dirname "$0")/tap.bash"
. "$here/spools.bash"
need mpirun mpicc tapelive
build streamed streamed.c
build survive survive.c
build threads threads.c -pthread
build conform conform.c
gather=$TAPE_BUILD/libexec/tape-gather
cat >far <<'END'
#!/bin/bash
exec unshare --mount --propagation private bash -c \
	'mount -t tmpfs tape-far /dev/shm && exec "$@"' far "$@"
END
chmod +x far
if ! ./far true 2>reason; then
	skip "gather" "root cannot make a mount namespace: $(head -1 reason)"
	finish
fi
# between ranks nothing goes through that memory
export OMPI_MCA_btl=tcp,self OMPI_MCA_mpi_yield_when_idle=1 MPIR_CVAR_NOLOCAL=1 \
	MPIR_CVAR_CH3_NOLOCAL=1

# job FAR PROGRAM ARGUMENT...: sets job to two ranks; those whose numbers are in FAR
# see another /dev/shm
job()
{
	local apart=$1 one=() other=()

	shift
	[[ $apart != *0* ]] || one=(./far)
	[[ $apart != *1* ]] || other=(./far)
	job=(mpirun -np 1 "${one[@]}" "$@" : -np 1 "${other[@]}" "$@")
}

spool=/dev/shm/tape-gather.$$/spool
mkdir -p "$spool"
later rm -rf "${spool%/*}"

# begin_gather NAME: into $spool/NAME; sets pid, and TAPE_GATHER
begin_gather()
{
	mkdir "$spool/$1"
	mkfifo where
	"$gather" "$spool/$1" >where 2>"$1.gather" &
	pid=$!
	read -r TAPE_GATHER <where
	export TAPE_GATHER
	rm where
}

end_gather()
{
	unset TAPE_GATHER
	kill -USR1 "$pid"
	wait "$pid"
	echo $? >"$1.gather.rc"
	: >"$spool/$1/over"
}

# kept NAME FAR SETTING... -- PROGRAM ARGUMENT...: nobody consumes; in $spool/NAME
# the trace stays
kept()
{
	local name=$1 apart=$2 settings=()

	shift 2
	while [ "$1" != -- ]; do
		settings+=(-s "$1")
		shift
	done
	shift
	begin_gather "$name"
	job "$apart" "$@"
	run "$name" timeout 200 taperun -s stream=node "${settings[@]}" \
		-o "$spool/$name/." "${job[@]}"
	end_gather "$name"
}

# live NAME FAR OPTION... -- PROGRAM ARGUMENT...: with a report
live()
{
	local name=$1 apart=$2 options=()

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	job "$apart" "$@"
	run "$name" timeout 200 tape live -o "$name.report" "${options[@]}" \
		"${job[@]}"
}

# plain NAME PROGRAM...: without Tape
plain()
{
	local name=$1

	shift
	job "" "$@"
	run "$name" timeout 200 "${job[@]}"
}

as_plain() { equal "$(cat "$1.rc"; sort "$1.out")" "$(cat "$2.rc"; sort "$2.out")"; }
# calls TRACE: rank, call and how many
calls()
{
	tapedump "$1" 2>/dev/null | awk '
		$1 == "flow" { rank = $2 }
		$3 ~ /^MPI_/ && $3 !~ /^MPI_(Test|Iprobe)/ { n[rank " " $3]++ }
		END { for (k in n) print k, n[k] }' | sort
}
whole() { equal "$(end_of "$1" 0) $(end_of "$1" 1)" "finalize 0 finalize 0"; }

# ---- all of the trace comes, whoever is far ----

rounds=20000
plain rounds ./streamed rounds $rounds
job "" ./streamed rounds $rounds
run files timeout 200 taperun -o files "${job[@]}"
for apart in 1 0 01; do
	kept "far$apart" $apart -- ./streamed rounds $rounds
	trace=$spool/far$apart/streamed.tape
	ok "far $apart: the program is as alone" as_plain "far$apart" rounds
	ok "far $apart: the gatherer ends" equal \
		"$(cat "far$apart.gather.rc" "far$apart.gather")" 0
	ok "far $apart: the trace is whole" whole "$trace"
	ok "far $apart: each call is there" equal "$(calls "$trace")" \
		"$(calls files.tape)"
	ok "far $apart: messages match" equal \
		"$(tapestat -t matrix "$trace" 2>&1)" \
		"$(tapestat -t matrix files.tape 2>&1)"
done
ok "which ranks are far is known" equal "$(ls "$spool"/far*/*/gone.*)" \
	"$spool/far0/streamed.tape/gone.0
$spool/far01/streamed.tape/gone.0
$spool/far01/streamed.tape/gone.1
$spool/far1/streamed.tape/gone.1"
kept threads 1 -- ./threads stress 3 2000
job "" ./threads stress 3 2000
run threads.files timeout 200 taperun -o threads "${job[@]}"
ok "threads: each call is there" equal \
	"$(calls "$spool/threads/threads.tape")" "$(calls threads.tape)"
kept conform 1 -- ./conform
plain conform.plain ./conform
ok "all calls: the program is as alone" as_plain conform conform.plain
ok "all calls: the trace is whole" whole "$spool/conform/conform.tape"

# ---- while it runs ----

live live 1 -- ./streamed rounds $rounds
ok "tape live: as alone" as_plain live rounds
ok "tape live: all ranks are in the report" holds "^streamed  2 ranks" live.report
ok "tape live: nothing else is said" equal "$(cat live.err)" ""
ok "tape live: of all calls" holds " $((2 * rounds)) .* MPI_Sendrecv" \
	live.report
live begun 01 -- ./streamed alone 60000
plain begun.plain ./streamed alone 60000
ok "all ranks are far: as alone" as_plain begun begun.plain
ok "all ranks are far: the report is of all calls" holds \
	" 60000 .* MPI_Sendrecv" begun.report

# ---- an analyser that does not keep up ----

# nobody has come yet: until then it is waited for, or not. On a busy machine the
# program may be slow enough for the gatherer: then it sends more.
for n in 2000000 8000000; do
	rm -rf "$spool/drop"
	kept drop 0 stream_full=drop -- ./streamed alone $n
	! grep -q '^tape: rank 0: .*[1-9][0-9]* events' drop.err || break
done
ok "drop: the program ends well" equal "$(cat drop.rc)" 0
ok "drop: the far rank says how many events it has not kept" holds \
	"^tape: rank 0: .*[1-9][0-9]* events" drop.err
ok "drop: the trace has its gaps, and its end" holds "^finalize [1-9]" \
	<(end_of "$spool/drop/streamed.tape" 0)

# one that is slow: 16 MB/s
begin_gather slow
job 0 ./streamed alone 1500000
"$TAPE_BUILD/rig/consume" -p 4 "$spool/slow/streamed.tape" slow.tape \
	>slow.consumed 2>&1 &
analyser=$!
run slow timeout 200 taperun -s stream=node -o "$spool/slow/." "${job[@]}"
end_gather slow
wait $analyser
ok "one that is slow: both end well" equal "$? $(cat slow.rc)" "0 0"
ok "it is waited for: what is not consumed of a flow is bounded" awk '
	{ print } END { exit !($4 > 1e6 && $4 < 5e6) }' slow.consumed
ok "and gets all" equal "$(whole slow.tape 2>&1; events slow.tape 0 MPI_Sendrecv)" \
	1500000

# ---- accidents ----

# what is not sent when a process is killed is lost: up to a tenth of a second
reported()
{
	holds "^survive  2 ranks" "$1.report" || { [[ $1 =~ ^(kill-15|_exit) ]] &&
		holds "^tapelive: survive: the trace contains no events" "$1.err"; }
}
for what in "kill 9 20000" "kill 15 10" "abort 5" "exit 3" "_exit 3" "fork 200" \
	"close 20000"; do
	name=${what// /-}
	plain "$name.plain" ./survive ${what%% *} "$name.plain.n" ${what#* }
	live "$name" 01 -- ./survive ${what%% *} "$name.n" ${what#* }
	ok "$what: status as without Tape" equal "$(cat "$name.rc")" \
		"$(cat "$name.plain.rc")"
	ok "$what: there is a report of what came" reported "$name"
done
ok "one that closes all descriptors is followed to its end" lacks INCOMPLETE \
	close-20000.report

export TAPE_GATHER=1:0123456789abcdef0123456789abcdef:127.0.0.1
job 1 ./streamed rounds 100
run nobody timeout 200 taperun -s stream=node -o "$spool/nobody" "${job[@]}"
ok "nobody gathers: the program is as alone" equal "$(cat nobody.rc)" 0
ok "and it is said" holds "^tape: rank 1 is not traced: .*127.0.0.1.*refused" \
	nobody.err
export TAPE_GATHER=nonsense
run nonsense timeout 200 taperun -s stream=node -o "$spool/nonsense" "${job[@]}"
ok "nonsense as its address: it is said" holds \
	"^tape: rank 1 is not traced: TAPE_GATHER" nonsense.err

# who does not know the token, and who knows nothing
begin_gather strangers
port=${TAPE_GATHER%%:*}
for junk in "" GET "$(head -c 9000 /dev/zero | tr '\0' x)"; do
	exec 9<>"/dev/tcp/127.0.0.1/$port"
	printf %s "$junk" >&9 2>/dev/null # it may hang up at once
	exec 9>&-
done
# who knows it, and sends nonsense: as a rank, and as tasks
if command -v python3 >/dev/null; then
	mkdir "$spool/strangers/known.tape"
	ok "nonsense of who knows the token: it is there afterwards" python3 - \
		"$TAPE_GATHER" "$(taperun -V | awk '{ print $2 }')" \
		"$spool/strangers/known.tape" <<'END'
import random, socket, struct, sys
port, token, _ = sys.argv[1].split(":", 2)
random.seed(7)
def hello(s, wish, rank, name):
    s.sendall(struct.pack("8s24s32s16sIi4096s", b"tape-gat",
                          sys.argv[2].encode(), token.encode(),
                          random.randbytes(16), wish, rank, name.encode()))
    reply = b""
    while len(reply) < 4100:
        part = s.recv(4100 - len(reply))
        if not part:
            return None
        reply += part
    return struct.unpack("i", reply[:4])[0]
def frame(kind, thread, at, n, data):
    return struct.pack("IIQQ", kind, thread, at, n) + data
refused = 0
for i in range(300):
    s = socket.create_connection(("127.0.0.1", int(port)))
    wish = random.choice([1, 2, 2, 2, 3, 3, 0, 99])
    name = random.choice([sys.argv[3]] * 6 + ["../x", "", "a/b", "/", ".."])
    rank = hello(s, wish, random.choice([0, 1, 7, -1, 1 << 30]), name)
    refused += rank is None or rank < 0
    if rank is None or rank < 0:
        continue
    body = b""
    for k in range(random.randrange(4)):
        n = random.randrange(200)
        body += frame(random.randrange(8), random.choice([0, 1, 70000]),
                      random.choice([0, 40, 65536, 1 << 40, (1 << 64) - 1]),
                      random.choice([n, n, n, n + 1, 0, 1 << 63]),
                      random.randbytes(n))
    length = random.choice([len(body)] * 5 + [0, 1 << 31, len(body) + 9])
    try:
        s.sendall(struct.pack("I", length) + body)
        s.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    s.close()
print("refused", refused)
s = socket.create_connection(("127.0.0.1", int(port)))
sys.exit(hello(s, 1, 0, "again") != 0)
END
fi
TAPE_GATHER=$port:0123456789abcdef0123456789abcdef:127.0.0.1
run strange timeout 200 taperun -s stream=node -o "$spool/strangers/." \
	"${job[@]}"
ok "another token: the program is as alone" equal "$(cat strange.rc)" 0
ok "another token: it is said" holds "^tape: rank 1 is not traced: " strange.err
ok "and the gatherer is there" kill -0 "$pid"
end_gather strangers
# what one sends costs the others nothing
ok "and ends, and says what it was sent" equal \
	"$(cat strangers.gather.rc) $(grep -vc 'invalid data received' strangers.gather)" \
	"0 0"
ok "in a line for each rank that was made up" holds 'invalid data received' \
	strangers.gather
ok "nothing was written elsewhere" equal "$(ls "${spool%/*}")" spool

# an analyser that is gone; the program goes on until it was noticed
job 1 ./streamed until noticed
(
	# once it reads: its process stands in the file that it shares with the writers
	until [ "$(od -An -tu4 -j8 -N4 "$spool/gone/streamed.tape/live" \
		2>/dev/null || echo 0)" -gt 0 ]; do sleep 0.05; done 2>/dev/null
	kill -9 "$(cat gone.pid)"
	for ((i = 0; i < 1200; i++)); do
		! grep -q '^tape: rank 1:' gone.err || break
		sleep 0.1
	done
	: >noticed
) &
begin_gather gone
(
	until [ -e "$spool/gone/streamed.tape" ]; do sleep 0.05; done
	exec tapelive --spooled "$spool/gone/streamed.tape" >gone.report 2>&1
) &
echo $! >gone.pid
run gone timeout 200 taperun -s stream=node -o "$spool/gone/." "${job[@]}"
end_gather gone
ok "the analyser is killed: the program goes on" equal "$(cat gone.rc)" 0
ok "and who sends says it" equal "$(grep "^tape: rank 1:" gone.err)" \
	"tape: rank 1: connection to the analyser lost: the analyser has exited; the rest of this rank's trace is missing"
ok "no spool of tape live is left" equal "$(spools)" ""
finish
