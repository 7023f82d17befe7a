#!/bin/bash
# Traces in a directory of somebody else: while a tool works there, the owner
# puts a symbolic link in the place of what it made. Nothing outside is
# removed or written; nor do links inside of a trace lead anywhere.
# Truth: the file system: nothing outside is touched.
. "$(dirname "$0")/tap.bash"
need setpriv
if [ "$(id -u)" -ne 0 ]; then
	skip "foreign" "root needed: two users"
	echo "1..1"
	exit 0
fi
swap=$TAPE_BUILD/rig/swap
stranger=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod 755 "$work"
mkdir foreign victim
chown 65534:65534 foreign
cp "$TAPE_TOP/tests/golden/sba/drift/run.txt" run.txt
tapedump --assemble -o foreign/run.tape run.txt
tapedump --assemble -o foreign/one.tape "$TAPE_TOP/tests/golden/tico/certain/run.txt"
chown -R 65534:65534 foreign
for name in meta rank.0 rank.1 flow.0.0 flow.1.0 sites clocks other clock.1.svg; do
	echo "$name" >"victim/$name"
done
find victim -type f -printf '%f %i %s\n' | sort >victim.before

# attack WORD ROUNDS COMMAND...: until the stranger has put that many links in
# the place of directories with WORD in their names
attack()
{
	local word=$1 rounds=$2 pid

	shift 2
	rm -f swaps
	"${stranger[@]}" "$swap" foreign "$work/victim" "$word" "$rounds" \
		60 >swaps &
	pid=$!
	until grep -q ready swaps 2>/dev/null; do sleep 0.1; done
	while kill -0 $pid 2>/dev/null; do
		"$@" >tool.out 2>&1
		rm -rf foreign/*.part* foreign/*.sba.tape foreign/*.tico.tape \
			foreign/new.tape
	done
	wait $pid
	rm -rf foreign/aside.*
	[ "$(tail -n 1 swaps)" -ge 1 ] || { cat swaps; false; }
}
unwritten()
{
	find victim -mindepth 1 -printf '%f %i %s\n' | sort >victim.after
	diff victim.before victim.after
}
untouched()
{
	unwritten
	diff <(cd victim && cat meta rank.0 other) <(printf 'meta\nrank.0\nother\n')
}
restore()
{
	rm -rf victim
	mkdir victim
	while read -r name _; do echo "$name" >"victim/$name"; done <victim.before
	find victim -type f -printf '%f %i %s\n' | sort >victim.before
}

ok "sba: the directory was replaced" attack .part 40 sba foreign/run.tape
ok "sba: nothing elsewhere is written or removed" untouched
restore
ok "tico that fails: the directory was replaced" \
	attack .part 40 tico --certain 0 foreign/one.tape
ok "tico that fails: nothing elsewhere is removed" untouched
restore
ok "tapedump --assemble that fails: the directory was replaced" attack .part 40 \
	tapedump --assemble -o foreign/x.sba.tape <(sed 's/^flow 1/flow x/' run.txt)
ok "tapedump --assemble that fails: nothing elsewhere is removed" untouched

# What is in a trace is its own: a link is not followed, nor copied.
restore
echo "secret words" >secret
chmod 600 secret
for name in flow.0.0 rank.1 clocks meta; do
	rm -rf foreign/link.tape foreign/link.sba.tape
	cp -r foreign/run.tape foreign/link.tape
	rm -f foreign/link.tape/$name
	ln -s "$work/secret" foreign/link.tape/$name
	sba foreign/link.tape >link.out 2>&1
	ok "a link $name leads nowhere" \
		eval '! grep -rqs "secret words" foreign/link.sba.tape link.out'
	ok "a link $name: said" holds "$name.*symbolic link" link.out
done
# results of one file, plots and coefficients
ln -s "$work/victim/other" foreign/clocks.txt
ok "sba -s" sba -s foreign/clocks.txt -o saved.tape foreign/run.tape
mkdir foreign/plots
ln -s "$work/victim/clock.1.svg" foreign/plots/clock.1.svg
ok "sba --plot" sba --plot foreign/plots -o plotted.tape foreign/run.tape
ok "they replace a link, and do not follow it" untouched
ok "the plot is there" [ -f foreign/plots/clock.1.svg -a \
	! -h foreign/plots/clock.1.svg ]

# a traced program
if command -v mpirun >/dev/null && command -v mpicc >/dev/null; then
	echo '#include <mpi.h>
	int main(void) { MPI_Init(0, 0); return MPI_Finalize(); }' >init.c
	mpicc -o init init.c
	restore
	rm -f victim/meta victim/rank.0 victim/flow.0.0
	find victim -mindepth 1 -printf '%f %i %s\n' | sort >victim.before
	ok "taperun: the directory was replaced" attack new.tape 5 \
		mpirun -np 1 taperun -o foreign/new.tape ./init
	ok "taperun: nothing elsewhere is written" unwritten
else
	skip "taperun" "mpi mpirun is not installed"
fi
finish
