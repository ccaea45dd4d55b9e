package ra

import (
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
)

// Written lists the registers that an allocated function writes: what a call
// of it destroys if it saves nothing.
func Written(f *ori.Func) []regalloc.Clobber {
	var used [ori.NumClasses][256]bool
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for _, d := range i.Dsts() {
				if d.Kind != ori.KReg {
					continue
				}
				for n := range int(d.N) {
					used[d.Class][int(f.Regs[d.Reg].Phys)+int(d.Sub)+n] = true
				}
			}
		}
	}
	var list []regalloc.Clobber
	for c := range used {
		for lo := 0; lo < len(used[c]); lo++ {
			if !used[c][lo] {
				continue
			}
			hi := lo + 1
			for hi < len(used[c]) && used[c][hi] {
				hi++
			}
			list = append(list, regalloc.Clobber{Class: fileOf[c], Lo: int16(lo), Hi: int16(hi)})
			lo = hi
		}
	}
	return list
}

// Reach is how many registers of file R, from the first on, hold all that a
// call destroys there.
func Reach(list []regalloc.Clobber) (n int) {
	for _, c := range list {
		if c.Class == fileR {
			n = max(n, int(c.Hi))
		}
	}
	return n
}
