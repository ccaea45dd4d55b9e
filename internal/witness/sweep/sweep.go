// Package sweep says how much of a long test runs: a sample, unless
// GOPTXAS_SWEEP asks for all of it (make sweep).
package sweep

import (
	"os"
	"runtime/debug"
	"testing"
)

// On reports whether long tests run whole.
func On() bool { return os.Getenv("GOPTXAS_SWEEP") != "" || os.Getenv("GOPTXAS_FULL") != "" }

// Takes reports whether a test takes member n of its list: all in a sweep,
// one in every so many otherwise.
func Takes(n, every int) bool { return On() || n%every == 0 }

// Of is whole in a sweep, and part otherwise.
func Of[T any](whole, part T) T {
	if On() {
		return whole
	}
	return part
}

// percent is how much the heap of a test may grow between collections: tests
// compile many small programs, whose garbage is nearly all of it.
const percent = 400

// Main runs tests that compile a lot.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	os.Exit(m.Run())
}
