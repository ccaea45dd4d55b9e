package texture

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
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

// geometryOf reads the shape from the modifiers.
func geometryOf(l *build.Builder) geometry {
	for _, g := range geometries {
		if l.Has(g.word) {
			return g
		}
	}
	l.Unsupported()
	return geometry{}
}

// coordinates returns the words of the coordinates as written, behind the
// sampler if there is one.
func coordinates(l *build.Builder, a *sema.Operand, t isa.Type) build.Value {
	es := l.Body.Of(a.Elems)
	if len(es) == 0 || len(es) > 2 {
		l.Unsupported()
	}
	es = es[len(es)-1:]
	if es[0].Kind == isa.KVector {
		es = l.Body.Of(es[0].Elems)
	}
	var v build.Value
	for k := range es {
		v = append(v, l.Read(&es[k], t)[0])
	}
	return v
}

// noLevel is the level of detail for which the machine takes its own:
// -32.0, below every level.
const noLevel = 0xc2000000

// lastLayer is the greatest number of a layer.
const lastLayer = 0xffff

// texel collects what a texture instruction reads.
type texel struct {
	g      geometry
	coord  build.Value
	sample ori.Operand
	dims   int // coordinates that offsets and gradients have
}

// texelOf reads the coordinates of a texture access.
func texelOf(l *build.Builder, a *sema.Operand, t isa.Type) texel {
	x := texel{g: geometryOf(l)}
	v := coordinates(l, a, t)
	if x.g.ms {
		x.sample, v = v[0], v[1:]
	}
	if x.g.layer {
		layer := v[0]
		x.coord = build.Value{l.Sel1(layer, ori.Imm(lastLayer), l.Cmp1(op.MLE, false, layer, ori.Imm(lastLayer)))}
		v = v[1:]
	}
	if len(v) < x.g.n {
		l.Unsupported()
	}
	v = v[:x.g.n]
	x.dims = x.g.n
	switch {
	case x.g.n == 3 && (x.g.word == isa.WCube || x.g.word == isa.WAcube):
		v = cubeFace(l, v)
	case x.g.word == isa.W1d && t.Class() == isa.Float && l.Module.TexMode != sema.TexIndependent: // one-dimensional textures are filtered as flat ones
		v = build.Value{v[0], expand.RZ()}
		x.g.name = op.Tex2D
	}
	x.coord = append(x.coord, v...)
	return x
}

// cubeFace scales a direction so that its largest part is one.
func cubeFace(l *build.Builder, v build.Value) build.Value {
	abs := func(o ori.Operand) ori.Operand { o = l.Reg(o); o.Flags |= ori.Abs; return o }
	m := l.One(op.FMNMX, op.Mods{}, abs(v[0]), abs(v[1]), expand.PT().Not())
	m = l.One(op.FMNMX, op.Mods{}, abs(v[2]), m, expand.PT().Not())
	r := l.One(op.MUFU, op.M(op.MRCP), m)
	out := make(build.Value, len(v))
	for k := range v {
		out[k] = l.One(op.FMUL, op.Mods{}, l.Reg(v[k]), r)
	}
	return out
}

// fetch is the instruction a texture access becomes.
type fetch struct {
	o    op.Op
	m    op.Mods
	more build.Value // level, sample, offsets and reference, in this order
}

// lutInsert takes the bits of a where b has ones and those of c elsewhere.
const lutInsert = 0xe2

// row puts words side by side into registers: the units for textures and
// surfaces know no zero register.
func row(l *build.Builder, v build.Value) ori.Operand {
	g := l.Group(v)
	if g[0].Kind == ori.KZero {
		g = build.Value{l.One(op.MOV, op.Mods{}, g[0])}
	}
	return expand.Whole(g)
}

// texResult copies a texel to the destination; halves are rounded to pairs.
func texResult(l *build.Builder, v build.Value, t isa.Type) {
	switch {
	case t == isa.F16x2:
		v = build.Value{
			l.One(op.F2FP, op.M(op.MF16, op.MF32, op.MPACK_AB), v[1], v[0]),
			l.One(op.F2FP, op.M(op.MF16, op.MF32, op.MPACK_AB), v[3], v[2]),
		}
	case t.Bits() != 32:
		l.Unsupported()
	}
	putTexel(l, v)
}

// putTexel copies the words of a texel to the destination.
func putTexel(l *build.Builder, v build.Value) {
	es := l.Elements(0)
	for k := range es {
		if es[k].Kind == isa.KReg && k < len(v) {
			l.Copy(l.Words(l.Regs[es[k].Ref])[:1], v[k:k+1])
		}
	}
}
