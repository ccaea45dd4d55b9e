package setting

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/eval"
	"github.com/goptxas/goptxas/internal/ptx/sema/textpos"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// Context is what every check needs to know about where it stands. Module
// level and bodies each have their own.
type Context struct {
	Module    *sema.Module
	Tree      *syntax.Tree
	Text      []byte
	File      int32
	Unit      *diag.Unit
	Eval      eval.Evaluator
	Version   isa.Version
	Target    sema.Target
	TexMode   sema.TexMode
	Func      *sema.Func // the function whose body or parameters are read, or nil
	Addressed []int32    // functions whose addresses are initial values
	Initial   uint64     // bytes of initial values so far
	InBody    bool       // inside a body
	// Own finds a variable of the body by its name: its number and space.
	// Nil at module level.
	Own func(n syntax.Name) (index int32, space isa.Space, ok bool)
}

// Open goes on with a tree; messages go to the unit.
func (c *Context) Open(t *syntax.Tree, u *diag.Unit) {
	c.Tree, c.Text, c.Unit = t, t.File.Text, u
	c.Eval.Init(t, u)
}

// Error reports a fault.
func (c *Context) Error(p src.Pos, text string) { c.Unit.Report(diag.Error, p, text) }

// Fatal reports a fault behind which nothing is read.
func (c *Context) Fatal(p src.Pos, text string) { c.Unit.Report(diag.Fatal, p, text) }

// Warning reports what may be meant otherwise.
func (c *Context) Warning(p src.Pos, text string) { c.Unit.Report(diag.Warning, p, text) }

// Name returns the spelling of a name of the tree.
func (c *Context) Name(n syntax.Name) string { return string(c.Tree.Names.Bytes(n)) }

// After returns the place of the token that follows the one at p.
func (c *Context) After(p src.Pos) src.Pos { return textpos.After(c.Text, p) }

// Word32 reads one of the literals that directives take: at most 32 bits.
func (c *Context) Word32(x int32) uint32 {
	e := &c.Tree.Exprs[x]
	if e.Op == syntax.ExprWarp {
		return eval.WarpSize
	}
	if e.Flags&syntax.FlagOverflow != 0 || e.Val>>32 != 0 && int64(e.Val)>>31 != -1 {
		c.Error(e.Pos, "Constant overflow")
	}
	return uint32(e.Val)
}

// Word64 reads a literal of a directive without a limit.
func (c *Context) Word64(x int32) uint64 {
	e := &c.Tree.Exprs[x]
	if e.Op == syntax.ExprWarp {
		return eval.WarpSize
	}
	if e.Flags&syntax.FlagOverflow != 0 {
		c.Error(e.Pos, "Constant overflow")
	}
	return e.Val
}

// NoPos is the place of messages that have none.
const NoPos = src.NoPos
