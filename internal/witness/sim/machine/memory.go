package machine

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/sim/image"
)

// Memory is global memory: separate segments with nothing between them, so
// that an access outside a buffer is seen.
type Memory struct {
	segs []segment
	next uint64
	last int
}

type segment struct {
	base     uint64
	data     []byte
	name     string
	readOnly bool
}

// Memory returns fresh global memory holding the module's variables.
func (m *Module) Memory() *Memory {
	mem := &Memory{next: image.BufferBase}
	for _, s := range m.File.Sections {
		d, ok := m.Data[s]
		if !ok || len(d) == 0 {
			continue
		}
		switch {
		case strings.HasPrefix(s.Name, ".nv.global"):
			mem.segs = append(mem.segs, segment{m.Base[s], append([]byte(nil), d...), s.Name, false})
		case s.Name == ".nv.constant3":
			mem.segs = append(mem.segs, segment{image.ConstBase, d, s.Name, true})
		}
	}
	return mem
}

// Alloc makes a buffer with the given contents, which it keeps, and returns
// its address. Buffers begin at multiples of 512, as the driver's do.
func (m *Memory) Alloc(data []byte) uint64 {
	at := m.next
	m.segs = append(m.segs, segment{base: at, data: data, name: fmt.Sprintf("buffer of %d bytes", len(data))})
	m.next = (at + uint64(len(data)) + 4096 + 511) &^ 511
	return at
}

// find returns the n bytes at an address, or nil.
func (m *Memory) find(addr uint64, n uint64, write bool) []byte {
	if m.last < len(m.segs) {
		s := &m.segs[m.last]
		if off := addr - s.base; off < uint64(len(s.data)) && off+n <= uint64(len(s.data)) && !(write && s.readOnly) {
			return s.data[off : off+n : off+n]
		}
	}
	for k := range m.segs {
		s := &m.segs[k]
		if off := addr - s.base; off < uint64(len(s.data)) && off+n <= uint64(len(s.data)) && !(write && s.readOnly) {
			m.last = k
			return s.data[off : off+n : off+n]
		}
	}
	return nil
}

// near says where an address lies relative to the segments.
func (m *Memory) near(addr uint64) string {
	for k := range m.segs {
		s := &m.segs[k]
		end := s.base + uint64(len(s.data))
		switch {
		case addr >= end && addr-end < 4096:
			return fmt.Sprintf(", %d bytes behind the end of a %s", addr-end, s.name)
		case addr < s.base && s.base-addr < 4096:
			return fmt.Sprintf(", %d bytes before a %s", s.base-addr, s.name)
		case addr >= s.base && addr < end:
			return fmt.Sprintf(", in a %s", s.name)
		}
	}
	return ""
}

// Spaces.
const (
	SpaceGlobal = iota
	SpaceShared
	SpaceLocal
	SpaceGeneric
)

var spaceNames = [...]string{"global", "shared", "local", "generic"}

// Bytes resolves an address of a lane. It reports a fault and returns nil
// when there is nothing.
func (w *Warp) Bytes(space int, l int, addr, n uint64, write bool) []byte {
	b := w.resolve(space, l, addr, n, write)
	if b == nil && w.m.l.Lenient {
		return w.nowhere(n)
	}
	return b
}

