"""Times Triton kernels with the code of two assemblers, or more, on a GPU.

    python timed.py GOPTXAS OUT [PATTERN] [NAME=COMMAND...]
    python timed.py --ptx OUT [PATTERN]     # their texts alone, without a GPU or PyTorch
    python timed.py --table OUT             # the table of a run again

Every kernel of ../speed/triton_kernels.py whose name matches is launched with
the code of GOPTXAS, of the reference (TWIN_REF, /usr/local/cuda/bin/ptxas)
and of each COMMAND ("goptxas --knob X=1") on equal memory; bytes are compared
with the reference's, and TURNS (15) times all are timed in random order. The
table has the reference's median over that of the others, registers, and at
its end the geometric means. OUT/ptx holds the texts, OUT/log.*.jsonl all times.
"""
import collections, concurrent.futures, glob, hashlib, json, math, os, random, re, shlex, statistics, subprocess, sys, time

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, here + "/../speed"]
REF = os.environ.get("TWIN_REF", "/usr/local/cuda/bin/ptxas")
TURNS = int(os.environ.get("TURNS", "15"))
JOBS = int(os.environ.get("JOBS", str(os.cpu_count())))
CASES = {}  # name: what gives kernel, grid, arguments and options, when asked with how tensors are made
f16, bf16, f32, e5, e4, i32, i8, u8 = "float16 bfloat16 float32 float8_e5m2 float8_e4m3fn int32 int8 uint8".split()
SHORT = {f16: "f16", bf16: "bf16", f32: "f32", e5: "e5m2", e4: "e4m3", i8: "i8"}
S, HEADS = 2048, 32  # of attention


def case(name, kernel, grid, arguments, **options):
    """arguments is given a function that makes a tensor of a type and a shape."""
    CASES[name] = lambda k, tensor: (getattr(k, kernel), grid, arguments(tensor), options)


