// A CUDA runtime that runs nothing and writes launches down: link the host code
// of a program with it instead of libcudart. docs/testing.md tells how.
//
//   RECORD_OUT    file that the launches go to
//   RECORD_SIZES  file with a line for each kernel: name, parameters, their sizes
//   RECORD_CC     compute capability, 100 for 10.0
//   RECORD_SMS    multiprocessors of the GPU that programs are told of (4)
//   RECORD_MAX    launches after which the program ends (40)
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <sys/mman.h>

using namespace std;

static int setting(const char* name, int otherwise) {
  const char* s = getenv(name);
  return s ? atoi(s) : otherwise;
}

// Kernels are registered before main, so the table is made when it is asked for.
static map<const void*, string>& kernels() {
  static auto* m = new map<const void*, string>;
  return *m;
}

struct Buffer {
  char* p;
  size_t n;
  bool set;  // somebody filled it, if only with zeros
};

static vector<Buffer> buffers;
static map<string, vector<int>> sizes;  // of the parameters of each kernel
static map<uint64_t, string> maps;      // arguments of tensor maps, by number
static FILE* out;
static int launches;

static void start() {
  if (out) return;
  out = fopen(getenv("RECORD_OUT"), "w");
  FILE* f = fopen(getenv("RECORD_SIZES"), "r");
  if (!out || !f) abort();
  static char name[65536];
  int n;
  while (fscanf(f, "%65535s %d", name, &n) == 2) {
    vector<int> v(n);
    for (int& x : v)
      if (fscanf(f, "%d", &x) != 1) abort();
    sizes[name] = v;
  }
  fclose(f);
}

static void hex(const void* p, size_t n) {
  for (size_t i = 0; i < n; i++) fprintf(out, "%02x", static_cast<const unsigned char*>(p)[i]);
}

static void filled(const void* p) {
  for (Buffer& b : buffers)
    if (static_cast<const char*>(p) >= b.p && static_cast<const char*>(p) < b.p + b.n) b.set = true;
}

static void record(const void* f, dim3 grid, dim3 block, void** args, size_t shared, dim3 cluster) {
  start();
  const string& name = kernels()[f];
  fprintf(out, "launch %s %d %d %d %d %d %d %d %d %d %zu\n", name.c_str(), grid.x, grid.y, grid.z, block.x, block.y, block.z, cluster.x, cluster.y,
          cluster.z, shared);
  auto it = sizes.find(name);
  if (it == sizes.end()) {
    fprintf(out, "unknown\n");
    return;
  }
  for (int s : it->second) {
    fprintf(out, "arg %d ", s);
    hex(*args++, s);
    fprintf(out, "\n");
  }
  for (Buffer& b : buffers) {
    bool any = false;
    for (size_t i = 0; i < b.n && !any; i++) any = b.p[i] != 0;
    fprintf(out, "buf %llx %zu %d ", (unsigned long long)b.p, b.n, b.set || any);
    if (any)
      hex(b.p, b.n);
    else
      fprintf(out, "-");
    fprintf(out, "\n");
  }
  for (auto& m : maps) fprintf(out, "map %llx %s\n", (unsigned long long)m.first, m.second.c_str());
  fprintf(out, "end\n");
  fflush(out);
  if (++launches >= setting("RECORD_MAX", 40)) exit(0);
}

// A tensor map is a mark with a number; what it was asked to be is written down.
static CUresult mark(CUtensorMap* m, const string& text) {
  memset(m, 0, sizeof *m);
  auto* w = reinterpret_cast<uint64_t*>(m);
  w[0] = 0xfa4e7e4500000000ull | maps.size();
  w[1] = 0x1122334455667788ull;
  maps[maps.size()] = text;
  return CUDA_SUCCESS;
}

template <typename T>
static string list(const T* v, unsigned n) {
  string s;
  for (unsigned k = 0; k < n; k++) s += " " + to_string(v[k]);
  return s;
}

static string head(const char* kind, CUtensorMapDataType t, cuuint32_t rank, void* p, const cuuint64_t* dims, const cuuint64_t* strides) {
  return string(kind) + " " + to_string(t) + " " + to_string(rank) + " " + to_string((uint64_t)p) + list(dims, rank) + list(strides, rank - 1);
}

static string tail(const cuuint32_t* steps, cuuint32_t rank, CUtensorMapInterleave i, CUtensorMapSwizzle z, CUtensorMapL2promotion l, CUtensorMapFloatOOBfill o) {
  const int last[] = {i, z, l, o};
  return list(steps, rank) + list(last, 4);
}

static CUresult tiled(CUtensorMap* m, CUtensorMapDataType t, cuuint32_t rank, void* p, const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                      const cuuint32_t* steps, CUtensorMapInterleave i, CUtensorMapSwizzle z, CUtensorMapL2promotion l, CUtensorMapFloatOOBfill o) {
  return mark(m, head("tiled", t, rank, p, dims, strides) + list(box, rank) + tail(steps, rank, i, z, l, o));
}

