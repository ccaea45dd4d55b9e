package target

// Class groups operations that the machine times alike.
type Class uint8

// Classes of operations.
const (
	ClassOther  Class = iota // no result and no rule of its own
	ClassAlu                 // integer, logic, comparisons, moves
	ClassFma                 // FADD, FMUL, FFMA
	ClassImad                // multiply-add and its moves and shifts
	ClassImadHi              // high half of a product
	ClassWide                // IMAD.WIDE; as a producer, its low word
	ClassWideHi              // its high word; producers only
	ClassHalf
	ClassHalf32
	ClassHalfCmp
	ClassHmmaFma // HFMA2.MMA
	ClassFp64
	ClassImma88
	ClassMma1 // HMMA.1688 and its like
	ClassMma2 // HMMA.16816 and its like
	ClassQmma
	ClassDmma
	ClassGmma
	ClassXu
	ClassXu64
	ClassLds // what returns from the shared memory unit
	ClassSts
	ClassLdg
	ClassStg
	ClassLdgsts
	ClassLdc
	ClassLdcu
	ClassS2r
	ClassB2r // results of barriers
	ClassS2ur
	ClassRedux
	ClassMatch
	ClassCredux // reductions of the uniform datapath
	ClassUdp
	ClassUwide
	ClassUmov
	ClassUldc
	ClassUfp
	ClassR2ur
	ClassVote
	ClassVoteu
	ClassElect
	ClassP2r
	ClassR2p
	ClassCs2r32
	ClassCs2r64
	ClassSyncs
	ClassTma
	ClassTex
	ClassBra
	ClassExit
	ClassCall // CALL, RET, BRX: nothing may be pending
	ClassCbu  // BSYNC, BREAK, WARPSYNC, YIELD and other waits
	ClassBssy
	ClassBmov // to a convergence register
	ClassBmovR
	ClassBar
	ClassMembar
	ClassFence // FENCE.VIEW.ASYNC and others announced by a barrier
	ClassDepbar
	ClassLdgdepbar
	ClassArrive // WARPGROUP.ARRIVE
	ClassGroup  // WARPGROUP.DEPBAR
	ClassLepc
	NumClasses

	// ClassAny stands for every class in a rule.
	ClassAny = NumClasses
)

type classSet uint64

const (
	variableAll = 1 << iota // results announced by a barrier on every architecture
	readsLate               // reads general registers late
	uniformLate             // reads uniform registers late
	coupled                 // runs in a unit that is never busy elsewhere
)

// Groups of operations that return results, or read registers, in order.
const (
	groupShared = 1 + iota
	groupXu
	groupXu64
	groupS2ur
	groupMemory
	groupTma
	groupFp64
	groupR2ur
	groupTex
	groupB2r
)

