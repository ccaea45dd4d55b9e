package sim

import "strings"

// Control flow and convergence.

// taken is the mask of lanes that a control instruction is about: those of
// its guard whose predicate operands hold too.
func (w *warp) taken(i *inst, m uint32) uint32 {
	m &= w.act
	for _, p := range i.ps[:i.nps] {
		m &= w.pred(p)
	}
	return m
}

// target is the index of a label.
func (w *warp) target(i *inst) uint32 { return w.at + 1 + uint32(i.rel/16) }

// BRA: jumps. .DIV jumps when the group is not all of the lanes that its
// mask names, .CONV when it is.
func bra(w *warp, i *inst, m uint32) {
	t := w.taken(i, m)
	switch i.sub {
	case braDiv, braConv:
		need := ^uint32(0)
		if i.ns > 0 {
			need = w.isrc(&i.s[0], 0)[0]
		}
		if whole := w.act&need == need&^w.exited; whole == (i.sub == braDiv) {
			return
		}
	case braAny: // all lanes go when one of them does
		if t != 0 {
			t = w.act
		}
	}
	w.jump(t, w.target(i))
}

const (
	braPlain = iota
	braDiv
	braConv
	braAny
)

// far sends each lane to its own address.
func (w *warp) far(i *inst, m uint32, to func(l int) uint64) {
	var pcs [32]uint32
	limit := uint64(len(w.m.prog.insts)) * 16
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		a := to(l)
		if a%16 != 0 || a >= limit {
			w.fail(l, "jumps to %#x, which is no instruction", a)
			w.leave(m)
			return
		}
		pcs[l] = uint32(a / 16)
	}
	first := pcs[lane(m)]
	same := true
	for k := m; k != 0; k &= k - 1 {
		same = same && pcs[lane(k)] == first
	}
	if same {
		w.jump(m, first)
		return
	}
	w.m.stats.Divergent++
	w.act &^= m
	w.scatter(m, &pcs)
	if w.act == 0 {
		return
	}
	w.park()
}

// base is the address that a register's value counts from: the label of
// .REL forms, the offset of .ABS forms, and for BRX the next instruction
// and an offset.
func (w *warp) codeBase(i *inst) uint64 {
	switch {
	case i.hasL:
		return uint64(int64(w.at+1)*16 + i.rel)
	case i.ns > 1:
		return uint64(i.s[1].imm)
	}
	return 0
}

func (w *warp) regTarget(i *inst, base uint64) func(l int) uint64 {
	lo, hi := w.row(i.s[0].row), w.row(i.s[0].hi)
	return func(l int) uint64 { return uint64(hi[l])<<32 + uint64(lo[l]) + base }
}

// BRX: jumps to the address in a register, counted from the next
// instruction.
func brx(w *warp, i *inst, m uint32) {
	if m = w.taken(i, m); m != 0 {
		w.far(i, m, w.regTarget(i, uint64(w.at+1)*16+w.codeBase(i)))
	}
}

// CALL: a jump; the return address is the program's own business.
func call(w *warp, i *inst, m uint32) {
	m = w.taken(i, m)
	switch {
	case m == 0:
	case i.ns > 0 && !i.s[0].isImm:
		w.far(i, m, w.regTarget(i, w.codeBase(i)))
	case i.ns > 0:
		to := uint64(i.s[0].imm)
		w.far(i, m, func(int) uint64 { return to })
	default:
		w.jump(m, w.target(i))
	}
}

// RET: jumps to the address in a register pair.
func ret(w *warp, i *inst, m uint32) {
	if m = w.taken(i, m); m != 0 {
		w.far(i, m, w.regTarget(i, w.codeBase(i)))
	}
}

// LEPC: the address of a label, or of the next instruction.
func lepc(w *warp, i *inst, m uint32) {
	a := uint64(int64(w.at+1)*16 + i.rel)
	for ; m != 0; m &= m - 1 {
		w.dput(i, lane(m), a)
	}
}

// BSSY: the lanes that must meet at a BSYNC of the barrier.
func bssy(w *warp, i *inst, m uint32) {
	m = w.taken(i, m)
	for k := m; k != 0; k &= k - 1 {
		w.conv[i.bar&15][lane(k)] = m
	}
}

// BSYNC: waits for them.
func bsync(w *warp, i *inst, m uint32) {
	m = w.taken(i, m)
	b := i.bar & 15
	if m == w.act && w.conv[b][lane(m)]&^w.exited == m {
		return // nobody to wait for
	}
	w.wait(m)
	w.bwait[b] |= m
	rest := w.act
	w.act = 0
	w.meet(b)
	if rest != 0 {
		w.act = rest
	}
}

