package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
)

// Values knows who writes and who reads every word of every register. A
// phase that changes instructions keeps it true with Count.
type Values struct {
	Func   *ori.Func
	Base   []int32      // first word number of each register, and their number at the end
	Def    []*ori.Instr // last writer of each word
	Writes []int32      // of each word; a guarded one counts twice
	Reads  []int32      // of each word

	odd  bool      // a word lost one of several writers: Def may be wrong
	open []bool    // of each word: it was not one value when f was looked at
	last []int32   // of each word: the last block that wrote it, or read it from elsewhere, plus one
	far  []farRead // reads in other blocks than the write before them
}

// farRead is a read of a word that no write before it in its block reaches.
type farRead struct {
	word int32
	at   *ori.Block
}

// ValuesOf returns the values of f, which stay the caller's while no other
// asks.
func ValuesOf(f *ori.Func) *Values {
	if v, ok := f.Recall(ori.FactValues).(*Values); ok {
		return v
	}
	v, ok := f.Former(ori.FactValues).(*Values)
	if !ok {
		v = &Values{}
	}
	v.look(f)
	f.Remember(ori.FactValues, v)
	return v
}

// look fills v with what all instructions of f do.
func (v *Values) look(f *ori.Func) {
	v.Func, v.odd = f, false
	v.Base = slices.Grow(v.Base[:0], len(f.Regs)+1)[:len(f.Regs)+1]
	v.Base[0] = 0
	for r := range f.Regs {
		v.Base[r+1] = v.Base[r] + int32(f.Regs[r].Width)
	}
	n := int(v.Base[len(f.Regs)])
	v.Def, v.Writes, v.Reads = cleared(v.Def, n), cleared(v.Writes, n), cleared(v.Reads, n)
	v.open, v.last, v.far = cleared(v.open, n), cleared(v.last, n), v.far[:0]
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			v.reads(b, i)
			v.writes(b, i)
		}
	}
	v.openFar()
}

// reads counts what i reads, and notes what of it comes from other blocks or
// from an earlier turn of a loop.
func (v *Values) reads(b *ori.Block, i *ori.Instr) {
	srcs := i.Srcs()
	for k := range srcs {
		if a := &srcs[k]; a.Kind == ori.KReg || a.HasReg() { // operands are large
			v.read(b, a)
		}
	}
	if i.Guard.Kind == ori.KReg {
		v.read(b, &i.Guard)
	}
	for k := range i.Old {
		if a := &i.Old[k]; a.Kind == ori.KReg {
			v.read(b, a)
		}
	}
}

// read counts a read of a in b. A word that b has not written yet comes from
// elsewhere.
func (v *Values) read(b *ori.Block, a *ori.Operand) {
	w := v.Word(a)
	if a.N <= 1 { // nearly all
		v.Reads[w]++
		if v.last[w] != b.ID+1 {
			v.last[w] = b.ID + 1
			v.far = append(v.far, farRead{w, b})
		}
		return
	}
	end := w + int32(a.N)
	reads, last := v.Reads[w:end], v.last[w:end]
	for n := range reads {
		reads[n]++
		if last[n] != b.ID+1 {
			last[n] = b.ID + 1
			v.far = append(v.far, farRead{w + int32(n), b})
		}
	}
}

// writes counts what i writes, and opens the words that it is not the first
// to write.
func (v *Values) writes(b *ori.Block, i *ori.Instr) {
	dsts := i.Dsts()
	for k := range dsts {
		d := &dsts[k]
		if d.Kind != ori.KReg && !d.HasReg() {
			continue
		}
		by := int32(1)
		if v.mayNot(i, d) {
			by = 2 // as far as anyone may conclude
		}
		w := v.Word(d)
		if d.N <= 1 {
			if v.Def[w] != nil {
				v.open[w] = true
			}
			v.Def[w] = i
			v.Writes[w] += by
			v.last[w] = b.ID + 1
			continue
		}
		end := w + int32(d.N)
		def, writes, last := v.Def[w:end], v.Writes[w:end], v.last[w:end]
		for n := range def {
			if def[n] != nil {
				v.open[w+int32(n)] = true
			}
			def[n] = i
			writes[n] += by
			last[n] = b.ID + 1
		}
	}
}

// openFar opens the words that may be read before they are written. What
// such a word holds may be left from an earlier turn of a loop, so its one
// write is not one value: the sources of the write may have changed since.
// A write that dominates every read is always done again after them.
func (v *Values) openFar() {
	if len(v.far) == 0 {
		return
	}
	dom := DomOf(v.Func)
	for _, x := range v.far {
		d := v.Def[x.word]
		if dom.Order.Index[x.at.ID] >= 0 && (d == nil || d.Block() == x.at || !dom.Dominates(d.Block(), x.at)) {
			v.open[x.word] = true
		}
	}
}

// mayNot reports whether i may leave what was in its result d before, without
// saying what that was.
func (v *Values) mayNot(i *ori.Instr, d *ori.Operand) bool {
	return i.Guard.Kind != ori.KNone && (len(i.Old) == 0 || v.Func.Regs[d.Reg].Var)
}

