package machine

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Alloca takes n bytes of local memory of a lane until its function returns.
func (w *Warp) Alloca(l int, n, align uint64) uint64 {
	size := n + uint64(alignUp(int64(w.sp[l]), int64(align))) - uint64(w.sp[l])
	if size > maxLocal {
		w.Fail(l, "alloca of %d bytes", n)
	}
	w.grow(l, uint32(size))
	return uint64(w.sp[l]) - n
}

// Stack is where the local memory of a lane ends.
func (w *Warp) Stack(l int) uint64 { return uint64(w.sp[l]) }

// Unwind gives local memory back down to a place of the running function.
func (w *Warp) Unwind(l int, to uint64) {
	if to > uint64(w.sp[l]) || to < uint64(w.frame.base[l]) {
		w.Fail(l, "%#x is no saved stack", to)
	}
	w.sp[l] = uint32(to)
}

// Exit ends threads.
func Exit(w *Warp, group uint32) {
	w.Move(group&^w.Mask, w.PC+1)
	if w.Mask != 0 {
		w.exit(w.Mask)
	}
}

// CallSite is where a call takes arguments from and puts results.
type CallSite struct {
	args []actual
	rets []actual
}

// actual is an actual parameter: a variable in the caller's frame, a value,
// or nothing.
type actual struct {
	frame int64 // place in the frame, or -1
	value Operand
	reg   Place
	none  bool
	// The elements of a vector, side by side, instead of one value.
	values []Operand
	regs   []Place
}

// ret copies the results to the caller and goes back there.
func ret(w *Warp, group uint32) {
	f, mask := w.frame, w.Mask
	w.Move(group&^mask, w.PC+1)
	if mask == 0 {
		return
	}
	w.share(f, f.up)
	for k := range f.fn.def.Rets {
		w.result(f, k)
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		w.sp[l] = f.base[l]
		w.fr[l], w.at[l] = f.up, f.ret
	}
	f.live &^= mask
}

// result copies result k from the callee's frame to the caller.
func (w *Warp) result(f *frame, k int) {
	if k >= len(f.site.rets) || f.site.rets[k].none {
		return
	}
	to := &f.site.rets[k]
	p := &f.fn.def.Rets[k]
	size := uint32(p.Shape.Size())
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		at := f.base[l] + uint32(f.fn.formal[k])
		mem := w.local[l][at : at+size]
		if r := f.fn.regsOf[k]; r >= 0 {
			for n, part := range parts(mem, &p.Shape) {
				Put(part, f.regs[f.fn.slots[r+int32(n)]][l])
			}
		}
		if to.frame >= 0 {
			dst := f.up.base[l] + uint32(to.frame)
			copy(w.local[l][dst:dst+size], mem)
			continue
		}
		regs := to.regs
		if regs == nil {
			regs = []Place{to.reg}
		}
		for n, part := range parts(mem, &p.Shape) {
			if r := regs[n]; r.slot >= 0 {
				f.up.regs[r.slot][l] = Get(part) & r.Mask
				f.up.def[r.slot] |= 1 << l
			}
		}
	}
}

func (p *Program) callee(fn int32) *function {
	for n := 0; p.m.Funcs[fn].Alias >= 0 && n < len(p.m.Funcs); n++ {
		fn = p.m.Funcs[fn].Alias
	}
	return p.funcs[fn]
}

// Function returns what an address points to.
func (w *Warp) Function(a uint64, lane int) *function {
	p := w.cta.grid.p
	n := (a - funcBase) / 16
	if a < funcBase || a%16 != 0 || n >= uint64(len(p.funcs)) || p.callee(int32(n)) == nil {
		w.Fail(lane, "%#x is no function", a)
	}
	return p.callee(int32(n))
}

func (d *Decoder) actuals(list []sema.Operand, result bool) []actual {
	out := make([]actual, len(list))
	for k := range list {
		a := &list[k]
		x := &out[k]
		x.frame = -1
		switch {
		case a.Kind == isa.KSink:
			x.none = true
		case a.Kind == isa.KSymbol && a.Local() >= 0:
			x.frame = d.f.vars[a.Local()]
		case a.Kind == isa.KVector:
			es := d.Body.Of(a.Elems)
			for n := range es {
				if result {
					x.regs = append(x.regs, d.Target(&es[n]))
				} else {
					x.values = append(x.values, d.Read(&es[n], es[n].Type))
				}
			}
		case result:
			x.reg = d.Target(a)
		case a.Kind == isa.KReg:
			x.value = d.Read(a, isa.B64)
		case a.Kind == isa.KInt, a.Kind == isa.KSingle:
			x.value = Constant(a.Value)
		case a.Kind == isa.KDouble:
			d.Unknown()
		default:
			d.Unknown()
		}
	}
	return out
}

