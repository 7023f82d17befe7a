#!/bin/bash
# The wrappers for Fortran against the functions that the library's Fortran
# interfaces export: each is there, or is on the list with its reason.
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.sh
lib=$TAPE_BUILD/lib/libtape-mpi.so

# Those that no program's communication or waiting depends on.
left_out()
{
	case $1 in
	mpi_sizeof_*) ;;         # bytes of a variable, one for each type
	mpi_aint_add_* | mpi_aint_diff_*) ;; # sums; in C these are macros
	mpi_f_sync_reg_*) ;;     # does nothing: keeps the compiler from moving
	mpi_fortran_*) ;;        # no functions: variables
	*) return 1 ;;
	esac
}

if ! command -v mpifort >/dev/null; then
	skip "the Fortran interfaces" "mpi mpifort is not installed"
	finish
fi
nm -D --defined-only "$lib" | awk '{ print $3 }' | sort -u >"$work/ours"

# where LIBRARY: its file, as a program linked with it finds it
where()
{
	local d

	for d in $(mpifort --showme:libdirs) $(mpicc --showme:libdirs) \
		/usr/lib/*-linux-gnu; do
		[ -e "$d/$1.so" ] && echo "$d/$1.so" && return
	done
	echo "/no/$1.so"
}

# interface LIBRARY PATTERN LEAST: what it exports under that pattern
interface()
{
	nm -D --defined-only "$(where "$1")" | awk '{ print $3 }' |
		grep -E "$2" | sort -u >"$work/theirs"
	[ "$(wc -l <"$work/theirs")" -ge "$3" ] ||
		echo "$1: only $(wc -l <"$work/theirs") functions found"
	comm -23 "$work/theirs" "$work/ours" | while read -r f; do
		left_out "$f" || echo "$1: $f has no wrapper"
	done
}

# as gfortran calls them, and as other compilers or options do
interface libmpi_mpifh '^mpi_[a-z0-9_]*[a-z0-9]_$' 380 |
	none "mpif.h: every function has its wrapper"
interface libmpi_mpifh '^(mpi_[a-z0-9_]*[a-z0-9](__)?)$' 700 | grep -v sizeof |
	grep -vE ': mpi_(aint_add|aint_diff|f_sync_reg|sizeof.*) ' |
	none "mpif.h: so have its other names"
interface libmpi_usempif08 '^mpi_.*_f08_$' 340 |
	none "mpi_f08: every function has its wrapper"
interface libmpi_usempi_ignore_tkr '^mpi_' 100 |
	none "mpi: every function has its wrapper"

# A wrapper for nothing would hide a mistake in a name.
nm -D --defined-only "$(where libmpi_mpifh)" |
	awk '$3 ~ /^pmpi_/ { print substr($3, 2) }' | sort -u >"$work/profiled"
grep -E '^mpi_[a-z0-9_]*[a-z0-9]_$' "$work/ours" | grep -vE '_f08_$' |
	comm -23 - "$work/profiled" |
	none "every wrapper has a function of the library behind it"
finish
