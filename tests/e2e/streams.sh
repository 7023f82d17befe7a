#!/bin/bash
# libtape-stream: maps, streams, back-pressure, dropping, balance, and the
# examples of figures 11 and 12. What arrives is checked word by word.
# Truth: words that were sent, one by one.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
lib=$TAPE_BUILD/lib
library=tape-stream$([ "$MPI" = mpich ] && echo -mpich)
compile()
{
	mpicc -O2 -Wall -I"$TAPE_TOP/stream" -o "$1" "$2" -L"$lib" \
		-Wl,-rpath,"$lib" "-l$library"
}
ok "a program of it compiles" compile streams "$here/streams.c"

# maps
ok "round robin, both sides" mpirun -np 5 ./streams a map b rr : \
	-np 2 ./streams b map a rr
cat > expected <<'E'
a 0: 5
a 1: 6
a 2: 5
a 3: 6
a 4: 5
b 5: 0 2 4
b 6: 1 3
E
mpirun -np 5 ./streams a map b rr : -np 2 ./streams b map a rr | sort > got
ok "source i goes with target i mod 2" same expected got
cat > expected <<'E'
a 0: 2 3 4
a 1: 5 6
b 2: 0
b 3: 0
b 4: 0
b 5: 1
b 6: 1
E
mpirun -np 2 ./streams a map b fixed : -np 5 ./streams b map a fixed |
	sort > got
ok "fixed: neighbours share a target" same expected got
cat > expected <<'E'
a 0: 4
a 1:
a 2: 5
a 3: 4
b 4: 0 3
b 5: 2
b 6:
E
mpirun -np 4 ./streams a map b own : -np 3 ./streams b map a own | sort > got
ok "a function of the user's" same expected got
random()
{
	mpirun -np 12 ./streams a map b "$1" : -np 3 ./streams b map a "$1" |
		sort
}
random 7 > got
random 7 > same
ok "random: again the same" same got same
random 8 > other
ok "and others with another seed" eval '! cmp -s got other'
# both directions say the same pairs, one target for each source
pairs() { awk -v p="$1" '$1 == p { sub(":", "", $2)
	for (i = 3; i <= NF; i++) print p == "a" ? $2 " " $i : $i " " $2 }' \
	got | sort; }
pairs a > of_a
pairs b > of_b
ok "both sides know the same pairs" same of_a of_b
ok "each source has one target" equal "$(cut -d' ' -f1 of_a | sort -u | wc -l)" 12
cat > expected <<'E'
a 0: 5
a 1: 5
b 2: 5
b 3: 6
b 4: 5
c 5: 0 1 2 4
c 6: 3
E
mpirun -np 2 ./streams a map c fixed : -np 3 ./streams b map c rr : \
	-np 2 ./streams c map a fixed b rr | sort > got
sed -i 's/^a 1: 5/a 1: 6/; s/^c 5: 0 1 2 4/c 5: 0 2 4/; s/^c 6: 3/c 6: 1 3/' \
	expected
ok "several partitions are appended" same expected got

# streams: PARTITION BYTES BALANCE BUFFERS BLOCKS
total() { awk -v w="$1" '$1 == w { n += $3; b += $5 } END { print n, b }' got; }
through()
{
	mpirun -np "$1" ./streams a write b "$3" "$4" "$5" "$6" : \
		-np "$2" ./streams b read a "$3" "$7" "$5" "$8" > got
}
for balance in rr random none; do
	ok "3 writers, 2 readers, $balance" through 3 2 65536 $balance 3 200 \
		$balance 0
	ok "all of it arrives, $balance" equal "$(total wrote)" "$(total read)"
	case $balance in
	rr) ok "each reader has its half" equal \
		"$(awk '$1 == "read" { print $3 }' got | sort -u)" 300 ;;
	none) ok "the first reader has all" equal \
		"$(awk '$1 == "read" { print $3 }' got | sort -n | xargs)" \
		"0 600" ;;
	random) ok "each reader has some" eval \
		'! grep -q "^read .*: 0 blocks" got' ;;
	esac
done
ok "short blocks, reading without waiting" through 4 1 64 rr 2 3000 none 1
ok "all of them arrive" equal "$(total wrote)" "$(total read)"
ok "one buffer is enough" through 2 2 4096 rr 1 500 random 1
ok "all of it arrives" equal "$(total wrote)" "$(total read)"
ok "more buffers than blocks" through 1 1 4096 rr 100 20 rr 0
# 2 writers, about 0.5 MiB a block: 2 GiB
ok "gigabytes" through 2 1 1048576 rr 3 ${STREAM_BLOCKS:-2048} rr 0
ok "every word arrives" equal "$(total wrote)" "$(total read)"

# back-pressure
for bytes in 64 1048576; do
	mpirun -np 1 ./streams a patient b $bytes rr 3 : \
		-np 1 ./streams b slow a $bytes rr 3 > got 2>&1
	ok "a sleeping reader of $bytes bytes: all arrive" equal \
		"$(awk '/^wrote/ { print $3 }' got)" \
		"$(awk '/^read/ { print $3 }' got)"
	went=$(awk '/^went/ { print $2 }' got)
	ok "the writer gets 3 to 6 blocks away before it must wait" \
		eval "[ ${went:-0} -ge 3 ] && [ ${went:-0} -le 6 ]"
	mpirun -np 2 ./streams a drop b $bytes rr 3 : \
		-np 1 ./streams b slow a $bytes rr 3 > got 2>&1
	ok "dropping: what was counted as written arrives" equal \
		"$(awk '/^wrote/ { n += $3 } END { print n }' got)" \
		"$(awk '/^read/ { print $3 }' got)"
	ok "written and dropped are all, some of each" eval \
		"awk '/^wrote/ { if (\$3 + \$6 != 1000 || !\$3 || !\$6) exit 1
			n++ } END { exit n != 2 }' got"
done

ok "both ways at once" eval 'mpirun -np 1 ./streams a both b 1048576 : \
	-np 1 ./streams b both a 1048576 > got'
ok "all of it arrives" equal "$(grep -c "^both .: 50 blocks" got)" 2
ok "opened and closed 400 times" mpirun -np 2 ./streams a again b 0 w : \
	-np 1 ./streams b again a 0 r
ok "ends that do not fit, and arguments without meaning" \
	mpirun -np 1 ./streams a misfits b : -np 1 ./streams b misfits a

# figures 11 and 12, here with the library of this family
ok "the writer of figure 11 compiles" compile writer \
	"$TAPE_TOP/examples/stream/writer.c"
ok "the analyzer of figure 12 compiles" compile analyzer \
	"$TAPE_TOP/examples/stream/analyzer.c"
ok "they run" eval 'mpirun -np 3 ./writer 20 : -np 2 ./writer 11 : \
	-np 2 ./analyzer > got'
# of job rank r block i is all r + i, modulo 256
expected=$(awk 'BEGIN { for (r = 0; r < 5; r++)
	for (i = 0; i < (r < 3 ? 20 : 11); i++) {
		n++; sum += ((r < 3 ? r : r) + i) % 256 }
	printf "%d %.0f %.0f", n, n * 1048576, sum * 1048576 }')
ok "blocks, bytes and their sum are right" equal "$expected" "$(awk '{
	n += $1; b += $3; s += $6 } END { printf "%d %.0f %.0f", n, b, s }' got)"
ok "without an analyzer: one sentence" eval '! mpirun -np 2 ./writer 2>err'
ok "which says what is missing" holds "no partition is named Analyzer" err
finish
