package main

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/witness/front"
)

// facts are what the text of a kernel tells about the way it wants to be
// started.
type facts struct {
	fn      *sema.Func
	ptrs    []pointer // in the order of parameters and offsets
	ctaid   [3]bool   // components of the block's number that are read
	tid     [3]bool
	dynamic bool // there is dynamic shared memory
	static  int  // bytes of shared memory of the module and the body
	sums    bool // there are atomic sums of floats, whose order is open

	tensors bool     // there are copies of tensors
	factor  isa.Type // of warp-group products
}

// pointer is a word of a parameter that is an address of global memory.
type pointer struct {
	param, offset int
	fill          string // what its loads want to find
}

// word is a parameter's word at an offset.
type word struct{ param, offset int }

// kernels returns the facts of every kernel in source order.
func kernels(x *front.Text) []*facts {
	dynamic, static := false, 0
	count := func(list []sema.Var) {
		for n := range list {
			if v := &list[n]; v.Space.Base() == isa.SpaceShared {
				dynamic = dynamic || v.Shape.Open
				static += int(v.Shape.Size())
			}
		}
	}
	count(x.Module.Vars)
	for _, b := range x.Bodies {
		count(b.Vars)
	}
	var list []*facts
	for n := range x.Module.Funcs {
		b := x.Bodies[int32(n)]
		if !x.Module.Funcs[n].Entry || b == nil {
			continue
		}
		k := &facts{fn: &x.Module.Funcs[n], dynamic: dynamic, static: static}
		r := &reader{f: k, b: b, from: make([][]word, len(b.Regs)), uses: make([]use, len(b.Regs))}
		r.read()
		k.readTensors(b)
		list = append(list, k)
	}
	return list
}

// use is a set of ways in which a value is used.
type use uint8

const (
	asF64 use = 1 << iota
	asF32
	asBF16
	asF16
	asInt
	asAddress
)

// reader follows values through the registers of a body, whatever the order
// of its instructions.
type reader struct {
	f    *facts
	b    *sema.Body
	from [][]word // parameters whose words a register may hold, perhaps with something added
	uses []use
	ptrs map[word]bool
}

func (r *reader) read() {
	r.ptrs = map[word]bool{}
	for again := true; again; {
		again = false
		for n := range r.b.Instrs {
			if r.flow(&r.b.Instrs[n]) {
				again = true
			}
		}
	}
	for n := range r.f.fn.Params {
		if r.f.fn.Params[n].Ptr {
			r.ptrs[word{n, 0}] = true
		}
	}
	r.addresses()
	fills := r.fills()
	for w := range r.ptrs {
		r.f.ptrs = append(r.f.ptrs, pointer{w.param, w.offset, fills[w]})
	}
	slices.SortFunc(r.f.ptrs, func(a, b pointer) int {
		if a.param != b.param {
			return a.param - b.param
		}
		return a.offset - b.offset
	})
}

// flow passes origins forward and uses backward through one instruction.
// It returns whether anything is new.
func (r *reader) flow(in *sema.Inst) bool {
	args := r.b.Of(in.Args)
	r.specials(args)
	if (in.Op == isa.WAtom || in.Op == isa.WRed) && in.NTypes > 0 && in.Types[0].IsFloat() {
		r.f.sums = true
	}
	if len(args) < 2 {
		return false
	}
	dsts := r.regs(&args[0])
	changed := false
	switch in.Op {
	case isa.WLd:
		return r.paramLoad(in, args, dsts)
	case isa.WMov, isa.WCvta, isa.WSelp, isa.WShfl, isa.WPrmt:
		for k := range args[1:] {
			changed = r.link(dsts, r.regs(&args[1+k]), args[1+k].Kind == isa.KVector) || changed
		}
	case isa.WAdd, isa.WSub:
		if in.Types[0].Bits() == 64 {
			changed = r.origins(dsts, r.regs(&args[1])) || r.origins(dsts, r.regs(&args[2]))
		}
	case isa.WMad:
		changed = r.origins(dsts, r.regs(&args[3]))
	}
	if u := useOf(in); u != 0 {
		for k := range args[1:] {
			if args[1+k].Kind != isa.KAddr {
				changed = r.note(r.regs(&args[1+k]), u) || changed
			}
		}
	}
	for k := range args {
		if a := &args[k]; a.Kind == isa.KAddr && a.Base == isa.KReg {
			changed = r.note([]int32{a.Ref}, asAddress) || changed
		}
	}
	return changed
}

// useOf tells what an instruction takes its sources for; moving them says
// nothing.
func useOf(in *sema.Inst) use {
	switch in.Op {
	case isa.WMov, isa.WSt, isa.WShfl, isa.WPrmt, isa.WLd, isa.WCvta:
		return 0
	}
	if in.NTypes == 0 {
		return 0
	}
	t := in.Types[0]
	if in.NTypes > 1 {
		t = in.Types[1]
	}
	switch t {
	case isa.F64:
		return asF64
	case isa.F32, isa.F32x2:
		return asF32
	case isa.BF16, isa.BF16x2:
		return asBF16
	case isa.F16, isa.F16x2:
		return asF16
	}
	return asInt
}

// specials notes which components of the thread's and the block's numbers
// are read.
func (r *reader) specials(args []sema.Operand) {
	for k := range args {
		a := &args[k]
		if a.Kind != isa.KSpecial || a.Comp == 0 || a.Comp > 3 {
			continue
		}
		switch isa.SpecialReg(a.Ref).String() {
		case "%tid":
			r.f.tid[a.Comp-1] = true
		case "%ctaid":
			r.f.ctaid[a.Comp-1] = true
		}
	}
}

