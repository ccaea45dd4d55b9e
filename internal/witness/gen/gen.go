package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/gen/table"
)

// where says what may stand at a place.
type where struct {
	block  bool // all threads of the block run together: barriers may stand here
	warp   bool // those of $M run together
	whole  bool // and $M is the whole warp
	inFunc bool
	loop   bool // inside a loop
	dead   bool // two branches on one predicate contradict each other, perhaps
	depth  int
	known  []string // the predicates of the branches around
}

type maker struct {
	r      *rand.Rand
	p      *Prog
	spend  int // statements that may still be made
	forms  *[table.Kinds][][]table.Form
	small  bool // a few statements, and only registers that they name
	tensor bool // some are matrix products and copies beside the program
	pairs  bool // some are instructions of sm_100
	woven  bool // most registers are those of a weave
}

// New makes the program of a seed, of the common instructions.
func New(seed uint64) *Prog {
	m := &maker{r: rand.New(rand.NewPCG(seed, 0x676f70747861))}
	return m.make(fmt.Sprintf("g%d", seed), seed)
}

// NewWide makes the program of a seed, of the whole scalar language.
func NewWide(seed uint64) *Prog {
	m := &maker{r: rand.New(rand.NewPCG(seed, 0x77696465)), forms: table.Forms()}
	return m.make(fmt.Sprintf("w%d", seed), seed)
}

// NewSmall makes a small program of a seed: every third is of the whole scalar
// language. Most faults need few statements, and small programs are quick to
// compile and to run.
func NewSmall(seed uint64) *Prog {
	m := &maker{r: rand.New(rand.NewPCG(seed, 0x736d616c6c)), small: true}
	if seed%3 == 0 {
		m.forms = table.Forms()
	}
	return m.make(fmt.Sprintf("s%d", seed), seed)
}

// NewTensor makes a small program of a seed with matrix products or
// asynchronous copies between other statements.
func NewTensor(seed uint64) *Prog {
	m := &maker{r: rand.New(rand.NewPCG(seed, 0x74656e736f72)), small: true, tensor: true}
	if seed%3 == 0 {
		m.forms = table.Forms()
	}
	return m.make(fmt.Sprintf("t%d", seed), seed)
}

// make makes a program.
func (m *maker) make(name string, seed uint64) *Prog {
	m.p = &Prog{Name: name, Seed: seed}
	if m.pairs {
		m.p.Target = "sm_100"
	}
	if m.small {
		return m.makeSmall()
	}
	m.p.Grid = 1 + m.r.IntN(2)
	m.p.Block = 32 * (1 + m.r.IntN(3))
	m.p.Fill = m.pick("edge", "edge", "bits", "f32", "f64", "f16", "small")
	for range m.r.IntN(3) {
		m.spend = 4 + m.r.IntN(8)
		m.p.Funcs = append(m.p.Funcs, Func{Body: m.block(where{inFunc: true, depth: 1})})
	}
	m.spend = 10 + m.r.IntN(50)
	for m.spend > 0 {
		m.p.Body = append(m.p.Body, m.block(where{block: true, warp: true, whole: true})...)
	}
	m.stores()
	m.ends()
	return m.p
}

func (m *maker) pick(list ...string) string { return list[m.r.IntN(len(list))] }

func (m *maker) chance(percent int) bool { return m.r.IntN(100) < percent }