// BREAK: lanes that will not come.
func breakB(w *warp, i *inst, m uint32) {
	m = w.taken(i, m)
	b := i.bar & 15
	for k := m; k != 0; k &= k - 1 {
		for p := w.conv[b][lane(k)]; p != 0; p &= p - 1 {
			if l := lane(p); m>>l&1 == 0 {
				w.conv[b][l] &^= m
			}
		}
	}
	for k := m; k != 0; k &= k - 1 {
		w.conv[b][lane(k)] = 0
	}
	w.meet(b)
}

// BMOV: barriers to registers and back.
func bmov(w *warp, i *inst, m uint32) {
	if !strings.HasPrefix(i.mn, "BMOV.32") || i.sub > 15 {
		w.fail(lane(m), "%s of this barrier register has no meaning in the simulator", i.mn)
		return
	}
	c := &w.conv[i.sub]
	if i.ns > 0 { // register to barrier
		a := w.row(i.s[0].row)
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			c[l] = a[l]
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		w.r[i.d[0]][l] = c[l]
		if i.has(fCLEAR) {
			c[l] = 0
		}
	}
}

// WARPSYNC: waits until the lanes of the mask are here, with .COLLECTIVE here
// or at another one.
func warpsync(w *warp, i *inst, m uint32) {
	m = w.taken(i, m)
	if m == 0 {
		return
	}
	all := i.ns == 0
	var masks *[32]uint32
	if !all {
		masks = w.row(i.s[0].row)
	}
	w.wait(m)
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		w.wmask[l] = ^uint32(0)
		if !all {
			w.wmask[l] = masks[l]
		}
		if i.hasL {
			w.whole |= k & -k
			w.wend[l] = w.target(i)
		}
	}
	w.wwait |= m
	w.gather()
}

// ENDCOLLECTIVE: each lane goes where its WARPSYNC.COLLECTIVE said.
func endCollective(w *warp, i *inst, m uint32) {
	m = w.taken(i, m)
	w.act &^= m
	w.scatter(m, &w.wend)
	if w.act != 0 {
		w.park()
	}
}

// YIELD and NANOSLEEP: every other group's turn.
func yield(w *warp, _ *inst, _ uint32) {
	if w.act != 0 && w.act != ^w.exited {
		w.asleep = append(w.asleep, group{w.act, w.pc})
		w.act = 0
	}
}

// wake ends the sleep of all groups when no other can run. Lanes that wait
// at a BSYNC only for those that sleep go on without them first, as on the
// machine.
func (w *warp) wake() {
	var m uint32
	for _, g := range w.asleep {
		m |= g.mask
	}
	for b := range w.bwait {
		for k := w.bwait[b]; k != 0 && m != 0; k &= k - 1 {
			w.desert(b, lane(k), m)
		}
	}
	if len(w.ready) == 0 {
		w.ready = append(w.ready, w.asleep...)
		w.asleep = w.asleep[:0]
	}
}

// desert lets lane l and those it waits for at barrier b go on if all but
// the lanes m are there.
func (w *warp) desert(b, l int, m uint32) {
	set := w.conv[b][l]
	need := (set | 1<<l) &^ w.exited &^ m
	if set&m == 0 || need&^w.bwait[b] != 0 {
		return
	}
	for k := need; k != 0; k &= k - 1 {
		if w.conv[b][lane(k)] != set {
			return
		}
	}
	for k := m; k != 0; k &= k - 1 {
		w.conv[b][lane(k)] &^= need
	}
	w.bwait[b] &^= need
	w.scatter(need, &w.lpc)
}

// EXIT.
func exit(w *warp, i *inst, m uint32) {
	if m = w.taken(i, m); m != 0 {
		w.leave(m)
	}
}

// BPT: a trap.
func bpt(w *warp, _ *inst, m uint32) {
	w.fail(lane(m), "trap")
	w.leave(m & w.act)
}

// Kinds of BAR.RED.
const (
	redPopc = iota
	redAnd
	redOr
)

// Kinds of BAR.
const (
	barSync = iota
	barArv
	barRed
)

