"""Writes down what Triton would launch on a GPU that is not there.

Import it before anything that uses Triton. Tensors of "cuda" become tensors
of the CPU, kernels are compiled to PTX, and each launch goes into a plan of
`gpurun sim`: grid, block, and every argument with the bytes that its pointers
and tensor maps reach. Nothing runs, so what a kernel would have written stays
as it was; memory that nobody filled gets random numbers.

  RECORD_SM      the GPU, 100 for sm_100a
  RECORD_OUT     folder for the PTX files, plan.jsonl and record.log
  RECORD_BYTES   launches with more bytes are left out (3000000)
  RECORD_BLOCKS  grids are cut to this many blocks (4)
  RECORD_PER     specialisations of one kernel that are recorded (3)
  RECORD_TAG     beginning of the files' names
"""

import base64
import contextlib
import hashlib
import json
import os
import re
import struct
import sys
import types

SM = int(os.environ.get("RECORD_SM", "100"))
OUT = os.environ["RECORD_OUT"]
MOST_BYTES = int(os.environ.get("RECORD_BYTES", "3000000"))
MOST_BLOCKS = int(os.environ.get("RECORD_BLOCKS", "4"))
PER_KERNEL = int(os.environ.get("RECORD_PER", "3"))
TAG = os.environ.get("RECORD_TAG", "x")

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
os.environ["TRITON_PTXAS_PATH"] = os.environ["TRITON_PTXAS_BLACKWELL_PATH"] = here + "/no-ptxas.sh"
os.environ.setdefault("TRITON_CACHE_DIR", OUT + "/cache")
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
os.makedirs(OUT, exist_ok=True)

import torch  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
import triton  # noqa: E402
import triton.runtime.autotuner as autotuner  # noqa: E402
import triton.runtime.jit as jit  # noqa: E402
import triton.testing  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.runtime import driver  # noqa: E402
import plan  # noqa: E402

torch.set_num_threads(1)

# ---- a GPU that torch believes in


def pretend():
    c = torch.cuda
    properties = types.SimpleNamespace(
        name="NVIDIA B200",
        major=SM // 10,
        minor=SM % 10,
        multi_processor_count=2,
        warp_size=32,
        max_threads_per_multi_processor=2048,
        total_memory=1 << 37,
        shared_memory_per_block_optin=232448,
        regs_per_multiprocessor=65536,
        L2_cache_size=1 << 26,
    )
    c.is_available = lambda: True
    c.current_device = lambda: 0
    c.device_count = lambda: 1
    c.get_device_capability = lambda *a, **k: (SM // 10, SM % 10)
    c.get_device_properties = lambda *a, **k: properties
    c.get_device_name = lambda *a, **k: properties.name
    for name in ("synchronize", "empty_cache", "set_device", "manual_seed", "manual_seed_all", "_lazy_init"):
        setattr(c, name, lambda *a, **k: None)  # one for each: torch tells functions apart
    c.is_bf16_supported = lambda *a, **k: True
    c.current_stream = lambda *a, **k: types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None)
    c.device_of = lambda *a, **k: contextlib.nullcontext()
    c.device = lambda *a, **k: contextlib.nullcontext()
    c.mem_get_info = lambda *a, **k: (1 << 36, 1 << 37)
    torch.Tensor.cuda = lambda self, *a, **k: self
    torch.Tensor.is_cuda = property(lambda self: True)


def on_cpu(d):
    if isinstance(d, (str, torch.device)) and str(d).startswith("cuda") or type(d) is int:
        return "cpu"
    return d


class OnCPU(TorchFunctionMode):
    """Devices become the CPU; memory that nobody fills gets numbers."""

    def __torch_function__(self, f, kinds, args=(), kw=None):
        kw = dict(kw or {})
        name = getattr(f, "__name__", "")
        if name == "cuda":
            return args[0]
        if "device" in kw:
            kw["device"] = on_cpu(kw["device"])
        if name in ("to", "Tensor.to"):
            args = tuple(on_cpu(a) if isinstance(a, (str, torch.device)) else a for a in args)
        kw.pop("pin_memory", None)
        r = f(*args, **kw)
        if name in ("empty", "empty_like", "new_empty", "empty_strided") and isinstance(r, torch.Tensor):
            with torch._C.DisableTorchFunction():
                if r.dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
                    r.uniform_(0.25, 1.0)
                else:
                    with contextlib.suppress(Exception):
                        r.zero_()
        return r


# ---- a driver that Triton believes in


