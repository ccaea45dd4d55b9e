/* The C interface of goptxas: the functions of NVIDIA's PTX compiler library,
   with the same names, types and numbers, so that a program written for that
   library runs with this one. Build it with
       go build -C clib -buildmode=c-shared -o libgoptxas.so .
   and link with -lgoptxas. A compiler may be used by one thread at a time,
   different ones by as many as wished. */
#ifndef GOPTXAS_H
#define GOPTXAS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One PTX text on its way to a cubin. */
typedef struct nvPTXCompiler *nvPTXCompilerHandle;

/* What a call came to. */
typedef enum {
	NVPTXCOMPILE_SUCCESS = 0,
	NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE = 1,
	NVPTXCOMPILE_ERROR_INVALID_INPUT = 2,
	NVPTXCOMPILE_ERROR_COMPILATION_FAILURE = 3,
	NVPTXCOMPILE_ERROR_INTERNAL = 4,
	NVPTXCOMPILE_ERROR_OUT_OF_MEMORY = 5,
	NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE = 6,
	NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION = 7,
	NVPTXCOMPILE_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 8,
	NVPTXCOMPILE_ERROR_CANCELLED = 9
} nvPTXCompileResult;

/* The version of the interface: that of the toolkit whose ptxas is followed. */
nvPTXCompileResult nvPTXCompilerGetVersion(unsigned int *major, unsigned int *minor);

/* Makes a compiler of a text, which is copied. */
nvPTXCompileResult nvPTXCompilerCreate(nvPTXCompilerHandle *compiler, size_t ptxCodeLen, const char *ptxCode);

/* Ends a compiler and sets the handle to NULL. */
nvPTXCompileResult nvPTXCompilerDestroy(nvPTXCompilerHandle *compiler);

/* Lets a function decide every few milliseconds of a compilation whether it
   goes on: 1 ends it. It is called by the thread that compiles. */
nvPTXCompileResult nvPTXCompilerSetFlowCallback(nvPTXCompilerHandle compiler, int (*callback)(void *, void *), void *payload);

/* Compiles with options of the command line. */
nvPTXCompileResult nvPTXCompilerCompile(nvPTXCompilerHandle compiler, int numCompileOptions, const char *const *compileOptions);

/* The cubin, once compiled. */
nvPTXCompileResult nvPTXCompilerGetCompiledProgramSize(nvPTXCompilerHandle compiler, size_t *binaryImageSize);
nvPTXCompileResult nvPTXCompilerGetCompiledProgram(nvPTXCompilerHandle compiler, void *binaryImage);

/* Errors, and the rest of what the command would print. Sizes count no zero
   at the end, texts get one. */
nvPTXCompileResult nvPTXCompilerGetErrorLogSize(nvPTXCompilerHandle compiler, size_t *errorLogSize);
nvPTXCompileResult nvPTXCompilerGetErrorLog(nvPTXCompilerHandle compiler, char *errorLog);
nvPTXCompileResult nvPTXCompilerGetInfoLogSize(nvPTXCompilerHandle compiler, size_t *infoLogSize);
nvPTXCompileResult nvPTXCompilerGetInfoLog(nvPTXCompilerHandle compiler, char *infoLog);

#ifdef __cplusplus
}
#endif
#endif
