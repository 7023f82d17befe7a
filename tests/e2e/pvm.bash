# Sourced instead of tap.bash by the tests of PVM programs; every test is
# skipped where PVM is missing.
#
#	. "$(dirname "$0")/pvm.bash"
#	compile ring ring.c		# $work/ring, from here
#	ok "it runs" pvm_machine ./ring
#	finish
. "$(dirname "${BASH_SOURCE[0]}")/tap.bash"
PATH=$TAPE_TOP/tests/rigs/pvm:$PATH

# needs_pvm PROGRAM...: the whole file is skipped where one is missing
needs_pvm()
{
	local p

	for p; do
		command -v "$p" >/dev/null && continue
		skip "$(basename "$0" .sh)" "pvm $p is not installed"
		finish
	done
}
needs_pvm pvm pvmd

# compile NAME SOURCE
compile()
{
	echo '#include <pvm3.h>' | gcc -E - >/dev/null 2>&1 || {
		skip "$(basename "$0" .sh)" "pvm pvm3.h is not installed"
		finish
	}
	gcc -O1 -g -o "$1" "$here/$2" -lgpvm3 -lpvm3 && return
	echo "Bail out! $2 does not compile"
	exit 1
}
