package emit

import (
	mathbits "math/bits"

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
		mask &^= e.unread(i, e.number(d))
	}
	if mask != all {
		e.code.Unused = append(e.code.Unused, uint32(e.pc()), mask)
	}
}

// mostLook is how many instructions behind a load are looked at: a register
// that is neither read nor written among them counts as read.
const mostLook = 4096

// unread returns the bytes of the words from register r on that nobody reads behind
// load i before they are written again. In the block of i all words are followed at
// once.
func (e *emitter) unread(i *ori.Instr, r int64) (bytes uint32) {
	look := mostLook
	open := uint32(1)<<wideWords - 1 // words of which nothing is known yet
	for x := i.Next(); x != nil; x = x.Next() {
		if look--; look < 0 || x.Op == op.CALL || x.Op == op.RET {
			return bytes
		}
		open &^= e.names(x.Args[x.NDst:], r)
		if x.Guard.Kind == ori.KNone {
			written := open & e.names(x.Args[:x.NDst], r)
			open &^= written
			for ; written != 0; written &= written - 1 {
				bytes |= 0xf << (4 * mathbits.TrailingZeros32(written))
			}
		}
		if open == 0 {
			return bytes
		}
	}
	for w := range wideWords {
		if open>>w&1 != 0 && e.isUnread(i.Block(), r+int64(w), look) {
			bytes |= 0xf << (4 * w)
		}
	}
	return bytes
}

// names returns which of the words from register r on operands name.
func (e *emitter) names(list []ori.Operand, r int64) (words uint32) {
	for k := range list {
		o := &list[k]
		if o.Class != ori.R || !o.HasReg() {
			continue
		}
		n := e.number(*o) - r
		for w := max(0, n); w < min(wideWords, n+int64(max(1, o.N))); w++ {
			words |= 1 << w
		}
	}
	return words
}

// isUnread reports whether nobody reads register r behind block b before it is
// written again, as far as so many instructions tell.
func (e *emitter) isUnread(b *ori.Block, r int64, look int) bool {
	seen := map[*ori.Block]bool{}
	work := append([]*ori.Block(nil), b.Succs...)
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
