package par

import (
	"testing"
	"unsafe"
)

// TestDeepen looks whether the stack of a goroutine is moved by calls that take
// three quarters of what Deepen makes sure of.
func TestDeepen(t *testing.T) {
	moves := func(before func()) bool {
		moved := make(chan bool)
		go func() {
			before()
			var here byte
			at := uintptr(unsafe.Pointer(&here))
			descend(3 * deepStack / 4 / (1 << 10))
			moved <- at != uintptr(unsafe.Pointer(&here))
		}()
		return <-moved
	}
	if moves(Deepen) {
		t.Error("the stack was moved")
	}
	if !moves(func() {}) {
		t.Error("goroutines begin with that much stack: nothing is gained")
	}
}

// descend calls itself with frames of about a kilobyte.
//
//go:noinline
func descend(n int) byte {
	var room [900]byte
	room[n] = byte(n)
	if n > 0 {
		room[0] = descend(n - 1)
	}
	return room[0] + room[n]
}
