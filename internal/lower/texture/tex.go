package texture

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// ownLevel leaves the level of detail to the machine: whole coordinates have
// none to choose by.
func ownLevel(l *build.Builder, whole bool) (op.Mods, build.Value) {
	switch {
	case !l.Arch.Has(target.ImplicitLevel):
		return op.M(op.MLL), build.Value{expand.Word(noLevel)}
	case whole:
		return op.M(op.MLZ), nil
	}
	return op.Mods{}, nil
}

// tex lowers tex and tld4.
func tex(l *build.Builder) {
	l.Knows(isa.WV4)
	l.Knows(isa.WV2)
	l.Knows(isa.WBase)
	if name := GradientRoutine(l.Body, l.In); name != "" {
		l.Has(isa.WGrad)
		callGradient(l, name)
		return
	}
	a := &l.Args[1]
	dt, ct := l.Typ(0), l.Typ(1)
	x := texelOf(l, a, ct)
	h := handleOf(l, a)
	rest := l.Args[2:]
	f := fetch{o: op.TEX}
	switch {
	case l.In.Op == isa.WTld4:
		f.o, f.m = op.TLD4, op.M(component(l))
	case l.Has(isa.WGrad):
		gradients(l, &f, &x, rest)
		rest = nil
	case l.Has(isa.WLevel):
		f.o, f.m, f.more = withLevel(l, l.Read(&rest[0], isa.B32)[0], ct.Class() == isa.Float)
		rest = rest[1:]
	case ct.Class() != isa.Float && h.sampler && x.g.word != isa.W1d && !x.g.ms: // the sampler decides about whole coordinates too
		first := len(x.coord) - x.dims
		for k := range x.dims {
			x.coord[first+k] = expand.ToFloat(&l.Writer, x.coord[first+k], true)
		}
		f.m, f.more = ownLevel(l, true)
	case ct.Class() != isa.Float:
		f.o, f.m = op.TLD, op.M(op.MLZ)
	default:
		f.m, f.more = ownLevel(l, false)
	}
	extras(l, &f, &x, rest)
	fetchTexel(l, &f, &x, h, dt)
}

// offsetBits is how many bits of the word of offsets each takes.
const (
	offsetBits = 4
	gatherBits = 8 // in gathers, which use six of them
)

// extras adds what may follow the coordinates: offsets in texels, a value
// to compare with.
func extras(l *build.Builder, f *fetch, x *texel, rest []sema.Operand) {
	var sample build.Value
	if x.g.ms {
		sample = build.Value{x.sample}
	}
	var tail op.Mods
	if len(rest) > 0 && rest[0].Kind == isa.KVector {
		n := min(x.dims, len(l.Body.Of(rest[0].Elems)))
		f.more = append(f.more, offsets(l, l.Body.Of(rest[0].Elems)[:n], f.o == op.TLD4))
		f.m = insertOffset(f.m)
		rest = rest[1:]
	}
	f.more = append(f.more, sample...)
	if x.g.ms {
		tail = op.M(op.MMS)
	}
	if len(rest) > 0 {
		f.more = append(f.more, l.Read(&rest[0], isa.B32)[0])
		tail = op.M(op.MDC)
	}
	f.m = build.Join(f.m, tail)
}

// insertOffset puts .AOFFI where the machine spells it: before .CL.
func insertOffset(m op.Mods) op.Mods {
	var out op.Mods
	for _, x := range m {
		if x != op.NoMod && x != op.MCL {
			out = out.With(x)
		}
	}
	out = out.With(op.MAOFFI)
	if m.Has(op.MCL) {
		out = out.With(op.MCL)
	}
	return out
}

// offsets packs the offsets of a texture access into one word.
func offsets(l *build.Builder, es []sema.Operand, gather bool) ori.Operand {
	each, mask := int64(offsetBits), int64(15)
	if gather {
		each, mask = gatherBits, 63
	}
	r := l.And2(l.Read(&es[0], isa.B32)[0], ori.Imm(mask))
	for n := 1; n < len(es); n++ {
		at := each * int64(n)
		v := l.Shl1(l.Read(&es[n], isa.B32)[0], ori.Imm(at))
		r = l.Lop(lutInsert, v, ori.Imm(mask<<at), r)
	}
	return r
}

// fetchTexel emits a texture access, once for each handle that threads have.
func fetchTexel(l *build.Builder, f *fetch, x *texel, h handle, dt isa.Type) {
	if !l.Arch.Has(target.UniformHandles) {
		l.Alone(func() {
			half := dt == isa.F16x2
			m, srcs := oldFetch(l, f, x, h, half)
			receive(l, half, dt, func(dsts build.Value) { l.Emit(f.o, m, dsts, srcs...) })
		})
		return
	}
	coord, more := row(l, x.coord), build.Value(nil)
	if len(f.more) > 0 {
		more = build.Value{row(l, f.more)}
	}
	l.Alone(func() {
		receive(l, false, dt, func(dsts build.Value) {
			eachTexture(l, h, func(at build.Value, p ori.Operand) {
				srcs := append(append(append(build.Value{coord}, more...), at...), ori.Special(x.g.name))
				l.EmitIf(p, f.o, f.m, dsts, srcs...)
			})
		})
	})
}

