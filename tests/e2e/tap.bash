# Sourced by the end-to-end tests: TAP lines, a directory of the test's own
# ($work, removed at the end), programs, and one run with and without Tape.
#
#	. "$(dirname "$0")/tap.bash"
#	need mpirun mpicc		# or every test is skipped
#					# MPI=mpich: those of MPICH
#	build ring ring.c		# $work/ring, and $work/ring.linked
#	ok "it runs" mpirun -np 2 ./ring
#	finish
set -u
export LC_ALL=C
: "${TAPE_TOP:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
: "${TAPE_BUILD:=$TAPE_TOP/build}"
: "${OMPI_ALLOW_RUN_AS_ROOT:=1}" "${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM:=1}"
: "${OMPI_MCA_rmaps_base_oversubscribe:=1}"
: "${OMPI_MCA_btl_base_warn_component_unused:=0}"
export TAPE_TOP TAPE_BUILD OMPI_ALLOW_RUN_AS_ROOT
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
export OMPI_MCA_btl_base_warn_component_unused
# A report without the factors of phases, which who follows a trace does not know if
# processors are shared. Of the table of efficiency the columns are those that all
# have, by their names; that of computing only narrow tables have.
without_phases()
{
	awk -v names="length balance communication parallel part" '
		BEGIN { wanted = split(names, name) }
		/^Efficiency: of the run/ { blanks = 2; columns = 0 }
		blanks && !NF { blanks-- }
		blanks == 1 && /^Not shown/ { hidden = 1 }
		!NF { hidden = 0 }
		hidden { next }
		blanks == 1 && NF && !columns { columns = NF
			for (i = 1; i <= NF; i++) at[$i] = i }
		blanks == 1 && NF {
			if ($at["part"] == "phase") next
			for (i = 1; i < wanted; i++)
				if (name[i] in at) printf "%s ", $at[name[i]]
			for (i = at["part"]; i <= NF; i++) printf "%s ", $i
			print ""
			next }
		{ print }'
}
# The same, without serialisation and transfer, which several processes do not know,
# nor who follows tasks of PVM
without_ideal()
{
	sed -E 's/ \(serialisation [0-9]+%, transfer [0-9]+%\)//
		s/("(serialisation|transfer)(_share)?": ?)(null|[0-9.e-]+)/\1-/g
		/<h3>Efficiency</,/<\/table>/d' |
		awk 'blanks && !NF { blanks-- }
			blanks == 1 && NF { $first = $(first + 1) = "-" }
			/^Runs, compared/ { blanks = 2; first = 6 }
			{ print }' | without_phases
}

# nobody's settings but the tests' own
for name in $(compgen -e TAPE_); do
	case $name in TAPE_TOP|TAPE_BUILD) ;; *) unset "$name" ;; esac
done
case $PATH: in "$TAPE_BUILD/bin":*) ;; *) PATH=$TAPE_BUILD/bin:$PATH ;; esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/tape-e2e.XXXXXX") || exit 1
tests=0 failed=0
undo=()

