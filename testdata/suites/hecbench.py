"""Compares what programs printed with our code and with the driver's.

    hecbench.py OUT

reads what hecbench.sh left in OUT/logs. Lines that speak of time or of what
is done in a time are measured, the others must be equal. Of several times of a
program the median counts: the first may hold what the driver does at first.
"""
import math
import pathlib
import re
import statistics
import sys

NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
TIMED = re.compile(r"time|second|\bsec|\b[munµ]?s\b|[kmgt]?flop|[kmgt]i?b/s|/s\b|throughput|bandwidth|speed|\brate\b|fps|per sec|cycles|overhead", re.I)
DEVICE = re.compile(r"kernel|device|average|gpu", re.I)
HOST = re.compile(r"cpu|host|total|transfer|copy|memcpy|alloc|bandwidth|flop|/s\b|speed", re.I)


def shape(line):
    return NUMBER.sub("#", line)


def times(lines):
    """The times a kernel takes, by what the line says else."""
    found = {}
    for line in lines:
        numbers = NUMBER.findall(line)
        if numbers and TIMED.search(line) and DEVICE.search(line) and not HOST.search(line):
            found.setdefault(shape(line), []).append(float(numbers[-1]))
    return found


def compare(folder):
    ours, driver = ((folder / who).read_text(errors="replace").splitlines() for who in ("ours", "driver"))
    plain = [[line for line in lines if not TIMED.search(line)] for lines in (ours, driver)]
    other = [(a, b) for a, b in zip(*plain) if a != b]
    mine, theirs = times(ours), times(driver)
    ratios = [t / m for key in mine for m, t in zip(mine[key], theirs.get(key, [])) if m > 0 and t > 0]
    fails = [sum(bool(re.search(r"\bfail|mismatch|incorrect|\berror\b", line, re.I)) for line in lines) for lines in (ours, driver)]
    return other, len(plain[0]) - len(plain[1]), fails, ratios


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main(out):
    rows, equal = [], 0
    for folder in sorted(pathlib.Path(out, "logs").iterdir()):
        if not (folder / "driver").exists():
            continue
        other, length, fails, ratios = compare(folder)
        if other or fails[0] > fails[1]:
            print(f"prints other lines: {folder.name}: {len(other)} lines, {length:+d}, complaints {fails[0]} and {fails[1]}")
            for a, b in other[:2]:
                print(f"    {a[:120]}\n    {b[:120]}")
        else:
            equal += 1
        if ratios:
            rows.append((statistics.median(ratios), folder.name, len(ratios)))
    print(f"{equal} programs print the same")
    for ratio, name, count in sorted(rows)[:40]:
        print(f"{ratio:.3f} {name} ({count} times)")
    if rows:
        print(f"driver's time / ours: {mean([r[0] for r in rows]):.4f} over {len(rows)} programs")


main(sys.argv[1])
