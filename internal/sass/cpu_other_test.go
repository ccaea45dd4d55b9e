//go:build !unix

package sass

import "time"

var started = time.Now()

// cpuTime stands for the processor time by the time since the start.
func cpuTime() time.Duration { return time.Since(started) }
