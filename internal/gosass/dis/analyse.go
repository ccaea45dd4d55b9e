package dis

import (
	"bytes"
	"math/bits"
	"strconv"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Line is one instruction with what can be known about it from the code.
type Line struct {
	Addr  uint64   `json:"a"`
	Text  string   `json:"t"`
	Op    string   `json:"o"`
	Label string   `json:"n,omitempty"`
	Ctrl  string   `json:"c"`
	Stall int      `json:"s"`
	Set   []int    `json:"b,omitempty"` // barriers it sets
	Wait  []int    `json:"w,omitempty"` // barriers it waits for
	From  []int    `json:"f,omitempty"` // the instruction that set each of them
	Why   string   `json:"y,omitempty"` // why the next one comes so late
	Block int      `json:"k"`
	Live  [4]uint8 `json:"l"`           // registers alive behind it: R, P, UR, UP
	Local bool     `json:"m,omitempty"` // uses local memory
}

// Block is a run of instructions with one entry and one exit.
type Block struct {
	From  int   `json:"from"`
	To    int   `json:"to"`
	Succs []int `json:"succs"`
	Loop  int   `json:"loop"` // how many loops it is in
}

// Analysis is the code of one function, seen from all sides.
type Analysis struct {
	Name   string
	Arch   *target.Arch
	Lines  []Line
	Blocks []Block
}

// Analyse reads the code of every function of a file, in its order.
func Analyse(f *cubin.File) ([]*Analysis, error) {
	p, err := load(f, "")
	if err != nil {
		return nil, err
	}
	var list []*Analysis
	for _, t := range p.sections {
		list = append(list, t.analyse(p))
	}
	return list, nil
}

func (t *textSection) analyse(p *program) *Analysis {
	g := t.flow(p)
	x := &Analysis{Name: t.name, Arch: p.arch, Lines: make([]Line, len(g.insts))}
	l := &listing{p: p, opt: &Options{}}
	all := make([]uses, len(g.insts))
	for n := range g.insts {
		all[n] = usesOf(&g.insts[n])
	}
	after := g.liveness(all)
	for n := range g.insts {
		i, pc, c := &g.insts[n], uint64(n)*sass.WordBytes, g.insts[n].Ctrl()
		d := &x.Lines[n]
		*d = Line{
			Addr: pc, Text: string(bytes.TrimRight(l.textOf(t, pc), " ;")), Op: i.Op().String(), Ctrl: c.String(), Stall: int(c.Stall),
			Block: g.at[n], Wait: waited(c.Wait), Local: isLocal(i.Op()),
		}
		if t.named(pc) {
			d.Label = t.nameAt(pc)
		}
		for _, b := range [...]int8{c.RdBar, c.WrBar} {
			if b >= 0 {
				d.Set = append(d.Set, int(b))
			}
		}
		for f := range after[n] {
			for _, w := range after[n][f] {
				d.Live[f] += uint8(bits.OnesCount64(w))
			}
		}
	}
	for _, b := range g.blocks {
		x.Blocks = append(x.Blocks, Block{From: b.from, To: b.to, Succs: append([]int{}, b.succs...)})
	}
	x.loops()
	x.reasons(all)
	return x
}

func waited(mask uint8) (list []int) {
	for n := range 6 {
		if mask>>n&1 != 0 {
			list = append(list, n)
		}
	}
	return list
}

func isLocal(o sass.Op) bool { return o == sass.OpLDL || o == sass.OpSTL }

// loops counts how many loops each block is in: a loop is what lies between
// a jump back and its target in the order of the code.
func (x *Analysis) loops() {
	seen := map[[2]int]bool{}
	for b := range x.Blocks {
		for _, s := range x.Blocks[b].Succs {
			if s > b || s == b && len(x.Blocks[b].Succs) == 1 || seen[[2]int{s, b}] {
				continue // a block that only jumps to itself pads the end
			}
			seen[[2]int{s, b}] = true
			for k := s; k <= b; k++ {
				x.Blocks[k].Loop++
			}
		}
	}
}

// reach is how many instructions back the cause of a stall is looked for.
const reach = 16

// reasons finds who set the barriers that are waited for, and for whose sake
// an instruction delays the next.
func (x *Analysis) reasons(all []uses) {
	for n := range x.Lines {
		d := &x.Lines[n]
		for _, b := range d.Wait {
			d.From = append(d.From, x.setter(n, b))
		}
		if d.Stall < 3 {
			continue
		}
		d.Why = "its unit, or the end of the code"
		if n+1 < len(x.Lines) {
			d.Why = x.reason(n, all)
		}
	}
}

// setter returns the last instruction before n, in the order of the code,
// that sets a barrier; -1 if there is none.
func (x *Analysis) setter(n, barrier int) int {
	for k := n - 1; k >= 0; k-- {
		for _, b := range x.Lines[k].Set {
			if b == barrier {
				return k
			}
		}
	}
	return -1
}

// reason looks for a result that the next instruction reads and that was
// written shortly before.
func (x *Analysis) reason(n int, all []uses) string {
	if isBranch(x.Lines[n].Op) {
		return "a branch"
	}
	next := &all[n+1]
	for k := n; k >= max(0, n-reach); k-- {
		for f := range lifeFiles {
			for r := range lifeFiles[f].size {
				if all[k].writes.has(f, r) && next.reads.has(f, r) {
					return "the next instruction reads " + lifeNames[f] + strconv.Itoa(r) + " of " + x.Lines[k].Op
				}
			}
		}
	}
	return "its unit takes no more yet, or a later reader of its result"
}

// lifeNames are the letters of the files of lifeFiles.
var lifeNames = [...]string{"R", "P", "UR", "UP"}

func isBranch(op string) bool {
	return op == "BRA" || op == "EXIT" || op == "RET" || op == "CALL" || op == "BSYNC"
}
