package texture

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// Outside is what an access outside a surface does.
type Outside uint8

// What can happen outside.
const (
	Trap  Outside = iota // the launch ends
	Clamp                // the nearest texel is taken
	Zero                 // loads give zeros, stores do nothing
)

// Place finds size bytes of a surface: x counts bytes unless texels is set.
// The result is nil outside; ok is false where the access traps.
func (o *Object) Place(layer uint32, c [3]int32, size int, texels bool, out Outside) (b []byte, ok bool) {
	w, h, n := o.LevelSize(0)
	texel := o.Texture.Texel()
	x, y, slice := int(c[0]), int(c[1]), 0
	if texels {
		x, size = x*texel, texel
	}
	switch {
	case o.Layered():
		slice = int(min(layer, 1<<20))
	case o.Dim == "3d":
		slice = int(c[2])
	}
	if o.Dim == "1d" || !o.plane() {
		y = 0
	}
	row := w * texel
	if x < 0 || y < 0 || slice < 0 || x+size > row || y >= h || slice >= n {
		switch {
		case out == Trap || size > row: // no place is near
			return nil, false
		case out == Zero:
			return nil, true
		}
		x, y, slice = min(max(x, 0), row-size), min(max(y, 0), h-1), min(max(slice, 0), n-1)
	}
	at := (slice*h+y)*row + x
	return o.Data[at : at+size], true
}

// Encode writes four words to a texel as its format says: integers are
// clamped, floats rounded.
func (o *Object) Encode(b []byte, v [4]uint32) {
	for c := range o.Channels {
		d := b[c*o.format.size:]
		x := v[c]
		bits := 8 * o.format.size
		switch {
		case o.format.float && bits == 16:
			x = uint32(fp.Convert(fp.F32, fp.F16, uint64(x), fp.Mode{Round: fp.RZ}))
		case o.format.float || bits == 32:
		case o.format.signed:
			most := int32(1)<<(bits-1) - 1
			x = uint32(min(max(int32(x), -most-1), most))
		default:
			x = min(x, 1<<bits-1)
		}
		switch o.format.size {
		case 1:
			d[0] = byte(x)
		case 2:
			binary.LittleEndian.PutUint16(d, uint16(x))
		default:
			binary.LittleEndian.PutUint32(d, x)
		}
	}
}
