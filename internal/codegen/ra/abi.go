package ra

import (
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
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

// driverScratch is what a function of the driver may destroy from sm_80 on: the
// reference keeps values in R16 to R19 and all from R22 on while these run. On
// sm_75 it holds to the convention.
var driverScratch = [...]regalloc.Clobber{
	{Class: fileUP, Lo: 0, Hi: numPredicates},
	{Class: fileP, Lo: 0, Hi: numPredicates},
	{Class: fileUR, Lo: 0, Hi: abi.FreeUniforms},
	{Class: fileB, Lo: 0, Hi: abi.FreeBarriers},
	{Class: fileR, Lo: 0, Hi: 1},
	{Class: fileR, Lo: 3, Hi: abi.FirstArgReg + abi.NumArgRegs},
	{Class: fileR, Lo: abi.ReturnReg, Hi: abi.ReturnReg + 2},
}

// driverFuncs are the functions of the driver that were looked at (the
// reference's code for sm_80 to sm_120 with 100 and 210 values that live
// through a call), and bulkCopies what the names of others begin with.
var driverFuncs = [...]string{"vprintf", "malloc", "free", "__assertfail"}

const bulkCopies = "__cuda_syscall_cp_async_bulk_"

// destroyed is what call i may destroy. Whether it calls the driver is told by
// the load of the address before it: a function of a program has its address
// in the call, or may have it in the same table, but under another name.
func (b *builder) destroyed(i *ori.Instr) []regalloc.Clobber {
	if b.f.IsCollective(i) {
		return nil
	}
	if b.opts.Routines != nil {
		if list, ok := b.opts.Routines(i); ok {
			return list
		}
	}
	if a := b.opts.Arch; a == nil || a.Family == target.Turing || !b.callsDriver(i) {
		return scratch[:]
	}
	return driverScratch[:]
}

// callsDriver reports whether call i is of one of driverFuncs, as far as its
// block tells.
func (b *builder) callsDriver(i *ori.Instr) bool {
	t := i.Srcs()[0]
	if t.Kind != ori.KReg {
		return false
	}
	for x := i.Prev(); x != nil; x = x.Prev() {
		if !slices.ContainsFunc(x.Dsts(), func(d ori.Operand) bool { return d.Kind == ori.KReg && d.Reg == t.Reg }) {
			continue
		}
		if x.Op != op.LDC || x.Guard.Kind != ori.KNone || x.Args[0] != t || x.Args[1].Kind != ori.KSymbol {
			return false
		}
		name := b.f.Module.Symbols[x.Args[1].Reg].Name
		return slices.Contains(driverFuncs[:], name) || strings.HasPrefix(name, bulkCopies)
	}
	return false
}