// receive gives do the registers that a texel comes in, as halves if the
// machine makes them, and moves it from there to the destination.
func receive(l *build.Builder, half bool, dt isa.Type, do func(dsts build.Value)) {
	n := 2
	if half {
		n = 1
	}
	hi, lo := l.Tmp(n), l.Tmp(n)
	dsts := build.Value{expand.Whole(hi), expand.Whole(lo)}
	missing := ori.Operand{}
	if l.Args[0].Pair >= 0 { // whether the texel was resident
		missing = l.Pred()
		dsts = append(build.Value{missing}, dsts...)
	}
	do(dsts)
	if half {
		putTexel(l, append(lo, hi...))
	} else {
		texResult(l, append(lo, hi...), dt)
	}
	if missing.Kind == ori.KReg {
		l.Emit(op.PLOP3, op.M(op.MLUT), build.Value{l.F.Words(l.Regs[l.Args[0].Pair])}, missing.Not(), expand.PT(), expand.PT(), ori.Imm(0xf0), ori.Imm(0))
	}
}

// withLevel chooses the instruction for an explicit level of detail.
func withLevel(l *build.Builder, lod ori.Operand, filtered bool) (op.Op, op.Mods, build.Value) {
	zero := lod.Kind == ori.KZero
	switch {
	case filtered && zero:
		return op.TEX, op.M(op.MLZ), nil
	case filtered:
		return op.TEX, op.M(op.MLL), build.Value{l.Reg(lod)}
	case zero:
		return op.TLD, op.M(op.MLZ, op.MCL), nil
	}
	return op.TLD, op.M(op.MLL, op.MCL), build.Value{l.Reg(lod)}
}

// gradients reads the derivatives as the machine wants them: both of each
// coordinate side by side, the layer behind the coordinates and offsets in
// the upper half of its word.
func gradients(l *build.Builder, f *fetch, x *texel, args []sema.Operand) {
	f.o = op.TXD
	if len(args) < 2 || x.dims > 2 || x.g.ms {
		l.Unsupported()
	}
	read := func(a *sema.Operand) build.Value {
		es := []sema.Operand{*a}
		if a.Kind == isa.KVector {
			es = l.Body.Of(a.Elems)
		}
		v := build.Value{}
		for k := range es {
			v = append(v, l.Read(&es[k], isa.F32)[0])
		}
		return append(v, expand.RZ(), expand.RZ())
	}
	dx, dy := read(&args[0]), read(&args[1])
	if x.dims == 1 {
		dx[1], dy[1] = expand.RZ(), expand.RZ()
	}
	f.more = build.Value{dx[0], dy[0], dx[1], dy[1]}
	if x.g.name == op.TexArray1D || x.g.name == op.Tex1D {
		f.more = f.more[:2]
	}
	tail := expand.RZ()
	if x.g.layer {
		tail = x.coord[0]
		x.coord = append(build.Value{}, x.coord[1:]...)
	}
	if args = args[2:]; len(args) > 0 && args[0].Kind == isa.KVector {
		n := min(x.dims, len(l.Body.Of(args[0].Elems)))
		v := l.Shl1(offsets(l, l.Body.Of(args[0].Elems)[:n], false), ori.Imm(16))
		tail = l.Lop(lutInsert, v, ori.Imm(0xfff0000), tail)
		f.m = op.M(op.MAOFFI)
		args = args[1:]
	}
	if len(args) > 0 {
		l.Unsupported()
	}
	if x.g.layer || f.m.Has(op.MAOFFI) {
		x.coord = append(x.coord, tail)
	}
}

// component returns which part of the four texels tld4 gathers.
func component(l *build.Builder) op.Mod {
	switch {
	case l.Has(isa.WR):
		return op.MR
	case l.Has(isa.WG):
		return op.MG
	case l.Has(isa.WB):
		return op.MB
	case l.Has(isa.WA):
		return op.MA
	}
	l.Unsupported()
	return op.NoMod
}

// query lowers txq and suq: the machine knows the size of a texture or
// surface.
func query(l *build.Builder) {
	mask := int64(0)
	switch {
	case l.Has(isa.WWidth):
		mask = 1
	case l.Has(isa.WHeight):
		mask = 2
	case l.Has(isa.WDepth):
		mask = 4
	default:
		tableQuery(l)
		return
	}
	lod := expand.RZ()
	if l.Has(isa.WLevel) {
		lod = l.Src1(2, isa.B32)
	}
	h := handleOf(l, &l.Args[1])
	lod = l.One(op.MOV, op.Mods{}, lod)
	l.Alone(func() {
		d := l.Tmp(1)
		ask := func(m op.Mods, p, from ori.Operand, at ...ori.Operand) {
			l.EmitIf(p, op.TXQ, m, build.Value{expand.RZ(), d[0]}, append(append(build.Value{from, ori.Special(op.TexDimension)}, at...), ori.Imm(mask))...)
		}
		switch {
		case h.bound != nil:
			ask(op.Mods{}, ori.Operand{}, lod, h.bound...)
		case !l.Arch.Has(target.UniformHandles):
			ask(op.M(op.MB), ori.Operand{}, expand.Whole(l.Group(build.Value{h.words[0], lod})))
		default:
			eachTexture(l, h, func(at build.Value, p ori.Operand) { ask(op.Mods{}, p, lod, at[0], ori.Imm(0)) })
		}
		l.Copy(l.Dst(0)[:1], d)
	})
}
