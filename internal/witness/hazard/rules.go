package hazard

// This file holds what is no distance between registers: the queues in
// which operations keep their order, operations that must keep away from
// each other, and fences.

// returns names the queue whose results come back in order: the barrier of
// a later member speaks for the earlier ones. Zero is none.
func returns(i *inst) int {
	switch {
	case i.is("LDS", "LDSM", "MOVM", "SHFL", "QSPC"):
		return 1
	case i.class == "xu" || i.is("MUFU"):
		return 2
	case i.class == "xu64":
		return 3
	case i.is("S2UR"):
		return 4
	case i.class == "tex":
		return counted
	case i.class == "fp64":
		return 6
	case i.is("LDTM"):
		return 7
	case i.is("REDUX"):
		return 8
	case i.class == "dmma":
		return 9
	}
	return 0
}

// overtakes reports whether the result of i may go to a register to which one of
// from is still on its way, though nobody waits: both come back in order. The
// reference relies on it for halves of a load from tensor memory, and for a word
// that nobody reads of a wide load from shared memory.
func overtakes(from, i *inst) bool {
	return i.is("LDTM") && from.is("LDTM") || i.is("LDS") && from.is("LDS")
}

// counted is the queue of texture fetches: DEPBAR may wait for all but the
// last few.
const counted = 5

// queue names the queue in which an instruction reads its registers.
func queue(i *inst) int {
	switch i.class {
	case "lds", "sts", "ldg", "stg", "ldgsts":
		return 1
	case "xu", "xu64":
		return 2
	case "syncs":
		return 3
	case "tma":
		return 4
	case "redux":
		return 5
	case "fp64":
		return 6
	case "tmem":
		return 7
	case "dmma":
		return 8
	}
	return 0
}

// behind reports whether i, which overwrites a register that from still has
// to read, stands so far behind it that nobody need wait. The reference
// relies on it for these pairs alone: what shared memory and shuffles return
// behind stores and other reads of shared memory, loads behind loads, and
// special functions, double precision and its products of matrices behind their own. A load of
// global or local memory behind a store is none of them.
func behind(from, i *inst) bool {
	switch {
	case i.class == "lds":
		return from.class == "sts" || from.class == "stg" || from.class == "lds"
	case i.class == "ldg":
		return from.class == "ldg" || from.class == "ldgsts"
	}
	q := queue(i)
	return q == queue(from) && (q == 2 || q == 6 || q == 7 || q == 8)
}

// speaks reports whether a barrier of i tells that from has read. The fence of
// tensor memory tells it of the stores before it.
func speaks(i, from *inst) bool {
	return queue(from) != 0 && queue(from) == queue(i) || from.class == "tmem" && tensorFence(i)
}

// tensorFence reports whether i is the fence of tensor memory, which holds
// back nothing else: the simulator judges it.
func tensorFence(i *inst) bool { return i.is("FENCE") && i.has("T") }

// readsLate reports whether i reads its registers of a file at a time that
// only a barrier tells.
func (t *table) readsLate(i *inst, f file) bool {
	switch f {
	case fileR:
		return i.late || t.late[i.class] && i.how != 'F' && i.class != "cbu" && i.class != "bar"
	case fileUR:
		return i.class == "tma" || i.class == "syncs" && i.has("EXCH")
	}
	return false
}

// minStall is the least stall of operations that change where a warp is.
func (t *table) minStall(i *inst) int {
	switch {
	case i.is("EXIT", "RET", "BRX", "BSYNC", "NANOSLEEP") || t.sm >= 90 && i.is("CALL", "WARPSYNC", "BREAK", "YIELD"):
		return 5
	case i.is("BRA") && !i.has("U") && i.target >= 0:
		return 5
	case i.is("DEPBAR"):
		return 4
	case i.is("CGAERRBAR") || i.is("BAR") && i.has("ARV") && t.sm >= 90:
		return 6
	}
	return 0
}

// held reports whether the reference never lets a warp go on before i is over.
func held(i *inst) bool { return i.is("ERRBAR") }

// on reports whether i sets the mark.
func (m mark) on(i *inst) bool { return marked[m](i) }

// marked tells which instructions set a mark.
var marked = [numMarks]func(i *inst) bool{
	markBar:       func(i *inst) bool { return i.is("BAR") },
	markBssy:      func(i *inst) bool { return i.is("BSSY") },
	markArrive:    func(i *inst) bool { return i.is("WARPGROUP") && i.has("ARRIVE") },
	markMatrix:    func(i *inst) bool { return i.class == "gmma" },
	markGroupWait: func(i *inst) bool { return i.is("WARPGROUP") && i.has("DEPBAR") },
	markInit:      func(i *inst) bool { return i.is("SYNCS") && i.has("EXCH") },
	markFence:     func(i *inst) bool { return i.is("MEMBAR") },
	markWide:      func(i *inst) bool { return i.class == "imadhi" || i.class == "wide" },
}

// gap is a distance that one kind of instruction keeps from a mark.
type gap struct {
	mark   mark
	cycles int
	sm     int // first SM that asks for it
	to     func(i *inst) bool
	what   string
}

func memory(i *inst) bool {
	switch i.class {
	case "lds", "sts", "ldg", "stg", "ldgsts", "ldc", "tma", "syncs":
		return true
	}
	return i.is("EXIT", "BRA") || i.is("WARPGROUP") && i.has("ARRIVE")
}

