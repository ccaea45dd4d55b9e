package isa

// A modifier word sets a slot of its instruction: .rn sets Rounding, .ca sets
// CacheOp. A slot holds one word. The slots are numbered in the order in
// which the reference complains about them.
//
// The first group, up to LastEarly, takes part in choosing the form of an
// instruction (see row.Early): where no form of an operation has such a word, it
// is refused before types and operands are looked at. All other slots are
// looked at after that.

// Slot is one modifier position of an instruction.
type Slot uint8

// The slots.
const (
	NoSlot    Slot = iota // the word means nothing on its own and is let pass
	SlotSync              // .sync
	SlotRelu              // .relu
	SlotSatf              // .satfinite
	SlotOp                // .add .min .cas …: reduction, boolean or second operation
	SlotHint              // .L2::cache_hint
	SlotPref              // .L2::64B .L2::128B .L2::256B
	SlotGroup             // .cta_group::N
	SlotTile              // .tile .im2col …
	SlotMcast             // .multicast::cluster

	SlotDim      // .1d … .5d
	SlotLevel    // .L1 .L2 .tensormap
	SlotEvict    // .L1::evict_… .L1::no_allocate
	SlotEvict2   // .L2::evict_…
	SlotSpace    // state space
	SlotUni      // .uni
	SlotSparse   // .sp .sp::ordered_metadata
	SlotAll      // .all .any
	SlotDown     // .down
	SlotWarpx    // .warpx4 …
	SlotTask     // .alloc .dealloc .shift
	SlotPack     // .pack::16b .unpack::16b
	SlotMask     // .cp_mask
	SlotOob      // .oob
	SlotDone     // .mbarrier::complete_tx::bytes .bulk_group …
	SlotMbar     // .mbarrier
	SlotProxy    // .async::generic .tensormap::generic .alias …
	SlotCancel   // .is_canceled .get_first_ctaid…
	SlotGrid     // .launch_dependents .wait
	SlotInit     // .mbarrier_init
	SlotRestrict // .sync_restrict::…
	SlotAligned  // .aligned
	SlotNoinc    // .noinc
	SlotNocomp   // .noComplete
	SlotShuffle  // .up .bfly .idx
	SlotVote     // .ballot
	SlotSat      // .sat
	SlotApprox   // .approx
	SlotFtz      // .ftz
	SlotNoftz    // .noftz
	SlotShape    // .m16n8k16 .16x64b …
	SlotLayout   // .row .col
	SlotVec      // .v2 .v4 .v8
	SlotScope    // .cta .cluster .gpu .sys
	SlotCmp      // .eq …
	SlotSem      // .relaxed .acquire .volatile …
	SlotMmio     // .mmio
	SlotNc       // .nc
	SlotKind     // .kind::…
	SlotBlock    // .block_scale
	SlotScale    // .scale_vec::… .block16 .block32
	SlotAshift   // .ashift
	SlotCollA    // .collector::a::…
	SlotCollB    // .collector::bN::…
	SlotShiftamt // .shiftamt
	SlotCc       // .cc
	SlotRound    // .rn …
	SlotNaN      // .NaN
	SlotXorsign  // .xorsign
	SlotCop      // .ca .cg .wb …
	SlotGeom     // .a1d .a2d .cube .acube .2dms .a2dms
	SlotComp     // .r .g .b .a
	SlotQuery    // .width …
	SlotClamp    // .clamp .wrap .zero .trap
	SlotShr      // .shr7 .shr15
	SlotPo       // .po
	SlotPermute  // .b4e …
	SlotNum      // .x1 …
	SlotTrans    // .trans
	SlotAbs      // .abs
	SlotAlias    // .alias
	SlotAsync    // .async
	SlotRead     // .read
	SlotFree     // slots from here on are let pass where they mean nothing
	SlotAcc      // .acc::f16 .acc::f32
	SlotField    // .box_dim …
	SlotTestp    // .finite …

	// NumSlots bounds arrays indexed by Slot.
	NumSlots
)

