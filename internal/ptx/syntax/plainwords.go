package syntax

import "github.com/goptxas/goptxas/internal/ptx/isa"

// plainWords are the words that the reference's lexer does not know by
// themselves: after a dot they are names like any other. Everything else in
// isa's table is a keyword there, and can be neither the name of a section
// nor, unless it is a type, a selector. Observed word by word.
var plainWords = makeSet(
	isa.WActivemask, isa.WAddc, isa.WAlloca, isa.WApplypriority, isa.WAtom, isa.WBar, isa.WBarrier, isa.WBfe,
	isa.WBfi, isa.WBfind, isa.WBmsk, isa.WBra, isa.WBrev, isa.WBrkpt, isa.WBrx, isa.WCall, isa.WClusterlaunchcontrol,
	isa.WClz, isa.WCnot, isa.WCopysign, isa.WCos, isa.WCp, isa.WCreatepolicy, isa.WCvt, isa.WCvta, isa.WDiscard,
	isa.WDp2a, isa.WDp4a, isa.WElect, isa.WEx2, isa.WExit, isa.WFence, isa.WFma, isa.WFns, isa.WGetctarank,
	isa.WGriddepcontrol, isa.WIsspacep, isa.WIstypep, isa.WLd, isa.WLdmatrix, isa.WLdu, isa.WLg2, isa.WLop3, isa.WMad,
	isa.WMad24, isa.WMadc, isa.WMapa, isa.WMatch, isa.WMembar, isa.WMma, isa.WMov, isa.WMovmatrix, isa.WMul,
	isa.WMul24, isa.WMultimem, isa.WNanosleep, isa.WNeg, isa.WNot, isa.WPmevent, isa.WPrefetch, isa.WPrefetchu,
	isa.WPrmt, isa.WRcp, isa.WRed, isa.WRedux, isa.WRem, isa.WRet, isa.WRsqrt, isa.WSad, isa.WSelp, isa.WSet,
	isa.WSetmaxnreg, isa.WSetp, isa.WShf, isa.WShfl, isa.WShl, isa.WShr, isa.WSin, isa.WSlct, isa.WSqrt, isa.WSt,
	isa.WStackrestore, isa.WStacksave, isa.WStmatrix, isa.WSub, isa.WSubc, isa.WSuld, isa.WSuq, isa.WSured, isa.WSust,
	isa.WSzext, isa.WTanh, isa.WTcgen05, isa.WTestp, isa.WTld4, isa.WTxq, isa.WVabsdiff, isa.WVabsdiff2,
	isa.WVabsdiff4, isa.WVadd, isa.WVadd2, isa.WVadd4, isa.WVavrg2, isa.WVavrg4, isa.WVmad, isa.WVmax, isa.WVmax2,
	isa.WVmax4, isa.WVmin, isa.WVmin2, isa.WVmin4, isa.WVote, isa.WVset, isa.WVset2, isa.WVset4, isa.WVshl, isa.WVshr,
	isa.WVsub, isa.WVsub2, isa.WVsub4, isa.WWgmma, isa.WWmma, isa.WB1, isa.WTf32, isa.WE3m2, isa.WE2m3, isa.WE2m1,
	isa.WUe8m0, isa.WUe4m3, isa.WB6x16P32, isa.WB4x16P64, isa.WB8x16, isa.WSreg, isa.WSurf, isa.WVersion,
	isa.WFunctionName, isa.WInlinedAt, isa.WM16n8k96, isa.WM64n40k256, isa.WM64n56k256, isa.WM64n72k256,
	isa.WM64n88k256, isa.WM64n104k256, isa.WM64n120k256, isa.WM64n136k256, isa.WM64n152k256, isa.WM64n168k256,
	isa.WM64n184k256, isa.WM64n200k256, isa.WM64n216k256, isa.WM64n232k256, isa.WM64n248k256, isa.WA, isa.WAlloc,
	isa.WArrive, isa.WArriveDrop, isa.WAshift, isa.WAsync, isa.WB, isa.WB0, isa.WB2, isa.WB3, isa.WB3210, isa.WBase,
	isa.WBlockScale, isa.WBulk, isa.WC, isa.WCollectorADiscard, isa.WCollectorAFill, isa.WCollectorALastuse,
	isa.WCollectorAUse, isa.WCollectorB0Discard, isa.WCollectorB0Fill, isa.WCollectorB0Lastuse, isa.WCollectorB0Use,
	isa.WCollectorB1Discard, isa.WCollectorB1Fill, isa.WCollectorB1Lastuse, isa.WCollectorB1Use,
	isa.WCollectorB2Discard, isa.WCollectorB2Fill, isa.WCollectorB2Lastuse, isa.WCollectorB2Use,
	isa.WCollectorB3Discard, isa.WCollectorB3Fill, isa.WCollectorB3Lastuse, isa.WCollectorB3Use, isa.WCommit,
	isa.WCommitGroup, isa.WCompleteTx, isa.WCpFenceproxy, isa.WCpMask, isa.WCtaGroup1, isa.WCtaGroup2, isa.WD,
	isa.WDealloc, isa.WExpectTx, isa.WFenceAfterThreadSync, isa.WFenceBeforeThreadSync, isa.WFractional, isa.WFull,
	isa.WG, isa.WGetFirstCtaid, isa.WGetFirstCtaidX, isa.WGetFirstCtaidY, isa.WGetFirstCtaidZ, isa.WGrad, isa.WH0,
	isa.WH1, isa.WH10, isa.WIgnoreOob, isa.WIm2col, isa.WIm2colW, isa.WIm2colW128, isa.WIm2colNoOffs, isa.WInit,
	isa.WInval, isa.WIsCanceled, isa.WKindF8f6f4, isa.WKindF16, isa.WKindI8, isa.WKindMxf4, isa.WKindMxf4nvf4,
	isa.WKindMxf8f6f4, isa.WKindTf32, isa.WL, isa.WLaunchDependents, isa.WLdReduce, isa.WLevel, isa.WLoad, isa.WMask,
	isa.WMmaAsync, isa.WOob, isa.WP, isa.WPack, isa.WPack16b, isa.WParity, isa.WPendingCount, isa.WProxy,
	isa.WQueryCancel, isa.WR, isa.WRange, isa.WRead, isa.WReduce, isa.WRelinquishAllocPermit, isa.WReplace,
	isa.WScaleVec1X, isa.WScaleVec2X, isa.WScaleVec4X, isa.WShift, isa.WStore, isa.WTensor, isa.WTestWait, isa.WTile,
	isa.WTileGather4, isa.WTileScatter4, isa.WTo, isa.WTryCancel, isa.WTryWait, isa.WUnpack16b, isa.WV8, isa.WW,
	isa.WWait, isa.WWaitLd, isa.WWaitSt, isa.WWaitAll, isa.WWaitGroup, isa.WWarp, isa.WWarpx20123, isa.WWarpx20213,
	isa.WWarpx4, isa.WWide, isa.WWs, isa.WX, isa.WXorsign, isa.WY, isa.WZ,
)
