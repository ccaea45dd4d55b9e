package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/texture"
)

// Textures and surfaces. The handle comes in a uniform register, or before
// sm_90 as bank and word of constant memory or, with .B, as an argument; the
// texture unit takes the layer, then the coordinates, the handle, the level
// of detail, offsets: the layer and the coordinates in one row of registers
// and the rest in another, or with .SCR one half of all in each.

// texDims are the geometries, by their names in TEX and its kin and in SULD
// and its kin; layer says that the first register is a layer.
var texDims = [...]struct {
	tex, surf, dim string
	layer          bool
	coords         int
}{
	{"1D", "1D", "1d", false, 1},
	{"2D", "2D", "2d", false, 2},
	{"3D", "3D", "3d", false, 3},
	{"ARRAY_1D", "1D_ARRAY", "a1d", true, 1},
	{"ARRAY_2D", "2D_ARRAY", "a2d", true, 2},
	{"CUBE", "", "cube", false, 3},
	{"ARRAY_CUBE", "", "acube", true, 3},
}

// prepTex finds the geometry, which stands among the operands, and the mask
// of the wanted channels, the last of them. Without .LL the first level is
// read: sm_120 has no other word for it.
func prepTex(i *inst, parts []string) error {
	if i.ns < 3 {
		return fmt.Errorf("operands are missing")
	}
	if i.cmp = uint8(i.s[i.ns-1].imm); i.cmp == 0 {
		i.cmp = 15
	}
	i.sub = 255
	for k := range i.in.NMod() {
		_, v := i.in.ModAt(k)
		for n := range texDims {
			if texDims[n].tex == v.String() {
				i.sub = uint8(n)
			}
		}
	}
	for _, p := range parts {
		switch p {
		case "LL", "LZ", "AOFFI", "CL", "NODEP", "SCR", "R", "G", "B", "A", "F16", "RN":
		default:
			return fmt.Errorf(".%s has no meaning in the simulator", p)
		}
	}
	if slices.Contains(parts, "F16") {
		i.flags |= fF16
	}
	prepHandle(i)
	i.bar = uint8(pick(parts, 0, "R", "G", "B", "A"))
	i.bop = uint8(pick(parts, 0, "LZ", "LL"))
	if i.sub == 255 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	return nil
}

// prepHandle finds out whether the handle is one of the arguments: .B is also
// a component, so the opcode tells.
func prepHandle(i *inst) {
	if w := i.in.Word(); w.Field(9, 3) == 1 {
		i.flags |= fB
	}
}

// prepTxq wants the dimensions; other questions are answered from the
// driver's tables.
func prepTxq(i *inst, _ []string) error {
	i.cmp = uint8(i.s[i.ns-1].imm)
	prepHandle(i)
	if i.sub = 0; i.ns < 3 && !i.has(fB) {
		return fmt.Errorf("operands are missing")
	}
	return nil
}

// prepSurf finds the geometry, the size and what happens outside.
func prepSurf(i *inst, parts []string) error {
	i.sub = 255
	for n := range texDims {
		if texDims[n].surf != "" && slices.Contains(parts, texDims[n].surf) {
			i.sub = uint8(n)
		}
	}
	if i.sub == 255 {
		return fmt.Errorf("this geometry has no meaning in the simulator")
	}
	i.bop = uint8([...]texture.Outside{texture.Trap, texture.Zero, texture.Clamp}[pick(parts, 2, "TRAP", "IGN")])
	if i.has(fTexel) && strings.HasPrefix(i.mn, "SULD") {
		return fmt.Errorf("formatted loads have no meaning in the simulator")
	}
	return accessSize(i, parts)
}

func prepSured(i *inst, parts []string) error {
	if err := prepSurf(i, parts); err != nil {
		return err
	}
	bop := i.bop
	op := pick(parts, -1, "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR")
	if op < 0 {
		return fmt.Errorf("unknown operation")
	}
	i.cmp = uint8(op)
	err := atomicType(i, parts)
	i.bop = bop
	return err
}

