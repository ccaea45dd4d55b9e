package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Guessing arguments: a pointer gets a window of memory that holds what its
// loads want to find; an integer, alone or inside a structure, gets a number
// that could be a size, a stride or a count; a float gets a small one.

const (
	maxPtrs  = 256
	maxTotal = 256 << 20 // bytes of all windows together
	maxBlock = 128       // threads, where the kernel does not say
	smem     = 227 << 10 // shared memory, where the kernel has a dynamic part: all that sm_90 gives a block
)

// attempt is one way to guess.
type attempt struct {
	number uint64 // of every integer; 0: a mix
	none   bool   // every integer is zero
	ints   string // contents of integer buffers, "" as the loads want them
	whole  bool   // floats are whole numbers
	block  uint32 // threads of a block, 0: as many as there should be
	grid   uint32 // blocks, 0: likewise
	wide   bool   // every parameter of eight bytes is a pointer
}

// attempts are tried in order. Multiples of 64 keep vector accesses aligned;
// odd numbers reach the tails of loops; few threads leave nothing to race.
var attempts = [...]attempt{
	{number: 64},
	{number: 1000},
	{},
	{number: 128},
	{number: 97},
	{number: 16},
	{number: 64, ints: "few"},
	{number: 64, ints: "zero"},
	{number: 64, ints: "bool"},
	{number: 4096},
	{number: 64, wide: true},
	{number: 4},
	{number: 1},
	{number: 2, ints: "zero"},
	{number: 64, ints: "bits", whole: true},
	{none: true, grid: 1},
	{number: 64, block: 512},
	{number: 1, block: 512},
	{number: 8, block: 512},
	{number: 64, block: 256},
	{number: 64, block: 32, grid: 1},
	{number: 16, block: 32, grid: 1},
	{number: 64, block: 1, grid: 1},
	{number: 8, block: 1, grid: 1},
	{number: 1, block: 1, grid: 1},
	{number: 1 << 16, grid: 64},
}

// windows are the sizes that buffers are tried with: an access outside is
// tried again with a larger one.
var windows = [...]int{128 << 10, 2 << 20, 16 << 20}

// mix is what the numbers of a mixed attempt are drawn from.
var mix = [...]uint64{64, 128, 256, 32, 16, 512}

// launchOf makes the launch of an attempt.
func (k *facts) launchOf(a *attempt, window int, seed uint64) launch.Launch {
	l := launch.Launch{Kernel: k.fn.Name}
	l.Grid, l.Block = k.sizes(a)
	if k.dynamic || k.large() { // which may reach beyond what it declares
		l.Smem = uint32(max(0, smem-k.static))
	}
	r := rand.New(rand.NewPCG(seed, a.number))
	window = min(window, maxTotal/max(1, len(k.ptrs))&^255)
	n := 0
	for p := range k.fn.Params {
		l.Args = append(l.Args, k.argument(p, a, window, seed, r, &n))
	}
	return l
}

// large reports whether each block does much: one that multiplies with its
// warp groups or copies tensors.
func (k *facts) large() bool { return k.factor != 0 || k.tensors }

