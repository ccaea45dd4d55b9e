package par

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

// In a process that lives for milliseconds a page that is touched for the first
// time takes as long as thousands of instructions, and a large one, which holds
// 512 small ones, as long as 150 of those. Where the system gives large pages to
// those who ask for them, a process has to ask for memory that the runtime
// already knows: heaps grow by a few megabytes at a time. A stack is memory that
// the runtime takes in one piece and that the heap has as soon as the goroutine
// is gone; nothing of it needs to be touched. The heap grows from its low end:
// what lies there before the first large page would be touched by small ones, up to
// 512 of them, and is left out.

const (
	roomy      = 16 << 20  // the heap before its first collection
	vast       = 64 << 20  // what one stack adds to it for larger inputs
	vastInput  = 96 << 10  // bytes of input from which the heap outgrows the first size
	inputEach  = 256 << 10 // bytes of input for each further stack
	mostStacks = 8
	largePage  = 2 << 20
	smallPage  = 4 << 10
	margin     = 64 << 10 // the first frames of a goroutine
	few        = 64 << 10 // so little is not worth leaving out
	advise     = 14       // MADV_HUGEPAGE
)

// asked is where the system tells whom it gives large pages to.
const asked = "/sys/kernel/mm/transparent_hugepage/enabled"

// LargePages makes the heap grow by about as much as it may without a collection, or
// by what a compile of so many bytes may come to hold, and asks for large pages there.
// It changes nothing where the system gives them to all or to none.
func LargePages(bytes int) {
	if text, err := os.ReadFile(asked); err != nil || !strings.Contains(string(text), "[madvise]") || os.Getpagesize() != smallPage {
		return
	}
	size, n := uintptr(roomy), 1
	if bytes >= vastInput {
		size, n = vast, min(1+bytes/inputEach, mostStacks)
	}
	asks, done := make(chan room), make(chan bool)
	for range n {
		go ask(size, asks, done)
	}
	low := <-asks
	for range n - 1 {
		if x := <-asks; x.from < low.from {
			low = x
		}
	}
	close(done)
	if before := low.large - low.from; before >= few+margin {
		runtime.Gosched() // the goroutines end, and the heap has their stacks
		leaveOut(int(before - margin))
	}
}

// room is memory that large pages were asked for in, and where the first of them is.
type room struct{ from, large uintptr }

// ask asks for large pages in the stack of its goroutine, tells where it is, and keeps it
// until all have theirs.
func ask(size uintptr, asks chan<- room, done <-chan bool) {
	if size == vast {
		_ = wider(nil)
	} else {
		_ = wide(nil)
	}
	var here byte
	at := uintptr(unsafe.Pointer(&here))
	from, to := (at-size+margin+largePage-1)&^(largePage-1), at&^(largePage-1)
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, from, to-from, advise) // without it all is as before
	asks <- room{at - size, from}
	<-done
}

// leaveOut takes so many bytes of the heap, which are not touched, until the first collection.
func leaveOut(n int) {
	var b strings.Builder
	b.Grow(n)
}

// wide has a frame for which a stack of that size is the least: a little more
// than half of it, in two copies of what it would pass on.
//
//go:noinline
func wide(room *[roomy/4 + margin]byte) byte {
	if room != nil {
		return some(*room)
	}
	return 0
}

//go:noinline
func some(room [roomy/4 + margin]byte) byte { return room[len(room)/2] }

// wider is wide for a stack of the larger size.
//
//go:noinline
func wider(room *[vast/4 + margin]byte) byte {
	if room != nil {
		return someMore(*room)
	}
	return 0
}

//go:noinline
func someMore(room [vast/4 + margin]byte) byte { return room[len(room)/2] }
