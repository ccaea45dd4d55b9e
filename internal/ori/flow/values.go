package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
)

// Values knows who writes and who reads every word of every register. A
// phase that changes instructions keeps it true with Count.
type Values struct {
	Func  *ori.Func
	Base  []int32     // first word number of each register, and their number at the end
	Words []WordValue // of each word

	odd bool      // a word lost one of several writers: Def may be wrong
	far []farRead // reads in other blocks than the write before them
}

// WordValue is what is known of a word.
type WordValue struct {
	Def    *ori.Instr // its last writer
	Writes int32      // a guarded one counts twice
	Reads  int32

	last int32 // the last block that wrote it, or read it from elsewhere, plus one
	open bool  // it was not one value when the function was looked at
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
	v.Words, v.far = cleared(v.Words, n), v.far[:0]
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
	for k := int(i.NDst); k < len(i.Args); k++ {
		if a := &i.Args[k]; a.HasReg() { // operands are large
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
	x := &v.Words[w]
	x.Reads++
	if x.last != b.ID+1 {
		x.last = b.ID + 1
		v.far = append(v.far, farRead{w, b})
	}
	if a.N <= 1 { // nearly all
		return
	}
	list := v.Words[w+1 : w+int32(a.N)]
	for n := range list {
		x := &list[n]
		x.Reads++
		if x.last != b.ID+1 {
			x.last = b.ID + 1
			v.far = append(v.far, farRead{w + 1 + int32(n), b})
		}
	}
}

// writes counts what i writes, and opens the words that it is not the first
// to write.
func (v *Values) writes(b *ori.Block, i *ori.Instr) {
	for k := range i.Args[:i.NDst] {
		d := &i.Args[k]
		if !d.HasReg() {
			continue
		}
		by := int32(1)
		if v.mayNot(i, d) {
			by = 2 // as far as anyone may conclude
		}
		w := v.Word(d)
		x := &v.Words[w]
		x.open = x.open || x.Def != nil
		x.Def, x.last = i, b.ID+1
		x.Writes += by
		if d.N <= 1 {
			continue
		}
		list := v.Words[w+1 : w+int32(d.N)]
		for n := range list {
			x := &list[n]
			x.open = x.open || x.Def != nil
			x.Def, x.last = i, b.ID+1
			x.Writes += by
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
		d := v.Words[x.word].Def
		if dom.Order.Index[x.at.ID] >= 0 && (d == nil || d.Block() == x.at || !dom.Dominates(d.Block(), x.at)) {
			v.Words[x.word].open = true
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
	if !slices.Equal(v.Base, x.Base) || len(v.Words) != len(x.Words) {
		return false
	}
	for w := range x.Words {
		old, now := &v.Words[w], &x.Words[w]
		switch {
		case old.Writes != now.Writes || old.Reads != now.Reads:
			return false
		case now.Writes == 0: // nobody can tell who was
		case now.open && !old.open || old.Def != now.Def:
			return false
		}
	}
	return true
}

// Grow makes room for registers made since.
func (v *Values) Grow() {
	for r := len(v.Base) - 1; r < len(v.Func.Regs); r++ {
		n := int(v.Func.Regs[r].Width)
		v.Base = append(v.Base, v.Base[r]+int32(n))
		v.Words = append(v.Words, make([]WordValue, n)...)
	}
}

// Renumber gives registers the numbers that f.Renumber gives them.
func (v *Values) Renumber(regs []int32) {
	for r, to := range regs {
		if to < 0 {
			continue
		}
		list := v.Words[v.Base[r]:v.Base[r+1]]
		copy(v.Words[v.Base[to]:], list)
		v.Base[to+1] = v.Base[to] + int32(len(list))
	}
	n := len(v.Func.Regs)
	v.Base = v.Base[:n+1]
	v.Words = v.Words[:v.Base[n]]
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
				v.Words[w+n].Reads += by
				continue
			}
			v.Words[w+n].Writes += by
			if v.mayNot(i, a) {
				v.Words[w+n].Writes += by // two writes as far as anyone may conclude
			}
			if by > 0 {
				v.Words[w+n].Def = i
			} else if v.Words[w+n].Writes > 0 {
				v.odd = true
			}
		}
	}
	if i.Guard.Kind == ori.KReg {
		v.Words[v.Word(&i.Guard)].Reads += by
	}
	for k := range i.Old {
		if a := &i.Old[k]; a.Kind == ori.KReg {
			w := v.Word(a)
			for n := range int32(a.N) {
				v.Words[w+n].Reads += by
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
		v.Words[w+n].Reads += by
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
func (v *Values) single(w int32) bool { return v.Words[w].single() }

func (x *WordValue) single() bool { return x.Writes == 1 && !x.open }

// IsValue reports whether a word is one value: nobody needs to know which of
// several writes, if any, was before a read.
func (v *Values) IsValue(w int32) bool {
	return v.Words[w].Reads == 0 && v.Words[w].Writes == 0 || v.single(w)
}

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
	i := v.Words[w].Def
	for n := range int32(max(1, a.N)) {
		if x := &v.Words[w+n]; !x.single() || x.Def != i || i.Block() == nil {
			return nil
		}
	}
	return i
}

// Stable reports whether an operand means the same wherever it is read: it
// names no register, or words written once, before all reads.
func (v *Values) Stable(a ori.Operand) bool { return v.IsStable(&a) }

// IsStable is Stable of an operand that stays where it is: they are large.
func (v *Values) IsStable(a *ori.Operand) bool {
	if !a.HasReg() {
		return true
	}
	if v.Func.Regs[a.Reg].Fixed {
		return false
	}
	w := v.Word(a)
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
		most = max(most, v.Words[w+n].Reads)
	}
	return most
}

// Remove takes i out of the function and out of the counts.
func (v *Values) Remove(i *ori.Instr) {
	v.Count(i, -1)
	i.Remove()
}
