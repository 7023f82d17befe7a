# Sourced behind tap.bash: directories that `tape live` makes for a while are
# written down in $work/spools, where nothing else names them.
mkdir "$work/.made"
cat >"$work/.made/mktemp" <<END
#!/bin/sh
$(command -v mktemp) "\$@" | tee -a "$work/spools"
END
chmod +x "$work/.made/mktemp"
PATH=$work/.made:$PATH
: >"$work/spools"

# spools: those that are still there
spools() { while read -r d; do [ ! -e "$d" ] || echo "$d"; done <"$work/spools"; }
