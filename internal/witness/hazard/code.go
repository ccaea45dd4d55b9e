package hazard

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Code is a decoded function, in blocks.
type Code struct {
	table  *table
	lean   func(o order, f *fact, at int32) // asked for by a test
	insts  []inst
	starts []int     // first instruction of each block
	succs  [][]int32 // blocks that may follow
	entry  []bool    // blocks that begin with nothing pending
	before [][]int   // instructions that may come before each; see preds
}

// Decode reads the words of one function.
func Decode(a *target.Arch, words []bits.Word) (*Code, error) {
	t, err := tableOf(a.SM)
	if err != nil {
		return nil, err
	}
	c := &Code{table: t}
	for n, w := range words {
		x := sass.Decode(a, w)
		if !x.Known() {
			return nil, fmt.Errorf("word %d: unknown instruction %016x%016x", n, w.Hi, w.Lo)
		}
		c.insts = append(c.insts, t.describe(a, x, n))
	}
	c.split()
	return c, nil
}

// Len returns the number of instructions.
func (c *Code) Len() int { return len(c.insts) }

// leaves reports whether control goes elsewhere behind i; calls come back.
func (i *inst) leaves() bool {
	return i.is("BRA", "EXIT", "RET", "BRX", "BRXU", "JMP", "JMX", "JMXU", "KILL")
}

func (i *inst) calls() bool { return i.is("CALL") }

// elsewhere reports whether i leads to code that this replay does not
// connect with it: all that is pending must be over.
func (i *inst) elsewhere() bool { return i.is("CALL", "RET", "BRX", "BRXU", "JMP", "JMX", "JMXU") }

// falls reports whether the next instruction may follow i.
func (i *inst) falls() bool {
	if !i.leaves() || i.never || i.guard != 0 {
		return true
	}
	if !i.is("BRA") {
		return false
	}
	for _, r := range i.reads { // a condition beside the guard
		if f := fileOf(r.cell); f == fileP || f == fileUP {
			return true
		}
	}
	return strings.Contains(i.text, "BRA.DIV") || strings.Contains(i.text, "BRA.CONV")
}

// split finds the blocks. One that nothing leads to is an entry: a kernel's
// first, a subroutine, a case of a jump table.
func (c *Code) split() {
	n := len(c.insts)
	leader := make([]bool, n+1)
	leader[0] = true
	for k := range c.insts {
		i := &c.insts[k]
		if i.target >= 0 && i.target < n && (i.is("BRA") || i.calls()) {
			leader[i.target] = true
		}
		if i.leaves() || i.calls() {
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
	c.succs = make([][]int32, len(c.starts))
	c.entry = make([]bool, len(c.starts))
	reached := make([]bool, len(c.starts))
	for b := range c.starts {
		end := c.end(b)
		last := &c.insts[end-1]
		if t := last.target; last.is("BRA") && !last.never && t >= 0 && t < n {
			c.succs[b] = append(c.succs[b], block[t])
		}
		if last.falls() && end < n {
			if last.calls() {
				c.entry[block[end]] = true
			} else {
				c.succs[b] = append(c.succs[b], block[end])
			}
		}
		for _, s := range c.succs[b] {
			reached[s] = true
		}
	}
	for b := range reached {
		c.entry[b] = c.entry[b] || b == 0 || !reached[b]
	}
}

// end returns the index behind the last instruction of block b.
func (c *Code) end(b int) int {
	if b+1 < len(c.starts) {
		return c.starts[b+1]
	}
	return len(c.insts)
}
