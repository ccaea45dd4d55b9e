package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// geometry describes the shape of a texture: how many coordinates it has
// and the word of the machine. Arrays have a layer before the coordinates.
type geometry struct {
	word  isa.Word
	n     int
	layer bool
	ms    bool // a sample number stands first
	name  op.Special
	surf  op.Mod
}

var geometries = [...]geometry{
	{isa.W1d, 1, false, false, op.Tex1D, op.M1D},
	{isa.W2d, 2, false, false, op.Tex2D, op.M2D},
	{isa.W3d, 3, false, false, op.Tex3D, op.M3D},
	{isa.WA1d, 1, true, false, op.TexArray1D, op.M1D_ARRAY},
	{isa.WA2d, 2, true, false, op.TexArray2D, op.M2D_ARRAY},
	{isa.WCube, 3, false, false, op.TexCube, op.NoMod},
	{isa.WAcube, 3, true, false, op.TexArrayCube, op.NoMod},
	{isa.W2dms, 2, false, true, op.Tex2D, op.NoMod},
	{isa.WA2dms, 2, true, true, op.TexArray2D, op.NoMod},
}

// geometry reads the shape from the modifiers.
func (l *lowerer) geometry() geometry {
	for _, g := range geometries {
		if l.has(g.word) {
			return g
		}
	}
	l.unsupported()
	return geometry{}
}

// coordinates returns the words of the coordinates as written, behind the
// sampler if there is one.
func (l *lowerer) coordinates(a *sema.Operand, t isa.Type) value {
	es := l.body.Of(a.Elems)
	if len(es) == 0 || len(es) > 2 {
		l.unsupported()
	}
	es = es[len(es)-1:]
	if es[0].Kind == isa.KVector {
		es = l.body.Of(es[0].Elems)
	}
	var v value
	for k := range es {
		v = append(v, l.read(&es[k], t)[0])
	}
	return v
}

// noLevel is the level of detail for which the machine takes its own:
// -32.0, below every level.
const noLevel = 0xc2000000

// ownLevel leaves the level of detail to the machine: whole coordinates have
// none to choose by.
func (l *lowerer) ownLevel(whole bool) (op.Mods, value) {
	switch {
	case !l.arch.Has(target.ImplicitLevel):
		return op.M(op.MLL), value{word(noLevel)}
	case whole:
		return op.M(op.MLZ), nil
	}
	return op.Mods{}, nil
}

// lastLayer is the greatest number of a layer.
const lastLayer = 0xffff

// texel collects what a texture instruction reads.
type texel struct {
	g      geometry
	coord  value
	sample ori.Operand
	dims   int // coordinates that offsets and gradients have
}

// texel reads the coordinates of a texture access.
func (l *lowerer) texel(a *sema.Operand, t isa.Type) texel {
	x := texel{g: l.geometry()}
	v := l.coordinates(a, t)
	if x.g.ms {
		x.sample, v = v[0], v[1:]
	}
	if x.g.layer {
		layer := v[0]
		x.coord = value{l.sel1(layer, ori.Imm(lastLayer), l.cmp1(op.MLE, false, layer, ori.Imm(lastLayer)))}
		v = v[1:]
	}
	if len(v) < x.g.n {
		l.unsupported()
	}
	v = v[:x.g.n]
	x.dims = x.g.n
	switch {
	case x.g.n == 3 && (x.g.word == isa.WCube || x.g.word == isa.WAcube):
		v = l.cubeFace(v)
	case x.g.word == isa.W1d && t.Class() == isa.Float && l.m.TexMode != sema.TexIndependent: // one-dimensional textures are filtered as flat ones
		v = value{v[0], rz()}
		x.g.name = op.Tex2D
	}
	x.coord = append(x.coord, v...)
	return x
}

// cubeFace scales a direction so that its largest part is one.
func (l *lowerer) cubeFace(v value) value {
	abs := func(o ori.Operand) ori.Operand { o = l.reg(o); o.Flags |= ori.Abs; return o }
	m := l.one(op.FMNMX, op.Mods{}, abs(v[0]), abs(v[1]), pt().Not())
	m = l.one(op.FMNMX, op.Mods{}, abs(v[2]), m, pt().Not())
	r := l.one(op.MUFU, op.M(op.MRCP), m)
	out := make(value, len(v))
	for k := range v {
		out[k] = l.one(op.FMUL, op.Mods{}, l.reg(v[k]), r)
	}
	return out
}

// fetch is the instruction a texture access becomes.
type fetch struct {
	o    op.Op
	m    op.Mods
	more value // level, sample, offsets and reference, in this order
}

