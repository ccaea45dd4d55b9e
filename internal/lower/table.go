package lower

import "github.com/goptxas/goptxas/internal/ptx/isa"

// arithHandlers lower arithmetic, comparisons and conversions.
var arithHandlers = table{
	isa.WMov:       (*lowerer).mov,
	isa.WAdd:       (*lowerer).add,
	isa.WSub:       (*lowerer).add,
	isa.WMul:       (*lowerer).mul,
	isa.WMad:       (*lowerer).mad,
	isa.WFma:       (*lowerer).fma,
	isa.WNeg:       (*lowerer).neg,
	isa.WAnd:       (*lowerer).logic,
	isa.WOr:        (*lowerer).logic,
	isa.WXor:       (*lowerer).logic,
	isa.WNot:       (*lowerer).logic,
	isa.WShl:       (*lowerer).shift,
	isa.WShr:       (*lowerer).shift,
	isa.WSetp:      (*lowerer).setp,
	isa.WSelp:      (*lowerer).selp,
	isa.WCvt:       (*lowerer).cvt,
	isa.WMin:       (*lowerer).minmax,
	isa.WMax:       (*lowerer).minmax,
	isa.WAbs:       (*lowerer).abs,
	isa.WPopc:      (*lowerer).popc,
	isa.WBrev:      (*lowerer).brev,
	isa.WClz:       (*lowerer).clz,
	isa.WBfind:     (*lowerer).bfind,
	isa.WLop3:      (*lowerer).lop3,
	isa.WPrmt:      (*lowerer).prmt,
	isa.WShf:       (*lowerer).funnel,
	isa.WBfe:       (*lowerer).bfe,
	isa.WBfi:       (*lowerer).bfi,
	isa.WSad:       (*lowerer).sad,
	isa.WSlct:      (*lowerer).slct,
	isa.WCnot:      (*lowerer).cnot,
	isa.WDp4a:      (*lowerer).dp,
	isa.WDp2a:      (*lowerer).dp,
	isa.WMul24:     (*lowerer).mul24,
	isa.WMad24:     (*lowerer).mul24,
	isa.WBmsk:      (*lowerer).bmsk,
	isa.WSzext:     (*lowerer).szext,
	isa.WRcp:       (*lowerer).mufu,
	isa.WSqrt:      (*lowerer).mufu,
	isa.WRsqrt:     (*lowerer).mufu,
	isa.WLg2:       (*lowerer).mufu,
	isa.WEx2:       (*lowerer).ex2,
	isa.WSin:       (*lowerer).sincos,
	isa.WCos:       (*lowerer).sincos,
	isa.WTanh:      (*lowerer).tanh,
	isa.WAddc:      (*lowerer).addc,
	isa.WSubc:      (*lowerer).addc,
	isa.WMadc:      (*lowerer).madc,
	isa.WFns:       (*lowerer).fns,
	isa.WSet:       (*lowerer).set,
	isa.WVadd:      (*lowerer).video,
	isa.WVsub:      (*lowerer).video,
	isa.WVabsdiff:  (*lowerer).video,
	isa.WVmin:      (*lowerer).video,
	isa.WVmax:      (*lowerer).video,
	isa.WVshl:      (*lowerer).video,
	isa.WVshr:      (*lowerer).video,
	isa.WVset:      (*lowerer).video,
	isa.WVmad:      (*lowerer).vmad,
	isa.WVadd2:     (*lowerer).simd2,
	isa.WVadd4:     (*lowerer).simd4,
	isa.WVsub2:     (*lowerer).simd2,
	isa.WVsub4:     (*lowerer).simd4,
	isa.WVavrg2:    (*lowerer).simd2,
	isa.WVavrg4:    (*lowerer).simd4,
	isa.WVabsdiff2: (*lowerer).simd2,
	isa.WVabsdiff4: (*lowerer).simd4,
	isa.WVmin2:     (*lowerer).simd2,
	isa.WVmin4:     (*lowerer).simd4,
	isa.WVmax2:     (*lowerer).simd2,
	isa.WVmax4:     (*lowerer).simd4,
	isa.WVset2:     (*lowerer).simd2,
	isa.WVset4:     (*lowerer).simd4,
	isa.WCopysign:  (*lowerer).copysign,
	isa.WTestp:     (*lowerer).testp,
}

