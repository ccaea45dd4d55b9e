package cse

import (
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// LocalCSE finds equal computations inside a block by the values that words
// hold at the moment, so that it sees through words written more than once:
// a guarded instruction gives a value that depends on its guard and on what
// was there before. Producers of divisions by one number scale it under
// guards again and again, and load the same words for every part of a tile.
func LocalCSE(f *ori.Func) bool {
	n := 0
	for _, b := range f.Blocks {
		n = max(n, b.Len())
	}
	l := &localCSE{f: f, v: opt.ValuesOf(f), heads: pool.Make[int32](f.Scratch(), 1<<bits.Len(uint(n)))}
	l.number = pool.Make[int32](f.Scratch(), len(l.v.Words))
	l.stamp = pool.Make[int32](f.Scratch(), len(l.v.Words))
	for k, b := range f.Blocks {
		if b.Len() > 1 {
			l.block(b, int32(k)+1)
		}
	}
	if f.Touched(l.changed) && !l.unstable {
		l.v.Keep()
	}
	return l.changed
}

type localCSE struct {
	f       *ori.Func
	v       *opt.Values
	epoch   int32
	next    int32   // next new value
	memory  uint64  // raised where global memory may have changed
	number  []int32 // value that each word holds
	stamp   []int32 // block in which number is valid
	heads   []int32 // entry that is first in each chain, plus one
	entries []localEntry
	key     []uint64
	changed bool

	unstable bool // something that is not one value is read elsewhere now
}

// localEntry is a computation: its key and the values of its results.
type localEntry struct {
	i    *ori.Instr
	key  []uint64
	vals []int32 // first value of each result
	next int32
}

func (l *localCSE) block(b *ori.Block, epoch int32) {
	l.epoch = epoch
	for k := range l.heads {
		l.heads[k] = 0
	}
	l.entries = l.entries[:0]
	for i := range b.Instrs {
		l.instr(i)
	}
}

// value returns the value of a word, a new one if nothing is known of it.
func (l *localCSE) value(w int32) int32 {
	if l.stamp[w] != l.epoch {
		l.stamp[w] = l.epoch
		l.next++
		l.number[w] = l.next
	}
	return l.number[w]
}

// nought is the value of words that are copies of zero.
const nought = 0

func (l *localCSE) set(w, value int32) { l.stamp[w], l.number[w] = l.epoch, value }

func (l *localCSE) instr(i *ori.Instr) {
	if i.Op == op.COPY && i.Guard.Kind == ori.KNone && i.Args[1].Kind == ori.KReg && i.Args[1].Flags == 0 && i.Args[1].N == i.Args[0].N {
		for n := range int32(i.Args[0].N) {
			l.set(l.v.WordOf(i.Args[0])+n, l.value(l.v.WordOf(i.Args[1])+n))
		}
		return
	}
	if i.Op == op.COPY && i.Guard.Kind == ori.KNone && i.Args[1].Kind == ori.KZero && i.Args[1].Class == ori.R {
		for n := range int32(i.Args[0].N) {
			l.set(l.v.WordOf(i.Args[0])+n, nought)
		}
		return
	}
	if disturbs(i) {
		l.memory++
	}
	if !l.describe(i) {
		l.fresh(i)
		return
	}
	slot := l.slot()
	for k := l.heads[slot]; k > 0; k = l.entries[k-1].next {
		e := &l.entries[k-1]
		if e.i.Op == i.Op && e.i.Mods == i.Mods && e.i.NDst == i.NDst && slices.Equal(e.key, l.key) {
			l.repeat(i, e)
			return
		}
	}
	key := append(pool.Room[uint64](l.f.Scratch(), len(l.key)), l.key...)
	l.entries = append(l.entries, localEntry{i, key, l.fresh(i), l.heads[slot]})
	l.heads[slot] = int32(len(l.entries))
}

// fresh gives the results of i new values.
func (l *localCSE) fresh(i *ori.Instr) []int32 {
	vals := pool.Make[int32](l.f.Scratch(), int(i.NDst))
	for k, d := range i.Dsts() {
		if d.Kind != ori.KReg {
			continue
		}
		vals[k] = l.next + 1
		for n := range int32(d.N) {
			l.next++
			l.set(l.v.WordOf(d)+n, l.next)
		}
	}
	return vals
}

// repeat gives the results of i, which computes what e did, the same values,
// and makes it copies where registers still hold them.
func (l *localCSE) repeat(i *ori.Instr, e *localEntry) {
	same := i.Guard.Kind == ori.KNone || isReload(i) // what was there before is the same, too
	for k, d := range i.Dsts() {
		same = same && (d.Kind != ori.KReg || l.holds(e, k, d))
	}
	for k, d := range i.Dsts() {
		if d.Kind != ori.KReg {
			continue
		}
		for n := range int32(d.N) {
			l.set(l.v.WordOf(d)+n, e.vals[k]+n)
		}
	}
	if !same || !l.f.Should("equal", i) {
		return
	}
	if g := i.Prev(); opt.GathersFor(g, i) { // who exchanges nothing waits for nobody
		l.v.Remove(g)
	}
	l.v.Count(i, -1)
	for k, d := range i.Dsts() {
		if d.Kind != ori.KReg || d == e.i.Args[k] {
			continue
		}
		c := l.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{d}, []ori.Operand{e.i.Args[k]})
		c.Line, c.Loc = i.Line, i.Loc
		i.Block().InsertBefore(c, i)
		l.v.Count(c, 1)
		l.unstable = l.unstable || !l.v.Stable(c.Args[1])
	}
	i.Remove()
	l.changed = true
}

