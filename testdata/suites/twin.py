"""A pytest plugin: the first launch of every Triton kernel of a test run is
done with the code of both compilers on equal memory, bytes are compared and
both are timed.

    TRITON_PTXAS_PATH=GOPTXAS TWIN_OUT=DIR python -m pytest -p twin TESTS
    TWIN_OUT=DIR python -c "import twin, runpy; runpy.run_path('SCRIPT', run_name='__main__')"
    python twin.py DIR      # sums the records up

TWIN_REF is the reference assembler, TWIN_SEED and TWIN_K choose at most so
many parameters of each test, TWIN_CONFIGS so many configurations of each
autotuned kernel. TWIN_MORE has further assemblers to time ("old=OTHER
slack=GOPTXAS,--knob,SchedSlack=48"). Where several tests run at once
TWIN_LOCK names a file whose holder times alone. DIR/ptx holds the texts.
"""
import collections, fcntl, glob, hashlib, json, math, os, random, subprocess, sys, tempfile, zlib

OUT = os.environ.get("TWIN_OUT", ".")
REF = os.environ.get("TWIN_REF", "/usr/local/cuda/bin/ptxas")
SEED = int(os.environ.get("TWIN_SEED", "1"))
PARAMETERS = int(os.environ.get("TWIN_K", "2"))
CONFIGS = int(os.environ.get("TWIN_CONFIGS", "3"))
MORE = dict(x.split("=", 1) for x in os.environ.get("TWIN_MORE", "").split())
LOCK = os.environ.get("TWIN_LOCK", os.devnull)
AGAIN = 10  # runs of the reference that must leave the same before ours is said to differ
LARGE = 3e9  # bytes of arguments that are not copied
SHORT = 6  # microseconds below which starting a kernel is most of its time


def say(record):
    with open(f"{OUT}/log.{os.getpid()}.jsonl", "a") as f:
        f.write(json.dumps(record) + "\n")


def storages(args, out, seen):
    """The memory that arguments lead to, each once."""
    import torch
    for a in args:
        if isinstance(a, torch.Tensor):
            s = a.untyped_storage()
            if a.is_cuda and s.nbytes() and s.data_ptr() not in seen:
                seen.add(s.data_ptr())
                out.append(torch.empty(0, dtype=torch.uint8, device=s.device).set_(s))
        elif isinstance(a, (tuple, list)):
            storages(a, out, seen)
        elif isinstance(getattr(a, "base", None), torch.Tensor):
            storages([a.base], out, seen)
    return out


def assemble(ptx, arch, command, fuse=True):
    """The code that an assembler makes of a text, or what it says."""
    with tempfile.TemporaryDirectory() as d:
        with open(d + "/a.ptx", "w") as f:
            f.write(ptx)
        options = ["-lineinfo"] + ([] if fuse else ["--fmad=false"]) + [f"--gpu-name=sm_{arch}{'a' if arch >= 90 else ''}"]
        r = subprocess.run([*command, *options, d + "/a.ptx", "-o", d + "/a.cubin"], capture_output=True, text=True)
        if r.returncode:
            return None, r.stderr[-300:]
        with open(d + "/a.cubin", "rb") as f:
            return f.read(), ""


def reference(kernel):
    """The reference's code of a kernel, or what it says."""
    return assemble(kernel.asm["ptx"], kernel.metadata.target.arch, [REF], getattr(kernel.metadata, "enable_fp_fusion", True))


class Memory:
    """What launches find: the memory of their arguments, equal before each."""

    def __init__(self, args, launch):
        self.memory = storages(args, [], set())
        self.before, self.launch = [m.clone() for m in self.memory], launch

    def restore(self):
        for m, b in zip(self.memory, self.before):
            m.copy_(b)

    def left_by(self, f):
        import torch
        self.restore()
        self.launch(f)
        torch.cuda.synchronize()
        return [m.clone() for m in self.memory]

    def time(self, f, n, before=25000):
        """Microseconds of each of n launches; so many cycles before for each give the host time to order them all: else short kernels take as long as ordering them."""
        import torch
        self.restore()
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(before * n)
        a.record()
        for _ in range(n):
            self.launch(f)
        b.record()
        b.synchronize()
        return a.elapsed_time(b) * 1e3 / n


def same(a, b):
    import torch
    return all(torch.equal(x, y) for x, y in zip(a, b))