// tex lowers tex and tld4.
func (l *lowerer) tex() {
	l.knows(isa.WV4)
	l.knows(isa.WV2)
	l.knows(isa.WBase)
	if name := gradientRoutine(l.body, l.in); name != "" {
		l.has(isa.WGrad)
		l.callGradient(name)
		return
	}
	a := &l.args[1]
	dt, ct := l.typ(0), l.typ(1)
	x := l.texel(a, ct)
	h := l.handle(a)
	rest := l.args[2:]
	f := fetch{o: op.TEX}
	switch {
	case l.in.Op == isa.WTld4:
		f.o, f.m = op.TLD4, op.M(l.component())
	case l.has(isa.WGrad):
		l.gradients(&f, &x, rest)
		rest = nil
	case l.has(isa.WLevel):
		f.o, f.m, f.more = l.withLevel(l.read(&rest[0], isa.B32)[0], ct.Class() == isa.Float)
		rest = rest[1:]
	case ct.Class() != isa.Float && h.sampler && x.g.word != isa.W1d && !x.g.ms: // the sampler decides about whole coordinates too
		first := len(x.coord) - x.dims
		for k := range x.dims {
			x.coord[first+k] = l.toFloat(x.coord[first+k], true)
		}
		f.m, f.more = l.ownLevel(true)
	case ct.Class() != isa.Float:
		f.o, f.m = op.TLD, op.M(op.MLZ)
	default:
		f.m, f.more = l.ownLevel(false)
	}
	l.extras(&f, &x, rest)
	l.fetch(&f, &x, h, dt)
}

// offsetBits is how many bits of the word of offsets each takes.
const (
	offsetBits = 4
	gatherBits = 8 // in gathers, which use six of them
)

