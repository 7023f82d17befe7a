#!/bin/bash
# Classes of distance (doc/models.md): a machine whose messages take longer from
# cache to package to host. tapefit tells them apart and tests them, tapesim
# predicts by them, tapecal measures them, traces without positions have none.
# Truth: simulated machines with known latencies.
. "$(dirname "$0")/tap.bash"
need jq
seed=${DISTANCES_SEED:-1}
echo "# seed $seed"

# ---- a machine with noise ----

# Rank 0 sends to the others in turn, who wait for it: by an L3, a package, a
# host and, not as often, a switch and the network. Transits are 2, 4, 8, 30 and
# 60 us + 0.5 ns/byte, their deviation a tenth.
cat >noisy.awk <<'END'
function gauss() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
function definitions(r) {
	print "rank " r "\n\ttape-rank 1\n\trank " r "\n\thost " host[r] "\n\tpid 1"
	print "\tdomain 0\n\tposition " position[r] "\n\tcomm 1 1 6 " r " world"
	print "\tsite 1 120 1 a.c main\n\tsite 2 124 2 a.c main"
}
BEGIN {
	srand(seed)
	split("2000 4000 8000 30000 60000", beta, " ")
	split("h0 h0 h0 h1 h2", host, " "); host[0] = "h0"
	p = "Cluster/Switch1:0/Machine:h0/Package:"
	position[0] = p "0/L3:0/Core:0"; position[1] = p "0/L3:0/Core:1"
	position[2] = p "0/L3:1/Core:2"; position[3] = p "1/L3:2/Core:4"
	position[4] = "Cluster/Switch1:0/Machine:h1/Package:0/L3:0/Core:0"
	position[5] = "Cluster/Switch1:1/Machine:h2/Package:0/L3:0/Core:0"
	print "meta\n\ttape-trace 1\n\tprogram noisy\n\tranks 6"
	print "\tbase global\n\tdomain 0 d h\n\tclock 0 0 0 1 0 0"
	print "\teager shm 65536 measured\n\teager net 65536 measured"
	for (r = 0; r < 6; r++) definitions(r)
	split("20 300 5000 40000", size, " ")
	print "flow 0 0"
	for (i = 1; i <= n; i++) {
		to[i] = 1 + i % (i % 7 ? 3 : 5)
		bytes[i] = int(size[1 + int(4 * rand())] * (0.9 + 0.2 * rand()))
		print "\t" 200000 * i " +10 MPI_Send @1 peer=" to[i] \
			" tag=1 bytes=" bytes[i] " comm=1"
	}
	print "\tend finalize 0"
	for (r = 1; r < 6; r++) {
		print "flow " r " 0"
		for (i = 1; i <= n; i++) {
			if (to[i] != r) continue
			sr = 200000 * i - 1000
			er = 200000 * i + int((beta[r] + 0.5 * bytes[i]) * \
					      (1 + 0.1 * gauss()))
			print "\t" sr " +" er - sr " MPI_Recv @2 peer=0 tag=1 comm=1" \
				" actual_peer=0 actual_tag=1 bytes=" bytes[i] " arrived=0"
		}
		print "\tend finalize 0"
	}
}
END
awk -v seed="$seed" -v n=6000 -f noisy.awk >noisy.txt
tapedump --assemble -o noisy.tape noisy.txt
grep -v "$(printf '\t')position" noisy.txt >plain.txt
tapedump --assemble -o plain.tape plain.txt

# line CLASS NS
line() { printf '%s %s 0 %d 0.5\n' "$1" eager "$2" "$1" rendezvous "$2"; }
{
	echo "all limit 65536"
	line self 1000; line l3 2000; line package 4000
	line shm 8000; line switch 30000; line net 60000
} >true.model
grep -v '^[lps][3aw]' true.model >wide.model # self, shm and net alone
ok "a file for transports alone" equal \
	"$(cut -d' ' -f1 wide.model | uniq | xargs)" \
	"all self shm net"

# fit TRACE OPTION...: the verdict in fit.json
fit() { tapefit -j "${@:2}" "$1" >fit.json; }
decision() { jq -r "$1" fit.json; }

