package sched

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/words"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// toy makes random functions. Physical registers are few, so that they are
// written again and again; virtual ones are many.
type toy struct {
	r    *rand.Rand
	f    *ori.Func
	phys bool
	regs [ori.NumClasses][3][]ori.Reg
}

func newToy(seed uint64, phys bool) *toy {
	m := &ori.Module{}
	t := &toy{r: rand.New(rand.NewPCG(seed, 5)), f: m.NewFunc("toy"), phys: phys}
	count := [ori.NumClasses]int{ori.R: 16, ori.UR: 6, ori.P: 4}
	for c, n := range count {
		for w := 1; w <= 2; w++ {
			if w == 2 && ori.Class(c) == ori.P {
				continue
			}
			for p := 0; p+w <= n; p += w {
				t.reg(ori.Class(c), w, p)
			}
		}
	}
	return t
}

func (t *toy) reg(c ori.Class, w, p int) ori.Operand {
	r := t.f.NewReg(c, w)
	if t.phys {
		t.f.Regs[r].Phys = int16(p)
	}
	t.regs[c][w] = append(t.regs[c][w], r)
	return t.f.Words(r)
}

func (t *toy) any(c ori.Class, w int) ori.Operand {
	l := t.regs[c][w]
	return t.f.Words(l[t.r.IntN(len(l))])
}

// dst returns a register to write: a new one half of the time when they
// are virtual.
func (t *toy) dst(c ori.Class, w int) ori.Operand {
	if !t.phys && t.r.IntN(2) == 0 {
		return t.reg(c, w, 0)
	}
	return t.any(c, w)
}

func (t *toy) addr() ori.Operand {
	if t.r.IntN(8) == 0 {
		return ori.Addr(ori.Operand{}, int64(4*t.r.IntN(6)))
	}
	return ori.Addr(t.any(ori.R, 1), int64(4*t.r.IntN(6)))
}

func (t *toy) instr() *ori.Instr {
	f := t.f
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	r1 := func() ori.Operand { return t.any(ori.R, 1) }
	var i *ori.Instr
	switch t.r.IntN(14) {
	case 0, 1:
		i = f.NewInstr(op.IADD3, op.Mods{}, ops(t.dst(ori.R, 1)), ops(r1(), r1(), r1()))
	case 2:
		i = f.NewInstr(op.FFMA, op.Mods{}, ops(t.dst(ori.R, 1)), ops(r1(), r1(), r1()))
	case 3:
		i = f.NewInstr(op.IMAD, op.M(op.MWIDE), ops(t.dst(ori.R, 2)), ops(r1(), r1(), t.any(ori.R, 2)))
	case 4:
		i = f.NewInstr(op.ISETP, op.M(op.MGE, op.MAND), ops(t.dst(ori.P, 1)), ops(r1(), r1(), t.any(ori.P, 1)))
	case 5:
		i = f.NewInstr(op.LDS, op.Mods{}, ops(t.dst(ori.R, 1)), ops(t.addr()))
	case 6:
		i = f.NewInstr(op.STS, op.Mods{}, nil, ops(t.addr(), r1()))
	case 7:
		i = f.NewInstr(op.LDG, op.M(op.ME, op.M64), ops(t.dst(ori.R, 2)), ops(t.addr()))
	case 8:
		i = f.NewInstr(op.STG, op.M(op.ME), nil, ops(t.addr(), r1()))
	case 9:
		i = f.NewInstr(op.MUFU, op.M(op.MRCP), ops(t.dst(ori.R, 1)), ops(r1()))
	case 10:
		i = f.NewInstr(op.UIADD3, op.Mods{}, ops(t.dst(ori.UR, 1)), ops(t.any(ori.UR, 1), t.any(ori.UR, 1), t.any(ori.UR, 1)))
	case 11:
		i = f.NewInstr(op.MOV, op.Mods{}, ops(t.dst(ori.R, 1)), ops(t.any(ori.UR, 1)))
	case 12:
		i = f.NewInstr(op.ATOMS, op.M(op.MADD), ops(t.dst(ori.R, 1)), ops(t.addr(), r1()))
	default:
		if t.r.IntN(4) > 0 {
			return t.instr()
		}
		i = f.NewInstr(op.BAR, op.M(op.MSYNC), nil, ops(ori.Imm(0)))
	}
	if t.r.IntN(5) == 0 {
		i.Guard = t.any(ori.P, 1)
		if t.r.IntN(2) == 0 {
			i.Guard = i.Guard.Not()
		}
	}
	return i
}

