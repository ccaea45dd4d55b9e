package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Crowd is one long block in which more values live than there are registers,
// long rows of stores stand, and barriers between them: what compilers compare
// only up to a number, and what they put into the thread's frame, meet here.
type Crowd struct {
	Values int // that live from its begin to its end
	Rows   []Stmt
}

// Words of a thread's memory in a crowd: of shared and of global memory, and of an
// array in its frame.
const (
	crowdWords  = 64
	crowdFrame  = 16
	crowdCopies = 8 // words of shared memory behind those that are copied to beside the program
)

// crowdRow is an access of a crowd to the thread's own memory, or another line. A
// load of what was not stored is left out: any row can go.
type crowdRow struct {
	space string // "shared", "global", "local" or "copy"; else lines
	load  bool
	place int
	reg   string
	lines []string
}

// NewCrowd makes a small program of a seed around a crowd.
func NewCrowd(seed uint64) *Prog {
	m := &maker{r: rand.New(rand.NewPCG(seed, 0x63726f7764)), p: &Prog{Name: fmt.Sprintf("c%d", seed), Seed: seed, Grid: 1, Block: 32}, small: true}
	if m.chance(25) {
		m.p.Block = 64
	}
	m.p.Fill = m.pick("bits", "small")
	m.p.Regs = []int{0, 24, 24, 28, 32, 40}[m.r.IntN(6)]
	all := where{block: true, warp: true, whole: true}
	m.spend = m.r.IntN(3)
	for m.spend > 0 {
		m.p.Body = append(m.p.Body, m.block(all)...)
	}
	var c Stmt = m.crowd()
	if m.chance(20) {
		c = &Loop{Count: 2, Body: []Stmt{c}}
	}
	m.p.Body = append(m.p.Body, c)
	m.stores()
	m.p.Stores = named(m.p.Body, m.p.Stores)
	return m.p
}

// crowd makes a crowd: a few times a row of stores, a barrier, and uses of what
// lies in the frame behind it.
func (m *maker) crowd() Stmt {
	c := &Crowd{Values: max(m.p.Regs, 24) + m.r.IntN(12)}
	for range 1 + m.r.IntN(2) {
		most := m.pick("shared", "shared", "global")
		for range 44 + m.r.IntN(40) {
			c.row(m, most, 60, 20)
		}
		c.line("bar.sync 0;")
		for range 6 + m.r.IntN(10) {
			c.row(m, most, 0, 60)
		}
	}
	return c
}

// row makes one row: so many of a hundred are stores to the memory that is
// written most, and accesses to the frame.
func (c *Crowd) row(m *maker, most string, stores, frame int) {
	value := func() string { return fmt.Sprintf("%%k%d", m.r.IntN(c.Values)) }
	switch k := m.r.IntN(100); {
	case k < stores:
		c.Rows = append(c.Rows, m.crowdAccess(most, false, value()))
	case k < stores+frame:
		c.Rows = append(c.Rows, m.crowdAccess("local", m.chance(90-stores), value()))
	case m.chance(20):
		c.Rows = append(c.Rows, m.crowdAccess(m.pick("shared", "global"), true, value()))
	case m.chance(15): // at a place in a register
		c.line(fmt.Sprintf("and.b32 %%ki, %s, %d;", value(), crowdFrame-1), "mad.lo.u32 %ki, %ki, 4, %kf;",
			m.pick(fmt.Sprintf("st.local.u32 [%%ki], %s;", value()), fmt.Sprintf("ld.local.u32 %s, [%%ki];", value())))
	case m.chance(5):
		c.line("bar.sync 0;")
	case m.chance(15):
		c.Rows = append(c.Rows, &crowdRow{space: "copy", place: m.r.IntN(crowdCopies)})
	case m.chance(50):
		c.line(fmt.Sprintf("%s %s, %s, %s;", m.pick("add.u32", "xor.b32", "mul.lo.u32", "sub.u32", "max.s32"), value(), value(), value()))
	default:
		c.line(fmt.Sprintf("%s %s, %s, %s;", m.pick("add.u32", "xor.b32", "mul.hi.u32"), m.reg('r'), m.reg('r'), value()))
	}
}

func (c *Crowd) line(l ...string) { c.Rows = append(c.Rows, &crowdRow{lines: l}) }

// crowdAccess makes a row of an access to the thread's own memory.
func (m *maker) crowdAccess(space string, load bool, reg string) Stmt {
	words := crowdWords
	if space == "local" {
		words = crowdFrame
	}
	return &crowdRow{space: space, load: load, place: m.r.IntN(words), reg: reg}
}