fit noisy.tape -m true.model
ok "the true model of each distance is accepted" equal \
	"$(decision .decision)" accept
ok "all five are tested" equal \
	"$(decision '[.classes[].distance] | unique | join(" ")')" \
	"l3 net package shm switch"
fit noisy.tape -m wide.model
ok "one that is wrong of the nearer ones is rejected" equal \
	"$(decision .decision)" reject
ok "in all classes of l3, package and switch, and no others" equal \
	"$(decision '[.classes[] | select(.decision == "reject") | .distance] |
		unique | join(" ")')" "l3 package switch"
fit plain.tape -m true.model
ok "without positions they are messages of shm and net" equal \
	"$(decision '[.classes[].distance] | unique | join(" ")') $(decision .decision)" \
	"net shm reject"
fit noisy.tape -g page.html
ok "what is fitted to each distance is accepted" equal \
	"$(decision .decision)" accept
ok "the page shows them" holds 'class="model d3"' page.html
ok "one of four takes no longer: 0.93 of the mean, within a twentieth" \
	jq -e '[.model | (.l3, .package, .shm, .switch, .net) | .beta_ns] as $b |
		[2000, 4000, 8000, 30000, 60000] as $t |
		all(range(5); ($b[.] / $t[.] - 0.93) | . * . < 0.0025)' fit.json
tapefit -j plain.tape | jq -e '.model | keys == ["given", "net", "self", "shm"]' >keys
ok "without positions nothing is told of others" holds true keys
# a quarter of three thirds is three quarters of the quickest: 1.067 of 2 us
ok "the lower quartile of three is one of the quickest, within a tenth" equal "$(
	tapefit -j plain.tape |
		jq '.model.shm.beta_ns / 2135 - 1 | . * . < 0.01')" true
tapefit noisy.tape -o found.model >/dev/null
ok "the file of what is fitted has each" equal \
	"$(awk '/^[^#]/ { print $1 }' found.model | uniq | xargs)" \
	"l3 package shm switch net"
fit noisy.tape -m found.model
ok "and is accepted where it is from" equal "$(decision .decision)" accept

# ---- predictions ----

# steps of one message to each: 1000 bytes take 500 ns beside the class's own
cat >one.txt <<'END'
meta
	tape-trace 1
	program one
	ranks 4
	base global
	domain 0 d h0
	clock 0 0 0 1 0 0
END
steps() { # RANK EVENT...
	local r=$1

	shift
	printf 'flow %d 0\n' "$r"
	printf '\t%s\n' "$@" "end finalize 0"
}
awk '/^rank [0-3]$/ { on = 1 } /^(rank [45]|flow)/ { on = 0 }
	on { sub("comm 1 1 6", "comm 1 1 4"); print }' noisy.txt >>one.txt
recv="MPI_Recv @2 peer=0 tag=1 comm=1 actual_peer=0 actual_tag=1 bytes=1000"
{
	steps 0 "0 +10 MPI_Send @1 peer=1 tag=1 bytes=1000 comm=1" \
		"10 +10 MPI_Send @1 peer=2 tag=1 bytes=1000 comm=1" \
		"20 +10 MPI_Send @1 peer=3 tag=1 bytes=1000 comm=1"
	for r in 1 2 3; do steps "$r" "0 +90000 $recv arrived=0"; done
} >>one.txt
tapedump --assemble -o one.tape one.txt
grep -v "$(printf '\t')position" one.txt >two.txt
tapedump --assemble -o two.tape two.txt

# ends TRACE MODEL: of the receives of ranks 1 to 3, as predicted
ends()
{
	rm -rf sim.tape
	tapesim --engine own -m "$2" -o sim.tape "$1" >sim.out || return
	tapedump -c sim.tape | awk -F, 'NR == 1 {
		for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["call"] == "MPI_Recv" { print $c["end_ns"] }' | sort -n | xargs
}
ok "tapesim: a message by l3, package and host" equal \
	"$(ends one.tape true.model)" "2500 4500 8500"
ok "an old file says the same of all" equal \
	"$(ends one.tape wide.model)" "8500 8500 8500"
ok "without positions the file's nearer ones do not count" equal \
	"$(ends two.tape true.model)" "8500 8500 8500"