const LastEarly = SlotMcast

// slotOf gives the slot of every modifier word; types and state spaces are
// told by their groups, shapes by theirs.
var slotOf = [NumWords]Slot{
	WSync:                      SlotSync,
	WRelu:                      SlotRelu,
	WSatfinite:                 SlotSatf,
	WAdd:                       SlotOp,
	WMin:                       SlotOp,
	WMax:                       SlotOp,
	WAnd:                       SlotOp,
	WOr:                        SlotOp,
	WXor:                       SlotOp,
	WCas:                       SlotOp,
	WPopc:                      SlotOp,
	WInc:                       SlotOp,
	WDec:                       SlotOp,
	WExch:                      SlotOp,
	WL2CacheHint:               SlotHint,
	WL264B:                     SlotPref,
	WL2128B:                    SlotPref,
	WL2256B:                    SlotPref,
	WCtaGroup1:                 SlotGroup,
	WCtaGroup2:                 SlotGroup,
	WTile:                      SlotTile,
	WTileGather4:               SlotTile,
	WTileScatter4:              SlotTile,
	WIm2col:                    SlotTile,
	WIm2colW:                   SlotTile,
	WIm2colW128:                SlotTile,
	WIm2colNoOffs:              SlotTile,
	WMulticastCluster:          SlotMcast,
	WMulticastClusterAll:       SlotMcast,
	W1d:                        SlotDim,
	W2d:                        SlotDim,
	W3d:                        SlotDim,
	W4d:                        SlotDim,
	W5d:                        SlotDim,
	WL1:                        SlotLevel,
	WL2:                        SlotLevel,
	WTensormap:                 SlotLevel,
	WL1EvictFirst:              SlotEvict,
	WL1EvictLast:               SlotEvict,
	WL1EvictNormal:             SlotEvict,
	WL1EvictUnchanged:          SlotEvict,
	WL1NoAllocate:              SlotEvict,
	WL2EvictFirst:              SlotEvict2,
	WL2EvictLast:               SlotEvict2,
	WL2EvictNormal:             SlotEvict2,
	WL2EvictUnchanged:          SlotEvict2,
	WUni:                       SlotUni,
	WSp:                        SlotSparse,
	WSpOrderedMetadata:         SlotSparse,
	WAll:                       SlotAll,
	WAny:                       SlotAll,
	WWarpx20123:                SlotWarpx,
	WWarpx20213:                SlotWarpx,
	WWarpx4:                    SlotWarpx,
	WLd:                        SlotTask,
	WSt:                        SlotTask,
	WCp:                        SlotTask,
	WMma:                       SlotTask,
	WMbarrier:                  SlotMbar,
	WAlloc:                     SlotTask,
	WDealloc:                   SlotTask,
	WShift:                     SlotTask,
	WPack16b:                   SlotPack,
	WUnpack16b:                 SlotPack,
	WCpMask:                    SlotMask,
	WOob:                       SlotOob,
	WMbarrierCompleteTxBytes:   SlotDone,
	WMbarrierArriveOne:         SlotDone,
	WBulkGroup:                 SlotDone,
	WAlias:                     SlotAlias,
	WAsyncGeneric:              SlotProxy,
	WTensormapGeneric:          SlotProxy,
	WIsCanceled:                SlotCancel,
	WGetFirstCtaid:             SlotCancel,
	WGetFirstCtaidX:            SlotCancel,
	WGetFirstCtaidY:            SlotCancel,
	WGetFirstCtaidZ:            SlotCancel,
	WLaunchDependents:          SlotGrid,
	WWait:                      SlotGrid,
	WMbarrierInit:              SlotInit,
	WSyncRestrictSharedCta:     SlotRestrict,
	WSyncRestrictSharedCluster: SlotRestrict,
	WAligned:                   SlotAligned,
	WNoinc:                     SlotNoinc,
	WNoComplete:                SlotNocomp,
	WUp:                        SlotShuffle,
	WDown:                      SlotDown,
	WBfly:                      SlotShuffle,
	WIdx:                       SlotShuffle,
	WBallot:                    SlotVote,
	WApprox:                    SlotApprox,
	WFtz:                       SlotFtz,
	WV2:                        SlotVec,
	WV4:                        SlotVec,
	WV8:                        SlotVec,
	WNoftz:                     SlotNoftz,
	W4x256b:                    SlotShape,
	W16x32bx2:                  SlotShape,
	W16x64b:                    SlotShape,
	W16x128b:                   SlotShape,
	W16x256b:                   SlotShape,
	W32x32b:                    SlotShape,
	W32x128b:                   SlotShape,
	W64x128b:                   SlotShape,
	W128x128b:                  SlotShape,
	W128x256b:                  SlotShape,
	WRow:                       SlotLayout,
	WCol:                       SlotLayout,
	WCta:                       SlotScope,
	WCluster:                   SlotScope,
	WGpu:                       SlotScope,
	WSys:                       SlotScope,
	WGl:                        SlotScope,
	WEq:                        SlotCmp,
	WNe:                        SlotCmp,
	WLt:                        SlotCmp,
	WLe:                        SlotCmp,
	WGt:                        SlotCmp,
	WGe:                        SlotCmp,
	WLo:                        SlotCmp,
	WLs:                        SlotCmp,
	WHi:                        SlotCmp,
	WHs:                        SlotCmp,
	WEqu:                       SlotCmp,
	WNeu:                       SlotCmp,
	WLtu:                       SlotCmp,
	WLeu:                       SlotCmp,
	WGtu:                       SlotCmp,
	WGeu:                       SlotCmp,
	WNum:                       SlotCmp,
	WNan:                       SlotCmp,
	WRelaxed:                   SlotSem,
	WAcquire:                   SlotSem,
	WRelease:                   SlotSem,
	WAcqRel:                    SlotSem,
	WSc:                        SlotSem,
	WVolatile:                  SlotSem,
	WWeak:                      SlotSem,
	WMmio:                      SlotMmio,
	WNc:                        SlotNc,
	WSat:                       SlotSat,
	WKindF16:                   SlotKind,
	WKindF8f6f4:                SlotKind,
	WKindI8:                    SlotKind,
	WKindMxf4:                  SlotKind,
	WKindMxf4nvf4:              SlotKind,
	WKindMxf8f6f4:              SlotKind,
	WKindTf32:                  SlotKind,
	WBlockScale:                SlotBlock,
	WScaleVec1X:                SlotScale,
	WScaleVec2X:                SlotScale,
	WScaleVec4X:                SlotScale,
	WBlock16:                   SlotScale,
	WBlock32:                   SlotScale,
	WAshift:                    SlotAshift,
	WCollectorADiscard:         SlotCollA,
	WCollectorAFill:            SlotCollA,
	WCollectorALastuse:         SlotCollA,
	WCollectorAUse:             SlotCollA,
	WCollectorB0Discard:        SlotCollB,
	WCollectorB0Fill:           SlotCollB,
	WCollectorB0Lastuse:        SlotCollB,
	WCollectorB0Use:            SlotCollB,
	WCollectorB1Discard:        SlotCollB,
	WCollectorB1Fill:           SlotCollB,
	WCollectorB1Lastuse:        SlotCollB,
	WCollectorB1Use:            SlotCollB,
	WCollectorB2Discard:        SlotCollB,
	WCollectorB2Fill:           SlotCollB,
	WCollectorB2Lastuse:        SlotCollB,
	WCollectorB2Use:            SlotCollB,
	WCollectorB3Discard:        SlotCollB,
	WCollectorB3Fill:           SlotCollB,
	WCollectorB3Lastuse:        SlotCollB,
	WCollectorB3Use:            SlotCollB,
	WShiftamt:                  SlotShiftamt,
	WRn:                        SlotRound,
	WRz:                        SlotRound,
	WRm:                        SlotRound,
	WRp:                        SlotRound,
	WRna:                       SlotRound,
	WRs:                        SlotRound,
	WRni:                       SlotRound,
	WRzi:                       SlotRound,
	WRmi:                       SlotRound,
	WRpi:                       SlotRound,
	WXorsign:                   SlotXorsign,
	WNaN:                       SlotNaN,
	WCa:                        SlotCop,
	WCg:                        SlotCop,
	WCs:                        SlotCop,
	WLu:                        SlotCop,
	WCv:                        SlotCop,
	WWb:                        SlotCop,
	WWt:                        SlotCop,
	WA1d:                       SlotGeom,
	WA2d:                       SlotGeom,
	WCube:                      SlotGeom,
	WAcube:                     SlotGeom,
	W2dms:                      SlotGeom,
	WA2dms:                     SlotGeom,
	WR:                         SlotComp,
	WG:                         SlotComp,
	WB:                         SlotComp,
	WA:                         SlotComp,
	WWidth:                     SlotQuery,
	WHeight:                    SlotQuery,
	WDepth:                     SlotQuery,
	WChannelDataType:           SlotQuery,
	WChannelOrder:              SlotQuery,
	WNormalizedCoords:          SlotQuery,
	WForceUnnormalizedCoords:   SlotQuery,
	WFilterMode:                SlotQuery,
	WAddrMode0:                 SlotQuery,
	WAddrMode1:                 SlotQuery,
	WAddrMode2:                 SlotQuery,
	WArraySize:                 SlotQuery,
	WNumMipmapLevels:           SlotQuery,
	WNumSamples:                SlotQuery,
	WMemoryLayout:              SlotQuery,
	WClamp:                     SlotClamp,
	WWrap:                      SlotClamp,
	WZero:                      SlotClamp,
	WTrap:                      SlotClamp,
	WShr7:                      SlotShr,
	WShr15:                     SlotShr,
	WAbs:                       SlotAbs,
	WPo:                        SlotPo,
	WB4e:                       SlotPermute,
	WF4e:                       SlotPermute,
	WEcl:                       SlotPermute,
	WEcr:                       SlotPermute,
	WRc8:                       SlotPermute,
	WRc16:                      SlotPermute,
	WX1:                        SlotNum,
	WX2:                        SlotNum,
	WX4:                        SlotNum,
	WX8:                        SlotNum,
	WX16:                       SlotNum,
	WX32:                       SlotNum,
	WX64:                       SlotNum,
	WX128:                      SlotNum,
	WTrans:                     SlotTrans,
	WAsync:                     SlotAsync,
	WRead:                      SlotRead,
	WCc:                        SlotCc,
	WAccF16:                    SlotAcc,
	WAccF32:                    SlotAcc,
	WBoxDim:                    SlotField,
	WElementStride:             SlotField,
	WElemtype:                  SlotField,
	WFillMode:                  SlotField,
	WGlobalAddress:             SlotField,
	WGlobalDim:                 SlotField,
	WGlobalStride:              SlotField,
	WInterleaveLayout:          SlotField,
	WRank:                      SlotField,
	WSwizzleAtomicity:          SlotField,
	WSwizzleMode:               SlotField,
	WFinite:                    SlotTestp,
	WInfinite:                  SlotTestp,
	WNumber:                    SlotTestp,
	WNotanumber:                SlotTestp,
	WNormal:                    SlotTestp,
	WSubnormal:                 SlotTestp,
}

// Slot returns the modifier slot a word sets. Words that set none, such as
// finite, and words that are no modifiers return NoSlot.
func (w Word) Slot() Slot {
	switch {
	case w.IsSpace() || w == WTex:
		return SlotSpace
	case w.IsShape():
		return SlotShape
	}
	return slotOf[w]
}
