# For tests that record and replay the order of MPI programs. Sourced after
# tap.bash; needs mpirun and mpicc. Builds order and order_calls.
export OMPI_MCA_mpi_yield_when_idle=1
build order order.c
build order_calls order_calls.c
# what order does; ./order_calls list says what order_calls does
order_kinds="recv probe mprobe iprobe waitall waitany testsome testall cancel start"

# traced NAME SETTINGS PROGRAM...: a run of four ranks, or $ranks, at most a minute
traced()
{
	local name=$1 settings=$2

	shift 2
	run "$name" timeout 60 mpirun -np "${ranks:-4}" taperun $settings \
		-o "$name.tape" "$@"
}
# replayed NAME AGAIN: the second run printed what the first one did
replayed() { holds '^0$' "$2.rc" && same "$1.out" "$2.out" && lacks '^tape' "$2.err"; }
# replay_kinds SETTINGS: each kind of program is recorded with these, and replayed
replay_kinds()
{
	local settings=$1 kind

	for kind in $order_kinds; do
		traced $kind "$settings" ./order $kind 8
		traced $kind.again "-s replay=$kind.tape" ./order $kind 8
		ok "$kind: a replay has the recorded order" replayed $kind $kind.again
	done
	for kind in $(./order_calls list); do
		# which message a freed receive got is in no event
		[ "$settings" ] || [ $kind != free ] || continue
		traced $kind "$settings" ./order_calls $kind 8
		traced $kind.again "-s replay=$kind.tape" ./order_calls $kind 8
		ok "$kind: the same" replayed $kind $kind.again
	done
}
# build_fortran INTERFACE: order_INTERFACE; skips and fails without mpifort
build_fortran()
{
	command -v mpifort >/dev/null &&
		mpifort -O1 -cpp "-D$(echo $1 | tr a-z A-Z)" -o order_$1 \
			"$here/order_fortran.F90" && return
	skip "Fortran" "mpifort is not installed"
	false
}
