package ra

import (
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// JoinAccumulators makes the registers of warp-group matrix operations, and
// those that are copied from and to them, one where nothing speaks against
// it. The copies would vanish when registers are assigned, but the scheduler
// would count both of their sides.
func JoinAccumulators(f *ori.Func) {
	if !flow.HasGroups(f) {
		return
	}
	b := &builder{f: f, opts: &Options{Registers: 255, Uniforms: 63, Barriers: 16, StackReg: 1}, keep: true, held: &held{known: true}} // of general registers blocks hold none
	p := b.problem()
	for _, blk := range f.Blocks {
		for i := range blk.Instrs {
			for _, o := range i.Args {
				if o.Kind == ori.KConst && o.Reg != ori.NoReg { // an index names a whole register
					p.Excludes = append(p.Excludes, regalloc.Exclude{V: int32(o.Reg)})
				}
			}
		}
	}
	root, word := regalloc.Joins(p)
	for _, blk := range f.Blocks {
		for i := range blk.Instrs {
			for k := range i.Args {
				o := &i.Args[k]
				if o.HasReg() && o.Class == ori.R && root[o.Reg] != int32(o.Reg) {
					o.Sub += uint8(word[o.Reg])
					o.Reg = ori.Reg(root[o.Reg])
				}
			}
			if isCopy(i) && i.Args[0].Reg == i.Args[1].Reg && i.Args[0].Sub == i.Args[1].Sub {
				i.Remove()
			}
		}
	}
	f.Touch()
}
