package main

import (
	"time"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// Tensor maps among the parameters. A load must bring as many bytes as the
// program told its barrier to expect, or it waits for ever; a box of a store
// must not reach into its neighbour, or both write one place. A probe tells
// what barriers expect of which maps and how far boxes are apart; what it
// leaves open is guessed anew in each attempt. What a box looks like beyond
// that changes where bytes go, for both compilers alike.

// readTensors notes whether a body copies tensors and what it multiplies.
func (k *facts) readTensors(b *sema.Body) {
	for n := range b.Instrs {
		in := &b.Instrs[n]
		switch {
		case in.Op == isa.WCp:
			for _, w := range b.ModsOf(in) {
				k.tensors = k.tensors || w == isa.WTensor
			}
		case in.Op == isa.WWgmma && in.NTypes > 1:
			k.factor = in.Types[1]
		}
	}
}

// guess makes the launch of an attempt, with maps where the kernel asks for
// some.
func (k *facts) guess(p *ptxvm.Program, a *attempt, window int, seed uint64, until time.Time) launch.Launch {
	l := k.launchOf(a, window, seed)
	if !k.tensors {
		return l
	}
	x := probe(p, &l, until)
	size := k.boxes(x, int(seed))
	for n := range x.maps {
		k.place(&l, &x.maps[n], size[n], int(seed))
	}
	return l
}

// place writes a map where the probe found it.
func (k *facts) place(l *launch.Launch, u *mapUse, bytes uint64, try int) {
	for n := range k.fn.Params {
		f := &k.fn.Params[n]
		at := u.offset - int(f.Offset)
		if at < 0 || at+tensor.Size > int(f.Shape.Size()) {
			continue
		}
		m, total, ok := k.mapOf(u, bytes, try)
		if !ok {
			return
		}
		b := m.Encode()
		copy(l.Args[n].Bytes[at:], b[:])
		q := launch.Ptr{Offset: at, Buf: int(total), Fill: k.mapFill(), Seed: uint64(try + n + at)}
		l.Args[n].Ptrs = append(l.Args[n].Ptrs, q)
	}
}

// shares are how two maps divide what a barrier expects, by powers of two.
var shares = [...][2]uint64{{1, 1}, {1, 2}, {2, 1}, {1, 4}, {4, 1}, {1, 8}, {8, 1}, {1, 16}, {16, 1}}

// stored are the sizes that boxes of stores are tried with where nothing is
// known: large ones may overlap those of other warps.
var stored = [...]uint64{2048, 1024, 4096, 512, 256, 8192, 128, 16384, 32768}

// boxes guesses the bytes of the box of every map.
func (k *facts) boxes(x *probed, try int) []uint64 {
	size, expects := make([]uint64, len(x.maps)), x.expects
	if !x.consistent() {
		expects = x.totals()
	}
	for again := true; again; {
		again = false
		for _, e := range expects {
			again = x.solve(&e, size, try) || again
		}
	}
	for n := range x.maps {
		if size[n] == 0 {
			size[n] = x.maps[n].area(k.elem(&x.maps[n], try), x.gap(n), try)
		}
	}
	return size
}

// solve finds the boxes that one expectation leaves no choice about, or, where
// only guesses are left, guesses.
func (x *probed) solve(e *brought, size []uint64, try int) bool {
	var open []int
	left, gaps := e.bytes, uint64(0)
	for n := range x.maps {
		c := e.count[n]
		if size[n] != 0 {
			left -= c * size[n]
		} else if c > 0 {
			open = append(open, n)
			gaps += c * x.gap(n)
		}
	}
	switch {
	case len(open) == 0 || int64(left) <= 0:
		return false
	case len(open) == 1:
		size[open[0]] = left / e.count[open[0]]
	case gaps == left: // boxes that lie side by side
		for _, n := range open {
			size[n] = x.gap(n)
		}
	case len(open) == 2:
		s := shares[try%len(shares)]
		unit := left / (s[0]*e.count[open[0]] + s[1]*e.count[open[1]])
		size[open[0]], size[open[1]] = s[0]*unit, s[1]*unit
	default:
		return false
	}
	return size[open[0]] != 0
}

// area guesses the box of a store: what lies between coordinates, as far as
// shared memory holds it.
func (u *mapUse) area(elem, gap uint64, try int) uint64 {
	n, known := elem, true
	for d := range u.rank {
		if s := u.step(d); s > 0 {
			n *= uint64(min(s, maxBox))
		} else {
			known = false
		}
	}
	if gap != 0 && gap < 1<<16 && (!known || n > gap) {
		return gap
	}
	if !known || try > 1 {
		return stored[try%len(stored)]
	}
	return n
}

// maxBox is the most elements of a box in one dimension.
const maxBox = 256

// elem is the size of elements: that of the factors in one attempt and the
// other one in the next. Coordinates count elements, so boxes of too narrow
// ones overlap. A line of a box has sixteen bytes at least.
func (k *facts) elem(u *mapUse, try int) uint64 {
	e := uint64(4)
	if narrow := k.factor == isa.F16 || k.factor == isa.BF16; narrow == (try%2 == 0) {
		e = 2
	}
	for s := uint64(u.step(0)); s > 0 && s*e < 16 && e < 8; {
		e *= 2
	}
	return e
}

// shape divides the elements of a box between its dimensions: no more in each
// than lie between coordinates where that is known.
func (u *mapUse) shape(left, elem uint64, strict bool) (box [5]uint32, ok bool) {
	for d := range u.rank {
		most := uint64(maxBox)
		if d == 0 && u.rank > 1 {
			most = 128 / elem
		}
		if s := u.step(d); s > 0 && strict {
			most = min(maxBox, uint64(s))
		}
		b := min(left, most)
		for b > 1 && left%b != 0 {
			b--
		}
		box[d], left = uint32(max(b, 1)), left/max(b, 1)
	}
	return box, left == 1 && uint64(box[0])*elem%16 == 0
}

// mapOf makes a map whose tensor reaches as far as its coordinates do, where
// that is not too much, and tells how many bytes the tensor has.
func (k *facts) mapOf(u *mapUse, bytes uint64, try int) (m tensor.Map, total uint64, ok bool) {
	m = tensor.Map{Rank: u.rank, Type: tensor.U16, Step: [5]uint32{1, 1, 1, 1, 1}}
	switch k.elem(u, try) {
	case 4:
		m.Type = tensor.U32
	case 8:
		m.Type = tensor.U64
	}
	if u.rank == 1 && bytes > maxBox*m.Elem() {
		m.Type = tensor.U64
	}
	if m.Box, ok = u.shape(bytes/m.Elem(), m.Elem(), true); !ok {
		m.Box, ok = u.shape(bytes/m.Elem(), m.Elem(), false)
	}
	for _, far := range [...]bool{true, false} {
		m.Stride[0], total = m.Elem(), m.Elem()
		for d := range u.rank {
			m.Dim[d] = uint64(m.Box[d]) * 2
			if last := u.at[d][len(u.at[d])-1]; far && last > 0 {
				m.Dim[d] = uint64(last) + uint64(m.Box[d])
			}
			if d == 0 {
				m.Dim[0] = (m.Dim[0] + 15) &^ 15 // strides are multiples of sixteen bytes
			} else {
				m.Stride[d] = total
			}
			total *= m.Dim[d]
		}
		if total <= maxTensor {
			return m, total, ok
		}
	}
	return m, total, false
}

// maxTensor bounds the bytes of a tensor.
const maxTensor = maxTotal / 8

// mapFill is what tensors hold: numbers of the type that is multiplied.
func (k *facts) mapFill() string {
	switch k.factor {
	case isa.F16:
		return "f16"
	case isa.BF16:
		return "bf16"
	case isa.E4M3, isa.E5M2:
		return "f8"
	case isa.S8, isa.U8:
		return "u8"
	}
	return "f32"
}
