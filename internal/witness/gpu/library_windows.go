package gpu

import "syscall"

// openLibrary loads the CUDA driver.
func openLibrary() (uintptr, error) {
	h, err := syscall.LoadLibrary("nvcuda.dll")
	return uintptr(h), err
}