func (w *Warp) resolve(space int, l int, addr, n uint64, write bool) []byte {
	if n > 1 && addr&(n-1) != 0 {
		w.Fail(l, "misaligned %s access of %d bytes at %#x", spaceNames[space], n, addr)
		return nil
	}
	where := space
	if space == SpaceGeneric {
		switch addr >> 32 {
		case image.SharedBase >> 32:
			where, addr = SpaceShared, addr&0xffffffff-w.m.sharedLow()
		case image.LocalBase >> 32:
			where, addr = SpaceLocal, addr&0xffffffff
		default:
			where = SpaceGlobal
		}
	}
	switch where {
	case SpaceShared:
		b := w.sharedBytes(l, addr, n)
		if b != nil && w.m.async != nil {
			w.touch(SpaceShared, addr, n, write)
		}
		return b
	case SpaceLocal:
		if size := uint64(w.m.stack); addr < size && addr+n <= size {
			if w.local == nil {
				w.local = make([]byte, 32*size)
				for k := range w.local {
					w.local[k] = poisonByte
				}
			}
			at := uint64(l)*size + addr
			return w.local[at : at+n : at+n]
		}
		w.Fail(l, "local access of %d bytes at %#x is outside the %#x bytes of the thread", n, addr, w.m.stack)
	default:
		if b := w.m.mem.find(addr, n, write); b != nil {
			if w.m.async != nil {
				w.touch(SpaceGlobal, addr, n, write)
			}
			return b
		}
		w.Fail(l, "%s access of %d bytes at %#x hits nothing%s", spaceNames[space], n, addr, w.m.mem.near(addr))
	}
	return nil
}

// sharedLow is the low word of the start of shared memory as a generic
// address.
func (m *machine) sharedLow() uint64 {
	if m.prog.Arch.SM < 90 {
		return image.OldShared
	}
	return 0
}

// sharedSize is the shared memory of a block. From sm_90 on the section
// counts the 1024 bytes that the system keeps at its start.
func (m *machine) sharedSize() uint64 {
	n := m.prog.kernel.Shared
	if m.prog.Arch.SM >= 90 {
		n = max(n, 0x400)
	}
	return (n+15)&^15 + uint64(m.l.Smem)
}

// maxStack is the local memory that the machine gives a thread at most.
const maxStack = 512 << 10

// banks builds the constant banks of the launch.
func (m *machine) banks() error {
	k := m.prog.kernel
	for _, s := range m.prog.File.Sections {
		rest, ok := strings.CutPrefix(s.Name, ".nv.constant")
		if !ok || rest == "" || rest[0] < '0' || rest[0] > '7' {
			continue
		}
		if len(rest) == 1 || s.Info.Section == k.Text {
			m.bank[rest[0]-'0'] = m.prog.Data[s]
		}
	}
	least := k.MinStack
	if least == 1<<32-1 { // the linker's word for recursion: no bound is known
		least = 0
	}
	if least > maxStack || k.Frame > maxStack {
		return fmt.Errorf("%s: a stack of %d bytes", k.Name, max(least, k.Frame))
	}
	lay := m.prog.Arch.Bank0()
	m.stack = max(16<<10, least+k.Frame+1024)
	b := make([]byte, max(int(lay.Param)+len(m.l.Params), len(m.bank[0]), 0x400))
	copy(b, m.bank[0])
	put := func(off int64, v uint32) { binary.LittleEndian.PutUint32(b[off:], v) }
	put64 := func(off int64, v uint64) { binary.LittleEndian.PutUint64(b[off:], v) }
	for n := range int64(3) {
		put(lay.NTid+4*n, m.l.Block[n])
		put(lay.NCtaid+4*n, m.l.Grid[n])
	}
	put64(lay.LocalLo, image.LocalBase)
	put(lay.Stack, m.stack)
	if lay.DynSmem >= 0 {
		put(lay.DynSmem, m.l.Smem)
	}
	if lay.Desc >= 0 {
		put64(lay.Desc, 0x0c1e_1900_0000_0000)
	}
	switch sm := m.prog.Arch.SM; {
	case sm < 90:
		put64(0x18, image.SharedBase+image.OldShared)
		put64(0x40, image.ParamBase-uint64(lay.Param))
		put64(0x50, image.ConstBase)
		end := int64(0x12c)
		if sm < 80 {
			end = 0x114
		}
		put(end, uint32(int(lay.Param)+len(m.l.Params)))
	case sm == 90:
		m.hopper(put, put64)
	default:
		put64(0x120, image.ConstBase)
		put64(0x348, image.ParamBase)
		put64(0x350, image.ParamBase+uint64(len(m.l.Params)))
		m.blackwell(put)
	}
	if int(lay.Param)+len(m.l.Params) > len(b) {
		return fmt.Errorf("%d bytes of parameters do not fit", len(m.l.Params))
	}
	copy(b[lay.Param:], m.l.Params)
	m.bindNames(b)
	m.bank[0] = b
	m.mem.param(b[lay.Param : int(lay.Param)+len(m.l.Params)])
	return nil
}

