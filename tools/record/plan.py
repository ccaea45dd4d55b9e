#!/usr/bin/env python3
"""Makes plans of gpurun of launches that runtime.cpp wrote down.

    plan.py sizes FILE.ptx > SIZES      names, numbers and sizes of parameters
    plan.py plan NAME.ptx RECORD [WORD] > PLAN.jsonl

The plan has the first launch of a kernel whose name has WORD in it (device_kernel).
Buffers that nobody filled get numbers of RECORD_FILL (f8); RECORD_PAD bytes are added to each.
"""
import base64
import json
import os
import re
import struct
import sys

BYTES = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8}

# The driver's numbers of element types, as tensor maps have them: docs/async.md.
ELEMENTS = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 9, 9: 10, 10: 8, 11: 11, 12: 12, 13: 13, 14: 14, 15: 15}
NARROW = 13  # from here on maps have two less
FLUSHED = {11: 7, 12: 8}  # tf32 and f32 that are flushed share the number of another type
CORNER_BITS = {1: 16, 2: 8, 3: 5}

MARK = 0xFA4E7E45
SECOND = 0x1122334455667788
SECOND_MASK = ~(1 << 21)  # programs set a bit of a map


def sizes(text):
    for m in re.finditer(r"\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?", text):
        out = []
        for p in (m[2] or "").split(","):
            q = re.search(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+(?:\.ptr\s*(?:\.\w+\s*)?(?:\.align\s+\d+\s*)?)?[\w$]+(?:\[(\d+)\])?", p)
            if q:
                out.append(BYTES[q[1]] * int(q[2] or 1))
        print(m[1], len(out), *out)


def tensor_map(line):
    """The address and the 128 bytes of a tensor map."""
    words = line.split()
    rest = [int(x) for x in words[1:]]

    def take(n):
        nonlocal rest
        head, rest = rest[:n], rest[n:]
        return head

    number, rank, address = take(3)
    kind, dims, strides = ELEMENTS[number], take(rank), take(rank - 1)
    tiled = words[0] == "tiled"
    box = low = high = channels = pixels = None
    if tiled:
        box = take(rank)
    else:
        low, high = take(rank - 2), take(rank - 2)
        channels, pixels = take(2)
    steps = take(rank)
    interleave, swizzle, _, fill = rest
    b = bytearray(128)

    def put(at, x):
        struct.pack_into("<I", b, at, struct.unpack_from("<I", b, at)[0] | x & 0xFFFFFFFF)

    put(8, (rank - 1) << 4 | interleave << 11 | min(swizzle, 3) << 13 | max(swizzle - 3, 0) << 19 | bool(fill) << 15)
    put(8, FLUSHED[kind] << 7 | 1 << 16 if kind in FLUSHED else (kind - 2 if kind >= NARROW else kind) << 7)
    for n in range(rank):
        if n > 0:
            put(0xC + 4 * (n - 1), strides[n - 1] >> 4)
            put(0x1C, (strides[n - 1] >> 36 & 15) << 4 * (n - 1))
        put(0x20 + 4 * n, dims[n] - 1)
        put(0x34, (steps[n] - 1 & 7) << 3 * n)
        if tiled:
            b[0x37 + n] = box[n] - 1
    if not tiled:
        b[0x37] = channels - 1
        put(8, 1)
        put(0x3C, pixels - 1)
        bits = CORNER_BITS[rank - 2]
        for n in range(rank - 2):
            put(0x38, (low[n] & (1 << bits) - 1) << bits * n)
            put(0x38, (high[n] & (1 << bits) - 1) << 16 + bits * n)
    return address, bytes(b)


def launches(file):
    """The launches of a record."""
    now = None
    for line in open(file):
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "launch":
            w = rest.split()
            n = [int(x) for x in w[1:]]
            now = dict(kernel=w[0], grid=n[0:3], block=n[3:6], cluster=n[6:9], smem=n[9], args=[], buffers=[], maps={})
        elif word == "arg":
            now["args"].append(bytes.fromhex(rest.split()[1]))
        elif word == "buf":
            at, size, filled, data = rest.split()
            now["buffers"].append((int(at, 16), int(size), filled == "1", None if data == "-" else bytes.fromhex(data)))
        elif word == "map":
            number, _, text = rest.partition(" ")
            now["maps"][int(number, 16)] = text
        elif word == "end":
            yield now


class Argument:
    """A parameter: its bytes, and the buffers that its words point to."""

    def __init__(self, data, launch):
        self.data, self.launch, self.pointers, self.first = bytearray(data), launch, [], {}
        at = 0
        while at + 8 <= len(self.data):
            at += self.word(at)

    def word(self, at):
        value = struct.unpack_from("<Q", self.data, at)[0]
        if value >> 32 == MARK and struct.unpack_from("<Q", self.data, at + 8)[0] & SECOND_MASK == SECOND & SECOND_MASK:
            text = self.launch["maps"].get(value & 0xFFFFFFFF)
            self.data[at : at + 128] = bytes(128)  # a map that was never made
            if text:
                address, self.data[at : at + 128] = tensor_map(text)
                self.point(at, address, 0)
            return 128
        if value >> 40 == 0x7F:
            self.point(at, value, 0)
        return 8

    def point(self, at, address, inside):
        """Notes a pointer at a place of the parameter, or of buffer number inside."""
        for n, (start, size, filled, data) in enumerate(self.launch["buffers"]):
            if not start <= address < start + size:
                continue
            p = dict(offset=at, buf=0, fill="zero", seed=0)
            if inside:
                p["in"] = inside
            if address > start:
                p["at"] = address - start
            self.pointers.append(p)
            if n in self.first:
                p["same"] = self.first[n]
                return
            p["buf"] = (size + 15) // 16 * 16 + int(os.environ.get("RECORD_PAD", "0"))
            self.first[n] = len(self.pointers)
            if data is not None:
                p["data"] = base64.b64encode(data.rstrip(b"\0")).decode()
                self.inner(data, len(self.pointers))
            elif not filled:
                p["fill"], p["seed"] = os.environ.get("RECORD_FILL", "f8"), n + 3
            return

    def inner(self, data, number):
        """Notes the pointers in a buffer."""
        for at in range(0, len(data) - 7, 8):
            value = struct.unpack_from("<Q", data, at)[0]
            if value >> 40 == 0x7F and any(s <= value < s + n for s, n, _, _ in self.launch["buffers"]):
                self.point(at, value, number)

    def plan(self):
        return dict(bytes=base64.b64encode(bytes(self.data)).decode(), ptrs=self.pointers)


def plan(name, record, word):
    for x in launches(record):
        if word not in x["kernel"]:
            continue
        launch = dict(kernel=x["kernel"], grid=x["grid"], block=x["block"], smem=x["smem"], args=[Argument(a, x).plan() for a in x["args"]])
        if x["cluster"][0]:
            launch["cluster"] = x["cluster"]
        print(json.dumps(dict(file=name, seconds=1, launches=[dict(file=name, guard=65536, launch=launch)])))
        return
    sys.exit(f"{record}: no launch of a kernel with {word} in its name")


if __name__ == "__main__":
    if sys.argv[1:2] == ["sizes"]:
        sizes(open(sys.argv[2]).read())
    elif sys.argv[1:2] == ["plan"]:
        plan(sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else "device_kernel")
    else:
        sys.exit(__doc__)
