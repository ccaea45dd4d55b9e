//go:build js || wasip1

package par

import "os"

// Signals that end a run: a browser sends none but this, and none breaks a pipe.
var (
	ending  = []os.Signal{os.Interrupt}
	ignored []os.Signal
)