var classes = [NumClasses]struct {
	name    string
	kind    uint8
	returns uint8
	reads   uint8
}{
	ClassOther:     {name: "other"},
	ClassAlu:       {name: "alu", kind: coupled},
	ClassFma:       {name: "fma", kind: coupled},
	ClassImad:      {name: "imad", kind: coupled},
	ClassImadHi:    {name: "imadhi", kind: coupled},
	ClassWide:      {name: "wide", kind: coupled},
	ClassWideHi:    {name: "widehi", kind: coupled},
	ClassHalf:      {name: "half", kind: coupled},
	ClassHalf32:    {name: "half32", kind: coupled},
	ClassHalfCmp:   {name: "halfcmp", kind: coupled},
	ClassHmmaFma:   {name: "hmmafma", kind: coupled},
	ClassFp64:      {name: "fp64", kind: coupled, returns: groupFp64, reads: groupFp64},
	ClassImma88:    {name: "imma88"},
	ClassMma1:      {name: "mma1"},
	ClassMma2:      {name: "mma2"},
	ClassQmma:      {name: "qmma"},
	ClassDmma:      {name: "dmma", kind: variableAll | readsLate},
	ClassGmma:      {name: "gmma"},
	ClassXu:        {name: "xu", kind: variableAll | readsLate, returns: groupXu, reads: groupXu},
	ClassXu64:      {name: "xu64", kind: variableAll | readsLate, returns: groupXu64, reads: groupXu},
	ClassLds:       {name: "lds", kind: variableAll | readsLate, returns: groupShared, reads: groupMemory},
	ClassSts:       {name: "sts", kind: variableAll | readsLate, reads: groupMemory},
	ClassLdg:       {name: "ldg", kind: variableAll | readsLate, reads: groupMemory},
	ClassStg:       {name: "stg", kind: variableAll | readsLate, reads: groupMemory},
	ClassLdgsts:    {name: "ldgsts", kind: variableAll | readsLate, reads: groupMemory},
	ClassLdc:       {name: "ldc", kind: variableAll | readsLate},
	ClassLdcu:      {name: "ldcu", kind: variableAll},
	ClassS2r:       {name: "s2r", kind: variableAll},
	ClassB2r:       {name: "b2r", kind: variableAll, returns: groupB2r},
	ClassS2ur:      {name: "s2ur", kind: variableAll, returns: groupS2ur},
	ClassRedux:     {name: "redux", kind: variableAll | readsLate, returns: groupXu, reads: groupXu},
	ClassMatch:     {name: "match", kind: variableAll | readsLate},
	ClassCredux:    {name: "credux"},
	ClassUdp:       {name: "udp", kind: coupled},
	ClassUwide:     {name: "uwide", kind: coupled},
	ClassUmov:      {name: "umov", kind: coupled},
	ClassUldc:      {name: "uldc", kind: coupled},
	ClassUfp:       {name: "ufp", kind: coupled},
	ClassR2ur:      {name: "r2ur", kind: coupled, returns: groupR2ur, reads: groupR2ur},
	ClassVote:      {name: "vote", kind: coupled},
	ClassVoteu:     {name: "voteu", kind: coupled},
	ClassElect:     {name: "elect", kind: coupled},
	ClassP2r:       {name: "p2r", kind: coupled},
	ClassR2p:       {name: "r2p", kind: coupled},
	ClassCs2r32:    {name: "cs2r32", kind: coupled},
	ClassCs2r64:    {name: "cs2r64", kind: coupled},
	ClassSyncs:     {name: "syncs", kind: variableAll | readsLate | uniformLate, reads: groupMemory},
	ClassTma:       {name: "tma", kind: variableAll | readsLate | uniformLate, reads: groupTma},
	ClassTex:       {name: "tex", kind: variableAll | readsLate, returns: groupTex, reads: groupTex},
	ClassBra:       {name: "bra"},
	ClassExit:      {name: "exit"},
	ClassCall:      {name: "call"},
	ClassCbu:       {name: "cbu"},
	ClassBssy:      {name: "bssy"},
	ClassBmov:      {name: "bmov", kind: readsLate},
	ClassBmovR:     {name: "bmovr", kind: variableAll},
	ClassBar:       {name: "bar", kind: readsLate},
	ClassMembar:    {name: "membar"},
	ClassFence:     {name: "fence", kind: variableAll},
	ClassDepbar:    {name: "depbar"},
	ClassLdgdepbar: {name: "ldgdepbar", kind: variableAll},
	ClassArrive:    {name: "arrive"},
	ClassGroup:     {name: "group"},
	ClassLepc:      {name: "lepc"},
}

// String returns the class's name.
func (c Class) String() string {
	if c < NumClasses {
		return classes[c].name
	}
	return "?"
}

// Coupled reports whether operations of the class run in a unit of the
// issuing warp's own: the reference lets the warp be switched out after
// them when they stall for three cycles or more.
func (c Class) Coupled() bool { return classes[c].kind&coupled != 0 }

// opRow gives the class of a mnemonic.
type opRow struct {
	name  string
	class Class
}

