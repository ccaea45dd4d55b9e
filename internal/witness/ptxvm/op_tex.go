package ptxvm

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
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
	handle operand
	name   string // of a texture bound by name
	geo    geometry
	layer  operand
	coords [3]operand
	by     []operand // offsets
	bits   int       // of each that count
}

// texture decodes argument n with the geometry of the instruction.
func (d *decoder) texture(n int, ctype isa.Type) access {
	var x access
	for _, g := range geometries {
		if d.has(g.w) {
			x.geo = g
		}
	}
	if x.geo.name == "" || n >= len(d.args) || d.args[n].Kind != isa.KAddr {
		d.unknown()
	}
	x.handle, x.name = d.object(&d.args[n])
	kids := d.body.Of(d.args[n].Elems)
	if len(kids) != 1 { // a sampler of its own
		d.unknown()
	}
	at := kids
	if kids[0].Kind == isa.KVector {
		at = d.body.Of(kids[0].Elems)
	}
	if x.geo.layer {
		x.layer, at = d.read(&at[0], isa.U32), at[1:]
	}
	if len(at) < x.geo.coords {
		d.unknown()
	}
	for k := range x.geo.coords {
		x.coords[k] = d.read(&at[k], ctype)
	}
	return x
}

// offsets decodes argument n, how many texels beside the coordinates to read: a
// vector, since one number alone is a depth to compare with. Only some bits of
// each count.
func (d *decoder) offsets(x *access, n, bits int) {
	a := &d.args[n]
	if a.Kind != isa.KVector || x.geo.name == "cube" || x.geo.name == "acube" {
		d.unknown()
	}
	list := d.body.Of(a.Elems)
	if len(list) < x.geo.coords {
		d.unknown()
	}
	for k := range x.geo.coords {
		x.by = append(x.by, d.read(&list[k], isa.S32))
	}
	x.bits = bits
}

// object decodes what an address names: a handle, or a texture by its name.
func (d *decoder) object(a *sema.Operand) (operand, string) {
	switch a.Base {
	case isa.KReg:
		return operand{kind: opReg, slot: d.f.slots[a.Ref], mask: ^uint64(0)}, ""
	case isa.KSymbol:
		if a.Ref >= 0 && a.Formal() < 0 {
			if s := &d.f.p.m.Syms[a.Ref]; s.Var >= 0 {
				return constant(0), d.f.p.m.Vars[s.Var].Name
			}
		}
	}
	d.unknown()
	return operand{}, ""
}

// point is where one lane reads.
type point struct {
	o     *texture.Object
	layer uint32
	c     [3]uint32
	by    [3]int32
}

// points evaluates an access and calls do for every lane.
func (w *warp) points(x *access, do func(l int, p point)) {
	h, layer := w.col(&x.handle, 0), &column{}
	if x.geo.layer {
		layer = w.col(&x.layer, 1)
	}
	var c [3]*column
	for k := range x.geo.coords {
		c[k] = w.col(&x.coords[k], 2+k)
	}
	var by [3]column
	for k := range x.by {
		by[k] = *w.col(&x.by[k], 7)
	}
	for m := w.mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		p := point{o: w.object(x.name, h[l], l), layer: uint32(layer[l])}
		for k := range x.geo.coords {
			p.c[k] = uint32(c[k][l])
			if x.bits > 0 {
				p.by[k] = int32(sx(by[k][l], x.bits))
			}
		}
		if d := p.o.Dim; d != x.geo.name && !(d == "buf" && x.geo.name == "1d") {
			w.fail(l, "a %s texture read as %s", d, x.geo.name)
		}
		do(l, p)
	}
}