def attention(d, causal, t, bm, bn, warps, stages=3, kernel="flash"):
    name = f"{kernel}_d{d}_{'causal' if causal else 'full'}_{SHORT[t]}_{bm}x{bn}w{warps}s{stages}"
    scale, n = 1.44269504 / math.sqrt(d), (HEADS, S, d)
    o = dict(num_warps=warps, num_stages=stages)
    if kernel == "attn":
        case(name, kernel, (S // bm, HEADS), lambda T: [T(t, *n), T(t, *n), T(t, *n), T(f16, *n), scale, S, HEADS, d, bm, bn, causal], **o)
    elif kernel == "flash":  # fp8 wants V with the rows of a column side by side
        steps = (1, S) if "float8" in t else (d, 1)
        case(name, kernel, (S // bm, HEADS), lambda T: [T(t, *n), T(t, *n), T(t, *n), T(f16, *n), T(f32, HEADS, S), S, *steps, scale, d, bm, bn, causal], **o)
    elif kernel == "flash_desc":
        case(name, kernel, (S // bm, HEADS), lambda T: [T(t, *n), T(t, *n), T(t, *n), T(t, *n), HEADS, S, scale, d, bm, bn, False], **o)
    elif kernel == "flash_dkdv":
        case(name, kernel, (S // bn, HEADS), lambda T: [T(t, *n) for _ in range(6)] + [T(f32, HEADS, S, add=11.0), T(f32, HEADS, S), S, scale, d, bm, bn, causal], **o)
    else:
        case(name, kernel, (S // bm, HEADS), lambda T: [T(t, *n) for _ in range(5)] + [T(f32, HEADS, S, add=11.0), T(f32, HEADS, S), S, scale, d, bm, bn, causal], **o)


def product(name, m, n, k, t, bm, bn, bk, warps, stages, kernel="mm", other=False):
    """other: B with the rows of a column side by side."""
    out = i32 if t == i8 else f32 if t == f32 else f16
    sb = (1, k) if other else (n, 1)
    case(f"{name}_{SHORT[t]}_{bm}x{bn}x{bk}w{warps}s{stages}", kernel, (-(-m // bm) * -(-n // bn),), lambda T: [T(t, m, k), T(t, k, n), T(out, m, n), m, n, k, k, 1, *sb, n, 1, bm, bn, bk], num_warps=warps, num_stages=stages)


for c in (False, True):
    for d, t, tiles in [
            (32, f16, [(128, 64, 4), (64, 64, 4)]), (32, e5, [(128, 64, 4)]),
            (64, f16, [(128, 64, 4), (128, 64, 8), (64, 64, 4), (128, 128, 8)]), (64, bf16, [(128, 128, 4)]), (64, e5, [(128, 64, 8)]),
            (128, f16, [(128, 64, 8), (64, 64, 4), (128, 128, 8)]), (128, bf16, [(64, 128, 4)]), (128, e5, [(128, 128, 8), (64, 64, 4)]), (128, e4, [(128, 64, 8)]),
            (256, f16, [(128, 64, 8), (64, 64, 4)]), (256, e5, [(128, 64, 8)])]:
        for bm, bn, w in tiles:
            attention(d, c, t, bm, bn, w, 2 if d == 256 else 3)
    for d, bm, bn, w in [(32, 64, 64, 4), (64, 64, 64, 4), (64, 32, 128, 4), (128, 64, 64, 4), (128, 64, 128, 8), (128, 32, 128, 8)]:
        attention(d, c, f16, bm, bn, w, 2, "flash_dkdv")
    for d, bm, bn, w in [(32, 64, 64, 4), (64, 128, 32, 4), (64, 64, 64, 4), (128, 128, 64, 8), (128, 64, 32, 4)]:
        attention(d, c, bf16 if d == 64 and bm == 64 else f16, bm, bn, w, 2, "flash_dq")
    attention(64, c, f16, 128, 128, 4, 3, "attn")
    attention(128, c, bf16, 128, 64, 8, 3, "attn")
for d in (64, 128):
    attention(d, False, f16, 128, 64, 8, 3, "flash_desc")
attention(128, False, bf16, 128, 128, 8, 2, "flash_desc")
for d, g in [(64, 16), (128, 16), (128, 64)]:
    case(f"decode_d{d}_g{g}", "decode", (64, 16), lambda T, d=d, g=g: [T(f16, 64 * g, d), T(f16, 64, 8192, d), T(f16, 64, 8192, d), T(f32, 64 * 16 * g, d), T(f32, 64 * 16 * g), 8192, 1.44269504 / math.sqrt(d), d, g, 64, 16], num_warps=4, num_stages=3)
product("mm", 4096, 4096, 4096, f16, 128, 256, 64, 8, 3)
product("mm", 4096, 4096, 4096, f16, 128, 128, 64, 4, 4)
product("mm", 4096, 4096, 4096, bf16, 128, 128, 32, 8, 4)
product("mm", 2048, 2048, 2048, f16, 64, 64, 64, 4, 3)
product("mm", 2048, 2048, 2048, f32, 128, 128, 32, 8, 3)
product("mm", 4096, 4096, 4096, e5, 128, 128, 128, 8, 3, other=True)
product("mm", 4096, 4096, 4096, e4, 128, 256, 128, 8, 3, other=True)
product("mm", 512, 512, 4096, f16, 32, 32, 64, 4, 4)
product("mm", 2048, 2048, 2048, f16, 32, 64, 32, 2, 3)
product("mmodd", 2047, 2049, 1111, f16, 128, 128, 32, 4, 4, "mmodd")
product("mmodd", 1023, 1025, 777, f16, 64, 128, 32, 4, 3, "mmodd")
product("mmodd", 1023, 1025, 777, f32, 64, 64, 32, 4, 3, "mmodd")
for bm, bn, w in [(128, 128, 4), (128, 256, 8), (64, 128, 4)]:
    case(f"mm_desc_{bm}x{bn}w{w}", "mm_desc", (132,), lambda T, bm=bm, bn=bn: [T(f16, 4096, 4096), T(f16, 4096, 4096), T(f16, 4096, 4096), 4096, 4096, 4096, bm, bn, 64, 132, False], num_warps=w, num_stages=3)
case("mm_int4_64x128", "mm_int4", (4, 32), lambda T: [T(f16, 256, 4096), T(u8, 2048, 4096), T(f16, 4096), T(f16, 256, 4096), 256, 4096, 4096, 64, 128, 64], num_warps=4, num_stages=3)
case("mm_int4_128x128", "mm_int4", (32, 32), lambda T: [T(f16, 4096, 4096), T(u8, 2048, 4096), T(f16, 4096), T(f16, 4096, 4096), 4096, 4096, 4096, 128, 128, 64], num_warps=8, num_stages=3)
case("mm_splits_16x64", "mm_splits", (1, 64, 8), lambda T: [T(f16, 16, 8192), T(f16, 8192, 4096), T(f32, 8, 16, 4096), 16, 4096, 8192, 16, 64, 128, 8], num_warps=4, num_stages=4)
case("mm_gelu_128x128", "mm_gelu", (32, 32), lambda T: [T(bf16, 4096, 1024), T(bf16, 1024, 4096), T(f32, 4096), T(bf16, 4096, 4096), 4096, 4096, 1024, 128, 128, 64], num_warps=8, num_stages=3)
case("conv_128x64", "conv", (196, 4), lambda T: [T(f16, 8, 56, 56, 128), T(f16, 9, 128, 256), T(f16, 8, 56, 56, 256), 56, 56, 128, 256, 128, 64], num_warps=4, num_stages=3)
for n, b in [(2000, 2048), (8000, 8192)]:
    case(f"layernorm_{n}", "lnorm", (8192,), lambda T, n=n, b=b: [T(f16, 8192, n), T(f16, 8192, n), T(f16, n), T(f16, n), n, 1e-5, b], num_warps=8)
    case(f"softmax_{n}", "smax", (8192,), lambda T, n=n, b=b: [T(f16, 8192, n), T(f16, 8192, n), n, b], num_warps=8)
case("layernorm_back_2000", "lnorm_back", (512,), lambda T: [T(f16, 8192, 2000), T(f16, 8192, 2000), T(f16, 2000), T(f16, 8192, 2000), T(f32, 512, 2000), 2000, 1e-5, 2048, 16], num_warps=8)
case("rms_rope_128", "rms_rope", (8192,), lambda T: [T(bf16, 131072, 128), T(f32, 128), T(f32, 131072, 64), T(f32, 131072, 64), T(bf16, 131072, 128), 1e-6, 128, 16], num_warps=4)
case("swiglu", "swiglu", (16384,), lambda T: [T(bf16, 1 << 24), T(bf16, 1 << 24), T(bf16, 1 << 24), (1 << 24) - 5, 1024], num_warps=4)
ODD = (1 << 24) - 5  # elements: vectors of them are not known to be whole
for t in (bf16, f32):
    for block in (512, 1024, 2048):
        for kernel, inputs in (("odd_copy", 1), ("odd_add", 2), ("odd_gelu", 1)):
            case(f"{kernel}_{SHORT[t]}_{block}", kernel, (-(-ODD // block),), lambda T, t=t, block=block, inputs=inputs: [T(t, ODD) for _ in range(inputs + 1)] + [ODD, block], num_warps=4)
case("entropy", "entropy", (2048,), lambda T: [T(bf16, 2048, 50257), T(i32, 2048, top=50257), T(f32, 2048), 50257, 4096], num_warps=8)
case("scan_1024", "scan", (4096,), lambda T: [T(f32, 16384, 1024), T(f32, 16384, 1024), 1024, 4], num_warps=4)
case("scan_linear", "scan_linear", (16, 64), lambda T: [T(f32, 64, 1024, 1024), T(f32, 64, 1024, 1024), T(f32, 64, 1024, 1024), 1024, 1024, 32, 64], num_warps=4)
case("sort_256", "sort", (4096,), lambda T: [T(f32, 16384, 256), T(f32, 16384, 256), 256, 4], num_warps=4)
case("sort_1024_i32", "sort", (4096,), lambda T: [T(i32, 8192, 1024), T(i32, 8192, 1024), 1024, 2], num_warps=4)
case("topk_512", "topk", (4096,), lambda T: [T(f32, 16384, 512), T(f32, 16384, 16), 512, 16, 4], num_warps=4)
case("histogram_256", "histogram", (512,), lambda T: [T(i32, 512 * 16 * 1024), T(i32, 256), 1024, 256, 16], num_warps=4)
case("sums", "sums", (256,), lambda T: [T(f16, 8192, 8192), T(f32, 8192), 8192, 8192, 32, 32], num_warps=4)
case("transpose", "transpose", (64, 64), lambda T: [T(f16, 4096, 4096), T(f16, 4096, 4096), 4096, 4096, 64, 64], num_warps=4)
case("quantise", "quantise", (4096,), lambda T: [T(f16, 16384, 1024), T(i8, 16384, 1024), T(f32, 16384), 1024, 4], num_warps=4)
case("dropout", "dropout", (8192,), lambda T: [T(f32, 1 << 23), T(f32, 1 << 23), 1 << 23, 0.25, 1234, 1024], num_warps=4)


def drawn(seed):
    """Tensors of random numbers, the same for the same seed."""
    import torch
    g = torch.Generator(device="cuda").manual_seed(seed)

    def tensor(t, *shape, add=0.0, top=0):
        t = getattr(torch, t)
        if not t.is_floating_point:
            low, high = (0, top) if top else (-128, 128) if t == torch.int8 else (0, 256) if t == torch.uint8 else (-(1 << 30), 1 << 30)
            return torch.randint(low, high, shape, device="cuda", generator=g, dtype=torch.int64).to(t)
        return (torch.randn(shape, device="cuda", generator=g) * 0.5 + add).to(t)
    return tensor


class Nowhere:
    """Stands for a GPU where only texts are wanted."""

    def get_current_device(self): return 0
    def get_current_stream(self, device=None): return 0
    def get_current_target(self): return Target("cuda", 90, 32)


def texts(out, names, commands):
    """Has Triton make the texts of kernels, and all assemblers their code."""
    import triton_kernels
    from triton.runtime import driver
    from triton.runtime.jit import MockTensor
    global Target
    from triton.backends.compiler import GPUTarget as Target
    import twin
    driver.set_active(Nowhere())
    for name in names:
        try:
            kernel, grid, args, options = CASES[name](triton_kernels, lambda t, *shape, **_: MockTensor(t, list(shape)))
            ptx = kernel.warmup(*args, grid=grid, **options).asm["ptx"]
        except Exception as e:
            print(f"{name}: no text: {str(e)[-300:]}", flush=True)
            continue
        with open(f"{out}/ptx/{name}.ptx", "w") as f:
            f.write(ptx)
        for which, command in commands.items():
            code, said = twin.assemble(ptx, 90, shlex.split(command))
            file = f"{out}/code/{hashlib.md5(ptx.encode()).hexdigest()}.{which}"
            with open(file if code else file + ".said", "wb" if code else "w") as f:
                f.write(code or said)


def launches(out, names, commands):
    """Launches and times kernels, and writes a record of each."""
    import torch
    import triton
    import triton_kernels
    import twin
    from triton.runtime import driver
    twin.OUT = out
    triton.set_allocator(lambda size, align, stream: torch.empty(size, device="cuda", dtype=torch.int8))
    current = None

    def compare(kernel, record, launch, function, args):
        record["case"] = current
        name, functions = f"{out}/code/{hashlib.md5(kernel.asm['ptx'].encode()).hexdigest()}", {}
        kernel._twin = []  # modules stay loaded
        for which in commands:
            if not os.path.exists(f"{name}.{which}"):
                code, said = twin.assemble(kernel.asm["ptx"], 90, shlex.split(commands[which]))
                if code is None:
                    record.setdefault("refused", {})[which] = said
                    continue
                with open(f"{name}.{which}", "wb") as f:
                    f.write(code)
            with open(f"{name}.{which}", "rb") as f:
                module, functions[which], registers, spills, _ = driver.active.utils.load_binary(kernel.name, f.read(), kernel.metadata.shared, driver.active.get_current_device())
            kernel._twin.append(module)
            record.setdefault("codes", {})[which] = {"registers": registers, "spills": spills}
        memory = twin.Memory(args, launch)
        want = memory.left_by(functions["reference"])
        steady = twin.same(want, memory.left_by(functions["reference"]))
        for which, f in functions.items():
            record["codes"][which]["result"] = "equal" if twin.same(want, memory.left_by(f)) else "DIFFERS" if steady else "varies"
        del want
        first = memory.time(functions["reference"], 1)
        n, times = max(1, min(20, int(400 / first))), collections.defaultdict(list)
        for _ in range(TURNS):
            for which in random.sample(list(functions), len(functions)):
                times[which].append(memory.time(functions[which], n, 20000 + 40000 * n))
        for which, t in times.items():
            record["codes"][which].update(us=statistics.median(t), times=t)
        memory.restore()

    twin.install(compare)
    for name in names:
        current = name
        twin.say({"begins": name})
        try:
            kernel, grid, args, options = CASES[name](triton_kernels, drawn(1))
            kernel[grid](*args, **options)
            torch.cuda.synchronize()
        except Exception as e:
            twin.say({"case": name, "result": "error " + str(e)[-200:]})
            if isinstance(e, torch.AcceleratorError if hasattr(torch, "AcceleratorError") else RuntimeError):
                sys.exit(1)  # nothing more works in this process
        del kernel, args


def records(out):
    return [json.loads(l) for f in sorted(glob.glob(out + "/log.*.jsonl")) for l in open(f)]


def size(code):
    return f"[{code['registers']}" + (f" spills {code['spills']}]" if code["spills"] else "]")


def table(out, commands):
    others = [w for w in commands if w != "reference"]
    logs, best = collections.defaultdict(list), []
    print(f"{'reference over the others, registers in brackets':56s} us  " + "  ".join(f"{w:>12s}" for w in others))
    for r in records(out):
        codes = r.get("codes", {})
        if "reference" not in codes or "us" not in codes["reference"]:
            if "begins" not in r:
                print(f"{r.get('case')}: {r.get('result')} {r.get('refused', '')}")
            continue
        base, row = codes["reference"], []
        for w in others:
            c = codes.get(w)
            if c is None:
                row.append("refused " + r["refused"].get(w, "")[:60].replace("\n", " "))
                continue
            logs[w].append(math.log(base["us"] / c["us"]))
            row.append(f"{base['us'] / c['us']:.3f} {size(c)}" + ("" if c["result"] == "equal" else " " + c["result"]))
        best.append(max(math.log(base["us"] / codes[w]["us"]) for w in others if w in codes) if len(codes) > 1 else 0)
        print(f"{r['case'] + ' ' + size(base):56s} {base['us']:8.1f}  " + "  ".join(f"{x:>12s}" for x in row))
    for w in others:
        if logs[w]:
            print(f"{w}: {len(logs[w])} kernels, geometric mean {math.exp(sum(logs[w]) / len(logs[w])):.4f}, worst {math.exp(min(logs[w])):.3f}, under 0.97: {sum(x < math.log(.97) for x in logs[w])}")
    if len(others) > 1 and best:
        print(f"best of each: {math.exp(sum(best) / len(best)):.4f}")


def start(mode, out, names, commands):
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), mode, out], stdin=subprocess.PIPE, text=True), json.dumps([names, commands])


def main(argv):
    if len(argv) < 2:
        sys.exit(__doc__)
    if argv[0] in ("--texts", "--launches"):
        names, commands = json.load(sys.stdin)
        return (texts if argv[0] == "--texts" else launches)(argv[1], names, commands)
    out = os.path.abspath(argv[1])
    if argv[0] == "--table":
        return table(out, json.load(open(out + "/commands.json")))
    os.makedirs(out + "/ptx", exist_ok=True)
    os.makedirs(out + "/code", exist_ok=True)
    commands = {} if argv[0] == "--ptx" else {"reference": REF, "ours": shlex.quote(os.path.abspath(argv[0]))}
    pattern = ""
    for a in argv[2:]:
        if "=" in a:
            name, _, command = a.partition("=")
            commands[name] = command
        else:
            pattern = a
    os.environ.setdefault("TRITON_CACHE_DIR", out + "/cache")
    if os.path.exists(REF):
        os.environ["TRITON_PTXAS_PATH"] = REF
    with open(out + "/commands.json", "w") as f:
        json.dump(commands, f)
    for f in glob.glob(out + "/log.*.jsonl"):
        os.remove(f)
    names = [n for n in CASES if re.search(pattern, n)]
    began = time.time()
    workers = [start("--texts", out, names[i::JOBS], commands) for i in range(min(JOBS, len(names)))]
    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        list(pool.map(lambda w: w[0].communicate(w[1]), workers))
    print(f"{len(names)} kernels compiled in {time.time() - began:.0f} s", flush=True)
    if not commands:
        return
    while names:  # a fault of the GPU ends a process; the next goes on behind the kernel that had it
        worker, text = start("--launches", out, names, commands)
        worker.communicate(text)
        begun = [r["begins"] for r in records(out) if "begins" in r]
        if not set(begun) & set(names):
            sys.exit("nothing can be launched")
        names = names[max(names.index(n) for n in begun if n in names) + 1:]
    print(f"timed within {time.time() - began:.0f} s", flush=True)
    table(out, commands)


if __name__ == "__main__":
    main(sys.argv[1:])