// stopped are the operations beside those of memory that the reference was never seen
// to issue before a barrier has stopped the warp.
func stopped(i *inst) bool {
	return i.is("ULDC", "LDCU", "UMOV", "VOTEU", "BSSY", "MUFU", "F2F", "F2I", "I2F", "FRND", "POPC", "FLO", "BREV", "DADD", "DMUL", "DFMA", "DSETP", "S2R", "SHFL", "MEMBAR")
}

func anything(*inst) bool { return true }

func multiplies(i *inst) bool { return i.class == "imad" || i.class == "imadhi" || i.class == "wide" }

// gaps are the distances of the reference without registers between.
var gaps = [...]gap{
	{markBar, 5, 75, memory, "memory access after BAR"},
	{markBar, 6, 80, memory, "memory access after BAR"},
	{markBar, 5, 75, stopped, "operation behind BAR that may not issue beside it"},
	{markBar, 6, 80, stopped, "operation behind BAR that may not issue beside it"},
	{markBar, 8, 90, func(i *inst) bool { return i.is("S2UR") }, "S2UR after BAR"},
	{markBar, 8, 90, func(i *inst) bool { return i.is("BAR") && (i.has("SYNC") || i.has("ARV")) }, "BAR after BAR"},
	{markBssy, 4, 90, func(i *inst) bool { return i.is("BRA", "BSSY") }, "branch after BSSY"},
	{markArrive, 6, 90, func(i *inst) bool { return i.class == "gmma" }, "product after WARPGROUP.ARRIVE"},
	{markArrive, 6, 90, func(i *inst) bool { return i.is("WARPGROUP") && i.has("ARRIVE") }, "WARPGROUP.ARRIVE after WARPGROUP.ARRIVE"},
	{markMatrix, 3, 90, func(i *inst) bool { return i.is("WARPGROUP") && i.has("DEPBAR") }, "WARPGROUP.DEPBAR after a product"},
	{markGroupWait, 2, 90, anything, "instruction after WARPGROUP.DEPBAR"},
	{markFence, 6, 90, anything, "instruction after MEMBAR"},
	{markWide, 2, 90, multiplies, "multiplication after a wide one"},
}

// spacing checks the gaps and fences before instruction k.
func (r *replay) spacing(k int32, s *state, now int32) {
	i := &r.insts[k]
	if i.never {
		return
	}
	for n := range gaps {
		g := &gaps[n]
		if have := int(now - s.marks[g.mark]); have < g.cycles && r.table.sm >= g.sm && g.to(i) {
			r.say(k, -1, g.what, -1, have, g.cycles)
		}
	}
	if s.fence != 0 && fenced(i) {
		r.say(k, -1, "no wait behind a fence", -1, 0, 0)
		s.fence = 0
	}
	if s.init != 0 && i.is("BAR") {
		r.say(k, -1, "threads meet before an mbarrier is set up", -1, 0, 0)
		s.init = 0
	}
}

// fenced reports whether i is of the kind that fences hold back.
func fenced(i *inst) bool {
	switch i.class {
	case "lds", "sts", "ldgsts", "tma", "syncs", "gmma":
		return !i.is("SHFL", "MOVM")
	case "ldg", "stg":
		return !i.is("LDL", "STL")
	}
	return i.is("BAR") || i.is("WARPGROUP") && i.has("ARRIVE")
}

// clock returns the cycles from the issue of i to that of the next
// instruction. A matrix product, a fence or an exchange of registers with the
// pool with stall 0 holds the warp until it is over: code without optimisation
// relies on it.
func clock(i *inst) int32 {
	if i.ctrl.Stall == 0 && !i.ctrl.Stay {
		switch i.class {
		case "mma1", "mma2", "imma88", "qmma":
			return keepW
		}
		if i.is("MEMBAR", "ERRBAR", "USETMAXREG") {
			return keepW
		}
	}
	return int32(i.ctrl.Stall)
}

// fences reports whether the next instruction must wait for the barrier
// that i sets.
func fences(i *inst) bool {
	return i.is("FENCE") && !tensorFence(i) || i.is("MEMBAR") && i.has("CTA")
}

// announced reports whether the reference always gives i a barrier, whoever
// waits for it.
func announced(i *inst) bool {
	return i.is("FENCE", "LDGDEPBAR", "UTMACMDFLUSH") || i.is("SYNCS") && i.has("EXCH")
}

// untold reports whether i lacks the barrier that the reference always gives it.
func untold(i *inst) bool {
	if i.is("SYNCS") && i.has("EXCH") { // that it has read its registers is not enough
		return mask(i.ctrl.WrBar) == 0
	}
	return announced(i) && mask(i.ctrl.WrBar)|mask(i.ctrl.RdBar) == 0
}

// settled returns how old a result is at least where the reference calls. From
// sm_100 on the call's own five cycles count for what the ALU makes.
func (t *table) settled(f file, c class) int {
	switch {
	case f == fileR && c == "alu" && t.sm >= 100:
		return 2
	case f == fileR && (c == "fp64" || c == "hmma_fma"):
		return 11
	case f == fileR:
		return 7
	case f == fileP:
		return 13
	case f == fileUR:
		return 5
	}
	return 0
}
