package control

import (
	"strings"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Control flow and convergence.

// labelOf is the index of a label.
func labelOf(w *machine.Warp, i *machine.Inst) uint32 { return w.At + 1 + uint32(i.Rel/16) }

// BRA: jumps. .DIV jumps when the group is not all of the lanes that its
// mask names, .CONV when it is, .U when all lanes of the group would: the
// reference puts it before a branch of some lanes.
func Bra(w *machine.Warp, i *machine.Inst, m uint32) {
	t := w.Taken(i, m)
	switch i.Sub {
	case braDiv, braConv:
		need := ^uint32(0)
		if i.NS > 0 {
			need = w.Isrc(&i.S[0], 0)[0]
		}
		if w.Together(need) == (i.Sub == braDiv) {
			return
		}
	case braAny: // all lanes go when one of them does
		if t != 0 {
			t = w.Active()
		}
	case braAll:
		if t != w.Active() {
			t = 0
		}
	}
	w.Jump(t, labelOf(w, i))
}

const (
	braPlain = iota
	braDiv
	braConv
	braAny
	braAll
)

// base is the address that a register's value counts from: the label of
// .REL forms, the offset of .ABS forms, and for BRX the next instruction
// and an offset.
func codeBase(w *machine.Warp, i *machine.Inst) uint64 {
	switch {
	case i.HasLabel:
		return uint64(int64(w.At+1)*16 + i.Rel)
	case i.NS > 1:
		return uint64(i.S[1].Imm)
	}
	return 0
}

func regTarget(w *machine.Warp, i *machine.Inst, base uint64) func(l int) uint64 {
	lo, hi := w.Row(i.S[0].Row), w.Row(i.S[0].Hi)
	return func(l int) uint64 { return uint64(hi[l])<<32 + uint64(lo[l]) + base }
}

// BRX: jumps to the address in a register, counted from the next
// instruction.
func Brx(w *machine.Warp, i *machine.Inst, m uint32) {
	if m = w.Taken(i, m); m != 0 {
		w.Far(m, regTarget(w, i, uint64(w.At+1)*16+codeBase(w, i)))
	}
}

// CALL: a jump; the return address is the program's own business.
func Call(w *machine.Warp, i *machine.Inst, m uint32) {
	m = w.Taken(i, m)
	switch {
	case m == 0:
	case i.NS > 0 && !i.S[0].IsImm:
		w.Call(m, regTarget(w, i, codeBase(w, i)))
	case i.NS > 0:
		to := uint64(i.S[0].Imm)
		w.Call(m, func(int) uint64 { return to })
	default:
		w.Jump(m, labelOf(w, i))
	}
}

// RET: jumps to the address in a register pair.
func Ret(w *machine.Warp, i *machine.Inst, m uint32) {
	if m = w.Taken(i, m); m != 0 {
		w.Far(m, regTarget(w, i, codeBase(w, i)))
	}
}

// LEPC: the address of a label, or of the next instruction.
func Lepc(w *machine.Warp, i *machine.Inst, m uint32) {
	a := uint64(int64(w.At+1)*16 + i.Rel)
	for ; m != 0; m &= m - 1 {
		w.Dput(i, machine.Lane(m), a)
	}
}

// BSSY: the lanes that must meet at a BSYNC of the barrier.
func Bssy(w *machine.Warp, i *machine.Inst, m uint32) {
	w.ConvergeAt(i.Bar&15, w.Taken(i, m))
}

// BSYNC: waits for them.
func Bsync(w *machine.Warp, i *machine.Inst, m uint32) {
	w.Converge(i.Bar&15, w.Taken(i, m))
}

// BREAK: lanes that will not come.
func BreakB(w *machine.Warp, i *machine.Inst, m uint32) {
	w.Forsake(i.Bar&15, w.Taken(i, m))
}

// BMOV: barriers to registers and back.
func Bmov(w *machine.Warp, i *machine.Inst, m uint32) {
	if !strings.HasPrefix(i.Mnemonic, "BMOV.32") || i.Sub > 15 {
		w.Fail(machine.Lane(m), "%s of this barrier register has no meaning in the simulator", i.Mnemonic)
		return
	}
	c := w.Convergence(i.Sub)
	if m == 0 {
		return
	}
	if i.NS > 0 { // register to barrier
		*c = w.Row(i.S[0].Row)[machine.Lane(m)]
		return
	}
	for ; m != 0; m &= m - 1 {
		w.R[i.D[0]][machine.Lane(m)] = *c
	}
	if i.Has(code.FlagCLEAR) {
		*c = 0
	}
}

// PrepRpcmov finds which word is meant.
func PrepRpcmov(i *machine.Inst, _ []string) error {
	i.Sub = uint8(i.In.Word().Field(31, 1))
	return nil
}

// RPCMOV: words of the return place to registers and back. The reference also
// keeps other things there where registers are short.
func Rpcmov(w *machine.Warp, i *machine.Inst, m uint32) {
	word := &w.Rpc[i.Sub]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		if i.NS > 0 {
			word[l] = w.Row(i.S[0].Row)[l]
		} else {
			w.R[i.D[0]][l] = word[l]
		}
	}
}

