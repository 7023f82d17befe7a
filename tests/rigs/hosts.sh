#!/bin/bash
# Makes several hosts of one machine, for one command:
#
#	hosts.sh SKEW... -- COMMAND...
#
# makes one host for each SKEW: a network, a name (host1, host2, ...) and, by
# SKEW seconds (0: the machine's own), a monotonic clock of its own; joined by
# a bridge, 10.87.0.1, 10.87.0.2, ... Runs COMMAND with $HOSTS_RSH, a remote
# shell's stand-in for mpirun. Ends with COMMAND's status, or with 77 and a
# line on standard error if the kernel or the user's rights do not allow it.
# Everything is in namespaces of this process: nothing is left behind, however it
# ends, and simultaneous runs do not interfere.
# With HOSTS_APART=1 what is started on another host than the first sees a
# /dev/shm of its own, for as long as it lives.
#
# The time stamp counter is not shifted: the clock has to be monotonic_raw.
set -eu
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")

fail() { echo "hosts.sh: $*" >&2; exit 77; }

# The remote shell: [OPTION...] ADDRESS-OR-NAME COMMAND...
if [ "${1:-}" = rsh ]; then
	shift
	while [ "${1#-}" != "$1" ]; do shift; done
	n=${1##*[!0-9]}
	shift
	skews=($HOSTS_SKEWS)
	skew=${skews[n - 1]}
	own=(unshare --uts)
	[ "$skew" = 0 ] ||
		own+=(--time --monotonic "$skew" --boottime "$skew" --fork
			--kill-child)
	# ip makes a mount namespace for it
	apart=:
	[ "${HOSTS_APART:-}" != 1 ] || [ "$n" = 1 ] ||
		apart='mount -t tmpfs tape-host /dev/shm'
	exec ip netns exec "host$n" "${own[@]}" \
		bash -c 'eval "$1"; hostname "$2"; shift 2; exec bash -c "$*"' bash \
		"$apart" "host$n" "$@"
fi

# The outer call: into namespaces of our own.
if [ "${1:-}" != inside ]; then
	command -v ip >/dev/null || fail "ip is not installed"
	unshare --net --mount --time --uts --monotonic 1 true 2>/dev/null ||
		fail "no right to make namespaces, or no such kernel"
	exec unshare --net --mount --propagation private --fork --kill-child \
		"$self" inside "$@"
fi

shift
skews=()
while [ "$1" != -- ]; do skews+=("$1"); shift; done
shift
mkdir -p /run/netns && mount -t tmpfs tape-hosts /run/netns ||
	fail "cannot mount /run/netns"
ip link set lo up
ip link add bridge0 type bridge || fail "no bridges"
ip addr add 10.87.0.254/24 dev bridge0
ip link set bridge0 up
names=$(mktemp)
echo "127.0.0.1 localhost" >"$names"
for n in $(seq ${#skews[@]}); do
	ip netns add "host$n" || fail "no network namespaces"
	ip link add "port$n" type veth peer name eth0 netns "host$n" ||
		fail "no virtual Ethernet"
	ip link set "port$n" master bridge0 up
	ip -n "host$n" addr add "10.87.0.$n/24" dev eth0
	ip -n "host$n" link set eth0 up
	ip -n "host$n" link set lo up
	echo "10.87.0.$n host$n" >>"$names"
done
mount --bind "$names" /etc/hosts || fail "cannot mount /etc/hosts"
rm "$names"
# mpirun's agent is one word
HOSTS_RSH=$(mktemp)
printf '#!/bin/sh\nexec %q rsh "$@"\n' "$self" >"$HOSTS_RSH"
chmod +x "$HOSTS_RSH"
trap 'rm -f "$HOSTS_RSH"' EXIT
export HOSTS_RSH HOSTS_SKEWS="${skews[*]}"
"$@"
