package flow

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// RootKind says what an address was computed from.
type RootKind uint8

const (
	RootUnknown  RootKind = iota
	RootNone              // nothing: the bytes count from address zero
	RootReg               // a register written once: N is its first word
	RootParam             // a pointer in a constant bank: N is the bank and the offset
	RootVariable          // the variable of the module with symbol number N
	RootStack             // the stack pointer: N is its register
)

// Root is what an address was computed from. Equal roots are equal values
// in code that runs between two writes of the registers the address was
// computed from: inside one pass of a loop, say.
type Root struct {
	Kind RootKind
	N    int64
	Uni  int32 // first word of the uniform register that is added to it, plus one
}

// Place is an access with what its address was computed from.
type Place struct {
	Access
	Root  Root
	Exact bool // Lo and Hi count from the root, else they are anywhere in its object
}

// Alias knows the place of every access to memory of a function.
type Alias struct {
	at     []int32 // by instruction ID: its place, plus one
	places []Place
}

// AliasOf returns the places of f.
func AliasOf(f *ori.Func) *Alias {
	return kept(f, ori.FactAlias, func() *Alias { return findPlaces(f) })
}

// Holds compares with the places of f as it is.
func (x *Alias) Holds(f *ori.Func) bool {
	y := findPlaces(f)
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if p, q := x.Of(i), y.Of(i); p != q && (p == nil || q == nil || *p != *q) {
				return false
			}
		}
	}
	return true
}

// Of returns the place that i touches, or nil.
func (x *Alias) Of(i *ori.Instr) *Place {
	if int(i.ID) >= len(x.at) || x.at[i.ID] == 0 {
		return nil
	}
	return &x.places[x.at[i.ID]-1]
}

func findPlaces(f *ori.Func) *Alias {
	x := &Alias{at: make([]int32, f.NumInstrs())}
	t := tracer{f: f}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			a, ok := AccessOf(i)
			if !ok {
				continue
			}
			if t.v == nil {
				t.v = ValuesOf(f)
			}
			x.places = append(x.places, t.place(a))
			x.at[i.ID] = int32(len(x.places))
		}
	}
	return x
}

// Disjoint reports whether two accesses touch no common byte, as far as
// their order in one run of code is concerned.
func (p *Place) Disjoint(q *Place) bool {
	switch {
	case p.Space&q.Space == 0:
		return true
	case p.Root.Kind == RootUnknown || q.Root.Kind == RootUnknown:
		return false
	case p.Root == q.Root:
		return p.Exact && q.Exact && (p.Hi <= q.Lo || q.Hi <= p.Lo)
	}
	return p.Root.Kind == RootVariable && q.Root.Kind == RootVariable && p.Root.Uni == 0 && q.Root.Uni == 0
}

// Same reports whether two accesses touch exactly the same bytes.
func (p *Place) Same(q *Place) bool {
	return p.Plain && q.Plain && p.Exact && q.Exact && p.Space == q.Space && p.Root == q.Root && p.Root.Kind != RootUnknown && p.Lo == q.Lo && p.Hi == q.Hi
}

// tracer follows addresses back to what they were computed from.
type tracer struct {
	f *ori.Func
	v *Values
}

// maxTrace bounds how many steps back an address is followed.
const maxTrace = 16

func (t *tracer) place(a Access) Place {
	p := Place{Access: a}
	if !a.Plain {
		return p
	}
	p.Exact = true
	p.Root.Kind = RootNone
	if a.Base.Kind == ori.KReg {
		p.Root = t.root(a.Base, &p, maxTrace)
		if p.Root.Kind == RootNone && a.Space == op.SpaceGeneric {
			p.Root.Kind = RootUnknown
		}
	}
	switch {
	case a.Uni.Kind == ori.KNone:
	case a.Uni.N == 2 && a.Base.Kind != ori.KReg: // the whole address
		u := a.Uni
		u.Kind = ori.KReg
		if p.Root = t.root(u, &p, maxTrace); p.Root.Kind == RootNone && a.Space == op.SpaceGeneric {
			p.Root.Kind = RootUnknown
		}
	default:
		if p.Root.Uni = t.v.Word(&a.Uni) + 1; !t.v.Stable(a.Uni) {
			p.Root = Root{}
		}
	}
	return p
}

