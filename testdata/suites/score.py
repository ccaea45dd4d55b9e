"""score.py LOG [BAD]: counts the results of a log of pick.py, and writes what failed or never ended to BAD."""
import collections
import sys

state, started = {}, set()
for line in open(sys.argv[1], errors="replace"):
    p = line.rstrip("\n").split("\t")
    if p[0] == "start":
        started.add(p[1])
    elif p[0] == "end" and not state.get(p[1], "").startswith("failed"):
        state[p[1]] = p[2]
for name in started:
    state.setdefault(name, "lost")
print(dict(collections.Counter(state.values())))
if len(sys.argv) > 2:
    with open(sys.argv[2], "w") as f:
        f.writelines(n + "\n" for n in state if state[n] == "lost" or state[n].startswith("failed"))
