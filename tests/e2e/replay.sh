#!/bin/bash
# The example at the head of replay.h, as it stands there: how long receivers
# waited. What it is to find is worked out by hand:
#
#	rank 1, thread 0  Recv 100 to 5000: the message of 4000   3900
#	rank 1, thread 1  Recv 200 to 1000: the message of 500     300
#	rank 2            Irecv 100, Wait 4000 to 7000: of 6000   2000
#	                  Waitall 10000 to 15000: of 12000 and
#	                  13000, waits once                       3000
#	                  Recv 20000 to 20100: of 19000              0
#
# The receives of rank 1 have the same source and tag: the one that starts first
# ends last, so that the first message was the other's.
# Truth: waits worked out by hand.
. "$(dirname "$0")/tap.bash"

rank()
{
	printf 'rank %d\n\ttape-rank 1\n\trank %d\n\thost host\n\tdomain 0\n' \
		"$1" "$1"
	# send, recv, irecv, wait, waitall
	local n=0 call
	for call in 120 124 144 170 172; do
		printf '\tsite %d %d %d a.c main\n' $((++n)) $call ${n}0
	done
	printf '\tcomm 1 1 3 %d MPI_COMM_WORLD\n' "$1"
}
recv() { echo "	$1 +$2 MPI_Recv @2 peer=0 tag=$3 comm=1 actual_peer=0" \
	"actual_tag=$3 bytes=$4 arrived=0 probe=0"; }
send() { echo "	$1 +100 MPI_Send @1 peer=$2 tag=$3 bytes=$4 comm=1"; }
irecv() { echo "	$1 +100 MPI_Irecv @3 peer=0 tag=$2 bytes=8 comm=1"; }
{
	printf 'meta\n\ttape-trace 1\n\tranks 3\n\tbase global\n'
	printf '\tdomain 0 global host\n\tclock 0 0 0 1 0 0\n'
	for r in 0 1 2; do rank $r; done
	echo "flow 0 0"
	send 500 1 7 8
	send 4000 1 7 9
	send 6000 2 1 8
	send 12000 2 2 8
	send 13000 2 3 8
	send 19000 2 4 8
	echo "	end finalize 0"
	echo "flow 1 0"
	recv 100 4900 7 9
	echo "	end finalize 0"
	echo "flow 1 1"
	recv 200 800 7 8
	echo "	end exit 0"
	echo "flow 2 0"
	irecv 100 1
	echo "	4000 +3000 MPI_Wait @4 n=1 probe=0 received=1:0:1:8:0"
	irecv 8000 2
	irecv 8200 3
	echo "	10000 +5000 MPI_Waitall @5 n=2 probe=0 received=2:0:2:8:0" \
		"received=3:0:3:8:0"
	recv 20000 100 4 8
	echo "	end finalize 0"
} >run.txt
tapedump --assemble -o run.tape run.txt || cat run.txt

# The code in the comment at the head.
sed -n 's/^ \*\t//p; /^ \*$/p; /^ \* Order\./q' \
	"$TAPE_TOP/lib/replay/replay.h" | sed 's/^ \*$//' >example.c
lib=$TAPE_BUILD/obj
ok "the example of replay.h compiles" ${CC:-gcc} -D_GNU_SOURCE -Wall -Werror \
	$(grep -q __asan_init "$TAPE_BUILD/bin/tico" && echo -fsanitize=address,undefined) \
	-I"$TAPE_TOP"/{catalogue,reader,lib/model,lib/common,lib/parallel,lib/replay} \
	-I"$TAPE_BUILD/gen" -o example example.c \
	"$lib"/lib{replay,parallel,common,model,reader,catalogue}.a -lm
ok "it is of 40 lines" [ "$(grep -c . example.c)" -le 40 ]
ok "it runs" sh -c './example run.tape >got'
ok "receivers waited for 9200 ns" equal "$(cat got)" "9200 ns"
ok "tapedump --messages gives each message to the receive that got it" equal \
	"$(tapedump --messages run.tape | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["to"] == 1 { print $at["sent_ns"], $at["end_ns"], $at["received"] }' |
	sort -n)" $'500 1000 8\n4000 5000 9'
finish
