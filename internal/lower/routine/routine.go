// Package routine lists the routines that the compiler writes itself and code
// calls: long ways of division and square root, and instructions for which
// threads of a warp gather from several places.
package routine

import (
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Long ways that a kernel takes in several places stand in it once, as
// routines that it calls: divisions of pairs, and what division and square
// root of floats do with operands that the quick steps are not good for.
// Operands come from R4 on and results go back there; the return address is,
// the low word, in R2: code is shorter than 4 GiB. All else is the caller's but what the routine writes, which
// the caller learns from its code. A routine has no branches: threads that
// enter it together leave it together.
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

// Way is what a routine computes.
type Way uint8

const (
	WayDivide    Way = iota // quotient of unsigned pairs
	WayRemainder            // remainder of unsigned pairs
	WaySigned               // quotient of signed pairs
	WaySignedRem            // remainder of signed pairs
	WayDiv64                // quotient of f64
	WayRoot64               // square root of f64
	WayInverseRoot
	WayDiv32
	WayRoot32
)

// ways say how many words of operands and results each has.
var ways = [...]struct{ in, out int }{
	WayDivide: {4, 2}, WayRemainder: {4, 2}, WaySigned: {4, 2}, WaySignedRem: {4, 2},
	WayDiv64: {4, 2}, WayRoot64: {2, 2}, WayInverseRoot: {2, 2}, WayDiv32: {2, 1}, WayRoot32: {1, 1},
}

// Words is how many words an operand has.
func (w Way) Words() int {
	if w >= WayDiv32 {
		return 1
	}
	return 2
}

// Routines are all there are.
var Routines = [...]struct {
	name  string
	Way   Way
	Round op.Mod
	Ftz   bool
}{
	{"div.u64", WayDivide, op.NoMod, false},
	{"rem.u64", WayRemainder, op.NoMod, false},
	{"div.s64", WaySigned, op.NoMod, false},
	{"rem.s64", WaySignedRem, op.NoMod, false},
	{"div.rn.f64", WayDiv64, op.NoMod, false},
	{"div.rz.f64", WayDiv64, op.MRZ, false},
	{"div.rm.f64", WayDiv64, op.MRM, false},
	{"div.rp.f64", WayDiv64, op.MRP, false},
	{"sqrt.rn.f64", WayRoot64, op.NoMod, false},
	{"sqrt.rz.f64", WayRoot64, op.MRZ, false},
	{"sqrt.rm.f64", WayRoot64, op.MRM, false},
	{"sqrt.rp.f64", WayRoot64, op.MRP, false},
	{"rsqrt.f64", WayInverseRoot, op.NoMod, false},
	{"div.rn.f32", WayDiv32, op.NoMod, false},
	{"div.rz.f32", WayDiv32, op.MRZ, false},
	{"div.rm.f32", WayDiv32, op.MRM, false},
	{"div.rp.f32", WayDiv32, op.MRP, false},
	{"div.rn.ftz.f32", WayDiv32, op.NoMod, true},
	{"div.rz.ftz.f32", WayDiv32, op.MRZ, true},
	{"div.rm.ftz.f32", WayDiv32, op.MRM, true},
	{"div.rp.ftz.f32", WayDiv32, op.MRP, true},
	{"sqrt.rn.f32", WayRoot32, op.NoMod, false},
	{"sqrt.rz.f32", WayRoot32, op.MRZ, false},
	{"sqrt.rm.f32", WayRoot32, op.MRM, false},
	{"sqrt.rp.f32", WayRoot32, op.MRP, false},
	{"sqrt.rn.ftz.f32", WayRoot32, op.NoMod, true},
	{"sqrt.rz.ftz.f32", WayRoot32, op.MRZ, true},
	{"sqrt.rm.ftz.f32", WayRoot32, op.MRM, true},
	{"sqrt.rp.ftz.f32", WayRoot32, op.MRP, true},
}

// ManySites is how many places take a long way that is worth a routine. One
// is shorter in its place.
const ManySites = 2

// Sites counts the places of each routine, up to manySites.
type Sites [len(Routines)]uint8

// find returns the number of a routine.
func FindRoutine(w Way, round op.Mod, ftz bool) int {
	for n := range Routines {
		if r := &Routines[n]; r.Way == w && r.Round == round && r.Ftz == ftz {
			return n
		}
	}
	return -1
}
