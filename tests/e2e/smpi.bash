# Sourced by the tests that run programs on simulated machines (tests/rigs/smpi),
# where a run without the tracer's cost tells when each event really was:
# $rig and $seed, and the same reason to leave all out.
. "$(dirname "${BASH_SOURCE[0]}")/tap.bash"
rig=$TAPE_BUILD/rig
if ! command -v smpirun >/dev/null || [ ! -x "$rig/smpi/ring.traced" ]; then
	skip smpi "smpi smpicc is not installed, or was not at build time"
	finish
fi
need jq
seed=${SMPI_SEED:-1}
echo "# seed $seed"

# is NAME FILTER: what compare wrote to NAME.json says so
is() { jq -e "$2" "$1.json" || { cat "$1.json"; false; }; }
