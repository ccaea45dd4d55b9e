package sass

import (
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

// AppendText appends the text of i as nvdisasm prints it for the word at
// address pc, from the guard to the semicolon. An unknown word prints as
// ".inst" and its 32 hexadecimal digits.
func (i *Inst) AppendText(dst []byte, a *target.Arch, pc uint64) []byte {
	f := &forms[i.form]
	if i.form == 0 {
		dst = append(dst, dataMark...)
		dst = appendHexN(dst, i.w.Hi, 16)
		dst = appendHexN(dst, i.w.Lo, 16)
		return append(dst, " ;"...)
	}
	if v := i.w.Field(guardBit, 4); v != 7 {
		dst = append(dst, '@')
		if v&8 != 0 {
			dst = append(dst, '!')
		}
		if f.uguard {
			dst = append(dst, 'U')
		}
		dst = append(dst, 'P', predDigit[v&7], ' ')
	}
	dst = append(dst, opNames[f.op]...)
	p := printer{dst: dst, i: i, pc: pc}
	p.list(items[f.item : f.item+uint32(f.nitem)])
	if spaced(a, f, &i.w) {
		p.dst = append(p.dst, ' ')
	}
	return append(p.dst, ';')
}

// Text returns the text of i at address pc.
func (i *Inst) Text(a *target.Arch, pc uint64) string { return string(i.AppendText(nil, a, pc)) }

const dataMark = ".inst 0x"

var predDigit = [8]byte{'0', '1', '2', '3', '4', '5', '6', 'T'}

// spaced reports whether nvdisasm puts a space before the semicolon: it
// does unless every control field that counts is idle. Stall, bit 109 and
// the wait mask always count, bits 102 and 103 from sm_86 on (golden data),
// the barriers where the instruction can set them.
func spaced(a *target.Arch, f *form, w *bits.Word) bool {
	const mask = 0x1f<<(105-64) | 0x3f<<(116-64)
	if w.Hi&mask != 0 || a.Has(target.ControlSpace) && w.Hi&(3<<(102-64)) != 0 {
		return true
	}
	bars := opRows[f.op].bars
	return w.Hi&bars != bars
}

// The barrier fields in the upper half of a word; all ones is none.
const (
	wrBarMask = 7 << (110 - 64)
	rdBarMask = 7 << (113 - 64)
)

type printer struct {
	dst []byte
	i   *Inst
	pc  uint64
}

func (p *printer) list(l []item) {
	for n := 0; n < len(l); n++ {
		it := &l[n]
		switch it.kind {
		case kLit:
			p.dst = append(p.dst, texts[it.aux]...)
		case kOpt:
			if it.absent(&p.i.w) {
				n += int(it.count)
			}
		case kSum:
			p.sum(l[n+1:n+1+int(it.count)], it.flags&fAddr != 0)
			n += int(it.count)
		default:
			p.field(it)
		}
	}
}

// sum prints the terms of an address: absent optional terms are left out,
// and the first term stands for an empty sum. An immediate that stands alone
// in an address is the address, which has no sign.
func (p *printer) sum(l []item, addr bool) {
	printed := false
	for n := 0; n < len(l); n += 1 + int(l[n].count) {
		t := &l[n]
		if t.flags&fOpt != 0 && t.absent(&p.i.w) {
			continue
		}
		if printed {
			p.dst = append(p.dst, '+')
		} else if in := &l[n+1]; addr && in.kind == kSImm {
			p.dst = appendHex(p.dst, in.get(&p.i.w)<<in.shift)
			return // the immediate is the last term
		}
		printed = true
		p.list(l[n+1 : n+1+int(t.count)])
	}
	if !printed {
		p.list(l[1 : 1+int(l[0].count)])
	}
}

func (p *printer) field(it *item) {
	w := &p.i.w
	v := it.get(w)
	switch it.kind {
	case kMod:
		if x, ok := it.value(w); ok {
			p.dst = append(p.dst, texts[x.text]...)
		}
	case kReg, kUReg, kPred, kUPred, kBar, kSB:
		p.register(it, v)
	case kUImm:
		p.dst = appendHex(p.dst, v<<it.shift)
	case kSImm:
		p.dst = appendSigned(p.dst, signed(v, it.width())<<it.shift)
	case kRel:
		p.dst = appendSigned(p.dst, signed(v, it.width())<<it.shift+int64(p.pc)+WordBytes)
	case kConst:
		p.constant(it, v)
	case kHidden:
	case kOpen:
		p.open(it)
	case kClose:
		if w.Bit(uint(it.abs)) {
			p.dst = append(p.dst, '|')
		}
	default:
		p.dst = appendFloat(p.dst, it.kind, v)
	}
}

// WordBytes is the size of an instruction: relative addresses count from
// the next one.
const WordBytes = 16

var filePrefix = [...]string{kReg: "R", kUReg: "UR", kPred: "P", kUPred: "UP", kBar: "B", kSB: "SB"}

func (p *printer) register(it *item, v uint64) {
	w := &p.i.w
	if it.neg != 0 && w.Bit(uint(it.neg)) {
		p.dst = append(p.dst, signChar(it))
	}
	abs := it.abs != 0 && w.Bit(uint(it.abs))
	if abs {
		p.dst = append(p.dst, '|')
	}
	if it.flags&fRev != 0 {
		v = 7 - v
	}
	if it.flags&fEcho != 0 && v != 1<<it.width()-1 {
		v += uint64(it.count)
	}
	p.dst = append(p.dst, filePrefix[it.kind]...)
	switch {
	case it.kind <= kUReg && v == 1<<it.width()-1:
		p.dst = append(p.dst, 'Z')
	case it.kind <= kUPred && it.kind >= kPred:
		p.dst = append(p.dst, predDigit[v&7])
	default:
		p.dst = appendSmall(p.dst, v)
	}
	if abs && it.flags&fOpen == 0 {
		p.dst = append(p.dst, '|')
	}
	if p.i.reused(it) {
		p.dst = append(p.dst, ".reuse"...)
	}
}

func signChar(it *item) byte {
	switch {
	case it.kind == kPred || it.kind == kUPred:
		return '!'
	case it.flags&fInv != 0:
		return '~'
	}
	return '-'
}

// open prints the sign and the opening bar of a constant.
func (p *printer) open(it *item) {
	w := &p.i.w
	if it.neg != 0 && w.Bit(uint(it.neg)) {
		p.dst = append(p.dst, signChar(it))
	}
	if it.abs != 0 && w.Bit(uint(it.abs)) {
		p.dst = append(p.dst, '|')
	}
}

func (p *printer) constant(it *item, v uint64) {
	w := &p.i.w
	p.open(it)
	p.dst = append(p.dst, "c["...)
	p.dst = appendHex(p.dst, w.Field(bankBit, 5))
	if it.flags&fSpace != 0 {
		p.dst = append(p.dst, "] ["...)
	} else {
		p.dst = append(p.dst, "]["...)
	}
	p.dst = appendSigned(p.dst, signed(v, it.width())<<2)
	p.dst = append(p.dst, ']')
}

func appendSmall(dst []byte, v uint64) []byte {
	if v >= 100 {
		dst = append(dst, byte('0'+v/100))
	}
	if v >= 10 {
		dst = append(dst, byte('0'+v/10%10))
	}
	return append(dst, byte('0'+v%10))
}

func appendSigned(dst []byte, v int64) []byte {
	if v < 0 {
		return appendHex(append(dst, '-'), uint64(-v))
	}
	return appendHex(dst, uint64(v))
}

func appendHex(dst []byte, v uint64) []byte {
	n := 1
	for v>>(4*n) != 0 && n < 16 {
		n++
	}
	return appendHexN(append(dst, "0x"...), v, n)
}

func appendHexN(dst []byte, v uint64, n int) []byte {
	for n--; n >= 0; n-- {
		dst = append(dst, "0123456789abcdef"[v>>(4*n)&15])
	}
	return dst
}
