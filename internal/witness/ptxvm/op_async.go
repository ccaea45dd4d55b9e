package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// An mbarrier is 64 bits of shared memory: pending arrivals in bits 0 to 19,
// expected ones in 20 to 39, pending bytes in 40 to 62 (with a sign), and the
// phase in bit 63. PTX leaves the layout open; programs see it only through
// the instructions.
const (
	mbCount = 1<<20 - 1
	mbTx    = 1<<23 - 1
	mbPhase = 1 << 63
)

// settle begins a new phase if nothing is pending.
func settle(v uint64) uint64 {
	if v&mbCount == 0 && v>>40&mbTx == 0 {
		v = v&^mbCount | v>>20&mbCount
		v ^= mbPhase
	}
	return v
}

// addTx changes the pending bytes.
func addTx(v uint64, n int64) uint64 {
	tx := uint64(sx(v>>40, 23)+n) & mbTx
	return v&^(mbTx<<40) | tx<<40
}

// mbarrierWords order memory, which is always in order here.
var mbarrierWords = []isa.Word{
	isa.WRelease, isa.WAcquire, isa.WRelaxed, isa.WCta, isa.WCluster,
}

// mbarrier is the instructions on mbarriers.
func (d *decoder) mbarrier() {
	d.ignore(mbarrierWords...)
	switch {
	case d.has(isa.WInit):
		n := d.src(1, isa.U32)
		d.onBarrier(0, func(w *warp, l int, _ uint64) uint64 {
			c := w.col(&n, 1)[l] & mbCount
			return c | c<<20
		})
	case d.has(isa.WInval):
		d.onBarrier(0, func(_ *warp, _ int, v uint64) uint64 { return v })
	case d.has(isa.WPendingCount):
		d.map1(d.dst(0), d.src(1, isa.B64), func(a uint64) uint64 { return a & mbCount })
	case d.has(isa.WTestWait), d.has(isa.WTryWait):
		d.mbWait()
	case d.has(isa.WArrive), d.has(isa.WArriveDrop):
		d.mbArrive()
	case d.has(isa.WExpectTx):
		n, addr := d.src(1, isa.U32), d.addr(0)
		d.onBarrier(0, func(w *warp, l int, v uint64) uint64 { return w.expectTx(v, addr(w, 7)[l], w.col(&n, 1)[l]) })
	case d.has(isa.WCompleteTx):
		n := d.src(1, isa.U32)
		d.onBarrier(0, func(w *warp, l int, v uint64) uint64 {
			if w.cta.grid.opts.Probe != nil {
				return v
			}
			return settle(addTx(v, -int64(w.col(&n, 1)[l])))
		})
	default:
		d.unknown()
	}
}

// onBarrier changes the mbarrier at argument n lane by lane.
func (d *decoder) onBarrier(n int, f func(w *warp, l int, v uint64) uint64) {
	addr, space := d.addr(n), d.mbSpace()
	d.out.run = func(w *warp) {
		a := w.col8(addr)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			mem := w.barrierAt(space, a[l], l)
			put(mem, f(w, l, get(mem)))
		}
	}
}

// mbSpace is the space of the mbarrier: shared unless the address is generic.
func (d *decoder) mbSpace() isa.Space { return d.space(0) }

// barrierAt is an mbarrier's bytes, to be changed.
func (w *warp) barrierAt(space isa.Space, a uint64, l int) []byte {
	return w.barrierFor(space, a, l, true)
}

// barrierFor is an mbarrier's bytes; accesses to it never race.
func (w *warp) barrierFor(space isa.Space, a uint64, l int, write bool) []byte {
	r := w.cta.races
	w.cta.races = nil
	b := w.bytes(space, a, l, 8, 8, write)
	w.cta.races = r
	return b
}

