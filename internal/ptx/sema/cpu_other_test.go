//go:build !unix

package sema_test

import "time"

var started = time.Now()

// cpuSeconds stands for the processor time by the time since the start.
func cpuSeconds() float64 { return time.Since(started).Seconds() }
