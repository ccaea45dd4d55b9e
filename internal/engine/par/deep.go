package par

// deepStack is how much stack a compilation takes. Goroutines begin with two
// kilobytes, and every time they need more all frames are found, moved and
// corrected: a twentieth of the time of a small compile.
const deepStack = 40 << 10

// Deepen makes sure that the calling goroutine has stack for a compilation.
func Deepen() { _ = reach(false) }

// reach has a frame of that size. Its room is cleared only where it is used,
// which is nowhere.
//
//go:noinline
func reach(use bool) byte {
	if use {
		var room [deepStack]byte
		for n := range room {
			room[n] = byte(n)
		}
		return room[len(room)/2]
	}
	return 0
}
