package async

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// An answer of clusterlaunchcontrol.try_cancel, which only query_cancel
// reads: three coordinates of 32 bits, and whether there is something.
const (
	answerBytes = 16
	answerYes   = 0x600d
)

// Clusterlaunchcontrol takes blocks over that have not started (PTX ISA,
// clusterlaunchcontrol).
func Clusterlaunchcontrol(d *machine.Decoder) {
	if d.Has(isa.WQueryCancel) {
		queryCancel(d)
		return
	}
	d.Ignore(isa.WTryCancel, isa.WAsync, isa.WMbarrierCompleteTxBytes)
	all := d.Has(isa.WMulticastClusterAll)
	to, bar := d.Addr(0), d.Addr(1)
	d.Cancels()
	d.Out.Run = func(w *machine.Warp) {
		dst, told := *w.Addresses(to), *bar(w, 7)
		const off = 1<<machine.RankShift - 1
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			var v [answerBytes]byte
			if id, ok := w.Cancel(); ok {
				for k, x := range id {
					machine.Put(v[4*k:4*k+4], uint64(x))
				}
				machine.Put(v[12:], answerYes)
			}
			answer := func(to, bar uint64) {
				mem := w.BarrierAt(isa.SpaceShared, bar, l)
				w.BeginTold(mem, func() {
					copy(w.Bytes(isa.SpaceShared, to, l, answerBytes, answerBytes, true), v[:])
					w.CompleteTx(mem, answerBytes)
				})
			}
			a, b := dst[l]&off, told[l]&off
			if !all {
				answer(a, b)
				continue
			}
			for rank := range w.Blocks() {
				answer(a|machine.Block(rank), b|machine.Block(rank))
			}
		}
		w.Published()
	}
}

// queryCancel reads an answer.
func queryCancel(d *machine.Decoder) {
	lo, hi := d.Wide(d.Src(len(d.Args)-1, isa.B128))
	if d.Has(isa.WIsCanceled) {
		d.Map1(d.Dst(0), hi, func(v uint64) uint64 { return machine.Truth(v>>32 == answerYes) })
		return
	}
	for n, word := range [...]isa.Word{isa.WGetFirstCtaidX, isa.WGetFirstCtaidY, isa.WGetFirstCtaidZ} {
		if d.Has(word) {
			d.Map2(d.Dst(0), lo, hi, func(lo, hi uint64) uint64 { return [...]uint64{lo, lo >> 32, hi}[n] & machine.Low(32) })
			return
		}
	}
	if !d.Has(isa.WGetFirstCtaid) {
		d.Unknown()
	}
	d.Ignore(isa.WV4)
	es := d.Elements(0)
	to := make([]machine.Place, len(es))
	for k := range es {
		to[k] = d.Target(&es[k])
	}
	d.Out.Run = func(w *machine.Warp) {
		x, y := *w.Col(&lo, 0), *w.Col(&hi, 1)
		for k := range to {
			var v machine.Column
			for l := range v {
				v[l] = [...]uint64{x[l], x[l] >> 32, y[l], 0}[k] & machine.Low(32)
			}
			w.Store(to[k], &v)
		}
	}
}
