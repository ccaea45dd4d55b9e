//go:build !js && !wasip1

package par

import (
	"os"
	"syscall"
)

// Signals that end a run, and those taken so that they do not.
var (
	ending  = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	ignored = []os.Signal{syscall.SIGPIPE}
)