// stores writes every register to the thread's part of the result.
func (m *maker) stores() {
	st := func(f string, args ...any) { m.p.Stores = append(m.p.Stores, &Seq{[]string{fmt.Sprintf(f, args...)}}) }
	at := 0
	for n := range 6 {
		st("st.global.u64 [%%out+%d], %%d%d;", at, n)
		at += 8
	}
	for n := range 4 {
		st("st.global.f64 [%%out+%d], %%e%d;", at, n)
		at += 8
	}
	for n := range 12 {
		st("st.global.u32 [%%out+%d], %%r%d;", at, n)
		at += 4
	}
	for n := range 6 {
		st("st.global.f32 [%%out+%d], %%f%d;", at, n)
		at += 4
	}
	for n := range 4 {
		st("st.global.u32 [%%out+%d], %%x%d;", at, n)
		st("st.global.u32 [%%out+%d], %%u%d;", at+4, n)
		at += 8
	}
	for n := range 6 {
		st("st.global.u16 [%%out+%d], %%h%d;", at, n)
		at += 2
	}
	for n := range 5 {
		m.p.Stores = append(m.p.Stores, &Seq{[]string{
			fmt.Sprintf("selp.u32 %%s0, 1, 0, %%p%d;", n),
			fmt.Sprintf("st.global.u8 [%%out+%d], %%s0;", at),
		}})
		at++
	}
}

// block makes a few statements.
func (m *maker) block(w where) []Stmt {
	var list []Stmt
	for range 1 + m.r.IntN(6) {
		if m.spend <= 0 {
			break
		}
		m.spend--
		list = append(list, m.stmt(w))
	}
	return list
}

// stmt makes one statement.
func (m *maker) stmt(w where) Stmt {
	if m.tensor && w.whole && !w.inFunc && m.chance(25) {
		return m.beside(w)
	}
	if m.pairs && m.chance(40) {
		return m.pair()
	}
	if m.chance(12) {
		return m.real(w)
	}
	if w.inFunc && w.depth < 3 && m.chance(6) {
		return m.leave(w)
	}
	if m.forms != nil {
		return m.wide(w)
	}
	k := m.r.IntN(100)
	switch {
	case k < 8 && w.depth < 4:
		return m.branch(w)
	case k < 13 && w.depth < 3:
		return m.loop(w)
	case k < 25 && !w.inFunc:
		return m.memory()
	case k < 31 && w.warp && !w.inFunc:
		return m.exchange(w)
	case k < 34 && w.block && !w.inFunc:
		return m.barrier()
	case k < 37 && len(m.p.Funcs) > 0 && !w.inFunc:
		return m.calls(w)
	case k < 39 && w.depth < 4:
		return m.way(w)
	case k < 43 && w.block && !w.inFunc:
		return m.fill(table.Uniforms[m.r.IntN(len(table.Uniforms))], false)
	case k < 46:
		return m.special(w)
	case k < 50 && w.depth < 3:
		return m.carried(w)
	case k < 53 && w.depth < 2:
		return m.maze(w)
	}
	return m.fill(table.Templates[m.r.IntN(len(table.Templates))], true)
}

func (m *maker) branch(w where) Stmt {
	in := w
	in.depth++
	if w.block && m.chance(30) { // all threads of the block go one way
		pred := m.condition(&in, w, 'q')
		return &If{Pred: pred, Then: m.block(in), Else: m.block(in)}
	}
	in.block, in.whole = false, false
	s := &If{Pred: m.condition(&in, w, 'p')}
	if m.chance(30) {
		s.Pred = "!" + s.Pred
	}
	s.Masked = w.warp && m.chance(50)
	in.warp = s.Masked
	s.Then = m.block(in)
	if m.chance(60) {
		s.Else = m.block(in)
	}
	return s
}

// condition picks the predicate of a branch and tells what stands inside.
func (m *maker) condition(in *where, w where, kind byte) string {
	pred := m.reg(kind)
	if w.loop && slices.Contains(w.known, pred) {
		pred = m.unknown(w, kind)
	}
	in.dead = w.dead || slices.Contains(w.known, pred)
	in.known = append(slices.Clip(w.known), pred)
	return pred
}

// unknown picks a predicate that no branch around tests, or the last one.
func (m *maker) unknown(w where, kind byte) string {
	pred := m.reg(kind)
	for n := 0; n < 30 && slices.Contains(w.known, pred); n++ {
		pred = m.reg(kind)
	}
	return pred
}

