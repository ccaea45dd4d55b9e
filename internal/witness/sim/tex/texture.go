package tex

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/sim/memory"
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

// PrepTex finds the geometry, which stands among the operands, and the mask
// of the wanted channels, the last of them. Without .LL the first level is
// read: sm_120 has no other word for it.
func PrepTex(i *machine.Inst, parts []string) error {
	if i.NS < 3 {
		return fmt.Errorf("operands are missing")
	}
	if i.Cmp = uint8(i.S[i.NS-1].Imm); i.Cmp == 0 {
		i.Cmp = 15
	}
	i.Sub = 255
	for k := range i.In.NMod() {
		_, v := i.In.ModAt(k)
		for n := range texDims {
			if texDims[n].tex == v.String() {
				i.Sub = uint8(n)
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
		i.Flags |= code.FlagF16
	}
	prepHandle(i)
	i.Bar = uint8(code.Pick(parts, 0, "R", "G", "B", "A"))
	i.Bop = uint8(code.Pick(parts, 0, "LZ", "LL"))
	if i.Sub == 255 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	return nil
}

// prepHandle finds out whether the handle is one of the arguments: .B is also
// a component, so the opcode tells.
func prepHandle(i *machine.Inst) {
	if w := i.In.Word(); w.Field(9, 3) == 1 {
		i.Flags |= code.FlagB
	}
}

// PrepTxq wants the dimensions; other questions are answered from the
// driver's tables.
func PrepTxq(i *machine.Inst, _ []string) error {
	i.Cmp = uint8(i.S[i.NS-1].Imm)
	prepHandle(i)
	if i.Sub = 0; i.NS < 3 && !i.Has(code.FlagB) {
		return fmt.Errorf("operands are missing")
	}
	return nil
}

// PrepSurf finds the geometry, the size and what happens outside.
func PrepSurf(i *machine.Inst, parts []string) error {
	i.Sub = 255
	for n := range texDims {
		if texDims[n].surf != "" && slices.Contains(parts, texDims[n].surf) {
			i.Sub = uint8(n)
		}
	}
	if i.Sub == 255 {
		return fmt.Errorf("this geometry has no meaning in the simulator")
	}
	i.Bop = uint8([...]texture.Outside{texture.Trap, texture.Zero, texture.Clamp}[code.Pick(parts, 2, "TRAP", "IGN")])
	if i.Has(code.FlagTexel) && strings.HasPrefix(i.Mnemonic, "SULD") {
		return fmt.Errorf("formatted loads have no meaning in the simulator")
	}
	return code.AccessSize(&i.Inst, parts)
}

// PrepSured reads operation and type.
func PrepSured(i *machine.Inst, parts []string) error {
	if err := PrepSurf(i, parts); err != nil {
		return err
	}
	bop := i.Bop
	op := code.Pick(parts, -1, "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR")
	if op < 0 {
		return fmt.Errorf("unknown operation")
	}
	i.Cmp = uint8(op)
	err := memory.AtomicType(i, parts)
	i.Bop = bop
	return err
}

// object finds what a lane's handle names; n is the source it begins at.
func object(w *machine.Warp, i *machine.Inst, n, l int) *texture.Object {
	h := w.Row(i.S[n].Row)[l]
	if i.S[n].IsImm {
		h = w.Constant(int(i.S[n].Imm), uint32(4*i.S[n+1].Imm))
	}
	return objectOf(w, h, l)
}

// objectOf finds what a handle of lane l names.
func objectOf(w *machine.Warp, h uint32, l int) *texture.Object {
	o := w.Textures().Object(uint64(h))
	if o == nil {
		w.Fail(l, "%#x is no texture or surface of this launch", h)
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

func argsOf(w *machine.Warp, i *machine.Inst, l int) (a texArgs) {
	d := &texDims[i.Sub]
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
	if i.Has(code.FlagB) {
		put(&a.handle)
	}
	if i.Bop == 1 {
		put(&a.lod)
	}
	if i.Has(code.FlagAOFFI) {
		put(&a.offset)
	}
	if i.Has(code.FlagSCR) {
		first = (n + 1) / 2
	}
	for k := range n {
		row, at := i.S[0].Row, k
		if k >= first {
			row, at = i.S[1].Row, k-first
		}
		*list[k] = w.Row(code.Behind(row, uint16(at)))[l]
	}
	return a
}

// putTexel writes the wanted channels: the first two to the second
// destination, the others to the first.
func putTexel(w *machine.Warp, i *machine.Inst, l int, t texture.Texel) {
	if i.Has(code.FlagF16) {
		putHalves(w, i, l, t)
		return
	}
	n := uint16(0)
	for c := range uint16(4) {
		if i.Cmp>>c&1 == 0 {
			continue
		}
		d := i.D[1]
		if n >= 2 {
			d = i.D[0]
		}
		if n&1 != 0 {
			d = code.NextRow(d)
		}
		w.R[d][l] = t[c]
		n++
	}
}

// putHalves writes the wanted channels as halves: the first two to the second
// destination, the others to the first.
func putHalves(w *machine.Warp, i *machine.Inst, l int, t texture.Texel) {
	n := 0
	for c := range 4 {
		if i.Cmp>>c&1 == 0 {
			continue
		}
		h := uint32(fp.Convert(fp.F32, fp.F16, uint64(t[c]), fp.Mode{}))
		d := &w.R[i.D[1-n/2]][l]
		if n&1 == 0 {
			*d = h
		} else {
			*d |= h << 16
		}
		n++
	}
}

// TEX, TLD and TLD4.
func Tex(w *machine.Warp, i *machine.Inst, m uint32) {
	name := strings.SplitN(i.Mnemonic, ".", 2)[0]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a := argsOf(w, i, l)
		var o *texture.Object
		if i.Has(code.FlagB) {
			o = objectOf(w, a.handle, l)
		} else {
			o = object(w, i, 2, l)
		}
		if o == nil {
			return
		}
		if d := texDims[i.Sub].dim; d != o.Dim && !(d == "2d" && o.Dim == "1d" || d == "1d" && o.Dim == "buf") {
			w.Fail(l, "a %s texture read as %s", o.Dim, d)
			return
		}
		var t texture.Texel
		var err error
		switch name {
		case "TLD":
			t = fetch(o, &a, i.Has(code.FlagCL))
		case "TLD4":
			a.four = true
			t, err = o.Gather(a.point(), int(i.Bar))
		default:
			t, err = o.Sample(a.point(), math.Float32frombits(a.lod))
		}
		if err != nil {
			w.Fail(l, "%v", err)
			return
		}
		putTexel(w, i, l, t)
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
func Txq(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		lod := i.S[0].Row
		var o *texture.Object
		if i.Has(code.FlagB) {
			o = objectOf(w, w.Row(lod)[l], l)
			lod = code.Behind(lod, 1)
		} else {
			o = object(w, i, 1, l)
		}
		if o == nil {
			return
		}
		var t texture.Texel
		for k, what := range []string{"width", "height", "depth"} {
			t[k], _ = o.Query(what, int(int32(w.Row(lod)[l])))
		}
		putTexel(w, i, l, t)
	}
}

// surface finds the bytes of an access; the last result is false after a
// fault. handle is the source that the handle begins at.
func surface(w *machine.Warp, i *machine.Inst, l, handle int, texel bool) (*texture.Object, []byte, bool) {
	o := object(w, i, handle, l)
	if o == nil {
		return nil, nil, false
	}
	d := &texDims[i.Sub]
	row := i.Addr[0].Row
	var c [3]int32
	for k := range d.coords {
		c[k] = int32(w.Row(code.Behind(row, uint16(k)))[l])
	}
	var layer uint32
	if d.layer {
		layer = w.Row(code.Behind(row, uint16(d.coords)))[l]
	}
	if !texel && int(c[0])%int(i.Size) != 0 {
		w.Fail(l, "%d bytes at byte %d of a row", i.Size, c[0])
		return o, nil, false
	}
	b, ok := o.Place(layer, c, int(i.Size), texel, texture.Outside(i.Bop))
	if !ok {
		w.Fail(l, "%v is outside the surface, a %v", c, o)
	}
	return o, b, ok
}

// SULD.D.BA.
func Suld(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		_, b, ok := surface(w, i, l, 0, false)
		if !ok {
			return
		}
		if b == nil {
			b = make([]byte, i.Size)
		}
		memory.Put(w, i, l, b)
	}
}

// SUST: as it is, or in the surface's format.
func Sust(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		o, b, ok := surface(w, i, l, 1, i.Has(code.FlagTexel))
		if !ok {
			return
		}
		if b == nil {
			continue
		}
		var v [4]uint32
		for k := range uint16(4) {
			v[k] = w.Row(code.Behind(i.S[0].Row, k))[l]
		}
		switch {
		case i.Has(code.FlagTexel):
			o.Encode(b, v)
		case len(b) == 1:
			b[0] = byte(v[0])
		case len(b) == 2:
			binary.LittleEndian.PutUint16(b, uint16(v[0]))
		default:
			memory.PutWords(b, v[:len(b)/4])
		}
	}
}

// SURED.D.BA.
func Sured(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		_, b, ok := surface(w, i, l, 1, false)
		if !ok {
			return
		}
		if b != nil {
			memory.Atom(w, i, l, b)
		}
	}
}
