// Package tables replays machine code, ours or the reference's, against the
// compiler's latency tables. A report on code of the reference means that a
// table is wrong.
package tables

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/codegen/scoreboard"
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Code is a decoded function.
type Code struct {
	Arch   *target.Arch
	Insts  []sass.Inst
	starts []int // index of the first instruction of each block
	prog   scoreboard.Program
}

var files = [...]target.File{
	sass.FileR: target.FileR, sass.FileU: target.FileUR, sass.FileP: target.FileP, sass.FileUP: target.FileUP, sass.FileB: target.FileB,
}

// Decode reads the words of one function.
func Decode(a *target.Arch, words []bits.Word) (*Code, error) {
	c := &Code{Arch: a}
	for n, w := range words {
		x := sass.Decode(a, w)
		if !x.Known() {
			return nil, fmt.Errorf("word %d: unknown instruction %016x%016x", n, w.Hi, w.Lo)
		}
		c.Insts = append(c.Insts, x)
	}
	c.split()
	return c, nil
}

// split finds the blocks and their successors. A block that nothing leads
// to is taken as an entry.
func (c *Code) split() {
	n := len(c.Insts)
	leader := make([]bool, n+1)
	leader[0] = true
	for k := range c.Insts {
		if t, ok := c.jump(k); ok && t >= 0 && t < n {
			leader[t] = true
		}
		if c.ends(k) {
			leader[k+1] = true
		}
	}
	block := make([]int32, n+1)
	for k := range n {
		if leader[k] {
			c.starts = append(c.starts, k)
		}
		block[k] = int32(len(c.starts) - 1)
	}
	p := &c.prog
	reached := make([]bool, len(c.starts))
	for b, start := range c.starts {
		end := n
		if b+1 < len(c.starts) {
			end = c.starts[b+1]
		}
		var events []timing.Event
		for k := start; k < end; k++ {
			events = append(events, c.event(k))
		}
		hand(events)
		var succs []int32
		if t, ok := c.jump(end - 1); ok && t >= 0 && t < n {
			succs = append(succs, block[t])
		}
		if c.falls(end-1) && end < n {
			succs = append(succs, block[end])
		}
		for _, s := range succs {
			reached[s] = true
		}
		p.Blocks = append(p.Blocks, events)
		p.Succs = append(p.Succs, succs)
	}
	for b := range reached {
		if b == 0 || !reached[b] {
			p.Entry = append(p.Entry, int32(b))
		}
	}
}

// base returns the mnemonic without modifiers.
func base(x *sass.Inst) string {
	name, _, _ := strings.Cut(x.Op().String(), ".")
	return name
}

// jump returns the index of the instruction that instruction k branches to.
func (c *Code) jump(k int) (int, bool) {
	x := &c.Insts[k]
	if base(x) != "BRA" {
		return 0, false
	}
	for n := range x.NArg() {
		if o := x.Arg(n); o.Kind == sass.KindLabel {
			return k + 1 + int(o.Imm)/16, true
		}
	}
	return 0, false
}

// ends reports whether instruction k ends a block.
func (c *Code) ends(k int) bool {
	switch base(&c.Insts[k]) {
	case "BRA", "EXIT", "RET", "BRX", "BRXU", "JMP", "JMX":
		return true
	}
	return false
}

// falls reports whether control may go on behind instruction k.
func (c *Code) falls(k int) bool {
	x := &c.Insts[k]
	if !c.ends(k) {
		return true
	}
	return x.Guard() != sass.Always || conditional(x)
}

// conditional reports whether a branch has a condition beside its guard.
func conditional(x *sass.Inst) bool {
	for n := range x.NArg() {
		if o := x.Arg(n); (o.File == sass.FileP || o.File == sass.FileUP) && !o.Zero {
			return true
		}
	}
	return strings.Contains(x.Op().String(), "DIV") || strings.Contains(x.Op().String(), "CONV")
}

