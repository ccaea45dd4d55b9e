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
	pipe    Pipe
	kind    uint8
	returns uint8
	reads   uint8
}{
	ClassOther:     {name: "other", pipe: PipeControl},
	ClassAlu:       {name: "alu", pipe: PipeAlu, kind: coupled},
	ClassFma:       {name: "fma", pipe: PipeFloat, kind: coupled},
	ClassImad:      {name: "imad", pipe: PipeMultiply, kind: coupled},
	ClassImadHi:    {name: "imadhi", pipe: PipeMultiply, kind: coupled},
	ClassWide:      {name: "wide", pipe: PipeMultiply, kind: coupled},
	ClassWideHi:    {name: "widehi", pipe: PipeMultiply, kind: coupled},
	ClassHalf:      {name: "half", pipe: PipeFloat, kind: coupled},
	ClassHalf32:    {name: "half32", pipe: PipeFloat, kind: coupled},
	ClassHalfCmp:   {name: "halfcmp", pipe: PipeHalf, kind: coupled},
	ClassHmmaFma:   {name: "hmmafma", pipe: PipeHalf, kind: coupled},
	ClassFp64:      {name: "fp64", pipe: PipeDouble, kind: coupled, returns: groupFp64, reads: groupFp64},
	ClassImma88:    {name: "imma88", pipe: PipeTensor},
	ClassMma1:      {name: "mma1", pipe: PipeTensor},
	ClassMma2:      {name: "mma2", pipe: PipeTensor},
	ClassQmma:      {name: "qmma", pipe: PipeTensor},
	ClassDmma:      {name: "dmma", pipe: PipeTensor, kind: variableAll | readsLate},
	ClassGmma:      {name: "gmma", pipe: PipeTensor},
	ClassXu:        {name: "xu", pipe: PipeSpecial, kind: variableAll | readsLate, returns: groupXu, reads: groupXu},
	ClassXu64:      {name: "xu64", pipe: PipeSpecial, kind: variableAll | readsLate, returns: groupXu64, reads: groupXu},
	ClassLds:       {name: "lds", pipe: PipeMemory, kind: variableAll | readsLate, returns: groupShared, reads: groupMemory},
	ClassSts:       {name: "sts", pipe: PipeMemory, kind: variableAll | readsLate, reads: groupMemory},
	ClassLdg:       {name: "ldg", pipe: PipeMemory, kind: variableAll | readsLate, reads: groupMemory},
	ClassStg:       {name: "stg", pipe: PipeMemory, kind: variableAll | readsLate, reads: groupMemory},
	ClassLdgsts:    {name: "ldgsts", pipe: PipeMemory, kind: variableAll | readsLate, reads: groupMemory},
	ClassLdc:       {name: "ldc", pipe: PipeConstant, kind: variableAll | readsLate},
	ClassLdcu:      {name: "ldcu", pipe: PipeConstant, kind: variableAll},
	ClassS2r:       {name: "s2r", pipe: PipeConstant, kind: variableAll},
	ClassB2r:       {name: "b2r", pipe: PipeControl, kind: variableAll, returns: groupB2r},
	ClassS2ur:      {name: "s2ur", pipe: PipeConstant, kind: variableAll, returns: groupS2ur},
	ClassRedux:     {name: "redux", pipe: PipeSpecial, kind: variableAll | readsLate, returns: groupXu, reads: groupXu},
	ClassMatch:     {name: "match", pipe: PipeSpecial, kind: variableAll | readsLate},
	ClassCredux:    {name: "credux", pipe: PipeSpecial},
	ClassUdp:       {name: "udp", pipe: PipeUniform, kind: coupled},
	ClassUwide:     {name: "uwide", pipe: PipeUniform, kind: coupled},
	ClassUmov:      {name: "umov", pipe: PipeUniform, kind: coupled},
	ClassUldc:      {name: "uldc", pipe: PipeUniform, kind: coupled},
	ClassUfp:       {name: "ufp", pipe: PipeUniform, kind: coupled},
	ClassR2ur:      {name: "r2ur", pipe: PipeAlu, kind: coupled, returns: groupR2ur, reads: groupR2ur},
	ClassVote:      {name: "vote", pipe: PipeAlu, kind: coupled},
	ClassVoteu:     {name: "voteu", pipe: PipeAlu, kind: coupled},
	ClassElect:     {name: "elect", pipe: PipeAlu, kind: coupled},
	ClassP2r:       {name: "p2r", pipe: PipeAlu, kind: coupled},
	ClassR2p:       {name: "r2p", pipe: PipeAlu, kind: coupled},
	ClassCs2r32:    {name: "cs2r32", pipe: PipeAlu, kind: coupled},
	ClassCs2r64:    {name: "cs2r64", pipe: PipeAlu, kind: coupled},
	ClassSyncs:     {name: "syncs", pipe: PipeMemory, kind: variableAll | readsLate | uniformLate, reads: groupMemory},
	ClassTma:       {name: "tma", pipe: PipeAsync, kind: variableAll | readsLate | uniformLate, reads: groupTma},
	ClassTex:       {name: "tex", pipe: PipeTexture, kind: variableAll | readsLate, returns: groupTex, reads: groupTex},
	ClassTmem:      {name: "tmem", pipe: PipeTensor, kind: variableAll | readsLate, returns: groupTmem, reads: groupTmem},
	ClassBra:       {name: "bra", pipe: PipeControl},
	ClassExit:      {name: "exit", pipe: PipeControl},
	ClassCall:      {name: "call", pipe: PipeControl},
	ClassCbu:       {name: "cbu", pipe: PipeControl},
	ClassBssy:      {name: "bssy", pipe: PipeControl},
	ClassBmov:      {name: "bmov", pipe: PipeControl, kind: readsLate},
	ClassBmovR:     {name: "bmovr", pipe: PipeControl, kind: variableAll},
	ClassBar:       {name: "bar", pipe: PipeControl, kind: readsLate},
	ClassMembar:    {name: "membar", pipe: PipeControl},
	ClassFence:     {name: "fence", pipe: PipeControl, kind: variableAll},
	ClassDepbar:    {name: "depbar", pipe: PipeControl},
	ClassLdgdepbar: {name: "ldgdepbar", pipe: PipeMemory, kind: variableAll},
	ClassArrive:    {name: "arrive", pipe: PipeControl},
	ClassGroup:     {name: "group", pipe: PipeControl},
	ClassLepc:      {name: "lepc", pipe: PipeControl},
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