func (t *toy) block(n int) *ori.Block {
	b := t.f.NewBlock()
	for range n {
		b.Append(t.instr())
	}
	b.Append(t.f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	return b
}

// machine runs toy programs: every operation mixes its operands, memory is
// exact.
type machine struct {
	names *numbering
	words map[int32]uint32
	mem   map[string]uint32
	log   []string
}

func mix(x ...uint32) uint32 {
	h := uint32(2166136261)
	for _, v := range x {
		h = (h ^ v) * 16777619
		h ^= h >> 13
	}
	return h
}

func (m *machine) get(w int32) uint32 {
	if v, ok := m.words[w]; ok {
		return v
	}
	return mix(uint32(w)) % 4 * 4 // small, so that addresses meet
}

func (m *machine) run(b *ori.Block) {
	for i := range b.Instrs {
		if i.Guard.Kind == ori.KReg {
			v := m.get(m.names.Word(i.Guard))&4 != 0
			if v == (i.Guard.Flags&ori.Inv != 0) {
				continue
			}
		}
		in := []uint32{uint32(i.Op)}
		address := int64(-1)
		for _, o := range i.Srcs() {
			if o.Kind == ori.KAddr {
				address = o.Imm
				if o.Reg != ori.NoReg {
					address += int64(m.get(m.names.Word(o)) % 64)
				}
				continue
			}
			for k := range int32(o.N) {
				if o.HasReg() {
					in = append(in, m.get(m.names.Word(o)+k))
				}
			}
		}
		m.memory(i, address, &in)
		for n, o := range i.Dsts() {
			for k := range int32(o.N) {
				m.words[m.names.Word(o)+k] = mix(append(in, uint32(n), uint32(k))...)
			}
		}
		if i.Op == op.BAR {
			m.log = append(m.log, fmt.Sprint(len(m.mem)))
		}
	}
}

func (m *machine) memory(i *ori.Instr, at int64, in *[]uint32) {
	t, ok := places.TouchOf(i)
	if !ok {
		return
	}
	size := int64(4)
	if i.Mods.Has(op.M64) {
		size = 8
	}
	data := mix(*in...)
	for a := at; a < at+size; a++ {
		cell := fmt.Sprint(t.Space, a)
		if i.Op.Has(op.Reads) {
			*in = append(*in, m.mem[cell])
		}
		if t.Write {
			m.mem[cell] = mix(data, uint32(a), m.mem[cell])
		}
	}
}

func (m *machine) state(live func(w int32) bool) string {
	var ws []int32
	for w := range m.words {
		if live(w) {
			ws = append(ws, w)
		}
	}
	slices.Sort(ws)
	s := fmt.Sprint(m.log)
	for _, w := range ws {
		s += fmt.Sprintf(" %d=%x", w, m.words[w])
	}
	return s + fmt.Sprint(m.mem)
}

func run(f *ori.Func, names *numbering) string {
	m := &machine{names: names, words: map[int32]uint32{}, mem: map[string]uint32{}}
	m.run(f.Blocks[0])
	return m.state(func(int32) bool { return true })
}

func TestPostKeepsMeaning(t *testing.T) {
	moved, insts := 0, 0
	for seed := range uint64(600) {
		y := newToy(seed, true)
		b := y.block(5 + int(seed%60))
		names := words.Physical(y.f)
		want, before := run(y.f, names), y.f.String()
		Post(y.f, target.Find("sm_90a"), anyTuning(seed))
		if got := run(y.f, names); got != want {
			t.Fatalf("seed %d\n%s\nbecame\n%s", seed, before, y.f)
		}
		if y.f.String() != before {
			moved++
		}
		insts += b.Len()
	}
	t.Logf("%d instructions, order changed in %d of 600 blocks", insts, moved)
	if moved < 300 {
		t.Errorf("only %d blocks changed", moved)
	}
}

// anyTuning is the usual tuning for every other seed, else any.
func anyTuning(seed uint64) Tuning {
	if seed%2 == 0 {
		return Usual()
	}
	n := int(seed)
	return Tuning{
		Slack: n % 50, Spare: n % 13, Registers: n % 3 * 40, Manner: n % (Manners + 2), Jitter: n,
		Strict: 100 + n%20, Crowded: n % 160, Constants: n % 60, Full: 1 + n%12, Tests: 1 + n%16,
		Judged: n % 6, Surely: n % 100, Trifle: 1 + n%100, Large: n * 10, Shared: 1 + n%32, Leaner: n % 20, Derived: Derived{Rounds: n % 4, Slack: n % 40, Share: 1 + n%6},
		Lighter: 1 + n%12, Greedy: n % 300, Stored: n % 40, Tested: n % 50,
	}
}

// moody is a judge that says anything.
type moody struct{ seed uint64 }

func (j *moody) Guess(float64) (cost, memory float64) {
	j.seed++
	return float64(j.seed % 3), float64(j.seed % 2)
}

func (j *moody) Price(float64) (cost float64, memory bool) {
	j.seed++
	return float64(j.seed % 3), j.seed%2 == 0
}

func (j *moody) Within(n int) int { return n }

func (j *moody) Dry(most float64) (cost float64) { return dried(j.Price(most)) }

func (j *moody) Keep() bool { return true }

func (j *moody) Takes() (int, bool) { return int(j.seed % 256), j.seed%4 == 0 }

func (j *moody) Places() bool {
	j.seed++
	return j.seed%2 == 0
}

func TestPreKeepsMeaning(t *testing.T) {
	moved := 0
	for seed := range uint64(600) {
		y := newToy(seed, false)
		y.block(5 + int(seed%60))
		names := words.Virtual(y.f)
		want, before := run(y.f, names), y.f.String()
		// any of several orders may be taken where registers run out
		Pre(y.f, target.Find("sm_90a"), Budget{Most: 24 + int(seed%100)}, anyTuning(seed), &moody{seed: seed})
		if got := run(y.f, names); got != want {
			t.Fatalf("seed %d\n%s\nbecame\n%s", seed, before, y.f)
		}
		if y.f.String() != before {
			moved++
		}
	}
	t.Logf("order changed in %d of 600 blocks", moved)
	if moved < 200 {
		t.Errorf("only %d blocks changed", moved)
	}
}

// peak returns the most general words alive at once in the first block of f.
func peak(f *ori.Func) int {
	names := words.Virtual(f)
	t := newTracer(f, names, words.LivesOf(f, names))
	t.enter(f.Blocks[0])
	most := int32(0)
	for i := f.Blocks[0].Last(); i != nil; i = i.Prev() {
		t.step(i)
		most = max(most, t.now[general])
	}
	return int(most)
}

// TestPreRespectsBudget gives Pre many loads that it would like to issue
// first, and few registers.
func TestPreRespectsBudget(t *testing.T) {
	for _, budget := range []int{24, 32, 64, 128} {
		m := &ori.Module{}
		f := m.NewFunc("loads")
		b := f.NewBlock()
		sum := f.NewReg(ori.R, 1)
		base := f.NewReg(ori.R, 2)
		b.Append(f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{f.Words(sum)}, []ori.Operand{ori.Zero(ori.R)}))
		for n := range 200 {
			v := f.NewReg(ori.R, 1)
			b.Append(f.NewInstr(op.LDG, op.M(op.ME), []ori.Operand{f.Words(v)}, []ori.Operand{ori.Addr(f.Words(base), int64(4*n))}))
			b.Append(f.NewInstr(op.FADD, op.Mods{}, []ori.Operand{f.Words(sum)}, []ori.Operand{f.Words(sum), f.Words(v)}))
		}
		b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
		before := peak(f)
		Pre(f, target.Find("sm_90a"), Budget{Most: budget}, Usual(), nil)
		got := peak(f)
		early := 0
		for i := b.First().Next(); i.Op == op.LDG; i = i.Next() {
			early++
		}
		t.Logf("budget %d: %d words alive before, %d after, %d loads issued first", budget, before, got, early)
		if got > budget {
			t.Errorf("budget %d: %d words alive", budget, got)
		}
		if early < 8 {
			t.Errorf("budget %d: only %d loads first", budget, early)
		}
	}
}

