package machine

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Generic addresses: each space but global has a window, and global addresses
// stand for themselves. Every buffer and every global variable has four
// gigabytes of addresses to itself, so that a stray access never meets a
// neighbour.
const (
	SharedWindow = 1 << 40
	LocalWindow  = 2 << 40
	constWindow  = 3 << 40
	ParamWindow  = 4 << 40
	funcBase     = 5 << 40 // addresses of functions
	WindowSize   = 1 << 40

	globalBase = 0x7f00 << 32
	segmentGap = 1 << 32
	segmentOff = 0x10000 // of the first byte, so that small negative offsets fault

	// sharedStart leaves address zero to nobody.
	sharedStart = 1024
	// localStart does the same in local memory.
	localStart = 16
	// RankShift separates the blocks of a cluster in shared addresses.
	RankShift = 24
	// rankBias is what blocks are counted from there: addresses without a block
	// are the warp's own. It is even, so that programs can clear the last bit to
	// name the first block of a pair, as they do on the machine.
	rankBias = 2
)

// Block is what the shared addresses of a block of the cluster begin with.
func Block(rank uint64) uint64 { return (rank + rankBias) << RankShift }

// layout is where the variables of the module lie.
type layout struct {
	global    []globalVar
	vars      []int64 // by Module.Vars: address in its space
	constSize int64
	consts    []constVar
	shared    int64 // bytes of static shared memory, the start included
	local     int64 // bytes of local memory below the first frame, likewise
	dynamic   int64 // where dynamic shared memory begins
}

type globalVar struct{ v *sema.Var }

type constVar struct {
	v  *sema.Var
	at int64
}

func alignUp(n, a int64) int64 {
	a = max(a, 1)
	return (n + a - 1) / a * a
}

// place lays out the variables of the module and of every body.
func (p *Program) place() {
	l := &p.lay
	l.shared, l.local = sharedStart, localStart
	l.constSize = sharedStart
	dynAlign := int64(16)
	l.vars = make([]int64, len(p.m.Vars))
	var open []int
	for n := range p.m.Vars {
		v := &p.m.Vars[n]
		if v.Space.Base() == isa.SpaceShared && v.Shape.Open {
			open = append(open, n)
			dynAlign = max(dynAlign, int64(v.Shape.Align))
			continue
		}
		l.vars[n] = l.put(v)
	}
	for _, f := range p.funcs {
		if f != nil {
			f.place()
		}
	}
	l.dynamic = alignUp(l.shared, dynAlign)
	for _, n := range open {
		l.vars[n] = l.dynamic
	}
}

// put gives a variable of the module, or one of a body that lives as long,
// its place.
func (l *layout) put(v *sema.Var) int64 {
	switch v.Space.Base() {
	case isa.SpaceShared:
		at := alignUp(l.shared, int64(v.Shape.Align))
		l.shared = at + int64(v.Shape.Size())
		return at
	case isa.SpaceLocal:
		at := alignUp(l.local, int64(v.Shape.Align))
		l.local = alignUp(at+int64(v.Shape.Size()), 16)
		return at
	case isa.SpaceConst:
		at := alignUp(l.constSize, int64(v.Shape.Align))
		l.constSize = at + int64(v.Shape.Size())
		l.consts = append(l.consts, constVar{v, at})
		return at
	}
	l.global = append(l.global, globalVar{v})
	return int64(globalBase + segmentGap*uint64(len(l.global)-1) + segmentOff)
}

// place lays out the frame of a body.
func (f *function) place() {
	f.vars = make([]int64, len(f.body.Vars))
	add := func(s *sema.Shape) int64 {
		at := alignUp(f.frame, max(4, int64(s.Align)))
		f.align = max(f.align, int64(s.Align))
		f.frame = at + max(int64(s.Size()), 1)
		return at
	}
	for n := range f.body.Vars {
		v := &f.body.Vars[n]
		if b := v.Space.Base(); b == isa.SpaceLocal || b == isa.SpaceParam {
			f.vars[n] = add(&v.Shape)
		} else {
			f.vars[n] = f.p.lay.put(v)
		}
	}
	n := len(f.def.Rets) + len(f.def.Params)
	f.formal, f.regsOf = make([]int64, n), make([]int32, n)
	for k := range n {
		p := f.param(k)
		f.regsOf[k] = -1
		if f.def.Entry {
			f.formal[k] = int64(p.Offset)
			continue
		}
		f.formal[k] = add(&p.Shape)
		if p.Space == isa.SpaceReg {
			f.regsOf[k] = f.named(p.Name)
		}
	}
	f.frame = alignUp(f.frame, 16)
}

// param returns formal n, results first.
func (f *function) param(n int) *sema.Param {
	if n < len(f.def.Rets) {
		return &f.def.Rets[n]
	}
	return &f.def.Params[n-len(f.def.Rets)]
}

// named finds the register that a formal in .reg space is, or -1.
func (f *function) named(name string) int32 {
	for n := range f.body.Regs {
		if r := &f.body.Regs[n]; r.Num < 0 && f.body.Name(r.Name) == name {
			return int32(n)
		}
	}
	return -1
}

// memory is what a whole grid sees.
type memory struct {
	segments [][]byte
	consts   []byte
	params   []byte
}

// alloc gives a buffer addresses of its own.
func (m *memory) alloc(b []byte) uint64 {
	m.segments = append(m.segments, b)
	return globalBase + segmentGap*uint64(len(m.segments)-1) + segmentOff
}

