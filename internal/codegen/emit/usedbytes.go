package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// wideWords is how many words a load has at least to have some that nobody
// reads: what is left of smaller ones was made narrower.
const wideWords = 4

// usedBytes notes a load that reads more than anybody uses. Its other bytes
// may lie outside of what is allocated: a checker must not complain of them.
func (e *emitter) usedBytes(i *ori.Instr) {
	if !i.Op.Has(op.Plain) || i.Op.Has(op.Writes) || i.NDst != 1 || i.Args[0].Kind != ori.KReg {
		return
	}
	d := i.Args[0]
	all := uint32(1)<<(4*d.N) - 1
	mask := all
	if u, ok := e.f.Used[i.Line]; ok && u.Size == 4*d.N {
		mask &= u.Mask
	}
	if d.N == wideWords {
		for k := range d.N {
			if e.isUnread(i, e.number(d)+int64(k)) {
				mask &^= 0xf << (4 * k)
			}
		}
	}
	if mask != all {
		e.code.Unused = append(e.code.Unused, uint32(e.pc()), mask)
	}
}

// mostLook is how many instructions behind a load are looked at: a register
// that is neither read nor written among them counts as read.
const mostLook = 4096

// isUnread reports whether nobody reads register r behind i before it is
// written again.
func (e *emitter) isUnread(i *ori.Instr, r int64) bool {
	look := mostLook
	if read, written := e.fate(i.Next(), r, &look); read || written {
		return !read
	}
	seen := map[*ori.Block]bool{}
	work := append([]*ori.Block(nil), i.Block().Succs...)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		read, written := e.fate(b.First(), r, &look)
		if read {
			return false
		}
		if !written {
			work = append(work, b.Succs...)
		}
	}
	return true
}

// fate tells what becomes of a register from i on to the end of its block.
// What a called function does with it is not known: it counts as a reader.
func (e *emitter) fate(i *ori.Instr, r int64, look *int) (read, written bool) {
	for ; i != nil; i = i.Next() {
		if *look--; *look < 0 || i.Op == op.CALL || i.Op == op.RET {
			return true, false
		}
		for k := int(i.NDst); k < len(i.Args); k++ {
			if e.covers(&i.Args[k], r) {
				return true, false
			}
		}
		for k := range i.NDst {
			if i.Guard.Kind == ori.KNone && e.covers(&i.Args[k], r) {
				return false, true
			}
		}
	}
	return false, false
}

// covers reports whether an operand names general register r.
func (e *emitter) covers(o *ori.Operand, r int64) bool {
	if o.Class != ori.R || !o.HasReg() {
		return false
	}
	n := e.number(*o)
	return n <= r && r < n+int64(max(1, o.N))
}
