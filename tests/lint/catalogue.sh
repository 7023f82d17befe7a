#!/bin/bash
# The tables: against the installed mpi.h, against the ids that traces already
# hold, and the generator's refusal of broken ones.
# Truth: the installed headers of MPI and PVM.
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.bash
make=$TAPE_BUILD/mkcatalogue

# The calls of MPI that have wrappers for the library of a family: those that
# not every library has where its mpi.h declares them.
listed()
{
	"$make" list catalogue | awk -v has="$TAPE_BUILD/gen/tape_has_$1.h" '
		BEGIN { while ((getline line < has) > 0) {
			split(line, w); there[w[2]] = 1 } }
		$2 ~ /^MPI_/ && (!/ not_everywhere/ || there["TAPE_HAS_" $2]) {
			print $2 }' | sort
}

# ---- mpi.h ----

openmpi=$(command -v mpicc.openmpi || echo mpicc)
if command -v "$openmpi" >/dev/null; then
	compile()
	{
		"$openmpi" -std=c11 -Wall -Werror -Wno-deprecated-declarations \
			-include "$TAPE_BUILD/gen/tape_has_openmpi.h" -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -c "$work/check.c" \
			-o "$work/check.o" 2>&1
	}
	"$make" check catalogue >"$work/check.c" && compile | head -n 20 |
		none "every call has the type that mpi.h gives it"
	# the check itself must be able to fail
	sed -i '0,/= MPI_Send;/s//= MPI_Recv;/' "$work/check.c"
	if compile >/dev/null; then
		echo "MPI_Recv passed for MPI_Send"
	fi | none "a wrong type is refused"

	# Every function that mpi.h declares, MPI_T apart. Its text after the
	# preprocessor, one declaration a line; a type is a word or two.
	echo '#include <mpi.h>' |
		"$openmpi" -E -P -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -x c - |
		tr '\n' ' ' | tr ';' '\n' |
		grep -oE '(^|[ )])[A-Za-z_]+ +MPIX?_[A-Za-z0-9_]+ *\(' |
		grep -oE "MPIX?_[A-Za-z0-9_]+ *[(]" | tr -d " (" |
		grep -v '^MPI_T_' | sort -u >"$work/declared"
	listed openmpi >"$work/known"
	{
		# as many as are exported under both names, or none was found
		nm -D --defined-only "$("$openmpi" --showme:libdirs | cut -d' ' -f1)/libmpi.so" |
			awk '$3 ~ /^PMPI_/ && $3 !~ /^PMPI_T_/ &&
				$3 !~ /_F90$/ { print substr($3, 2) }' |
			sort >"$work/exported"
		comm -23 "$work/exported" "$work/known"
		comm -13 "$work/known" "$work/declared"
		[ "$(wc -l <"$work/declared")" -ge 370 ] ||
			echo "only $(wc -l <"$work/declared") declarations found"
	} | none "every function of mpi.h and of the library is there"
	nm -D --defined-only "$TAPE_BUILD/lib/libtape-mpi.so" |
		awk '$2 == "T" && $3 ~ /^MPI_/ { print $3 }' | sort |
		comm -13 - "$work/known" | none "each has its wrapper"
else
	skip "the calls against mpi.h" "mpi is missing"
fi

# The same against MPICH, whose macros have no type. What it declares beyond
# the tables is said in doc/tape-calls.tail.
if command -v mpicc.mpich >/dev/null; then
	"$make" check catalogue >"$work/check.c"
	mpicc.mpich -std=c11 -Wall -Werror -Wno-deprecated-declarations \
		-include "$TAPE_BUILD/gen/tape_has_mpich.h" -c "$work/check.c" -o "$work/mpich.o" 2>&1 | head -n 20 |
		none "every call has the type that the mpi.h of MPICH gives it"
	# it must be able to fail here, too
	sed -i '0,/= MPI_Send;/s//= MPI_Recv;/' "$work/check.c"
	if mpicc.mpich -std=c11 -Wall -Werror -Wno-deprecated-declarations \
		-include "$TAPE_BUILD/gen/tape_has_mpich.h" -c "$work/check.c" -o "$work/mpich.o" 2>/dev/null; then
		echo "MPI_Recv passed for MPI_Send"
	fi | none "a wrong type is refused with MPICH"
	listed mpich >"$work/known"
	echo '#include <mpi.h>' | mpicc.mpich -E -P -x c - |
		grep -oE '\<MPIX?_[A-Za-z0-9_]+ *[(]' | tr -d ' (' |
		grep -vE '^MPI_T_|^MPI_(User|Comm|Type|Win|Grequest|File)?_?[a-z_]*(function|fn)$|^MPI_Aint$' |
		sort -u >"$work/declared"
	beyond='^MPIX_|^MPI_Session_(c2f|f2c)$|^MPI_Session_errhandler_(function|fn)$'
	beyond+='|^MPI_Aint_(add|diff)$|^MPI_Status_.*f08'
	{
		[ "$(comm -12 "$work/known" "$work/declared" | wc -l)" -gt 300 ] ||
			echo "declarations not found"
		comm -13 "$work/known" "$work/declared" | grep -vE "$beyond"
	} | none "what MPICH declares is in the tables, or said to be left out"
else
	skip "the calls against MPICH's mpi.h" "mpich is missing"
fi

# ---- pvm3.h ----

