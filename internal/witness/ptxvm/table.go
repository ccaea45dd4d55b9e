package ptxvm

import "github.com/goptxas/goptxas/internal/ptx/isa"

// meanings says how each instruction is decoded. One that is not here has no
// meaning in the interpreter: tensors.
var meanings = [isa.NumWords]func(*decoder){
	isa.WAdd: (*decoder).add, isa.WSub: (*decoder).add, isa.WMul: (*decoder).mul, isa.WMad: (*decoder).mad, isa.WFma: (*decoder).fma,
	isa.WAddc: (*decoder).addc, isa.WSubc: (*decoder).addc, isa.WMadc: (*decoder).madc,
	isa.WMul24: (*decoder).mul24, isa.WMad24: (*decoder).mul24, isa.WSad: (*decoder).sad, isa.WDiv: (*decoder).div, isa.WRem: (*decoder).rem,
	isa.WAbs: (*decoder).abs, isa.WNeg: (*decoder).neg, isa.WMin: (*decoder).minmax, isa.WMax: (*decoder).minmax,
	isa.WDp4a: (*decoder).dp4a, isa.WDp2a: (*decoder).dp2a,

	isa.WAnd: (*decoder).logic, isa.WOr: (*decoder).logic, isa.WXor: (*decoder).logic, isa.WNot: (*decoder).not, isa.WCnot: (*decoder).cnot,
	isa.WShl: (*decoder).shift, isa.WShr: (*decoder).shift, isa.WShf: (*decoder).funnel, isa.WLop3: (*decoder).lop3, isa.WPrmt: (*decoder).prmt,
	isa.WPopc: (*decoder).popc, isa.WClz: (*decoder).clz, isa.WBrev: (*decoder).brev, isa.WBfind: (*decoder).bfind, isa.WFns: (*decoder).fns,
	isa.WBfe: (*decoder).bfe, isa.WBfi: (*decoder).bfi, isa.WBmsk: (*decoder).bmsk, isa.WSzext: (*decoder).szext,

	isa.WSetp: (*decoder).setp, isa.WSet: (*decoder).set, isa.WSelp: (*decoder).selp, isa.WSlct: (*decoder).slct,
	isa.WTestp: (*decoder).testp, isa.WCopysign: (*decoder).copysign,
	isa.WRcp: (*decoder).rcp, isa.WSqrt: (*decoder).sqrt, isa.WRsqrt: (*decoder).approx, isa.WSin: (*decoder).approx, isa.WCos: (*decoder).approx,
	isa.WLg2: (*decoder).approx, isa.WEx2: (*decoder).approx, isa.WTanh: (*decoder).approx,
	isa.WCvt: (*decoder).cvt, isa.WMov: (*decoder).mov,

	isa.WVadd: (*decoder).video, isa.WVsub: (*decoder).video, isa.WVabsdiff: (*decoder).video, isa.WVmin: (*decoder).video, isa.WVmax: (*decoder).video,
	isa.WVshl: (*decoder).video, isa.WVshr: (*decoder).video, isa.WVset: (*decoder).video, isa.WVmad: (*decoder).vmad,
	isa.WVadd2: (*decoder).simd, isa.WVsub2: (*decoder).simd, isa.WVavrg2: (*decoder).simd, isa.WVabsdiff2: (*decoder).simd, isa.WVmin2: (*decoder).simd,
	isa.WVmax2: (*decoder).simd, isa.WVset2: (*decoder).simd, isa.WVadd4: (*decoder).simd, isa.WVsub4: (*decoder).simd, isa.WVavrg4: (*decoder).simd,
	isa.WVabsdiff4: (*decoder).simd, isa.WVmin4: (*decoder).simd, isa.WVmax4: (*decoder).simd, isa.WVset4: (*decoder).simd,

	isa.WLd: (*decoder).ld, isa.WLdu: (*decoder).ld, isa.WSt: (*decoder).st, isa.WAtom: (*decoder).atom, isa.WRed: (*decoder).atom,
	isa.WCvta: (*decoder).cvta, isa.WIsspacep: (*decoder).isspacep, isa.WMapa: (*decoder).mapa, isa.WGetctarank: (*decoder).getctarank,
	isa.WAlloca: (*decoder).alloca, isa.WStacksave: (*decoder).stacksave, isa.WStackrestore: (*decoder).stackrestore,
	isa.WCp: (*decoder).cp, isa.WMbarrier: (*decoder).mbarrier,
	isa.WPrefetch: (*decoder).hint, isa.WPrefetchu: (*decoder).hint, isa.WApplypriority: (*decoder).hint, isa.WDiscard: (*decoder).hint,
	isa.WCreatepolicy: (*decoder).policy, isa.WMembar: (*decoder).hint, isa.WFence: (*decoder).hint, isa.WNanosleep: (*decoder).hint,
	isa.WPmevent: (*decoder).hint, isa.WSetmaxnreg: (*decoder).hint, isa.WGriddepcontrol: (*decoder).hint,

	isa.WBra: (*decoder).bra, isa.WBrx: (*decoder).brx, isa.WCall: (*decoder).call, isa.WRet: (*decoder).ret, isa.WExit: (*decoder).exit,
	isa.WTrap: (*decoder).trap, isa.WBrkpt: (*decoder).trap,
	isa.WBar: (*decoder).bar, isa.WBarrier: (*decoder).bar,
	isa.WShfl: (*decoder).shfl, isa.WVote: (*decoder).vote, isa.WMatch: (*decoder).match, isa.WRedux: (*decoder).redux,
	isa.WElect: (*decoder).elect, isa.WActivemask: (*decoder).activemask,

	isa.WMma: (*decoder).mma, isa.WWmma: (*decoder).wmma, isa.WWgmma: (*decoder).wgmma, isa.WTensormap: (*decoder).tensormap, isa.WTcgen05: (*decoder).tcgen05,
	isa.WLdmatrix: (*decoder).ldmatrix, isa.WStmatrix: (*decoder).stmatrix, isa.WMovmatrix: (*decoder).movmatrix,

	isa.WTex: (*decoder).tex, isa.WTld4: (*decoder).tld4, isa.WTxq: (*decoder).query, isa.WSuq: (*decoder).query,
	isa.WSuld: (*decoder).suld, isa.WSust: (*decoder).sust, isa.WSured: (*decoder).sured,
}
