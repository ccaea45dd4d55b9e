// The same program as one file: whole-program compilation.
#define WHOLE
#include "math.cu"
#include "memory.cu"
#include "main.cu"
