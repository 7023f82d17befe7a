#!/bin/bash
# As where.sh, with more kinds of calls: probes, persistent and synchronous sends,
# collectives of several communicators, windows.
# Truth: the cases of where_calls.c, which say who waits for whom.
# In make check-all only: where.sh has the kinds of answers.
. "$(dirname "$0")/where.bash"
need mpirun mpicc jq
program=where_calls
build where_calls where_calls.c

# culprit RANK WAITING: that one, for which so many wait, and no deadlock
culprit()
{
	echo "$nobody and .culprits == [{rank: $1, waiting: $2, may_wait: $2}]"
}

hangs probe_first "$certain == [[0,1]]"
hangs receive_before_barrier "$certain == [[0,1]]"
hangs send_before_barrier "$certain == [[0,1]]"
hangs persistent_ring "$certain == [[0,1,2,3]]"
hangs circle_of_three "$certain == [[0,1,2]] and
	($(state 3) | .call == \"MPI_Recv\" and .peer == 0)"
hangs nonblocking_mismatch "(.different_collectives | length == 1)"
ok "nonblocking_mismatch: both calls are named" grep -q \
	'^Different collectives: .*MPI_Allreduce .*MPI_Ibarrier' \
	nonblocking_mismatch.txt
hangs communicators_in_another_order "($certain | length >= 1 and
	all(. == [0,1] or . == [2,3] or . == [0,1,2,3]))"
# a communicator that is being made has no number that ranks could compare
hangs dup_by_some "[.deadlocks[].ranks | sort] == [[0,1]]"
hangs missing_member "([.waiting_for_ended[] | select(.certain) |
	[.rank, .ended]] | sort) == [[0,3],[1,3],[2,3]]"
hangs any_source_first "$certain == [[0,1]]"
hangs wait_any "($certain | sort) == [[0,2],[1,3]]"
hangs missing_fence "$(culprit 0 3)"
hangs lock_is_held "$nobody and ($(state 1) | .call == \"MPI_Win_lock\")"
hangs start_without_post "$nobody and ($(state 0) | .state == \"in_call\" and
	(.call | startswith(\"MPI_Win_\")))"
hangs scan_chain "$certain == [[0,3]]"
hangs sendrecv_ring "$certain == [[0,1,2,3]]"
hangs synchronous_ring "$certain == [[0,1,2,3]]"
for case in farm overlap two_communicators halo windows; do
	goes_on $case 20 true
done
finish
