"""What the programs share: an assembler to test and checksums to compare."""
import hashlib
import os
import subprocess
import tempfile

PTXAS = os.environ["PTXAS"]
ARCH = os.environ.get("ARCH", "sm_90a")
COUNT = [0]


def assemble(ptx, *options):
    """Assembles PTX text with the program that PTXAS names."""
    if isinstance(ptx, str):
        ptx = ptx.encode()
    ptx = ptx.rstrip(b"\0")
    with tempfile.TemporaryDirectory() as d:
        src, out = os.path.join(d, "k.ptx"), os.path.join(d, "k.cubin")
        with open(src, "wb") as f:
            f.write(ptx)
        r = subprocess.run([PTXAS, "-arch", ARCH, *options, src, "-o", out], capture_output=True, text=True)
        if r.returncode != 0:
            raise RuntimeError(r.stdout + r.stderr)
        COUNT[0] += 1
        with open(out, "rb") as f:
            return f.read()


def show(name, array):
    """Prints a checksum of the bytes and the first values of an array."""
    import numpy as np
    a = np.ascontiguousarray(array)
    first = " ".join("%.6g" % float(x) for x in a.reshape(-1)[:4])
    print("%-14s %s %s %s" % (name, hashlib.sha256(a.tobytes()).hexdigest()[:16], a.dtype, first), flush=True)
