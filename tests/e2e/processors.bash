# For tests that say on which processors ranks run. Sourced after tap.bash, once
# the programs are built.
#	$one, $two	two processors that may be used, or one twice
#	$bind		mpirun's option for ranks that are bound to none
# Where the kernel does not count how long a task waits for a processor, the test
# is skipped.
read -r one two <<<"$(python3 -c '
import os
print(*sorted(os.sched_getaffinity(0))[:2])')"
two=${two:-$one}
bind=--bind-to\ none
[ "$MPI" = openmpi ] || bind=
if ! [ -r /proc/$$/schedstat ] || grep -q "^0 " /proc/$$/schedstat; then
	skip "waiting for a processor" "this kernel does not count it"
	finish
fi
