//go:build darwin || freebsd || linux || netbsd

package gpu

import "github.com/ebitengine/purego"

// openLibrary loads the CUDA driver.
func openLibrary() (uintptr, error) {
	return purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
}
