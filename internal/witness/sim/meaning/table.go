package meaning

import (
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/arith"
	"github.com/goptxas/goptxas/internal/witness/sim/async"
	"github.com/goptxas/goptxas/internal/witness/sim/control"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/sim/memory"
	"github.com/goptxas/goptxas/internal/witness/sim/mma"
	"github.com/goptxas/goptxas/internal/witness/sim/tcgen05"
	"github.com/goptxas/goptxas/internal/witness/sim/tex"
	"github.com/goptxas/goptxas/internal/witness/sim/warp"
)

// row is one row: see machine.Meaning.
type row struct {
	class   machine.Class
	fn      func(*machine.Warp, *machine.Inst, uint32)
	prepare func(i *machine.Inst, parts []string) error
}

// Of is what an operation does, or nil.
func Of(op sass.Op) *machine.Meaning {
	if int(op) >= len(meanings) || meanings[op].fn == nil && meanings[op].prepare == nil {
		return nil
	}
	r := &meanings[op]
	return &machine.Meaning{Class: r.class, Run: r.fn, Prepare: r.prepare}
}

// meanings is the instruction set, by operation.
var meanings = [...]row{
	// Integer.
	sass.OpIADD3:     {machine.ClassInt, arith.Iadd3, nil},
	sass.OpIADD:      {machine.ClassInt, nil, arith.PrepIadd},
	sass.OpIMAD:      {machine.ClassInt, arith.Imad, nil},
	sass.OpIMAD_WIDE: {machine.ClassInt, arith.ImadWide, nil},
	sass.OpIMAD_HI:   {machine.ClassInt, arith.ImadWide, arith.PrepHi},
	sass.OpLEA:       {machine.ClassInt, arith.Lea, nil},
	sass.OpLOP3:      {machine.ClassInt, arith.Lop3, nil},
	sass.OpPLOP3:     {machine.ClassInt, arith.Plop3, nil},
	sass.OpSHF:       {machine.ClassInt, arith.Shf, arith.PrepShf},
	sass.OpPRMT:      {machine.ClassInt, arith.Prmt, arith.PrepPrmt},
	sass.OpSGXT:      {machine.ClassInt, arith.Sgxt, nil},
	sass.OpBMSK:      {machine.ClassInt, arith.Bmsk, nil},
	sass.OpFLO:       {machine.ClassInt, arith.Flo, nil},
	sass.OpPOPC:      {machine.ClassInt, arith.Popc, nil},
	sass.OpBREV:      {machine.ClassInt, arith.Brev, nil},
	sass.OpIABS:      {machine.ClassInt, arith.Iabs, nil},
	sass.OpISETP:     {machine.ClassInt, arith.Isetp, arith.PrepIcmp},
	sass.OpIMNMX:     {machine.ClassInt, arith.Vimnmx, arith.PrepMinmax},
	sass.OpVIMNMX:    {machine.ClassInt, arith.Vimnmx, arith.PrepMinmax},
	sass.OpVIMNMX3:   {machine.ClassInt, arith.Vimnmx3, arith.PrepMinmax},
	sass.OpVIADDMNMX: {machine.ClassInt, arith.Viaddmnmx, arith.PrepMinmax},
	sass.OpVIADD:     {machine.ClassInt, arith.Viadd, arith.PrepViadd},
	sass.OpVABSDIFF:  {machine.ClassInt, arith.Vabsdiff, nil},
	sass.OpVABSDIFF4: {machine.ClassInt, arith.Vabsdiff4, arith.PrepAbsdiff4},
	sass.OpIDP:       {machine.ClassInt, arith.Idp, arith.PrepIdp},
	sass.OpI2I:       {machine.ClassConvert, arith.I2i, arith.PrepI2i},
	sass.OpI2IP:      {machine.ClassConvert, arith.I2ip, arith.PrepI2i},

	// Moves.
	sass.OpMOV: {machine.ClassMove, arith.Mov, arith.PrepMov},
	sass.OpSEL: {machine.ClassMove, arith.Sel, arith.PrepSel},
	sass.OpP2R: {machine.ClassMove, arith.P2r, nil},
	sass.OpR2P: {machine.ClassMove, arith.R2p, nil},

	// Float.
	sass.OpFADD:    {machine.ClassFloat, arith.Fadd, nil},
	sass.OpFMUL:    {machine.ClassFloat, arith.Fmul, arith.PrepFmul},
	sass.OpFFMA:    {machine.ClassFloat, arith.Ffma, nil},
	sass.OpFMNMX:   {machine.ClassFloat, arith.Fmnmx, arith.PrepFmnmx},
	sass.OpFMNMX3:  {machine.ClassFloat, arith.Fmnmx3, arith.PrepFmnmx3},
	sass.OpFSETP:   {machine.ClassFloat, arith.Fsetp, arith.PrepFcmp},
	sass.OpFSET:    {machine.ClassFloat, arith.Fset, arith.PrepFcmp},
	sass.OpFSEL:    {machine.ClassFloat, arith.Fsel, nil},
	sass.OpFCHK:    {machine.ClassFloat, arith.Fchk, nil},
	sass.OpMUFU:    {machine.ClassFloat, arith.Mufu, arith.PrepMufu},
	sass.OpFSWZADD: {machine.ClassFloat, arith.Fswzadd, nil},

	// Pairs of floats, and floats with halves.
	sass.OpFADD2:  {machine.ClassFloat, arith.PairMath, arith.PrepPair},
	sass.OpFMUL2:  {machine.ClassFloat, arith.PairMath, arith.PrepPair},
	sass.OpFFMA2:  {machine.ClassFloat, arith.PairMath, arith.PrepPair},
	sass.OpFHADD:  {machine.ClassFloat, arith.Fhadd, arith.PrepMixed},
	sass.OpFHFMA:  {machine.ClassFloat, arith.Fhfma, arith.PrepMixed},
	sass.OpUFHADD: {machine.ClassUniform, arith.Fhadd, arith.PrepMixed},
	sass.OpUFHFMA: {machine.ClassUniform, arith.Fhfma, arith.PrepMixed},

	// Double.
	sass.OpDADD:  {machine.ClassDouble, arith.Dadd, arith.DoubleImm},
	sass.OpDMUL:  {machine.ClassDouble, arith.Dmul, arith.DoubleImm},
	sass.OpDFMA:  {machine.ClassDouble, arith.Dfma, arith.DoubleImm},
	sass.OpDSETP: {machine.ClassDouble, arith.Dsetp, arith.PrepDcmp},

	// Half.
	sass.OpHADD2:     {machine.ClassHalf, arith.Hadd2, arith.PrepHalf},
	sass.OpHMUL2:     {machine.ClassHalf, arith.Hmul2, arith.PrepHalf},
	sass.OpHFMA2:     {machine.ClassHalf, arith.Hfma2, arith.PrepHalf},
	sass.OpHFMA2_MMA: {machine.ClassHalf, arith.Hfma2, arith.PrepHalf},
	sass.OpHMNMX2:    {machine.ClassHalf, arith.Hmnmx2, arith.PrepHalf},
	sass.OpHSET2:     {machine.ClassHalf, arith.Hset2, arith.PrepHalfCmp},
	sass.OpHSETP2:    {machine.ClassHalf, arith.Hsetp2, arith.PrepHalfCmp},

	// Conversions.
	sass.OpF2F:  {machine.ClassConvert, arith.F2f, arith.PrepF2f},
	sass.OpF2I:  {machine.ClassConvert, arith.F2i, arith.PrepF2i},
	sass.OpI2F:  {machine.ClassConvert, arith.I2f, arith.PrepI2f},
	sass.OpI2FP: {machine.ClassConvert, arith.I2f, arith.PrepI2f},
	sass.OpFRND: {machine.ClassConvert, arith.Frnd, arith.PrepFrnd},
	sass.OpF2FP: {machine.ClassConvert, arith.F2fp, arith.PrepF2fp},
	sass.OpF2IP: {machine.ClassConvert, arith.F2ip, arith.PrepF2ip},

	// Uniform datapath: the same functions on uniform rows.
	sass.OpUIADD3:     {machine.ClassUniform, arith.Iadd3, arith.PrepUiadd3},
	sass.OpUIMAD:      {machine.ClassUniform, arith.Imad, nil},
	sass.OpUIMAD_WIDE: {machine.ClassUniform, arith.ImadWide, nil},
	sass.OpUIMAD_HI:   {machine.ClassUniform, arith.ImadWide, arith.PrepHi},
	sass.OpULEA:       {machine.ClassUniform, arith.Lea, nil},
	sass.OpULOP3:      {machine.ClassUniform, arith.Lop3, nil},
	sass.OpUPLOP3:     {machine.ClassUniform, arith.Plop3, nil},
	sass.OpUSHF:       {machine.ClassUniform, arith.Shf, arith.PrepShf},
	sass.OpUPRMT:      {machine.ClassUniform, arith.Prmt, arith.PrepPrmt},
	sass.OpUSGXT:      {machine.ClassUniform, arith.Sgxt, nil},
	sass.OpUBMSK:      {machine.ClassUniform, arith.Bmsk, nil},
	sass.OpUFLO:       {machine.ClassUniform, arith.Flo, nil},
	sass.OpUPOPC:      {machine.ClassUniform, arith.Popc, nil},
	sass.OpUBREV:      {machine.ClassUniform, arith.Brev, nil},
	sass.OpUIABS:      {machine.ClassUniform, arith.Iabs, nil},
	sass.OpUISETP:     {machine.ClassUniform, arith.Isetp, arith.PrepIcmp},
	sass.OpUIMNMX:     {machine.ClassUniform, arith.Vimnmx, arith.PrepMinmax},
	sass.OpUVIMNMX:    {machine.ClassUniform, arith.Vimnmx, arith.PrepMinmax},
	sass.OpUVIADD:     {machine.ClassUniform, arith.Viadd, arith.PrepViadd},
	sass.OpUSEL:       {machine.ClassUniform, arith.Sel, arith.PrepSel},
	sass.OpUMOV:       {machine.ClassUniform, arith.Mov, arith.PrepMov},
	sass.OpUP2UR:      {machine.ClassUniform, arith.P2r, nil},
	sass.OpUR2UP:      {machine.ClassUniform, arith.R2p, nil},
	sass.OpULDC:       {machine.ClassUniform, memory.Ldc, memory.PrepLdc},
	sass.OpLDCU:       {machine.ClassUniform, memory.Ldc, memory.PrepLdc},
	sass.OpS2UR:       {machine.ClassUniform, control.S2r, control.PrepSR},
	sass.OpCS2UR:      {machine.ClassUniform, control.S2r, control.PrepSR},
	sass.OpR2UR:       {machine.ClassUniform, warp.R2ur, nil},
	sass.OpREDUX:      {machine.ClassWarp, warp.Redux, warp.PrepRedux},
	sass.OpCREDUX:     {machine.ClassWarp, warp.Redux, warp.PrepCredux},
	sass.OpVOTEU:      {machine.ClassWarp, warp.Vote, warp.PrepVote},
	sass.OpUFADD:      {machine.ClassUniform, arith.Fadd, nil},
	sass.OpUFMUL:      {machine.ClassUniform, arith.Fmul, arith.PrepFmul},
	sass.OpUFFMA:      {machine.ClassUniform, arith.Ffma, nil},
	sass.OpUFSETP:     {machine.ClassUniform, arith.Fsetp, arith.PrepFcmp},
	sass.OpUFSEL:      {machine.ClassUniform, arith.Fsel, nil},
	sass.OpUFMNMX:     {machine.ClassUniform, arith.Fmnmx, arith.PrepFmnmx},
	sass.OpUFSET:      {machine.ClassUniform, arith.Fset, arith.PrepFcmp},
	sass.OpUI2F:       {machine.ClassUniform, arith.I2f, arith.PrepI2f},
	sass.OpUI2FP:      {machine.ClassUniform, arith.I2f, arith.PrepI2f},
	sass.OpUF2I:       {machine.ClassUniform, arith.F2i, arith.PrepF2i},
	sass.OpULEPC:      {machine.ClassUniform, control.Lepc, nil},

	// Memory.
	sass.OpLDG:    {machine.ClassGlobal, memory.Load, memory.PrepLoad(machine.SpaceGlobal)},
	sass.OpSTG:    {machine.ClassGlobal, memory.Store, memory.PrepLoad(machine.SpaceGlobal)},
	sass.OpLD:     {machine.ClassGlobal, memory.Load, memory.PrepLoad(machine.SpaceGeneric)},
	sass.OpST:     {machine.ClassGlobal, memory.Store, memory.PrepLoad(machine.SpaceGeneric)},
	sass.OpLDS:    {machine.ClassShared, memory.Load, memory.PrepLoad(machine.SpaceShared)},
	sass.OpSTS:    {machine.ClassShared, memory.Store, memory.PrepLoad(machine.SpaceShared)},
	sass.OpLDL:    {machine.ClassLocal, memory.Load, memory.PrepLoad(machine.SpaceLocal)},
	sass.OpSTL:    {machine.ClassLocal, memory.Store, memory.PrepLoad(machine.SpaceLocal)},
	sass.OpLDC:    {machine.ClassConst, memory.Ldc, memory.PrepLdc},
	sass.OpATOM:   {machine.ClassAtomic, memory.Atomic, memory.PrepAtomic(machine.SpaceGeneric)},
	sass.OpATOMG:  {machine.ClassAtomic, memory.Atomic, memory.PrepAtomic(machine.SpaceGlobal)},
	sass.OpATOMS:  {machine.ClassAtomic, memory.Atomic, memory.PrepAtomic(machine.SpaceShared)},
	sass.OpRED:    {machine.ClassAtomic, memory.Atomic, memory.PrepAtomic(machine.SpaceGeneric)},
	sass.OpREDG:   {machine.ClassAtomic, memory.Atomic, memory.PrepAtomic(machine.SpaceGlobal)},
	sass.OpQSPC:   {machine.ClassOther, memory.Qspc, memory.PrepQspc},
	sass.OpLDGSTS: {machine.ClassShared, async.Ldgsts, async.PrepLdgsts},

	sass.OpSYNCS:   {machine.ClassSync, nil, async.PrepSyncs},
	sass.OpARRIVES: {machine.ClassSync, nil, async.PrepSyncs},

	// Bulk copies.
	sass.OpUBLKCP:         {machine.ClassShared, async.Ublkcp, async.PrepBulk},
	sass.OpUBLKRED:        {machine.ClassShared, async.Ublkred, async.PrepBulkRed},
	sass.OpUBLKPF:         {machine.ClassOther, machine.Nothing, nil},
	sass.OpUMEMSETS:       {machine.ClassShared, async.Umemsets, async.PrepMemset},
	sass.OpUSTGR:          {machine.ClassGlobal, memory.Ustgr, memory.PrepSystem},
	sass.OpUREDGR:         {machine.ClassGlobal, memory.Uredgr, memory.PrepSystem},
	sass.OpUGETNEXTWORKID: {machine.ClassShared, async.NextWork, async.PrepWork},
	sass.OpLDGMC:          {machine.ClassGlobal, memory.Load, memory.PrepMulticast},
	sass.OpSTAS:           {machine.ClassShared, async.Stas, async.PrepStas},
	sass.OpREDAS:          {machine.ClassShared, async.Redas, async.PrepRedas},
	sass.OpUTMACMDFLUSH:   {machine.ClassSync, async.CommitBulk, nil},
	sass.OpUTMALDG:        {machine.ClassShared, async.Utmaldg, async.PrepTensor},
	sass.OpUTMASTG:        {machine.ClassShared, async.Utmastg, async.PrepTensor},
	sass.OpUTMAREDG:       {machine.ClassShared, async.Utmaredg, async.PrepTensor},
	sass.OpUTMAPF:         {machine.ClassOther, machine.Nothing, nil},
	sass.OpUTMACCTL:       {machine.ClassSync, async.TensorAcquire, async.PrepNamed("IV")},

	// Fences and hints.
	sass.OpLDGDEPBAR: {machine.ClassSync, async.CommitCopies, nil},
	sass.OpDEPBAR:    {machine.ClassSync, async.Depbar, nil},
	sass.OpMEMBAR:    {machine.ClassSync, async.Membar, async.PrepNamed("GPU", "SYS", "VC")},
	sass.OpERRBAR:    {machine.ClassSync, machine.Nothing, nil},
	sass.OpCGAERRBAR: {machine.ClassSync, machine.Nothing, nil},
	sass.OpFENCE:     {machine.ClassSync, async.ProxyFence, async.PrepNamed("T")},
	sass.OpCCTL:      {machine.ClassOther, async.Cctl, async.PrepNamed("IVALL")},
	sass.OpCCTLL:     {machine.ClassOther, machine.Nothing, nil},
	sass.OpNOP:       {machine.ClassOther, machine.Nothing, nil},
	sass.OpPMTRIG:    {machine.ClassOther, machine.Nothing, nil},
	sass.OpACQBULK:   {machine.ClassSync, machine.Nothing, nil},
	sass.OpPREEXIT:   {machine.ClassSync, machine.Nothing, nil},

	sass.OpUSETMAXREG: {machine.ClassUniform, warp.Trade, nil},

	// Control.
	sass.OpBRA:           {machine.ClassControl, control.Bra, control.PrepBra},
	sass.OpBRX:           {machine.ClassControl, control.Brx, nil},
	sass.OpBRXU:          {machine.ClassControl, control.Brx, nil},
	sass.OpCALL:          {machine.ClassControl, control.Call, nil},
	sass.OpRET:           {machine.ClassControl, control.Ret, nil},
	sass.OpLEPC:          {machine.ClassControl, control.Lepc, nil},
	sass.OpEXIT:          {machine.ClassControl, control.Exit, nil},
	sass.OpKILL:          {machine.ClassControl, control.Exit, nil},
	sass.OpBPT:           {machine.ClassControl, control.Bpt, nil},
	sass.OpBSSY:          {machine.ClassSync, control.Bssy, nil},
	sass.OpBSYNC:         {machine.ClassSync, control.Bsync, nil},
	sass.OpBREAK:         {machine.ClassSync, control.BreakB, nil},
	sass.OpBMOV:          {machine.ClassSync, control.Bmov, control.PrepBmov},
	sass.OpWARPSYNC:      {machine.ClassSync, control.Warpsync, nil},
	sass.OpENDCOLLECTIVE: {machine.ClassSync, control.EndCollective, nil},
	sass.OpYIELD:         {machine.ClassSync, control.Yield, nil},
	sass.OpNANOSLEEP:     {machine.ClassSync, control.Yield, nil},
	sass.OpBAR:           {machine.ClassSync, control.Bar, control.PrepBar},
	sass.OpUCGABARARV:    {machine.ClassSync, control.ClusterArrive, nil},
	sass.OpUCGABARWAIT:   {machine.ClassSync, control.ClusterWait, nil},
	sass.OpB2R:           {machine.ClassSync, control.B2r, nil},
	sass.OpS2R:           {machine.ClassMove, control.S2r, control.PrepSR},
	sass.OpCS2R:          {machine.ClassMove, control.S2r, control.PrepSR},

	// Matrices.
	sass.OpLDSM: {machine.ClassShared, mma.Ldsm, mma.PrepMatrix},
	sass.OpSTSM: {machine.ClassShared, mma.Stsm, mma.PrepMatrix},
	sass.OpMOVM: {machine.ClassWarp, mma.Movm, mma.PrepMatrix},
	sass.OpHMMA: {machine.ClassMatrix, mma.Mma, mma.PrepMMA},
	sass.OpIMMA: {machine.ClassMatrix, mma.Mma, mma.PrepMMA},
	sass.OpDMMA: {machine.ClassMatrix, mma.Mma, mma.PrepMMA},
	sass.OpBMMA: {machine.ClassMatrix, mma.Mma, mma.PrepMMA},
	sass.OpQMMA: {machine.ClassMatrix, mma.Mma, mma.PrepMMA},
	sass.OpOMMA: {machine.ClassMatrix, mma.Mma, mma.PrepMMA},

	// Products of warp groups.
	sass.OpHGMMA:     {machine.ClassMatrix, mma.Gmma, mma.PrepGMMA},
	sass.OpIGMMA:     {machine.ClassMatrix, mma.Gmma, mma.PrepGMMA},
	sass.OpQGMMA:     {machine.ClassMatrix, mma.Gmma, mma.PrepGMMA},
	sass.OpBGMMA:     {machine.ClassMatrix, mma.Gmma, mma.PrepGMMA},
	sass.OpWARPGROUP: {machine.ClassSync, mma.Warpgroup, mma.PrepWarpgroup},

	// Tensor memory.
	sass.OpLDTM:       {machine.ClassTensor, tcgen05.Ldtm, tcgen05.PrepTensorMove},
	sass.OpSTTM:       {machine.ClassTensor, tcgen05.Sttm, tcgen05.PrepTensorMove},
	sass.OpUTCCP:      {machine.ClassMatrix, tcgen05.Utccp, tcgen05.PrepTensorCopy},
	sass.OpUTCSHIFT:   {machine.ClassMatrix, tcgen05.Utcshift, tcgen05.PrepTensorCopy},
	sass.OpUTCHMMA:    {machine.ClassMatrix, tcgen05.Utcmma, tcgen05.PrepTensorProduct},
	sass.OpUTCIMMA:    {machine.ClassMatrix, tcgen05.Utcmma, tcgen05.PrepTensorProduct},
	sass.OpUTCQMMA:    {machine.ClassMatrix, tcgen05.Utcmma, tcgen05.PrepTensorProduct},
	sass.OpUTCOMMA:    {machine.ClassMatrix, tcgen05.Utcmma, tcgen05.PrepTensorProduct},
	sass.OpUTCBAR:     {machine.ClassSync, tcgen05.Utcbar, tcgen05.PrepTensorBar},
	sass.OpUTCATOMSWS: {machine.ClassUniform, tcgen05.Utcatomsws, tcgen05.PrepTensorAtom},
	sass.OpUVIRTCOUNT: {machine.ClassOther, machine.Nothing, nil},

	// Textures and surfaces.
	sass.OpTEX:   {machine.ClassTexture, tex.Tex, tex.PrepTex},
	sass.OpTLD:   {machine.ClassTexture, tex.Tex, tex.PrepTex},
	sass.OpTLD4:  {machine.ClassTexture, tex.Tex, tex.PrepTex},
	sass.OpTXQ:   {machine.ClassTexture, tex.Txq, tex.PrepTxq},
	sass.OpSULD:  {machine.ClassTexture, tex.Suld, tex.PrepSurf},
	sass.OpSUST:  {machine.ClassTexture, tex.Sust, tex.PrepSurf},
	sass.OpSURED: {machine.ClassTexture, tex.Sured, tex.PrepSured},

	// Across lanes.
	sass.OpVOTE:  {machine.ClassWarp, warp.Vote, warp.PrepVote},
	sass.OpSHFL:  {machine.ClassWarp, warp.Shfl, warp.PrepShfl},
	sass.OpMATCH: {machine.ClassWarp, warp.Match, warp.PrepMatch},
	sass.OpELECT: {machine.ClassWarp, warp.Elect, nil},
}