func (w *warp) object(name string, handle uint64, l int) *texture.Object {
	set := w.cta.grid.tex
	if name != "" {
		handle = set.Named(name)
	}
	o := set.Object(handle)
	if o == nil {
		w.fail(l, "%#x is no texture or surface of this launch", handle)
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

// tex reads a texture.
func (d *decoder) tex() {
	d.ignore(isa.WV4, isa.WBase)
	ctype := d.typ(1)
	level := d.has(isa.WLevel)
	x := d.texture(1, ctype)
	next := 2
	var lod operand
	if level {
		lod = d.src(next, ctype)
		next++
	}
	if d.has(isa.WGrad) || len(d.args) > next+1 || d.args[0].Flags&sema.Paired != 0 {
		d.unknown() // gradients, comparisons, residency
	}
	if len(d.args) > next {
		d.offsets(&x, next, 4)
	}
	dst := d.texels(d.typ(0))
	d.out.run = func(w *warp) {
		var at *column
		if level {
			at = w.col(&lod, 5)
		}
		var r [lanes]texture.Texel
		w.points(&x, func(l int, p point) {
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
				w.fail(l, "%v", err)
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
func (d *decoder) texels(t isa.Type) func(w *warp, r *[lanes]texture.Texel) {
	es := d.elements(0)
	if t.Bits() != 32 || t == isa.F16x2 || len(es) != 4 {
		d.unknown()
	}
	var dst [4]place
	for k := range es {
		dst[k] = d.target(&es[k])
	}
	return func(w *warp, r *[lanes]texture.Texel) {
		for k := range dst {
			c := w.write(dst[k])
			for m := w.mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				c[l] = uint64(r[l][k]) & dst[k].mask
			}
		}
	}
}

// tld4 reads one channel of four texels.
func (d *decoder) tld4() {
	d.ignore(isa.WV4)
	channel := 0
	for k, w := range []isa.Word{isa.WR, isa.WG, isa.WB, isa.WA} {
		if d.has(w) {
			channel = k
		}
	}
	x := d.texture(1, d.typ(1))
	if len(d.args) > 3 || d.args[0].Flags&sema.Paired != 0 {
		d.unknown()
	}
	if len(d.args) > 2 {
		d.offsets(&x, 2, 6)
	}
	dst := d.texels(d.typ(0))
	d.out.run = func(w *warp) {
		var r [lanes]texture.Texel
		w.points(&x, func(l int, p point) {
			var err error
			if r[l], err = p.o.Gather(p.float(), channel); err != nil {
				w.fail(l, "%v", err)
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

// query is txq and suq.
func (d *decoder) query() {
	what := ""
	for _, q := range queries {
		if d.has(q.w) {
			what = q.name
		}
	}
	if what == "" || len(d.args) < 2 {
		d.unknown()
	}
	handle, name := d.object(&d.args[1])
	p := d.dst(0)
	var level operand
	if d.has(isa.WLevel) {
		level = d.src(2, isa.S32)
	} else {
		level = constant(0)
	}
	d.out.run = func(w *warp) {
		h, at := *w.col(&handle, 0), w.col(&level, 1)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			v, _ := w.object(name, h[l], l).Query(what, int(int32(at[l])))
			r[l] = uint64(v)
		}
	}
}

// outside is what the instruction does outside a surface.
func (d *decoder) outside() texture.Outside {
	switch {
	case d.has(isa.WClamp):
		return texture.Clamp
	case d.has(isa.WZero):
		return texture.Zero
	}
	d.ignore(isa.WTrap)
	return texture.Trap
}

// surface finds the memory of an access; nil is outside, where nothing is
// read or written.
func (w *warp) surface(p *point, l, size int, texels bool, out texture.Outside) []byte {
	c := p.whole()
	if !texels && int(c[0])%size != 0 {
		w.fail(l, "%d bytes at byte %d of a row", size, c[0])
	}
	b, ok := p.o.Place(p.layer, c, size, texels, out)
	if !ok {
		w.fail(l, "%v is outside the surface, a %v", c, p.o)
	}
	return b
}

// suld loads from a surface.
func (d *decoder) suld() {
	d.ignore(memoryWords...)
	d.has(isa.WB)
	out, t := d.outside(), d.typ(0)
	x := d.texture(1, isa.S32)
	es := d.elements(0)
	dst := make([]place, len(es))
	for k := range es {
		dst[k] = d.target(&es[k])
	}
	size := int(t.Size())
	d.out.run = func(w *warp) {
		var mem [lanes][]byte
		w.points(&x, func(l int, p point) { mem[l] = w.surface(&p, l, size*len(es), false, out) })
		for k := range dst {
			r := w.write(dst[k])
			for m := w.mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				if r[l] = 0; mem[l] != nil {
					r[l] = get(mem[l][k*size:(k+1)*size]) & dst[k].mask
				}
			}
		}
	}
}

// sust stores to a surface, as it is or in the surface's format.
func (d *decoder) sust() {
	d.ignore(memoryWords...)
	formatted := d.has(isa.WP)
	d.has(isa.WB)
	out, t := d.outside(), d.typ(0)
	x := d.texture(0, isa.S32)
	es := d.elements(1)
	var srcs []operand
	for k := range es {
		srcs = append(srcs, d.read(&es[k], t))
	}
	size := int(t.Size())
	d.out.run = func(w *warp) {
		var v [4]column
		for k := range srcs {
			v[k] = *w.col(&srcs[k], 6)
		}
		w.points(&x, func(l int, p point) {
			b := w.surface(&p, l, size*len(es), formatted, out)
			if b == nil {
				return
			}
			if formatted {
				p.o.Encode(b, [4]uint32{uint32(v[0][l]), uint32(v[1][l]), uint32(v[2][l]), uint32(v[3][l])})
				return
			}
			for k := range srcs {
				put(b[k*size:(k+1)*size], v[k][l])
			}
		})
	}
}

// sured is a reduction on a surface.
func (d *decoder) sured() {
	if d.has(isa.WP) {
		d.unknown()
	}
	d.has(isa.WB)
	out, t := d.outside(), d.typ(0)
	f := d.reduction(t)
	x := d.texture(0, isa.S32)
	val := d.src(1, t)
	size := int(t.Size())
	d.out.run = func(w *warp) {
		v := *w.col(&val, 6)
		w.points(&x, func(l int, p point) {
			if b := w.surface(&p, l, size, false, out); b != nil {
				put(b, f(get(b), v[l]))
			}
		})
	}
}

// reduction is the function of sured.
func (d *decoder) reduction(t isa.Type) func(a, b uint64) uint64 {
	wide := t.Bits()
	less := func(a, b uint64) bool { return a < b }
	if signed(t) {
		less = func(a, b uint64) bool { return sx(a, wide) < sx(b, wide) }
	}
	switch {
	case d.has(isa.WAdd):
		return func(a, b uint64) uint64 { return a + b }
	case d.has(isa.WMin):
		return func(a, b uint64) uint64 {
			if less(b, a) {
				return b
			}
			return a
		}
	case d.has(isa.WMax):
		return func(a, b uint64) uint64 {
			if less(a, b) {
				return b
			}
			return a
		}
	case d.has(isa.WAnd):
		return func(a, b uint64) uint64 { return a & b }
	case d.has(isa.WOr):
		return func(a, b uint64) uint64 { return a | b }
	}
	d.unknown()
	return nil
}

// texArgument lays out the handle of a texture argument.
func (g *grid) texArgument(n int) []byte {
	return binary.LittleEndian.AppendUint64(nil, g.tex.Handle(n))
}
