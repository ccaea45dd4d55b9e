package sim

import (
	"math/rand/v2"
	"testing"

	"goptxas/internal/cubin"
	ebits "goptxas/internal/engine/bits"
	"goptxas/internal/sass"
	"goptxas/internal/target"
)

// TestRandomWords runs random words of every form of three architectures
// with random registers: whatever they mean, the simulator survives.
func TestRandomWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ran, refused := 0, 0
	for _, name := range []string{"sm_75", "sm_90a", "sm_120a"} {
		a := target.Find(name)
		for op := sass.Op(1); op.String() != ""; op++ {
			sass.Forms(a, op, func(f sass.FormID) bool {
				for range 4 {
					in := sass.New(f)
					w := in.Word()
					for range 1 + r.IntN(8) { // keep the opcode, change fields
						w = w.With(uint(12+r.IntN(92)), 1, r.Uint64()&1)
					}
					if r.IntN(3) == 0 {
						w = w.With(16, 24, r.Uint64())
					}
					if runWord(t, a, w, r) {
						ran++
					} else {
						refused++
					}
				}
				return true
			})
		}
	}
	t.Logf("%d words run, %d without meaning", ran, refused)
}

// runWord runs one word in a warp of its own.
func runWord(t *testing.T, a *target.Arch, word ebits.Word, r *rand.Rand) bool {
	in := sass.Decode(a, word)
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%s: %s: panic: %v", a.Name, in.Text(a, 0), p)
		}
	}()
	m := &Module{Arch: a, pool: pool{imms: map[uint32]uint16{}}}
	d := decoder{arch: a, pool: &m.pool}
	i, err := d.decode(in, 0)
	if err != nil {
		return false
	}
	m.insts = []inst{i, i, i}
	p := &Program{Module: m, module: m, kernel: &cubin.Function{Name: "random"}}
	mc := &machine{prog: p, l: &Launch{Lenient: true, Block: [3]uint32{32, 1, 1}, Grid: [3]uint32{1, 1, 1}}, mem: &Memory{}, stack: 64}
	mc.pool = make([][32]uint32, len(m.pool.words))
	c := &cta{m: mc, block: [3]uint32{32, 1, 1}, shared: make([]byte, 64), live: 32}
	w := &warp{m: mc, cta: c}
	c.warps = []*warp{w}
	for n := range w.r {
		if n == rowZero {
			continue
		}
		for l := range w.r[n] {
			w.r[n][l] = r.Uint32() >> (r.Uint32() & 31)
		}
	}
	w.p[predTrue] = ^uint32(0)
	w.act, w.pc, w.at = ^uint32(0), 1, 0
	mask := r.Uint32() | 1
	if i.full || r.IntN(2) == 0 {
		mask = ^uint32(0)
	}
	i.fn(w, &m.insts[0], mask)
	if w.r[rowZero] != [32]uint32{} {
		t.Errorf("%s: %s writes RZ", a.Name, in.Text(a, 0))
	}
	if w.p[predTrue] != ^uint32(0) {
		t.Errorf("%s: %s writes PT", a.Name, in.Text(a, 0))
	}
	return true
}

// FuzzLoad reads anything as a cubin.
func FuzzLoad(f *testing.F) {
	f.Add([]byte("\x7fELF"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		m, err := Load(b)
		if err != nil {
			return
		}
		for _, k := range m.Kernels() {
			p, err := m.Kernel(k.Name)
			if err != nil {
				continue
			}
			c := p.Blind("bits", 1, false)
			c.Launch.Lenient, c.Launch.MaxSteps, c.Launch.Timed = true, 2000, true
			_, _ = p.Run(&c.Launch)
		}
	})
}