// mbArrive is arrive, arrive_drop and their forms with expect_tx.
func (d *decoder) mbArrive() {
	d.ignore(isa.WNoComplete)
	drop, expect := d.has(isa.WArriveDrop), d.has(isa.WExpectTx)
	at := 0
	dst := place{-1, 0}
	if d.args[0].Kind == isa.KReg || d.args[0].Kind == isa.KSink {
		at, dst = 1, d.dst(0)
	}
	n := constant(1)
	if at+1 < len(d.args) {
		n = d.src(at+1, isa.U32)
	}
	addr, space := d.addr(at), d.mbSpace()
	d.out.run = func(w *warp) {
		a, c := w.col8(addr), w.col(&n, 1)
		var r column
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			mem := w.barrierAt(space, a[l], l)
			v := get(mem)
			r[l] = v
			count := c[l]
			if expect {
				v, count = w.expectTx(v, a[l], c[l]), 1
			}
			if v&mbCount < count {
				w.fail(l, "%d threads arrive where %d are expected", count, v&mbCount)
			}
			v -= count
			if drop {
				v -= count << 20
			}
			put(mem, settle(v))
		}
		if w.cta.races != nil {
			w.cta.races.leave(w)
		}
		w.store(dst, &r)
	}
}

// mbWait is test_wait and try_wait, by state or by parity.
func (d *decoder) mbWait() {
	parity := d.has(isa.WParity)
	t := isa.B64
	if parity {
		t = isa.B32
	}
	dst, state := d.dst(0), d.src(2, t)
	addr, space := d.addr(1), d.mbSpace()
	d.out.run = func(w *warp) {
		a, s := w.col8(addr), w.col(&state, 1)
		var r column
		vain := false
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			mem := w.barrierFor(space, a[l], l, false)
			was := s[l] >> 63
			if parity { // the phase that completed last has the other parity
				was = s[l] & 1
			}
			if get(mem)>>63 == was {
				w.cta.look(mem)
			}
			r[l] = truth(get(mem)>>63 != was)
			vain = vain || r[l] == 0
		}
		if vain {
			w.poll()
		}
		if w.cta.races != nil {
			w.cta.races.enter(w, &r)
		}
		w.store(dst, &r)
	}
}

// maxPolls is how often warps may find mbarriers not complete while nobody
// writes anything.
const maxPolls = 1 << 16

// poll lets other warps run after a wait in vain. Where all only wait, nothing
// will ever change.
func (w *warp) poll() {
	g := w.cta.grid
	w.yields = true
	if g.polls++; g.polls > maxPolls {
		w.fail(bits.TrailingZeros32(w.mask), "waits for an mbarrier that never completes")
	}
}

// cp is cp.async: copies, their groups and the waits for these.
func (d *decoder) cp() {
	if d.has(isa.WAsync) && d.has(isa.WBulk) {
		d.bulk()
		return
	}
	if !d.has(isa.WAsync) {
		d.unknown()
	}
	d.ignore(memoryWords...)
	switch {
	case d.has(isa.WCommitGroup), d.has(isa.WWaitGroup), d.has(isa.WWaitAll):
		d.out.run = d.groupStep(lateCopies)
	case d.has(isa.WMbarrier):
		noinc := d.has(isa.WNoinc)
		d.ignore(isa.WArrive)
		d.onBarrier(0, func(w *warp, l int, v uint64) uint64 {
			w.happen(func(x *later) bool { return x.kind == lateCopies && x.lane == l })
			if !noinc { // counts itself first
				v++
			}
			if v&mbCount == 0 {
				w.fail(l, "an arrival where none is expected")
			}
			return settle(v - 1)
		})
	default:
		d.copyAsync()
	}
}

func (d *decoder) copyAsync() {
	size := d.args[2].Value
	to, from := d.addr(0), d.addr(1)
	n := constant(size)
	ignored := false
	last := len(d.args)
	if d.has(isa.WL2CacheHint) {
		last-- // the policy
	}
	if last > 3 {
		if a := &d.args[3]; a.Type == isa.Pred {
			ignored = true
			n = d.src(3, isa.Pred)
		} else {
			n = d.src(3, isa.U32)
		}
	}
	d.out.run = func(w *warp) {
		a, b, c := w.col8(to), from(w, 7), w.col(&n, 1)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			to, from, keep := a[l], b[l], min(c[l], size)
			if ignored {
				keep = size * (1 - c[l])
			}
			w.begin(l, lateCopies, func() {
				dst := w.bytes(isa.SpaceShared, to, l, size, size, true)
				clear(dst)
				if keep > 0 {
					copy(dst, w.bytes(isa.SpaceGlobal, from, l, keep, 1, false))
				}
			})
		}
	}
}
