package isa

// Early is a set of words that take part in choosing a form.
type Early uint32

// The early words. The operations count one by one, because and, or, xor
// select other forms than add, min and max do.
const (
	eSync Early = 1 << iota
	eRelu
	eSatf
	eHint
	ePref
	eGroup
	eTile
	eMcast
	eAdd
	eMin
	eMax
	eAnd
	eOr
	eXor
	eCas
	ePopc

	eBool = eAnd | eOr | eXor
	eRed  = eAdd | eMin | eMax
	eOps  = eBool | eRed | eCas | ePopc
)

// earlyOf gives the early bit of the early words.
var earlyOf = [NumWords]Early{
	WSync: eSync, WRelu: eRelu, WSatfinite: eSatf, WL2CacheHint: eHint,
	WL264B: ePref, WL2128B: ePref, WL2256B: ePref, WCtaGroup1: eGroup, WCtaGroup2: eGroup,
	WTile: eTile, WTileGather4: eTile, WTileScatter4: eTile, WIm2col: eTile, WIm2colW: eTile,
	WIm2colW128: eTile, WIm2colNoOffs: eTile, WMulticastCluster: eMcast, WMulticastClusterAll: eMcast,
	WAdd: eAdd, WMin: eMin, WMax: eMax, WAnd: eAnd, WOr: eOr, WXor: eXor, WCas: eCas, WPopc: ePopc,
}
