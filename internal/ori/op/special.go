package op

// Special is a special register that S2R, S2UR and CS2R read. The order is
// ours; the assembler's name says which register of the machine is meant.
type Special uint16

// The special registers that compiled code reads (golden words of every
// architecture).
const (
	SRNone Special = iota
	SRZero
	SRLaneID
	SRVirtCfg
	SRVirtID
	SRTidX
	SRTidY
	SRTidZ
	SRCtaidX
	SRCtaidY
	SRCtaidZ
	SREqMask
	SRLtMask
	SRLeMask
	SRGtMask
	SRGeMask
	SRVirtualSMID
	SRClockLo
	SRClockHi
	SRGlobalTimerLo
	SRGlobalTimerHi
	SRSMemSize
	SRClusterCtaID
	SRClusterSize
	SRSharedWindowHi
	SRLocalHighOffset
	SRPM0
	SRPM1
	SRPM2
	SRPM3
	SRPM4
	SRPM5
	SRPM6
	SRPM7
	SRScoreboard0 // the barrier that groups of asynchronous copies count with
	SRScoreboards // all barriers
	SRGroup0      // the counter of groups of warp-group matrix operations

	// Words that stand as operands of texture instructions.
	Tex1D
	Tex2D
	Tex3D
	TexCube
	TexArray1D
	TexArray2D
	TexArrayCube
	TexDimension
	numSpecials
)

var specialNames = [numSpecials]string{
	SRZero:            "SRZ",
	SRLaneID:          "SR_LANEID",
	SRVirtCfg:         "SR_VIRTCFG",
	SRVirtID:          "SR_VIRTID",
	SRTidX:            "SR_TID.X",
	SRTidY:            "SR_TID.Y",
	SRTidZ:            "SR_TID.Z",
	SRCtaidX:          "SR_CTAID.X",
	SRCtaidY:          "SR_CTAID.Y",
	SRCtaidZ:          "SR_CTAID.Z",
	SREqMask:          "SR_EQMASK",
	SRLtMask:          "SR_LTMASK",
	SRLeMask:          "SR_LEMASK",
	SRGtMask:          "SR_GTMASK",
	SRGeMask:          "SR_GEMASK",
	SRVirtualSMID:     "SR_VIRTUALSMID",
	SRClockLo:         "SR_CLOCKLO",
	SRClockHi:         "SR_CLOCKHI",
	SRGlobalTimerLo:   "SR_GLOBALTIMERLO",
	SRGlobalTimerHi:   "SR_GLOBALTIMERHI",
	SRSMemSize:        "SR_SMEMSZ",
	SRClusterCtaID:    "SR_CgaCtaId",
	SRClusterSize:     "SR_CgaSize",
	SRSharedWindowHi:  "SR_SWINHI",
	SRLocalHighOffset: "SR_LMEMHIOFF",
	SRPM0:             "SR_PM0",
	SRPM1:             "SR_PM1",
	SRPM2:             "SR_PM2",
	SRPM3:             "SR_PM3",
	SRPM4:             "SR_PM4",
	SRPM5:             "SR_PM5",
	SRPM6:             "SR_PM6",
	SRPM7:             "SR_PM7",
	SRScoreboard0:     "SB0",
	SRScoreboards:     "{5,4,3,2,1,0}",
	SRGroup0:          "gsb0",
	Tex1D:             "1D",
	Tex2D:             "2D",
	Tex3D:             "3D",
	TexCube:           "CUBE",
	TexArray1D:        "ARRAY_1D",
	TexArray2D:        "ARRAY_2D",
	TexArrayCube:      "ARRAY_CUBE",
	TexDimension:      "TEX_HEADER_DIMENSION",
}

// String returns the register's name in the assembler.
func (s Special) String() string {
	if s < numSpecials {
		return specialNames[s]
	}
	return "?"
}

// FindSpecial returns the special register with a name, or SRNone.
func FindSpecial(name string) Special {
	for s := SRNone + 1; s < numSpecials; s++ {
		if specialNames[s] == name {
			return s
		}
	}
	return SRNone
}