// opClasses is sorted by name. Mnemonics that are not here have no result
// and no rule of their own.
var opClasses = [...]opRow{
	{"ACQBULK", ClassOther},
	{"ARRIVES", ClassStg},
	{"ATOM", ClassLdg},
	{"ATOMG", ClassLdg},
	{"ATOMS", ClassLds},
	{"B2R", ClassB2r},
	{"BAR", ClassBar},
	{"BGMMA", ClassGmma},
	{"BMMA", ClassMma2},
	{"BMOV", ClassBmov},
	{"BMSK", ClassAlu},
	{"BPT", ClassCbu},
	{"BRA", ClassBra},
	{"BREAK", ClassCbu},
	{"BREV", ClassXu},
	{"BRX", ClassCall},
	{"BRXU", ClassCall},
	{"BSSY", ClassBssy},
	{"BSYNC", ClassCbu},
	{"CALL", ClassCall},
	{"CCTL", ClassStg},
	{"CCTLL", ClassStg},
	{"CREDUX", ClassCredux},
	{"CS2R", ClassCs2r64},
	{"CS2UR", ClassUdp},
	{"DADD", ClassFp64},
	{"DEPBAR", ClassDepbar},
	{"DFMA", ClassFp64},
	{"DMMA", ClassDmma},
	{"DMUL", ClassFp64},
	{"DSETP", ClassFp64},
	{"ELECT", ClassElect},
	{"ENDCOLLECTIVE", ClassOther},
	{"EXIT", ClassExit},
	{"F2F", ClassXu},
	{"F2FP", ClassAlu},
	{"F2I", ClassXu},
	{"F2IP", ClassXu},
	{"FADD", ClassFma},
	{"FADD2", ClassFma},
	{"FCHK", ClassXu},
	{"FENCE", ClassFence},
	{"FFMA", ClassFma},
	{"FFMA2", ClassFma},
	{"FHADD", ClassFma},
	{"FHFMA", ClassFma},
	{"FLO", ClassXu},
	{"FMNMX", ClassAlu},
	{"FMNMX3", ClassAlu},
	{"FMUL", ClassFma},
	{"FMUL2", ClassFma},
	{"FRND", ClassXu},
	{"FSEL", ClassAlu},
	{"FSET", ClassAlu},
	{"FSETP", ClassAlu},
	{"FSWZADD", ClassFma},
	{"HADD2", ClassHalf},
	{"HFMA2", ClassHalf},
	{"HGMMA", ClassGmma},
	{"HMMA", ClassMma2},
	{"HMNMX2", ClassHalfCmp},
	{"HMUL2", ClassHalf},
	{"HSET2", ClassHalfCmp},
	{"HSETP2", ClassHalfCmp},
	{"I2F", ClassXu},
	{"I2FP", ClassAlu},
	{"I2I", ClassAlu},
	{"I2IP", ClassAlu},
	{"IABS", ClassAlu},
	{"IADD", ClassAlu},
	{"IADD3", ClassAlu},
	{"IDP", ClassImad},
	{"IGMMA", ClassGmma},
	{"IMAD", ClassImad},
	{"IMMA", ClassMma2},
	{"IMNMX", ClassAlu},
	{"ISETP", ClassAlu},
	{"LD", ClassLdg},
	{"LDC", ClassLdc},
	{"LDCU", ClassLdcu},
	{"LDG", ClassLdg},
	{"LDGDEPBAR", ClassLdgdepbar},
	{"LDGMC", ClassLdg},
	{"LDGSTS", ClassLdgsts},
	{"LDL", ClassLdg},
	{"LDS", ClassLds},
	{"LDSM", ClassLds},
	{"LDTM", ClassTex},
	{"LEA", ClassAlu},
	{"LEPC", ClassLepc},
	{"LOP3", ClassAlu},
	{"MATCH", ClassMatch},
	{"MEMBAR", ClassMembar},
	{"MOV", ClassAlu},
	{"MOVM", ClassLds},
	{"MUFU", ClassXu},
	{"NANOSLEEP", ClassCbu},
	{"OMMA", ClassQmma},
	{"P2R", ClassP2r},
	{"PLOP3", ClassAlu},
	{"PMTRIG", ClassOther},
	{"POPC", ClassXu},
	{"PRMT", ClassAlu},
	{"QGMMA", ClassGmma},
	{"QMMA", ClassQmma},
	{"QSPC", ClassLds}, // returns in order with loads from shared memory
	{"R2P", ClassR2p},
	{"R2UR", ClassR2ur},
	{"RED", ClassStg},
	{"REDAS", ClassStg},
	{"REDG", ClassStg},
	{"REDUX", ClassRedux},
	{"RET", ClassCall},
	{"RPCMOV", ClassCbu},
	{"S2R", ClassS2r},
	{"S2UR", ClassS2ur},
	{"SEL", ClassAlu},
	{"SGXT", ClassAlu},
	{"SHF", ClassAlu},
	{"SHFL", ClassLds},
	{"ST", ClassStg},
	{"STAS", ClassStg},
	{"STG", ClassStg},
	{"STL", ClassStg},
	{"STS", ClassSts},
	{"STSM", ClassSts},
	{"STTM", ClassTex},
	{"SULD", ClassTex},
	{"SURED", ClassTex},
	{"SUST", ClassTex},
	{"SYNCS", ClassSyncs},
	{"TEX", ClassTex},
	{"TLD", ClassTex},
	{"TLD4", ClassTex},
	{"TXD", ClassTex},
	{"TXQ", ClassTex},
	{"UBLKCP", ClassTma},
	{"UBLKPF", ClassTma},
	{"UBLKRED", ClassTma},
	{"UBREV", ClassUdp},
	{"UCGABAR_ARV", ClassOther},
	{"UCGABAR_WAIT", ClassOther},
	{"UF2I", ClassUfp},
	{"UFADD", ClassUfp},
	{"UFFMA", ClassUfp},
	{"UFLO", ClassUdp},
	{"UFMUL", ClassUfp},
	{"UFRND", ClassUfp},
	{"UFSEL", ClassUfp},
	{"UFSETP", ClassUfp},
	{"UGETNEXTWORKID", ClassTma},
	{"UI2F", ClassUfp},
	{"UI2FP", ClassUfp},
	{"UIADD3", ClassUdp},
	{"UIMAD", ClassUdp},
	{"UISETP", ClassUdp},
	{"ULDC", ClassUldc},
	{"ULEA", ClassUdp},
	{"ULOP3", ClassUdp},
	{"UMEMSETS", ClassTma},
	{"UMOV", ClassUmov},
	{"UP2UR", ClassUdp},
	{"UPLOP3", ClassUdp},
	{"UPOPC", ClassUdp},
	{"UPRMT", ClassUdp},
	{"UR2UP", ClassUdp},
	{"UREDGR", ClassTma},
	{"USEL", ClassUdp},
	{"USETMAXREG", ClassFence},
	{"USGXT", ClassUdp},
	{"USHF", ClassUdp},
	{"USTGR", ClassTma},
	{"UTCATOMSWS", ClassTma},
	{"UTCBAR", ClassTma},
	{"UTCCP", ClassTma},
	{"UTCHMMA", ClassTma},
	{"UTCIMMA", ClassTma},
	{"UTCOMMA", ClassTma},
	{"UTCQMMA", ClassTma},
	{"UTCSHIFT", ClassTma},
	{"UTMACCTL", ClassTma},
	{"UTMACMDFLUSH", ClassTma},
	{"UTMALDG", ClassTma},
	{"UTMAPF", ClassTma},
	{"UTMAREDG", ClassTma},
	{"UTMASTG", ClassTma},
	{"UVIADD", ClassUdp},
	{"UVIMNMX", ClassUdp},
	{"UVIRTCOUNT", ClassTma},
	{"VABSDIFF", ClassAlu},
	{"VABSDIFF4", ClassAlu},
	{"VHMNMX", ClassAlu},
	{"VIADD", ClassImad},
	{"VIADDMNMX", ClassAlu},
	{"VIMNMX", ClassAlu},
	{"VIMNMX3", ClassAlu},
	{"VOTE", ClassVote},
	{"VOTEU", ClassVoteu},
	{"WARPGROUP", ClassGroup},
	{"WARPSYNC", ClassCbu},
	{"YIELD", ClassCbu},
}

