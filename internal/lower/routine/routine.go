// Package routine lists the routines that the compiler writes itself and code
// calls: slow paths of division and square root, and instructions for which
// threads of a warp gather from several places.
package routine

import (
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Slow paths that a kernel takes in several places stand in it once, as
// routines that it calls: divisions of pairs, and what division and square
// root of floats do with operands that the quick steps are not good for.
// Operands come from R4 on and results go back there; the return address is,
// the low word, in R2: code is shorter than 4 GiB. All else is the caller's but what the routine writes, which
// the caller learns from its code. Threads that enter a routine together leave
// it together: those that have their result early wait for the others.
const routineReturn = 2

// syncReturn is where routines in which threads gather have it: they leave
// FrameReg alone, since they cannot be avoided where the stack moves.
const syncReturn = 8

// ReturnOf is where routine n has its return address.
func ReturnOf(n int) int {
	if n < len(Routines) {
		return routineReturn
	}
	return syncReturn
}

// Kind is what a routine computes.
type Kind uint8

const (
	KindDivide    Kind = iota // quotient of unsigned pairs
	KindRemainder             // remainder of unsigned pairs
	KindSigned                // quotient of signed pairs
	KindSignedRem             // remainder of signed pairs
	KindDiv64                 // quotient of f64
	KindRoot64                // square root of f64
	KindInverseRoot
	KindDiv32
	KindRoot32
)

// kindWords says how many words of operands and results each has, and how many
// registers it takes at most, on any SM.
var kindWords = [...]struct{ in, out, registers int }{
	KindDivide: {4, 2, 14}, KindRemainder: {4, 2, 14}, KindSigned: {4, 2, 14}, KindSignedRem: {4, 2, 14},
	KindDiv64: {4, 2, 16}, KindRoot64: {2, 2, 12}, KindInverseRoot: {2, 2, 12}, KindDiv32: {2, 1, 10}, KindRoot32: {1, 1, 7},
}

// Registers is how many registers it takes, which its callers lose.
func (w Kind) Registers() int { return kindWords[w].registers }

// Words is how many words an operand has.
func (w Kind) Words() int {
	if w >= KindDiv32 {
		return 1
	}
	return 2
}

// Routines are all there are.
var Routines = [...]struct {
	name  string
	Kind  Kind
	Round op.Mod
	Ftz   bool
}{
	{"div.u64", KindDivide, op.NoMod, false},
	{"rem.u64", KindRemainder, op.NoMod, false},
	{"div.s64", KindSigned, op.NoMod, false},
	{"rem.s64", KindSignedRem, op.NoMod, false},
	{"div.rn.f64", KindDiv64, op.NoMod, false},
	{"div.rz.f64", KindDiv64, op.MRZ, false},
	{"div.rm.f64", KindDiv64, op.MRM, false},
	{"div.rp.f64", KindDiv64, op.MRP, false},
	{"sqrt.rn.f64", KindRoot64, op.NoMod, false},
	{"sqrt.rz.f64", KindRoot64, op.MRZ, false},
	{"sqrt.rm.f64", KindRoot64, op.MRM, false},
	{"sqrt.rp.f64", KindRoot64, op.MRP, false},
	{"rsqrt.f64", KindInverseRoot, op.NoMod, false},
	{"div.rn.f32", KindDiv32, op.NoMod, false},
	{"div.rz.f32", KindDiv32, op.MRZ, false},
	{"div.rm.f32", KindDiv32, op.MRM, false},
	{"div.rp.f32", KindDiv32, op.MRP, false},
	{"div.rn.ftz.f32", KindDiv32, op.NoMod, true},
	{"div.rz.ftz.f32", KindDiv32, op.MRZ, true},
	{"div.rm.ftz.f32", KindDiv32, op.MRM, true},
	{"div.rp.ftz.f32", KindDiv32, op.MRP, true},
	{"sqrt.rn.f32", KindRoot32, op.NoMod, false},
	{"sqrt.rz.f32", KindRoot32, op.MRZ, false},
	{"sqrt.rm.f32", KindRoot32, op.MRM, false},
	{"sqrt.rp.f32", KindRoot32, op.MRP, false},
	{"sqrt.rn.ftz.f32", KindRoot32, op.NoMod, true},
	{"sqrt.rz.ftz.f32", KindRoot32, op.MRZ, true},
	{"sqrt.rm.ftz.f32", KindRoot32, op.MRM, true},
	{"sqrt.rp.ftz.f32", KindRoot32, op.MRP, true},
}

// ManySites is how many places take a slow path that is worth a routine. One
// is shorter in its place.
const ManySites = 2

// Sites counts the places of each routine, up to manySites.
type Sites [len(Routines)]uint8

// Fit forgets all places where one of the routines takes more than so many
// registers: a kernel that is short of them keeps its slow paths in their
// places.
func (s *Sites) Fit(registers int) {
	for n := range s {
		if s[n] >= ManySites && Routines[n].Kind.Registers() > registers {
			*s = Sites{}
			return
		}
	}
}

// FindRoutine returns the number of a routine.
func FindRoutine(w Kind, round op.Mod, ftz bool) int {
	for n := range Routines {
		if r := &Routines[n]; r.Kind == w && r.Round == round && r.Ftz == ftz {
			return n
		}
	}
	return -1
}
