package machine

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// partWords are the words of a part of a load from tensor memory that is
// divided: the fewest that still keep the unit busy while the next one is read.
const partWords = 16

// tensorCounts are the loads that have parts.
var tensorCounts = [...]struct {
	mod   op.Mod
	words int
}{{op.Mx32, 32}, {op.Mx64, 64}, {op.Mx128, 128}}

// TensorRuns divides loads from tensor memory where those that are waited for
// together fill more than some words. A result of 64 words takes its registers
// until the last of them is read, and what is made of it needs as many beside;
// parts become free one after the other.
//
//	LDTM.x64 a = t                  LDTM.x16 a0 = t
//	NOP                             LDTM.x16 a1 = t+0x10 …
//	COPY b[0] = a[0]                NOP
//	COPY b[1] = a[4]                COPY b = a0[0], a0[4], a0[8], a0[12]
//	COPY c[0] = a[16] …             COPY d = a0[1], a0[5], a0[9], a0[13] …
//
// Vectors that are put together of the words of one part are made behind the
// wait, one part after the other, wherever they are needed.
func TensorRuns(f *ori.Func, most int) bool {
	t := &tensorRuns{f: f}
	for _, b := range f.Blocks {
		var loads []*ori.Instr
		words := 0
		for i := b.First(); i != nil; i = i.Next() {
			switch {
			case i.Op == op.LDTM:
				loads, words = append(loads, i), words+int(i.Args[i.NDst-1].N)
			case i.Op == op.NOP && len(loads) > 0:
				if words > most {
					t.waits = append(t.waits, tensorWait{i, loads})
				}
				loads, words = nil, 0
			}
		}
	}
	if len(t.waits) == 0 {
		return false
	}
	t.look()
	changed := false
	for _, w := range t.waits {
		var parts []ori.Reg
		for _, i := range w.loads {
			p := t.divide(i)
			changed = changed || len(p) > 1
			parts = append(parts, p...)
		}
		at := w.wait
		for _, r := range parts {
			at = t.gather(r, at)
		}
		changed = changed || at != w.wait
	}
	return f.Touched(changed)
}

// tensorWait is a wait and the loads before it.
type tensorWait struct {
	wait  *ori.Instr
	loads []*ori.Instr
}

type tensorRuns struct {
	f     *ori.Func
	waits []tensorWait

	writes []int32        // by register: instructions that write it
	reads  [][]*ori.Instr // by register: instructions that read it, of results of loads
	makers [][]*ori.Instr // by register: instructions that write it, of vectors copied from these
}

// look finds who writes and reads the results of the loads.
func (t *tensorRuns) look() {
	n := len(t.f.Regs)
	t.writes, t.reads, t.makers = make([]int32, n), make([][]*ori.Instr, n), make([][]*ori.Instr, n)
	run := make([]bool, n)
	for _, w := range t.waits {
		for _, i := range w.loads {
			run[i.Args[i.NDst-1].Reg] = true
		}
	}
	for _, b := range t.f.Blocks {
		for i := range b.Instrs {
			for k := range i.Args {
				a := &i.Args[k]
				if !a.HasReg() {
					continue
				}
				if k < int(i.NDst) {
					t.writes[a.Reg]++
				} else if run[a.Reg] {
					t.reads[a.Reg] = append(t.reads[a.Reg], i)
				}
			}
			if d, s, ok := wordCopy(i); ok && run[s.Reg] {
				t.makers[d.Reg] = append(t.makers[d.Reg], i)
			}
		}
	}
}

// wordCopy returns both sides of a copy of one word.
func wordCopy(i *ori.Instr) (d, s *ori.Operand, ok bool) {
	if i.Op != op.COPY || i.Guard.Kind != ori.KNone || i.NDst != 1 || len(i.Args) != 2 {
		return nil, nil, false
	}
	d, s = &i.Args[0], &i.Args[1]
	return d, s, d.Kind == ori.KReg && s.Kind == ori.KReg && d.Class == ori.R && s.Class == ori.R && s.Flags == 0 && d.N == 1 && s.N == 1
}