if echo '#include <pvm3.h>' | gcc -E -xc - >/dev/null 2>&1; then
	compile() { gcc -std=c11 -D_GNU_SOURCE -Werror -c "$1" -o "$1.o" 2>&1; }
	"$make" check-pvm catalogue >"$work/pvm.c" && compile "$work/pvm.c" |
		head -n 20 | none "every call has the type that pvm3.h gives it"
	sed 's/= pvm_send;/= pvm_recvf;/' "$work/pvm.c" >"$work/wrong.c"
	if compile "$work/wrong.c" >/dev/null; then
		echo "pvm_recvf passed for pvm_send"
	fi | none "a wrong type is refused"

	# pvm_recvf returns a pointer to a function: its name has a bracket before
	printf '#include <stdio.h>\n#include <pvm3.h>\n' | gcc -E -P -x c - |
		grep -oE '\<pvm(_|get)[a-z0-9_]+ *\(' | tr -d ' (' | sort -u \
		>"$work/declared"
	awk '$1 ~ /^[0-9]+$/ { print $2 }' catalogue/pvm.tab | sort \
		>"$work/known"
	{
		[ "$(wc -l <"$work/declared")" -ge 100 ] ||
			echo "only $(wc -l <"$work/declared") declarations found"
		comm -13 "$work/known" "$work/declared"
		# the two that only the library has
		awk '$1 ~ /^[0-9]+$/ && $3 ~ /^-/ { print $2 }' \
			catalogue/pvm.tab | sort |
			comm -23 <(comm -23 "$work/known" "$work/declared") -
	} | none "every function of pvm3.h is there, and nothing else"
	nm -D --defined-only "$TAPE_BUILD/lib/libtape-pvm.so" |
		awk '$2 == "T" && $3 ~ /^pvm/ { print $3 }' | sort |
		diff - "$work/known" | none "each has its wrapper"
else
	skip "the calls against pvm3.h" "PVM is missing"
fi

# ---- ids ----

"$make" list catalogue | awk '{ print $1, $2 }' | sort >"$work/now"
sort tests/lint/ids.txt | comm -23 - "$work/now" |
	none "no id that was given out has changed its call"
sort tests/lint/ids.txt | comm -13 - "$work/now" |
	none "every id is in tests/lint/ids.txt: add the new ones"

# ---- groups ----

sed -n '/^\.BR groups " = "/,/^\.TE/p' runtime/tape.conf.5 |
	sed '1,/^lb l\.$/d; /^\.TE/d' |
	diff - <("$make" groups catalogue) |
	none "tape.conf(5) has the table of groups as the catalogue has it"

# ---- broken tables ----

# broken FILE LINE SENTENCE: appends the line and expects the refusal.
broken()
{
	local file=$1 line=$2 want=$3 at
	rm -rf "$work/tables"
	cp -r catalogue "$work/tables"
	printf '%s\n' "$line" >>"$work/tables/$file"
	at="$file:$(wc -l <"$work/tables/$file"): "
	if "$make" "${view:-ids}" "$work/tables" >"$work/out" 2>"$work/err"; then
		echo "accepted: $line"
	fi
	if ! grep -qF "$at" "$work/err" || ! grep -q "$want" "$work/err"; then
		echo "for '$line': $(cat "$work/err")"
	fi
}

{
	broken mpi.tab "120 MPI_Other local" "used before"
	broken mpi.tab "9000 MPI_Send local" "used before"
	broken mpi.tab "0 MPI_Other local" "bad id"
	broken mpi.tab "99999 MPI_Other local" "bad id"
	broken mpi.tab "12x MPI_Other local" "bad id"
	broken mpi.tab "9000 MPI_Other" "no class"
	broken mpi.tab "group new" "group name what"
	broken mpi.tab "group p2p something else" "described otherwise"
	broken mpi.tab "9000 MPI_Other sideways" "unknown class"
	broken mpi.tab "9000 MPI_Other local a:nothing" "unknown kind"
	broken mpi.tab "9000 MPI_Other local a" "a trait or argument:kind"
	broken traits.tab "persistent again" "used before"
	broken traits.tab "alone" "trait what"
	broken classes.tab "new field:i128" "unknown encoding"
	broken classes.tab "new field" "field:encoding"
	broken classes.tab "send peer:int" "used before"
	broken classes.tab "@ send yes send" "expected once"
	broken classes.tab "new field:int" "no line @"
	broken records.tab "17 new start:u64" "event is the last"
	broken pvm.tab "101 pvm_other local" "used before"
	broken kinds.tab "kind role" "kind role type"
	broken kinds.tab "count count int" "used before"
	view=reroute-fortran
	broken pvm_fortran.tab "pvmfother pvm_other" "unknown call"
	broken pvm_fortran.tab "pvmfother" "name call"
	broken pvm_fortran.tab "pvmfother pvm_send pvm_pkint" "comes before"
} | none "broken tables are refused, naming file and line"

for view in ids codec names list reroute reroute-fortran prototypes wrap-c check real-pvm wrap-pvm \
	prototypes-pvm check-pvm man; do
	"$make" $view catalogue | cmp -s - <("$make" $view catalogue) ||
		echo "$view differs from one time to the next"
	"$make" $view catalogue | grep -nE "\<$(hostname)[^a-z]|$TAPE_TOP|20[2-9][0-9]-" |
		grep -vw localhost | head -n 2
done | none "views hold no date, host or path"

finish
