//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"syscall"
)

// isAlive reports whether process pid may exist.
func isAlive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// mayWrite returns why the file may not be written.
func mayWrite(name string) error {
	fd, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return syscall.Close(fd)
}