// object finds what a lane's handle names; n is the source it begins at.
func (w *warp) object(i *inst, n, l int) *texture.Object {
	h := w.row(i.s[n].row)[l]
	if i.s[n].isImm {
		h = w.m.constant(int(i.s[n].imm), uint32(4*i.s[n+1].imm))
	}
	return w.objectOf(h, l)
}

// objectOf finds what a handle of lane l names.
func (w *warp) objectOf(h uint32, l int) *texture.Object {
	o := w.m.l.Textures.Object(uint64(h))
	if o == nil {
		w.fail(l, "%#x is no texture or surface of this launch", h)
	}
	return o
}

// texArgs is what the texture unit takes, for one lane.
type texArgs struct {
	layer  uint32
	c      [3]uint32
	handle uint32 // with .B
	lod    uint32
	offset uint32
	four   bool // of TLD4
}

func (w *warp) texArgs(i *inst, l int) (a texArgs) {
	d := &texDims[i.sub]
	var list [7]*uint32
	n := 0
	put := func(p *uint32) { list[n] = p; n++ }
	if d.layer {
		put(&a.layer)
	}
	for k := range d.coords {
		put(&a.c[k])
	}
	first := n
	if i.has(fB) {
		put(&a.handle)
	}
	if i.bop == 1 {
		put(&a.lod)
	}
	if i.has(fAOFFI) {
		put(&a.offset)
	}
	if i.has(fSCR) {
		first = (n + 1) / 2
	}
	for k := range n {
		row, at := i.s[0].row, k
		if k >= first {
			row, at = i.s[1].row, k-first
		}
		*list[k] = w.row(behind(row, uint16(at)))[l]
	}
	return a
}

// putTexel writes the wanted channels: the first two to the second
// destination, the others to the first.
func (w *warp) putTexel(i *inst, l int, t texture.Texel) {
	if i.has(fF16) {
		w.putHalves(i, l, t)
		return
	}
	n := uint16(0)
	for c := range uint16(4) {
		if i.cmp>>c&1 == 0 {
			continue
		}
		d := i.d[1]
		if n >= 2 {
			d = i.d[0]
		}
		if n&1 != 0 {
			d = nextRow(d)
		}
		w.r[d][l] = t[c]
		n++
	}
}

// putHalves writes the wanted channels as halves: the first two to the second
// destination, the others to the first.
func (w *warp) putHalves(i *inst, l int, t texture.Texel) {
	n := 0
	for c := range 4 {
		if i.cmp>>c&1 == 0 {
			continue
		}
		h := uint32(fp.Convert(fp.F32, fp.F16, uint64(t[c]), fp.Mode{}))
		d := &w.r[i.d[1-n/2]][l]
		if n&1 == 0 {
			*d = h
		} else {
			*d |= h << 16
		}
		n++
	}
}

// TEX, TLD and TLD4.
func tex(w *warp, i *inst, m uint32) {
	name := strings.SplitN(i.mn, ".", 2)[0]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		a := w.texArgs(i, l)
		var o *texture.Object
		if i.has(fB) {
			o = w.objectOf(a.handle, l)
		} else {
			o = w.object(i, 2, l)
		}
		if o == nil {
			return
		}
		if d := texDims[i.sub].dim; d != o.Dim && !(d == "2d" && o.Dim == "1d" || d == "1d" && o.Dim == "buf") {
			w.fail(l, "a %s texture read as %s", o.Dim, d)
			return
		}
		var t texture.Texel
		var err error
		switch name {
		case "TLD":
			t = fetch(o, &a, i.has(fCL))
		case "TLD4":
			a.four = true
			t, err = o.Gather(a.point(), int(i.bar))
		default:
			t, err = o.Sample(a.point(), math.Float32frombits(a.lod))
		}
		if err != nil {
			w.fail(l, "%v", err)
			return
		}
		w.putTexel(i, l, t)
	}
}

// by are the offsets: four bits each, with a sign. TLD4 has six, a byte apart.
func (a *texArgs) by() (d [3]int32) {
	for k := range d {
		d[k] = int32(a.offset<<(28-4*k)) >> 28
	}
	if a.four {
		d = [3]int32{int32(a.offset<<26) >> 26, int32(a.offset<<18) >> 26, 0}
	}
	return d
}

