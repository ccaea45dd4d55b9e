package async

import (
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Membar is MEMBAR: what the warp did is performed, for the GPU when the
// scope is that wide.
func Membar(w *machine.Warp, i *machine.Inst, _ uint32) { w.Performed(i.Sub != 0) }

// ProxyFence is FENCE.VIEW.ASYNC: what was performed is seen by the
// asynchronous proxy, once the fence was waited for; with .T it is the stores
// to tensor memory that are over then.
func ProxyFence(w *machine.Warp, i *machine.Inst, _ uint32) {
	if i.Sub != 0 {
		w.TensorFence(i)
		return
	}
	w.ShowProxy(i)
}

// Cctl is CCTL: invalidating the first cache shows what bulk stores left.
func Cctl(w *machine.Warp, i *machine.Inst, _ uint32) {
	if i.Sub != 0 {
		w.ShowBulk()
	}
}

// TensorAcquire is UTMACCTL.IV: the tensor-map proxy sees what was performed
// for the GPU.
func TensorAcquire(w *machine.Warp, i *machine.Inst, _ uint32) {
	if i.Sub != 0 {
		w.ShowMaps()
	}
}
