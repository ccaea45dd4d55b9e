package machine

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/timing"
)

// Warp is 32 threads. Threads that branch differently part into groups, each
// with its own place in the code; one group runs at a time and groups meet
// again only where the code says so (BSYNC, WARPSYNC, BAR). Which group runs
// next is nobody's promise: here it is the oldest one that can. Between jumps
// and waits a group is not interrupted: the reference's code keeps values in
// uniform registers there that other groups overwrite.
type Warp struct {
	R [code.NumRows][32]uint32
	P [code.NumPreds]uint32

	act uint32 // lanes of the running group
	pc  uint32 // its place, an index into the program
	At  uint32 // place of the instruction being run

	ready  []group
	asleep []group
	exited uint32 // lanes that are gone, or never were
	met    uint32 // phases of the cluster's barrier at which it arrived
	meets  uint32 // lanes that wait there

	conv    [16]uint32 // lanes that have to meet at a convergence barrier
	last    uint32     // lanes that began to wait last
	awaited uint32     // for whom, or lanes that just parted: they run next
	behind  uint32     // lanes that wait where nobody comes any more
	loose   bool       // lanes slept
	bwait   [16]uint32 // lanes that wait at BSYNC
	wwait   uint32     // lanes that wait at WARPSYNC
	wmask   [32]uint32 // for whom
	whole   uint32     // of these, lanes at WARPSYNC.COLLECTIVE
	wend    [32]uint32 // where those go on behind ENDCOLLECTIVE
	lpc     [32]uint32 // where a waiting lane goes on
	cwait   uint32     // lanes that wait at BAR

	Rpc [2][32]uint32 // a pair of words of each lane, where calls keep their return

	result uint32 // of the last BAR.RED
	ID     int
	lane0  int // number of lane 0's thread in the block
	cta    *cta
	m      *machine
	local  []byte // of 32 threads, made at first use
	Tmp    [4][32]uint32
	steps  uint64
	fresh  bool
	void   [32]byte
	timed  *timing.Warp
	async  *asyncWarp
}

type group struct{ mask, pc uint32 }

// step statuses.
const (
	stRun     = iota // used up its turn
	stBlocked        // every group waits
	stDone           // every lane has exited
)

// Ahead is the instruction so many behind the one that runs, nil if there is none.
func (w *Warp) Ahead(n int) *Inst {
	if code := w.m.prog.insts; int(w.At)+n < len(code) {
		return &code[int(w.At)+n]
	}
	return nil
}

// run executes up to n instructions.
func (w *Warp) run(n int) int {
	m := w.m
	code := m.prog.insts
	for ; n > 0; n-- {
		if w.act == 0 && !w.next() {
			if w.exited == ^uint32(0) {
				return stDone
			}
			return stBlocked
		}
		if int(w.pc) >= len(code) {
			w.failAt(w.pc, "runs out of the code")
			return stBlocked
		}
		w.At = w.pc
		i := &code[w.pc]
		if m.hook != nil && !m.call(w, i) {
			return stBlocked
		}
		w.pc++
		w.steps++
		mask := w.act & (w.P[i.Guard] ^ i.GuardNot)
		if m.timed != nil {
			w.issue(i, mask)
		}
		if m.async != nil {
			w.asyncIssue(i, mask)
		}
		c := &m.count[w.At]
		c.warps++
		c.threads += uint64(bits.OnesCount32(mask))
		if mask == 0 {
			continue
		}
		if i.Full {
			i.Run(w, i, ^uint32(0))
		} else {
			i.Run(w, i, mask)
		}
		if m.async != nil && len(w.async.suspects) > 0 {
			w.convict()
		}
		if m.err != nil {
			return stBlocked
		}
	}
	w.ready = slices.Insert(w.ready, 0, w.asleep...)
	w.asleep = w.asleep[:0]
	return stRun
}

// next takes the group that parted last, of those that others wait for if there
// is one, the order that logs of an H200 show: nobody else notes lanes in
// barriers meanwhile.
func (w *Warp) next() bool {
	if len(w.ready) == 0 {
		w.wake()
	}
	if len(w.ready) == 0 {
		return false
	}
	n := len(w.ready) - 1
	for k := n; k >= 0; k-- {
		if w.ready[k].mask&w.awaited != 0 {
			n = k
			break
		}
	}
	g := w.ready[n]
	w.ready = slices.Delete(w.ready, n, n+1)
	w.act, w.pc, w.awaited = g.mask, g.pc, 0
	return true
}

// park lets all other groups run before the running one.
func (w *Warp) park() {
	w.ready = slices.Insert(w.ready, 0, group{w.act, w.pc})
	w.act = 0
}

// Jump sends lanes taken of the running group to pc.
func (w *Warp) Jump(taken, pc uint32) {
	switch rest := w.act &^ taken; {
	case taken == 0:
	case rest == 0:
		w.pc = pc
	default:
		w.m.stats.Divergent++
		if w.m.paths != nil && w.m.paths.IntN(2) == 0 {
			rest, taken, w.pc, pc = taken, rest, pc, w.pc
		}
		w.ready = append(w.ready, group{taken, pc})
		w.act = rest
	}
}

// scatter sends each lane of m to its own place and parks the groups.
func (w *Warp) scatter(m uint32, to *[32]uint32) {
	for m != 0 {
		pc, same := to[Lane(m)], uint32(0)
		for k := m; k != 0; k &= k - 1 {
			if to[Lane(k)] == pc {
				same |= k & -k
			}
		}
		w.ready = append(w.ready, group{same, pc})
		m &^= same
	}
}

// wait stops lanes m of the running group; they go on at w.pc.
func (w *Warp) wait(m uint32) {
	for k := m; k != 0; k &= k - 1 {
		w.lpc[Lane(k)] = w.pc
	}
	w.act &^= m
}

// Leave ends lanes m.
func (w *Warp) Leave(m uint32) {
	w.exited |= m
	w.act &^= m
	w.settle()
	w.cta.live -= bits.OnesCount32(m)
	w.cta.settle()
	w.cta.cluster.settle()
}

func (w *Warp) settle() {
	for b := range w.bwait {
		if w.bwait[b] != 0 {
			w.meet(uint8(b), 0, true)
		}
	}
	if w.wwait != 0 {
		w.gather()
	}
}

// Fail ends the launch with a report about the running instruction.
func (w *Warp) Fail(l int, format string, args ...any) {
	if w.m.err != nil || w.m.l.Lenient {
		return
	}
	f := &Fault{
		Kernel: w.m.prog.kernel.Name, PC: w.m.prog.Offset(w.At), Block: w.cta.id, Warp: w.ID, Lane: l,
		Text: w.m.prog.text(w.At), What: fmt.Sprintf(format, args...),
	}
	if l >= 0 {
		f.Thread = w.cta.thread(w.lane0 + l)
	}
	w.m.err = f
	w.act = 0
}

func (w *Warp) failAt(pc uint32, format string, args ...any) {
	w.At = min(pc, uint32(len(w.m.prog.insts)-1))
	w.Fail(-1, format, args...)
}
