package tex

import (
	"math"
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/memory"
	"github.com/goptxas/goptxas/internal/witness/texture"
)

// Textures and surfaces.

// geometry is a texture's shape in an instruction: whether a layer stands
// before the coordinates, and how many there are.
type geometry struct {
	w      isa.Word
	name   string
	layer  bool
	coords int
}

var geometries = [...]geometry{
	{isa.W1d, "1d", false, 1},
	{isa.W2d, "2d", false, 2},
	{isa.W3d, "3d", false, 3},
	{isa.WA1d, "a1d", true, 1},
	{isa.WA2d, "a2d", true, 2},
	{isa.WCube, "cube", false, 3},
	{isa.WAcube, "acube", true, 3},
}

// access is a decoded [texture, {coordinates}].
type access struct {
	handle machine.Operand
	name   string // of a texture bound by name
	geo    geometry
	layer  machine.Operand
	coords [3]machine.Operand
	by     []machine.Operand // offsets
	bits   int               // of each that count
}

// accessOf decodes argument n with the geometry of the instruction.
func accessOf(d *machine.Decoder, n int, ctype isa.Type) access {
	var x access
	for _, g := range geometries {
		if d.Has(g.w) {
			x.geo = g
		}
	}
	if x.geo.name == "" || n >= len(d.Args) || d.Args[n].Kind != isa.KAddr {
		d.Unknown()
	}
	x.handle, x.name = objectOf(d, &d.Args[n])
	kids := d.Body.Of(d.Args[n].Elems)
	if len(kids) != 1 { // a sampler of its own
		d.Unknown()
	}
	at := kids
	if kids[0].Kind == isa.KVector {
		at = d.Body.Of(kids[0].Elems)
	}
	if x.geo.layer {
		x.layer, at = d.Read(&at[0], isa.U32), at[1:]
	}
	if len(at) < x.geo.coords {
		d.Unknown()
	}
	for k := range x.geo.coords {
		x.coords[k] = d.Read(&at[k], ctype)
	}
	return x
}

// offsets decodes argument n, how many texels beside the coordinates to read: a
// vector, since one number alone is a depth to compare with. Only some bits of
// each count.
func offsets(d *machine.Decoder, x *access, n, bits int) {
	a := &d.Args[n]
	if a.Kind != isa.KVector || x.geo.name == "cube" || x.geo.name == "acube" {
		d.Unknown()
	}
	list := d.Body.Of(a.Elems)
	if len(list) < x.geo.coords {
		d.Unknown()
	}
	for k := range x.geo.coords {
		x.by = append(x.by, d.Read(&list[k], isa.S32))
	}
	x.bits = bits
}

// objectOf decodes what an address names: a handle, or a texture by its name.
func objectOf(d *machine.Decoder, a *sema.Operand) (machine.Operand, string) {
	switch a.Base {
	case isa.KReg:
		return d.Register(a.Ref), ""
	case isa.KSymbol:
		if a.Ref >= 0 && a.Formal() < 0 {
			if s := &d.Module().Syms[a.Ref]; s.Var >= 0 {
				return machine.Constant(0), d.Module().Vars[s.Var].Name
			}
		}
	}
	d.Unknown()
	return machine.Operand{}, ""
}

// point is where one lane reads.
type point struct {
	o     *texture.Object
	layer uint32
	c     [3]uint32
	by    [3]int32
}

// points evaluates an access and calls do for every lane.
func points(w *machine.Warp, x *access, do func(l int, p point)) {
	h, layer := w.Col(&x.handle, 0), &machine.Column{}
	if x.geo.layer {
		layer = w.Col(&x.layer, 1)
	}
	var c [3]*machine.Column
	for k := range x.geo.coords {
		c[k] = w.Col(&x.coords[k], 2+k)
	}
	var by [3]machine.Column
	for k := range x.by {
		by[k] = *w.Col(&x.by[k], 7)
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		p := point{o: object(w, x.name, h[l], l), layer: uint32(layer[l])}
		for k := range x.geo.coords {
			p.c[k] = uint32(c[k][l])
			if x.bits > 0 {
				p.by[k] = int32(machine.Sx(by[k][l], x.bits))
			}
		}
		if d := p.o.Dim; d != x.geo.name && !(d == "buf" && x.geo.name == "1d") {
			w.Fail(l, "a %s texture read as %s", d, x.geo.name)
		}
		do(l, p)
	}
}

func object(w *machine.Warp, name string, handle uint64, l int) *texture.Object {
	set := w.Textures()
	if name != "" {
		handle = set.Named(name)
	}
	o := set.Object(handle)
	if o == nil {
		w.Fail(l, "%#x is no texture or surface of this launch", handle)
	}
	return o
}

