package setting

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Feature is a part of the language outside instructions that appeared in
// some version and needs some architecture. Instructions are gated by the
// instruction table.
type Feature struct {
	Name    string
	Version isa.Version
	sm      int
	// targetFirst prints the complaint about the target before that about
	// the version.
	targetFirst bool
}

// The gated features, named as messages name them.
var (
	FeatAddressSize = Feature{Name: ".address_size directive", Version: 23}
	FeatWeak        = Feature{Name: ".weak directive", Version: 31}
	FeatCommon      = Feature{Name: ".common directive", Version: 50}
	FeatAlias       = Feature{Name: ".alias", Version: 63, sm: 30}
	featNoReturn    = Feature{Name: ".noreturn", Version: 64, sm: 30}
	featPreserve    = Feature{Name: ".abi_preserve", Version: 90, sm: 80}
	featPreserveCtl = Feature{Name: ".abi_preserve_control", Version: 90, sm: 80}
	featPragma      = Feature{Name: ".pragma directive", Version: 20}
	FeatFileTime    = Feature{Name: "timestamp and filesize in .file directive", Version: 32}
	FeatInlined     = Feature{Name: "Line information of inline functions", Version: 70}
	FeatSection     = Feature{Name: ".section directive", Version: 20}
	FeatNegative    = Feature{Name: "Negative numbers in dwarf section", Version: 75}
	FeatEntryProto  = Feature{Name: "kernel function prototype", Version: 30}
	FeatSectLabel   = Feature{Name: "Defining labels in .section", Version: 70}
	FeatAttribute   = Feature{Name: ".attribute", Version: 40}
	FeatManaged     = Feature{Name: ".managed", Version: 40, sm: 30}
	FeatUnified     = Feature{Name: ".unified", Version: 80, sm: 90}
	FeatBranchTgts  = Feature{Name: ".branchtargets directive", Version: 60, sm: 30}
	FeatCallTgts    = Feature{Name: ".calltargets directive", Version: 21, sm: 20}
	FeatCallProto   = Feature{Name: ".callprototype directive", Version: 21, sm: 20}
	FeatOpaque      = Feature{Name: "opaque type", Version: 15}
	FeatB128        = Feature{Name: "Type .b128", Version: 83, sm: 70}
	FeatF16x2       = Feature{Name: ".f16x2 packed data-type", Version: 42, sm: 53, targetFirst: true}
	FeatParamList   = Feature{Name: "kernel parameter list", Version: 14}
	FeatPtr         = Feature{Name: "kernel parameter pointer attribute", Version: 22}
	FeatBigParams   = Feature{Name: "Kernel parameter size larger than 4352 bytes", Version: 81, sm: 70, targetFirst: true}
	FeatOpenParam   = Feature{Name: "Unsized Array Parameter", Version: 60, sm: 30, targetFirst: true}
	FeatGeneric     = Feature{Name: "generic() operator", Version: 31}
	FeatMask        = Feature{Name: "mask operator in initializer", Version: 71}
	FeatFuncInit    = Feature{Name: "functions as initial values", Version: 21, sm: 20}
	FeatBanks       = Feature{Name: "banked constants", Version: 15}
	FeatIndependent = Feature{Name: "texmode_independent", Version: 15}
	FeatDebug       = Feature{Name: "debug", Version: 30}
)

// Tuning are the features of the directives after a kernel's parameters.
var Tuning = [...]struct {
	Word isa.Word
	Feat Feature
}{
	{isa.WMaxnreg, Feature{Name: ".maxnreg", Version: 13}},
	{isa.WLocalMaxnreg, Feature{Name: ".local_maxnreg", Version: 88}},
	{isa.WMaxntid, Feature{Name: ".maxntid", Version: 13}},
	{isa.WReqntid, Feature{Name: ".reqntid directive", Version: 21}},
	{isa.WMinnctapersm, Feature{Name: ".minnctapersm directive", Version: 20}},
	{isa.WExplicitcluster, Feature{Name: ".explicitcluster", Version: 78, sm: 90}},
	{isa.WReqnctapercluster, Feature{Name: ".reqnctapercluster", Version: 78, sm: 90}},
	{isa.WMaxclusterrank, Feature{Name: ".maxclusterrank", Version: 78, sm: 90}},
	{isa.WBlocksareclusters, Feature{Name: ".blocksareclusters", Version: 90, sm: 90}},
	{isa.WNoreturn, featNoReturn},
	{isa.WAbiPreserve, featPreserve},
	{isa.WAbiPreserveControl, featPreserveCtl},
}

// VersionBefore reports whether v is before the version that introduced something.
// 5.1 has what the messages say came with 6.0.
func VersionBefore(v, since isa.Version) bool {
	if since == 60 {
		since = 51
	}
	return v < since
}

// Gate reports a feature that the file's version or target does not have.
func (c *Context) Gate(p src.Pos, f *Feature) {
	if f.targetFirst {
		c.GateTarget(p, f)
		c.GateVersion(p, f)
		return
	}
	c.GateVersion(p, f)
	c.GateTarget(p, f)
}

// GateVersion reports a feature that the file's version does not have.
func (c *Context) GateVersion(p src.Pos, f *Feature) {
	if VersionBefore(c.Version, f.Version) {
		c.Unit.Report(diag.Error, p, "Feature '"+f.Name+"' requires PTX ISA .version "+f.Version.String()+" or later")
	}
}

// GateTarget reports one that its target does not have.
func (c *Context) GateTarget(p src.Pos, f *Feature) {
	if c.Target.Before(f.sm) {
		c.Unit.Report(diag.Error, p, "Feature '"+f.Name+"' requires .target sm_"+strconv.Itoa(f.sm)+" or higher")
	}
}