func (m *maker) loop(w where) Stmt {
	in := w
	in.depth += 2
	in.loop = true
	if slices.Contains(w.known, "%q0") && slices.Contains(w.known, "%q1") {
		in.block = false
	}
	l := &Loop{Count: 1 + m.r.IntN(4)}
	if m.chance(40) {
		l.Reg = m.reg('r')
		in.block, in.warp, in.whole = false, false, false
	} else if m.chance(20) {
		l.Again = m.reg('r')
	}
	if m.chance(25) {
		l.Break = m.reg('p')
		in.block, in.warp, in.whole = false, false, false
	}
	l.Body = m.block(in)
	m.avoid(w, l)
	return l
}

// avoid makes a loop leave the predicates alone that the branches around it
// test: the reference takes such a predicate for known all through the loop,
// though the loop changes it.
func (m *maker) avoid(w where, s Stmt) {
	for _, k := range w.known {
		to := m.unknown(w, k[1])
		third := to
		for n := 0; n < 30 && (third == to || slices.Contains(w.known, third)); n++ {
			third = m.reg(k[1])
		}
		r := strings.NewReplacer(k+"|"+to, third+"|"+to, to+"|"+k, to+"|"+third, k, to)
		rename([]Stmt{s}, r)
	}
}

// reg picks a register of a kind.
func (m *maker) reg(kind byte) string {
	if m.woven {
		if r, ok := m.ofPool(kind); ok {
			return r
		}
	}
	for _, f := range file {
		if f.name[1] == kind {
			return fmt.Sprintf("%s%d", f.name, m.r.IntN(f.n))
		}
	}
	return "?"
}

// fill makes an instruction of a template.
func (m *maker) fill(t string, guard bool) Stmt {
	op, kinds, _ := strings.Cut(t, " ")
	i := &Inst{Op: op}
	var before []string
	for n := range len(kinds) {
		kind := kinds[n]
		if !guard && (kind == 'i' || kind == 's') { // what the block shares meets constants only
			kind = 'c'
		}
		a, pre := m.operand(kind)
		i.Args = append(i.Args, a)
		before = append(before, pre...)
	}
	if isExtremum(op) { // of a NaN with itself the reference gives that NaN
		for i.Args[1] == i.Args[2] {
			i.Args[2], _ = m.operand(kinds[2])
		}
	}
	after := clean(op, i.Args[0])
	// The reference loses the guard of testp, and of part of what it makes of
	// set: guarded, set.ge.f32.f32 turns the old value into an integer.
	if guard && len(after) == 0 && !strings.HasPrefix(op, "testp") && !strings.HasPrefix(op, "set.") && m.chance(12) {
		i.Guard = "@" + m.pick("", "!") + m.reg('p')
	}
	return i.between(before, after)
}

// between puts an instruction between lines that go with it.
func (i *Inst) between(before, after []string) Stmt {
	if len(before)+len(after) == 0 {
		return i
	}
	var p printer
	i.print(&p)
	return &Seq{append(append(append([]string{"{"}, before...), strings.TrimSpace(p.out.String())), append(after, "}")...)}
}

// isExtremum reports whether an instruction is min or max of floats.
func isExtremum(op string) bool {
	return (strings.HasPrefix(op, "min.") || strings.HasPrefix(op, "max.")) && strings.Contains(op, ".f")
}

