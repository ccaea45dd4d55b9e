package build

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// bare is a builder of an empty function.
func bare() *Builder {
	l := New(target.Find("sm_90"))
	l.F = (&ori.Module{}).NewFunc("f")
	l.Cur = l.F.NewBlock()
	return l
}

// TestWords: constants are words, low first, and zero is the zero register.
func TestWords(t *testing.T) {
	if v := expand.Imm(0x1_0000_0000, 2); v[0].Kind != ori.KZero || !v[1].Is(1) {
		t.Errorf("%v", v)
	}
	if n, ok := expand.Known(expand.Imm(0xffff_0000_0001, 2)); !ok || n != 0xffff_0000_0001 {
		t.Errorf("%x %v", n, ok)
	}
	if Words(isa.U8) != 1 || Words(isa.F64) != 2 || Words(isa.B128) != 4 {
		t.Error("words of types")
	}
	for _, c := range [][3]int64{{0, 8, 0}, {1, 8, 8}, {8, 8, 8}, {9, 4, 12}} {
		if got := AlignUp(c[0], c[1]); got != c[2] {
			t.Errorf("%d to %d: %d", c[0], c[1], got)
		}
	}
}

// TestEmit: what is emitted stands at the end of the current block, and a
// guard is on what others can see.
func TestEmit(t *testing.T) {
	l := bare()
	a := l.One(op.S2R, op.Mods{}, ori.Special(op.SRTidX))
	l.Guard = l.Pred()
	l.Emit(op.STS, op.Mods{}, nil, ori.Addr(a, 0), a)
	i := l.Cur.Last()
	if i.Op != op.STS || i.Guard != l.Guard || i.Prev().Op != op.S2R || i.Prev().Guard.Kind != ori.KNone {
		t.Errorf("%s", l.F)
	}
	s := l.Add64(l.Tmp(2), expand.Imm(5, 2), false)
	if len(s) != 2 || l.Cur.Last().Op != op.IADD3 || !l.Cur.Last().Mods.Has(op.MX) {
		t.Errorf("a sum of pairs carries:\n%s", l.F)
	}
}

// TestPrototype: how functions of other objects are told apart.
func TestPrototype(t *testing.T) {
	param := func(ty isa.Type, n uint64) sema.Param {
		return sema.Param{Shape: sema.Shape{Type: ty, Vec: 1, Elems: n}}
	}
	if s := Prototype(nil, []sema.Param{param(isa.U32, 1), param(isa.F64, 1)}); s != "vid" && s[len(s)-3:] != "vid" {
		t.Errorf("%q", s)
	}
	if a, b := Prototype([]sema.Param{param(isa.F32, 1)}, nil), Prototype([]sema.Param{param(isa.F32, 2)}, nil); a == b {
		t.Errorf("both are %q", a)
	}
}
