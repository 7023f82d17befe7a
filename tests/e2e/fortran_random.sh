#!/bin/bash
# Random programs in Fortran through tapepp: they compile as before, make the
# same calls, and what each call was announced with is the line that it stands
# in, or tapepp has reported that line.
# Truth: the program without Tape; lines of the generator of programs.
. "$(dirname "$0")/tap.bash"
need gfortran python3
: "${SEED:=1}" "${PROGRAMS:=6}"
echo "# SEED=$SEED PROGRAMS=$PROGRAMS"

# stands for both libraries: prints the line that a call has, and was said
cat >calls.c <<'END'
#include <stdio.h>
static int said;
void tape_mpi_at_(int *first, int *last, int *line) { said = *line; }
void tape_pvm_at_(int *first, int *last, int *line) { said = *line; }
#define CALL(name) \
	void name(int *line) \
	{ \
		printf(#name " %d %d\n", *line, said); \
		said = 0; \
	}
CALL(mpi_send_)
CALL(mpi_recv_)
CALL(mpi_barrier_)
CALL(pvmfsend_)
double mpi_wtime_(int *line)
{
	printf("mpi_wtime_ %d %d\n", *line, said);
	said = 0;
	return 1;
}
void other_(int *line) { printf("other %d 0\n", *line); }
END
gcc -w -c calls.c || exit 1

# one SEED FORM SUFFIX
one()
{
	local name=p$1.$3

	python3 "$here/fortran_random.py" "$1" "$2" >"$name"
	gfortran -cpp -w -fallow-argument-mismatch -o plain "$name" calls.o ||
		{ echo "seed $1: no program"; return 1; }
	tapepp -o "r.$name" "$name" 2>reports || return
	gfortran -cpp -w -fallow-argument-mismatch -o rewritten "r.$name" \
		calls.o || return
	./plain >plain.out && ./rewritten >rewritten.out || return
	same <(cut -d' ' -f1,2 plain.out) <(cut -d' ' -f1,2 rewritten.out) ||
		return
	# said another line, or nothing where nothing was reported
	awk -F'[: ]' 'FNR == NR { left[$2] = 1; next }
		{ split($0, w, " ") }
		w[1] != "other" && w[2] != w[3] && (w[3] || !(w[2] in left)) {
			print "wrong: " $0; bad = 1 }
		END { exit bad }' reports rewritten.out &&
		awk '$2 == $3 { n++ } END { exit n < 3 }' rewritten.out
}
for ((seed = SEED; seed < SEED + PROGRAMS; seed++)); do
	ok "fixed form, seed $seed" one $seed fixed f
	ok "free form, seed $seed" one $seed free f90
done
finish
