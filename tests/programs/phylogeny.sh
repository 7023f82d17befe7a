#!/bin/bash
# Trees of descent: PhyML, whose ranks share out replicates, and IQ-TREE (C++,
# with strings and probes), on small examples.
. "$(dirname "$0")/../e2e/programs.bash"
iqtree=/usr/share/doc/iqtree/examples/example.phy

mkdir phyml iqtree
# nine sequences that descend from one, drawn by a generator of its own
awk 'BEGIN {
		x = 12345
		for (t = 0; t < 9; t++)
			for (i = 0; i < 150; i++) {
				x = x * 16807 % 2147483647
				from = t ? int((t - 1) / 2) : 0
				c = t && x / 2147483647 < .85 ? s[from, i] : x % 4
				s[t, i] = c
			}
		print 9, 150
		for (t = 0; t < 9; t++) {
			printf "taxon%d    ", t
			for (i = 0; i < 150; i++)
				printf "%s", substr("ACGT", s[t, i] + 1, 1)
			print ""
		}
	}' >phyml/few
neutral_phyml()
{
	sed -E '/[Tt]ime|[0-9]h[0-9]+m|date|sec\b|\( *[0-9]+ sec\)/d'
}
lines=1 program phyml phyml-mpi 20 few_phyml_tree.txt -- \
	-i few -b 4 --r_seed 1 --no_memory_check --quiet

[ -f "$iqtree" ] && cp "$iqtree" iqtree/
neutral_iqtree()
{
	sed -E '/[Tt]ime|seconds|sec\)?|PID|Host|Seed|Memory|RAM|^Date|Kernel|CPU/d
		s/\(?[0-9.]+ sec[^ ]*//'
}
lines=1 program iqtree iqtree2-mpi 40 example.phy.treefile -- \
	-s example.phy -m JC -seed 1 -n 4 -nt 1
finish