// float is the point for the filter.
func (p *point) float() *texture.Point {
	q := &texture.Point{Layer: p.layer, By: p.by}
	for k := range q.At {
		q.At[k] = math.Float32frombits(p.c[k])
	}
	return q
}

// whole is the point as numbers of texels.
func (p *point) whole() [3]int32 {
	return [3]int32{int32(p.c[0]) + p.by[0], int32(p.c[1]) + p.by[1], int32(p.c[2]) + p.by[2]}
}

// Tex reads a texture.
func Tex(d *machine.Decoder) {
	d.Ignore(isa.WV4, isa.WBase)
	ctype := d.Type(1)
	level := d.Has(isa.WLevel)
	x := accessOf(d, 1, ctype)
	next := 2
	var lod machine.Operand
	if level {
		lod = d.Src(next, ctype)
		next++
	}
	if d.Has(isa.WGrad) || len(d.Args) > next+1 || d.Args[0].Flags&sema.Paired != 0 {
		d.Unknown() // gradients, comparisons, residency
	}
	if len(d.Args) > next {
		offsets(d, &x, next, 4)
	}
	dst := texels(d, d.Type(0))
	d.Out.Run = func(w *machine.Warp) {
		var at *machine.Column
		if level {
			at = w.Col(&lod, 5)
		}
		var r [machine.Lanes]texture.Texel
		points(w, &x, func(l int, p point) {
			var v uint64
			if level {
				v = at[l]
			}
			if ctype != isa.F32 {
				r[l] = p.o.Fetch(p.layer, p.whole(), int(int32(v)), level)
				return
			}
			q := p.float()
			if x.geo.coords == 3 && p.o.Dim != "3d" {
				q.At = cubeCoords(q.At)
			}
			var err error
			if r[l], err = p.o.Sample(q, math.Float32frombits(uint32(v))); err != nil {
				w.Fail(l, "%v", err)
			}
		})
		dst(w, &r)
	}
}

// cubeCoords divides by the greatest, as the reference does before it asks the
// texture unit.
func cubeCoords(c [3]float32) [3]float32 {
	most := uint64(0)
	for _, v := range c {
		most = fp.F32.Max(most, uint64(math.Float32bits(v))&^(1<<31), fp.Extremum{})
	}
	r := uint64(fp.Mufu(fp.RcpFn, uint32(most)))
	for k, v := range c {
		c[k] = math.Float32frombits(uint32(fp.F32.Mul(uint64(math.Float32bits(v)), r, fp.Mode{})))
	}
	return c
}

// texels decodes the destination and returns what stores texels there.
func texels(d *machine.Decoder, t isa.Type) func(w *machine.Warp, r *[machine.Lanes]texture.Texel) {
	es := d.Elements(0)
	if t.Bits() != 32 || t == isa.F16x2 || len(es) != 4 {
		d.Unknown()
	}
	var dst [4]machine.Place
	for k := range es {
		dst[k] = d.Target(&es[k])
	}
	return func(w *machine.Warp, r *[machine.Lanes]texture.Texel) {
		for k := range dst {
			c := w.Write(dst[k])
			for m := w.Mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				c[l] = uint64(r[l][k]) & dst[k].Mask
			}
		}
	}
}

// Tld4 reads one channel of four texels.
func Tld4(d *machine.Decoder) {
	d.Ignore(isa.WV4)
	channel := 0
	for k, w := range []isa.Word{isa.WR, isa.WG, isa.WB, isa.WA} {
		if d.Has(w) {
			channel = k
		}
	}
	x := accessOf(d, 1, d.Type(1))
	if len(d.Args) > 3 || d.Args[0].Flags&sema.Paired != 0 {
		d.Unknown()
	}
	if len(d.Args) > 2 {
		offsets(d, &x, 2, 6)
	}
	dst := texels(d, d.Type(0))
	d.Out.Run = func(w *machine.Warp) {
		var r [machine.Lanes]texture.Texel
		points(w, &x, func(l int, p point) {
			var err error
			if r[l], err = p.o.Gather(p.float(), channel); err != nil {
				w.Fail(l, "%v", err)
			}
		})
		dst(w, &r)
	}
}

// queries are the words of txq and suq with a meaning here.
var queries = [...]struct {
	w    isa.Word
	name string
}{{isa.WWidth, "width"}, {isa.WHeight, "height"}, {isa.WDepth, "depth"}}

// Query is txq and suq.
func Query(d *machine.Decoder) {
	what := ""
	for _, q := range queries {
		if d.Has(q.w) {
			what = q.name
		}
	}
	if what == "" || len(d.Args) < 2 {
		d.Unknown()
	}
	handle, name := objectOf(d, &d.Args[1])
	p := d.Dst(0)
	var level machine.Operand
	if d.Has(isa.WLevel) {
		level = d.Src(2, isa.S32)
	} else {
		level = machine.Constant(0)
	}
	d.Out.Run = func(w *machine.Warp) {
		h, at := *w.Col(&handle, 0), w.Col(&level, 1)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			v, _ := object(w, name, h[l], l).Query(what, int(int32(at[l])))
			r[l] = uint64(v)
		}
	}
}

