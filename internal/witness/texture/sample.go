package texture

import (
	"errors"
	"math"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// Reading through the filter. A normalised coordinate is cut to 21 bits of
// fraction; the place between two texels is rounded to 8 bits, and so are the
// weights of the texels in two and three dimensions.

// errFilter is filtering whose last bits are not known.
var errFilter = errors.New("this filtering has no exact meaning here")

// step is where a coordinate falls: a texel and how far on the way to the
// next, of 256.
type step struct{ at, on int }

// place finds a coordinate of an axis in a level of the given size.
func (o *Object) place(x float32, axis, size int, between bool) step {
	u := float64(x)
	if u != u {
		u = 0
	}
	u = min(max(u, -1<<30), 1<<30)
	if o.Normal {
		const cut = 1 << 21
		u = math.Floor(u*cut) / cut
		switch whole := math.Floor(u); o.Address[axis] {
		case "wrap":
			u -= whole
		case "mirror": // two turns, there and back
			u -= 2 * math.Floor(u/2)
		}
		u *= float64(size)
	}
	if !between {
		return step{int(math.Floor(u)), 0}
	}
	v := int(math.Floor((u-0.5)*256 + 0.5))
	return step{v >> 8, v & 255}
}

// held is place for mixing, moved by whole texels: beyond the last texel there
// is nothing to mix.
func (o *Object) held(x float32, axis, size int, by int32) step {
	s := o.place(x, axis, size, o.Linear)
	s.at += int(by)
	if o.Linear && o.clamped(axis) {
		v := min(max(s.at<<8+s.on, 0), (size-1)<<8)
		return step{v >> 8, v & 255}
	}
	return s
}

// clamped reports whether the nearest texel counts outside: the other modes
// but border need normalised coordinates.
func (o *Object) clamped(axis int) bool {
	m := o.Address[axis]
	return m == "clamp" || m != "border" && !o.Normal
}

// inside brings a texel's number into the level, or reports that it stays
// outside.
func (o *Object) inside(i, axis, size int) (int, bool) {
	if i >= 0 && i < size {
		return i, true
	}
	switch mode := o.Address[axis]; {
	case o.clamped(axis):
		return min(max(i, 0), size-1), true
	case mode == "wrap":
		return (i%size + size) % size, true
	case mode == "mirror":
		i = (i%(2*size) + 2*size) % (2 * size)
		return min(i, 2*size-1-i), true
	}
	return 0, false
}

// Point is where a texture is read: a layer, the coordinates behind it, and how
// many texels beside them.
type Point struct {
	Layer uint32
	At    [3]float32
	By    [3]int32
}

// Sample reads at a level of detail.
func (o *Object) Sample(p *Point, lod float32) (Texel, error) {
	top := float64(max(1, o.Levels) - 1)
	l := float64(lod)
	if l != l {
		l = 0
	}
	l = min(max(l, 0), top)
	if !o.Blend {
		return o.level(int(math.Floor(l+0.5)), p)
	}
	v := int(math.Floor(l * 256))
	if v&255 == 0 {
		return o.level(v>>8, p)
	}
	var m mixture
	for k, part := range [2]int{256 - v&255, v & 255} {
		if err := o.add(&m, part, v>>8+k, p); err != nil {
			return Texel{}, err
		}
	}
	return o.mixed(&m)
}

// mixed is mix where the result is known: sums of more than two halves are
// rounded on the way.
func (o *Object) mixed(m *mixture) (Texel, error) {
	switch {
	case len(m.texels) == 1:
		return m.texels[0], nil
	case o.Format == "f16" && len(m.texels) > 2:
		return Texel{}, errFilter
	}
	return o.mix(m), nil
}

// mixture is texels with weights of 256 parts.
type mixture struct {
	texels []Texel
	parts  []int
}

// level reads from one level.
func (o *Object) level(level int, p *Point) (Texel, error) {
	var m mixture
	if err := o.add(&m, 256, level, p); err != nil {
		return Texel{}, err
	}
	return o.mixed(&m)
}

// add puts the texels of a level that a point needs into a mixture of which
// it is a part.
func (o *Object) add(m *mixture, part, level int, p *Point) error {
	w, h, n := o.LevelSize(level)
	slice, layer, c := 0, p.Layer, p.At
	switch {
	case o.Dim == "cube" || o.Dim == "acube":
		if o.Linear || p.By != [3]int32{} {
			return errFilter
		}
		var face int
		face, c = face6(c)
		slice = int(min(layer, uint32(n/6-1)))*6 + face
	case o.Layered():
		slice = int(min(layer, uint32(n-1)))
	}
	if o.Linear && (o.Unit && o.format.signed || !o.Unit && !o.format.float) {
		return errFilter
	}
	if o.Dim == "1d" { // a plane of one row, read at its upper edge
		c[1] = 0
	}
	x, y, z := o.held(c[0], 0, w, p.By[0]), step{}, step{slice, 0}
	if o.plane() {
		y = o.held(c[1], 1, h, p.By[1])
	}
	if o.Dim == "3d" {
		z = o.held(c[2], 2, n, p.By[2])
	}
	for k, weight := range corners(part, x.on, y.on, z.on) {
		if weight == 0 {
			continue
		}
		m.parts = append(m.parts, weight)
		m.texels = append(m.texels, o.texel(level, x.at+k&1, y.at+k>>1&1, z.at+k>>2&1))
	}
	return nil
}

// texel reads a texel that may lie outside.
func (o *Object) texel(level, x, y, z int) Texel {
	w, h, n := o.LevelSize(level)
	x, okx := o.inside(x, 0, w)
	y, oky := o.inside(y, 1, h)
	okz := true
	if o.Dim == "3d" {
		z, okz = o.inside(z, 2, n)
	}
	if !okx || !oky || !okz {
		return Texel{}
	}
	return o.read(level, x, y, z)
}

// plane reports whether the second coordinate counts.
func (o *Object) plane() bool { return o.Dim != "a1d" && o.Dim != "buf" }

// corners splits a part among the eight texels around a point: first by the
// third coordinate, then by the first, then by the second, each rounded.
func corners(part, x, y, z int) (w [8]int) {
	for k, slice := range [2]int{part - part*z>>8, part * z >> 8} {
		right := (slice*x + 128) >> 8
		left := slice - right
		down := (right*y + 128) >> 8
		w[4*k+1], w[4*k+3] = right-down, down
		up := (left*(256-y) + 128) >> 8
		w[4*k], w[4*k+2] = up, left-up
	}
	return w
}

// mix adds texels by weights of 256 parts. Bytes and 16-bit numbers are
// filtered as numbers of 16 bits, others as f32; halves are rounded to halves.
func (o *Object) mix(m *mixture) Texel {
	t, w := m.texels, m.parts
	var r Texel
	for c := range r {
		switch {
		case o.Unit:
			r[c] = mixUnit(t, w, c)
		case o.format.size == 2:
			v := sum(t, w, c)
			h := fp.F16.Pack(v, fp.Mode{Round: fp.RNA})
			r[c] = uint32(fp.Convert(fp.F16, fp.F32, h, fp.Mode{}))
		default:
			r[c] = uint32(fp.F32.Pack(sum(t, w, c), fp.Mode{Round: fp.RNA}))
		}
	}
	return r
}

// sum is the weighted sum in f64: exact, as texels of 24 bits that lie close to
// each other are all that filtering is held to.
func sum(t []Texel, w []int, c int) fp.Num {
	var v float64
	for k := range t {
		v += float64(math.Float32frombits(t[k][c])) * float64(w[k])
	}
	return fp.F64.Unpack(math.Float64bits(v / 256))
}

func mixUnit(t []Texel, w []int, c int) uint32 {
	const most = 1<<16 - 1
	var v float64
	for k := range t {
		v += math.Round(float64(math.Float32frombits(t[k][c]))*most) * float64(w[k])
	}
	return math.Float32bits(float32(math.Floor(v/256+0.5) / most))
}

// face6 chooses the face of a cube and the place on it, from 0 to 1.
func face6(c [3]float32) (int, [3]float32) {
	x, y, z := c[0], c[1], c[2]
	ax, ay, az := abs(x), abs(y), abs(z)
	var face int
	var s, t, m float32
	switch {
	case az >= ax && az >= ay:
		face, s, t, m = 4, x, -y, az
		if z < 0 {
			face, s = 5, -x
		}
	case ay >= ax:
		face, s, t, m = 2, x, z, ay
		if y < 0 {
			face, t = 3, -z
		}
	default:
		face, s, t, m = 0, -z, -y, ax
		if x < 0 {
			face, s = 1, z
		}
	}
	half := func(v float32) float32 { return (v/m + 1) / 2 }
	return face, [3]float32{half(s), half(t), 0}
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// Gather returns one channel of the four texels around a point.
func (o *Object) Gather(p *Point, channel int) (Texel, error) {
	if o.Dim != "2d" && o.Dim != "a2d" {
		return Texel{}, errors.New("only planes can be gathered from")
	}
	w, h, n := o.LevelSize(0)
	slice := 0
	if o.Layered() {
		slice = int(min(p.Layer, uint32(n-1)))
	}
	x, y := o.place(p.At[0], 0, w, true), o.place(p.At[1], 1, h, true)
	var r Texel
	for k, d := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		tx, okx := o.inside(x.at+d[0]+int(p.By[0]), 0, w)
		ty, oky := o.inside(y.at+d[1]+int(p.By[1]), 1, h)
		if okx && oky {
			r[k] = o.read(0, tx, ty, slice)[channel]
		}
	}
	return r, nil
}

// Fetch reads a texel by its numbers. Outside there are zeros, or the nearest
// texel if it is asked for.
func (o *Object) Fetch(layer uint32, c [3]int32, level int, nearest bool) Texel {
	if level < 0 || level >= max(1, o.Levels) || o.Dim == "1d" { // lines in arrays cannot be read so
		return Texel{}
	}
	w, h, n := o.LevelSize(level)
	x, y, slice := int(c[0]), int(c[1]), 0
	if o.Layered() {
		slice = int(min(layer, 1<<16))
	} else if o.Dim == "3d" {
		slice = int(c[2])
	}
	if !o.plane() {
		y = 0
	}
	if nearest {
		x, y, slice = min(max(x, 0), w-1), min(max(y, 0), h-1), min(max(slice, 0), n-1)
	}
	if x < 0 || y < 0 || slice < 0 || x >= w || y >= h || slice >= n {
		return Texel{}
	}
	return o.read(level, x, y, slice)
}
