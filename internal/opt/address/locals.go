package address

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// LocalWords keeps words of local memory in registers, if every access to the
// frame says which words it means, after loops were written out for example:
//
//	STL.64 [r1+0x8], r4            COPY r8 = r4[0]
//	LDL r6 = [r1+0xc]              COPY r9 = r4[1]
//	                               COPY r6 = r9
//
// The address of the frame must go nowhere but to loads and stores: then nobody
// else can read it. A frame that nothing reads goes away too, but for variables
// that nobody names. A load from one of two places is a choice between two
// words; what registers say is compared with the places (locals_index.go). Words
// that are accessed in parts stay where they are. In SSA form the
// words are values behind it.
func LocalWords(f *ori.Func, o Locals) bool {
	if f.Props.LocalBytes == 0 || !f.Kernel || f.Props.HasCalls && passesMemory(f) {
		return false
	}
	l := &locals{Locals: o, f: f, v: opt.ValuesOf(f), parts: map[int64]bool{}, words: map[int64]ori.Reg{}}
	if !l.find() {
		return false
	}
	changed := false
	switch {
	case l.loads == 0:
		changed = l.forget()
	case !l.lost && l.worth():
		changed = l.move(o.Most)
	}
	if changed && l.left() == l.strange {
		f.Props.LocalBytes, f.Props.LocalAlign = f.Props.Unnamed, 0
	}
	if changed && f.Props.SSA {
		ssa.Mend(f)
	}
	return f.Touched(changed)
}

// passesMemory reports whether the frame may hold more than variables:
// arguments that functions read there.
func passesMemory(f *ori.Func) bool {
	return f.Props.LocalBytes >= f.Props.Variables+2*wordBytes
}

// Locals says what LocalWords may do.
type Locals struct {
	Most     int  // words that move at most
	Clusters bool // blocks run in clusters: shared memory costs more, exchanges between threads less
}

type locals struct {
	Locals
	f        *ori.Func
	v        *opt.Values
	derived  []bool // by word: computed from the address of the frame
	accesses []localAccess
	loads    int
	strange  int            // accesses at addresses that are not made of the frame's: no program can know where it lies
	frame    ori.Operand    // its address
	anys     int            // accesses at computed places
	lost     bool           // some access is anywhere, in parts of words
	parts    map[int64]bool // words that stay, by their number
	words    map[int64]ori.Reg
}

// localAccess is a load or store of n words from the frame, or of one of two
// places if pick is a predicate.
type localAccess struct {
	i     *ori.Instr
	at    [2]int64 // first word
	n     int
	pick  ori.Operand
	whole bool // n words, all of them
	any   bool // at base+lo, wherever that is in the frame
	base  ori.Operand
	lo    int64
	among []int64 // the words that any access may begin with, as far as they matter
}

const wordBytes = 4

// find lists the accesses to the frame. It is false if its address goes
// elsewhere.
func (l *locals) find() bool {
	l.derived = pool.Make[bool](l.f.Scratch(), len(l.v.Words))
	frames := 0
	for r := range l.f.Regs {
		if info := &l.f.Regs[r]; info.Fixed && info.Class == ori.R && info.Width == 1 && l.v.Words[l.v.Base[r]].Writes == 0 && l.v.Words[l.v.Base[r]].Reads > 0 {
			l.derived[l.v.Base[r]] = true
			l.frame = l.f.Words(ori.Reg(r))
			frames++
		}
	}
	if frames != 1 {
		return false
	}
	for again := true; again; {
		again = false
		for _, b := range l.f.Blocks {
			for i := b.First(); i != nil; i = i.Next() {
				grows, ok := l.derive(i)
				if !ok {
					return false
				}
				again = again || grows
			}
		}
	}
	for _, b := range l.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if (i.Op == op.LDL || i.Op == op.STL) && !l.access(i) {
				return false
			}
		}
	}
	return len(l.accesses) > 0
}

// passes are the operations that compute addresses from addresses.
var passes = [...]op.Op{op.COPY, op.MOV, op.IADD3, op.IMAD, op.LEA, op.SEL}

// derive notes what i computes from addresses of the frame. It is false if i
// does anything else with one.
func (l *locals) derive(i *ori.Instr) (grows, ok bool) {
	reads := false
	for k := int(i.NDst); k < len(i.Args); k++ {
		a := &i.Args[k]
		if !l.isDerived(a) {
			continue
		}
		if a.Kind == ori.KAddr && (i.Op == op.LDL || i.Op == op.STL) {
			continue
		}
		reads = true
	}
	if !reads {
		return false, true
	}
	for _, o := range passes {
		ok = ok || i.Op == o
	}
	for n, d := range i.Dsts() {
		switch {
		case d.Kind != ori.KReg:
		case d.Class == ori.P:
			ok = ok && l.v.ReadsOf(d) == 0
		case n > 0 || l.f.Regs[d.Reg].Fixed:
			ok = false
		default:
			w := l.v.WordOf(d)
			for m := w; m < w+int32(d.N); m++ {
				grows = grows || !l.derived[m]
				l.derived[m] = true
			}
		}
	}
	return grows, ok
}