// extras adds what may follow the coordinates: offsets in texels, a value
// to compare with.
func (l *lowerer) extras(f *fetch, x *texel, rest []sema.Operand) {
	var sample value
	if x.g.ms {
		sample = value{x.sample}
	}
	var tail op.Mods
	if len(rest) > 0 && rest[0].Kind == isa.KVector {
		n := min(x.dims, len(l.body.Of(rest[0].Elems)))
		f.more = append(f.more, l.offsets(l.body.Of(rest[0].Elems)[:n], f.o == op.TLD4))
		f.m = insertOffset(f.m)
		rest = rest[1:]
	}
	f.more = append(f.more, sample...)
	if x.g.ms {
		tail = op.M(op.MMS)
	}
	if len(rest) > 0 {
		f.more = append(f.more, l.read(&rest[0], isa.B32)[0])
		tail = op.M(op.MDC)
	}
	f.m = join(f.m, tail)
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
func (l *lowerer) offsets(es []sema.Operand, gather bool) ori.Operand {
	each, mask := int64(offsetBits), int64(15)
	if gather {
		each, mask = gatherBits, 63
	}
	r := l.and2(l.read(&es[0], isa.B32)[0], ori.Imm(mask))
	for n := 1; n < len(es); n++ {
		at := each * int64(n)
		v := l.shl1(l.read(&es[n], isa.B32)[0], ori.Imm(at))
		r = l.lop(lutInsert, v, ori.Imm(mask<<at), r)
	}
	return r
}

// lutInsert takes the bits of a where b has ones and those of c elsewhere.
const lutInsert = 0xe2

// fetch emits a texture access, once for each handle that threads have.
func (l *lowerer) fetch(f *fetch, x *texel, h handle, dt isa.Type) {
	if !l.arch.Has(target.UniformHandles) {
		l.alone(func() {
			half := dt == isa.F16x2
			m, srcs := l.oldFetch(f, x, h, half)
			l.receive(half, dt, func(dsts value) { l.emit(f.o, m, dsts, srcs...) })
		})
		return
	}
	coord, more := l.row(x.coord), value(nil)
	if len(f.more) > 0 {
		more = value{l.row(f.more)}
	}
	l.alone(func() {
		l.receive(false, dt, func(dsts value) {
			l.eachTexture(h, func(at value, p ori.Operand) {
				srcs := append(append(append(value{coord}, more...), at...), ori.Special(x.g.name))
				l.emitIf(p, f.o, f.m, dsts, srcs...)
			})
		})
	})
}

// row puts words side by side into registers: the units for textures and
// surfaces know no zero register.
func (l *lowerer) row(v value) ori.Operand {
	g := l.group(v)
	if g[0].Kind == ori.KZero {
		g = value{l.one(op.MOV, op.Mods{}, g[0])}
	}
	return whole(g)
}

// receive gives do the registers that a texel comes in, as halves if the
// machine makes them, and moves it from there to the destination.
func (l *lowerer) receive(half bool, dt isa.Type, do func(dsts value)) {
	n := 2
	if half {
		n = 1
	}
	hi, lo := l.tmp(n), l.tmp(n)
	dsts := value{whole(hi), whole(lo)}
	missing := ori.Operand{}
	if l.args[0].Pair >= 0 { // whether the texel was resident
		missing = l.pred()
		dsts = append(value{missing}, dsts...)
	}
	do(dsts)
	if half {
		l.putTexel(append(lo, hi...))
	} else {
		l.texResult(append(lo, hi...), dt)
	}
	if missing.Kind == ori.KReg {
		l.emit(op.PLOP3, op.M(op.MLUT), value{l.f.Words(l.regs[l.args[0].Pair])}, missing.Not(), pt(), pt(), ori.Imm(0xf0), ori.Imm(0))
	}
}

// texResult copies a texel to the destination; halves are rounded to pairs.
func (l *lowerer) texResult(v value, t isa.Type) {
	switch {
	case t == isa.F16x2:
		v = value{
			l.one(op.F2FP, op.M(op.MF16, op.MF32, op.MPACK_AB), v[1], v[0]),
			l.one(op.F2FP, op.M(op.MF16, op.MF32, op.MPACK_AB), v[3], v[2]),
		}
	case t.Bits() != 32:
		l.unsupported()
	}
	l.putTexel(v)
}

// putTexel copies the words of a texel to the destination.
func (l *lowerer) putTexel(v value) {
	es := l.elements(0)
	for k := range es {
		if es[k].Kind == isa.KReg && k < len(v) {
			l.copy(l.words(l.regs[es[k].Ref])[:1], v[k:k+1])
		}
	}
}

// withLevel chooses the instruction for an explicit level of detail.
func (l *lowerer) withLevel(lod ori.Operand, filtered bool) (op.Op, op.Mods, value) {
	zero := lod.Kind == ori.KZero
	switch {
	case filtered && zero:
		return op.TEX, op.M(op.MLZ), nil
	case filtered:
		return op.TEX, op.M(op.MLL), value{l.reg(lod)}
	case zero:
		return op.TLD, op.M(op.MLZ, op.MCL), nil
	}
	return op.TLD, op.M(op.MLL, op.MCL), value{l.reg(lod)}
}

// gradients reads the derivatives as the machine wants them: both of each
// coordinate side by side, the layer behind the coordinates and offsets in
// the upper half of its word.
func (l *lowerer) gradients(f *fetch, x *texel, args []sema.Operand) {
	f.o = op.TXD
	if len(args) < 2 || x.dims > 2 || x.g.ms {
		l.unsupported()
	}
	read := func(a *sema.Operand) value {
		es := []sema.Operand{*a}
		if a.Kind == isa.KVector {
			es = l.body.Of(a.Elems)
		}
		v := value{}
		for k := range es {
			v = append(v, l.read(&es[k], isa.F32)[0])
		}
		return append(v, rz(), rz())
	}
	dx, dy := read(&args[0]), read(&args[1])
	if x.dims == 1 {
		dx[1], dy[1] = rz(), rz()
	}
	f.more = value{dx[0], dy[0], dx[1], dy[1]}
	if x.g.name == op.TexArray1D || x.g.name == op.Tex1D {
		f.more = f.more[:2]
	}
	tail := rz()
	if x.g.layer {
		tail = x.coord[0]
		x.coord = append(value{}, x.coord[1:]...)
	}
	if args = args[2:]; len(args) > 0 && args[0].Kind == isa.KVector {
		n := min(x.dims, len(l.body.Of(args[0].Elems)))
		v := l.shl1(l.offsets(l.body.Of(args[0].Elems)[:n], false), ori.Imm(16))
		tail = l.lop(lutInsert, v, ori.Imm(0xfff0000), tail)
		f.m = op.M(op.MAOFFI)
		args = args[1:]
	}
	if len(args) > 0 {
		l.unsupported()
	}
	if x.g.layer || f.m.Has(op.MAOFFI) {
		x.coord = append(x.coord, tail)
	}
}

// component returns which part of the four texels tld4 gathers.
func (l *lowerer) component() op.Mod {
	switch {
	case l.has(isa.WR):
		return op.MR
	case l.has(isa.WG):
		return op.MG
	case l.has(isa.WB):
		return op.MB
	case l.has(isa.WA):
		return op.MA
	}
	l.unsupported()
	return op.NoMod
}

// query lowers txq and suq: the machine knows the size of a texture or
// surface.
func (l *lowerer) query() {
	mask := int64(0)
	switch {
	case l.has(isa.WWidth):
		mask = 1
	case l.has(isa.WHeight):
		mask = 2
	case l.has(isa.WDepth):
		mask = 4
	default:
		l.tableQuery()
		return
	}
	lod := rz()
	if l.has(isa.WLevel) {
		lod = l.src1(2, isa.B32)
	}
	h := l.handle(&l.args[1])
	lod = l.one(op.MOV, op.Mods{}, lod)
	l.alone(func() {
		d := l.tmp(1)
		ask := func(m op.Mods, p, from ori.Operand, at ...ori.Operand) {
			l.emitIf(p, op.TXQ, m, value{rz(), d[0]}, append(append(value{from, ori.Special(op.TexDimension)}, at...), ori.Imm(mask))...)
		}
		switch {
		case h.bound != nil:
			ask(op.Mods{}, ori.Operand{}, lod, h.bound...)
		case !l.arch.Has(target.UniformHandles):
			ask(op.M(op.MB), ori.Operand{}, whole(l.group(value{h.words[0], lod})))
		default:
			l.eachTexture(h, func(at value, p ori.Operand) { ask(op.Mods{}, p, lod, at[0], ori.Imm(0)) })
		}
		l.copy(l.dst(0)[:1], d)
	})
}