// init makes fresh copies of the module's variables.
func (m *memory) init(p *Program) {
	for _, g := range p.lay.global {
		m.alloc(p.image(g.v))
	}
	m.consts = make([]byte, p.lay.constSize)
	for _, c := range p.lay.consts {
		copy(m.consts[c.at:], p.image(c.v))
	}
}

// image returns the first contents of a variable.
func (p *Program) image(v *sema.Var) []byte {
	b := make([]byte, v.Shape.Size())
	copy(b, v.Init)
	for _, r := range v.Relocs {
		addr := p.address(r.Sym, r.Generic) + r.Addend
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], addr>>(8*r.Shift))
		if r.Offset+uint64(r.Width) <= uint64(len(b)) {
			copy(b[r.Offset:], word[:r.Width])
		}
	}
	return b
}

// address is that of a module's symbol in its space, or the generic one.
func (p *Program) address(sym int32, generic bool) uint64 {
	s := &p.m.Syms[sym]
	if s.Func >= 0 {
		return funcAddress(s.Func)
	}
	a := uint64(p.lay.vars[s.Var])
	if generic {
		a += Window(p.m.Vars[s.Var].Space)
	}
	return a
}

func funcAddress(fn int32) uint64 { return funcBase + 16*uint64(fn) }

// Window is what cvta adds to an address of a space.
func Window(s isa.Space) uint64 {
	switch s.Base() {
	case isa.SpaceShared:
		return SharedWindow
	case isa.SpaceLocal:
		return LocalWindow
	case isa.SpaceConst:
		return constWindow
	case isa.SpaceParam:
		return ParamWindow
	}
	return 0
}

// Resolve turns a generic address into a space and an address in it.
func Resolve(a uint64) (isa.Space, uint64) {
	switch a / WindowSize {
	case 1:
		return isa.SpaceShared, a - SharedWindow
	case 2:
		return isa.SpaceLocal, a - LocalWindow
	case 3:
		return isa.SpaceConst, a - constWindow
	case 4:
		return isa.SpaceParam, a - ParamWindow
	}
	return isa.SpaceGlobal, a
}

// Bytes returns size bytes of memory at an address for a lane, or faults.
func (w *Warp) Bytes(space isa.Space, a uint64, lane int, size, align uint64, write bool) []byte {
	if a%align != 0 {
		w.Fail(lane, "address %#x is not aligned to %d bytes", a, align)
	}
	if write {
		w.cta.grid.polls = 0
	}
	space = space.Base()
	if space == isa.Generic {
		space, a = Resolve(a)
	}
	switch { // what calls pass lies in local memory, at addresses that say so
	case (space == isa.SpaceParam || space == isa.SpaceLocal) && a/WindowSize == 2:
		space, a = isa.SpaceLocal, a-LocalWindow
	case space == isa.SpaceParam && a/WindowSize == 4:
		a -= ParamWindow
	}
	var b []byte
	switch space {
	case isa.SpaceGlobal:
		return w.global(a, lane, size, write)
	case isa.SpaceShared:
		cta := w.cta
		if a>>RankShift != 0 {
			cta = w.peer(a>>RankShift, lane)
			a &= 1<<RankShift - 1
		}
		b = cta.shared
		if a < sharedStart {
			w.Fail(lane, "shared address %#x is outside of memory", a)
		}
		if cta.races != nil && a+size <= uint64(len(b)) {
			cta.races.access(w, lane, a, size, write)
		}
		if w.cta.grid.opts.Watch != nil && a+size <= uint64(len(b)) {
			w.tellShared(cta, a, b[a:a+size], lane, write)
		}
	case isa.SpaceLocal:
		b = w.local[lane][:w.sp[lane]]
	case isa.SpaceConst:
		b = w.cta.grid.mem.consts
	case isa.SpaceParam:
		b = w.cta.grid.mem.params
	default:
		w.Fail(lane, "no access to space %s", space)
	}
	if a > uint64(len(b)) || size > uint64(len(b))-a {
		w.Fail(lane, "%s address %#x, %d bytes, is outside of memory", space, a, size)
	}
	if write && (space == isa.SpaceConst || space == isa.SpaceParam) {
		w.Fail(lane, "write to %s memory", space)
	}
	return b[a : a+size]
}

func (w *Warp) global(a uint64, lane int, size uint64, write bool) []byte {
	segs := w.cta.grid.mem.segments
	n, off := (a-globalBase)/segmentGap, (a-globalBase)%segmentGap-segmentOff
	if a < globalBase || n >= uint64(len(segs)) || off > uint64(len(segs[n])) || size > uint64(len(segs[n]))-off {
		w.Fail(lane, "global address %#x, %d bytes, is outside of every buffer", a, size)
	}
	b := segs[n][off : off+size]
	if w.cta.grid.opts.Watch != nil {
		w.tell(int(n), off, b, lane, write)
	}
	return b
}

// Get reads a little-endian number of up to eight bytes.
func Get(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// Put writes one.
func Put(b []byte, v uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// AtomicBytes returns memory that an atomic operation of a lane changes.
func (w *Warp) AtomicBytes(space isa.Space, a uint64, lane int, size uint64) []byte {
	w.atomic = true
	b := w.Bytes(space, a, lane, size, size, true)
	w.atomic = false
	return b
}
