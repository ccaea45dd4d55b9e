package lower

import "github.com/goptxas/goptxas/internal/ptx/isa"

// handlers says how each PTX instruction is lowered. An instruction that is
// not here cannot be compiled.
var handlers = [isa.NumWords]func(*lowerer){
	isa.WMov:  (*lowerer).mov,
	isa.WAdd:  (*lowerer).add,
	isa.WSub:  (*lowerer).add,
	isa.WMul:  (*lowerer).mul,
	isa.WMad:  (*lowerer).mad,
	isa.WFma:  (*lowerer).fma,
	isa.WNeg:  (*lowerer).neg,
	isa.WAnd:  (*lowerer).logic,
	isa.WOr:   (*lowerer).logic,
	isa.WXor:  (*lowerer).logic,
	isa.WNot:  (*lowerer).logic,
	isa.WShl:  (*lowerer).shift,
	isa.WShr:  (*lowerer).shift,
	isa.WSetp: (*lowerer).setp,
	isa.WSelp: (*lowerer).selp,
	isa.WLd:   (*lowerer).ld,
	isa.WSt:   (*lowerer).st,
	isa.WCvta: (*lowerer).cvta,
	isa.WCvt:  (*lowerer).cvt,
	isa.WBra:  (*lowerer).bra,
	isa.WRet:  (*lowerer).retInst,
	isa.WExit: (*lowerer).exit,
	isa.WBar:  (*lowerer).bar,

	isa.WMin: (*lowerer).minmax, isa.WMax: (*lowerer).minmax, isa.WAbs: (*lowerer).abs,
	isa.WPopc: (*lowerer).popc, isa.WBrev: (*lowerer).brev, isa.WClz: (*lowerer).clz, isa.WBfind: (*lowerer).bfind,
	isa.WLop3: (*lowerer).lop3, isa.WPrmt: (*lowerer).prmt, isa.WShf: (*lowerer).funnel,
	isa.WBfe: (*lowerer).bfe, isa.WBfi: (*lowerer).bfi, isa.WSad: (*lowerer).sad, isa.WSlct: (*lowerer).slct,
	isa.WCnot: (*lowerer).cnot, isa.WDp4a: (*lowerer).dp, isa.WDp2a: (*lowerer).dp,
	isa.WMul24: (*lowerer).mul24, isa.WMad24: (*lowerer).mul24, isa.WBmsk: (*lowerer).bmsk, isa.WSzext: (*lowerer).szext,

	isa.WRcp: (*lowerer).mufu, isa.WSqrt: (*lowerer).mufu, isa.WRsqrt: (*lowerer).mufu, isa.WLg2: (*lowerer).mufu,
	isa.WEx2: (*lowerer).ex2, isa.WSin: (*lowerer).sincos, isa.WCos: (*lowerer).sincos, isa.WTanh: (*lowerer).tanh,
	isa.WShfl: (*lowerer).shfl, isa.WVote: (*lowerer).vote, isa.WActivemask: (*lowerer).activemask, isa.WMatch: (*lowerer).match,
	isa.WRedux: (*lowerer).redux, isa.WElect: (*lowerer).elect, isa.WNanosleep: (*lowerer).nanosleep, isa.WTrap: (*lowerer).trap,
	isa.WMembar: (*lowerer).membar, isa.WFence: (*lowerer).membar, isa.WAtom: (*lowerer).atom, isa.WRed: (*lowerer).atom,
	isa.WDiv: (*lowerer).div, isa.WRem: (*lowerer).div,
	isa.WAddc: (*lowerer).addc, isa.WSubc: (*lowerer).addc, isa.WMadc: (*lowerer).madc, isa.WFns: (*lowerer).fns,
	isa.WSet:  (*lowerer).set,
	isa.WVadd: (*lowerer).video, isa.WVsub: (*lowerer).video, isa.WVabsdiff: (*lowerer).video, isa.WVmin: (*lowerer).video,
	isa.WVmax: (*lowerer).video, isa.WVshl: (*lowerer).video, isa.WVshr: (*lowerer).video, isa.WVset: (*lowerer).video,
	isa.WVmad: (*lowerer).vmad, isa.WVadd2: (*lowerer).simd2, isa.WVadd4: (*lowerer).simd4, isa.WVsub2: (*lowerer).simd2,
	isa.WVsub4: (*lowerer).simd4, isa.WVavrg2: (*lowerer).simd2, isa.WVavrg4: (*lowerer).simd4, isa.WVabsdiff2: (*lowerer).simd2,
	isa.WVabsdiff4: (*lowerer).simd4, isa.WVmin2: (*lowerer).simd2, isa.WVmin4: (*lowerer).simd4, isa.WVmax2: (*lowerer).simd2,
	isa.WVmax4: (*lowerer).simd4, isa.WVset2: (*lowerer).simd2, isa.WVset4: (*lowerer).simd4,
	isa.WCopysign: (*lowerer).copysign, isa.WTestp: (*lowerer).testp,
}
