#!/bin/bash
# Does tapewhere say where programs hang? Each program puts its ranks into calls
# for ever; it is looked at while it runs, and again after kill -9. Programs that
# do not hang must never be accused.
# Truth: the cases of where.c, which say who waits for whom.
. "$(dirname "$0")/where.bash"
need mpirun mpicc jq
build where where.c

hangs ring "$certain == [[0,1,2,3]] and ($(state 0) | .call == \"MPI_Recv\" and
	.peer == 1 and .tag == 5 and .place == \"receive (where.c:$(
	grep -n 'MPI_Recv(numbers, 1, MPI_INT, from' "$here/where.c" |
	cut -d: -f1))\") and .culprits == []" 
ok "ring: as text" grep -q \
	'^Deadlock: rank 0 waits for rank 1, which waits for rank 2' ring.txt
hangs ring_of_requests "$certain == [[0,1,2,3]] and ($(state 3) |
	.call == \"MPI_Waitall\" and .requests == 2)" -s layout=node
hangs absent "$certain == [[0,2]] and (.collectives | length == 1 and
	(.[0] | .missing == [2] and .inside == 3))"
hangs wrong_tag "$certain == [[0,1]] and (.unreceived[0] | .from == 1 and
	.to == 0 and .tag == 6 and .count == 1)"
ok "wrong_tag: the message is named" grep -q \
	'^Rank 1 sent rank 0 1 message with tag 6 .*: rank 0 waits for tag 5' \
	wrong_tag.txt
hangs wrong_communicator "$certain == [[0,1]] and
	(.unreceived[0] | .from == 1 and .tag == 5 and .comm != \"1\")"
hangs wrong_root ".different_collectives == [[0,1]] and $certain == []"
hangs mismatch "(.different_collectives | length == 1 and .[0][0] == 0)"
hangs send_large_first "$certain == [[0,1]]"
hangs send_synchronously "$certain == [[0,1]]"
hangs any_source "($certain | length == 1) and
	($(state 0) | .peer == -1 and .call == \"MPI_Recv\")"
hangs left_alone "([.waiting_for_ended[] | select(.certain) |
	[.rank, .ended]] | sort) == [[0,1],[2,1],[3,1]]"
hangs loop "$certain == [] and .culprits == [{rank: 1, waiting: 3, may_wait: 3}] and
	($(state 1) | .state == \"outside\" and .call == \"MPI_Barrier\")"
ok "loop: as text" grep -q '^3 ranks wait for rank 1, which is not in MPI' \
	loop.txt
hangs late_root "$nobody and .culprits == [{rank: 0, waiting: 3, may_wait: 3}]"
hangs any_source_late "$nobody and .culprits == [{rank: 3, waiting: 0, may_wait: 3}]"
goes_on exchange 20 true
goes_on compute 3 "([.threads[].state] | unique) == [\"outside\"] and
	.culprits == []"
goes_on late_receiver 3 "$(state 0) | .call == \"MPI_Send\""
goes_on send_small_first 3 "([.threads[].state] | unique) == [\"outside\"]"
goes_on test_for_ever 3 "$(state 0) | .state == \"testing\""
start end_well
wait "$job"
job=
ok "end_well: all have ended" holds end_well "$nobody and
	.culprits == [] and ([.threads[].state] | unique) == [\"ended\"]"
# ended by a signal: the answer comes before the report. (Of a job in the
# background a shell has SIGINT ignored.)
tape run -o stopped mpirun --bind-to none -np 4 ./where ring >stopped.out \
	2>stopped.txt </dev/null &
job=$!
ok "tape run: it hangs" comes_to stopped "$certain == [[0,1,2,3]]"
kill -TERM "$job"
wait "$job"
job=
ok "tape run, ended: the deadlock is named" grep -q \
	'^Deadlock: rank 0 waits for rank 1, which waits for rank 2' stopped.txt
ok "tape run, ended: the report follows" sh -c \
	'grep -n "^Deadlock\|^The program ran" stopped.txt | cut -d: -f2 |
	paste -sd" " | grep -q "^Deadlock The program ran"'
tape run -o fall mpirun --bind-to none -np 4 ./where fall >fall.out 2>fall.txt
ok "tape run, of which a rank was killed: the others wait for it" grep -q \
	'^3 ranks wait for rank 1, which is not in MPI' fall.txt
tape run -o well mpirun --bind-to none -np 4 ./where end_well >well.out 2>well.txt
ok "tape run, all ranks end: nothing is said of calls" sh -c \
	"! grep 'ended$' well.txt"
finish
