package main

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// Tensor maps among the parameters. A load must bring as many bytes as the
// program told its barrier to expect, or it waits for ever: the text says how
// many that are for all loads up to the next expectation. Which of several
// maps brings how many of them, and how much a store takes, is guessed anew in
// each attempt. What a box looks like changes where bytes go, for both
// compilers alike.

// tensorMap is a parameter that is one.
type tensorMap struct {
	param  int
	rank   int
	loaded bool
}

// expected is a number of bytes and the maps of the loads that bring them.
type expected struct {
	bytes uint32
	maps  []int
}

// mapReader finds the tensor maps of a body.
type mapReader struct {
	k    *facts
	b    *sema.Body
	from map[int32]int // registers that hold the address of a parameter
}

// mapSize is how parameters that are maps are told from others.
const mapSize = tensor.Size

func (k *facts) readMaps(b *sema.Body) {
	r := &mapReader{k, b, map[int32]int{}}
	for again := true; again; {
		again = false
		for n := range b.Instrs {
			again = r.flow(&b.Instrs[n]) || again
		}
	}
	for n := range b.Instrs {
		r.use(&b.Instrs[n])
	}
}

// flow follows addresses of parameters.
func (r *mapReader) flow(in *sema.Inst) bool {
	args := r.b.Of(in.Args)
	if in.Op != isa.WMov && in.Op != isa.WCvta || len(args) != 2 || args[0].Kind != isa.KReg {
		return false
	}
	p, ok := r.param(&args[1])
	if _, known := r.from[args[0].Ref]; known || !ok {
		return false
	}
	r.from[args[0].Ref] = p
	return true
}

// param is the parameter whose address an operand is.
func (r *mapReader) param(a *sema.Operand) (int, bool) {
	if a.Kind == isa.KReg || a.Kind == isa.KAddr && a.Base == isa.KReg {
		p, ok := r.from[a.Ref]
		return p, ok
	}
	if (a.Kind == isa.KSymbol || a.Kind == isa.KAddr && a.Base == isa.KSymbol) && a.Formal() >= 0 {
		n := int(a.Formal())
		return n, r.k.fn.Params[n].Shape.Size() == mapSize
	}
	return 0, false
}

// use notes expectations and copies.
func (r *mapReader) use(in *sema.Inst) {
	args, mods := r.b.Of(in.Args), r.b.ModsOf(in)
	switch {
	case in.Op == isa.WMbarrier && slices.Contains(mods, isa.WExpectTx):
		if a := &args[len(args)-1]; a.Kind == isa.KInt {
			r.k.expects = append(r.k.expects, expected{bytes: uint32(a.Value)})
		}
	case in.Op == isa.WCp && slices.Contains(mods, isa.WTensor):
		n, load := 0, in.NSpaces == 2 && in.Spaces[0].Base() != isa.SpaceGlobal
		if load {
			n = 1
		}
		p, ok := r.param(&args[n])
		if !ok {
			return
		}
		es := r.b.Of(args[n].Elems)
		if len(es) == 1 && es[0].Kind == isa.KVector {
			es = r.b.Of(es[0].Elems)
		}
		if !slices.ContainsFunc(r.k.maps, func(m tensorMap) bool { return m.param == p }) {
			r.k.maps = append(r.k.maps, tensorMap{p, len(es), load})
		}
		if k := len(r.k.expects); load && k > 0 {
			r.k.expects[k-1].maps = append(r.k.expects[k-1].maps, p)
		}
	case in.Op == isa.WWgmma && in.NTypes > 1:
		r.k.factor = in.Types[1]
	}
}

// shares are how two maps divide what a barrier expects, by powers of two.
var shares = [...][2]uint32{{1, 1}, {1, 2}, {2, 1}, {1, 4}, {4, 1}, {1, 8}, {8, 1}, {1, 16}, {16, 1}}

// stored are the sizes that boxes of stores are tried with: large ones may
// overlap those of other warps.
var stored = [...]uint32{2048, 1024, 4096, 512, 256, 8192, 128, 16384, 32768}

// boxes guesses the bytes of the box of every map.
func (k *facts) boxes(try int) map[int]uint32 {
	size := map[int]uint32{}
	for again := true; again; {
		again = false
		for _, e := range k.expects {
			count, left := map[int]uint32{}, e.bytes
			for _, p := range e.maps {
				if s := size[p]; s != 0 {
					left -= s
				} else {
					count[p]++
				}
			}
			if k.share(count, left, try, size) {
				again = true
			}
		}
	}
	for _, m := range k.maps {
		if size[m.param] == 0 {
			size[m.param] = stored[try%len(stored)]
		}
	}
	return size
}

// share divides bytes between the one or two maps whose boxes are unknown.
func (k *facts) share(count map[int]uint32, left uint32, try int, size map[int]uint32) bool {
	var list []int
	for _, m := range k.maps {
		if count[m.param] > 0 {
			list = append(list, m.param)
		}
	}
	switch len(list) {
	case 1:
		size[list[0]] = left / count[list[0]]
	case 2:
		s := shares[try%len(shares)]
		unit := left / (s[0]*count[list[0]] + s[1]*count[list[1]])
		size[list[0]], size[list[1]] = s[0]*unit, s[1]*unit
	default:
		return false
	}
	return size[list[0]] != 0
}

// mapArgument makes a map of a tensor in a buffer of its own.
// Coordinates count elements, so boxes of too narrow ones overlap: their size
// is that of the factors in one attempt and the other one in the next.
func (k *facts) mapArgument(m *tensorMap, bytes uint32, try int, seed uint64) (launch.Arg, bool) {
	t := tensor.Map{Rank: m.rank, Type: tensor.U16, Step: [5]uint32{1, 1, 1, 1, 1}}
	if narrow := k.factor == isa.F16 || k.factor == isa.BF16; narrow == (try%2 != 0) {
		t.Type = tensor.U32
	}
	if m.rank == 1 {
		t.Type = tensor.U64
	}
	left := bytes / uint32(t.Elem())
	for d := range m.rank {
		most := uint32(256)
		if d == 0 && m.rank > 1 {
			most = 128 / uint32(t.Elem())
		}
		b := min(left, most)
		for b > 1 && left%b != 0 {
			b--
		}
		t.Box[d], left = max(b, 1), left/max(b, 1)
	}
	t.Stride[0] = t.Elem()
	total := t.Elem()
	for d := range m.rank {
		t.Dim[d] = uint64(t.Box[d]) * 4
		if d > 1 {
			t.Dim[d] = uint64(t.Box[d]) * 2
		}
		if d > 0 {
			t.Stride[d] = total
		}
		total *= t.Dim[d]
	}
	if left != 1 || uint64(t.Box[0])*t.Elem()%16 != 0 || total > maxTotal/8 {
		return launch.Arg{}, false
	}
	b := t.Encode()
	return launch.Arg{Bytes: b[:], Ptrs: []launch.Ptr{{Offset: 0, Buf: int(total), Fill: k.mapFill(), Seed: seed}}}, true
}

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