func (l *locals) isDerived(a *ori.Operand) bool {
	if !a.HasReg() || a.Class != ori.R {
		return false
	}
	w := l.v.Word(a)
	for n := range int32(max(1, a.N)) {
		if l.derived[w+n] {
			return true
		}
	}
	return false
}

// access describes a load or store of local memory. It is false if nothing is
// known of it.
func (l *locals) access(i *ori.Instr) bool {
	a, ok := flow.AccessOf(i)
	if ok && a.Base.Kind == ori.KReg && a.Uni.Kind == ori.KNone && !l.isDerived(&a.Base) {
		l.strange++
		return true
	}
	if i.Op == op.LDL {
		l.loads++
	}
	x := localAccess{i: i, n: int(a.Hi-a.Lo) / wordBytes}
	if !ok || !a.Plain || a.Strict || a.Uni.Kind != ori.KNone || a.Base.Kind != ori.KReg || !l.isDerived(&a.Base) {
		return false
	}
	at, ok := l.offset(a.Base, maxLocalTrace)
	if !ok {
		at, x.at[1], x.pick, ok = l.choice(a.Base)
		x.at[1] += a.Lo
	}
	if !ok {
		l.lost = l.lost || !l.anywhere(&x, &a)
		l.accesses = append(l.accesses, x)
		return true
	}
	x.at[0] = at + a.Lo
	if x.pick.Kind == ori.KNone {
		x.at[1] = x.at[0]
	}
	x.whole = (a.Hi-a.Lo)%wordBytes == 0 && x.at[0]%wordBytes == 0 && x.at[1]%wordBytes == 0 && (i.Op == op.LDL || x.pick.Kind == ori.KNone)
	x.n = int(a.Hi-a.Lo+wordBytes-1) / wordBytes
	for k := range x.at {
		x.at[k] = floorWord(x.at[k])
	}
	l.accesses = append(l.accesses, x)
	return true
}

func floorWord(bytes int64) int64 { return bytes >> 2 }

// maxLocalTrace bounds how many steps back an address is followed.
const maxLocalTrace = 64

// offset returns how far an address is from the start of the frame.
func (l *locals) offset(a ori.Operand, steps int) (int64, bool) {
	if info := &l.f.Regs[a.Reg]; info.Fixed {
		return 0, l.derived[l.v.WordOf(a)]
	}
	i := l.v.Once(a)
	if i == nil || steps == 0 || i.NDst == 0 || i.Args[0].Reg != a.Reg || i.Args[0].Sub != a.Sub || i.Args[0].N != 1 {
		return 0, false
	}
	switch {
	case (i.Op == op.COPY || i.Op == op.MOV) && len(i.Args) == 2 && opt.Plain(i.Args[1]):
		return l.offset(i.Args[1], steps-1)
	case i.Op != op.IADD3 || i.Mods != (op.Mods{}):
		return 0, false
	}
	sum, found := int64(0), false
	for _, s := range i.Srcs() {
		if s.Kind == ori.KReg && s.Class == ori.R && s.Flags == 0 && l.isDerived(&s) {
			k, ok := l.offset(s, steps-1)
			if found || !ok {
				return 0, false
			}
			sum, found = sum+k, true
			continue
		}
		k, ok := l.constant(s, steps-1)
		if !ok {
			return 0, false
		}
		sum += int64(k)
	}
	return sum, found
}

// constant returns the value of a source that is a constant, or a sum or
// product of such.
func (l *locals) constant(a ori.Operand, steps int) (int32, bool) {
	if k, ok := opt.ConstantOf(a); ok {
		return int32(k), true
	}
	if !opt.Plain(a) || steps == 0 {
		return 0, false
	}
	i := l.v.Once(a)
	if i == nil || i.NDst != 1 || i.Args[0] != a || i.Mods != (op.Mods{}) {
		return 0, false
	}
	var k [3]int32
	for n, s := range i.Srcs() {
		var ok bool
		if n == len(k) {
			return 0, false
		}
		if k[n], ok = l.constant(s, steps-1); !ok {
			return 0, false
		}
	}
	switch i.Op {
	case op.COPY, op.MOV, op.IADD3:
		return k[0] + k[1] + k[2], true
	case op.IMAD:
		return k[0]*k[1] + k[2], true
	}
	return 0, false
}

