#!/bin/bash
# Requests (requests.c): many at once, completed in part, persistent, freed,
# cancelled, asked about, generalized. What the programs print is as without
# Tape, and each completion names the event that created its request.
# Truth: the program without Tape; its own log of requests.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
export OMPI_MCA_mpi_yield_when_idle=1
build requests requests.c

both()
{
	local name=$1

	shift
	run "$name.plain" mpirun -np 2 ./requests "$@"
	run "$name" mpirun -np 2 taperun -o "$name.tape" ./requests "$@"
}
as_before()
{
	sed -i '/^calls/w '"$1.calls"'
		/^calls/d' "$1.out"
	sed -i '/^calls/d' "$1.plain.out"
	equal "$(cat "$1.rc")" "$(cat "$1.plain.rc")" &&
		same "$1.plain.out" "$1.out" && lacks '^tape: ' "$1.err"
}

# What became of requests, as words and numbers. A receive's completion has to
# have the tag that its creation has.
became()
{
	tapedump "$1.tape" 2>/dev/null | awk '
		function number(word, r) {
			sub(/^[a-z]*=/, "", word)
			split(word, r, ":")
			tag = r[3]
			if (r[1] !~ /[.]/)
				return rank "." thread "." r[1]
			return rank "." r[1]
		}
		function field(name, i) {
			for (i = 4; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
		}
		$1 == "flow" { rank = $2; thread = $3; made = 0 }
		$3 ~ /^MPI_(Is?send|Irecv|Send_init|Recv_init|Grequest_start)$/ {
			r = rank "." thread "." ++made
			tags[r] = field("tag")
			kind[r] = $3
		}
		{
			for (i = 4; i <= NF && $i != ";"; i++) {
				if ($i !~ /^(done|received|cancelled)=/)
					continue
				r = number($i)
				if (!(r in kind))
					n["unknown"]++
				else if ($i ~ /^rec/ && tags[r] != tag)
					n["another tag"]++
				else if ($3 !~ /^MPI_(Wait|Test)/)
					n[kind[r] " by " $3]++
				else if ($i ~ /^can/)
					n[kind[r] " cancelled"]++
				else
					n[kind[r] " done"]++
			}
		}
		END { for (k in n) print k, n[k] }' | sort | paste -sd,
}
tools()
{
	run sba sba -o "$1.sba.tape" "$1.tape" &&
		run tico tico -j -o "$1.tico.tape" "$1.sba.tape" &&
		run np t2np -o "$1.trc" "$1.sba.tape"
	equal "$(cat sba.rc tico.rc np.rc sba.err tico.err np.err |
		paste -sd' ')" "0 0 0" &&
		holds '"unmatched_sends":0,' tico.out &&
		holds '"let_go":0,"unknown_requests":0' tico.out
}

both many many 20000
ok "20000 + 20000 requests at once: as without Tape" as_before many
ok "20000 + 20000: each completed by its name" equal "$(became many)" \
	"MPI_Irecv done 40000,MPI_Isend done 40000"
ok "20000 + 20000: the tools" tools many

both partial partial 300
ok "Waitany, Waitsome, Testany, Testsome: as without Tape" as_before partial
ok "each completed by its name" equal "$(became partial)" \
	"MPI_Irecv done 4800,MPI_Isend done 4800"
ok "completed in part: the tools" tools partial

both persistent persistent 100
ok "persistent requests: as without Tape" as_before persistent
ok "persistent requests: started, completed, freed by name" \
	equal "$(became persistent)" "$(printf '%s,' \
		'MPI_Recv_init by MPI_Request_free 8' \
		'MPI_Recv_init by MPI_Start'{' 0',all' 800'} \
		'MPI_Recv_init done 800' \
		'MPI_Send_init by MPI_Request_free 8' \
		'MPI_Send_init by MPI_Start 200' \
		'MPI_Send_init by MPI_Startall 600' \
		'MPI_Send_init done 800' | sed 's/MPI_Recv_init by MPI_Start 0,//; s/,$//')"
ok "persistent requests: the tools" tools persistent

both freed freed 200
ok "requests freed while active, cancelled: as without Tape" as_before freed
ok "their handles name the requests that have them next" \
	equal "$(became freed)" "$(printf '%s,' \
		'MPI_Irecv by MPI_Cancel 400' 'MPI_Irecv cancelled 400' \
		'MPI_Irecv done 800' 'MPI_Isend done 400' \
		'MPI_Issend by MPI_Request_free 400' | sed 's/,$//')"
ok "freed and cancelled: the tools" tools freed

both status status 50
ok "MPI_Request_get_status: as without Tape" as_before status
polls()
{
	local all

	all=$(($(events status.tape 0 MPI_Request_get_status) +
		$(events status.tape 1 MPI_Request_get_status)))
	equal "calls MPI_Request_get_status $all" "$(cat status.calls)"
}
ok "every query is there" polls
records()
{
	# of each request: at most two runs of failures, two that say yes,
	# and one about no request at all
	tapedump status.tape 2>/dev/null | awk '
		$1 == "flow" { made = 0 }
		$3 == "MPI_Irecv" { made++ }
		$3 == "MPI_Request_get_status" {
			split($5, asked, "=")
			split($6, flag, "=")
			if (flag[2] && asked[2] == 0)
				none++
			else if (asked[2] % 2^40 != made)
				bad++
			else if (!flag[2])
				fail++
			else if ($8 == "actual_tag=" made - 1)
				yes++
		}
		END {
			few = (fail >= 100) && (fail <= 200)
			print bad + 0, (few ? "few" : fail), yes, none
		}'
}
ok "failed queries are one record, each says which request" \
	equal "$(records)" "0 few 200 100"
ok "queries: the tools" tools status

both general general 300
ok "generalized requests: as without Tape" as_before general
ok "generalized requests: completed by their names, in two threads" \
	equal "$(became general)" "MPI_Grequest_start by MPI_Grequest_complete 600,MPI_Grequest_start done 600"
ok "generalized requests: the tools" tools general

# ---- the table itself ----

# table NAME FLAGS: table.c with the runtime's sources, built with FLAGS
table()
{
	local name=$1 src=$TAPE_TOP/runtime

	shift
	mpicc -std=c11 -D_GNU_SOURCE -O1 -g -w -pthread "$@" -I"$src" \
		-I"$src"/{core,transport,records,limits,events,process,arch} \
		-I"$src/mpi" -I"$TAPE_TOP/catalogue" -I"$TAPE_BUILD/gen" \
		-o "$name" "$here/table.c" "$src"/mpi/request.c \
		"$src"/mpi/handles.c "$src"/mpi/request_table.c "$src"/mpi/queue.c
}
table table
for threads in 1 4; do
	for distance in 768 128 16; do
		ok "the table: $threads threads, handles $distance apart" \
			./table $threads $distance 200000
	done
done
if table race -fsanitize=thread 2>/dev/null && ./race 1 768 10 >/dev/null 2>&1
then
	ok "the table: no data race" ./race 4 768 20000
	ok "the table: no data race, handles that share words" \
		./race 4 64 20000
else
	skip "the table: no data race" "no thread sanitizer here"
fi

finish
