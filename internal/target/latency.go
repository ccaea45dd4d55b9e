package target

// The timing of instructions. A result is either ready a known number of
// cycles after its instruction issued (fixed latency) or announced by one of
// six barriers (variable latency). The tables hold the distances the
// reference keeps; distance is the sum of the stall counts of the first
// instruction and of everything issued between it and the second.

// File is a register file, as far as timing tells them apart.
type File uint8

// Register files.
const (
	FileR File = iota
	FileUR
	FileP
	FileUP
	FileB
	NumFiles
)

// Sink says who reads a register: timing depends on the unit and on which
// operand of it. Each file has its own list.
type Sink uint8

// Readers of a general register.
const (
	SinkAlu Sink = iota
	SinkFma
	SinkImad
	SinkImadHi
	SinkWide   // factors of IMAD.WIDE
	SinkWideLo // low word of its addend
	SinkWideHi // high word of its addend
	SinkHalf
	SinkHalf32
	SinkHalfCmp
	SinkHmmaFma
	SinkFp64
	SinkMmaAB
	SinkMmaC
	SinkDmma
	SinkGmmaA
	SinkGmmaC
	SinkXu
	SinkData    // stored or exchanged
	SinkAddress // of memory
	SinkLdc     // index of a constant load
	SinkR2ur
	SinkSyncs
	SinkBranch
	SinkCbu
	SinkBar
	SinkR2p
	SinkArriveA // WARPGROUP.ARRIVE before a product of a matrix in registers; no column
	SinkArriveC // the same for what it adds to
	numGPRSinks
)

// Readers of a predicate.
const (
	SinkPredAlu Sink = iota
	SinkPredImad
	SinkPredHalf
	SinkPredFp64
	SinkPredSlow // guards, branches, votes, memory and barrier operands
	SinkPredWide // carry of IMAD.WIDE.X
	SinkPredP2r
	SinkPredBreak // condition of BREAK
	numPredSinks
)

// Readers of a uniform register.
const (
	SinkUniUdp Sink = iota
	SinkUniMov
	SinkUniIndex // of ULDC, LDCU; data of SYNCS.EXCH
	SinkUniVector
	SinkUniXu
	SinkUniDesc
	SinkUniDescAsync // of LDGSTS
	SinkUniAddress
	SinkUniGmma
	SinkUniTma
	SinkUniSyncs
	SinkUniBranch
	SinkUniWide // UIMAD.WIDE, floats
	numUniSinks
)

// Readers of a uniform predicate.
const (
	SinkUPUdp Sink = iota
	SinkUPVector
	SinkUPGuard
	SinkUPAsync // guards of SYNCS and TMA
	SinkUPBranch
	SinkUPWide // UIMAD.WIDE.X, floats
	numUPSinks
)

// Tables of distances from a result to its readers. A row of zeros is a
// producer nothing is known of.
type (
	gprTable  [NumClasses][SinkArriveA]uint8
	predTable [NumClasses][numPredSinks]uint8
	uniTable  [NumClasses][numUniSinks]uint8
	upTable   [NumClasses][numUPSinks]uint8
)

// orderTable says how long after a first access to a register a writer may
// issue.
type orderTable [NumClasses]struct {
	fixed    uint8 // when the writer has fixed latency
	variable uint8 // when it has not
}

// Timing is what one generation of machines does.
type Timing struct {
	gpr      *gprTable
	pred     *predTable
	uni      *uniTable
	up       *upTable
	waw      *orderTable
	war      *orderTable
	wideWAW  uint8    // IMAD.WIDE after an ALU result: its low word lands early
	variable classSet // beyond those variable everywhere
	busy     []busyRow
	barBar   uint8 // BAR to the next BAR or S2UR
	barGap   uint8 // BAR to the next operation that may not issue beside it
	barAlone bool  // nothing issues beside a BAR
	bssyGap  uint8 // BSSY to the next one or a branch
	barReads bool  // BAR is passed only after shared memory stores read their registers
	imadAlu  uint8 // IMAD to an ALU operation that overwrites its result, which may overtake; 0 = as others

	integersLate bool // products of integers are announced by barriers
	exitStall    bool // the reference gives MinStall to whatever leaves a block
	blockFence   bool // MEMBAR of a block is a fence for everything
}

