//go:build unix

package atomicfile

import (
	"errors"
	"syscall"
)

// isAlive reports whether process pid may exist.
func isAlive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
