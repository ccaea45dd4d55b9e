package ra

import "github.com/goptxas/goptxas/internal/codegen/regalloc"

// The calling convention: R1 is the stack pointer; R2, R16 to R19, R22 to
// R31 and from R32 on four of every eight registers keep their values in a
// call, as do UR36 and B6 and all above them. Predicates do not.
const (
	firstSavedUniform = 36
	firstSavedBarrier = 6
	numPredicates     = 7
)

// Saved reports whether register n of file R keeps its value in a call.
func Saved(n int) bool {
	switch {
	case n >= 32:
		return n%8 >= 4
	case n >= 16:
		return n != 20 && n != 21
	}
	return n == 1 || n == 2
}

// scratch is what a call may destroy.
var scratch = [...]regalloc.Clobber{
	{Class: fileUP, Lo: 0, Hi: numPredicates},
	{Class: fileP, Lo: 0, Hi: numPredicates},
	{Class: fileUR, Lo: 0, Hi: firstSavedUniform},
	{Class: fileB, Lo: 0, Hi: firstSavedBarrier},
	{Class: fileR, Lo: 0, Hi: 1},
	{Class: fileR, Lo: 3, Hi: 16},
	{Class: fileR, Lo: 20, Hi: 22},
	{Class: fileR, Lo: 32, Hi: 36},
	{Class: fileR, Lo: 40, Hi: 44},
	{Class: fileR, Lo: 48, Hi: 52},
	{Class: fileR, Lo: 56, Hi: 60},
	{Class: fileR, Lo: 64, Hi: 68},
	{Class: fileR, Lo: 72, Hi: 76},
	{Class: fileR, Lo: 80, Hi: 84},
	{Class: fileR, Lo: 88, Hi: 92},
	{Class: fileR, Lo: 96, Hi: 100},
	{Class: fileR, Lo: 104, Hi: 108},
	{Class: fileR, Lo: 112, Hi: 116},
	{Class: fileR, Lo: 120, Hi: 124},
	{Class: fileR, Lo: 128, Hi: 132},
	{Class: fileR, Lo: 136, Hi: 140},
	{Class: fileR, Lo: 144, Hi: 148},
	{Class: fileR, Lo: 152, Hi: 156},
	{Class: fileR, Lo: 160, Hi: 164},
	{Class: fileR, Lo: 168, Hi: 172},
	{Class: fileR, Lo: 176, Hi: 180},
	{Class: fileR, Lo: 184, Hi: 188},
	{Class: fileR, Lo: 192, Hi: 196},
	{Class: fileR, Lo: 200, Hi: 204},
	{Class: fileR, Lo: 208, Hi: 212},
	{Class: fileR, Lo: 216, Hi: 220},
	{Class: fileR, Lo: 224, Hi: 228},
	{Class: fileR, Lo: 232, Hi: 236},
	{Class: fileR, Lo: 240, Hi: 244},
	{Class: fileR, Lo: 248, Hi: 252},
}

// FreeUniforms and FreeBarriers are how many a function may use without
// saving any.
const (
	FreeUniforms = firstSavedUniform
	FreeBarriers = firstSavedBarrier
)
