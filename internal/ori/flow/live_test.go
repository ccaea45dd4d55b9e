package flow

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// randomFunc makes a function of random edges and moves: whole registers
// and words of them, guarded or not.
func randomFunc(r *rand.Rand) *ori.Func {
	f := randomGraph(r, 1+r.IntN(10))
	for range 6 {
		f.NewReg(ori.R, 1+r.IntN(3))
	}
	f.NewReg(ori.P, 1)
	for _, b := range f.Blocks {
		for range r.IntN(5) {
			b.Append(randomMove(r, f))
		}
	}
	return f
}

// randomMove makes a move between random words of f.
func randomMove(r *rand.Rand, f *ori.Func) *ori.Instr {
	some := func() ori.Operand {
		x := ori.Reg(r.IntN(6))
		if n := int(f.Regs[x].Width); n > 1 && r.IntN(2) == 0 {
			return f.Word(x, r.IntN(n))
		}
		return f.Words(x)
	}
	d, s := some(), some()
	if r.IntN(4) == 0 {
		s = ori.Imm(1)
	}
	i := f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{d}, []ori.Operand{s})
	if r.IntN(4) == 0 {
		i.Guard = f.Words(6)
	}
	return i
}

// alive is the definition: some path from before i in b reads the word
// before it is written for certain.
func alive(b *ori.Block, i *ori.Instr, reg ori.Reg, word uint8, seen map[*ori.Block]bool) bool {
	names := func(a ori.Operand) bool {
		return a.Kind == ori.KReg && a.Reg == reg && a.Sub <= word && word < a.Sub+a.N
	}
	for ; i != nil; i = i.Next() {
		for _, s := range append(i.Srcs(), i.Guard) {
			if names(s) {
				return true
			}
		}
		if i.Guard.Kind == ori.KNone && names(i.Args[0]) {
			return false
		}
	}
	for _, s := range b.Succs {
		if !seen[s] {
			seen[s] = true
			if alive(s, s.First(), reg, word, seen) {
				return true
			}
		}
	}
	return false
}

// TestLive compares with the definition.
func TestLive(t *testing.T) {
	words, found := 0, 0
	for seed := range uint64(400) {
		f := randomFunc(rand.New(rand.NewPCG(seed, 4)))
		l := LiveOf(f)
		has := func(s interface{ Has(int) bool }, r, n int) bool {
			k := l.Number(ori.Reg(r), n)
			return k >= 0 && s.Has(k)
		}
		for _, b := range f.Blocks {
			for r := range f.Regs {
				for n := range int(f.Regs[r].Width) {
					words++
					want := alive(b, b.First(), ori.Reg(r), uint8(n), map[*ori.Block]bool{b: true})
					if has(l.Start(b), r, n) != want {
						t.Fatalf("seed %d: word %d of r%d at the start of b%d: want %v\n%s", seed, n, r, b.ID, want, f)
					}
					if want {
						found++
						if k := l.Number(ori.Reg(r), n); l.Reg(k) != ori.Reg(r) {
							t.Fatalf("seed %d: number %d is of r%d, want r%d", seed, k, l.Reg(k), r)
						}
					}
					if end := alive(b, nil, ori.Reg(r), uint8(n), map[*ori.Block]bool{}); has(l.End(b), r, n) != end {
						t.Fatalf("seed %d: word %d of r%d at the end of b%d: want %v\n%s", seed, n, r, b.ID, end, f)
					}
				}
			}
		}
	}
	t.Logf("%d words at starts of blocks, %d alive", words, found)
}

