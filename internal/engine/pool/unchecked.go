//go:build !race && !scratch

package pool

// checked says that uses of a Scratch are not looked at.
const checked = false

func mustBePlain(any) {}
