# What the plug-in cut_said has said of a trace and of a window of it:
#	cut_check.py WHOLE CUT FROM TO
# Pairs of the window are pairs of the whole; all that are in it are there.
import sys
def read(path):
    messages, rounds = [], []
    for line in open(path):
        w = line.split()
        if w[0] == "message":
            messages.append(tuple(map(int, w[1:])))
        else:
            rounds.append((w[1], int(w[2]), [tuple(map(int, m.split(":"))) for m in w[6:]]))
    return messages, rounds
whole, all_rounds = read(sys.argv[1])
cut, rounds = read(sys.argv[2])
begin, end = int(sys.argv[3]), int(sys.argv[4])
wrong = []
# a receive is known by where and when it ended, and how much it got
by_end = {}
for m in whole:
    if m[0] == 0:
        by_end.setdefault((m[2], m[3], m[5], m[7]), []).append(m)
matched = old = 0
for m in cut:
    if m[0] != 0:
        continue
    if not m[7]: # not received to the end
        if not any(t[1:5] == m[1:5] and t[6] == m[6] for t in whole):
            wrong.append("no such message: %s" % (m,))
        continue
    matched += 1
    if m[4] != m[5]:
        wrong.append("sizes differ: %s" % (m,))
    true = by_end.get((m[2], m[3], m[5], m[7]), [])
    if not any(t[1] == m[1] and t[4] == m[4] and
               (t[6] == m[6] or t[6] < m[6] <= begin + 1000) for t in true):
        wrong.append("no such message: %s, but %s" % (m, true))
    old += any(t[6] != m[6] for t in true)
inside = [m for m in whole if m[0] == 0 and begin < m[6] and m[7] < end]
there = {(m[1], m[2], m[3], m[4], m[6], m[7]) for m in cut if m[0] == 0}
for m in inside:
    if (m[1], m[2], m[3], m[4], m[6], m[7]) not in there:
        wrong.append("missing: %s" % (m,))
states = [sum(m[0] == s for m in cut) for s in (0, 1, 2)]
# of a round: when its members left is as in the whole, of one round there
by_left = {}
for k, r in enumerate(all_rounds):
    for i, m in enumerate(r[2]):
        by_left[(r[0], i, m[1])] = k
whole_rounds = 0
for r in rounds:
    which = {by_left.get((r[0], i, m[1])) for i, m in enumerate(r[2])
             if m[1] > begin + 1000}
    whole_rounds += len([1 for m in r[2] if m[1]]) == len(r[2])
    if len(which) > 1 or None in which:
        wrong.append("a round of others: %s %s" % (r, which))
for w in wrong[:20]:
    print(w)
print("messages", states, "in flight at its beginning", old, "rounds", len(rounds), whole_rounds)
sys.exit(len(wrong) > 0 or matched < 10 or not inside or not whole_rounds)
