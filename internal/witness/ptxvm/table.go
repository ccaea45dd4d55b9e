package ptxvm

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/arith"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/async"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/control"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/memory"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/mma"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/tcgen05"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/tex"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/warp"
)

// meanings says how each instruction is decoded. One that is not here has no
// meaning in the interpreter.
var meanings = machine.Meanings{
	isa.WAdd: arith.Add, isa.WSub: arith.Add, isa.WMul: arith.Mul, isa.WMad: arith.Mad, isa.WFma: arith.Fma,
	isa.WAddc: arith.Addc, isa.WSubc: arith.Addc, isa.WMadc: arith.Madc,
	isa.WMul24: arith.Mul24, isa.WMad24: arith.Mul24, isa.WSad: arith.Sad, isa.WDiv: arith.Div, isa.WRem: arith.Rem,
	isa.WAbs: arith.Abs, isa.WNeg: arith.Neg, isa.WMin: arith.Minmax, isa.WMax: arith.Minmax,
	isa.WDp4a: arith.Dp4a, isa.WDp2a: arith.Dp2a,

	isa.WAnd: arith.Logic, isa.WOr: arith.Logic, isa.WXor: arith.Logic, isa.WNot: arith.Not, isa.WCnot: arith.Cnot,
	isa.WShl: arith.Shift, isa.WShr: arith.Shift, isa.WShf: arith.Funnel, isa.WLop3: arith.Lop3, isa.WPrmt: arith.Prmt,
	isa.WPopc: arith.Popc, isa.WClz: arith.Clz, isa.WBrev: arith.Brev, isa.WBfind: arith.Bfind, isa.WFns: arith.Fns,
	isa.WBfe: arith.Bfe, isa.WBfi: arith.Bfi, isa.WBmsk: arith.Bmsk, isa.WSzext: arith.Szext,

	isa.WSetp: arith.Setp, isa.WSet: arith.Set, isa.WSelp: arith.Selp, isa.WSlct: arith.Slct,
	isa.WTestp: arith.Testp, isa.WCopysign: arith.Copysign,
	isa.WRcp: arith.Rcp, isa.WSqrt: arith.Sqrt, isa.WRsqrt: arith.Approx, isa.WSin: arith.Approx, isa.WCos: arith.Approx,
	isa.WLg2: arith.Approx, isa.WEx2: arith.Approx, isa.WTanh: arith.Approx,
	isa.WCvt: arith.Cvt, isa.WMov: arith.Mov,

	isa.WVadd: arith.Video, isa.WVsub: arith.Video, isa.WVabsdiff: arith.Video, isa.WVmin: arith.Video, isa.WVmax: arith.Video,
	isa.WVshl: arith.Video, isa.WVshr: arith.Video, isa.WVset: arith.Video, isa.WVmad: arith.Vmad,
	isa.WVadd2: arith.Simd, isa.WVsub2: arith.Simd, isa.WVavrg2: arith.Simd, isa.WVabsdiff2: arith.Simd, isa.WVmin2: arith.Simd,
	isa.WVmax2: arith.Simd, isa.WVset2: arith.Simd, isa.WVadd4: arith.Simd, isa.WVsub4: arith.Simd, isa.WVavrg4: arith.Simd,
	isa.WVabsdiff4: arith.Simd, isa.WVmin4: arith.Simd, isa.WVmax4: arith.Simd, isa.WVset4: arith.Simd,

	isa.WLd: memory.Ld, isa.WLdu: memory.Ld, isa.WSt: memory.St, isa.WAtom: memory.Atom, isa.WRed: memory.Atom,
	isa.WCvta: memory.Cvta, isa.WIsspacep: memory.Isspacep, isa.WMapa: memory.Mapa, isa.WGetctarank: memory.Getctarank,
	isa.WAlloca: memory.Alloca, isa.WStacksave: memory.Stacksave, isa.WStackrestore: memory.Stackrestore,
	isa.WCp: async.Cp, isa.WMbarrier: async.Mbarrier,
	isa.WPrefetch: memory.Hint, isa.WPrefetchu: memory.Hint, isa.WApplypriority: memory.Hint, isa.WDiscard: memory.Hint,
	isa.WCreatepolicy: memory.Policy, isa.WMembar: memory.Hint, isa.WFence: memory.Hint, isa.WNanosleep: memory.Hint,
	isa.WPmevent: memory.Hint, isa.WSetmaxnreg: memory.Hint, isa.WGriddepcontrol: memory.Hint,

	isa.WBra: control.Bra, isa.WBrx: control.Brx, isa.WCall: control.Call, isa.WRet: control.Ret, isa.WExit: control.Exit,
	isa.WTrap: control.Trap, isa.WBrkpt: control.Trap,
	isa.WBar: warp.Bar, isa.WBarrier: warp.Bar,
	isa.WShfl: warp.Shfl, isa.WVote: warp.Vote, isa.WMatch: warp.Match, isa.WRedux: warp.Redux,
	isa.WElect: warp.Elect, isa.WActivemask: warp.Activemask,

	isa.WMma: mma.Mma, isa.WWmma: mma.Wmma, isa.WWgmma: mma.Wgmma, isa.WTensormap: async.Tensormap, isa.WTcgen05: tcgen05.Decode,
	isa.WClusterlaunchcontrol: async.Clusterlaunchcontrol, isa.WMultimem: memory.Multimem,
	isa.WLdmatrix: mma.Ldmatrix, isa.WStmatrix: mma.Stmatrix, isa.WMovmatrix: mma.Movmatrix,

	isa.WTex: tex.Tex, isa.WTld4: tex.Tld4, isa.WTxq: tex.Query, isa.WSuq: tex.Query,
	isa.WSuld: tex.Suld, isa.WSust: tex.Sust, isa.WSured: tex.Sured,
}
