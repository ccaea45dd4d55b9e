package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// bra branches.
func (d *decoder) bra() {
	d.ignore(isa.WUni)
	if len(d.args) != 1 || d.args[0].Kind != isa.KLabel {
		d.unknown()
	}
	to := d.body.Labels[d.args[0].Ref].At
	d.out.flow = func(w *warp, group uint32) {
		w.move(w.mask, to)
		w.move(group&^w.mask, w.pc+1)
	}
}

// brx branches to one of a table of labels.
func (d *decoder) brx() {
	d.ignore(isa.WIdx, isa.WUni)
	idx := d.src(0, isa.U32)
	if d.args[1].Kind != isa.KTable {
		d.unknown()
	}
	t := &d.body.Tables[d.args[1].Ref]
	targets := d.body.Targets[t.List.First : t.List.First+t.List.Len]
	to := make([]int32, len(targets))
	for k, l := range targets {
		to[k] = d.body.Labels[l].At
	}
	d.out.flow = func(w *warp, group uint32) {
		x := w.col(&idx, 0)
		w.move(group&^w.mask, w.pc+1)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if x[l] >= uint64(len(to)) {
				w.fail(l, "index %d of a table of %d targets", x[l], len(to))
			}
			w.at[l] = to[x[l]]
		}
	}
}

// exit ends threads.
func exit(w *warp, group uint32) {
	w.move(group&^w.mask, w.pc+1)
	if w.mask != 0 {
		w.exit(w.mask)
	}
}

func (d *decoder) exit() { d.out.flow = exit }

func (d *decoder) trap() {
	d.out.run = func(w *warp) { w.fail(bits.TrailingZeros32(w.mask), "the program stops itself") }
}

// ret leaves a function; in a kernel it ends the thread.
func (d *decoder) ret() {
	d.ignore(isa.WUni)
	d.out.flow = ret
	if d.f.def.Entry {
		d.out.flow = exit
	}
}

// callSite is where a call takes arguments from and puts results.
type callSite struct {
	args []actual
	rets []actual
}

// actual is an actual parameter: a variable in the caller's frame, a value,
// or nothing.
type actual struct {
	frame int64 // place in the frame, or -1
	value operand
	reg   place
	none  bool
	// The elements of a vector, side by side, instead of one value.
	values []operand
	regs   []place
}

// ret copies the results to the caller and goes back there.
func ret(w *warp, group uint32) {
	f, mask := w.frame, w.mask
	w.move(group&^mask, w.pc+1)
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
func (w *warp) result(f *frame, k int) {
	if k >= len(f.site.rets) || f.site.rets[k].none {
		return
	}
	to := &f.site.rets[k]
	p := &f.fn.def.Rets[k]
	size := uint32(p.Shape.Size())
	for m := w.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		at := f.base[l] + uint32(f.fn.formal[k])
		mem := w.local[l][at : at+size]
		if r := f.fn.regsOf[k]; r >= 0 {
			for n, part := range parts(mem, &p.Shape) {
				put(part, f.regs[f.fn.slots[r+int32(n)]][l])
			}
		}
		if to.frame >= 0 {
			dst := f.up.base[l] + uint32(to.frame)
			copy(w.local[l][dst:dst+size], mem)
			continue
		}
		regs := to.regs
		if regs == nil {
			regs = []place{to.reg}
		}
		for n, part := range parts(mem, &p.Shape) {
			if r := regs[n]; r.slot >= 0 {
				f.up.regs[r.slot][l] = get(part) & r.mask
				f.up.def[r.slot] |= 1 << l
			}
		}
	}
}

// call calls a function, directly or through an address.
func (d *decoder) call() {
	d.ignore(isa.WUni)
	c := &d.body.Calls[d.in.Call]
	site := &callSite{args: d.actuals(d.body.Of(c.Actuals), false), rets: d.actuals(d.body.Of(c.Rets), true)}
	if c.Func >= 0 {
		fn := d.callee(c.Func)
		if fn == nil {
			d.external(d.f.p.m.Funcs[c.Func].Name, site)
			return
		}
		d.out.flow = func(w *warp, group uint32) {
			pc := w.pc
			w.move(group, pc+1)
			if w.mask != 0 {
				w.enter(fn, site, w.mask, pc+1)
			}
		}
		return
	}
	target := d.read(&c.Target, isa.B64)
	d.out.flow = func(w *warp, group uint32) {
		pc, mask := w.pc, w.mask
		w.move(group, pc+1)
		x := *w.col(&target, 0)
		for mask != 0 { // once for each function
			l := bits.TrailingZeros32(mask)
			fn := w.function(x[l], l)
			same := uint32(0)
			for m := mask; m != 0; m &= m - 1 {
				if k := bits.TrailingZeros32(m); x[k] == x[l] {
					same |= 1 << k
				}
			}
			mask &^= same
			w.mask = same
			w.enter(fn, site, same, pc+1)
		}
	}
}

// callee follows aliases to the function with the body.
func (d *decoder) callee(fn int32) *function { return d.f.p.callee(fn) }

func (p *Program) callee(fn int32) *function {
	for n := 0; p.m.Funcs[fn].Alias >= 0 && n < len(p.m.Funcs); n++ {
		fn = p.m.Funcs[fn].Alias
	}
	return p.funcs[fn]
}

// function returns what an address points to.
func (w *warp) function(a uint64, lane int) *function {
	p := w.cta.grid.p
	n := (a - funcBase) / 16
	if a < funcBase || a%16 != 0 || n >= uint64(len(p.funcs)) || p.callee(int32(n)) == nil {
		w.fail(lane, "%#x is no function", a)
	}
	return p.callee(int32(n))
}

func (d *decoder) actuals(list []sema.Operand, result bool) []actual {
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
			es := d.body.Of(a.Elems)
			for n := range es {
				if result {
					x.regs = append(x.regs, d.target(&es[n]))
				} else {
					x.values = append(x.values, d.read(&es[n], es[n].Type))
				}
			}
		case result:
			x.reg = d.target(a)
		case a.Kind == isa.KReg:
			x.value = d.read(a, isa.B64)
		case a.Kind == isa.KInt, a.Kind == isa.KSingle:
			x.value = constant(a.Value)
		case a.Kind == isa.KDouble:
			d.unknown()
		default:
			d.unknown()
		}
	}
	return out
}

// enter starts a function in lanes of the running group.
func (w *warp) enter(fn *function, site *callSite, mask uint32, back int32) {
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
func (w *warp) share(from, to *frame) {
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
func (w *warp) hand(from, to *column, def uint32, written *uint32) {
	for m := w.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		to[l] = from[l]
	}
	*written = *written&^w.mask | def&w.mask
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
func (w *warp) argument(f *frame, n int, a *actual) {
	shape := &f.fn.param(n).Shape
	size := uint32(shape.Size())
	var list []column
	for k := range a.values {
		list = append(list, *w.col(&a.values[k], 1))
	}
	if a.frame < 0 && list == nil {
		list = []column{*w.col(&a.value, 1)}
	}
	for m := w.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		at := f.base[l] + uint32(f.fn.formal[n])
		mem := w.local[l][at : at+size]
		if a.frame >= 0 {
			from := f.up.base[l] + uint32(a.frame)
			copy(mem, w.local[l][from:from+size])
		} else {
			for k, part := range parts(mem, shape) {
				put(part, list[k][l])
			}
		}
		if r := f.fn.regsOf[n]; r >= 0 {
			for k, part := range parts(mem, shape) {
				slot := f.fn.slots[r+int32(k)]
				f.regs[slot][l] = get(part)
				f.def[slot] |= 1 << l
			}
		}
	}
}
