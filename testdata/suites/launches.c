/* Preloaded into a program that is linked with the shared CUDA runtime: each
 * launch of a kernel runs the code of the next of several cubins, and is timed.
 *
 *   CODES=a.cubin:b.cubin TIMES=file [START=n] LD_PRELOAD=./launches.so program
 *
 * Codes take turns, a b, b a, a b and so on, for each kernel and shape by
 * themselves; START is the first turn. A line of TIMES is the kernel's name, its
 * grid and block, the number of the code and microseconds. Kernels that not all
 * cubins have are launched as they are, and so is what a graph captures.
 * Variables of the device would be others in each code: programs with such are
 * none for this.
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODES = 64, KERNELS = 4096, SHAPES = 4096 };
static struct kernel {
	const void *host;
	cudaKernel_t handle;
	const char *name;
	CUfunction codes[CODES];
	int asked, whole;
	struct { int attribute, value; } set[8];
	int sets;
} kernels[KERNELS];
static int kernelCount, codeCount, loaded;
static CUmodule modules[CODES];
static struct { const void *kernel; unsigned shape[6]; unsigned times; } shapes[SHAPES];
static int shapeCount;
static FILE *times;

#define DRIVER(ret, name, ...) static ret (*name##_)(__VA_ARGS__)
DRIVER(CUresult, cuModuleLoad, CUmodule *, const char *);
DRIVER(CUresult, cuModuleGetFunction, CUfunction *, CUmodule, const char *);
DRIVER(CUresult, cuFuncSetAttribute, CUfunction, CUfunction_attribute, int);
DRIVER(CUresult, cuLaunchKernelEx, const CUlaunchConfig *, CUfunction, void **, void **);
DRIVER(CUresult, cuEventCreate, CUevent *, unsigned);
DRIVER(CUresult, cuEventRecord, CUevent, CUstream);
DRIVER(CUresult, cuEventSynchronize, CUevent);
DRIVER(CUresult, cuEventElapsedTime, float *, CUevent, CUevent);
DRIVER(CUresult, cuStreamIsCapturing, CUstream, CUstreamCaptureStatus *);
static CUevent before, after;

static void *real(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);
	if (!f) {
		fprintf(stderr, "launches: no %s\n", name);
		exit(99);
	}
	return f;
}

static void load(void)
{
	if (loaded)
		return;
	loaded = 1;
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	if (!lib || !getenv("CODES") || !getenv("TIMES"))
		return;
#define GET(name, symbol) name##_ = dlsym(lib, symbol)
	GET(cuModuleLoad, "cuModuleLoad");
	GET(cuModuleGetFunction, "cuModuleGetFunction");
	GET(cuFuncSetAttribute, "cuFuncSetAttribute");
	GET(cuLaunchKernelEx, "cuLaunchKernelEx");
	GET(cuEventCreate, "cuEventCreate");
	GET(cuEventRecord, "cuEventRecord");
	GET(cuEventSynchronize, "cuEventSynchronize");
	GET(cuEventElapsedTime, "cuEventElapsedTime_v2");
	if (!cuEventElapsedTime_)
		GET(cuEventElapsedTime, "cuEventElapsedTime");
	GET(cuStreamIsCapturing, "cuStreamIsCapturing");
	char *list = strdup(getenv("CODES"));
	for (char *f = strtok(list, ":"); f && codeCount < CODES; f = strtok(NULL, ":"))
		if (cuModuleLoad_(&modules[codeCount++], f)) {
			fprintf(stderr, "launches: %s cannot be loaded\n", f);
			exit(99);
		}
	cuEventCreate_(&before, 0);
	cuEventCreate_(&after, 0);
	times = fopen(getenv("TIMES"), "a");
}

static struct kernel *find(const void *host, cudaKernel_t handle)
{
	for (int i = 0; i < kernelCount; i++)
		if (host ? kernels[i].host == host : kernels[i].handle && kernels[i].handle == handle)
			return &kernels[i];
	return NULL;
}

void __cudaRegisterFunction(void **fat, const char *host, char *device, const char *name, int limit, uint3 *a, uint3 *b, dim3 *c, dim3 *d, int *e)
{
	static void (*f)(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *, int *);
	if (!f)
		f = real("__cudaRegisterFunction");
	if (kernelCount < KERNELS) {
		kernels[kernelCount].host = host;
		kernels[kernelCount++].name = strdup(name);
	}
	f(fat, host, device, name, limit, a, b, c, d, e);
}

cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host)
{
	static cudaError_t (*f)(cudaKernel_t *, const void *);
	if (!f)
		f = real("__cudaGetKernel");
	cudaError_t e = f(handle, host);
	struct kernel *k = find(host, NULL);
	if (k && !e)
		k->handle = *handle;
	return e;
}

cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute, int value)
{
	static cudaError_t (*f)(const void *, enum cudaFuncAttribute, int);
	if (!f)
		f = real("cudaFuncSetAttribute");
	struct kernel *k = find(host, NULL);
	if (k && k->sets < 8) {
		k->set[k->sets].attribute = attribute;
		k->set[k->sets++].value = value;
		k->asked = 0;
	}
	return f(host, attribute, value);
}

/* Whether it launched a code of its own. */
static int launch(struct kernel *k, CUlaunchConfig *c, void **args, cudaError_t *e)
{
	load();
	if (!k || !codeCount)
		return 0;
	CUstreamCaptureStatus s = 0;
	if (cuStreamIsCapturing_(c->hStream, &s) || s)
		return 0;
	if (!k->asked) {
		k->asked = k->whole = 1;
		for (int i = 0; i < codeCount; i++) {
			if (cuModuleGetFunction_(&k->codes[i], modules[i], k->name))
				k->whole = 0;
			for (int j = 0; k->whole && j < k->sets; j++)
				cuFuncSetAttribute_(k->codes[i], k->set[j].attribute, k->set[j].value);
		}
	}
	if (!k->whole)
		return 0;
	unsigned shape[] = {c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ};
	int i = 0;
	while (i < shapeCount && !(shapes[i].kernel == k && !memcmp(shapes[i].shape, shape, sizeof shape)))
		i++;
	if (i == SHAPES)
		return 0;
	if (i == shapeCount) {
		shapes[shapeCount].kernel = k;
		memcpy(shapes[shapeCount].shape, shape, sizeof shape);
		shapes[shapeCount++].times = getenv("START") ? atoi(getenv("START")) : 0;
	}
	unsigned n = shapes[i].times++, code = (n % codeCount + n / codeCount) % codeCount;
	float ms = 0;
	cuEventRecord_(before, c->hStream);
	*e = (cudaError_t)cuLaunchKernelEx_(c, k->codes[code], args, NULL);
	cuEventRecord_(after, c->hStream);
	if (!*e)
		*e = (cudaError_t)cuEventSynchronize_(after);
	if (!*e && !cuEventElapsedTime_(&ms, before, after))
		fprintf(times, "%s %u,%u,%u %u,%u,%u %u %.3f\n", k->name, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], code, ms * 1e3);
	fflush(times);
	return 1;
}