// WARPSYNC: waits until the lanes of the mask are here, with .COLLECTIVE here
// or at another one. That of all lanes loses some that come to others later (random programs
// on an H200, 35 of 9,000 with it and none with a mask); the reference has it before barriers alone.
func Warpsync(w *machine.Warp, i *machine.Inst, m uint32) {
	m = w.Taken(i, m)
	if m == 0 {
		return
	}
	var masks [32]uint32
	if i.NS > 0 {
		masks = *w.Row(i.S[0].Row)
	} else {
		for l := range masks {
			masks[l] = ^uint32(0)
		}
	}
	if i.HasLabel {
		if i.NS == 0 && !forBarrier(w) {
			w.Fail(machine.Lane(m), "WARPSYNC.COLLECTIVE.ALL for anything but a barrier does not wait for threads at other places")
			return
		}
		w.Collect(m, labelOf(w, i))
	}
	w.SyncLanes(m, &masks)
}

// forBarrier reports whether a barrier stands before the next ENDCOLLECTIVE.
func forBarrier(w *machine.Warp) bool {
	for n := 1; ; n++ {
		switch i := w.Ahead(n); {
		case i == nil || i.Op == sass.OpENDCOLLECTIVE:
			return false
		case i.Op == sass.OpBAR:
			return true
		}
	}
}

// ENDCOLLECTIVE: each lane goes where its WARPSYNC.COLLECTIVE said.
func EndCollective(w *machine.Warp, i *machine.Inst, m uint32) {
	w.EndCollective(w.Taken(i, m))
}

// YIELD and NANOSLEEP: every other group's turn.
func Yield(w *machine.Warp, _ *machine.Inst, _ uint32) {
	w.Sleep()
}

// EXIT.
func Exit(w *machine.Warp, i *machine.Inst, m uint32) {
	if m = w.Taken(i, m); m != 0 {
		w.Leave(m)
	}
}

// BPT: a trap.
func Bpt(w *machine.Warp, _ *machine.Inst, m uint32) {
	w.Fail(machine.Lane(m), "trap")
	w.Leave(m & w.Active())
}

// Kinds of BAR.
const (
	barSync = iota
	barArv
	barRed
)

// BAR: the barriers of the block. A register alone holds the barrier in bits
// 0 to 3 and the number of threads from bit 16 up.
func Bar(w *machine.Warp, i *machine.Inst, m uint32) {
	l := machine.Lane(m)
	if !w.WholeWarp(m) { // it counts warps, however many of their threads come
		w.Fail(l, "part of the warp comes to a barrier of the block")
		return
	}
	id, count := uint32(0), uint32(0)
	switch s := i.S[:i.NS]; {
	case len(s) == 1 && !s[0].IsImm:
		v := w.Row(s[0].Row)[l]
		id, count = v&15, v>>16
	default:
		if len(s) > 0 {
			id = w.Row(s[0].Row)[l] & 15
		}
		if len(s) > 1 {
			count = w.Row(s[1].Row)[l]
		}
	}
	b := uint8(id)
	if !w.ArriveAt(b, count, m, i.Sub != barArv) {
		return
	}
	if i.Sub == barRed {
		w.ReduceAt(b, i.Cmp, m, w.Pred(i.PS[0]))
	}
	w.SettleBlock()
}

// B2R.RESULT: what the last BAR.RED of the warp found.
func B2r(w *machine.Warp, i *machine.Inst, m uint32) {
	var p uint32
	for k := m; k != 0; k &= k - 1 {
		w.R[i.D[0]][machine.Lane(k)] = w.Reduced()
		if w.Reduced() != 0 {
			p |= k & -k
		}
	}
	w.Setp(i.PD[0], m, p)
}

// S2R, S2UR, CS2R: special registers.
func S2r(w *machine.Warp, i *machine.Inst, m uint32) {
	d := i.D[0]
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		w.R[d][l] = w.Special(i.Sub, l)
	}
	if i.Width == 2 {
		h := code.NextRow(d)
		for k := m; k != 0; k &= k - 1 {
			l := machine.Lane(k)
			w.R[h][l] = w.SpecialHigh(i.Sub)
		}
	}
}

// UCGABAR_ARV: the warp arrives at the barrier of the cluster.
func ClusterArrive(w *machine.Warp, _ *machine.Inst, m uint32) { w.ArriveCluster(m) }

// UCGABAR_WAIT: the warp waits until all have arrived.
func ClusterWait(w *machine.Warp, _ *machine.Inst, m uint32) { w.WaitCluster(m) }
