package gpu

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Textures and surfaces of a launch, made through the driver.

// texCalls are the driver's calls for arrays and the objects on them.
type texCalls struct {
	create     func(*uintptr, unsafe.Pointer) int32
	destroy    func(uintptr) int32
	mipCreate  func(*uintptr, unsafe.Pointer, uint32) int32
	mipDestroy func(uintptr) int32
	mipLevel   func(*uintptr, uintptr, uint32) int32
	copy3D     func(unsafe.Pointer) int32
	texture    func(*uint64, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer) int32
	surface    func(*uint64, unsafe.Pointer) int32
	noTexture  func(uint64) int32
	noSurface  func(uint64) int32
	texRef     func(*uintptr, uintptr, string) int32
	surfRef    func(*uintptr, uintptr, string) int32
	refArray   func(uintptr, uintptr, uint32) int32
	refMip     func(uintptr, uintptr, uint32) int32
	refAddress func(uintptr, int32, uint32) int32
	refFilter  func(uintptr, uint32) int32
	refFlags   func(uintptr, uint32) int32
	surfArray  func(uintptr, uintptr, uint32) int32
}

func openTextures() (*texCalls, error) {
	lib, err := openLibrary()
	if err != nil {
		return nil, err
	}
	c := &texCalls{}
	bind(lib, []symbol{
		{&c.create, "cuArray3DCreate_v2"},
		{&c.destroy, "cuArrayDestroy"},
		{&c.mipCreate, "cuMipmappedArrayCreate"},
		{&c.mipDestroy, "cuMipmappedArrayDestroy"},
		{&c.mipLevel, "cuMipmappedArrayGetLevel"},
		{&c.copy3D, "cuMemcpy3D_v2"},
		{&c.texture, "cuTexObjectCreate"},
		{&c.surface, "cuSurfObjectCreate"},
		{&c.noTexture, "cuTexObjectDestroy"},
		{&c.noSurface, "cuSurfObjectDestroy"},
		{&c.texRef, "cuModuleGetTexRef"},
		{&c.surfRef, "cuModuleGetSurfRef"},
		{&c.refArray, "cuTexRefSetArray"},
		{&c.refMip, "cuTexRefSetMipmappedArray"},
		{&c.refAddress, "cuTexRefSetAddressMode"},
		{&c.refFilter, "cuTexRefSetFilterMode"},
		{&c.refFlags, "cuTexRefSetFlags"},
		{&c.surfArray, "cuSurfRefSetArray"},
	})
	return c, nil
}

// arrayDesc is CUDA_ARRAY3D_DESCRIPTOR.
type arrayDesc struct {
	width, height, depth uintptr
	format, channels     uint32
	flags                uint32
}

// copyEnd is one side of a CUDA_MEMCPY3D.
type copyEnd struct {
	x, y, z, lod  uintptr
	kind          uint32
	host          unsafe.Pointer
	device        uintptr
	array         uintptr
	_             uintptr
	pitch, height uintptr
}

// copyDesc is CUDA_MEMCPY3D.
type copyDesc struct {
	src, dst             copyEnd
	width, height, depth uintptr
}

// resourceDesc is CUDA_RESOURCE_DESC.
type resourceDesc struct {
	kind  uint32
	_     uint32
	array uintptr // or the address of plain memory, which the next three describe
	form  uint32
	chans uint32
	size  uintptr
	_     [104]byte
	flags uint32
}

// textureDesc is CUDA_TEXTURE_DESC.
type textureDesc struct {
	address          [3]uint32
	filter, flags    uint32
	anisotropy       uint32
	mipFilter        uint32
	bias, least, max float32
	border           [4]float32
	_                [12]uint32
}

const (
	arrayLayered = 1
	arraySurface = 2
	arrayCube    = 4
	arrayGather  = 8

	kindHost, kindArray = 1, 3
	readInteger         = 1
	readNormal          = 2
	overrideFormat      = 1 // CU_TRSA_OVERRIDE_FORMAT
)