def compare(kernel, record, launch, function, args):
    """Fills the record of one launch."""
    from triton.runtime import driver
    cubin, said = reference(kernel)
    if cubin is None:
        record.update(result="refused by the reference", said=said)
        return
    module, other, registers, spills, _ = driver.active.utils.load_binary(kernel.name, cubin, kernel.metadata.shared, driver.active.get_current_device())
    kernel._twin = module  # it stays loaded
    record.update(reference_registers=registers, reference_spills=spills)
    if sum(m.numel() for m in storages(args, [], set())) > LARGE:
        record.update(result="large")
        return
    memory = Memory(args, launch)
    want = memory.left_by(other)
    steady, equal = same(want, memory.left_by(other)), same(want, memory.left_by(function))
    if steady and not equal:
        steady = all(same(want, memory.left_by(other)) for _ in range(AGAIN))
    record.update(result="equal" if equal else "differs" if steady else "varies")
    codes, kernel._more = {"ours": function, "reference": other}, []
    for name, command in MORE.items():
        cubin, _ = assemble(kernel.asm["ptx"], kernel.metadata.target.arch, command.split(","), getattr(kernel.metadata, "enable_fp_fusion", True))
        if cubin is not None:
            module, codes[name], *counts = driver.active.utils.load_binary(kernel.name, cubin, kernel.metadata.shared, driver.active.get_current_device())
            kernel._more.append(module)
            record[name + "_equal"] = same(want, memory.left_by(codes[name]))
    with open(LOCK, "w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        first = memory.time(function, 1)
        n, turns = 8 if first < 100 else 1, 12 if first < 2000 else 4
        times = [{name: memory.time(f, n) for name, f in codes.items()} for _ in range(turns)]
    record.update({name: min(t[name] for t in times) for name in codes})
    memory.restore()


def chosen(name):
    """What chooses for a test or a kernel, whichever others there are."""
    return random.Random(SEED * 1000003 + zlib.crc32(name.encode()))


def install(compare=compare):
    """Has every kernel's first launch compared."""
    import torch
    from triton.compiler import compiler
    from triton.runtime import autotuner
    seen, init = set(), compiler.CompiledKernel._init_handles

    def init_handles(self):
        if self.module is not None:
            return
        init(self)
        run, name = self._run, hashlib.md5(self.asm["ptx"].encode()).hexdigest()[:10]

        def wrapped(x, y, z, stream, function, packed, metadata, enter, leave, *args):
            if name not in seen and not torch.cuda.is_current_stream_capturing():
                seen.add(name)
                with open(f"{OUT}/ptx/{self.name[:80]}.{name}.ptx", "w") as f:
                    f.write(self.asm["ptx"])
                record = {"name": self.name, "hash": name, "grid": [x, y, z], "registers": self.n_regs, "spills": self.n_spills, "test": os.environ.get("PYTEST_CURRENT_TEST", "")[:400]}
                try:
                    compare(self, record, lambda f: run(x, y, z, stream, f, packed, metadata, None, None, *args), function, args)
                except Exception as e:  # the launch behind it tells of it again
                    record["result"] = "error " + repr(e)[:300]
                say(record)
            return run(x, y, z, stream, function, packed, metadata, enter, leave, *args)

        self._run = wrapped

    compiler.CompiledKernel._init_handles = init_handles
    tune = autotuner.Autotuner.__init__

    def fewer(self, fn, arg_names, configs, *a, **k):
        configs = list(configs or [])
        if len(configs) > CONFIGS:
            configs = chosen(str(getattr(fn, "__name__", ""))).sample(configs, CONFIGS)
        tune(self, fn, arg_names, configs, *a, **k)

    autotuner.Autotuner.__init__ = fewer


def pytest_collection_modifyitems(config, items):
    tests = collections.defaultdict(list)
    for i in items:
        tests[i.nodeid.split("[")[0]].append(i)
    items[:] = [i for t in sorted(tests) for i in chosen(t).sample(tests[t], min(PARAMETERS, len(tests[t])))]


def summary(folder):
    records = [json.loads(l) for f in glob.glob(folder + "/log.*.jsonl") for l in open(f)]
    print(len(records), dict(collections.Counter(r["result"].split()[0] for r in records)))
    timed = sorted(((r["reference"] / r["ours"], r) for r in records if r.get("reference", 0) > SHORT), key=lambda x: x[0])
    if timed:
        print(f"{len(timed)} timed, reference's time over ours {math.exp(sum(math.log(t) for t, _ in timed) / len(timed)):.4f}, under 0.85: {sum(t < .85 for t, _ in timed)}")
    for name in MORE:
        both = [r["reference"] / r[name] for _, r in timed if name in r]
        print(f"{name}: {len(both)} timed, {math.exp(sum(map(math.log, both)) / max(1, len(both))):.4f}, not equal {sum(not r.get(name + '_equal', True) for r in records)}")
    for t, r in timed[:25]:
        more = "".join(f" {name} {r['reference'] / r[name]:.3f}" for name in MORE if name in r)
        print(f"{t:.3f}{more} {r['name'][:50]} {r['hash']} registers {r['registers']}/{r['reference_registers']} spills {r['spills']}/{r['reference_spills']}")
    for r in records:
        if r["result"] not in ("equal", "varies", "large"):
            print(r["result"], r["name"], r["hash"], r["test"])


if __name__ == "__main__":
    summary(sys.argv[1])
elif "TWIN_OUT" in os.environ:
    os.makedirs(OUT + "/ptx", exist_ok=True)
    install()
