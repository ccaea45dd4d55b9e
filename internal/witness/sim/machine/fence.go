package machine

import (
	"slices"

	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// Performed makes what the warp did performed: for its block, or for the GPU.
func (w *Warp) Performed(wide bool) {
	a := w.async
	if a == nil {
		return
	}
	if wide {
		a.Known.Raise(w.tid(order.TidRemote), a.remote)
		a.Device.Merge(a.Known)
		a.Device.Raise(w.tid(order.TidAtom), a.atoms)
	}
	a.fenced.Merge(a.Known)
	a.tick(w)
}

// ShowProxy lets the asynchronous proxy see what was performed, once the
// instruction was waited for.
func (w *Warp) ShowProxy(i *Inst) {
	a := w.async
	if a == nil {
		return
	}
	seen := slices.Clone(a.fenced)
	w.whenWaited(i, func() { a.Proxy.Merge(seen) })
}

// ShowBulk shows what bulk stores left whose end was waited for.
func (w *Warp) ShowBulk() {
	if a := w.async; a != nil {
		a.Known.Raise(w.tid(order.TidBulkDone), a.stored)
	}
}

// ShowMaps lets the tensor-map proxy see what was performed for the GPU.
func (w *Warp) ShowMaps() {
	if a := w.async; a != nil {
		a.Maps.Merge(a.Device)
	}
}
