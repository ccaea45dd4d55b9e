package sim

import "github.com/goptxas/goptxas/internal/sass"

// meaningRow says what an operation does: the class it is counted in, the
// function that runs it, and what it still wants from the mnemonic.
type meaningRow struct {
	class   Class
	fn      func(*warp, *inst, uint32)
	prepare func(i *inst, parts []string) error
}

func meaning(op sass.Op) *meaningRow {
	if int(op) < len(meanings) && (meanings[op].fn != nil || meanings[op].prepare != nil) {
		return &meanings[op]
	}
	return nil
}

// meanings is the instruction set, by operation.
var meanings = [...]meaningRow{
	// Integer.
	sass.OpIADD3:     {ClassInt, iadd3, nil},
	sass.OpIADD:      {ClassInt, nil, prepIadd},
	sass.OpIMAD:      {ClassInt, imad, nil},
	sass.OpIMAD_WIDE: {ClassInt, imadWide, nil},
	sass.OpIMAD_HI:   {ClassInt, imadWide, prepHi},
	sass.OpLEA:       {ClassInt, lea, nil},
	sass.OpLOP3:      {ClassInt, lop3, nil},
	sass.OpPLOP3:     {ClassInt, plop3, nil},
	sass.OpSHF:       {ClassInt, shf, prepShf},
	sass.OpPRMT:      {ClassInt, prmt, prepPrmt},
	sass.OpSGXT:      {ClassInt, sgxt, nil},
	sass.OpBMSK:      {ClassInt, bmsk, nil},
	sass.OpFLO:       {ClassInt, flo, nil},
	sass.OpPOPC:      {ClassInt, popc, nil},
	sass.OpBREV:      {ClassInt, brev, nil},
	sass.OpIABS:      {ClassInt, iabs, nil},
	sass.OpISETP:     {ClassInt, isetp, prepIcmp},
	sass.OpIMNMX:     {ClassInt, vimnmx, prepMinmax},
	sass.OpVIMNMX:    {ClassInt, vimnmx, prepMinmax},
	sass.OpVIMNMX3:   {ClassInt, vimnmx3, prepMinmax},
	sass.OpVIADDMNMX: {ClassInt, viaddmnmx, prepMinmax},
	sass.OpVIADD:     {ClassInt, viadd, prepViadd},
	sass.OpVABSDIFF:  {ClassInt, vabsdiff, nil},
	sass.OpVABSDIFF4: {ClassInt, vabsdiff4, prepAbsdiff4},
	sass.OpIDP:       {ClassInt, idp, prepIdp},
	sass.OpI2I:       {ClassConvert, i2i, prepI2i},
	sass.OpI2IP:      {ClassConvert, i2ip, prepI2i},

	// Moves.
	sass.OpMOV: {ClassMove, mov, prepMov},
	sass.OpSEL: {ClassMove, sel, prepSel},
	sass.OpP2R: {ClassMove, p2r, nil},
	sass.OpR2P: {ClassMove, r2p, nil},

	// Float.
	sass.OpFADD:    {ClassFloat, fadd, nil},
	sass.OpFMUL:    {ClassFloat, fmul, prepFmul},
	sass.OpFFMA:    {ClassFloat, ffma, nil},
	sass.OpFMNMX:   {ClassFloat, fmnmx, prepFmnmx},
	sass.OpFMNMX3:  {ClassFloat, fmnmx3, prepFmnmx3},
	sass.OpFSETP:   {ClassFloat, fsetp, prepFcmp},
	sass.OpFSET:    {ClassFloat, fset, prepFcmp},
	sass.OpFSEL:    {ClassFloat, fsel, nil},
	sass.OpFCHK:    {ClassFloat, fchk, nil},
	sass.OpMUFU:    {ClassFloat, mufu, prepMufu},
	sass.OpFSWZADD: {ClassFloat, fswzadd, nil},

	// Pairs of floats, and floats with halves.
	sass.OpFADD2:  {ClassFloat, pairMath, prepPair},
	sass.OpFMUL2:  {ClassFloat, pairMath, prepPair},
	sass.OpFFMA2:  {ClassFloat, pairMath, prepPair},
	sass.OpFHADD:  {ClassFloat, fhadd, prepMixed},
	sass.OpFHFMA:  {ClassFloat, fhfma, prepMixed},
	sass.OpUFHADD: {ClassUniform, fhadd, prepMixed},
	sass.OpUFHFMA: {ClassUniform, fhfma, prepMixed},

	// Double.
	sass.OpDADD:  {ClassDouble, dadd, doubleImm},
	sass.OpDMUL:  {ClassDouble, dmul, doubleImm},
	sass.OpDFMA:  {ClassDouble, dfma, doubleImm},
	sass.OpDSETP: {ClassDouble, dsetp, prepDcmp},

	// Half.
	sass.OpHADD2:     {ClassHalf, hadd2, prepHalf},
	sass.OpHMUL2:     {ClassHalf, hmul2, prepHalf},
	sass.OpHFMA2:     {ClassHalf, hfma2, prepHalf},
	sass.OpHFMA2_MMA: {ClassHalf, hfma2, prepHalf},
	sass.OpHMNMX2:    {ClassHalf, hmnmx2, prepHalf},
	sass.OpHSET2:     {ClassHalf, hset2, prepHalfCmp},
	sass.OpHSETP2:    {ClassHalf, hsetp2, prepHalfCmp},

	// Conversions.
	sass.OpF2F:  {ClassConvert, f2f, prepF2f},
	sass.OpF2I:  {ClassConvert, f2i, prepF2i},
	sass.OpI2F:  {ClassConvert, i2f, prepI2f},
	sass.OpI2FP: {ClassConvert, i2f, prepI2f},
	sass.OpFRND: {ClassConvert, frnd, prepFrnd},
	sass.OpF2FP: {ClassConvert, f2fp, prepF2fp},
	sass.OpF2IP: {ClassConvert, f2ip, prepF2ip},

	// Uniform datapath: the same functions on uniform rows.
	sass.OpUIADD3:     {ClassUniform, iadd3, prepUiadd3},
	sass.OpUIMAD:      {ClassUniform, imad, nil},
	sass.OpUIMAD_WIDE: {ClassUniform, imadWide, nil},
	sass.OpUIMAD_HI:   {ClassUniform, imadWide, prepHi},
	sass.OpULEA:       {ClassUniform, lea, nil},
	sass.OpULOP3:      {ClassUniform, lop3, nil},
	sass.OpUPLOP3:     {ClassUniform, plop3, nil},
	sass.OpUSHF:       {ClassUniform, shf, prepShf},
	sass.OpUPRMT:      {ClassUniform, prmt, prepPrmt},
	sass.OpUSGXT:      {ClassUniform, sgxt, nil},
	sass.OpUBMSK:      {ClassUniform, bmsk, nil},
	sass.OpUFLO:       {ClassUniform, flo, nil},
	sass.OpUPOPC:      {ClassUniform, popc, nil},
	sass.OpUBREV:      {ClassUniform, brev, nil},
	sass.OpUIABS:      {ClassUniform, iabs, nil},
	sass.OpUISETP:     {ClassUniform, isetp, prepIcmp},
	sass.OpUIMNMX:     {ClassUniform, vimnmx, prepMinmax},
	sass.OpUVIMNMX:    {ClassUniform, vimnmx, prepMinmax},
	sass.OpUVIADD:     {ClassUniform, viadd, prepViadd},
	sass.OpUSEL:       {ClassUniform, sel, prepSel},
	sass.OpUMOV:       {ClassUniform, mov, prepMov},
	sass.OpUP2UR:      {ClassUniform, p2r, nil},
	sass.OpUR2UP:      {ClassUniform, r2p, nil},
	sass.OpULDC:       {ClassUniform, ldc, prepLdc},
	sass.OpLDCU:       {ClassUniform, ldc, prepLdc},
	sass.OpS2UR:       {ClassUniform, s2r, prepSR},
	sass.OpCS2UR:      {ClassUniform, s2r, prepSR},
	sass.OpR2UR:       {ClassUniform, r2ur, nil},
	sass.OpREDUX:      {ClassWarp, redux, prepRedux},
	sass.OpCREDUX:     {ClassWarp, redux, prepCredux},
	sass.OpVOTEU:      {ClassWarp, vote, prepVote},
	sass.OpUFADD:      {ClassUniform, fadd, nil},
	sass.OpUFMUL:      {ClassUniform, fmul, prepFmul},
	sass.OpUFFMA:      {ClassUniform, ffma, nil},
	sass.OpUFSETP:     {ClassUniform, fsetp, prepFcmp},
	sass.OpUFSEL:      {ClassUniform, fsel, nil},
	sass.OpUFMNMX:     {ClassUniform, fmnmx, prepFmnmx},
	sass.OpUFSET:      {ClassUniform, fset, prepFcmp},
	sass.OpUI2F:       {ClassUniform, i2f, prepI2f},
	sass.OpUI2FP:      {ClassUniform, i2f, prepI2f},
	sass.OpUF2I:       {ClassUniform, f2i, prepF2i},
	sass.OpULEPC:      {ClassUniform, lepc, nil},

	// Memory.
	sass.OpLDG:    {ClassGlobal, load, prepLoad(spGlobal)},
	sass.OpSTG:    {ClassGlobal, store, prepLoad(spGlobal)},
	sass.OpLD:     {ClassGlobal, load, prepLoad(spGeneric)},
	sass.OpST:     {ClassGlobal, store, prepLoad(spGeneric)},
	sass.OpLDS:    {ClassShared, load, prepLoad(spShared)},
	sass.OpSTS:    {ClassShared, store, prepLoad(spShared)},
	sass.OpLDL:    {ClassLocal, load, prepLoad(spLocal)},
	sass.OpSTL:    {ClassLocal, store, prepLoad(spLocal)},
	sass.OpLDC:    {ClassConst, ldc, prepLdc},
	sass.OpATOM:   {ClassAtomic, atomic, prepAtomic(spGeneric)},
	sass.OpATOMG:  {ClassAtomic, atomic, prepAtomic(spGlobal)},
	sass.OpATOMS:  {ClassAtomic, atomic, prepAtomic(spShared)},
	sass.OpRED:    {ClassAtomic, atomic, prepAtomic(spGeneric)},
	sass.OpREDG:   {ClassAtomic, atomic, prepAtomic(spGlobal)},
	sass.OpQSPC:   {ClassOther, qspc, prepQspc},
	sass.OpLDGSTS: {ClassShared, ldgsts, prepLdgsts},

	sass.OpSYNCS:   {ClassSync, nil, prepSyncs},
	sass.OpARRIVES: {ClassSync, nil, prepSyncs},

	// Bulk copies.
	sass.OpUBLKCP:       {ClassShared, ublkcp, prepBulk},
	sass.OpUBLKRED:      {ClassShared, ublkred, prepBulkRed},
	sass.OpUBLKPF:       {ClassOther, nothing, nil},
	sass.OpUMEMSETS:     {ClassShared, umemsets, prepMemset},
	sass.OpSTAS:         {ClassShared, stas, prepStas},
	sass.OpREDAS:        {ClassShared, redas, prepRedas},
	sass.OpUTMACMDFLUSH: {ClassSync, commitBulk, nil},
	sass.OpUTMALDG:      {ClassShared, utmaldg, prepTensor},
	sass.OpUTMASTG:      {ClassShared, utmastg, prepTensor},
	sass.OpUTMAREDG:     {ClassShared, utmaredg, prepTensor},
	sass.OpUTMAPF:       {ClassOther, nothing, nil},
	sass.OpUTMACCTL:     {ClassSync, tensorAcquire, prepNamed("IV")},

	// Fences and hints.
	sass.OpLDGDEPBAR: {ClassSync, commitCopies, nil},
	sass.OpDEPBAR:    {ClassSync, depbar, nil},
	sass.OpMEMBAR:    {ClassSync, membar, prepNamed("GPU", "SYS", "VC")},
	sass.OpERRBAR:    {ClassSync, nothing, nil},
	sass.OpCGAERRBAR: {ClassSync, nothing, nil},
	sass.OpFENCE:     {ClassSync, proxyFence, prepNamed("T")},
	sass.OpCCTL:      {ClassOther, cctl, prepNamed("IVALL")},
	sass.OpCCTLL:     {ClassOther, nothing, nil},
	sass.OpNOP:       {ClassOther, nothing, nil},
	sass.OpPMTRIG:    {ClassOther, nothing, nil},
	sass.OpACQBULK:   {ClassSync, nothing, nil},
	sass.OpPREEXIT:   {ClassSync, nothing, nil},

	sass.OpUSETMAXREG: {ClassUniform, trade, nil},

	// Control.
	sass.OpBRA:           {ClassControl, bra, prepBra},
	sass.OpBRX:           {ClassControl, brx, nil},
	sass.OpBRXU:          {ClassControl, brx, nil},
	sass.OpCALL:          {ClassControl, call, nil},
	sass.OpRET:           {ClassControl, ret, nil},
	sass.OpLEPC:          {ClassControl, lepc, nil},
	sass.OpEXIT:          {ClassControl, exit, nil},
	sass.OpKILL:          {ClassControl, exit, nil},
	sass.OpBPT:           {ClassControl, bpt, nil},
	sass.OpBSSY:          {ClassSync, bssy, nil},
	sass.OpBSYNC:         {ClassSync, bsync, nil},
	sass.OpBREAK:         {ClassSync, breakB, nil},
	sass.OpBMOV:          {ClassSync, bmov, prepBmov},
	sass.OpWARPSYNC:      {ClassSync, warpsync, nil},
	sass.OpENDCOLLECTIVE: {ClassSync, endCollective, nil},
	sass.OpYIELD:         {ClassSync, yield, nil},
	sass.OpNANOSLEEP:     {ClassSync, yield, nil},
	sass.OpBAR:           {ClassSync, bar, prepBar},
	sass.OpUCGABARARV:    {ClassSync, clusterArrive, nil},
	sass.OpUCGABARWAIT:   {ClassSync, clusterWait, nil},
	sass.OpB2R:           {ClassSync, b2r, nil},
	sass.OpS2R:           {ClassMove, s2r, prepSR},
	sass.OpCS2R:          {ClassMove, s2r, prepSR},

	// Matrices.
	sass.OpLDSM: {ClassShared, ldsm, prepMatrix},
	sass.OpSTSM: {ClassShared, stsm, prepMatrix},
	sass.OpMOVM: {ClassWarp, movm, prepMatrix},
	sass.OpHMMA: {ClassMatrix, mma, prepMMA},
	sass.OpIMMA: {ClassMatrix, mma, prepMMA},
	sass.OpDMMA: {ClassMatrix, mma, prepMMA},
	sass.OpBMMA: {ClassMatrix, mma, prepMMA},
	sass.OpQMMA: {ClassMatrix, mma, prepMMA},
	sass.OpOMMA: {ClassMatrix, mma, prepMMA},

	// Products of warp groups.
	sass.OpHGMMA:     {ClassMatrix, gmma, prepGMMA},
	sass.OpIGMMA:     {ClassMatrix, gmma, prepGMMA},
	sass.OpQGMMA:     {ClassMatrix, gmma, prepGMMA},
	sass.OpBGMMA:     {ClassMatrix, gmma, prepGMMA},
	sass.OpWARPGROUP: {ClassSync, warpgroup, prepWarpgroup},

	// Tensor memory.
	sass.OpLDTM:       {ClassTensor, ldtm, prepTensorMove},
	sass.OpSTTM:       {ClassTensor, sttm, prepTensorMove},
	sass.OpUTCCP:      {ClassMatrix, utccp, prepTensorCopy},
	sass.OpUTCSHIFT:   {ClassMatrix, utcshift, prepTensorCopy},
	sass.OpUTCHMMA:    {ClassMatrix, utcmma, prepTensorProduct},
	sass.OpUTCIMMA:    {ClassMatrix, utcmma, prepTensorProduct},
	sass.OpUTCQMMA:    {ClassMatrix, utcmma, prepTensorProduct},
	sass.OpUTCOMMA:    {ClassMatrix, utcmma, prepTensorProduct},
	sass.OpUTCBAR:     {ClassSync, utcbar, prepTensorBar},
	sass.OpUTCATOMSWS: {ClassUniform, utcatomsws, prepTensorAtom},
	sass.OpUVIRTCOUNT: {ClassOther, nothing, nil},

	// Textures and surfaces.
	sass.OpTEX:   {ClassTexture, tex, prepTex},
	sass.OpTLD:   {ClassTexture, tex, prepTex},
	sass.OpTLD4:  {ClassTexture, tex, prepTex},
	sass.OpTXQ:   {ClassTexture, txq, prepTxq},
	sass.OpSULD:  {ClassTexture, suld, prepSurf},
	sass.OpSUST:  {ClassTexture, sust, prepSurf},
	sass.OpSURED: {ClassTexture, sured, prepSured},

	// Across lanes.
	sass.OpVOTE:  {ClassWarp, vote, prepVote},
	sass.OpSHFL:  {ClassWarp, shfl, prepShfl},
	sass.OpMATCH: {ClassWarp, match, prepMatch},
	sass.OpELECT: {ClassWarp, elect, nil},
}
