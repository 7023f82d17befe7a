#!/bin/bash
# The wrappers for Fortran against the functions that the libraries' Fortran
# interfaces export: each is there, or is on the list with its reason.
# Truth: the libraries' functions for Fortran.
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.bash
lib=$TAPE_BUILD/lib/libtape-mpi.so

# ---- PVM: the table of its Fortran interface, against its library ----

archive=$(gfortran -print-file-name=libfpvm3.a 2>/dev/null)
if [ -e "$archive" ]; then
	# of each function the calls of C that its object refers to
	nm -g "$archive" 2>/dev/null | awk '
		function flush() { if (name) print name calls; name = calls = "" }
		/:$/ { flush() }
		$2 == "T" && $3 ~ /^pvmf.*_$/ { name = substr($3, 1, length($3) - 1) }
		$1 == "U" && $2 ~ /^pvm_/ { calls = calls " " $2 }
		END { flush() }' | sort >"$work/library"
	[ "$(wc -l <"$work/library")" -gt 50 ] || echo "too few functions" |
		none "the functions of libfpvm3 are found"
	grep '^pvmf' catalogue/pvm_fortran.tab | sort >"$work/table"
	diff <(cut -d' ' -f1 "$work/library") <(cut -d' ' -f1 "$work/table") |
		none "pvm_fortran.tab has every function of libfpvm3, and no other"
	# NAME NUMBER: what a function calls, what it may call by the table
	awk 'FNR == NR { if ($1 ~ /^[0-9]+$/) id[$2] = $1; next }
		FNR == 1 { file++ }
		file == 1 { first[$1] = id[$2]; last[$1] = id[$3 ? $3 : $2]; next }
		{ for (i = 2; i <= NF; i++)
			if (!($i in id) || id[$i] < first[$1] || id[$i] > last[$1])
				print $1 " calls " $i ", which the table does not say"
		  if (NF == 1 && first[$1])
			print $1 " makes no call" }' \
		catalogue/pvm.tab "$work/table" "$work/library" |
		none "each makes the calls that the table says"
else
	skip "the Fortran interface of PVM" "pvm libfpvm3.a is not installed"
fi

# ---- MPI ----

# Those that no program's communication or waiting depends on.
left_out()
{
	case $1 in
	mpi_sizeof_*) ;;         # bytes of a variable, one for each type
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
	grep -vE ': mpi_(f_sync_reg|sizeof.*) ' |
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
