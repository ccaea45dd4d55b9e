package row

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Early is a set of words that take part in choosing a form.
type Early uint32

// The early words. The operations count one by one, because and, or, xor
// select other forms than add, min and max do.
const (
	EarlySync Early = 1 << iota
	EarlyRelu
	EarlySatf
	EarlyHint
	EarlyPref
	EarlyGroup
	EarlyTile
	EarlyMcast
	EarlyAdd
	EarlyMin
	EarlyMax
	EarlyAnd
	EarlyOr
	EarlyXor
	EarlyCas
	EarlyPopc

	EarlyBool = EarlyAnd | EarlyOr | EarlyXor
	EarlyRed  = EarlyAdd | EarlyMin | EarlyMax
	EarlyOps  = EarlyBool | EarlyRed | EarlyCas | EarlyPopc
)

// EarlyOf gives the early bit of the early words.
var EarlyOf = [isa.NumWords]Early{
	isa.WSync: EarlySync, isa.WRelu: EarlyRelu, isa.WSatfinite: EarlySatf, isa.WL2CacheHint: EarlyHint,
	isa.WL264B: EarlyPref, isa.WL2128B: EarlyPref, isa.WL2256B: EarlyPref, isa.WCtaGroup1: EarlyGroup, isa.WCtaGroup2: EarlyGroup,
	isa.WTile: EarlyTile, isa.WTileGather4: EarlyTile, isa.WTileScatter4: EarlyTile, isa.WIm2col: EarlyTile, isa.WIm2colW: EarlyTile,
	isa.WIm2colW128: EarlyTile, isa.WIm2colNoOffs: EarlyTile, isa.WMulticastCluster: EarlyMcast, isa.WMulticastClusterAll: EarlyMcast,
	isa.WAdd: EarlyAdd, isa.WMin: EarlyMin, isa.WMax: EarlyMax, isa.WAnd: EarlyAnd, isa.WOr: EarlyOr, isa.WXor: EarlyXor, isa.WCas: EarlyCas, isa.WPopc: EarlyPopc,
}