cat >by.lua <<'END'
function transit(bytes, load, distance, protocol, class)
	if distance ~= "shm" then error("distance " .. distance) end
	return ({ l3 = 1000, package = 2000, shm = 3000 })[class]
end
END
ok "a function gets transport and distance" equal \
	"$(ends one.tape by.lua)" "1000 2000 3000"
ok "of a trace without positions the transport twice" equal \
	"$(ends two.tape by.lua)" "3000 3000 3000"

# ---- a simulated machine of two switches ----

# 1 us between hosts of one, 5 us between those of two, and 16 bytes of envelope
simulated=$TAPE_BUILD/rig/smpi/tapecal
if [ -x "$simulated" ] && command -v smpirun >/dev/null; then
	{
		cat <<'END'
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="all" routing="Full">
END
		for i in 0 1 2; do echo "<host id=\"n$i\" speed=\"1Gf\"/>"; done
		link='<link id="%s" latency="%s" bandwidth="1GBps"/>\n'
		printf "$link" here 100ns near 1us far 5us
		route='<route src="n%s" dst="n%s"><link_ctn id="%s"/></route>\n'
		printf "$route" 0 0 here 1 1 here 2 2 here 0 1 near 0 2 far 1 2 far
		echo "</zone></platform>"
	} >three.xml
	printf '%s\n' n0 n1 n2 >three
	printf '%s\n' "levels Switch1" "n0,n1 0" "n2 1" >network
	TAPE_NETWORK=$work/network run three smpirun -np 3 -platform three.xml \
		-hostfile three --cfg=smpi/simulate-computation:no \
		--cfg=network/TCP-gamma:0 --cfg=smpi/bw-factor:0:1 \
		--cfg=smpi/lat-factor:0:1 --cfg=smpi/wtime:0 --cfg=smpi/iprobe:0 \
		--cfg=smpi/test:1e-6 --cfg=smpi/privatization:dlopen \
		--log=root.thresh:error "$simulated"
	ok "tapecal: the hosts of a switch, and others" equal \
		"$(awk '$2 == "rendezvous" && !n[$1]++ { printf "%s %.0f\n", $1, $4 }' \
			three.out | grep -v self | xargs)" "switch 1017 net 5017"
else
	skip "tapecal on a simulated machine of two switches" "smpi was not installed at build time"
fi

# ---- a run ----

need mpirun mpicc
if ! ldd "$TAPE_BUILD/bin/tapecal" | grep -q hwloc; then
	skip "a run bound to several places" "hwloc is not installed"
	finish
fi
# a machine that is not this one: its distances are names, no more
cat >placed <<'END'
#!/bin/bash
places=(0 1 2 4)
export HWLOC_SYNTHETIC="package:2 l3:2 core:2 pu:1"
export TAPE_BINDING=${places[$OMPI_COMM_WORLD_RANK]}
exec "$@"
END
chmod +x placed
mpicc -O1 -o exchanges "$TAPE_TOP/bench/exchanges.c" || exit 1
run all mpirun -np 4 --bind-to none ./placed taperun -o all ./exchanges alltoall 600
ok "a run bound to four places" equal "$(cat all.rc)" 0
ok "tico learns each distance of it" tico -j -o corrected.tape all.tape
ok "and says so" holds '^history tico .* model fitted l3 .* package .* shm .* net ' \
	corrected.tape/meta
fit all.tape
ok "tapefit knows them" equal "$(decision '.model | keys | join(" ")')" \
	"given l3 net package self shm"
echo "# the lower quartile of small messages, one machine: $(decision '.model |
	[.l3, .package, .shm | .beta_ns | floor] | join(" ")') ns"
run cal mpirun -np 4 --bind-to none ./placed "$TAPE_BUILD/bin/tapecal"
ok "tapecal measures each distance of the job" equal \
	"$(cat cal.rc) $(awk '/^[^#]/ { print $1 }' cal.out | uniq | xargs)" \
	"0 self l3 package shm"
TAPE_BINDING=x run bad mpirun -np 2 "$TAPE_BUILD/bin/tapecal"
ok "a wrong binding is refused" holds \
	'TAPE_BINDING is not a list of processors: x' bad.err
finish
