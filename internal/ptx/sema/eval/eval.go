// Package eval computes constant expressions of PTX.
package eval

import (
	"math"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema/textpos"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// ValueKind is the type of a constant: PTX knows 64-bit integers of either
// sign and 64-bit floats.
type ValueKind uint8

// The kinds of constants. Raw is a 0f literal: 32 bits with no arithmetic.
const (
	NoValue ValueKind = iota
	Int
	Uint
	Float
	Raw
)

// Value is a constant. Bits holds the integer, the bits of the float64, or
// the 32 bits of a Raw.
type Value struct {
	Kind ValueKind
	Bits uint64
}

// Float64 returns the value of a Float.
func (v Value) Float64() float64 { return math.Float64frombits(v.Bits) }

// F32 returns the bits the value has where an f32 is wanted: a double is
// rounded once more, to nearest even; a Raw stays as it is.
func (v Value) F32() uint32 {
	if v.Kind == Float {
		f := v.Float64()
		if math.IsNaN(f) {
			return 0x7fc00000 // the conversion keeps no payload
		}
		return math.Float32bits(float32(f))
	}
	return uint32(v.Bits)
}

// WarpSize is the value of WARP_SZ on every target.
const WarpSize = 32

// Evaluator computes constant expressions of one tree. Faults go to the
// unit; a fatal one leaves NoValue.
type Evaluator struct {
	tree *syntax.Tree
	Unit *diag.Unit
	text []byte
}

func (ev *Evaluator) Init(t *syntax.Tree, u *diag.Unit) {
	ev.tree, ev.Unit, ev.text = t, u, t.File.Text
}

// Eval returns the value of expression x.
func (ev *Evaluator) Eval(x int32) Value {
	e := &ev.tree.Exprs[x]
	switch e.Op {
	case syntax.ExprInt:
		if e.Flags&syntax.FlagOverflow != 0 {
			ev.error(e.Pos, "Constant overflow")
		}
		if e.Flags&syntax.FlagUnsigned != 0 || e.Val>>63 != 0 {
			return Value{Uint, e.Val}
		}
		return Value{Int, e.Val}
	case syntax.ExprFloat:
		if e.Flags&syntax.FlagOverflow != 0 {
			ev.error(e.Pos, "Constant overflow")
		}
		return Value{Float, e.Val}
	case syntax.ExprWarp:
		return Value{Int, WarpSize}
	case syntax.ExprRaw:
		return Value{Raw, e.Val}
	case syntax.ExprPlus, syntax.ExprNeg, syntax.ExprNot, syntax.ExprCom, syntax.ExprCast:
		return ev.unary(x)
	case syntax.ExprCond:
		return ev.cond(x)
	case syntax.ExprBad:
		return Value{}
	}
	return ev.binary(x)
}

func (ev *Evaluator) unary(x int32) Value {
	e := &ev.tree.Exprs[x]
	a := ev.Eval(e.A)
	if a.Kind == NoValue {
		return a
	}
	switch e.Op {
	case syntax.ExprNeg:
		if a.Kind == Float {
			return Value{Float, math.Float64bits(-a.Float64())}
		}
		return Value{a.Kind, -a.Bits}
	case syntax.ExprNot:
		ev.needInt(x, a)
		return Value{Int, bit(a.Bits == 0)}
	case syntax.ExprCom:
		ev.needInt(x, a)
		if a.Kind == Float {
			a.Kind = Int
		}
		return Value{a.Kind, ^a.Bits}
	case syntax.ExprCast:
		ev.needInt(x, a)
		switch isa.Word(e.Val).Type() {
		case isa.S64:
			return Value{Int, a.Bits}
		case isa.U64:
			return Value{Uint, a.Bits}
		}
		ev.errorAfter(x, "Unsupported cast operation")
		return Value{Int, a.Bits}
	}
	return a
}

// cond takes the type of the chosen arm; all three parts must be integers.
func (ev *Evaluator) cond(x int32) Value {
	e := &ev.tree.Exprs[x]
	c, a, b := ev.Eval(e.A), ev.Eval(e.B), ev.Eval(e.C)
	if c.Kind == NoValue || a.Kind == NoValue || b.Kind == NoValue {
		return Value{}
	}
	ev.needInt(x, c)
	ev.needInt(x, a)
	ev.needInt(x, b)
	if c.Bits != 0 {
		return a
	}
	return b
}

func (ev *Evaluator) binary(x int32) Value {
	e := &ev.tree.Exprs[x]
	a, b := ev.Eval(e.A), ev.Eval(e.B)
	if a.Kind == NoValue || b.Kind == NoValue {
		return Value{}
	}
	if (a.Kind == Float) != (b.Kind == Float) {
		ev.errorAfter(x, "Constant expression type mismatch")
	}
	switch e.Op {
	case syntax.ExprMul, syntax.ExprDiv, syntax.ExprAdd, syntax.ExprSub:
		return ev.arith(x, a, b)
	case syntax.ExprLt, syntax.ExprLe, syntax.ExprGt, syntax.ExprGe, syntax.ExprEq, syntax.ExprNe:
		return Value{Int, bit(compare(e.Op, a, b))}
	}
	ev.needInt(x, a)
	ev.needInt(x, b)
	return ev.integer(x, a, b)
}

func (ev *Evaluator) arith(x int32, a, b Value) Value {
	op := ev.tree.Exprs[x].Op
	if op == syntax.ExprDiv && (b.Bits == 0 || b.Kind == Float && b.Float64() == 0) {
		ev.fatalAfter(x, "Constant expression has division by zero")
		return Value{}
	}
	if a.Kind == Float && b.Kind == Float {
		p, q := a.Float64(), b.Float64()
		switch op {
		case syntax.ExprMul:
			p *= q
		case syntax.ExprDiv:
			p /= q
		case syntax.ExprAdd:
			p += q
		default:
			p -= q
		}
		return Value{Float, math.Float64bits(p)}
	}
	if a.Kind == Float || b.Kind == Float {
		return a // already refused: the left side gives the type
	}
	kind := Int
	if a.Kind == Uint || b.Kind == Uint {
		kind = Uint
	}
	switch op {
	case syntax.ExprMul:
		return Value{kind, a.Bits * b.Bits}
	case syntax.ExprAdd:
		return Value{kind, a.Bits + b.Bits}
	case syntax.ExprSub:
		return Value{kind, a.Bits - b.Bits}
	}
	if kind == Uint {
		return Value{kind, a.Bits / b.Bits}
	}
	if int64(b.Bits) == -1 {
		return Value{kind, -a.Bits} // the smallest integer has no positive counterpart
	}
	return Value{kind, uint64(int64(a.Bits) / int64(b.Bits))}
}

// integer computes the operators that only integers have. The remainder is
// unsigned whatever its operands are; shifts use six bits of the count.
func (ev *Evaluator) integer(x int32, a, b Value) Value {
	kind := Int
	if a.Kind == Uint || b.Kind == Uint {
		kind = Uint
	}
	switch ev.tree.Exprs[x].Op {
	case syntax.ExprRem:
		if b.Bits == 0 {
			ev.fatalAfter(x, "Constant expression has division by zero")
			return Value{}
		}
		return Value{kind, a.Bits % b.Bits}
	case syntax.ExprShl:
		return Value{shiftKind(a), a.Bits << (b.Bits & 63)}
	case syntax.ExprShr:
		if a.Kind == Uint {
			return Value{Uint, a.Bits >> (b.Bits & 63)}
		}
		return Value{Int, uint64(int64(a.Bits) >> (b.Bits & 63))}
	case syntax.ExprAnd:
		return Value{kind, a.Bits & b.Bits}
	case syntax.ExprXor:
		return Value{kind, a.Bits ^ b.Bits}
	case syntax.ExprOr:
		return Value{kind, a.Bits | b.Bits}
	case syntax.ExprLand:
		return Value{Int, bit(a.Bits != 0 && b.Bits != 0)}
	case syntax.ExprLor:
		return Value{Int, bit(a.Bits != 0 || b.Bits != 0)}
	}
	return Value{}
}

func shiftKind(a Value) ValueKind {
	if a.Kind == Uint {
		return Uint
	}
	return Int
}

func compare(op syntax.ExprOp, a, b Value) bool {
	var less, equal bool
	switch {
	case a.Kind == Float && b.Kind == Float:
		less, equal = a.Float64() < b.Float64(), a.Float64() == b.Float64()
	case a.Kind == Uint || b.Kind == Uint:
		less, equal = a.Bits < b.Bits, a.Bits == b.Bits
	default:
		less, equal = int64(a.Bits) < int64(b.Bits), a.Bits == b.Bits
	}
	switch op {
	case syntax.ExprLt:
		return less
	case syntax.ExprLe:
		return less || equal
	case syntax.ExprGt:
		return !less && !equal
	case syntax.ExprGe:
		return !less
	case syntax.ExprEq:
		return equal
	}
	return !equal
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (ev *Evaluator) needInt(x int32, v Value) {
	if v.Kind == Float {
		ev.errorAfter(x, "Integer constant expression expected")
	}
}

func (ev *Evaluator) error(p src.Pos, text string) { ev.Unit.Report(diag.Error, p, text) }

func (ev *Evaluator) errorAfter(x int32, text string) {
	ev.Unit.Report(diag.Error, ev.noticed(x), text)
}

func (ev *Evaluator) fatalAfter(x int32, text string) {
	ev.Unit.Report(diag.Fatal, ev.noticed(x), text)
}

// noticed returns the place where a fault of operator x shows: products
// are folded as soon as their last literal is read, everything else waits
// for the token that ends it.
func (ev *Evaluator) noticed(x int32) src.Pos {
	e := &ev.tree.Exprs[x]
	last := ev.Last(x)
	switch e.Op {
	case syntax.ExprMul, syntax.ExprDiv, syntax.ExprRem:
		return last
	}
	return textpos.After(ev.text, last)
}

// Last returns the place of the last literal of expression x.
func (ev *Evaluator) Last(x int32) src.Pos {
	for {
		e := &ev.tree.Exprs[x]
		switch e.Op {
		case syntax.ExprBad, syntax.ExprInt, syntax.ExprFloat, syntax.ExprRaw, syntax.ExprWarp:
			return e.Pos
		case syntax.ExprPlus, syntax.ExprNeg, syntax.ExprNot, syntax.ExprCom, syntax.ExprCast:
			x = e.A
		case syntax.ExprCond:
			x = e.C
		default:
			x = e.B
		}
	}
}

// NoticedEnd returns the place of the token after expression x.
func (ev *Evaluator) NoticedEnd(x int32) src.Pos { return textpos.After(ev.text, ev.Last(x)) }