// param makes the kernel's parameters readable at their generic address.
func (m *Memory) param(b []byte) {
	for k := range m.segs {
		if m.segs[k].base == image.ParamBase {
			m.segs[k].data = b
			return
		}
	}
	m.segs = append(m.segs, segment{image.ParamBase, b, "parameter", true})
}

// hopper fills what only sm_90 keeps in bank 0: windows and clusters (offsets
// seen in the reference's code).
func (m *machine) hopper(put func(int64, uint32), put64 func(int64, uint64)) {
	put64(0x30, 1)
	put(0x68, 0x400)
	put64(0xd0, image.ConstBase)
	put(0x10c, 132)
	put(0x114, 0x400)
	put(0x13c, 0x38c00)
	m.clusterWords(put, &clusterPlaces{there: 0x140, size: 0x144, inverse: 0x150, count: 0x15c, ranks: 0x188})
	put64(0x198, image.ParamBase)
	put64(0x1a0, image.ParamBase+uint64(len(m.l.Params)))
}

// blackwell fills what says of clusters where sm_100 and later keep it, for a
// launch whose SR_CgaSize reads zero (offsets seen in the reference's code).
func (m *machine) blackwell(put func(int64, uint32)) {
	m.clusterWords(put, &clusterPlaces{there: 0x36c, size: 0x2a0, inverse: 0x2b0, count: 0x2c0, ranks: 0x2cc})
}

// clusterPlaces is where bank 0 says what of clusters: whether there are such,
// and by dimension their size, its inverse and how many there are; how many
// blocks each has.
type clusterPlaces struct{ there, size, inverse, count, ranks int64 }

// clusterWords fills them.
func (m *machine) clusterWords(put func(int64, uint32), at *clusterPlaces) {
	if m.clustered {
		put(at.there, 1)
	}
	ranks := uint32(1)
	for n := range int64(3) {
		c := m.clusterOf[n]
		put(at.size+4*n, c)
		put(at.inverse+4*n, math.Float32bits(1/float32(c)))
		put(at.count+4*n, m.l.Grid[n]/c)
		ranks *= c
	}
	put(at.ranks, ranks)
}

// constant reads a word of a constant bank; outside it is zero.
func (m *machine) constant(bank int, off uint32) uint32 {
	if bank >= len(m.bank) || uint64(off)+4 > uint64(len(m.bank[bank])) {
		return 0
	}
	return binary.LittleEndian.Uint32(m.bank[bank][off:])
}

// Part is memory of any length.
func (w *Warp) Part(space int, addr, n uint64, write bool) []byte {
	if n&(n-1) == 0 && addr&(n-1) == 0 {
		return w.Bytes(space, 0, addr, n, write)
	}
	if w.m.async != nil {
		w.touch(space, addr, n, write)
	}
	if space == SpaceGlobal {
		return w.anywhere(0, addr, n, write)
	}
	return w.sharedBytes(0, addr, n)
}

// Piece is global memory whose length need not be a power of two.
func (w *Warp) Piece(l int, addr, n uint64) []byte {
	if n&(n-1) == 0 {
		return w.Bytes(SpaceGlobal, l, addr, n, false)
	}
	return w.anywhere(l, addr, n, false)
}

// anywhere is global memory that need not be aligned.
func (w *Warp) anywhere(l int, addr, n uint64, write bool) []byte {
	b := w.m.mem.find(addr, n, write)
	if b == nil {
		w.Fail(l, "global access of %d bytes at %#x hits nothing%s", n, addr, w.m.mem.near(addr))
	}
	return b
}
