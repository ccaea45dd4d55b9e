/* Compiles the PTX in the first file with the options behind it and writes
   the cubin to the second file; checks what every function answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "goptxas.h"

static int asked;
static int stop(void *payload, void *compiler) { asked++; return *(int *)payload; }

#define MUST(want, call) do { int r = (call); if (r != (want)) { fprintf(stderr, "%s: %d, want %d\n", #call, r, (want)); return 1; } } while (0)

int main(int argc, char **argv)
{
	static char text[1 << 24];
	FILE *f = fopen(argv[1], "rb");
	size_t n = fread(text, 1, sizeof text - 1, f), size = 0;
	unsigned major = 0, minor = 0;
	int no = 0, yes = 1;
	nvPTXCompilerHandle c = NULL;
	char *log, *cubin;
	fclose(f);

	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerGetVersion(&major, &minor));
	printf("version %u.%u\n", major, minor);
	MUST(NVPTXCOMPILE_ERROR_INVALID_INPUT, nvPTXCompilerCreate(&c, n, NULL));
	MUST(NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE, nvPTXCompilerCompile(NULL, 0, NULL));

	/* What is wrong says so. */
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerCreate(&c, 7, "garbage"));
	MUST(NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE, nvPTXCompilerGetCompiledProgramSize(c, &size));
	MUST(NVPTXCOMPILE_ERROR_COMPILATION_FAILURE, nvPTXCompilerCompile(c, argc - 3, (const char *const *)argv + 3));
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerGetErrorLogSize(c, &size));
	log = malloc(size + 1);
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerGetErrorLog(c, log));
	printf("errors: %s", log);
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerDestroy(&c));
	MUST(NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE, nvPTXCompilerDestroy(&c));

	/* The text of the file, unhindered. */
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerCreate(&c, n, text));
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerSetFlowCallback(c, stop, &no));
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerCompile(c, argc - 3, (const char *const *)argv + 3));
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerGetInfoLogSize(c, &size));
	log = malloc(size + 1);
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerGetInfoLog(c, log));
	printf("infos: %zu %d\n", size, strstr(log, "registers") != NULL);
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerGetCompiledProgramSize(c, &size));
	cubin = malloc(size);
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerGetCompiledProgram(c, cubin));
	f = fopen(argv[2], "wb");
	fwrite(cubin, 1, size, f);
	fclose(f);
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerDestroy(&c));

	/* And called off. */
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerCreate(&c, n, text));
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerSetFlowCallback(c, stop, &yes));
	MUST(NVPTXCOMPILE_ERROR_CANCELLED, nvPTXCompilerCompile(c, argc - 3, (const char *const *)argv + 3));
	printf("asked: %d\n", asked > 0);
	MUST(NVPTXCOMPILE_SUCCESS, nvPTXCompilerDestroy(&c));
	return 0;
}