// divide makes parts of a load of columns, each lane its own, and returns the
// registers they go to.
func (t *tensorRuns) divide(i *ori.Instr) []ori.Reg {
	a := i.Args[0]
	if i.NDst != 1 || !a.HasReg() || t.writes[a.Reg] != 1 || i.Guard.Kind != ori.KNone || a.Sub != 0 || int(a.N) != int(t.f.Regs[a.Reg].Width) {
		return nil
	}
	alone := []ori.Reg{a.Reg}
	count := op.NoMod
	for _, c := range &tensorCounts {
		if i.Mods == op.M(c.mod) && c.words == int(a.N) {
			count = c.mod
		}
	}
	if count == op.NoMod || len(i.Args) != 2 || !t.f.Should("tensorrun", i) {
		return alone
	}
	for _, u := range t.reads[a.Reg] {
		for _, s := range u.Srcs() {
			if s.HasReg() && s.Reg == a.Reg && int(s.Sub)/partWords != (int(s.Sub)+int(max(1, s.N))-1)/partWords {
				return alone
			}
		}
	}
	parts := make([]ori.Reg, int(a.N)/partWords)
	for k := range parts {
		r := t.f.NewReg(a.Class, partWords)
		t.f.Regs[r].Align = min(t.f.Regs[a.Reg].Align, partWords)
		parts[k] = r
		place := i.Args[1]
		place.Imm += int64(k * partWords)
		d := a
		d.Reg, d.N = r, partWords
		n := t.f.NewInstr(op.LDTM, op.M(op.Mx16), []ori.Operand{d}, []ori.Operand{place})
		n.Line, n.Loc = i.Line, i.Loc
		i.Block().InsertBefore(n, i)
	}
	read := make([][]*ori.Instr, len(parts))
	for _, u := range t.reads[a.Reg] {
		for k := int(u.NDst); k < len(u.Args); k++ {
			if s := &u.Args[k]; s.HasReg() && s.Reg == a.Reg {
				p := int(s.Sub) / partWords
				s.Reg, s.Sub = parts[p], s.Sub%partWords
				read[p] = append(read[p], u)
			}
		}
	}
	for k := range parts {
		t.writes, t.makers, t.reads = append(t.writes, 1), append(t.makers, nil), append(t.reads, read[k])
	}
	i.Remove()
	return parts
}

// gather moves the copies that put vectors together of words of run r alone
// behind instruction at, and returns the last of them.
func (t *tensorRuns) gather(r ori.Reg, at *ori.Instr) *ori.Instr {
	for _, i := range t.reads[r] {
		d, _, ok := wordCopy(i)
		if !ok || i.Block() != at.Block() {
			continue
		}
		made := t.makers[d.Reg]
		if len(made) != int(t.writes[d.Reg]) || len(made) != int(t.f.Regs[d.Reg].Width) || len(made) == 1 || made[0] != i || !t.of(made, r) || !t.follow(made, at) {
			continue
		}
		for _, m := range made {
			m.Remove()
			at.Block().InsertAfter(m, at)
			at = m
		}
	}
	return at
}

// of reports whether all copies are of words of run r, each to a word of its own.
func (t *tensorRuns) of(made []*ori.Instr, r ori.Reg) bool {
	var seen uint64
	for _, m := range made {
		seen |= 1 << (m.Args[0].Sub & 63)
		if m.Args[1].Reg != r {
			return false
		}
	}
	return seen == 1<<len(made)-1
}

// follow reports whether the copies stand behind instruction at in its block
// and nothing in between reads what they write: in a loop that were the vector
// of the turn before.
func (t *tensorRuns) follow(made []*ori.Instr, at *ori.Instr) bool {
	n, r := 0, made[0].Args[0].Reg
	for i := at.Next(); i != nil && n < len(made); i = i.Next() {
		if i == made[n] {
			n++
			continue
		}
		for k := range i.Args {
			if a := &i.Args[k]; a.HasReg() && a.Reg == r {
				return false
			}
		}
	}
	return n == len(made)
}
