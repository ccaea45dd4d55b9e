package control

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// Bra branches.
func Bra(d *machine.Decoder) {
	d.Ignore(isa.WUni)
	if len(d.Args) != 1 || d.Args[0].Kind != isa.KLabel {
		d.Unknown()
	}
	to := d.Body.Labels[d.Args[0].Ref].At
	d.Out.Flow = func(w *machine.Warp, group uint32) {
		w.Move(w.Mask, to)
		w.Move(group&^w.Mask, w.PC+1)
	}
}

// Brx branches to one of a table of labels.
func Brx(d *machine.Decoder) {
	d.Ignore(isa.WIdx, isa.WUni)
	idx := d.Src(0, isa.U32)
	if d.Args[1].Kind != isa.KTable {
		d.Unknown()
	}
	t := &d.Body.Tables[d.Args[1].Ref]
	targets := d.Body.Targets[t.List.First : t.List.First+t.List.Len]
	to := make([]int32, len(targets))
	for k, l := range targets {
		to[k] = d.Body.Labels[l].At
	}
	d.Out.Flow = func(w *machine.Warp, group uint32) {
		x := w.Col(&idx, 0)
		w.Move(group&^w.Mask, w.PC+1)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if x[l] >= uint64(len(to)) {
				w.Fail(l, "index %d of a table of %d targets", x[l], len(to))
			}
			w.Move(1<<l, to[x[l]])
		}
	}
}

// Exit ends threads.
func Exit(d *machine.Decoder) { d.Out.Flow = machine.Exit }

// Trap is a fault: the program stops itself.
func Trap(d *machine.Decoder) {
	d.Out.Run = func(w *machine.Warp) { w.Fail(bits.TrailingZeros32(w.Mask), "the program stops itself") }
}

// Ret leaves a function; in a kernel it ends the thread.
func Ret(d *machine.Decoder) {
	d.Ignore(isa.WUni)
	d.Out.Flow = d.Leave()
}

// Call calls a function, directly or through an address.
func Call(d *machine.Decoder) {
	d.Ignore(isa.WUni)
	c := &d.Body.Calls[d.In.Call]
	site := d.Site(c)
	if c.Func >= 0 {
		fn := d.Callee(c.Func)
		if fn == nil {
			external(d, d.Module().Funcs[c.Func].Name, site)
			return
		}
		d.Out.Flow = func(w *machine.Warp, group uint32) {
			pc := w.PC
			w.Move(group, pc+1)
			if w.Mask != 0 {
				w.Enter(fn, site, w.Mask, pc+1)
			}
		}
		return
	}
	target := d.Read(&c.Target, isa.B64)
	d.Out.Flow = func(w *machine.Warp, group uint32) {
		pc, mask := w.PC, w.Mask
		w.Move(group, pc+1)
		x := *w.Col(&target, 0)
		for mask != 0 { // once for each function
			l := bits.TrailingZeros32(mask)
			fn := w.Function(x[l], l)
			same := uint32(0)
			for m := mask; m != 0; m &= m - 1 {
				if k := bits.TrailingZeros32(m); x[k] == x[l] {
					same |= 1 << k
				}
			}
			mask &^= same
			w.Mask = same
			w.Enter(fn, site, same, pc+1)
		}
	}
}

// external decodes a call of a function of the system, which has no body. A
// failed assertion is a fault, and so is every function but those of the
// heap, which never runs out here, and printing, which shows nothing and
// returns zero.
func external(d *machine.Decoder, name string, site *machine.CallSite) {
	switch name {
	case "__assertfail":
		d.Out.Run = func(w *machine.Warp) { w.Fail(bits.TrailingZeros32(w.Mask), "an assertion does not hold") }
	case "vprintf":
		d.Out.Run = func(w *machine.Warp) {
			w.ZeroResults(site)
		}
	case "free":
		d.Out.Run = func(*machine.Warp) {}
	case "malloc":
		if !site.Unary() {
			d.Unknown()
		}
		d.Out.Run = func(w *machine.Warp) { w.Malloc(site) }
	default:
		d.Out.Run = func(w *machine.Warp) { w.Fail(bits.TrailingZeros32(w.Mask), "a call of %s, which has no body", name) }
	}
}
