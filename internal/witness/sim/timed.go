package sim

import "fmt"

// Early is a result that was read, or overwritten, before it arrived.
type Early struct {
	Kernel   string
	Writer   string // instruction and its place
	Reader   string
	WriterPC uint64
	ReaderPC uint64
	Register string
	Late     int // cycles too early
	Times    int // how often it was seen
}

// String tells both instructions.
func (e Early) String() string {
	return fmt.Sprintf("%s: %s of %04x %s is used %d cycles too early by %04x %s (%d times)",
		e.Kernel, e.Register, e.WriterPC, e.Writer, e.Late, e.ReaderPC, e.Reader, e.Times)
}
