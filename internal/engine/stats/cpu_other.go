//go:build !unix

package stats

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