// TestDeterministic schedules the same program twice.
func TestDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		var text [2]string
		for n := range text {
			y := newToy(seed, true)
			y.block(80)
			Post(y.f, target.Find("sm_90a"), Usual())
			text[n] = y.f.String()
		}
		if text[0] != text[1] {
			t.Fatalf("seed %d differs", seed)
		}
	}
}

func TestLoadsGoFirst(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
  reg r0 2/2 phys=2
  reg r1 1/1 phys=4
  reg r2 1/1 phys=5
  reg r3 1/1 phys=6
  reg r4 1/1 phys=7
  b0:
    FADD r3 = r3, r3
    FADD r3 = r3, r3
    LDG.E r1 = [r0.64+0x0]
    FADD r4 = r1, r3
    LDG.E r2 = [r0.64+0x4]
    FADD r4 = r4, r2
    STG.E [r0.64+0x8], r4
    EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Post(f, target.Find("sm_90a"), Usual())
	loads := 0
	for i := f.Blocks[0].First(); i.Op == op.LDG || i.Args[0].Reg == 3; i = i.Next() {
		if i.Op == op.LDG {
			loads++
		}
	}
	if loads != 2 || f.Blocks[0].First().Op != op.LDG {
		t.Errorf("loads do not go first:\n%s", f)
	}
	if f.Blocks[0].Last().Op != op.EXIT {
		t.Errorf("EXIT moved:\n%s", f)
	}
}

