package machine

import (
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/image"
)

// Bench is a warp of a block of its own that runs single instructions: a
// program of three like in.
func Bench(a *target.Arch, in sass.Inst, of Meanings, l *Launch) (*Warp, *Inst, error) {
	m := &Module{Image: &image.Image{}, Arch: a, pool: code.NewPool()}
	d := code.Decoder{Arch: a, Pool: &m.pool}
	i, err := instOf(&d, of, in, 0)
	if err != nil {
		return nil, nil, err
	}
	m.insts = []Inst{i, i, i}
	p := &Program{Module: m, module: m, kernel: &cubin.Function{Name: "bench"}}
	mc := &machine{prog: p, l: l, mem: &Memory{}, stack: 64}
	for _, word := range m.pool.Words {
		var row [32]uint32
		for n := range row {
			row[n] = word.Off
		}
		mc.pool = append(mc.pool, row)
	}
	c := &cta{m: mc, block: [3]uint32{32, 1, 1}, shared: make([]byte, 64), live: 32}
	c.cluster = &cluster{blocks: []*cta{c}}
	w := &Warp{m: mc, cta: c}
	c.warps = []*Warp{w}
	w.P[code.PredTrue] = ^uint32(0)
	w.act, w.pc = ^uint32(0), 1
	return w, &m.insts[0], nil
}

// Err is what ended the launch.
func (w *Warp) Err() error { return w.m.err }

// Next is the instruction that the running group goes on at.
func (w *Warp) Next() uint32 { return w.pc }