func (a *texArgs) point() *texture.Point {
	p := &texture.Point{Layer: a.layer, By: a.by()}
	for k := range p.At {
		p.At[k] = math.Float32frombits(a.c[k])
	}
	return p
}

// fetch is TLD: whole coordinates, with offsets.
func fetch(o *texture.Object, a *texArgs, nearest bool) texture.Texel {
	at := a.by()
	for k := range at {
		at[k] += int32(a.c[k])
	}
	return o.Fetch(a.layer, at, int(int32(a.lod)), nearest)
}

// TXQ with TEX_HEADER_DIMENSION: width, height and depth by mask.
func txq(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		lod := i.s[0].row
		var o *texture.Object
		if i.has(fB) {
			o = w.objectOf(w.row(lod)[l], l)
			lod = behind(lod, 1)
		} else {
			o = w.object(i, 1, l)
		}
		if o == nil {
			return
		}
		var t texture.Texel
		for k, what := range []string{"width", "height", "depth"} {
			t[k], _ = o.Query(what, int(int32(w.row(lod)[l])))
		}
		w.putTexel(i, l, t)
	}
}

// surface finds the bytes of an access; the last result is false after a
// fault. handle is the source that the handle begins at.
func (w *warp) surface(i *inst, l, handle int, texel bool) (*texture.Object, []byte, bool) {
	o := w.object(i, handle, l)
	if o == nil {
		return nil, nil, false
	}
	d := &texDims[i.sub]
	row := i.addr[0].row
	var c [3]int32
	for k := range d.coords {
		c[k] = int32(w.row(behind(row, uint16(k)))[l])
	}
	var layer uint32
	if d.layer {
		layer = w.row(behind(row, uint16(d.coords)))[l]
	}
	if !texel && int(c[0])%int(i.size) != 0 {
		w.fail(l, "%d bytes at byte %d of a row", i.size, c[0])
		return o, nil, false
	}
	b, ok := o.Place(layer, c, int(i.size), texel, texture.Outside(i.bop))
	if !ok {
		w.fail(l, "%v is outside the surface, a %v", c, o)
	}
	return o, b, ok
}

// SULD.D.BA.
func suld(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		_, b, ok := w.surface(i, l, 0, false)
		if !ok {
			return
		}
		if b == nil {
			b = zeroBytes[:i.size]
		}
		w.put(i, l, b)
	}
}

// SUST: as it is, or in the surface's format.
func sust(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		o, b, ok := w.surface(i, l, 1, i.has(fTexel))
		if !ok {
			return
		}
		if b == nil {
			continue
		}
		var v [4]uint32
		for k := range uint16(4) {
			v[k] = w.row(behind(i.s[0].row, k))[l]
		}
		switch {
		case i.has(fTexel):
			o.Encode(b, v)
		case len(b) == 1:
			b[0] = byte(v[0])
		case len(b) == 2:
			binary.LittleEndian.PutUint16(b, uint16(v[0]))
		default:
			putWords(b, v[:len(b)/4])
		}
	}
}

// SURED.D.BA.
func sured(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		_, b, ok := w.surface(i, l, 1, false)
		if !ok {
			return
		}
		if b != nil {
			w.atom(i, l, b)
		}
	}
}

// texRef is a word of constant bank 0 that takes the handle of a texture
// bound by name.
type texRef struct {
	section string
	off     uint64
	name    string
}

// bindNames writes the handles of named textures to bank 0.
func (m *machine) bindNames(b []byte) {
	for _, r := range m.prog.refs {
		if r.section != ".nv.constant0."+m.prog.kernel.Name || r.off+4 > uint64(len(b)) {
			continue
		}
		h := uint64(0)
		if m.l.Textures != nil {
			h = m.l.Textures.Named(r.name)
		}
		binary.LittleEndian.PutUint32(b[r.off:], uint32(h))
	}
}
