package words

import "github.com/goptxas/goptxas/internal/ori"

// Highest is the highest general register of f.
func Highest(f *ori.Func) (n int32) {
	for r := range f.Regs {
		if x := &f.Regs[r]; x.Class == ori.R && x.Phys >= 0 {
			n = max(n, int32(x.Phys)+int32(x.Width)-1)
		}
	}
	return n
}