// busyRow says for how many cycles an operation keeps its unit from the
// next one of some classes.
type busyRow struct {
	from Class
	to   []Class
	gap  uint8
}

// Never is a distance that no stall reaches: only a barrier will do.
const Never = 0xff

// unknownLatency is assumed of results no table has a row for. No fixed
// latency of a general, uniform or predicate register outside the matrix
// units exceeds it.
const unknownLatency = 15

// TimingOf returns the tables of an architecture.
func TimingOf(a *Arch) *Timing { return a.timing }

// IntegersLate reports whether products of matrices of integers run in a unit
// outside of the warp's own, as those of doubles do.
func (t *Timing) IntegersLate() bool { return t.integersLate }

// ExitStall reports whether the reference gives MinStall to whatever leaves a
// block.
func (t *Timing) ExitStall() bool { return t.exitStall }

// BlockFence reports whether a MEMBAR of the block orders everything.
func (t *Timing) BlockFence() bool { return t.blockFence }

// RAW returns the least distance from a fixed-latency result of class c in
// file f to a reader.
func (t *Timing) RAW(f File, c Class, s Sink) int {
	d := 0
	switch f {
	case FileR:
		switch s {
		case SinkArriveA:
			return max(1, t.RAW(f, c, SinkGmmaA)-arriveGap)
		case SinkArriveC:
			return max(1, t.RAW(f, c, SinkGmmaC)-arriveGap)
		}
		d = int(t.gpr[c][s])
	case FileP:
		d = int(t.pred[c][s])
	case FileUR:
		d = int(t.uni[c][s])
	case FileUP:
		d = int(t.up[c][s])
	case FileB:
		d = barrierRAW(c)
	}
	switch {
	case d != 0:
		return d
	case c == ClassLepc:
		return 9
	}
	return unknownLatency
}

// barrierRAW: the machine keeps BSSY, BREAK and BSYNC in order by itself; a
// convergence register loaded by BMOV is given the longest fixed latency.
func barrierRAW(c Class) int {
	if c == ClassBmov {
		return unknownLatency
	}
	return 1
}

// Sinks returns how many kinds of readers a file has.
func Sinks(f File) Sink {
	return [NumFiles]Sink{numGPRSinks, numUniSinks, numPredSinks, numUPSinks, 1}[f]
}

// Any returns the distance after which every reader of a fixed-latency
// result is served, warp-group matrix operations apart: those come after a
// WARPGROUP.ARRIVE.
func (t *Timing) Any(f File, c Class) int {
	d := 0
	for s := range Sinks(f) {
		if f != FileR || s != SinkGmmaA && s != SinkGmmaC { // arrivals need less
			d = max(d, t.RAW(f, c, s))
		}
	}
	return d
}

// WAW returns the least distance from a fixed-latency writer of class a to
// another writer of the same register.
func (t *Timing) WAW(f File, a, b Class) int {
	switch f {
	case FileR:
		if (b == ClassWide && wideLate(a) || b == ClassImadHi && (wideLate(a) || a == ClassImad)) && !t.Variable(b) {
			return int(t.wideWAW)
		}
		if a == b && !matrix(a) {
			return 1
		}
		if a == ClassWide && (b == ClassImad || b == ClassImadHi) {
			return 4 // the closest that the reference puts them
		}
		if t.imadAlu != 0 && a == ClassImad && b == ClassAlu {
			return int(t.imadAlu)
		}
		// results of the FP64 unit come late wherever they are announced
		return t.waw.of(a, t.Variable(b) && b != ClassFp64)
	case FileUR:
		return t.uniformWAW(a, b)
	case FileP, FileUP:
		// a later, faster unit must not overtake
		if f == FileUP && uniformDatapath(a) && quickUniform(b) {
			return 7
		}
		if a == ClassFp64 && b != ClassFp64 {
			return 3
		}
		return pick(t.Variable(b), 2, 1)
	}
	return 1
}

// wideLate reports whether a result of the class lands after the low word
// of an IMAD.WIDE, or the result of an IMAD.HI, issued next to it.
func wideLate(c Class) bool {
	switch c {
	case ClassAlu, ClassVote, ClassP2r, ClassCs2r32, ClassCs2r64:
		return true
	}
	return false
}

// Matrix reports whether a class runs in the matrix unit with fixed latency.
func Matrix(c Class) bool { return matrix(c) }