// sizes chooses grid and block.
func (k *facts) sizes(a *attempt) (grid, block [3]uint32) {
	grid, block = [3]uint32{16, 1, 1}, [3]uint32{maxBlock, 1, 1}
	if k.ctaid[1] || k.ctaid[2] {
		grid[0] = 4
		for d := 1; d < 3; d++ {
			if k.ctaid[d] {
				grid[d] = 2
			}
		}
	}
	if k.tid[1] || k.tid[2] {
		block = [3]uint32{32, 4, 1}
		if k.tid[2] {
			block = [3]uint32{16, 4, 2}
		}
	}
	at := &k.fn.Launch
	if m := at.MaxNTid; m[0] != 0 && k.large() { // warps have roles
		block = [3]uint32{m[0], max(m[1], 1), max(m[2], 1)}
	} else if m[0] != 0 {
		if most := m[0] * max(m[1], 1) * max(m[2], 1); most < block[0]*block[1]*block[2] {
			block = [3]uint32{most, 1, 1}
		}
	}
	if a.grid != 0 {
		grid = [3]uint32{a.grid, 1, 1}
	}
	if k.large() { // a few blocks
		grid = [3]uint32{2, 1, 1}
		if k.ctaid[1] {
			grid[1] = 2
		}
		if k.ctaid[2] {
			grid[0], grid[2] = 1, 2
		}
	}
	if a.block != 0 {
		n := a.block
		if m := at.MaxNTid; m[0] != 0 {
			n = min(n, m[0]*max(m[1], 1)*max(m[2], 1))
		}
		block = [3]uint32{n, 1, 1}
	}
	if q := at.ReqNTid; q[0] != 0 {
		block = [3]uint32{q[0], max(q[1], 1), max(q[2], 1)}
	}
	if c := at.Cluster; c[0] != 0 {
		for d := range grid {
			n := max(c[d], 1)
			grid[d] = (grid[d] + n - 1) / n * n
		}
	}
	return grid, block
}

// argument guesses parameter p; n counts the pointers so far.
func (k *facts) argument(p int, a *attempt, window int, seed uint64, r *rand.Rand, n *int) launch.Arg {
	shape := &k.fn.Params[p].Shape
	size := int(shape.Size())
	var ptrs []launch.Ptr
	add := func(off int, fill string) {
		if a.ints != "" && isInts(fill) {
			fill = a.contents(fill)
		}
		if a.whole {
			fill = wholeFor(fill)
		}
		if *n < maxPtrs && off+8 <= size {
			ptrs = append(ptrs, launch.Ptr{Offset: off, Buf: window, Fill: fill, Seed: seed + uint64(*n)})
			*n++
		}
	}
	for _, q := range k.ptrs {
		if q.param == p {
			add(q.offset, q.fill)
		}
	}
	if a.wide && len(ptrs) == 0 && size == 8 && !shape.Type.IsFloat() {
		add(0, "f32")
	}
	if size == 8 && len(ptrs) == 1 {
		return launch.Arg{Buf: ptrs[0].Buf, Fill: ptrs[0].Fill, Seed: ptrs[0].Seed}
	}
	if shape.Type.IsFloat() && !shape.Array {
		v := 0.1 + 1.9*r.Float64()
		switch size {
		case 4:
			return launch.Arg{Bytes: binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))}
		case 8:
			return launch.Arg{Bytes: binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))}
		}
	}
	if a.none {
		return launch.Arg{Bytes: make([]byte, size), Ptrs: ptrs}
	}
	return launch.Arg{Bytes: numbers(size, a.number, r), Ptrs: ptrs}
}

// contents names what an attempt gives a buffer of integers.
func (a *attempt) contents(fill string) string {
	if a.ints != "few" {
		return a.ints
	}
	switch fill {
	case "small16":
		return "few16"
	case "small64":
		return "few64"
	case "bool":
		return "bool"
	}
	return "few"
}

func isInts(fill string) bool {
	switch fill {
	case "small", "small16", "small64", "bool":
		return true
	}
	return false
}

// numbers fills a scalar, or a structure word by word.
func numbers(size int, number uint64, r *rand.Rand) []byte {
	b := make([]byte, 0, size+8)
	for len(b) < size {
		v := number
		if v == 0 {
			v = mix[r.IntN(len(mix))]
		}
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b[:size]
}

// unknown makes a launch for a kernel that nobody could try: wide guards
// around its windows and all the shared memory there is.
func (k *facts) unknown(n int, seed uint64) launch.Launch {
	a := attempts[n%len(attempts)]
	l := k.launchOf(&a, unknownWindow, seed)
	if k.dynamic {
		l.Smem = gpu.AllShared
	}
	return l
}

// unknownWindow and unknownGuard are what such a launch gives a pointer.
const (
	unknownWindow = 4 << 20
	unknownGuard  = 12 << 20
)