// event describes instruction k.
func (c *Code) event(k int) timing.Event {
	x := &c.Insts[k]
	text := x.Text(c.Arch, 0)
	class := c.class(x)
	var uses []timing.Use
	if g := x.Guard(); g.Pred != 7 {
		f := target.FileP
		if x.GuardFile() == sass.FileUP {
			f = target.FileUP
		}
		uses = append(uses, timing.Use{File: f, Role: timing.Guard, Reg: g.Pred, N: 1, Negated: g.Not})
	}
	arg := uint8(0)
	for n := range x.NArg() {
		o := x.Arg(n)
		uses = append(uses, use(o, class, text, arg)...)
		if o.Role != sass.Write && o.Role != sass.Address && o.File != sass.FileP {
			arg++
		}
	}
	uses = append(uses, implied(x)...)
	q := x.Ctrl()
	e := timing.Describe(class, uses, timing.Ctrl{Stall: q.Stall, WrBar: q.WrBar, RdBar: q.RdBar, Wait: q.Wait})
	mods := modifiers(text)
	e.Leaves, e.Awaits = op.Find(base(x)).Work(&mods)
	if base(x) == "ATOMG" && strings.Contains(text, " RZ, [") { // a tensor map is copied
		e.Leaves |= op.Stored
	}
	return e
}

// hand gives every WARPGROUP.ARRIVE the results of the matrix operations
// behind it: from there on those registers are not the program's.
func hand(events []timing.Event) {
	for k := range events {
		if events[k].Class != target.ClassArrive {
			continue
		}
		for _, e := range events[k+1:] {
			if e.Class == target.ClassArrive {
				break
			}
			if e.Class == target.ClassGmma {
				events[k].Clears = append(events[k].Clears, e.Writes...)
			}
		}
	}
}

// class returns the timing class of an instruction.
func (c *Code) class(x *sass.Inst) target.Class {
	if base(x) == "BMOV" && x.NArg() > 0 && x.Arg(0).File == sass.FileR {
		return target.ClassBmovR
	}
	return x.Class()
}

// modifiers reads the modifiers of an instruction's text; those that Ori has
// no word for are left out.
func modifiers(text string) (list op.Mods) {
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	text, _, _ = strings.Cut(text, " ")
	for _, m := range strings.Split(strings.TrimSuffix(text, ";"), ".")[1:] {
		if x := op.FindMod(m); x != op.NoMod {
			list = list.With(x)
		}
	}
	return list
}

// use translates an operand.
func use(o sass.Operand, class target.Class, text string, arg uint8) []timing.Use {
	if o.Kind != sass.KindReg || o.Zero || o.File == sass.FileNone || o.File == sass.FileSB {
		return nil
	}
	u := timing.Use{File: files[o.File], Reg: o.Reg, N: max(1, o.Width), Arg: arg}
	switch o.Role {
	case sass.Write:
		u.Role = timing.Result
	case sass.Both:
		w := u
		w.Role = timing.Result
		return []timing.Use{u, w}
	case sass.Address:
		u.Role = timing.Address
		switch {
		case o.File == sass.FileU && strings.Contains(text, fmt.Sprintf(" desc[UR%d]", o.Reg)):
			u.Role = timing.Desc
		case class == target.ClassLdc || class == target.ClassUldc || class == target.ClassLdcu:
			u.Role = timing.Index
		}
	}
	return []timing.Use{u}
}

// implied returns the predicates that P2R and its like move by a mask.
func implied(x *sass.Inst) []timing.Use {
	u := timing.Use{File: target.FileP, N: 1}
	switch base(x) {
	case "P2R":
	case "R2P":
		u.Role = timing.Result
	case "UP2UR":
		u.File = target.FileUP
	case "UR2UP":
		u.File, u.Role = target.FileUP, timing.Result
	default:
		return nil
	}
	mask := int64(0x7f)
	for n := range x.NArg() {
		if o := x.Arg(n); o.Kind == sass.KindImm {
			mask = o.Imm
		}
	}
	var list []timing.Use
	for b := range uint8(7) {
		if mask>>b&1 != 0 {
			u.Reg = b
			list = append(list, u)
		}
	}
	return list
}

// Finding is a report with the instruction it is about.
type Finding struct {
	scoreboard.Report
	Index int // in the function
	Text  string
}

// Replay returns up to limit findings.
func (c *Code) Replay(limit int) []Finding {
	t := target.TimingOf(c.Arch)
	var out []Finding
	for _, r := range scoreboard.Replay(&c.prog, t, false, limit) {
		n := c.starts[r.Block] + r.Index
		out = append(out, Finding{r, n, c.Insts[n].Text(c.Arch, uint64(16*n))})
	}
	return out
}
