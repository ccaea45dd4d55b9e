package ra

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// numPredicates is how many predicates there are; a call keeps none.
const numPredicates = 7

// scratch is what a call may destroy (codegen/abi).
var scratch = [...]regalloc.Clobber{
	{Class: fileUP, Lo: 0, Hi: numPredicates},
	{Class: fileP, Lo: 0, Hi: numPredicates},
	{Class: fileUR, Lo: 0, Hi: abi.FreeUniforms},
	{Class: fileB, Lo: 0, Hi: abi.FreeBarriers},
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