// mutations change a function through its methods, or in place with Touch.
var mutations = [...]struct {
	name  string
	apply func(r *rand.Rand, f *ori.Func, b *ori.Block)
}{
	{"append", func(r *rand.Rand, f *ori.Func, b *ori.Block) { b.Append(randomMove(r, f)) }},
	{"prepend", func(r *rand.Rand, f *ori.Func, b *ori.Block) { b.Prepend(randomMove(r, f)) }},
	{"remove", func(_ *rand.Rand, _ *ori.Func, b *ori.Block) {
		if i := b.First(); i != nil {
			i.Remove()
		}
	}},
	{"operands", func(r *rand.Rand, f *ori.Func, b *ori.Block) {
		if i := b.Last(); i != nil {
			x := randomMove(r, f)
			f.SetArgs(i, x.Dsts(), x.Srcs())
		}
	}},
	{"in place", func(r *rand.Rand, f *ori.Func, b *ori.Block) {
		if i := b.Last(); i != nil {
			i.Args[1] = f.Words(ori.Reg(r.IntN(6)))
			f.Touch()
		}
	}},
	{"register", func(_ *rand.Rand, f *ori.Func, _ *ori.Block) { f.NewReg(ori.R, 1) }},
	{"edge", func(r *rand.Rand, f *ori.Func, b *ori.Block) { b.AddEdge(f.Blocks[r.IntN(len(f.Blocks))]) }},
	{"no edge", func(_ *rand.Rand, _ *ori.Func, b *ori.Block) {
		if len(b.Succs) > 0 {
			b.RemoveEdge(b.Succs[0])
		}
	}},
	{"other edge", func(r *rand.Rand, f *ori.Func, b *ori.Block) {
		if len(b.Succs) > 0 {
			b.ReplaceSucc(b.Succs[0], f.Blocks[r.IntN(len(f.Blocks))])
		}
	}},
	{"block", func(_ *rand.Rand, f *ori.Func, b *ori.Block) { b.AddEdge(f.NewBlock()) }},
	{"layout", func(_ *rand.Rand, f *ori.Func, _ *ori.Block) {
		if n := len(f.Blocks); n > 2 {
			list := append([]*ori.Block(nil), f.Blocks...)
			list[n-1], list[n-2] = list[n-2], list[n-1]
			f.SetBlocks(list)
		}
	}},
}

// TestNeverStale changes functions in every way and asks every analysis
// after each change: none may answer for the function as it was.
func TestNeverStale(t *testing.T) {
	asked := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 5))
		f := randomFunc(r)
		for range 40 {
			m := mutations[r.IntN(len(mutations))]
			m.apply(r, f, f.Blocks[r.IntN(len(f.Blocks))])
			d := DomOf(f)
			for _, x := range []ori.Holder{d, PostDomOf(f), LoopsOf(f, d), LiveOf(f), ValuesOf(f), AliasOf(f)} {
				if asked++; !x.Holds(f) {
					t.Fatalf("seed %d: %T is out of date after %s", seed, x, m.name)
				}
			}
			live, values := LiveOf(f), ValuesOf(f)
			if d != DomOf(f) || live != LiveOf(f) || values != ValuesOf(f) {
				t.Fatalf("seed %d: nothing changed, and an analysis ran again", seed)
			}
		}
	}
	t.Logf("%d answers", asked)
}

// TestForgottenTouch: a change in place that nobody told of is an error.
func TestForgottenTouch(t *testing.T) {
	m, err := ori.Parse("func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg r2 1/1\nb0: -> b1\nMOV r0 = 0x1\nMOV r1 = 0x1\nb1:\nSTS [r0+0x0], r1\nEXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	for _, x := range []struct {
		name string
		ask  func()
	}{
		{"values", func() { ValuesOf(f) }},
		{"liveness", func() { LiveOf(f) }},
		{"out of date", func() { AliasOf(f) }}, // it asked for the values first
	} {
		f.Touch()
		x.ask()
		if err := f.Verify(ori.Built); err != nil {
			t.Fatal(err)
		}
		a := &f.Blocks[1].First().Args[0]
		a.Reg = 2 - a.Reg
		if err := f.Verify(ori.Built); err == nil || !strings.Contains(err.Error(), x.name) {
			t.Errorf("%s after a change in place: %v", x.name, err)
		}
	}
}