// expandHandlers lower division and roots.
var expandHandlers = table{
	isa.WDiv: (*lowerer).div,
	isa.WRem: (*lowerer).div,
}

// memoryHandlers lower loads, stores, atomics and addresses.
var memoryHandlers = table{
	isa.WLd:            (*lowerer).ld,
	isa.WCvta:          (*lowerer).cvta,
	isa.WAtom:          (*lowerer).atom,
	isa.WCreatepolicy:  (*lowerer).createpolicy,
	isa.WPrefetch:      (*lowerer).prefetch,
	isa.WPrefetchu:     (*lowerer).prefetch,
	isa.WApplypriority: (*lowerer).prefetch,
	isa.WDiscard:       (*lowerer).prefetch,
	isa.WIsspacep:      (*lowerer).isspacep,
	isa.WIstypep:       (*lowerer).istypep,
	isa.WMapa:          (*lowerer).mapa,
	isa.WGetctarank:    (*lowerer).getctarank,
	isa.WLdu:           (*lowerer).ld,
	isa.WMultimem:      (*lowerer).multimem,
	isa.WAlloca:        (*lowerer).alloca,
	isa.WStacksave:     (*lowerer).stacksave,
	isa.WStackrestore:  (*lowerer).stackrestore,
}

// warpHandlers lower threads of a warp that act together, barriers and fences.
var warpHandlers = table{
	isa.WBar:        (*lowerer).bar,
	isa.WShfl:       (*lowerer).shfl,
	isa.WVote:       (*lowerer).vote,
	isa.WActivemask: (*lowerer).activemask,
	isa.WMatch:      (*lowerer).match,
	isa.WRedux:      (*lowerer).redux,
	isa.WElect:      (*lowerer).elect,
	isa.WNanosleep:  (*lowerer).nanosleep,
	isa.WMembar:     (*lowerer).membar,
	isa.WFence:      (*lowerer).membar,
	isa.WBarrier:    (*lowerer).bar,
}

// textureHandlers lower textures and surfaces.
var textureHandlers = table{
	isa.WTex:   (*lowerer).tex,
	isa.WTld4:  (*lowerer).tex,
	isa.WTxq:   (*lowerer).query,
	isa.WSuq:   (*lowerer).query,
	isa.WSuld:  (*lowerer).suld,
	isa.WSust:  (*lowerer).sust,
	isa.WSured: (*lowerer).sured,
}

// matrixHandlers lower matrix products and fragments.
var matrixHandlers = table{
	isa.WLdmatrix:  (*lowerer).ldmatrix,
	isa.WStmatrix:  (*lowerer).stmatrix,
	isa.WMovmatrix: (*lowerer).movmatrix,
	isa.WMma:       (*lowerer).mma,
	isa.WWgmma:     (*lowerer).wgmma,
	isa.WWmma:      (*lowerer).wmma,
}

// asyncHandlers lower work that goes on by itself: copies, barriers in memory, tensor memory.
var asyncHandlers = table{
	isa.WSt:                   (*lowerer).stInst,
	isa.WRed:                  (*lowerer).redInst,
	isa.WCp:                   (*lowerer).cpAsync,
	isa.WMbarrier:             (*lowerer).mbarrier,
	isa.WTcgen05:              (*lowerer).tcgen05,
	isa.WClusterlaunchcontrol: (*lowerer).clusterlaunchcontrol,
	isa.WTensormap:            (*lowerer).tensormap,
}

// callHandlers lower calls and branches.
var callHandlers = table{
	isa.WBra:            (*lowerer).bra,
	isa.WRet:            (*lowerer).retInst,
	isa.WBrx:            (*lowerer).brx,
	isa.WCall:           (*lowerer).call,
	isa.WPmevent:        (*lowerer).pmevent,
	isa.WGriddepcontrol: (*lowerer).griddepcontrol,
	isa.WSetmaxnreg:     (*lowerer).setmaxnreg,
}

// buildHandlers lower what ends a thread.
var buildHandlers = table{
	isa.WExit:  (*lowerer).exit,
	isa.WTrap:  (*lowerer).trap,
	isa.WBrkpt: (*lowerer).trap,
}

// rooms are asked in this order how an instruction is lowered. One that none of
// them knows cannot be compiled.
var rooms = [...]*table{&arithHandlers, &expandHandlers, &memoryHandlers, &warpHandlers, &textureHandlers, &matrixHandlers, &asyncHandlers, &callHandlers, &buildHandlers}
