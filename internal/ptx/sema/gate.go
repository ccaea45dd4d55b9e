package sema

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// feature is a part of the language outside instructions that appeared in
// some version and needs some architecture. Instructions are gated by the
// instruction table.
type feature struct {
	name    string
	version isa.Version
	sm      int
	// targetFirst prints the complaint about the target before that about
	// the version.
	targetFirst bool
}

// The gated features, named as messages name them.
var (
	featAddressSize = feature{name: ".address_size directive", version: 23}
	featWeak        = feature{name: ".weak directive", version: 31}
	featCommon      = feature{name: ".common directive", version: 50}
	featAlias       = feature{name: ".alias", version: 63, sm: 30}
	featNoReturn    = feature{name: ".noreturn", version: 64, sm: 30}
	featPreserve    = feature{name: ".abi_preserve", version: 90, sm: 80}
	featPreserveCtl = feature{name: ".abi_preserve_control", version: 90, sm: 80}
	featPragma      = feature{name: ".pragma directive", version: 20}
	featFileTime    = feature{name: "timestamp and filesize in .file directive", version: 32}
	featInlined     = feature{name: "Line information of inline functions", version: 70}
	featSection     = feature{name: ".section directive", version: 20}
	featNegative    = feature{name: "Negative numbers in dwarf section", version: 75}
	featEntryProto  = feature{name: "kernel function prototype", version: 30}
	featSectLabel   = feature{name: "Defining labels in .section", version: 70}
	featAttribute   = feature{name: ".attribute", version: 40}
	featManaged     = feature{name: ".managed", version: 40, sm: 30}
	featUnified     = feature{name: ".unified", version: 80, sm: 90}
	featBranchTgts  = feature{name: ".branchtargets directive", version: 60, sm: 30}
	featCallTgts    = feature{name: ".calltargets directive", version: 21, sm: 20}
	featCallProto   = feature{name: ".callprototype directive", version: 21, sm: 20}
	featOpaque      = feature{name: "opaque type", version: 15}
	featB128        = feature{name: "Type .b128", version: 83, sm: 70}
	featF16x2       = feature{name: ".f16x2 packed data-type", version: 42, sm: 53, targetFirst: true}
	featParamList   = feature{name: "kernel parameter list", version: 14}
	featPtr         = feature{name: "kernel parameter pointer attribute", version: 22}
	featBigParams   = feature{name: "Kernel parameter size larger than 4352 bytes", version: 81, sm: 70, targetFirst: true}
	featOpenParam   = feature{name: "Unsized Array Parameter", version: 60, sm: 30, targetFirst: true}
	featGeneric     = feature{name: "generic() operator", version: 31}
	featMask        = feature{name: "mask operator in initializer", version: 71}
	featFuncInit    = feature{name: "functions as initial values", version: 21, sm: 20}
	featBanks       = feature{name: "banked constants", version: 15}
	featIndependent = feature{name: "texmode_independent", version: 15}
	featDebug       = feature{name: "debug", version: 30}
)

// tuning are the features of the directives after a kernel's parameters.
var tuning = [...]struct {
	word isa.Word
	feat feature
}{
	{isa.WMaxnreg, feature{name: ".maxnreg", version: 13}},
	{isa.WLocalMaxnreg, feature{name: ".local_maxnreg", version: 88}},
	{isa.WMaxntid, feature{name: ".maxntid", version: 13}},
	{isa.WReqntid, feature{name: ".reqntid directive", version: 21}},
	{isa.WMinnctapersm, feature{name: ".minnctapersm directive", version: 20}},
	{isa.WExplicitcluster, feature{name: ".explicitcluster", version: 78, sm: 90}},
	{isa.WReqnctapercluster, feature{name: ".reqnctapercluster", version: 78, sm: 90}},
	{isa.WMaxclusterrank, feature{name: ".maxclusterrank", version: 78, sm: 90}},
	{isa.WBlocksareclusters, feature{name: ".blocksareclusters", version: 90, sm: 90}},
	{isa.WNoreturn, featNoReturn},
	{isa.WAbiPreserve, featPreserve},
	{isa.WAbiPreserveControl, featPreserveCtl},
}

// versionBefore reports whether v is before the version that introduced something.
// 5.1 has what the messages say came with 6.0.
func versionBefore(v, since isa.Version) bool {
	if since == 60 {
		since = 51
	}
	return v < since
}

// gate reports a feature that the file's version or target does not have.
func (c *context) gate(p src.Pos, f *feature) {
	if f.targetFirst {
		c.gateTarget(p, f)
		c.gateVersion(p, f)
		return
	}
	c.gateVersion(p, f)
	c.gateTarget(p, f)
}

func (c *context) gateVersion(p src.Pos, f *feature) {
	if versionBefore(c.ver, f.version) {
		c.unit.Report(diag.Error, p, "Feature '"+f.name+"' requires PTX ISA .version "+f.version.String()+" or later")
	}
}

func (c *context) gateTarget(p src.Pos, f *feature) {
	if c.tgt.before(f.sm) {
		c.unit.Report(diag.Error, p, "Feature '"+f.name+"' requires .target sm_"+strconv.Itoa(f.sm)+" or higher")
	}
}
