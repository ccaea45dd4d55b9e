// Package texture is the meaning of textures and surfaces: how coordinates
// find texels, how texels become numbers, and how they are filtered. The PTX
// interpreter and the SASS simulator share it, so a difference between them is
// never about texels.
//
// What is exact was measured on an H200 (docs/simulator.md).
package texture

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Object is a texture or surface with its contents.
type Object struct {
	launch.Texture
	Data   []byte // level after level, slice after slice, row after row
	first  []int  // where each level begins
	format format
}

// format is how a channel is kept.
type format struct {
	size   int
	float  bool
	signed bool
}

// New makes the object of a description.
func New(t *launch.Texture) *Object {
	o := &Object{Texture: *t, Data: t.Data()}
	o.format = format{size: t.Texel() / t.Channels, float: t.Format[0] == 'f', signed: t.Format[0] == 's'}
	at := 0
	for l := range max(1, t.Levels) {
		o.first = append(o.first, at)
		w, h, s := t.LevelSize(l)
		at += w * h * s * t.Texel()
	}
	return o
}

// Texel is what a read gives: four words, floats or integers as the texture
// says.
type Texel [4]uint32

// Layered reports whether the first coordinate is a layer.
func (o *Object) Layered() bool { return o.Dim[0] == 'a' }

// at returns the bytes of a texel.
func (o *Object) at(level, x, y, slice int) []byte {
	w, h, _ := o.LevelSize(level)
	n := o.Texture.Texel()
	off := o.first[level] + ((slice*h+y)*w+x)*n
	return o.Data[off : off+n]
}

// read returns a texel as four words; channels that are missing are zeros.
func (o *Object) read(level, x, y, slice int) Texel {
	var t Texel
	b := o.at(level, x, y, slice)
	for c := range o.Channels {
		t[c] = o.channel(b[c*o.format.size:])
	}
	return t
}

func (o *Object) channel(b []byte) uint32 {
	var v uint32
	switch o.format.size {
	case 1:
		v = uint32(b[0])
	case 2:
		v = uint32(binary.LittleEndian.Uint16(b))
	default:
		v = binary.LittleEndian.Uint32(b)
	}
	bits := 8 * o.format.size
	switch {
	case o.format.float && bits == 16:
		return uint32(fp.Convert(fp.F16, fp.F32, uint64(v), fp.Mode{}))
	case o.format.float:
		return v
	case o.Unit:
		return o.unit(v, bits)
	case o.format.signed:
		return uint32(int32(v<<(32-bits)) >> (32 - bits))
	}
	return v
}

// unit reads an integer as a part of its greatest value.
func (o *Object) unit(v uint32, bits int) uint32 {
	if o.format.signed {
		s := int32(v<<(32-bits)) >> (32 - bits)
		most := int32(1)<<(bits-1) - 1
		return math.Float32bits(float32(float64(max(s, -most)) / float64(most)))
	}
	return math.Float32bits(float32(float64(v) / float64(uint64(1)<<bits-1)))
}

// Query returns a number about the object: "width", "height", "depth" and
// what else txq and suq can ask; ok is false for other names.
func (o *Object) Query(what string, level int) (v uint32, ok bool) {
	if level < 0 || level >= max(1, o.Levels) {
		return 0, true
	}
	w, h, s := o.LevelSize(level)
	switch what {
	case "width":
		return uint32(w), true
	case "height":
		if o.Dim == "1d" || o.Dim == "a1d" {
			return 0, true
		}
		return uint32(h), true
	case "depth":
		if o.Dim != "3d" {
			return 0, true
		}
		return uint32(s), true
	}
	return 0, false
}

func (o *Object) String() string {
	return fmt.Sprintf("%s of %dx%dx%d %sx%d", o.Dim, o.Size[0], o.Size[1], o.Size[2], o.Format, o.Channels)
}