func (c *Crowd) print(p *printer) {
	n := p.label()
	for _, l := range []string{
		"{", "// crowd", fmt.Sprintf(".reg .b32 %%k<%d>;", c.Values), ".reg .b32 %ki, %kf, %kp;", ".reg .b64 %ka, %kg;",
		fmt.Sprintf(".local .align 16 .b8 kf%d[%d];", n, 4*crowdFrame),
		fmt.Sprintf("mov.u32 %%kf, kf%d;", n), "mov.u32 %kp, crowd;", fmt.Sprintf("mad.lo.u32 %%kp, %%t, %d, %%kp;", 4*(crowdWords+crowdCopies)),
		"mov.u64 %kg, own_crowd;", fmt.Sprintf("mad.wide.u32 %%kg, %%g, %d, %%kg;", 4*crowdWords), "mad.wide.u32 %ka, %g, 4, %in;",
	} {
		p.line(l)
	}
	for k := range c.Values {
		p.line(fmt.Sprintf("ld.global.u32 %%k%d, [%%ka+%d];", k, 36*k))
	}
	for k := 0; k < crowdFrame; k += 4 {
		p.line(fmt.Sprintf("st.local.v4.u32 [%%kf+%d], {%%k%d, %%k%d, %%t, %%k%d};", 4*k, k, k+1, k+2))
	}
	written := map[string]bool{}
	for _, s := range c.Rows {
		r := s.(*crowdRow)
		if at := r.at(); r.prints(written[at]) {
			written[at] = true
			r.print(p)
		}
	}
	p.line("cp.async.wait_all;")
	for k := range crowdCopies {
		if written[(&crowdRow{space: "copy", place: k}).at()] {
			p.line(fmt.Sprintf("ld.shared.u32 %%ki, [%%kp+%d];", 4*(crowdWords+k)))
			p.line(fmt.Sprintf("xor.b32 %%r%d, %%r%[1]d, %%ki;", 4+k%4))
		}
	}
	for k := range c.Values {
		p.line(fmt.Sprintf("%s %%r%d, %%r%[2]d, %%k%d;", []string{"xor.b32", "add.u32"}[k%2], k%4, k))
	}
	p.line("}")
}

func (c *Crowd) kids() []*[]Stmt   { return []*[]Stmt{&c.Rows} }
func (c *Crowd) clone() Stmt       { return &Crowd{c.Values, cloneAll(c.Rows)} }
func (c *Crowd) simpler() [][]Stmt { return nil }

// at is the memory that a row touches.
func (r *crowdRow) at() string { return fmt.Sprint(r.space, r.place) }

// prints reports whether a row has a meaning where its place was written, or not:
// of two copies to one place nobody knows which is the later one.
func (r *crowdRow) prints(written bool) bool {
	if r.space == "copy" {
		return !written
	}
	return !r.load || r.space == "local" || written
}

func (r *crowdRow) print(p *printer) {
	base := map[string]string{"shared": "%kp", "global": "%kg", "local": "%kf"}[r.space]
	switch {
	case r.space == "copy":
		p.line(fmt.Sprintf("cp.async.ca.shared.global [%%kp+%d], [%%ka+%d], 4;", 4*(crowdWords+r.place), 100*r.place))
	case base == "":
		for _, l := range r.lines {
			p.line(l)
		}
	case r.load:
		p.line(fmt.Sprintf("ld.%s.u32 %s, [%s+%d];", r.space, r.reg, base, 4*r.place))
	default:
		p.line(fmt.Sprintf("st.%s.u32 [%s+%d], %s;", r.space, base, 4*r.place, r.reg))
	}
}

func (r *crowdRow) kids() []*[]Stmt   { return nil }
func (r *crowdRow) clone() Stmt       { c := *r; return &c }
func (r *crowdRow) simpler() [][]Stmt { return nil }

// crowdMemory declares the memory of a program's crowds.
func (p *Prog) crowdMemory(text string) (module, kernel string) {
	if !strings.Contains(text, "// crowd") {
		return "", ""
	}
	return fmt.Sprintf(".global .align 16 .b8 %s_own_crowd[%d];\n", p.Name, p.Grid*p.Block*4*crowdWords), fmt.Sprintf("\t.shared .align 16 .b8 crowd[%d];\n", p.Block*4*(crowdWords+crowdCopies))
}
