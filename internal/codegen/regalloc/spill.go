package regalloc

// home is where a spilled virtual register lives between its uses.
type home struct {
	spilled bool
	slot    int32 // memory word, -1 if it has none
	reg     int32 // virtual register of the next file, -1 if it has none
	temp    int32 // temporary that holds some of its words right now, -1 if none
	sub, n  uint8 // which words
	last    int32 // instruction that used the temporary last
}

// rewriter builds the problem with spill code.
type rewriter struct {
	s      *solver
	old    *Problem
	vregs  []VReg
	insts  []Inst
	ops    []Operand
	homes  []home
	dirty  []int32 // virtual registers with a temporary in this block
	window int32   // a temporary is used again this many instructions later
	excl   []Exclude
}

// rewrite replaces the problem by one in which the given virtual registers
// live in memory, in another file, or nowhere (those that can be made
// again), and only short temporaries stand at their uses.
func (s *solver) rewrite(spill []int32, window int32) {
	p := s.sol.Problem
	w := &rewriter{s: s, old: p, vregs: p.VRegs, excl: p.Excludes, homes: make([]home, len(p.VRegs)), window: window}
	w.place(spill)
	q := *p
	q.Blocks = append([]Block(nil), p.Blocks...)
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		first := int32(len(w.insts))
		for n := blk.First; n < blk.First+blk.N; n++ {
			w.inst(n)
		}
		w.forget()
		q.Blocks[b].First, q.Blocks[b].N = first, int32(len(w.insts))-first
	}
	q.VRegs, q.Insts, q.Ops, q.Excludes = w.vregs, w.insts, w.ops, w.excl
	s.sol.Problem = &q
}

// place decides where each spilled virtual register lives. Memory words
// are shared between those that are never live at the same time.
func (w *rewriter) place(spill []int32) {
	slots := &slotter{r: w, base: w.s.sol.Slots, many: len(spill) > manySpills || w.s.opts.quickSlots}
	if slots.many {
		spill = slots.byStart(spill)
	}
	for _, v := range spill {
		x := w.old.VRegs[v]
		h := home{spilled: true, slot: -1, reg: -1, temp: -1}
		to := w.old.Files[x.Class].SpillTo
		switch {
		case x.Remat >= 0:
		case to != Memory:
			h.reg = int32(len(w.vregs))
			w.vregs = append(w.vregs, VReg{Class: uint8(to), Width: x.Width, Align: 1, Fixed: -1, Remat: -1, Of: v})
		default:
			h.slot = slots.find(v)
			w.s.sol.Slots = max(w.s.sol.Slots, int(h.slot)+int(x.Width))
		}
		w.homes[v] = h
	}
}

// forget drops all temporaries: the next block starts from the homes.
func (w *rewriter) forget() {
	for _, v := range w.dirty {
		w.homes[v].temp = -1
	}
	w.dirty = w.dirty[:0]
}

// inst copies one instruction with reloads before it and spills after it.
func (w *rewriter) inst(n int32) {
	i := w.old.Insts[n]
	ops := append([]Operand(nil), w.old.Operands(int(n))...)
	for k := range ops {
		if o := &ops[k]; o.Role.Reads() && int(o.V) < len(w.homes) && w.homes[o.V].spilled {
			if o.Role == Hold {
				o.N = 0 // its home survives
				continue
			}
			w.read(o, n)
		}
	}
	type store struct {
		v   int32
		old Operand
		now Operand
	}
	var stores []store
	for k := range ops {
		o := &ops[k]
		orig := w.old.Ops[i.First+int32(k)]
		if !o.Role.Writes() || int(orig.V) >= len(w.homes) || !w.homes[orig.V].spilled {
			continue
		}
		if !o.Role.Reads() {
			h := &w.homes[orig.V]
			o.V, o.Sub = w.temp(orig.V, orig.Sub, orig.N), 0
			h.temp, h.sub, h.n, h.last = o.V, orig.Sub, orig.N, n
			w.dirty = append(w.dirty, orig.V)
		}
		stores = append(stores, store{orig.V, orig, *o})
	}
	i.First = int32(len(w.ops))
	w.ops = append(w.ops, ops...)
	w.insts = append(w.insts, i)
	for _, st := range stores {
		w.write(st.v, st.old, st.now)
	}
}

// read makes operand o stand for a temporary that holds its words.
func (w *rewriter) read(o *Operand, n int32) {
	v := o.V
	h := &w.homes[v]
	if h.temp >= 0 && h.sub == o.Sub && h.n == o.N && n-h.last <= w.window {
		h.last = n
		o.V, o.Sub = h.temp, 0
		return
	}
	x := &w.old.VRegs[v]
	w.s.sol.Reloads++
	if x.Remat >= 0 {
		t := w.temp(v, 0, x.Width)
		w.emit(Inst{Kind: Remat, Orig: x.Remat, Slot: -1}, Operand{t, 0, x.Width, Def})
		o.V = t
		return
	}
	t := w.temp(v, o.Sub, o.N)
	def := Operand{t, 0, o.N, Def}
	if h.slot >= 0 {
		w.emit(Inst{Kind: Reload, Orig: -1, Slot: h.slot + int32(o.Sub)}, def)
	} else {
		w.emit(Inst{Kind: Reload, Orig: -1, Slot: -1}, def, Operand{h.reg, o.Sub, o.N, Use})
	}
	h.temp, h.sub, h.n, h.last = t, o.Sub, o.N, n
	w.dirty = append(w.dirty, v)
	o.V, o.Sub = t, 0
}

// write sends the words an instruction has put into a temporary home.
func (w *rewriter) write(v int32, old, now Operand) {
	h := &w.homes[v]
	src := Operand{now.V, now.Sub, now.N, Use}
	switch {
	case h.slot >= 0:
		w.emit(Inst{Kind: Spill, Orig: -1, Slot: h.slot + int32(old.Sub)}, src)
	case h.reg >= 0:
		w.emit(Inst{Kind: Spill, Orig: -1, Slot: -1}, Operand{h.reg, old.Sub, old.N, Def}, src)
	default:
		return // made again where it is wanted
	}
	w.s.sol.Spills++
}

// temp makes a temporary for n words of v from word sub on. It has the
// alignment those words have inside v.
func (w *rewriter) temp(v int32, sub, n uint8) int32 {
	x := w.old.VRegs[v]
	align := max(1, x.Align)
	for sub%align != 0 || align > 1 && align/2 >= n {
		align /= 2
	}
	w.vregs = append(w.vregs, VReg{
		Class: x.Class, Width: n, Align: align, Fixed: -1, Lo: x.Lo, Hi: x.Hi, Remat: -1, Keep: true, Of: v,
	})
	for _, e := range w.old.Excludes {
		if e.V == v {
			w.excl = append(w.excl, Exclude{int32(len(w.vregs) - 1), e.Lo, e.Hi})
		}
	}
	return int32(len(w.vregs) - 1)
}

func (w *rewriter) emit(i Inst, ops ...Operand) {
	i.First, i.N = int32(len(w.ops)), int32(len(ops))
	w.ops = append(w.ops, ops...)
	w.insts = append(w.insts, i)
}