// holds reports whether result k of e is still in its register, which is
// like d.
func (l *localCSE) holds(e *localEntry, k int, d ori.Operand) bool {
	r := e.i.Args[k]
	if r.Kind != ori.KReg || r.Class != d.Class || r.N != d.N {
		return false
	}
	w := l.v.WordOf(r)
	for n := range int32(d.N) {
		if l.stamp[w+n] != l.epoch || l.number[w+n] != e.vals[k]+n {
			return false
		}
	}
	return true
}

// computes reports whether i does nothing but compute. All threads that run
// a block do the same there, so an exchange between them gives the same the
// second time.
func computes(i *ori.Instr) bool {
	if i.Op == op.SHFL {
		return i.Guard.Kind == ori.KNone
	}
	if i.Guard.Kind == ori.KNone {
		return opt.IsPure(i)
	}
	was := i.Guard
	i.Guard = ori.Operand{}
	pure := opt.IsPure(i)
	i.Guard = was
	return pure
}

// isReload reports whether i is a load from global memory that nobody waits
// for: a second one may have the words of the first.
func isReload(i *ori.Instr) bool {
	a, ok := flow.AccessOf(i)
	return ok && i.Op == op.LDG && i.NDst == 1 && a.Plain && !a.Strict
}

// disturbs reports whether loads behind i may find other words in global
// memory than those before it.
func disturbs(i *ori.Instr) bool {
	if i.Op.Has(op.Effect|op.Terminator) || i.Op.Has(op.Convergent) && i.Op.Has(op.Reads|op.Writes) {
		return true
	}
	a, ok := flow.AccessOf(i)
	return ok && a.Space&op.SpaceGlobal != 0 && (a.Write || a.Strict)
}

// describe writes what i computes from to the key: guard and what was there
// before, and the values of its sources. Operations that do more than
// compute have none.
func (l *localCSE) describe(i *ori.Instr) bool {
	if i.NDst == 0 || len(i.Srcs()) > maxKey || i.Op.Has(op.Uniform|op.Pseudo) || isUniform(i) {
		return false
	}
	l.key = l.key[:0]
	switch {
	case isReload(i):
		l.key = append(l.key, l.memory)
	case !computes(i):
		return false
	}
	if i.Guard.Kind != ori.KNone {
		l.operand(i.Guard)
		was := i.Old
		if len(was) == 0 {
			was = i.Dsts()
		}
		for _, d := range was {
			l.operand(d)
		}
	}
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && l.f.Regs[d.Reg].Fixed {
			return false
		}
		l.key = append(l.key, uint64(max(1, d.N)))
	}
	for _, s := range i.Srcs() {
		if s.HasReg() && l.f.Regs[s.Reg].Fixed {
			return false
		}
		l.operand(s)
	}
	return true
}

// operand adds an operand with the values of its words to the key.
func (l *localCSE) operand(s ori.Operand) {
	l.key = append(l.key, uint64(s.Kind)<<32|uint64(s.Flags)<<24|uint64(s.Class)<<16|uint64(s.N)<<8)
	if !s.HasReg() {
		l.key = append(l.key, uint64(s.Imm), uint64(uint32(s.Reg))<<8|uint64(s.Sub))
		return
	}
	l.key = append(l.key, uint64(s.Imm))
	if s.Kind == ori.KConst {
		l.key = append(l.key, uint64(s.Sub))
	}
	w := l.v.WordOf(s)
	for n := range int32(max(1, s.N)) {
		l.key = append(l.key, uint64(l.value(w+n)))
	}
}

func (l *localCSE) slot() uint32 {
	h := uint64(0)
	for _, k := range l.key {
		h = (h ^ k) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h>>20) & uint32(len(l.heads)-1)
}
