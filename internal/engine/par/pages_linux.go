package par

import (
	"bytes"
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
	roomy     = 16 << 20 // the heap before its first collection
	largePage = 2 << 20
	smallPage = 4 << 10
	margin    = 64 << 10 // the first frames of a goroutine
	few       = 64 << 10 // so little is not worth leaving out
	advise    = 14       // MADV_HUGEPAGE
)

// asked is where the system tells whom it gives large pages to.
const asked = "/sys/kernel/mm/transparent_hugepage/enabled"

// LargePages makes the heap grow by about as much as it may without a
// collection, and asks for large pages there. It changes nothing where the
// system gives them to all or to none.
func LargePages() {
	if text, err := os.ReadFile(asked); err != nil || !bytes.Contains(text, []byte("[madvise]")) || os.Getpagesize() != smallPage {
		return
	}
	low := make(chan uintptr)
	go func() {
		_ = wide(nil)
		var here byte
		at := uintptr(unsafe.Pointer(&here))
		from, to := (at-roomy+margin+largePage-1)&^(largePage-1), at&^(largePage-1)
		_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, from, to-from, advise) // without it all is as before
		low <- from - (at - roomy)
	}()
	if n := <-low; n >= few+margin {
		runtime.Gosched() // the goroutine ends, and the heap has its stack
		leaveOut(int(n - margin))
	}
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
