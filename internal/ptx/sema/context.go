package sema

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema/eval"
	"github.com/goptxas/goptxas/internal/ptx/sema/textpos"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// context is what every check needs to know about where it stands. Module
// level and bodies each have their own.
type context struct {
	m         *Module
	tree      *syntax.Tree
	text      []byte
	file      int32
	unit      *diag.Unit
	ev        eval.Evaluator
	ver       isa.Version
	tgt       Target
	tex       TexMode
	fn        *Func   // the function whose body or parameters are read, or nil
	addressed []int32 // functions whose addresses are initial values
	inBody    bool    // inside a body
}

func (c *context) open(t *syntax.Tree, u *diag.Unit) {
	c.tree, c.text, c.unit = t, t.File.Text, u
	c.ev.Init(t, u)
}

func (c *context) error(p src.Pos, text string)   { c.unit.Report(diag.Error, p, text) }
func (c *context) fatal(p src.Pos, text string)   { c.unit.Report(diag.Fatal, p, text) }
func (c *context) warning(p src.Pos, text string) { c.unit.Report(diag.Warning, p, text) }

// name returns the spelling of a name of the tree.
func (c *context) name(n syntax.Name) string { return string(c.tree.Names.Bytes(n)) }

// after returns the place of the token that follows the one at p.
func (c *context) after(p src.Pos) src.Pos { return textpos.After(c.text, p) }

// word32 reads one of the literals that directives take: at most 32 bits.
func (c *context) word32(x int32) uint32 {
	e := &c.tree.Exprs[x]
	if e.Op == syntax.ExprWarp {
		return eval.WarpSize
	}
	if e.Flags&syntax.FlagOverflow != 0 || e.Val>>32 != 0 && int64(e.Val)>>31 != -1 {
		c.error(e.Pos, "Constant overflow")
	}
	return uint32(e.Val)
}

// word64 reads a literal of a directive without a limit.
func (c *context) word64(x int32) uint64 {
	e := &c.tree.Exprs[x]
	if e.Op == syntax.ExprWarp {
		return eval.WarpSize
	}
	if e.Flags&syntax.FlagOverflow != 0 {
		c.error(e.Pos, "Constant overflow")
	}
	return e.Val
}
