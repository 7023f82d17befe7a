"""A machine that is a tree, for SimGrid and as a file of levels:

    placed.py NAME BRANCHES BANDWIDTHS LATENCIES

writes NAME.xml and NAME.levels. BRANCHES ("2,2,4,4") is how many there are below
each node, from the top; bandwidths (MB/s, each direction) and latencies (us) are
those of the links below each. Hosts are h0, h1, ...
"""
import sys

name = sys.argv[1]
branches, bandwidths, latencies = (
    [float(x) for x in word.split(",")] for word in sys.argv[2:5])
nodes, links, routes, hosts = [], [], [], []


def below(parent, depth, where):
    for i in range(int(branches[depth])):
        last = depth + 1 == len(branches)
        child = f"h{len(hosts)}" if last else f"{parent}-{i}"
        links.append(f'<link id="to-{child}" bandwidth="{bandwidths[depth]}MBps" '
                     f'latency="{latencies[depth]}us" sharing_policy="SPLITDUPLEX"/>')
        for a, b, way in (child, parent, "UP"), (parent, child, "DOWN"):
            routes.append(f'<route src="{a}" dst="{b}" symmetrical="NO">'
                          f'<link_ctn id="to-{child}" direction="{way}"/></route>')
        if last:
            nodes.append(f'<host id="{child}" speed="1Gf"/>')
            hosts.append(f"{child} {' '.join(map(str, where))}")
        else:
            nodes.append(f'<router id="{child}"/>')
            below(child, depth + 1, where + [i])


nodes.append('<router id="top"/>')
below("top", 0, [])
settings = {"network/crosstraffic": "no", "network/TCP-gamma": "0",
            "smpi/bw-factor": "0:1", "smpi/lat-factor": "0:1",
            "smpi/async-small-thresh": "65536",
            "smpi/send-is-detached-thresh": "65536"}
with open(f"{name}.xml", "w") as f:
    f.write('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM '
            '"https://simgrid.org/simgrid.dtd">\n<platform version="4.1"><config>\n')
    f.write("\n".join(f'<prop id="{k}" value="{v}"/>' for k, v in settings.items()))
    f.write('</config>\n<zone id="all" routing="Floyd">\n')
    f.write("\n".join(nodes + links + routes) + "\n</zone></platform>\n")
with open(f"{name}.levels", "w") as f:
    n = len(branches) - 1
    f.write("levels " + " ".join(f"Switch{n - i}" for i in range(n)) + "\n")
    f.write("\n".join(hosts) + "\n")