// choice reads an address as one of two.
func (l *locals) choice(a ori.Operand) (x, y int64, pick ori.Operand, ok bool) {
	i := l.v.Once(a)
	if i == nil || i.Op != op.SEL || i.Mods != (op.Mods{}) || len(i.Args) != 4 || !opt.Plain(i.Args[1]) || !opt.Plain(i.Args[2]) || !l.v.Stable(i.Args[3]) {
		return 0, 0, pick, false
	}
	x, ok0 := l.offset(i.Args[1], maxLocalTrace)
	y, ok1 := l.offset(i.Args[2], maxLocalTrace)
	return x, y, i.Args[3], ok0 && ok1
}

// forget removes the stores to a frame that nothing reads.
func (l *locals) forget() bool {
	changed := false
	for _, x := range l.accesses {
		if l.f.Should("local", x.i) {
			x.i.Remove()
			changed = true
		}
	}
	return changed
}

// move gives words their registers and makes copies of the accesses.
func (l *locals) move(most int) bool {
	for again := true; again; {
		again = false
		for _, x := range l.accesses {
			again = l.keep(&x) || again
		}
	}
	if len(l.parts) > 0 && l.anys > 0 {
		return false
	}
	changed := false
	l.spread()
	for _, x := range l.accesses {
		if l.stays(&x) {
			continue
		}
		for _, at := range x.places() {
			for n := range int64(x.n) {
				if _, ok := l.words[at+n]; !ok {
					l.words[at+n] = l.f.NewReg(ori.R, 1)
				}
			}
		}
	}
	if len(l.words) > most || len(l.words) == 0 || !l.f.Should("locals", l.accesses[0].i) {
		return false
	}
	for _, x := range l.accesses {
		switch {
		case l.stays(&x):
			continue
		case x.any:
			l.choices(&x)
		default:
			l.copies(&x)
		}
		changed = true
	}
	return changed
}

// places are the words where an access may begin.
func (x *localAccess) places() []int64 {
	if x.any {
		return x.among
	}
	return x.at[:]
}

// keep marks the words of an access that stays, and reports whether some were
// not marked.
func (l *locals) keep(x *localAccess) bool {
	if x.whole && !l.stays(x) {
		return false
	}
	grows := false
	for _, at := range x.at {
		for n := range int64(x.n) + 1 { // a part of a word more, if it lies across
			if n == int64(x.n) && x.whole {
				break
			}
			grows = grows || !l.parts[at+n]
			l.parts[at+n] = true
		}
	}
	return grows
}

// stays reports whether some word of an access stays in memory.
func (l *locals) stays(x *localAccess) bool {
	for _, at := range x.places() {
		for n := range int64(x.n) {
			if l.parts[at+n] {
				return true
			}
		}
	}
	return !x.whole
}

// copies replaces an access by copies of its words.
func (l *locals) copies(x *localAccess) {
	i := x.i
	add := func(o op.Op, d ori.Operand, srcs ...ori.Operand) {
		m := l.f.NewInstr(o, op.Mods{}, []ori.Operand{d}, srcs)
		m.Guard, m.Line, m.Loc = i.Guard, i.Line, i.Loc
		i.Block().InsertBefore(m, i)
	}
	l.before(i)
	data := i.Args[len(i.Args)-1]
	if i.Op == op.LDL {
		data = i.Args[0]
	}
	for n := range int64(x.n) {
		d := data
		if data.Kind == ori.KReg {
			d.Sub, d.N = data.Sub+uint8(n), 1
		}
		w := l.f.Words(l.words[x.at[0]+n])
		switch {
		case i.Op == op.STL:
			add(op.COPY, w, d)
		case d.Kind != ori.KReg:
		case x.pick.Kind != ori.KNone:
			add(op.SEL, d, w, l.f.Words(l.words[x.at[1]+n]), x.pick)
		default:
			add(op.COPY, d, w)
		}
	}
	i.Remove()
}

// before makes the results of a guarded load what they are where it does not
// run: copies under its guard take its place.
func (l *locals) before(i *ori.Instr) {
	for k, o := range i.Old {
		if o.Kind != ori.KReg {
			continue
		}
		for n := range o.N {
			d, s := i.Args[k], o
			d.Sub, d.N, s.Sub, s.N = d.Sub+n, 1, s.Sub+n, 1
			c := l.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{d}, []ori.Operand{s})
			c.Line, c.Loc = i.Line, i.Loc
			i.Block().InsertBefore(c, i)
		}
	}
}

// left counts the accesses to local memory that stay.
func (l *locals) left() int {
	n := 0
	for _, b := range l.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op == op.LDL || i.Op == op.STL {
				n++
			}
		}
	}
	return n
}
