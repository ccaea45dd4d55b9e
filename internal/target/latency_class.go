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
	ClassTmem // LDTM, STTM
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
	groupTmem
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
	ClassTmem:      {name: "tmem", kind: variableAll | readsLate, returns: groupTmem, reads: groupTmem},
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
