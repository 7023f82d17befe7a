#!/bin/bash
# The example at the head of messages.h, as it stands there, on a rank whose
# threads receive with the same source and tag: the one that starts first ends
# last, so that the first message was the other's.
. "$(dirname "$0")/tap.bash"

cat >run.txt <<'END'
meta
	tape-trace 1
	ranks 2
	base global
	domain 0 global host
	clock 0 0 0 1 0 0
rank 0
	tape-rank 1
	rank 0
	host host
	domain 0
	site 1 120 10 a.c main
	comm 1 1 2 0 MPI_COMM_WORLD
rank 1
	tape-rank 1
	rank 1
	host host
	domain 0
	site 1 124 20 a.c main
	comm 1 1 2 1 MPI_COMM_WORLD
flow 0 0
	500 +100 MPI_Send @1 peer=1 tag=7 bytes=8 comm=1
	4000 +100 MPI_Send @1 peer=1 tag=7 bytes=9 comm=1
	end finalize 0
flow 1 0
	100 +4900 MPI_Recv @1 peer=0 tag=7 comm=1 actual_peer=0 actual_tag=7 bytes=9 arrived=0 probe=0
	end finalize 0
flow 1 1
	200 +800 MPI_Recv @1 peer=0 tag=7 comm=1 actual_peer=0 actual_tag=7 bytes=8 arrived=0 probe=0
	end exit 0
END
tapedump -r -o run.tape run.txt

# What stands between the first blank line of the comment and its next text.
{
	cat <<'END'
#include <inttypes.h>
#include <stdio.h>
#include "messages.h"
int main(int argc, char **argv)
{
	struct tape_trace *t;
	struct tape_merge *merge;
	const struct tape_event *e;
	struct tape_message msg;
	if (argc < 2 || tape_trace_open(argv[1], &t) ||
	    tape_merge_open(t, &merge))
		return 1;
END
	sed -n 's/^ \*\t\([^ ]*.*\)/\1/p; /^ \*\//q' \
		"$TAPE_TOP/tools/replay/messages.h" | sed \
		's/\.\.\.$/printf("%" PRId64 " %" PRId64 " %" PRIu64 "\\n", msg.sent_ns, msg.ended_ns, msg.received);/'
	echo '	tape_merge_close(merge); tape_trace_close(t); return 0; }'
} >example.c
lib=$TAPE_BUILD/obj
ok "the example of messages.h compiles" ${CC:-gcc} -D_GNU_SOURCE -Wall -Werror \
	$(grep -q __asan_init "$TAPE_BUILD/bin/tico" && echo -fsanitize=address,undefined) \
	-I"$TAPE_TOP"/{catalogue,reader,tools/model,tools/common,tools/replay} \
	-I"$TAPE_BUILD/gen" -o example example.c \
	"$lib"/lib{replay,common,model,reader,catalogue}.a -lm
ok "it runs" sh -c './example run.tape | sort -n >got'
ok "each message has the receive that got it" \
	equal "$(cat got)" $'500 1000 8\n4000 5000 9'
ok "as tapedump -m has it" equal "$(tapedump -m run.tape | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $at["sent_ns"], $at["end_ns"], $at["received"] }' | sort -n)" \
	"$(cat got)"
finish