// formatCode is CUarray_format.
func formatCode(name string) uint32 {
	for _, f := range [...]struct {
		name string
		code uint32
	}{{"u8", 1}, {"u16", 2}, {"u32", 3}, {"s8", 8}, {"s16", 9}, {"s32", 10}, {"f16", 16}, {"f32", 32}} {
		if f.name == name {
			return f.code
		}
	}
	return 0
}

// array is a texture or surface on the device.
type array struct {
	c      *texCalls
	t      *launch.Texture
	h      uintptr // the array, or the mipmapped one
	mem    *Memory // of plain memory
	object uint64
}

// bound is what a launch uses.
type bound struct {
	arrays   []*array
	surfaces []*array // of the arguments, in order
}

func (b *bound) free() {
	for _, a := range b.arrays {
		if a.object != 0 && a.t.Surface {
			a.c.noSurface(a.object)
		} else if a.object != 0 {
			a.c.noTexture(a.object)
		}
		switch {
		case a.mem != nil:
			a.mem.Free()
		case a.t.Levels > 0:
			a.c.mipDestroy(a.h)
		default:
			a.c.destroy(a.h)
		}
	}
}

// bind makes the textures of a launch, writes their handles to the arguments
// and binds the named ones.
func (w *worker) bind(m *Module, l *launch.Launch, keep [][]byte) (*bound, error) {
	b := &bound{}
	need := len(l.Refs) > 0
	for n := range l.Args {
		need = need || l.Args[n].Tex != nil
	}
	if !need {
		return b, nil
	}
	c, err := openTextures()
	if err != nil {
		return b, err
	}
	for n := range l.Args {
		t := l.Args[n].Tex
		if t == nil {
			continue
		}
		a, err := w.array(c, t)
		b.arrays = append(b.arrays, a)
		if err == nil {
			err = w.object(a)
		}
		if err != nil {
			return b, err
		}
		binary.LittleEndian.PutUint64(keep[n], a.object)
		if t.Surface {
			b.surfaces = append(b.surfaces, a)
		}
	}
	for n := range l.Refs {
		a, err := w.array(c, &l.Refs[n])
		b.arrays = append(b.arrays, a)
		if err == nil {
			err = w.bindRef(m, a)
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// array allocates and fills.
func (w *worker) array(c *texCalls, t *launch.Texture) (*array, error) {
	a := &array{c: c, t: t}
	if t.Dim == "buf" {
		var err error
		if a.mem, err = w.d.Alloc(len(t.Data())); err != nil {
			return a, err
		}
		return a, a.mem.Write(0, t.Data())
	}
	d := arrayDesc{width: uintptr(t.Size[0]), format: formatCode(t.Format), channels: uint32(t.Channels)}
	_, _, n := t.LevelSize(0)
	switch t.Dim {
	case "2d":
		d.height = uintptr(t.Size[1])
		if t.Levels == 0 && !t.Surface {
			d.flags = arrayGather
		}
	case "3d":
		d.height, d.depth = uintptr(t.Size[1]), uintptr(n)
	case "a1d":
		d.depth, d.flags = uintptr(n), arrayLayered
	case "a2d":
		d.height, d.depth, d.flags = uintptr(t.Size[1]), uintptr(n), arrayLayered
	case "cube":
		d.height, d.depth, d.flags = uintptr(t.Size[1]), uintptr(n), arrayCube
	case "acube":
		d.height, d.depth, d.flags = uintptr(t.Size[1]), uintptr(n), arrayCube|arrayLayered
	}
	if t.Surface {
		d.flags |= arraySurface
	}
	if t.Levels > 0 {
		if err := w.d.check("cuMipmappedArrayCreate", c.mipCreate(&a.h, unsafe.Pointer(&d), uint32(t.Levels))); err != nil {
			return a, err
		}
	} else if err := w.d.check("cuArray3DCreate", c.create(&a.h, unsafe.Pointer(&d))); err != nil {
		return a, err
	}
	return a, w.transfer(a, t.Data(), false)
}

// transfer copies the contents to the device or back.
func (w *worker) transfer(a *array, data []byte, back bool) error {
	t := a.t
	for l := range max(1, t.Levels) {
		h := a.h
		if t.Levels > 0 {
			if err := w.d.check("cuMipmappedArrayGetLevel", a.c.mipLevel(&h, a.h, uint32(l))); err != nil {
				return err
			}
		}
		x, y, z := t.LevelSize(l)
		size := x * y * z * t.Texel()
		host := copyEnd{kind: kindHost, host: unsafe.Pointer(&data[0]), pitch: uintptr(x * t.Texel()), height: uintptr(y)}
		d := copyDesc{src: host, dst: copyEnd{kind: kindArray, array: h}, width: host.pitch, height: uintptr(y), depth: uintptr(z)}
		if back {
			d.src, d.dst = d.dst, d.src
		}
		if err := w.d.check("cuMemcpy3D", a.c.copy3D(unsafe.Pointer(&d))); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

// object makes the handle.
func (w *worker) object(a *array) error {
	r := resourceDesc{array: a.h}
	switch {
	case a.mem != nil:
		r = resourceDesc{kind: 2, array: a.mem.Addr, form: formatCode(a.t.Format), chans: uint32(a.t.Channels), size: uintptr(a.mem.Size)}
	case a.t.Levels > 0:
		r.kind = 1
	}
	if a.t.Surface {
		return w.d.check("cuSurfObjectCreate", a.c.surface(&a.object, unsafe.Pointer(&r)))
	}
	d := textureDesc{filter: number(a.t.Linear), mipFilter: number(a.t.Blend), flags: readFlags(a.t)}
	for k, m := range a.t.Address {
		d.address[k] = uint32(slices.Index(launch.Modes[:], m))
	}
	if a.t.Levels > 0 {
		d.max = float32(a.t.Levels - 1)
	}
	return w.d.check("cuTexObjectCreate", a.c.texture(&a.object, unsafe.Pointer(&r), unsafe.Pointer(&d), nil))
}

func readFlags(t *launch.Texture) uint32 {
	f := uint32(0)
	if !t.Unit && t.Format[0] != 'f' {
		f |= readInteger
	}
	if t.Normal {
		f |= readNormal
	}
	return f
}

func number(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// bindRef binds an array to a reference of the module.
func (w *worker) bindRef(m *Module, a *array) error {
	var ref uintptr
	if a.t.Surface {
		if err := w.d.check("cuModuleGetSurfRef", a.c.surfRef(&ref, m.h, a.t.Ref)); err != nil {
			return err
		}
		return w.d.check("cuSurfRefSetArray", a.c.surfArray(ref, a.h, 0))
	}
	if err := w.d.check("cuModuleGetTexRef", a.c.texRef(&ref, m.h, a.t.Ref)); err != nil {
		return err
	}
	if a.t.Levels > 0 {
		return fmt.Errorf("%s: a named texture with levels", a.t.Ref)
	}
	codes := []int32{a.c.refFilter(ref, number(a.t.Linear)), a.c.refFlags(ref, readFlags(a.t))}
	for k, mode := range a.t.Address {
		codes = append(codes, a.c.refAddress(ref, int32(k), uint32(slices.Index(launch.Modes[:], mode))))
	}
	for _, code := range append(codes, a.c.refArray(ref, a.h, overrideFormat)) {
		if err := w.d.check("cuTexRefSet", code); err != nil {
			return err
		}
	}
	return nil
}

// surfaceResults adds the contents of the surfaces to a result.
func (w *worker) surfaceResults(b *bound, r *Result, dump []byte) ([]byte, error) {
	for _, a := range b.surfaces {
		old := a.t.Data()
		now := make([]byte, len(old))
		if err := w.transfer(a, now, true); err != nil {
			return dump, err
		}
		h := hash(now)
		r.Hash = append(r.Hash, h)
		r.Changed = r.Changed || h != hash(old)
		dump = append(dump, now...)
	}
	return dump, nil
}
