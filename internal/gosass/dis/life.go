package dis

import (
	"bytes"
	"strconv"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
)

// Registers are live from a definition to their last use: a backward data
// flow over the blocks. Each register file has its columns.

// lifeFiles are the register files shown, with their headings.
var lifeFiles = [...]struct {
	file sass.File
	name string
	size int
}{{sass.FileR, "GPR", 255}, {sass.FileP, "PRED", 7}, {sass.FileU, "UGPR", 255}, {sass.FileUP, "UPRED", 7}}

// regSet holds the registers of all files, one bit each.
type regSet [len(lifeFiles)][4]uint64

func (s *regSet) set(f, r int)      { s[f][r>>6] |= 1 << (r & 63) }
func (s *regSet) has(f, r int) bool { return s[f][r>>6]>>(r&63)&1 != 0 }

// uses are the registers an instruction reads and writes. A guarded write
// leaves the old value alive.
type uses struct{ reads, writes, kills regSet }

func usesOf(i *sass.Inst) uses {
	var u uses
	always := i.Guard() == sass.Always
	if !always && i.Guard().Pred < 7 {
		u.reads.set(fileColumn(i.GuardFile()), int(i.Guard().Pred))
	}
	for n := range i.NArg() {
		o := i.Arg(n)
		f := fileColumn(o.File)
		if o.Kind != sass.KindReg || o.Zero || f < 0 {
			continue
		}
		for k := range max(int(o.Width), 1) {
			r := int(o.Reg) + k
			if r >= lifeFiles[f].size {
				break
			}
			if o.Role != sass.Write {
				u.reads.set(f, r)
			}
			if o.Role == sass.Write || o.Role == sass.Both {
				u.writes.set(f, r)
				if always {
					u.kills.set(f, r)
				}
			}
		}
	}
	return u
}

func fileColumn(f sass.File) int {
	for n := range lifeFiles {
		if lifeFiles[n].file == f {
			return n
		}
	}
	return -1
}

// before gives the set live before an instruction from the set behind it.
func (u *uses) before(after *regSet) regSet {
	var s regSet
	for f := range s {
		for w := range s[f] {
			s[f][w] = after[f][w]&^u.kills[f][w] | u.reads[f][w]
		}
	}
	return s
}

// liveness returns the registers live behind each instruction.
func (g *graph) liveness(all []uses) []regSet {
	in := make([]regSet, len(g.blocks))
	after := make([]regSet, len(g.insts))
	for changed := true; changed; {
		changed = false
		for b := len(g.blocks) - 1; b >= 0; b-- {
			var s regSet
			for _, x := range g.blocks[b].succs {
				s.join(&in[x])
			}
			for n := g.blocks[b].to - 1; n >= g.blocks[b].from; n-- {
				after[n] = s
				s = all[n].before(&s)
			}
			if s != in[b] {
				in[b], changed = s, true
			}
		}
	}
	return after
}

func (s *regSet) join(x *regSet) {
	for f := range s {
		for w := range s[f] {
			s[f][w] |= x[f][w]
		}
	}
}

// Life prints a listing with a column of live registers.
func Life(f *cubin.File, opt *Options) ([]byte, error) {
	p, err := load(f, opt.Only)
	if err != nil {
		return nil, err
	}
	l := &listing{p: p, opt: &Options{}}
	l.measure()
	l.header()
	for _, t := range p.sections {
		l.life(t)
	}
	return l.out, nil
}

func (l *listing) life(t *textSection) {
	g := t.flow(l.p)
	all := make([]uses, len(g.insts))
	var top [len(lifeFiles)]int
	for n := range g.insts {
		all[n] = usesOf(&g.insts[n])
		for f := range top {
			for r := range lifeFiles[f].size {
				if all[n].reads.has(f, r) || all[n].writes.has(f, r) {
					top[f] = max(top[f], r+1)
				}
			}
		}
	}
	after := g.liveness(all)
	l.banner(t.sec.Name)
	l.lifeHead(top)
	for n := range g.insts {
		pc := uint64(n) * sass.WordBytes
		if t.named(pc) {
			l.str(t.nameAt(pc) + ":\n")
		}
		start := len(l.out)
		l.instruction(t, pc)
		l.out = bytes.TrimSuffix(l.out, []byte("\n"))
		l.pad(start)
		l.lifeRow(top, &all[n], &after[n])
	}
}

// lifeHead prints the register numbers above their columns.
func (l *listing) lifeHead(top [len(lifeFiles)]int) {
	start := len(l.out)
	l.pad(start)
	l.str("//")
	for f := range top {
		if top[f] == 0 {
			continue
		}
		l.str(" | " + lifeFiles[f].name + " #  ")
		for r := range top[f] {
			s := strconv.Itoa(r)
			for k := len(s); k < 3; k++ {
				l.out = append(l.out, ' ')
			}
			l.str(s)
		}
	}
	l.str(" |\n")
}

// lifeRow prints one row: ^ defined, v used, x both, : alive.
func (l *listing) lifeRow(top [len(lifeFiles)]int, u *uses, after *regSet) {
	before := u.before(after)
	l.str("//")
	for f := range top {
		if top[f] == 0 {
			continue
		}
		count, row := 0, make([]byte, 0, 3*top[f])
		for r := range top[f] {
			reads, writes := u.reads.has(f, r), u.writes.has(f, r)
			alive := before.has(f, r) || after.has(f, r)
			mark := byte(' ')
			switch {
			case reads && writes:
				mark = 'x'
			case writes:
				mark = '^'
			case reads:
				mark = 'v'
			case alive:
				mark = ':'
			}
			if alive || writes {
				count++
			}
			row = append(row, ' ', ' ', mark)
		}
		l.str(" | ")
		s := strconv.Itoa(count)
		for k := len(s); k < len(lifeFiles[f].name)+2; k++ {
			l.out = append(l.out, ' ')
		}
		l.str(s + "  ")
		l.out = append(l.out, row...)
	}
	l.str(" |\n")
}
