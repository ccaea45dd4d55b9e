"""compare.py A.npz B.npz...: results of one program made with two assemblers.

Says for every folder of arrays whether all bytes are equal, or how far values lie apart; the exit code is 1 if any lie
further apart than a few units in the last place of what the arithmetic allows, or one side has an error alone.
"""
import sys

import numpy as np

NEAR = {"float64": 1e-11, "float32": 2e-5, "float16": 4e-3, "complex64": 2e-5, "complex128": 1e-11}


def judge(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return "SHAPES"
    if a.tobytes() == b.tobytes():
        return "equal"
    near = NEAR.get(str(a.dtype))
    if near and np.allclose(a, b, rtol=near, atol=near * max(1.0, float(np.nanmax(np.abs(np.where(np.isfinite(a), a, 0))))), equal_nan=True):
        return "near"
    return "DIFFER %d of %d, first %s %s" % (np.sum(a != b), a.size, a[a != b][:3], b[a != b][:3])


bad = 0
for ours, reference in zip(sys.argv[1::2], sys.argv[2::2]):
    a, b = np.load(ours), np.load(reference)
    count = {}
    for name in sorted(set(a.files) | set(b.files)):
        r = judge(a[name], b[name]) if name in a.files and name in b.files else "ALONE"
        if name.endswith(".error") and r == "equal":
            r = "error in both: " + bytes(a[name]).decode(errors="replace")
        if r not in ("equal", "near"):
            print(ours, name, r)
            bad |= not r.startswith("error in both")
        count[r.split()[0]] = count.get(r.split()[0], 0) + 1
    print(ours, count)
sys.exit(bad)