# later COMMAND...: run when the test ends, however it ends, last one first
later() { undo+=("$(printf '%q ' "$@")"); }
clean_up()
{
	local i

	for ((i = ${#undo[@]} - 1; i >= 0; i--)); do eval "${undo[i]}"; done
	cd / && rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# mpirun and mpicc are those of one family, whatever the system's default is.
# Hydra looks for its proxy where it was found itself.
: "${MPI:=openmpi}"
mkdir "$work/.mpi"
# An mpirun that ends removes the folder that all have in common if it is empty,
# and another one that is about to use it fails: so it is a test's own, and never
# empty.
mkdir -p "$work/.ompi/ompi.$(hostname -s).$(id -u)/kept"
export OMPI_MCA_orte_tmpdir_base=$work/.ompi
for name in mpirun mpicc mpifort; do
	if command -v $name.$MPI >/dev/null; then
		ln -s "$(command -v $name.$MPI)" "$work/.mpi/$name"
	elif [ "$MPI" = mpich ]; then
		# none: nothing of another family must be found
		need() { skip "$(basename "$0" .sh)" "mpich is not installed"; echo "1..1"; exit 0; }
	fi
done
if [ "$MPI" = mpich ] && command -v hydra_pmi_proxy >/dev/null; then
	ln -s "$(command -v hydra_pmi_proxy)" "$work/.mpi/"
fi
PATH=$work/.mpi:$PATH
tracer=tape-$([ "$MPI" = mpich ] && echo mpich || echo mpi)

say_ok() { printf 'ok %d - %s\n' $((++tests)) "$*"; }
say_not_ok() { printf 'not ok %d - %s\n' $((++tests)) "$*"; failed=1; }
skip() { printf 'ok %d - %s # SKIP %s\n' $((++tests)) "$1" "$2"; }

# ok NAME COMMAND...: passes if the command does; what it printed is shown if
# it does not
ok()
{
	local name=$1

	shift
	if "$@" >"$work/.ok" 2>&1; then
		say_ok "$name"
	else
		say_not_ok "$name"
		{ printf '%q ' "$@"; echo; head -n 30 "$work/.ok"; } |
			sed 's/^/# /'
	fi
}

equal()
{
	[ "$1" = "$2" ] || { printf 'got      %s\nexpected %s\n' "$1" "$2"; false; }
}

# same FILE FILE: no difference
same() { diff -u "$1" "$2"; }

# holds PATTERN FILE; lacks PATTERN FILE
holds() { grep -qE -- "$1" "$2" || { echo "no \"$1\" in:"; cat "$2"; false; }; }
lacks() { ! grep -nE -- "$1" "$2"; }

# need PROGRAM...: the whole file is skipped where one is missing
need()
{
	local p

	for p; do
		command -v "$p" >/dev/null && continue
		skip "$(basename "$0" .sh)" "mpi $p is not installed"
		echo "1..$tests"
		exit 0
	done
}

# build NAME SOURCE: NAME for the preload door, NAME.linked for the link door
build()
{
	local lib=$TAPE_BUILD/lib

	mpicc -O1 -g -w -I"$TAPE_TOP/runtime" -o "$1" "$here/$2" &&
		mpicc -O1 -g -w -I"$TAPE_TOP/runtime" -o "$1.linked" \
			"$here/$2" -L"$lib" -Wl,-rpath,"$lib" "-l$tracer" &&
		return
	echo "Bail out! $2 does not compile"
	exit 1
}

# run NAME COMMAND...: leaves NAME.out, NAME.err and NAME.rc
run()
{
	local name=$1

	shift
	"$@" >"$name.out" 2>"$name.err" </dev/null
	echo $? >"$name.rc"
}

# Open MPI's mpirun, having killed a job, now and then crashes or waits for ever
# in PMIx_server_finalize (15 of 1,600 jobs of several programs on a busy
# machine). That it waits is known by its processes: all of them are dead.
all_dead()
{
	local child children

	children=$(cat "/proc/$1/task/"*/children 2>/dev/null) || return
	[ -n "$children" ] || return
	for child in $children; do
		[[ $(cat "/proc/$child/stat" 2>&1) == *") Z "* ]] || return
	done
}
# Does the mpirun below "timeout" below process $1 end? Else it is killed.
mpirun_ends()
{
	local dead=0 mpirun

	while kill -0 "$1" 2>/dev/null; do
		sleep 0.2
		mpirun=$(pgrep -P "$(pgrep -P "$1" timeout)" mpirun 2>/dev/null)
		if all_dead "$mpirun"; then dead=$((dead + 1)); else dead=0; fi
		[ $dead -lt 50 ] || { kill -9 "$mpirun"; return 1; }
	done
}
# until_ended NAME COMMAND...: COMMAND runs "timeout N mpirun ..." by "run NAME",
# for a job that is killed; once more where mpirun itself does not end in order.
until_ended()
{
	local i name=$1 ended

	shift
	for ((i = 0; i < 5; i++)); do
		"$@" &
		mpirun_ends $!
		ended=$?
		wait $!
		[ $ended != 0 ] || grep -q PMIx_server_finalize "$name.err" ||
			return 0
	done
}

# What the ranks of a job that is broken off print does not always get through
# mpirun: Open MPI's loses some of it now and then, Hydra throws it away. With
# "$heard NAME" before the program it goes into NAME.said and NAME.told.
heard=$work/.mpi/heard
cat >"$heard" <<'END'
#!/bin/sh
name=$1
shift
exec "$@" >>"$name.said" 2>>"$name.told"
END
chmod +x "$heard"

# The same was printed on standard output; Hydra names processes there.
same_output()
{
	diff -u <(sed -E 's/PID [0-9]+ RUNNING/PID 0 RUNNING/' "$1.out") \
		<(sed -E 's/PID [0-9]+ RUNNING/PID 0 RUNNING/' "$2.out")
}

# What the runs NAME and NAME printed and how they ended is the same. mpirun
# and Open MPI print process ids, addresses and the like: $neutral takes them
# out of standard error (a sed script, more expressions can be added).
neutral='s/0x[0-9a-f]+/0x/g; s/^Abort\([0-9]+\)/Abort(0)/; s/\[[^]:]*:[0-9]+\]/[host:pid]/g
	s/with PID [0-9]+/with PID 0/; s/(PID|pid) [0-9]+/\1 0/g'
alike()
{
	equal "$(cat "$2.rc")" "$(cat "$1.rc")" && same_output "$1" "$2" &&
		diff -u <(sed -E "$neutral" "$1.err") \
			<(sed -E "$neutral" "$2.err" | grep -v '^tape: ')
}

# said FILE: a tool's standard error, but for the sentence on each program and
# library that was compiled without -g
said() { grep -vE ': no lines? for [0-9]+ call sites?: it has no debug' "$1"; }

# events TRACE RANK [CALL]: how many calls of the trace's rank, runs of failed
# tests in full, those at a second call site (also=CALL@SITE:COUNT:...) too,
# and what was skipped in blocks
events()
{
	tapedump "$1" 2>/dev/null | awk -v rank="$2" -v call="${3:-}" '
		function made(name, k) { if (call == "" || name == call) n += k }
		$1 == "flow" { mine = $2 == rank }
		mine && $3 == "block" {
			split($8, site, "=")
			split($10, calls, "=")
			made(name["@" site[2]], calls[2])
		}
		mine && $3 ~ /^(MPI|mpi)_/ {
			name[$4] = $3
			k = 1
			for (i = 4; i <= NF && $i != ";"; i++)
				if ($i ~ /^polls=/) {
					split(substr($i, 7), p, ":")
					k = p[1]
				} else if ($i ~ /^also=/) {
					split(substr($i, 6), p, "[@:]")
					made(p[1], p[3])
				}
			made($3, k)
		}
		END { print n + 0 }'
}

# end_of TRACE RANK: the end record's reason and the number of lost events
end_of()
{
	tapedump "$1" 2>/dev/null | awk -v rank="$2" '
		$1 == "flow" { mine = $2 == rank && $3 == 0 }
		mine && $1 == "end" { print $2, $3 }'
}

# Whatever tico wrote here that is still there: no date of it contradicts
# another (causality.h). With a line of text for each trace that has such dates.
possible()
{
	! find "$work" -name meta -exec grep -H '^causality ' {} + |
		grep -v ':causality 0 0$'
}

finish()
{
	[ -z "$(find "$work" -name meta -exec grep -h '^causality ' {} +)" ] ||
		ok "no corrected date contradicts another" possible
	echo "1..$tests"
	exit $failed
}
