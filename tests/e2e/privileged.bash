# Sourced by the tests of programs that have rights which their user lacks: a
# directory for user nobody, and what runs there.
#
#	privileged_skip			# the whole file, where it cannot be tried
#	as_nobody COMMAND...		# in $open
#	give setuid PROGRAM NAME	# a copy of it in $open: plain, setuid,
#					# setgid or capable
nobody=65534
open=$work/open
chmod 711 "$work"
mkdir -m 1777 "$open" "$open/ompi"

as_nobody()
{
	(cd "$open" && exec timeout 60 env HOME="$open" TMPDIR="$open" \
		OMPI_MCA_orte_tmpdir_base="$open/ompi" "$@")
}
drop=(setpriv --reuid=$nobody --regid=$nobody --clear-groups --)

give()
{
	cp "$2" "$open/$3" && chmod 755 "$open/$3" || return
	case $1 in
	setuid) chmod u+s "$open/$3" ;;
	setgid) chmod g+s "$open/$3" ;;
	capable) setcap cap_net_raw+ep "$open/$3" 2>/dev/null ;;
	esac
}

privileged_skip()
{
	local why=

	if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
		why="setuid setpriv and root are needed"
	elif ! as_nobody "${drop[@]}" test -x "$TAPE_BUILD/lib" -a -r "$TAPE_BUILD/lib"; then
		why="setuid nobody cannot read what was built"
	elif give setuid "$(command -v id)" own_id &&
		[ "$(as_nobody "${drop[@]}" ./own_id -u)" != 0 ]; then
		why="setuid the file system does not know it"
	else
		rm -f "$open/own_id"
		return
	fi
	skip "$(basename "$0" .sh)" "$why"
	finish
}

# traces: what of a trace there is, anywhere in the test's directory
traces() { (cd "$work" && find . -name '*.tape' -o -name 'rank.*') | sort; }

# untouched NAME [PLAIN]: run NAME was that without Tape, silently, without a trace
untouched()
{
	equal "$(traces)" "" && same "${2:-plain}.out" "$1.out" &&
		same "${2:-plain}.err" "$1.err" &&
		equal "$(cat "$1.rc")" "$(cat "${2:-plain}.rc")"
}