// BAR: the barriers of the block. A register alone holds the barrier in bits
// 0 to 3 and the number of threads from bit 16 up.
func bar(w *warp, i *inst, m uint32) {
	l := lane(m)
	if m != ^w.exited { // it counts warps, however many of their threads come
		w.fail(l, "part of the warp comes to a barrier of the block")
		return
	}
	id, count := uint32(0), uint32(0)
	switch s := i.s[:i.ns]; {
	case len(s) == 1 && !s[0].isImm:
		v := w.row(s[0].row)[l]
		id, count = v&15, v>>16
	default:
		if len(s) > 0 {
			id = w.row(s[0].row)[l] & 15
		}
		if len(s) > 1 {
			count = w.row(s[1].row)[l]
		}
	}
	b := uint8(id)
	if !w.cta.arrive(w, b, count, m, i.sub != barArv) {
		return
	}
	if i.sub == barRed {
		w.cta.bars[b].red = i.cmp
		w.cta.reduce(b, m, w.pred(i.ps[0]))
	}
	w.cta.settle()
}

// B2R.RESULT: what the last BAR.RED of the warp found.
func b2r(w *warp, i *inst, m uint32) {
	var p uint32
	for k := m; k != 0; k &= k - 1 {
		w.r[i.d[0]][lane(k)] = w.result
		if w.result != 0 {
			p |= k & -k
		}
	}
	w.setp(i.pd[0], m, p)
}

// S2R, S2UR, CS2R: special registers.
func s2r(w *warp, i *inst, m uint32) {
	c := w.cta
	d := i.d[0]
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		w.r[d][l] = w.special(i.sub, l, c)
	}
	if i.dw == 2 {
		h := nextRow(d)
		for k := m; k != 0; k &= k - 1 {
			l := lane(k)
			w.r[h][l] = 0
			if i.sub == srClockLo {
				w.r[h][l] = uint32(w.m.steps >> 32)
			}
		}
	}
}

// Special registers, numbered as the machine does.
const (
	srLane    = 0
	srVirtCfg = 2
	srVirtID  = 3
	srTid     = 32
	srTidX    = 33
	srTidY    = 34
	srTidZ    = 35
	srCtaX    = 37
	srCtaY    = 38
	srCtaZ    = 39
	srLwinHi  = 46
	srSwinHi  = 47
	srSmemSz  = 50
	srLmemHi  = 55 // where a thread's stack may reach down to: code for debuggers compares R1 with it
	srEq      = 56
	srLt      = 57
	srLe      = 58
	srGt      = 59
	srGe      = 60
	srSmID    = 67
	srClockLo = 80
	srClockHi = 81
	srTimerLo = 82
	srTimerHi = 83
	srCgaCta  = 136
	srCgaSize = 138
	srZero    = 255
)

func (w *warp) special(n uint8, l int, c *cta) uint32 {
	switch n {
	case srLane:
		return uint32(l)
	case srTidX, srTidY, srTidZ:
		return c.thread(w.lane0 + l)[n-srTidX]
	case srTid:
		t := c.thread(w.lane0 + l)
		return t[0] | t[1]<<16 | t[2]<<26
	case srCtaX, srCtaY, srCtaZ:
		return c.id[n-srCtaX]
	case srVirtID:
		return uint32(w.id) << 8
	case srVirtCfg:
		return 64 << 8
	case srLwinHi:
		return localBase >> 32
	case srSwinHi:
		return sharedBase >> 32
	case srSmemSz:
		return uint32(len(c.shared))
	case srEq:
		return 1 << l
	case srLt:
		return 1<<l - 1
	case srLe:
		return uint32(uint64(2)<<l - 1)
	case srGt:
		return ^uint32(uint64(2)<<l - 1)
	case srGe:
		return ^uint32(1<<l - 1)
	case srClockLo, srTimerLo:
		return uint32(w.m.steps + w.steps)
	case srCgaCta:
		return c.rank
	case srCgaSize:
		if w.m.prog.Arch.SM >= 100 {
			return 0 // which words of bank 0 speak of the cluster: see machine.blackwell
		}
		return uint32(len(c.cluster.blocks))
	}
	return 0
}

// knownSR lists the special registers that special knows.
func knownSR(n uint8) bool {
	switch n {
	case srLane, srTid, srTidX, srTidY, srTidZ, srCtaX, srCtaY, srCtaZ, srVirtID, srVirtCfg, srLwinHi, srSwinHi, srSmemSz,
		srLmemHi, srEq, srLt, srLe, srGt, srGe, srSmID, srClockLo, srClockHi, srTimerLo, srTimerHi, srCgaCta, srCgaSize, srZero:
		return true
	}
	return false
}