static int plain(struct kernel *k, dim3 g, dim3 b, void **args, size_t shared, cudaStream_t stream, cudaError_t *e)
{
	CUlaunchConfig c = {.gridDimX = g.x, .gridDimY = g.y, .gridDimZ = g.z, .blockDimX = b.x, .blockDimY = b.y, .blockDimZ = b.z, .sharedMemBytes = shared, .hStream = stream};
	return launch(k, &c, args, e);
}

cudaError_t cudaLaunchKernel(const void *host, dim3 g, dim3 b, void **args, size_t shared, cudaStream_t stream)
{
	static cudaError_t (*f)(const void *, dim3, dim3, void **, size_t, cudaStream_t);
	cudaError_t e;
	if (!f)
		f = real("cudaLaunchKernel");
	return plain(find(host, NULL), g, b, args, shared, stream, &e) ? e : f(host, g, b, args, shared, stream);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 g, dim3 b, void **args, size_t shared, cudaStream_t stream)
{
	static cudaError_t (*f)(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
	cudaError_t e;
	if (!f)
		f = real("__cudaLaunchKernel");
	return plain(find(NULL, kernel), g, b, args, shared, stream, &e) ? e : f(kernel, g, b, args, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host, void **args)
{
	static cudaError_t (*f)(const cudaLaunchConfig_t *, const void *, void **);
	cudaError_t e;
	if (!f)
		f = real("cudaLaunchKernelExC");
	CUlaunchConfig c = {.gridDimX = config->gridDim.x, .gridDimY = config->gridDim.y, .gridDimZ = config->gridDim.z, .blockDimX = config->blockDim.x, .blockDimY = config->blockDim.y, .blockDimZ = config->blockDim.z,
		.sharedMemBytes = config->dynamicSmemBytes, .hStream = config->stream, .attrs = (CUlaunchAttribute *)config->attrs, .numAttrs = config->numAttrs};
	return launch(find(host, NULL), &c, args, &e) ? e : f(config, host, args);
}
