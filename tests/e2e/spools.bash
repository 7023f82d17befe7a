# Sourced behind tap.bash: the spools of `tape live` are in a folder of the test's
# own ($TAPE_SPOOL), in memory.
TAPE_SPOOL=$(mktemp -d "/dev/shm/tape-e2e.XXXXXX" 2>/dev/null) || {
	TAPE_SPOOL=$work/.spools
	mkdir "$TAPE_SPOOL"
}
export TAPE_SPOOL
later rm -rf "$TAPE_SPOOL"

# spools: those that are there
spools() { ls "$TAPE_SPOOL"; }
