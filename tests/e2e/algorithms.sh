#!/bin/bash
# Are the collectives of the MPI library that is here done as the tables say
# (lib/model/collective/coll_choice.c)? Members are late on purpose, and who leaves only
# afterwards is compared with who does by the table.
# Truth: who leaves a real collective late, by the program itself.
. "$(dirname "$0")/tap.bash"
if ! mpirun --version 2>/dev/null | grep -q "(Open MPI) 4\.1\."; then
	skip algorithms "there are tables of Open MPI 4.1 only"
	echo "1..1"
	exit 0
fi

ok "compiled" mpicc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror \
	-I "$TAPE_TOP/lib/model/collective" -I "$TAPE_TOP/lib/model/message" \
	-I "$TAPE_TOP/catalogue" -o algorithms \
	"$TAPE_TOP/tests/e2e/algorithms.c" "$TAPE_BUILD/obj/libmodel.a" -lm

# shared memory makes senders of more than 256 bytes wait for their receivers
sizes="3 8"
[ -z "${ALL:-}" ] || sizes="2 3 4 6 8"
for n in $sizes; do
	mpirun -np $n --mca btl tcp,self --mca mpi_yield_when_idle 1 \
		./algorithms >$n.out 2>$n.err
	cat $n.err >&2
	ok "$n members: 25 operations are looked at" \
		test "$(grep -c -e '^as known' -e '^differs' $n.out)" -eq 25
	grep '^#' $n.out
	ok "$n members: each waits for whom the table says" \
		same /dev/null <(grep '^differs' $n.out)
done
finish
