# For the lints, sourced: TAP from lists of complaints.
#
#   complaints | none "what must hold"      passes when nothing comes
#   skip "what" "REASON why"
#   finish
: "${TAPE_TOP:?is set by tests/run}" "${TAPE_BUILD:?is set by tests/run}"
shopt -s lastpipe # none counts in this shell, not in the pipe's
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
count=0 failed=0

none()
{
	cat >"$work/complaints"
	count=$((count + 1))
	if [ ! -s "$work/complaints" ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		sed 's/^/# /' "$work/complaints" | head -n 30
		failed=1
	fi
}

skip()
{
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

finish()
{
	echo "1..$count"
	exit $failed
}
