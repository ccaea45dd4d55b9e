package machine

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// ShareGroups lets instructions share the vectors that are put together for them.
// Producers list the words of a matrix fragment at every product; a vector
// made of the same words as one before it is that one:
//
//	COPY a[0] = x                  COPY a[0] = x
//	COPY a[1] = y                  COPY a[1] = y
//	HMMA d = a, b, c               HMMA d = a, b, c
//	COPY e[0] = x                  HMMA g = a, h, c
//	COPY e[1] = y
//	HMMA g = e, h, c
//
// A product that adds to a vector of zeros adds to RZ. fits tells whether an
// instruction has a form.
func ShareGroups(f *ori.Func, fits func(*ori.Instr) bool) bool {
	g := &groups{f: f, v: opt.ValuesOf(f), infos: pool.Make[group](f.Scratch(), len(f.Regs)), now: pool.Make[ori.Reg](f.Scratch(), len(f.Regs))}
	if !g.find() {
		return false
	}
	g.written = pool.Make[int32](f.Scratch(), len(g.v.Words))
	for _, b := range f.Blocks {
		g.block(b)
	}
	g.zeros(fits)
	if g.changed {
		g.rename()
		f.Touch()
	}
	return g.changed
}

// maxGroup is the most words of a vector that is compared.
const maxGroup = 8

// groupKey is the words of a vector: their numbers plus one, 0 = RZ, and how
// many there are.
type groupKey struct {
	words [maxGroup]int32
	n     uint8
}

// group is a register all of whose words are copies, made in one block and
// read in that block behind them.
type group struct {
	ok   bool
	home int32           // ID of the block that writes it, plus one
	last int32           // when its last word is written
	at   [maxGroup]int32 // when each word is
	key  groupKey
}

type groups struct {
	f       *ori.Func
	v       *opt.Values
	infos   []group   // by register
	now     []ori.Reg // the register that takes its place, plus one
	written []int32   // by word: when it was written last
	time    int32     // counts instructions; of blocks, in order
	changed bool
}

// find describes the registers that are groups.
func (g *groups) find() bool {
	for r := range g.f.Regs {
		info := &g.f.Regs[r]
		x := &g.infos[r]
		x.ok = info.Class == ori.R && info.Width > 1 && info.Width <= maxGroup && !info.Fixed
		for n := 0; x.ok && n < int(info.Width); n++ {
			w := g.v.Base[r] + int32(n)
			i := g.v.Words[w].Def
			x.ok = g.v.Words[w].Writes == 1 && i != nil && i.Op == op.COPY && i.Guard.Kind == ori.KNone && i.Args[0].N == 1 &&
				(x.home == 0 || x.home == i.Block().ID+1) && (opt.IsZero(i.Args[1]) || opt.Plain(i.Args[1]) && i.Args[1].Class == ori.R)
			if x.ok {
				x.home = i.Block().ID + 1
				x.key.words[n], x.key.n = 0, info.Width
				if i.Args[1].Kind == ori.KReg {
					x.key.words[n] = g.v.WordOf(i.Args[1]) + 1
				}
			}
		}
	}
	any := false
	time := int32(0)
	for _, b := range g.f.Blocks {
		for i := range b.Instrs {
			time++
			any = g.look(b, i, time) || any
		}
	}
	return any
}

// look notes when words of groups are written, and drops those that are read
// elsewhere than behind that. It reports whether i completes one.
func (g *groups) look(b *ori.Block, i *ori.Instr, time int32) bool {
	for k := int(i.NDst); k <= len(i.Args); k++ {
		a := &i.Guard
		if k < len(i.Args) {
			a = &i.Args[k]
		}
		if a.HasReg() {
			if x := &g.infos[a.Reg]; x.ok && (x.home != b.ID+1 || x.last == 0) {
				x.ok = false
			}
		}
	}
	for k := range i.Old {
		if a := &i.Old[k]; a.HasReg() {
			g.infos[a.Reg].ok = false // it becomes part of another register
		}
	}
	if i.Op != op.COPY || i.Args[0].Kind != ori.KReg {
		return false
	}
	x := &g.infos[i.Args[0].Reg]
	if !x.ok {
		return false
	}
	x.at[i.Args[0].Sub] = time
	for n := range x.key.n {
		if x.at[n] == 0 {
			return false
		}
	}
	x.last = time
	return true
}

// block finds the groups of a block that are made again.
func (g *groups) block(b *ori.Block) {
	var seen map[groupKey]ori.Reg
	for i := range b.Instrs {
		g.time++
		for _, d := range i.Dsts() {
			for n := int32(0); d.Kind == ori.KReg && n < int32(d.N); n++ {
				g.written[g.v.WordOf(d)+n] = g.time
			}
		}
		if i.Op != op.COPY || i.Args[0].Kind != ori.KReg {
			continue
		}
		r := i.Args[0].Reg
		x := &g.infos[r]
		if !x.ok || x.last != g.time {
			continue
		}
		if seen == nil {
			seen = map[groupKey]ori.Reg{}
		}
		first, found := seen[x.key]
		if found && g.unchanged(&g.infos[first]) && g.f.Regs[first].Align >= g.f.Regs[r].Align {
			g.now[r] = first + 1
			g.changed = true
			continue
		}
		seen[x.key] = r
	}
}

// unchanged reports whether the words that x copied still hold what they
// did.
func (g *groups) unchanged(x *group) bool {
	for n := range x.key.n {
		if w := x.key.words[n]; w > 0 && g.written[w-1] > x.at[n] {
			return false
		}
	}
	return true
}

// zeros lets matrix products add to RZ.
func (g *groups) zeros(fits func(*ori.Instr) bool) {
	for _, b := range g.f.Blocks {
		for i := range b.Instrs {
			if i.Op != op.HMMA && i.Op != op.IMMA {
				continue
			}
			c := &i.Args[len(i.Args)-1]
			if c.Kind != ori.KReg || !g.infos[c.Reg].ok || g.infos[c.Reg].key.words != ([maxGroup]int32{}) {
				continue
			}
			was := *c
			*c = ori.Zero(ori.R)
			if !fits(i) {
				*c = was
				continue
			}
			g.changed = true
		}
	}
}

// rename puts the registers that stay where the others were, whose copies
// go.
func (g *groups) rename() {
	for _, b := range g.f.Blocks {
		for i := range b.Instrs {
			if i.NDst > 0 && i.Args[0].Kind == ori.KReg && g.now[i.Args[0].Reg] != 0 {
				i.Remove()
				continue
			}
			for k := int(i.NDst); k < len(i.Args); k++ {
				if a := &i.Args[k]; a.HasReg() && g.now[a.Reg] != 0 {
					a.Reg = g.now[a.Reg] - 1
				}
			}
		}
	}
}
