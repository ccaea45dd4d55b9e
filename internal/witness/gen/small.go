package gen

import (
	"fmt"
	"strings"
)

// makeSmall makes a program of a few statements. It writes and stores only
// the registers that they name.
func (m *maker) makeSmall() *Prog {
	m.p.Grid, m.p.Block = 1, 32
	if m.chance(15) {
		m.p.Grid = 2
	}
	if m.chance(25) {
		m.p.Block = 64
	}
	m.p.Fill = m.pick("edge", "edge", "bits", "f32", "f64", "f16", "small")
	if m.chance(15) {
		m.spend = 1 + m.r.IntN(5)
		m.p.Funcs = append(m.p.Funcs, Func{Body: m.block(where{inFunc: true, depth: 1})})
	}
	m.spend = 2 + m.r.IntN(12)
	all := where{block: true, warp: true, whole: true}
	if m.tensor {
		m.p.Body = append(m.p.Body, m.beside(all))
	}
	for m.spend > 0 {
		m.p.Body = append(m.p.Body, m.block(all)...)
	}
	m.stores()
	m.p.Stores = named(m.p.Body, m.p.Stores)
	m.ends()
	return m.p
}

// named keeps the stores of registers that statements name; where they name
// none, all.
func named(body, stores []Stmt) []Stmt {
	var p printer
	p.mask = "0xffffffff"
	p.list(body)
	text := p.out.String()
	var keep []Stmt
	for _, s := range stores {
		lines := s.(*Seq).Lines
		reg := strings.TrimSuffix(lines[0][strings.LastIndexByte(lines[0], ' ')+1:], ";")
		n := strings.TrimLeft(reg, "%abcdefghijklmnopqrstuvwxyz")
		k := 0
		if _, err := fmt.Sscan(n, &k); err == nil && uses(text, reg[:2], k) {
			keep = append(keep, s)
		}
	}
	if len(keep) == 0 {
		return stores
	}
	return keep
}