// clean returns what makes a number of what PTX leaves open: it does not say
// which NaN abs and neg give, and a compiler may do them bit by bit or not at
// all; the NaN of an f64 operation is one of its operands, whose order is the
// compiler's; and the magnitude of the least integer is no signed word.
func clean(op, reg string) []string {
	name, _, _ := strings.Cut(op, ".")
	typ := op[strings.LastIndexByte(op, '.')+1:]
	if op == "abs.s32" { // of the least integer it may be above or below zero
		return []string{"min.u32 " + reg + ", " + reg + ", 0x7fffffff;"}
	}
	wide := typ == "f64" && !slices.Contains([]string{"cvt", "set", "setp", "testp", "copysign", "selp", "slct"}, name)
	if !wide && (name != "abs" && name != "neg" || !strings.Contains(typ, "f")) {
		return nil
	}
	least := func(t, v string) []string {
		return []string{".reg ." + t + " %least;", "mov." + t + " %least, " + v + ";", "max." + typ + " " + reg + ", " + reg + ", %least;"}
	}
	switch typ {
	case "f16x2":
		return least("b32", "0xfc00fc00")
	case "bf16x2":
		return least("b32", "0xff80ff80")
	case "f16":
		return least("b16", "0xfc00")
	case "bf16":
		return least("b16", "0xff80")
	case "f64":
		return []string{"max.f64 " + reg + ", " + reg + ", 0dFFF0000000000000;"}
	}
	return []string{"max.f32 " + reg + ", " + reg + ", 0fFF800000;"}
}

// operand makes an operand of a kind, and lines that must stand before.
func (m *maker) operand(kind byte) (arg string, before []string) {
	switch kind {
	case 'c':
		return fmt.Sprintf("0x%x", uint32(m.number(32))), nil
	case 'i':
		if m.chance(50) {
			return m.sum('r', 32), nil
		}
		return fmt.Sprintf("0x%x", uint32(m.number(32))), nil
	case 'j':
		if m.chance(60) {
			return m.sum('d', 64), nil
		}
		return fmt.Sprintf("0x%x", m.number(64)), nil
	case 'n':
		if m.chance(60) {
			return m.sum('h', 16), nil
		}
		return fmt.Sprint(int16(m.number(16))), nil
	case 's':
		if m.chance(30) {
			return m.reg('r'), nil
		}
		return fmt.Sprint(m.r.IntN(36)), nil
	case 'v':
		return fmt.Sprint(m.r.IntN(32)), nil
	case 'o':
		if m.chance(30) {
			return "%odd", []string{".reg .b32 %odd;", "shr.s32 %odd, " + m.reg('r') + ", 1;"}
		}
		return fmt.Sprint(m.r.IntN(36)), nil
	case 'l':
		return fmt.Sprintf("0x%x", m.r.IntN(256)), nil
	case 'g':
		if m.chance(60) {
			return m.reg('f'), nil
		}
		return fmt.Sprintf("0f%08X", uint32(m.number(32))), nil
	case 'k':
		if m.chance(60) {
			return m.reg('e'), nil
		}
		return fmt.Sprintf("0d%016X", m.number(64)), nil
	case 'C', 'D', 'E':
		return m.divisor(map[byte]int{'C': 32, 'D': 64, 'E': 16}[kind]), nil
	case 'S':
		return fmt.Sprint(m.r.IntN(140)), nil
	case 'z':
		return "%odd", []string{".reg .b32 %odd;", "or.b32 %odd, " + m.reg('r') + ", 1;"}
	case 'y':
		return "%odd", []string{".reg .b64 %odd;", "or.b64 %odd, " + m.reg('d') + ", 1;"}
	}
	return m.reg(kind), nil
}

// sum makes a register, at times plus a constant.
func (m *maker) sum(kind byte, bits int) string {
	if m.chance(90) {
		return m.reg(kind)
	}
	return fmt.Sprintf("%s+0x%x", m.reg(kind), m.number(bits))
}

// number makes a constant of up to so many bits: small, near a power of two,
// a float, or anything.
func (m *maker) number(bits int) uint64 {
	v := uint64(0)
	switch m.r.IntN(5) {
	case 0:
		v = uint64(m.r.IntN(40))
	case 1:
		v = 1<<m.r.IntN(bits) - uint64(m.r.IntN(3))
	case 2:
		v = -uint64(m.r.IntN(40))
	case 3:
		floats := [...]uint64{0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0x00800000, 0x3ff0000000000000, 0xc000000000000000, 0x7ff0000000000000, 0x4f000000}
		v = floats[m.r.IntN(len(floats))]
	default:
		v = m.r.Uint64()
	}
	if bits < 64 {
		v &= 1<<bits - 1
	}
	return v
}
