package par

import (
	"math"
	"runtime"
	"syscall"
	"testing"
)

// TestWide: the stack that the heap gets has the size that is asked for large
// pages. Those who asked stay: one that ended would take its stack from the sum while the next is measured.
func TestWide(t *testing.T) {
	grown := make(chan uint64)
	for size, grow := range map[uint64]func(){roomy: func() { _ = wide(nil) }, vast: func() { _ = wider(nil) }} {
		go func() {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			grow()
			runtime.ReadMemStats(&after)
			grown <- after.StackInuse - before.StackInuse
			select {}
		}()
		if n := <-grown; n < size-margin || n > size+margin {
			t.Errorf("a stack of %d bytes, not %d", n, size)
		}
	}
}

func TestLargePages(t *testing.T) {
	for _, bytes := range [...]int{0, vastInput, mostStacks * inputEach} {
		LargePages(bytes) // the tests go on with that heap
		if b := make([]byte, roomy/2); b[len(b)/2] != 0 {
			t.Error("memory that is not empty")
		}
	}
}

// TestLeaveOut: what is left out is allocated, and not touched.
func TestLeaveOut(t *testing.T) {
	const size = 16 << 20
	count := func() (allocated uint64, faults int64) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return m.TotalAlloc, u.Minflt
	}
	touched := int64(math.MaxInt64)
	for range 5 { // of the whole process: the collector touches some at times
		allocated, faults := count()
		leaveOut(size)
		a, f := count()
		if a -= allocated; a < size || a > 2*size {
			t.Errorf("%d bytes left out, not %d", a, size)
		}
		touched = min(touched, f-faults)
	}
	if touched > size/smallPage/8 {
		t.Errorf("%d pages touched", touched)
	}
}