// regs lists the registers of an operand.
func (r *reader) regs(a *sema.Operand) []int32 {
	switch a.Kind {
	case isa.KReg:
		return []int32{a.Ref}
	case isa.KVector:
		var list []int32
		for _, e := range r.b.Of(a.Elems) {
			if e.Kind == isa.KReg {
				list = append(list, e.Ref)
			}
		}
		return list
	}
	return nil
}

// paramLoad notes the words that a load of a parameter gives.
func (r *reader) paramLoad(in *sema.Inst, args []sema.Operand, dsts []int32) bool {
	a := &args[1]
	changed := false
	if a.Kind == isa.KAddr && a.Base == isa.KReg {
		return r.note([]int32{a.Ref}, asAddress)
	}
	if a.Kind != isa.KAddr || a.Base != isa.KSymbol || a.Formal() < 0 || in.Types[0].Bits() != 64 {
		return false
	}
	for k, d := range dsts {
		changed = r.add(d, word{int(a.Formal()), int(a.Value) + 8*k}) || changed
	}
	return changed
}

// link makes d a copy of s: origins go forward, uses back. The upper half of
// an f32 is a bf16.
func (r *reader) link(dsts, srcs []int32, packed bool) bool {
	changed := r.origins(dsts, srcs)
	for _, d := range dsts {
		u := r.uses[d] &^ asAddress
		if packed && u&asF32 != 0 {
			u = u&^asF32 | asBF16
		}
		changed = r.note(srcs, u) || changed
	}
	return changed
}

func (r *reader) origins(dsts, srcs []int32) bool {
	changed := false
	for _, d := range dsts {
		for _, s := range srcs {
			for _, w := range r.from[s] {
				changed = r.add(d, w) || changed
			}
		}
	}
	return changed
}

func (r *reader) add(d int32, w word) bool {
	if slices.Contains(r.from[d], w) {
		return false
	}
	r.from[d] = append(r.from[d], w)
	return true
}

func (r *reader) note(list []int32, u use) bool {
	changed := false
	for _, s := range list {
		if r.uses[s]&u != u {
			r.uses[s] |= u
			changed = true
		}
	}
	return changed
}

// addresses finds the words that are pointers: those made global addresses
// by cvta, and the only word that an address comes from.
func (r *reader) addresses() {
	for n := range r.b.Instrs {
		in := &r.b.Instrs[n]
		if in.Op != isa.WCvta || in.NSpaces == 0 || in.Spaces[0] != isa.SpaceGlobal {
			continue
		}
		if args := r.b.Of(in.Args); len(args) > 1 && args[1].Kind == isa.KReg && len(r.from[args[1].Ref]) == 1 {
			r.ptrs[r.from[args[1].Ref][0]] = true
		}
	}
	for n := range r.b.Instrs {
		in := &r.b.Instrs[n]
		for _, a := range r.b.Of(in.Args) {
			if a.Kind != isa.KAddr || a.Base != isa.KReg || !isGlobal(in) {
				continue
			}
			from := r.from[a.Ref]
			if len(from) > 0 && !slices.ContainsFunc(from, func(w word) bool { return r.ptrs[w] }) {
				r.ptrs[slices.MinFunc(from, func(a, b word) int { return (a.param-b.param)<<16 + a.offset - b.offset })] = true
			}
		}
	}
}

// isGlobal reports whether an instruction may access global memory.
func isGlobal(in *sema.Inst) bool {
	for _, s := range in.Spaces[:in.NSpaces] {
		if b := s.Base(); b != isa.SpaceGlobal && b != isa.Generic {
			return false
		}
	}
	return true
}

// fills chooses contents for each pointer by what its loads are used for.
func (r *reader) fills() map[word]string {
	type found struct {
		use  use
		size int
	}
	all := map[word]found{}
	for n := range r.b.Instrs {
		in := &r.b.Instrs[n]
		args := r.b.Of(in.Args)
		if len(args) < 2 || in.NTypes == 0 || !isGlobal(in) {
			continue
		}
		for k := range args {
			a := &args[k]
			if a.Kind != isa.KAddr || a.Base != isa.KReg {
				continue
			}
			for _, w := range r.from[a.Ref] {
				x := all[w]
				x.size = max(x.size, in.Types[0].Size())
				if u := useOf(in); u != asInt { // red.add.f32 and the like
					x.use |= u
				}
				if k > 0 {
					for _, d := range r.regs(&args[0]) {
						x.use |= r.uses[d] | asInt
					}
				}
				all[w] = x
			}
		}
	}
	fills := map[word]string{}
	for w := range r.ptrs {
		fills[w] = fillFor(all[w].use, all[w].size)
		if r.f.sums {
			fills[w] = wholeFor(fills[w])
		}
	}
	return fills
}

// wholeFor names contents like others, but of whole numbers: where there are
// few of them, sums are the same in any order. Nothing can be added to ones,
// which are NaN as floats.
func wholeFor(fill string) string {
	switch fill {
	case "ones":
		return "zero"
	case "f32":
		return "whole"
	case "f64":
		return "whole64"
	case "f16":
		return "whole16"
	case "bf16":
		return "wholeb16"
	}
	return fill
}

// fillFor names contents for values of a size that are used in some ways.
func fillFor(u use, size int) string {
	switch {
	case u&asF64 != 0 && size == 8:
		return "f64"
	case u&asF32 != 0 && size >= 4:
		return "f32"
	case u&asBF16 != 0 && size >= 2:
		return "bf16"
	case u&asF16 != 0 && size >= 2:
		return "f16"
	case u == 0: // only written
		return "ones"
	}
	switch size {
	case 1:
		return "bool"
	case 2:
		return "small16"
	case 8:
		return "small64"
	}
	return "small"
}
