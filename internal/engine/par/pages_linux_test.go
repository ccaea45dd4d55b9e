package par

import (
	"runtime"
	"testing"
)

// TestWide: the stack that the heap gets has the size that is asked for large
// pages.
func TestWide(t *testing.T) {
	grown := make(chan uint64)
	go func() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = wide(nil)
		runtime.ReadMemStats(&after)
		grown <- after.StackInuse - before.StackInuse
	}()
	if n := <-grown; n < roomy-margin || n > roomy+margin {
		t.Errorf("a stack of %d bytes, not %d", n, roomy)
	}
}

func TestLargePages(t *testing.T) {
	LargePages() // the tests go on with that heap
	if b := make([]byte, roomy/2); b[len(b)/2] != 0 {
		t.Error("memory that is not empty")
	}
}