// Enter starts a function in lanes of the running group.
func (w *Warp) Enter(fn *function, site *CallSite, mask uint32, back int32) {
	up := w.frame
	f := w.newFrame(fn, up, mask)
	f.site, f.ret = site, back
	w.share(up, f)
	nrets := len(fn.def.Rets)
	for k := range site.args {
		if nrets+k >= len(fn.formal) {
			break
		}
		a := &site.args[k]
		if a.none {
			continue
		}
		w.argument(f, nrets+k, a)
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		w.fr[l], w.at[l] = f, 0
	}
}

// share hands the registers of the module from one frame to another, through
// the warp, which keeps those that only frames further up know.
func (w *Warp) share(from, to *frame) {
	for _, r := range from.fn.body.Module {
		at := from.fn.slots[r.Reg]
		k := w.module[[2]int32{r.Sym, r.Elem}]
		if k == nil {
			if w.module == nil {
				w.module = map[[2]int32]*keptReg{}
			}
			k = &keptReg{}
			w.module[[2]int32{r.Sym, r.Elem}] = k
		}
		w.hand(&from.regs[at], &k.value, from.def[at], &k.def)
	}
	for _, r := range to.fn.body.Module {
		at := to.fn.slots[r.Reg]
		if k := w.module[[2]int32{r.Sym, r.Elem}]; k != nil {
			w.hand(&k.value, &to.regs[at], k.def, &to.def[at])
		}
	}
}

// hand copies the running lanes of a column, and which of them are written.
func (w *Warp) hand(from, to *Column, def uint32, written *uint32) {
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		to[l] = from[l]
	}
	*written = *written&^w.Mask | def&w.Mask
}

// parts returns the elements of a vector, or all of anything else.
func parts(mem []byte, s *sema.Shape) [][]byte {
	if s.Array || s.Vec <= 1 {
		return [][]byte{mem}
	}
	var list [][]byte
	size := len(mem) / int(s.Vec)
	for at := 0; at+size <= len(mem); at += size {
		list = append(list, mem[at:at+size])
	}
	return list
}

// argument copies an argument to the callee's frame.
func (w *Warp) argument(f *frame, n int, a *actual) {
	shape := &f.fn.param(n).Shape
	size := uint32(shape.Size())
	var list []Column
	for k := range a.values {
		list = append(list, *w.Col(&a.values[k], 1))
	}
	if a.frame < 0 && list == nil {
		list = []Column{*w.Col(&a.value, 1)}
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		at := f.base[l] + uint32(f.fn.formal[n])
		mem := w.local[l][at : at+size]
		if a.frame >= 0 {
			from := f.up.base[l] + uint32(a.frame)
			copy(mem, w.local[l][from:from+size])
		} else {
			for k, part := range parts(mem, shape) {
				Put(part, list[k][l])
			}
		}
		if r := f.fn.regsOf[n]; r >= 0 {
			for k, part := range parts(mem, shape) {
				slot := f.fn.slots[r+int32(k)]
				f.regs[slot][l] = Get(part)
				f.def[slot] |= 1 << l
			}
		}
	}
}

// Callee follows aliases to the function with the body; nil where there is
// none.
func (d *Decoder) Callee(fn int32) *function { return d.f.p.callee(fn) }

// Leave is what a return of the body does.
func (d *Decoder) Leave() func(w *Warp, group uint32) { return d.f.leave() }

// leave is what a return does: in a kernel it ends the thread.
func (f *function) leave() func(w *Warp, group uint32) {
	if f.def.Entry {
		return Exit
	}
	return ret
}

// Site decodes what a call hands over.
func (d *Decoder) Site(c *sema.Call) *CallSite {
	return &CallSite{args: d.actuals(d.Body.Of(c.Actuals), false), rets: d.actuals(d.Body.Of(c.Rets), true)}
}