static CUresult im2col(CUtensorMap* m, CUtensorMapDataType t, cuuint32_t rank, void* p, const cuuint64_t* dims, const cuuint64_t* strides, const int* low,
                       const int* high, cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps, CUtensorMapInterleave i, CUtensorMapSwizzle z,
                       CUtensorMapL2promotion l, CUtensorMapFloatOOBfill o) {
  const cuuint32_t counts[] = {channels, pixels};
  return mark(m, head("im2col", t, rank, p, dims, strides) + list(low, rank - 2) + list(high, rank - 2) + list(counts, 2) + tail(steps, rank, i, z, l, o));
}

static CUresult ok() { return CUDA_SUCCESS; }

// Functions that only say that all went well, with arguments that nobody reads.
#define DOES_NOTHING(name, ...) \
  cudaError_t name(__VA_ARGS__) { return cudaSuccess; }

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* x;
  return &x;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) { kernels()[host] = name; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
char __cudaInitModule(void**) { return 0; }
cudaError_t __cudaGetKernel(cudaKernel_t* k, const void* f) {
  *k = (cudaKernel_t)f;
  return cudaSuccess;
}

// Launches.

static struct {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
} pushed;

unsigned __cudaPushCallConfiguration(dim3 g, dim3 b, size_t s, struct CUstream_st* t) {
  pushed = {g, b, s, (cudaStream_t)t};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* g, dim3* b, size_t* s, void* t) {
  *g = pushed.grid, *b = pushed.block, *s = pushed.shared, *(cudaStream_t*)t = pushed.stream;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 g, dim3 b, void** a, size_t s, cudaStream_t) {
  record((void*)f, g, b, a, s, dim3(0, 0, 0));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a, size_t s, cudaStream_t) {
  record(f, g, b, a, s, dim3(0, 0, 0));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* f, void** a) {
  dim3 cluster(0, 0, 0);
  for (unsigned k = 0; k < c->numAttrs; k++)
    if (c->attrs[k].id == cudaLaunchAttributeClusterDimension) {
      auto& d = c->attrs[k].val.clusterDim;
      cluster = dim3(d.x, d.y, d.z);
    }
  record(f, c->gridDim, c->blockDim, a, c->dynamicSmemBytes, cluster);
  return cudaSuccess;
}

// Memory: pages of the host.

cudaError_t cudaMalloc(void** p, size_t n) {
  const size_t page = 1 << 21;
  n = n ? n : 1;
  *p = mmap(nullptr, (n + page - 1) / page * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  buffers.push_back({(char*)*p, n, false});
  return cudaSuccess;
}
cudaError_t cudaFree(void* p) {
  for (size_t k = 0; k < buffers.size(); k++)
    if (buffers[k].p == p) {
      buffers.erase(buffers.begin() + k);
      break;
    }
  return cudaSuccess;
}
cudaError_t cudaMallocAsync(void** p, size_t n, cudaStream_t) { return cudaMalloc(p, n); }
cudaError_t cudaMallocManaged(void** p, size_t n, unsigned) { return cudaMalloc(p, n); }
cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return cudaFree(p); }
cudaError_t cudaMallocHost(void** p, size_t n) {
  *p = calloc(n, 1);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* p) {
  free(p);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind) {
  memcpy(to, from, n);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind k, cudaStream_t) { return cudaMemcpy(to, from, n, k); }
cudaError_t cudaMemset(void* p, int v, size_t n) {
  memset(p, v, n);
  filled(p);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* p, int v, size_t n, cudaStream_t) { return cudaMemset(p, v, n); }

CUresult cuMemsetD32Async(CUdeviceptr d, unsigned v, size_t n, CUstream) {
  auto* p = (unsigned*)d;
  for (size_t k = 0; k < n; k++) p[k] = v;
  filled(p);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD16Async(CUdeviceptr d, unsigned short v, size_t n, CUstream) {
  auto* p = (unsigned short*)d;
  for (size_t k = 0; k < n; k++) p[k] = v;
  filled(p);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr d, unsigned char v, size_t n, CUstream) {
  cudaMemset((void*)d, v, n);
  return CUDA_SUCCESS;
}

// What programs ask about the GPU.

cudaError_t cudaDeviceGetAttribute(int* v, cudaDeviceAttr a, int) {
  switch (a) {
    case cudaDevAttrMultiProcessorCount: *v = setting("RECORD_SMS", 4); break;
    case cudaDevAttrComputeCapabilityMajor: *v = setting("RECORD_CC", 100) / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *v = setting("RECORD_CC", 100) % 10; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = 232448; break;
    default: *v = 1;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
  memset(p, 0, sizeof *p);
  strcpy(p->name, "recorder");
  p->major = setting("RECORD_CC", 100) / 10;
  p->minor = setting("RECORD_CC", 100) % 10;
  p->multiProcessorCount = setting("RECORD_SMS", 4);
  p->sharedMemPerBlockOptin = 232448;
  p->sharedMemPerMultiprocessor = 233472;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxThreadsPerBlock = 1024;
  p->warpSize = 32;
  p->totalGlobalMem = 1ll << 36;
  p->l2CacheSize = 1 << 26;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, const void*) {
  memset(a, 0, sizeof *a);
  a->numRegs = 128;
  a->maxThreadsPerBlock = 1024;
  return cudaSuccess;
}
static cudaError_t number(int* v, int n) {
  *v = n;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* v) { return number(v, 13000); }
cudaError_t cudaRuntimeGetVersion(int* v) { return number(v, 13000); }
cudaError_t cudaGetDevice(int* d) { return number(d, 0); }
cudaError_t cudaGetDeviceCount(int* n) { return number(n, 1); }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* n, const void*, int, size_t) { return number(n, 1); }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void*, int, size_t, unsigned) { return number(n, 1); }
cudaError_t cudaOccupancyMaxActiveClusters(int* n, const void*, const cudaLaunchConfig_t*) { return number(n, 2); }

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** f, unsigned, unsigned long long, cudaDriverEntryPointQueryResult* q) {
  if (q) *q = cudaDriverEntryPointSuccess;
  *f = !strcmp(name, "cuTensorMapEncodeTiled") ? (void*)tiled : !strcmp(name, "cuTensorMapEncodeIm2col") ? (void*)im2col : (void*)ok;
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** f, unsigned long long flags, cudaDriverEntryPointQueryResult* q) {
  return cudaGetDriverEntryPointByVersion(name, f, 0, flags, q);
}

