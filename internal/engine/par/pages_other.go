//go:build !linux

package par

// LargePages asks for large pages where that pays.
func LargePages(int) {}