// root returns where the value of a register operand comes from, and moves
// the bytes of p by what was added on the way.
func (t *tracer) root(a ori.Operand, p *Place, steps int) Root {
	info := &t.f.Regs[a.Reg]
	if info.Fixed && a.Class == ori.R && a.N == 1 && !t.f.Props.MovesStack && t.v.Words[t.v.Word(&a)].Writes <= 1 {
		return Root{Kind: RootStack, N: int64(info.Phys)}
	}
	if !t.v.Stable(a) {
		return Root{}
	}
	here := Root{Kind: RootReg, N: int64(t.v.Word(&a))<<1 | int64(a.N&1)}
	i := t.v.Once(a)
	if a.N == 2 {
		hi := a
		hi.Sub, hi.N = a.Sub+1, 1
		if i == nil {
			return t.sum(t.v.Once(hi), a, here, p, steps)
		}
	}
	if i == nil || steps == 0 || i.Guard.Kind != ori.KNone || i.NDst != 1 || i.Args[0].Reg != a.Reg || i.Args[0].Sub != a.Sub || i.Args[0].N != a.N {
		return here
	}
	switch {
	case (i.Op == op.COPY || i.Op == op.MOV) && i.Args[1].Kind == ori.KReg && i.Args[1].Flags == 0 && i.Args[1].N == a.N:
		return t.better(here, i.Args[1], p, steps)
	case isConstantLoad(i.Op) && i.Args[1].Kind == ori.KSymbol && i.Args[1].Imm == 0:
		return Root{Kind: RootVariable, N: int64(i.Args[1].Reg)}
	case isConstantLoad(i.Op) && i.Args[1].Kind == ori.KConst && i.Args[1].Reg == ori.NoReg:
		return Root{Kind: RootParam, N: int64(i.Args[1].Sub)<<32 | i.Args[1].Imm}
	case i.Op == op.IMAD && a.N == 2 && i.Mods.Has(op.MWIDE) && i.Args[3].Kind == ori.KReg && i.Args[3].N == 2 && i.Args[3].Flags == 0:
		return t.object(here, i.Args[3], p, steps)
	case i.Op == op.IADD3 && a.N == 1 && i.Mods == (op.Mods{}) && len(i.Args) == 4 && i.Args[3].Kind == ori.KZero:
		return t.add(here, i.Args[1], i.Args[2], p, steps)
	}
	return here
}

func isConstantLoad(o op.Op) bool { return o == op.LDC || o == op.ULDC || o == op.LDCU }

// better follows a copy; a source that tells nothing leaves the copy as the
// root.
func (t *tracer) better(here Root, a ori.Operand, p *Place, steps int) Root {
	was := *p
	if r := t.root(a, p, steps-1); r.Kind != RootUnknown {
		return r
	}
	*p = was
	return here
}

// object follows an address to the variable it points into; the bytes from
// its start are not known. Anything else says no more than the address
// itself.
func (t *tracer) object(here Root, a ori.Operand, p *Place, steps int) Root {
	var q Place
	if r := t.root(a, &q, steps-1); r.Kind == RootVariable {
		p.Exact = false
		return r
	}
	return here
}

// add follows x + k.
func (t *tracer) add(here Root, x, y ori.Operand, p *Place, steps int) Root {
	if x.Kind != ori.KReg {
		x, y = y, x
	}
	k, ok := constantOf(y)
	if !ok || x.Kind != ori.KReg || x.Flags != 0 || x.Class != ori.R {
		return here
	}
	was := *p
	p.Lo += int64(int32(k))
	p.Hi += int64(int32(k))
	if r := t.root(x, p, steps-1); r.Kind != RootUnknown {
		return r
	}
	*p = was
	return here
}

// sum follows the 64-bit sum whose high word hi computes.
func (t *tracer) sum(hi *ori.Instr, a ori.Operand, here Root, p *Place, steps int) Root {
	if steps == 0 || hi == nil || hi.Op != op.IADD3 || hi.Mods != op.M(op.MX) || hi.NDst != 1 || len(hi.Args) != 6 || hi.Guard.Kind != ori.KNone || hi.Args[3].Kind != ori.KZero {
		return here
	}
	lo := t.v.Once(hi.Args[4])
	if lo == nil || lo.Op != op.IADD3 || lo.Mods != (op.Mods{}) || lo.NDst != 2 || len(lo.Args) != 5 || lo.Guard.Kind != ori.KNone || lo.Args[4].Kind != ori.KZero ||
		hi.Args[5].Kind != ori.KZero || hi.Args[4].Flags != 0 || lo.Args[0].Reg != a.Reg || lo.Args[0].Sub != a.Sub {
		return here
	}
	for k := 2; k <= 3; k++ {
		x0, x1, y0, y1 := lo.Args[k], hi.Args[k-1], lo.Args[5-k], hi.Args[4-k]
		if x0.Kind != ori.KReg || x1.Kind != ori.KReg || x0.Reg != x1.Reg || x1.Sub != x0.Sub+1 || x0.Flags != 0 || x1.Flags != 0 {
			continue
		}
		x0.N = 2
		lw, ok0 := constantOf(y0)
		hw, ok1 := constantOf(y1)
		if !ok0 || !ok1 {
			if r := t.object(here, x0, p, steps); r != here {
				return r
			}
			continue
		}
		was := *p
		by := int64(uint64(hw)<<32 | uint64(lw))
		p.Lo += by
		p.Hi += by
		if r := t.root(x0, p, steps-1); r.Kind != RootUnknown {
			return r
		}
		*p = was
		return here
	}
	return here
}

// constantOf returns the value of a constant operand without marks.
func constantOf(o ori.Operand) (uint32, bool) {
	switch {
	case o.Kind == ori.KImm && o.Flags == 0:
		return uint32(o.Imm), true
	case o.Kind == ori.KZero && o.Class == ori.R && o.Flags&^ori.Neg == 0:
		return 0, true
	}
	return 0, false
}
