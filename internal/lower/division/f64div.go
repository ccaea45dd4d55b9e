package division

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Division, reciprocal and square root of f64.

// div64 gives d a/b in the rounding of the current instruction.
func div64(l *build.Builder, d, a, b build.Value) {
	round := l.Rounding()
	y := expand.Inverse64(&l.Writer, b, ori.Imm(1))
	q := expand.Quotient64(&l.Writer, a, b, y)
	// The steps are good while the residue has all its bits, which a large
	// dividend sees to, and 1/b and the quotient are normal numbers. A divisor
	// from 2^1017 on is an infinity or NaN as f32; with a smaller one the
	// reciprocal is normal, or not finite and the quotient with it.
	p := l.Test(op.FSETP, op.M(op.MGEU, op.MAND), expand.Absolute(a[1]), ori.Imm(expand.LeastDividend), expand.PT())
	x := expand.Fma32(&l.Writer, expand.RZ(), b[1], q[1])
	p = l.Test(op.FSETP, op.M(op.MGT, op.MAND), expand.Absolute(x), ori.Imm(expand.LeastNormal), p)
	if round != op.NoMod {
		q = expand.Toward64(&l.Writer, q, expand.Fma64(&l.Writer, expand.Whole(b).Negate(), expand.Whole(q), expand.Whole(a)), y, round)
	}
	quickOr(l, d, q, p.Not(), routine.KindDiv64, round, false, append(append(build.Value(nil), a...), b...))
}

// rcp64 gives d 1/b in the rounding of the current instruction.
func rcp64(l *build.Builder, d, b build.Value) {
	round := l.Rounding()
	// Divisors from 2^-1022 to below 2^1022 are moved up by three exponents
	// and a little: those outside come to lie next to zero, on either side.
	// The same word serves as the low one of the estimate.
	const up, least = 0x00300402, expand.LeastNormal + 0x00300402
	low := l.Iadd(b[1], ori.Imm(up))
	y := expand.Inverse64(&l.Writer, b, low)
	p := l.Test(op.FSETP, op.M(op.MGEU, op.MAND), expand.Absolute(low), ori.Imm(least), expand.PT())
	if round != op.NoMod {
		y = expand.Toward64(&l.Writer, y, expand.Fma64(&l.Writer, expand.Whole(b).Negate(), expand.Whole(y), expand.Imm64(expand.One64)), y, round)
	}
	quickOr(l, d, y, p.Not(), routine.KindDiv64, round, false, append(expand.Imm(expand.One64<<32, 2), b...))
}

// sqrt64 gives d the root of x in the rounding of the current instruction.
func sqrt64(l *build.Builder, d, x build.Value) {
	// Good from 2^-970 on, below that the residue loses bits. The difference
	// serves as the low word of the estimate too.
	const least, above = 0x03500000, expand.Inf64
	round, low := l.Rounding(), l.Iadd(x[1], ori.Imm(-least))
	s := expand.Root64(&l.Writer, x, low, round)
	quickOr(l, d, s, l.Cmp1(op.MGE, false, low, ori.Imm(above-least)), routine.KindRoot64, round, false, x)
}

// rsqrt64 lowers rsqrt.approx.f64.
func rsqrt64(l *build.Builder, d, x build.Value) {
	p := l.Cmp1(op.MGE, false, l.Iadd(x[1], ori.Imm(-expand.LeastNormal)), ori.Imm(expand.Inf64-expand.LeastNormal))
	quickOr(l, d, expand.InverseRoot64(&l.Writer, x, expand.RZ()), p, routine.KindInverseRoot, op.NoMod, false, x)
}
