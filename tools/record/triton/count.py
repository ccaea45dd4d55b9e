"""count.py FOLDER OURS REF: outcomes of a folder's report, and registers, spills and user time of both compilers."""

import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

folder, *tools = sys.argv[1:]


def compile(tool, file):
    arch = re.search(r"^\.target\s+(\w+)", open(file).read(), re.M)[1]
    with tempfile.NamedTemporaryFile(suffix=".cubin") as out:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        p = subprocess.run([tool, "-v", "-arch=" + arch, file, "-o", out.name], capture_output=True, text=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    words = p.stdout + p.stderr
    count = lambda r: sum(int(x) for x in re.findall(r, words))
    registers = max([int(x) for x in re.findall(r"Used (\d+) registers", words)] or [0])
    return dict(fails=p.returncode, seconds=max(seconds, 0.001), registers=registers, spills=count(r"(\d+) bytes spill stores"))


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 0


outcomes, early = {}, [0, 0]
for row in json.load(open(folder + "/report.json")):
    outcomes.setdefault(row["outcome"], []).append(row["file"])
print(", ".join("%d %s" % (len(v), k) for k, v in sorted(outcomes.items())))
both = []
for line in open(folder + "/plan.jsonl"):
    file = folder + "/" + json.loads(line)["file"]
    r = [compile(t, file) for t in tools]
    if r[0]["fails"]:
        outcomes.setdefault("refused", []).append(file)
        print("refused:", file)
    if not r[0]["fails"] and not r[1]["fails"]:
        both.append((file, *r))
print("registers %.3f of the reference's" % mean([a["registers"] / b["registers"] for _, a, b in both if a["registers"] and b["registers"]]))
print("spill alone:", [os.path.basename(f) for f, a, b in both if a["spills"] and not b["spills"]] or "none")
print("compile time (user): %.1f times faster in all, %.1f by the mean of the files" % (
    sum(b["seconds"] for _, a, b in both) / sum(a["seconds"] for _, a, b in both), mean([b["seconds"] / a["seconds"] for _, a, b in both])))
sys.exit(1 if any(k in outcomes for k in ("differ", "fault", "compile", "nondet", "refused")) else 0)