func matrix(c Class) bool {
	return c == ClassImma88 || c == ClassMma1 || c == ClassMma2 || c == ClassQmma
}

func (t *Timing) uniformWAW(a, b Class) int {
	quick := quickUniform(b)
	switch {
	case a == ClassR2ur && b != ClassR2ur:
		return 12
	case uniformDatapath(a):
		if t.Variable(b) {
			return 11
		}
		if quick {
			return 7
		}
		return 1
	case t.Variable(b), (a == ClassElect || a == ClassVoteu) && quick:
		return 4
	}
	return 1
}

// quickUniform reports whether a class writes uniform registers sooner than
// the uniform datapath does: its results can be read two cycles later, and
// land before an operation of that datapath issued just before has read.
func quickUniform(c Class) bool {
	return c == ClassUmov || c == ClassUldc || c == ClassVoteu || c == ClassElect
}

func uniformDatapath(c Class) bool {
	return c == ClassUdp || c == ClassUwide || c == ClassUfp
}

// WAR returns the least distance from a reader of class a, which reads at
// issue or a fixed time after it, to a writer of class b.
func (t *Timing) WAR(f File, a, b Class) int {
	switch f {
	case FileR:
		if t.ReadsLate(a) {
			return queueWAR
		}
		if b == ClassFp64 {
			return int(max(1, t.war[a].fixed)) // it writes late on every architecture
		}
		if matrix(a) && matrix(b) {
			return max(1, int(t.war[a].fixed)-1) // the reader is out of the writer's way earlier
		}
		if matrix(a) && (b == ClassDmma || b == ClassXu || b == ClassXu64) {
			return max(2, t.war.of(a, t.Variable(b))) // which the reference never puts next to it
		}
		return t.war.of(a, t.Variable(b))
	case FileUR:
		if uniformDatapath(a) && quickUniform(b) {
			return 3
		}
	case FileUP:
		// a carry is read behind the issue: VOTEU of the next cycle lands first
		if quickUniform(b) {
			return 2
		}
	}
	return 1
}

// queueWAR is the least distance from an operation that reads late to one of
// the same queue that overwrites what it reads.
const queueWAR = 4

// of returns the cell of class c, at least one cycle.
func (o *orderTable) of(c Class, variable bool) int {
	return max(1, pick(variable, o[c].variable, o[c].fixed))
}

func pick(c bool, yes, no uint8) int {
	if c {
		return int(yes)
	}
	return int(no)
}

// Gap returns how many cycles must pass between an operation of class a and
// a later one of class b for reasons other than registers.
func (t *Timing) Gap(a, b Class) int {
	if a == ClassBar {
		switch {
		case b == ClassBar || b == ClassS2ur:
			return int(t.barBar)
		case t.barAlone || !besideBar(b):
			return int(t.barGap)
		}
	}
	if a == ClassBssy && (b == ClassBra || b == ClassBssy) {
		return int(t.bssyGap)
	}
	if a == ClassMembar {
		return int(t.barGap)
	}
	for n := range gaps {
		g := &gaps[n]
		if g.from == a && (g.to == b || g.to == ClassAny) {
			return int(g.cycles)
		}
	}
	return 0
}

// MaxGap bounds what Gap returns.
const MaxGap = 8

// HasGap reports whether operations of class a keep later ones away.
func HasGap(a Class) bool {
	if a == ClassBar || a == ClassMembar || a == ClassBssy {
		return true
	}
	for n := range gaps {
		if gaps[n].from == a {
			return true
		}
	}
	return false
}

// besideBar reports whether the reference lets a class issue while a barrier of the
// block has yet to stop the warp: arithmetic and matrices, but no doubles, and of the
// uniform datapath what computes. Anything else keeps its distance. On an H200 that
// several processes share, a ULDC in the cycle behind a barrier ends the process with
// an error when it loses the GPU there.
func besideBar(c Class) bool {
	switch c {
	case ClassAlu, ClassFma, ClassImad, ClassImadHi, ClassWide, ClassHalf, ClassHalf32, ClassHalfCmp, ClassHmmaFma,
		ClassImma88, ClassMma1, ClassMma2, ClassQmma, ClassUdp, ClassUwide, ClassR2ur, ClassElect, ClassP2r, ClassR2p, ClassCs2r32, ClassCs2r64:
		return true
	}
	return false
}