// TestCompareBeforeBranch issues what a branch waits for early.
func TestCompareBeforeBranch(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
  reg r0 1/1 phys=2
  reg r1 1/1 phys=3
  reg r2 1/1 phys=4
  reg p3 1/1 phys=0
  b0: -> b0, b1
    FADD r0 = r0, r0
    FADD r1 = r1, r1
    IADD3 r2 = r2, 0x1, rz
    FADD r0 = r0, r1
    ISETP.NE.U32.AND p3 = r2, 0x8, pt
    @p3 BRA b0
  b1:
    EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Post(f, target.Find("sm_90a"), Usual())
	if first := f.Blocks[0].First(); first.Op != op.IADD3 {
		t.Errorf("the branch's chain does not go first:\n%s", f)
	}
}

// TestStackLast: the stack is not given back before the last access to it.
func TestStackLast(t *testing.T) {
	m, err := ori.Parse(`func f {
  reg r0 1/1 phys=1 fixed
  reg r1 1/1 phys=3
  reg r2 1/1 phys=4
  b0:
    IADD3 r0 = r0, -0x10, rz
    IADD3 r1 = r0, r2, rz
    STL [r1+0x0], r2
    LDL r2 = [r1+0x4]
    IADD3 r0 = r0, 0x10, rz
    EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Post(f, target.Find("sm_90a"), Usual())
	if i := f.Blocks[0].Last().Prev(); i.Op != op.IADD3 {
		t.Errorf("an access stands behind the end of the frame:\n%s", f)
	}
}

func BenchmarkPost(b *testing.B) {
	for _, n := range []int{1000, 50000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				y := newToy(1, true)
				y.block(n)
				b.StartTimer()
				Post(y.f, target.Find("sm_90a"), Usual())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
		})
	}
}

func BenchmarkPre(b *testing.B) {
	for _, n := range []int{1000, 50000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				y := newToy(1, false)
				y.block(n)
				b.StartTimer()
				Pre(y.f, target.Find("sm_90a"), Budget{Most: 128}, Usual(), nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
		})
	}
}

// TestGroupsPass: arithmetic passes warp-group matrix operations and waits for
// them, what touches their registers or memory does not.
func TestGroupsPass(t *testing.T) {
	const text = `func f kernel {
reg r0 4/4 phys=24
reg r1 1/1 phys=4
reg r2 1/1 phys=5
reg u3 4/4 phys=0
reg r4 1/1 phys=6
reg r5 1/1 phys=25
b0:
WARPGROUP.ARRIVE
HGMMA.64x8x16.F32 r0 = gdesc[u3]+0x0, r0, gsb0
WARPGROUP.DEPBAR.LE gsb0, 0x0
FADD r2 = r5, r5
STS [0x0], r2
IMAD r4 = r1, r1, r1
IMAD r4 = r4, r4, r1
IMAD r4 = r4, r4, r1
IMAD r4 = r4, r4, r1
STS [0x4], r4
EXIT
}
`
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Post(f, target.Find("sm_90a"), Usual())
	at := map[op.Op]int{}
	n := 0
	for i := range f.Blocks[0].Instrs {
		if _, ok := at[i.Op]; !ok || i.Op == op.WARPGROUP { // the first of each, the last wait
			at[i.Op] = n
		}
		n++
	}
	if at[op.IMAD] > at[op.WARPGROUP] {
		t.Errorf("the product of integers waits:\n%s", f.Append(nil))
	}
	if at[op.FADD] < at[op.WARPGROUP] || at[op.STS] < at[op.WARPGROUP] {
		t.Errorf("a result is read or memory written before the wait:\n%s", f.Append(nil))
	}
}

// TestCopiesPass: arithmetic passes the end of a group of copies and the wait for
// it, copies, stores and loads do not.
func TestCopiesPass(t *testing.T) {
	const text = `func f kernel {
reg r0 1/1 phys=4
reg r1 2/2 phys=6
reg r2 1/1 phys=8
reg r3 1/1 phys=9
reg u4 2/2 phys=4
b0:
LDGSTS.E [r0+0x0], desc[u4], [r1.64+0x0]
LDGDEPBAR
DEPBAR.LE SB0, 0x0
LDS r2 = [r0+0x0]
LDGSTS.E [r0+0x4], desc[u4], [r1.64+0x4]
LDGDEPBAR
LDC r3 = c[0x0][0x210]
IADD3 r3 = r3, 0x1, rz
IADD3 r2 = r2, r3, rz
STS [0x8], r2
EXIT
}
`
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Post(f, target.Find("sm_90a"), Usual())
	order, constant := "", -1
	for i := range f.Blocks[0].Instrs {
		switch i.Op {
		case op.LDC:
			constant = len(order)
		case op.LDGSTS, op.LDGDEPBAR, op.DEPBAR, op.LDS, op.STS:
			order += i.Op.String() + " "
		}
	}
	if order != "LDGSTS LDGDEPBAR DEPBAR LDS LDGSTS LDGDEPBAR STS " {
		t.Errorf("memory is touched in another order: %s", order)
	}
	if constant != 0 {
		t.Errorf("the constant waits:\n%s", f)
	}
}

// TestOpenRegisters: what overwrites a matrix of an operation that goes on from
// the last round of a loop stays behind the first reader of this round's
// results, which waits for both.
func TestOpenRegisters(t *testing.T) {
	const text = `func f kernel {
reg r0 32/8 phys=24
reg r1 32/8 phys=56
reg r2 4/4 phys=88
reg r3 1/1 phys=89
reg r4 1/1 phys=4
reg r5 1/1 phys=5
reg r6 1/1 phys=6
reg u7 4/4 phys=0
reg p8 1/1 phys=0
b0: -> b0, b1
HGMMA.64x64x16.F32.LOOSE r1 = gdesc[u7]+0x0, rz, ~upt
FADD r4 = r1[0], r1[1]
IADD3 r3 = r5, 0x1, rz
IADD3 r6 = r3, r5, rz
STS [0x0], r6
STS [0x4], r4
MOV r2[0] = r4
MOV r2[1] = r4
MOV r2[2] = r4
MOV r2[3] = r4
HGMMA.64x64x16.F32.LOOSE.OPEN r0 = r2, gdesc[u7]+0x0, r0
@p8 BRA b0
b1:
EXIT
}
`
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Post(f, target.Find("sm_90a"), Usual())
	for i := range f.Blocks[0].Instrs {
		if i.Op == op.FADD {
			break
		}
		if i.Op == op.IADD3 {
			t.Fatalf("a matrix that may still be read is overwritten at once:\n%s", f)
		}
	}
}

// TestAlone: operations of a block that fills a multiprocessor are taken to
// keep their unit twice as long.
func TestAlone(t *testing.T) {
	for _, c := range []struct {
		threads, registers int32
		alone              bool
	}{{128, 168, false}, {128, 300, false}, {256, 128, false}, {256, 131, true}, {384, 86, true}} {
		f := &ori.Func{}
		f.Props.ReqNTid = [3]int32{c.threads, 1, 1}
		if isAlone(f, c.registers) != c.alone {
			t.Errorf("%d threads with %d registers: alone %v", c.threads, c.registers, !c.alone)
		}
	}
}

// TestDescriptorsAreFree: descriptors of warp-group matrix operations may be
// written again at once. What only a load leads to does not hold the next
// operations back while it is under way.
func TestDescriptorsAreFree(t *testing.T) {
	const head = `func f kernel {
reg r0 32/8 phys=24
reg r1 1/1 phys=4
reg r2 2/2 phys=6
reg u3 4/4 phys=0
reg u4 4/4 phys=8
reg r5 1/1 phys=10
b0:
LDG.E r1 = [r2.64+0x0]
`
	const turn = `UIADD3.64 u3[0:2] = u4[0:2], 0x2, urz
UIADD3.64 u3[2:4] = u4[2:4], 0x2, urz
HGMMA.64x64x16.F32.LOOSE r0 = gdesc[u3]+0x0, r0
`
	m, err := ori.Parse(head + strings.Repeat(turn, 6) + "IADD3 r1 = r1, 0x1, rz\nFADD r5 = r0[3], r0[4]\nSTS [0x0], r5\nSTS [0x4], r1\nEXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Post(f, target.Find("sm_90a"), Usual())
	products := 0
	for i := range f.Blocks[0].Instrs {
		if i.Op == op.HGMMA {
			products++
		}
		if i.Op == op.IADD3 && products < 6 {
			t.Fatalf("the loaded word is read before product %d:\n%s", products+1, f)
		}
	}
}