class Driver:
    class utils:
        @staticmethod
        def get_device_properties(device):
            return dict(
                max_shared_mem=232448 if SM < 120 else 101376, multiprocessor_count=2, max_num_regs=65536, warpSize=32, sm_clock_rate=1, mem_clock_rate=1, mem_bus_width=1, max_threads_per_block=1024
            )

    def get_current_target(self):
        return GPUTarget("cuda", SM, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0

    def get_device_capability(self, *a):
        return SM // 10, SM % 10

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return torch.cuda

    def get_empty_cache_for_benchmark(self):
        return torch.empty(4)

    def get_benchmarker(self):
        return lambda f, **k: (f(), 1.0)[1]

    def set_current_device(self, device):
        pass

    def clear_cache(self, cache):
        pass

    def is_active(self):
        return True


# ---- arguments

BYTES = {"i1": 1, "u1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
FLOATS = {"fp32": "<f", "f32": "<f", "fp64": "<d", "fp16": "<e"}


def scalar(t, v):
    if t == "bf16":
        return struct.pack("<f", v)[2:]
    if t in FLOATS:
        return struct.pack(FLOATS[t], v)
    n = BYTES[t]
    return (int(v) & ((1 << 8 * n) - 1)).to_bytes(n, "little")


def packed(b):
    return base64.b64encode(b).decode()


class TooLarge(Exception):
    pass


class Arguments:
    """The arguments of a launch, as a plan has them."""

    def __init__(self, maps):
        self.list, self.total, self.maps = [], 0, list(maps or [])

    def add(self, t, v):
        if isinstance(t, (tuple, list)):
            for a, b in zip(t, v):
                self.add(a, b)
        elif t == "constexpr":
            pass
        elif t.startswith("tensordesc"):
            self.descriptor(v)
        elif t.startswith("*") or t == "nvTmaDesc":
            self.pointer(v, bytes(8))
        else:
            self.value(t, v)

    def value(self, t, v):
        self.list.append(dict(bytes=packed(scalar(t, v))))

    def pointer(self, t, b):
        """An argument of bytes b that begins with a pointer to t."""
        if t is None:
            return self.list.append(dict(bytes=packed(b)))
        if isinstance(t, int):
            return self.list.append(dict(bytes=packed(struct.pack("<Q", t))))
        base = t.base if hasattr(t, "base") and not isinstance(t, torch.Tensor) else t
        storage = base.untyped_storage()
        n = storage.nbytes()
        self.total += n
        if self.total > MOST_BYTES:
            raise TooLarge("%d bytes" % self.total)
        with torch._C.DisableTorchFunction():
            data = torch.empty(0, dtype=torch.uint8).set_(storage).numpy().tobytes()
        p = dict(offset=0, buf=max((n + 15) // 16 * 16, 16) + 256, fill="zero", seed=0, data=packed(data.rstrip(b"\0")))
        if at := base.data_ptr() - storage.data_ptr():
            p["at"] = at
        self.list.append(dict(bytes=packed(b), ptrs=[p]))

    def descriptor(self, v):
        """A tensor descriptor: a map, or what stands for one, with shape and strides."""
        if self.maps:
            self.pointer(v.base, tensor_map(v, self.maps.pop(0)))
        else:
            self.pointer(v.base, bytes(8))
            for x in [*v.shape, *v.strides]:
                self.value("i64", x)
            self.value("i1", v.padding == "nan")
            self.value("i1", getattr(v, "round_f32_to_tf32", False))
        for x in v.shape:
            self.value("i32", x)
        for x in v.strides:
            self.value("i64", x)

    def scratch(self, n):
        self.list.append(dict(bytes=packed(bytes(8)), ptrs=[dict(offset=0, buf=max(n, 256) + 256, fill="zero", seed=0)]) if n else dict(bytes=packed(bytes(8))))


def tensor_map(arg, meta):
    from triton.backends.nvidia import driver as nvidia

    if meta.get("is_im2col"):
        raise NotImplementedError("a map of im2col")
    elem = nvidia.TMA_TF32 if getattr(arg, "round_f32_to_tf32", False) else meta["elem_type"]
    host = nvidia.TMA_DTYPE_DEVICE_TO_HOST
    number = int(host[elem]) if elem in host or isinstance(host, (list, tuple)) else int(elem)
    shape = list(arg.shape)
    if meta["fp4_padded"]:
        shape[-1] *= 2
    strides = [int(x) * meta["elem_size"] for x in list(arg.strides)[::-1]][1:]
    words = [number, len(shape), arg.base.data_ptr(), *shape[::-1], *strides, *list(meta["block_size"])[::-1], *([1] * len(shape)), 0, meta["swizzle"], 0, 0]
    return plan.tensor_map("tiled " + " ".join(str(int(x)) for x in words))[1]


# ---- launches


class Record:
    def __init__(self):
        self.hashes, self.per, file = set(), {}, OUT + "/plan.jsonl"
        if os.path.exists(file):
            self.hashes = {json.loads(line)["hash"] for line in open(file)}
        self.plan, self.log = open(file, "a"), open(OUT + "/record.log", "a")

    def say(self, name, e):
        self.log.write("%s: %s: %s\n" % (name, type(e).__name__, str(e).strip().replace("\n", " | ")[:300]))
        self.log.flush()

    def launch(self, fn, kernel, grid, bound):
        ptx, meta = kernel.asm["ptx"], kernel.metadata
        arguments = Arguments(getattr(meta, "tensordesc_meta", None))
        for name, t in kernel.recorded.items():
            arguments.add(t, bound[name])
        full = [int(x) for x in (tuple(grid) + (1, 1))[:3]]
        if 0 in full:
            return
        g, ctas = list(full), getattr(meta, "num_ctas", 1)
        if not getattr(meta, "launch_cooperative_grid", False):
            while g[0] * g[1] * g[2] > MOST_BLOCKS:
                k = max(range(3), key=lambda i: g[i])
                g[k] = max(1, g[k] // 2)
        arguments.scratch(meta.global_scratch_size * full[0] * full[1] * full[2] * ctas)
        arguments.scratch(meta.profile_scratch_size * g[0] * g[1] * g[2])
        entry = re.search(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)", ptx)
        want = sum(".param" in p for p in entry[2].split(","))
        if want != len(arguments.list):
            raise ValueError("%d parameters, %d recorded" % (want, len(arguments.list)))
        h = hashlib.sha256(re.sub(r"//.*", "", ptx).encode()).hexdigest()[:8]
        if h in self.hashes:
            return
        self.hashes.add(h)
        file = "%s_%s_%s_sm%d.ptx" % (TAG, re.sub(r"\W", "", fn.__name__)[:40], h, SM)
        threads = int(re.search(r"\.reqntid\s+(\d+)", ptx)[1])
        launch = dict(kernel=entry[1], grid=[g[0] * ctas, g[1], g[2]], block=[threads, 1, 1], smem=meta.shared, args=arguments.list)
        if ctas > 1:
            launch["cluster"] = [ctas, 1, 1]
        with open(OUT + "/" + file, "w") as f:
            f.write(ptx)
        self.plan.write(json.dumps(dict(hash=h, file=file, seconds=1, launches=[dict(file=file, guard=65536, launch=launch)])) + "\n")
        self.plan.flush()


record = Record()


def run(self, *args, grid, warmup, **kw):
    """JITFunction.run that compiles, and writes the first launch down."""
    name = self.fn.__name__
    kw["debug"] = kw.get("debug", self.debug)
    kw["instrumentation_mode"] = triton.knobs.compilation.instrumentation_mode
    kw["fpsan_homomorphic_casts"] = triton.knobs.compilation.fpsan_homomorphic_casts
    for hook in self.pre_run_hooks:
        hook(*args, **kw)
    cache, keys, target, backend, binder = self.device_caches[0]
    bound, specialisation, options = binder(*args, **kw)
    key = jit.compute_cache_key(keys, specialisation, options)
    kernel = cache.get(key)
    try:
        fresh = kernel is None
        if fresh:
            if not warmup:
                q = self.fn.__qualname__
                record.per[q] = record.per.get(q, 0) + 1
                if record.per[q] > PER_KERNEL:
                    return None
            options, signature, constants, attributes = self._pack_args(backend, kw, bound, specialisation, options)
            kernel = self._do_compile(key, signature, 0, constants, options, attributes, warmup)
            if hasattr(kernel, "result"):
                kernel = kernel.result()
            cache[key] = kernel
            kernel.recorded = signature
        if fresh and not warmup:
            record.launch(self, kernel, grid(bound) if callable(grid) else grid, bound)
    except Exception as e:
        record.say(name, e)
        if warmup:
            raise
    return kernel


def run_first(self, *args, **kw):
    """Autotuner.run that takes the first configuration."""
    self.nargs = dict(zip(self.arg_names, args))
    try:
        configs = list(self.prune_configs(kw))
    except Exception:
        configs = list(self.configs)
    c = configs[0]
    if c.pre_hook is not None:
        try:
            c.pre_hook({**self.nargs, **kw, **c.all_kwargs()})
        except Exception as e:
            record.say("hook", e)
    r = self.fn.run(*args, **kw, **c.all_kwargs())
    self.nargs = None
    return r


def known_keys(init):
    return lambda self, fn, names, configs, key, *a, **k: init(self, fn, names, configs, [x for x in key if x in names], *a, **k)


pretend()
mode = OnCPU()
mode.__enter__()
driver.set_active(Driver())
jit.JITFunction.run = run
triton.compiler.CompiledKernel._init_handles = lambda self: None
autotuner.Autotuner.run = run_first
autotuner.Autotuner.__init__ = known_keys(autotuner.Autotuner.__init__)
triton.testing.do_bench = triton.testing.do_bench_cudagraph = lambda f, *a, **k: (f(), 1.0)[1]
with contextlib.suppress(Exception):
    from triton._C.libtriton import nvidia as native

    native.cublas.CublasLt = type("NoBlas", (), {"__init__": lambda self, *a: None, "__getattr__": lambda self, n: lambda *a, **k: None})


def ask(name, f):
    """Calls f, and its backward pass; says how many kernels came of it."""
    before, failed = len(record.hashes), ""
    record.per.clear()
    try:
        r = f()
        r = [x for x in (r if isinstance(r, (tuple, list)) else [r]) if isinstance(x, torch.Tensor) and x.requires_grad]
        if r:
            r[0].float().sum().backward()
    except Exception as e:
        failed = type(e).__name__ + " " + str(e)[:120].replace("\n", " ")
    print(name, len(record.hashes) - before, failed, flush=True)