// arriveGap is how far a product stands behind its WARPGROUP.ARRIVE at least.
// The reference lets results be as much older at the product than they are at the
// arrival: 4 cycles there and 10 here for F2FP, HFMA2 and HMUL2.
const arriveGap = 6

// gaps are the spacings without registers, from what the reference keeps.
var gaps = [...]struct {
	from, to Class
	cycles   uint8
}{
	{ClassDepbar, ClassAny, 4},
	{ClassArrive, ClassGmma, arriveGap},
	{ClassArrive, ClassArrive, 6}, // closer ones hang a warp group
	{ClassGmma, ClassGroup, 3},
	{ClassGroup, ClassAny, 2},
	{ClassLdgdepbar, ClassLdgdepbar, 8},
	{ClassLdgdepbar, ClassLdgsts, 4},
	{ClassLdgdepbar, ClassLdg, 4},
	{ClassLdgdepbar, ClassStg, 4},
	{ClassLdc, ClassBar, 8},
	{ClassS2ur, ClassBar, 8},
}

// MinStall returns the least stall count of an operation of class c.
func MinStall(c Class) int {
	switch c {
	case ClassBra, ClassExit, ClassCall, ClassCbu:
		return 5
	case ClassLepc:
		return 7
	}
	return 1
}

// Busy returns how many cycles an operation of class a keeps one of class b
// from issuing. It is about speed, not about being right: the machine holds
// an operation back whose unit is not free.
func (t *Timing) Busy(a, b Class) int {
	for n := range t.busy {
		r := &t.busy[n]
		if r.from != a {
			continue
		}
		for _, c := range r.to {
			if c == b {
				return int(r.gap)
			}
		}
	}
	return 1
}

// BusyTable fills in Busy of every pair.
func (t *Timing) BusyTable(b *[NumClasses][NumClasses]uint8) {
	for y := range b[0] {
		b[0][y] = 1
	}
	for x := range b[1:] {
		b[x+1] = b[0]
	}
	for n := len(t.busy) - 1; n >= 0; n-- { // the first row of a pair counts
		r := &t.busy[n]
		for _, c := range r.to {
			if r.from < NumClasses && c < NumClasses {
				b[r.from][c] = uint8(r.gap)
			}
		}
	}
}

// Variable reports whether results of class c are announced by a barrier.
func (t *Timing) Variable(c Class) bool {
	if classes[c].kind&variableAll != 0 {
		return true
	}
	return t.variable>>c&1 != 0
}

// ReadsLate reports whether operations of class c read general registers at
// a time only a barrier tells.
func (t *Timing) ReadsLate(c Class) bool {
	return classes[c].kind&readsLate != 0 || classes[c].kind&variableAll == 0 && t.Variable(c)
}

// UniformLate reports whether operations of class c read uniform registers
// late too.
func UniformLate(c Class) bool { return classes[c].kind&uniformLate != 0 }

// ReturnGroup returns the group whose members return results in order, so
// that the barrier of a later one covers an earlier one; 0 = none.
func (t *Timing) ReturnGroup(c Class) int { return int(classes[c].returns) }

// BarReads reports whether stores to shared memory have read their registers
// when a BAR behind them is passed.
func (t *Timing) BarReads() bool { return t.barReads }

// queued lists the pairs of readers and overwriters that the reference is
// seen to leave without a barrier.
var queued = [...][2]Class{
	{ClassSts, ClassLds},
	{ClassStg, ClassLds},
	{ClassLds, ClassLds},
	{ClassLdg, ClassLdg},
	{ClassLdgsts, ClassLdg},
	{ClassXu, ClassXu},
	{ClassFp64, ClassFp64},
}

// Queued reports whether an operation of class b that overwrites what one of
// class a reads late stands safely behind it in the same queue.
func Queued(a, b Class) bool {
	for _, q := range queued {
		if q[0] == a && q[1] == b {
			return true
		}
	}
	return false
}

// ReadGroup returns the group whose members read their registers in order;
// 0 = none.
func ReadGroup(c Class) int { return int(classes[c].reads) }

// BarrierLag is the least distance from an instruction that sets a barrier
// to one that waits for it.
const BarrierLag = 2

// MaxStall is the largest stall count.
const MaxStall = 15