// outside is what the instruction does outside a surface.
func outside(d *machine.Decoder) texture.Outside {
	switch {
	case d.Has(isa.WClamp):
		return texture.Clamp
	case d.Has(isa.WZero):
		return texture.Zero
	}
	d.Ignore(isa.WTrap)
	return texture.Trap
}

// surface finds the memory of an access; nil is outside, where nothing is
// read or written.
func surface(w *machine.Warp, p *point, l, size int, texels bool, out texture.Outside) []byte {
	c := p.whole()
	if !texels && int(c[0])%size != 0 {
		w.Fail(l, "%d bytes at byte %d of a row", size, c[0])
	}
	b, ok := p.o.Place(p.layer, c, size, texels, out)
	if !ok {
		w.Fail(l, "%v is outside the surface, a %v", c, p.o)
	}
	return b
}

// Suld loads from a surface.
func Suld(d *machine.Decoder) {
	d.Ignore(memory.AccessWords...)
	d.Has(isa.WB)
	out, t := outside(d), d.Type(0)
	x := accessOf(d, 1, isa.S32)
	es := d.Elements(0)
	dst := make([]machine.Place, len(es))
	for k := range es {
		dst[k] = d.Target(&es[k])
	}
	size := int(t.Size())
	d.Out.Run = func(w *machine.Warp) {
		var mem [machine.Lanes][]byte
		points(w, &x, func(l int, p point) { mem[l] = surface(w, &p, l, size*len(es), false, out) })
		for k := range dst {
			r := w.Write(dst[k])
			for m := w.Mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				if r[l] = 0; mem[l] != nil {
					r[l] = machine.Get(mem[l][k*size:(k+1)*size]) & dst[k].Mask
				}
			}
		}
	}
}

// Sust stores to a surface, as it is or in the surface's format.
func Sust(d *machine.Decoder) {
	d.Ignore(memory.AccessWords...)
	formatted := d.Has(isa.WP)
	d.Has(isa.WB)
	out, t := outside(d), d.Type(0)
	x := accessOf(d, 0, isa.S32)
	es := d.Elements(1)
	var srcs []machine.Operand
	for k := range es {
		srcs = append(srcs, d.Read(&es[k], t))
	}
	size := int(t.Size())
	d.Out.Run = func(w *machine.Warp) {
		var v [4]machine.Column
		for k := range srcs {
			v[k] = *w.Col(&srcs[k], 6)
		}
		points(w, &x, func(l int, p point) {
			b := surface(w, &p, l, size*len(es), formatted, out)
			if b == nil {
				return
			}
			if formatted {
				p.o.Encode(b, [4]uint32{uint32(v[0][l]), uint32(v[1][l]), uint32(v[2][l]), uint32(v[3][l])})
				return
			}
			for k := range srcs {
				machine.Put(b[k*size:(k+1)*size], v[k][l])
			}
		})
	}
}

// Sured is a reduction on a surface.
func Sured(d *machine.Decoder) {
	if d.Has(isa.WP) {
		d.Unknown()
	}
	d.Has(isa.WB)
	out, t := outside(d), d.Type(0)
	f := reduction(d, t)
	x := accessOf(d, 0, isa.S32)
	val := d.Src(1, t)
	size := int(t.Size())
	d.Out.Run = func(w *machine.Warp) {
		v := *w.Col(&val, 6)
		points(w, &x, func(l int, p point) {
			if b := surface(w, &p, l, size, false, out); b != nil {
				machine.Put(b, f(machine.Get(b), v[l]))
			}
		})
	}
}

// reduction is the function of sured.
func reduction(d *machine.Decoder, t isa.Type) func(a, b uint64) uint64 {
	wide := t.Bits()
	less := func(a, b uint64) bool { return a < b }
	if machine.Signed(t) {
		less = func(a, b uint64) bool { return machine.Sx(a, wide) < machine.Sx(b, wide) }
	}
	switch {
	case d.Has(isa.WAdd):
		return func(a, b uint64) uint64 { return a + b }
	case d.Has(isa.WMin):
		return func(a, b uint64) uint64 {
			if less(b, a) {
				return b
			}
			return a
		}
	case d.Has(isa.WMax):
		return func(a, b uint64) uint64 {
			if less(a, b) {
				return b
			}
			return a
		}
	case d.Has(isa.WAnd):
		return func(a, b uint64) uint64 { return a & b }
	case d.Has(isa.WOr):
		return func(a, b uint64) uint64 { return a | b }
	}
	d.Unknown()
	return nil
}