func cleared[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Holds compares with a fresh look at f.
func (v *Values) Holds(f *ori.Func) bool {
	var x Values
	x.look(f)
	for w := range x.Def {
		if x.Writes[w] == 0 { // nobody can tell who was
			x.Def[w] = v.Def[w]
		} else if x.open[w] && (w >= len(v.open) || !v.open[w]) {
			return false
		}
	}
	return slices.Equal(v.Base, x.Base) && slices.Equal(v.Writes, x.Writes) && slices.Equal(v.Reads, x.Reads) && slices.Equal(v.Def, x.Def)
}

// Grow makes room for registers made since.
func (v *Values) Grow() {
	for r := len(v.Base) - 1; r < len(v.Func.Regs); r++ {
		n := int(v.Func.Regs[r].Width)
		v.Base = append(v.Base, v.Base[r]+int32(n))
		v.Def = append(v.Def, make([]*ori.Instr, n)...)
		v.Writes = append(v.Writes, make([]int32, n)...)
		v.Reads = append(v.Reads, make([]int32, n)...)
		v.open = append(v.open, make([]bool, n)...)
	}
}

// Keep tells that v was kept true while the function changed.
func (v *Values) Keep() {
	if !v.odd && len(v.Base) == len(v.Func.Regs)+1 {
		v.Func.Remember(ori.FactValues, v)
	}
}

// Count adds or takes away the reads and writes of i.
func (v *Values) Count(i *ori.Instr, by int32) {
	for k := range i.Args {
		a := &i.Args[k] // operands are large
		if a.Kind != ori.KReg && !a.HasReg() {
			continue
		}
		w := v.Word(a)
		for n := range int32(max(1, a.N)) {
			if k >= int(i.NDst) {
				v.Reads[w+n] += by
				continue
			}
			v.Writes[w+n] += by
			if v.mayNot(i, a) {
				v.Writes[w+n] += by // two writes as far as anyone may conclude
			}
			if by > 0 {
				v.Def[w+n] = i
			} else if v.Writes[w+n] > 0 {
				v.odd = true
			}
		}
	}
	if i.Guard.Kind == ori.KReg {
		v.Reads[v.Word(&i.Guard)] += by
	}
	for k := range i.Old {
		if a := &i.Old[k]; a.Kind == ori.KReg {
			w := v.Word(a)
			for n := range int32(a.N) {
				v.Reads[w+n] += by
			}
		}
	}
}

// CountRead adds or takes away one read of what a names.
func (v *Values) CountRead(a *ori.Operand, by int32) {
	if !a.HasReg() {
		return
	}
	w := v.Word(a)
	for n := range int32(max(1, a.N)) {
		v.Reads[w+n] += by
	}
}

// Word returns the number of the first word an operand names.
func (v *Values) Word(a *ori.Operand) int32 {
	if a.Kind == ori.KConst {
		return v.Base[a.Reg]
	}
	return v.Base[a.Reg] + int32(a.Sub)
}

// single reports whether a word has one value as far as anyone may conclude:
// one unguarded write, which dominates every read. A word that had several
// writes, or none before some read, when the function was looked at stays
// what it was until it is looked at again.
func (v *Values) single(w int32) bool { return v.Writes[w] == 1 && !v.open[w] }

// IsValue reports whether a word is one value: nobody needs to know which of
// several writes, if any, was before a read.
func (v *Values) IsValue(w int32) bool { return v.Reads[w] == 0 && v.Writes[w] == 0 || v.single(w) }

// IsVariable reports whether what an operand names is no value in SSA form: it
// may be written anywhere.
func (v *Values) IsVariable(a ori.Operand) bool {
	return a.HasReg() && (v.Func.Regs[a.Reg].Var || v.Func.Regs[a.Reg].Fixed)
}

// Once returns the instruction that alone writes the words of a register
// operand, and dominates all who read them, or nil. Registers fixed by
// convention are written by others too; what a guarded instruction leaves is
// not what it computes.
func (v *Values) Once(a ori.Operand) *ori.Instr {
	if i := v.Writer(a); i != nil && i.Guard.Kind == ori.KNone {
		return i
	}
	return nil
}

// Writer is Once, but the instruction may be guarded: the words are what it
// computes or, where they have one value, what its Old says.
func (v *Values) Writer(a ori.Operand) *ori.Instr {
	if !a.HasReg() || v.Func.Regs[a.Reg].Fixed {
		return nil
	}
	w := v.Word(&a)
	i := v.Def[w]
	for n := range int32(max(1, a.N)) {
		if !v.single(w+n) || v.Def[w+n] != i || i.Block() == nil {
			return nil
		}
	}
	return i
}

// Stable reports whether an operand means the same wherever it is read: it
// names no register, or words written once, before all reads.
func (v *Values) Stable(a ori.Operand) bool {
	if !a.HasReg() {
		return true
	}
	if v.Func.Regs[a.Reg].Fixed {
		return false
	}
	w := v.Word(&a)
	if a.N <= 1 {
		return v.single(w)
	}
	for n := range int32(a.N) {
		if !v.single(w + n) {
			return false
		}
	}
	return true
}

// ReadsOf returns how often the words of an operand are read.
func (v *Values) ReadsOf(a ori.Operand) int32 {
	w := v.Word(&a)
	most := int32(0)
	for n := range int32(max(1, a.N)) {
		most = max(most, v.Reads[w+n])
	}
	return most
}

// Remove takes i out of the function and out of the counts.
func (v *Values) Remove(i *ori.Instr) {
	v.Count(i, -1)
	i.Remove()
}
