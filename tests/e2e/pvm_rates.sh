#!/bin/bash
# The setting max_rate, for a task of PVM: as many events are recorded a second, all
# remaining calls are counted, and what the counted calls took is no more than the
# program sees around them.
# Truth: the program's own count and time of calls.
. "$(dirname "$0")/pvm.bash"
compile rates pvm_rates.c
# called NAME: how often it was recorded, and counted
called()
{
	tapedump -i rates.tape 2>/dev/null | awk -v w="$1" '
		/^only counted/ { on = 1 }
		!on && $4 == w { n = $2 }
		on && $5 == w { c = $1 }
		END { print n + c }'
}
for rate in 1000 10000; do
	rm -rf rates.tape
	run rates timeout 100 pvm_machine taperun -o rates -s max_rate=$rate ./rates 2
	read -r ms often rare around <rates.out
	ok "$rate events/s: it runs" equal "$(cat rates.rc rates.err)" 0
	ok "$rate events/s: all others are counted" equal \
		"$(called pvm_getrbuf) $(called pvm_bufinfo)" "$often $rare"
	n=$(tapedump rates.tape 2>/dev/null | awk '$3 ~ /^pvm_/ { n++ }
		END { print n + 0 }')
	ok "$rate events/s: that many are recorded" eval \
		"echo $n events in $ms ms;
		[ $n -le $((rate * (ms + 1500) / 1000 + 200)) ] &&
		[ $n -ge $((rate * ms / 2500)) ]"
	ok "$rate events/s: the time of the counted calls" eval \
		"tapedump -i rates.tape 2>/dev/null | awk '
			/^only counted/ { on = 1 }
			on && \$5 ~ /^pvm_/ { sum += \$4 * 1e9 }
			END { print sum, $around
				exit !(sum > 0 && sum < 1.001 * $around) }'"
done
finish