// ClassOf returns the class of a mnemonic without its modifiers.
func ClassOf(name string) Class {
	lo, hi := 0, len(opClasses)
	for lo < hi {
		mid := (lo + hi) / 2
		if opClasses[mid].name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(opClasses) && opClasses[lo].name == name {
		return opClasses[lo].class
	}
	return ClassOther
}

// modRow refines a class by a modifier.
type modRow struct {
	name string // of the operation; empty: any of the class
	from Class
	mod  string
	to   Class
}

// modClasses is searched in order for every modifier; the first row that
// fits one wins.
var modClasses = [...]modRow{
	{"IMAD", ClassImad, "WIDE", ClassWide},
	{"IMAD", ClassImad, "HI", ClassImadHi},
	{"UIMAD", ClassUdp, "WIDE", ClassUwide},
	{"UIMAD", ClassUdp, "HI", ClassUwide},
	{"HFMA2", ClassHalf, "MMA", ClassHmmaFma},
	{"", ClassHalf, "F32", ClassHalf32},
	{"CS2R", ClassCs2r64, "32", ClassCs2r32},
	{"HMMA", ClassMma2, "1684", ClassMma1},
	{"HMMA", ClassMma2, "TF32", ClassMma2},
	{"HMMA", ClassMma2, "1688", ClassMma1},
	{"IMMA", ClassMma2, "8816", ClassImma88},
	{"IMMA", ClassMma2, "16816", ClassMma1},
	{"", ClassXu, "F64", ClassXu64},
	{"", ClassXu, "S64", ClassXu64},
	{"", ClassXu, "U64", ClassXu64},
	{"BMOV", ClassBmov, "CLEAR", ClassBmovR},
	{"WARPGROUP", ClassGroup, "ARRIVE", ClassArrive},
}

// Refine returns the class of an operation that has modifiers; has reports
// whether one is among them.
func Refine(c Class, name string, has func(mod string) bool) Class {
	for n := range modClasses {
		r := &modClasses[n]
		if r.from == c && (r.name == "" || r.name == name) && has(r.mod) {
			return r.to
		}
	}
	return c
}

// Refines reports whether modifiers of an operation of class c change it.
func Refines(c Class) bool {
	for n := range modClasses {
		if modClasses[n].from == c {
			return true
		}
	}
	return false
}