// Streams, events and errors.

cudaError_t cudaEventCreate(cudaEvent_t* e) {
  *e = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) { return cudaEventCreate(e); }
cudaError_t cudaEventElapsedTime(float* t, cudaEvent_t, cudaEvent_t) {
  *t = 1;
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* s) {
  *s = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) { return cudaStreamCreate(s); }
DOES_NOTHING(cudaEventDestroy, cudaEvent_t)
DOES_NOTHING(cudaEventRecord, cudaEvent_t, cudaStream_t)
DOES_NOTHING(cudaEventSynchronize, cudaEvent_t)
DOES_NOTHING(cudaStreamSynchronize, cudaStream_t)
DOES_NOTHING(cudaStreamDestroy, cudaStream_t)
DOES_NOTHING(cudaStreamWaitEvent, cudaStream_t, cudaEvent_t, unsigned)
DOES_NOTHING(cudaDeviceSynchronize)
DOES_NOTHING(cudaSetDevice, int)
DOES_NOTHING(cudaFuncSetAttribute, const void*, cudaFuncAttribute, int)
DOES_NOTHING(cudaGetLastError)
DOES_NOTHING(cudaPeekAtLastError)
// Graphs launch nothing a second time; parts of the GPU are all of it.

DOES_NOTHING(cudaStreamBeginCapture, cudaStream_t, cudaStreamCaptureMode)
DOES_NOTHING(cudaStreamEndCapture, cudaStream_t, cudaGraph_t*)
DOES_NOTHING(cudaGraphInstantiate, cudaGraphExec_t*, cudaGraph_t, unsigned long long)
DOES_NOTHING(cudaGraphLaunch, cudaGraphExec_t, cudaStream_t)
DOES_NOTHING(cudaGraphDestroy, cudaGraph_t)
DOES_NOTHING(cudaGraphExecDestroy, cudaGraphExec_t)
#define DRIVER_DOES_NOTHING(name, ...) \
  CUresult name(__VA_ARGS__) { return CUDA_SUCCESS; }
DRIVER_DOES_NOTHING(cuInit, unsigned)
DRIVER_DOES_NOTHING(cuDeviceGet, CUdevice*, int)
DRIVER_DOES_NOTHING(cuCtxSetCurrent, CUcontext)
DRIVER_DOES_NOTHING(cuDevicePrimaryCtxRetain, CUcontext*, CUdevice)
DRIVER_DOES_NOTHING(cuDevicePrimaryCtxRelease, CUdevice)
DRIVER_DOES_NOTHING(cuStreamDestroy, CUstream)
DRIVER_DOES_NOTHING(cuDevResourceGenerateDesc, CUdevResourceDesc*, CUdevResource*, unsigned)
DRIVER_DOES_NOTHING(cuGreenCtxCreate, CUgreenCtx*, CUdevResourceDesc, CUdevice, unsigned)
DRIVER_DOES_NOTHING(cuGreenCtxDestroy, CUgreenCtx)
DRIVER_DOES_NOTHING(cuGreenCtxStreamCreate, CUstream*, CUgreenCtx, unsigned, int)
CUresult cuDeviceGetDevResource(CUdevice, CUdevResource* r, CUdevResourceType) {
  r->sm.smCount = 16;
  return CUDA_SUCCESS;
}
CUresult cuDevSmResourceSplitByCount(CUdevResource* part, unsigned* n, const CUdevResource*, CUdevResource* rest, unsigned, unsigned least) {
  if (part) part->sm.smCount = least;
  if (rest) rest->sm.smCount = 16 - least;
  if (n) *n = 1;
  return CUDA_SUCCESS;
}

const char* cudaGetErrorString(cudaError_t) { return "error"; }
const char* cudaGetErrorName(cudaError_t) { return "error"; }
CUresult cuGetErrorString(CUresult, const char** s) {
  *s = "error";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult, const char** s) {
  *s = "error";
  return CUDA_SUCCESS;
}
}
