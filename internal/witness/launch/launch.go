// Package launch describes how a kernel is started: grid, block, buffers
// and scalars. One description serves every witness: the PTX interpreter,
// the SASS simulator and the GPU see the same bytes. Descriptions stand in
// comments of the PTX file itself:
//
//	//: run saxpy grid=4 block=128 smem=0
//	//: buf 2048 f32 1          2048 bytes of random f32 made from seed 1
//	//: buf 2048 zero
//	//: f32 2.5
//	//: u32 512
//
// Arguments follow their run line in the order of the kernel's parameters.
package launch

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Launch is one start of one kernel.
type Launch struct {
	Kernel  string    `json:"kernel"`
	Grid    [3]uint32 `json:"grid"`
	Block   [3]uint32 `json:"block"`
	Cluster [3]uint32 `json:"cluster,omitzero"` // zero: as the kernel says
	Smem    uint32    `json:"smem,omitempty"`   // dynamic shared memory in bytes
	Args    []Arg     `json:"args"`
	Refs    []Texture `json:"refs,omitempty"` // bound to names instead of passed
}

// Arg is one kernel argument: a pointer to a fresh buffer, or plain bytes,
// or bytes with pointers to buffers inside.
type Arg struct {
	Buf   int    `json:"buf,omitempty"`   // size of the buffer; 0 = not a buffer
	Fill  string `json:"fill,omitempty"`  // what the buffer holds at first
	Seed  uint64 `json:"seed,omitempty"`  // for random fills
	Bytes []byte `json:"bytes,omitempty"` // of a scalar
	Ptrs  []Ptr  `json:"ptrs,omitempty"`  // pointers inside Bytes

	Tex *Texture `json:"tex,omitempty"` // the handle of a texture or surface
}

// Ptr is a pointer stored inside a scalar argument, as structures passed by
// value have them. Several may point into one buffer, and one may stand in the
// buffer of another, as lists of pointers do.
type Ptr struct {
	Offset int    `json:"offset"`
	Buf    int    `json:"buf"`
	Fill   string `json:"fill"`
	Seed   uint64 `json:"seed"`
	Data   []byte `json:"data,omitempty"` // what the buffer begins with, instead of the fill
	Same   int    `json:"same,omitempty"` // 1 + the number of the pointer whose buffer this one points into
	At     int    `json:"at,omitempty"`   // so many bytes behind its beginning
	In     int    `json:"in,omitempty"`   // 1 + the number of the pointer in whose buffer this one stands
}

// Own reports whether the pointer has a buffer of its own.
func (q *Ptr) Own() bool { return q.Same == 0 }

// Plain reports whether all pointers of the argument stand in its bytes and
// have buffers with a fill.
func (a *Arg) Plain() bool {
	for n := range a.Ptrs {
		if q := &a.Ptrs[n]; !q.Own() || q.In > 0 || q.Data != nil {
			return false
		}
	}
	return true
}

// Place makes the buffers behind the pointers inside b, the argument's bytes,
// tells where each begins and writes the pointers. It returns the buffers in
// the order of their pointers.
func (a *Arg) Place(b []byte, alloc func([]byte) uint64) ([][]byte, error) {
	var own [][]byte
	bufs, starts := make([][]byte, len(a.Ptrs)), make([]uint64, len(a.Ptrs))
	for n := range a.Ptrs {
		q := &a.Ptrs[n]
		if q.Same > n || q.In > n {
			return nil, fmt.Errorf("pointer %d names a later one", n)
		}
		if q.Own() {
			bufs[n] = Data(q.Fill, q.Seed, q.Buf)
			copy(bufs[n], q.Data)
			starts[n] = alloc(bufs[n])
			own = append(own, bufs[n])
		} else {
			bufs[n], starts[n] = bufs[q.Same-1], starts[q.Same-1]
		}
		into := b
		if q.In > 0 {
			into = bufs[q.In-1]
		}
		if q.Offset < 0 || q.Offset+8 > len(into) {
			return nil, fmt.Errorf("pointer %d lies outside of its bytes", n)
		}
		binary.LittleEndian.PutUint64(into[q.Offset:], starts[n]+uint64(q.At))
	}
	return own, nil
}

// Threads returns the number of threads of a block.
func (l *Launch) Threads() int { return int(l.Block[0]) * int(l.Block[1]) * int(l.Block[2]) }

// Data makes the first contents of a buffer. The same fill, seed and size
// give the same bytes everywhere.
func Data(fill string, seed uint64, size int) []byte {
	b := make([]byte, size)
	for _, f := range fills {
		if f.name != fill {
			continue
		}
		r := random{seed ^ 0x9E3779B97F4A7C15}
		for n := 0; n+f.step <= size; n += f.step {
			f.make(b[n:n+f.step], n/f.step, &r)
		}
	}
	return b
}

// fills are the kinds of contents a buffer can start with.
var fills = [...]struct {
	name string
	step int
	make func(b []byte, n int, r *random)
}{
	{"zero", 1, func([]byte, int, *random) {}},
	{"ones", 1, func(b []byte, _ int, _ *random) { b[0] = 0xff }},
	{"bits", 8, func(b []byte, _ int, r *random) { binary.LittleEndian.PutUint64(b, r.next()) }},
	{"iota", 4, func(b []byte, n int, _ *random) { binary.LittleEndian.PutUint32(b, uint32(n)) }},
	{"small", 4, func(b []byte, _ int, r *random) { binary.LittleEndian.PutUint32(b, uint32(r.next()%64)) }},
	{"small16", 2, func(b []byte, _ int, r *random) { binary.LittleEndian.PutUint16(b, uint16(r.next()%64)) }},
	{"small64", 8, func(b []byte, _ int, r *random) { binary.LittleEndian.PutUint64(b, r.next()%64) }},
	{"bool", 1, func(b []byte, _ int, r *random) { b[0] = byte(r.next() >> 13 & 1) }},
	{"u8", 1, func(b []byte, _ int, r *random) { b[0] = byte(r.next() >> 13) }},
	{"f32", 4, func(b []byte, _ int, r *random) {
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(r.unit()*4-2)))
	}},
	{"pos32", 4, func(b []byte, _ int, r *random) {
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(r.unit()*4+0.125)))
	}},
	{"f64", 8, func(b []byte, _ int, r *random) {
		binary.LittleEndian.PutUint64(b, math.Float64bits(r.unit()*4-2))
	}},
	{"f16", 2, func(b []byte, _ int, r *random) {
		// finite halves between 2^-14 and 4, of both signs
		x := r.next()
		binary.LittleEndian.PutUint16(b, uint16(x>>32&0x8000|(1+x%17)<<10|x>>20&0x3ff))
	}},
	{"whole", 4, func(b []byte, _ int, r *random) {
		// f32 that are whole numbers of eight bits: sums of eighths of them are exact
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(r.next()>>20&255)))
	}},
	{"whole64", 8, func(b []byte, _ int, r *random) { // the same as f64
		binary.LittleEndian.PutUint64(b, math.Float64bits(float64(r.next()>>20&255)))
	}},
	{"whole16", 2, func(b []byte, _ int, r *random) { // f16 from 0 to 3
		binary.LittleEndian.PutUint16(b, [4]uint16{0, 0x3c00, 0x4000, 0x4200}[r.next()>>20&3])
	}},
	{"wholeb16", 2, func(b []byte, _ int, r *random) { // bf16, 0 or 1: sums of more than 256 are not exact
		binary.LittleEndian.PutUint16(b, [4]uint16{0, 0, 0, 0x3f80}[r.next()>>20&3])
	}},
	{"few", 4, func(b []byte, _ int, r *random) { binary.LittleEndian.PutUint32(b, uint32(r.next()>>20&7)) }},
	{"few16", 2, func(b []byte, _ int, r *random) { binary.LittleEndian.PutUint16(b, uint16(r.next()>>20&7)) }},
	{"few64", 8, func(b []byte, _ int, r *random) { binary.LittleEndian.PutUint64(b, r.next()>>20&7) }},
	{"edge", 8, edge},
	{"f8", 1, func(b []byte, _ int, r *random) {
		// finite numbers of both 8-bit formats, of both signs
		x := r.next() >> 13
		b[0] = byte(x&0x80 | x>>8%0x7c)
	}},
	{"scales", 1, func(b []byte, _ int, r *random) { b[0] = byte(120 + r.next()>>13%8) }}, // ue8m0 from 2^-7 to 1
	{"bf16", 2, func(b []byte, _ int, r *random) {
		binary.LittleEndian.PutUint16(b, uint16(math.Float32bits(float32(r.unit()*4-2))>>16))
	}},
}

// IsFill reports whether name is a known kind of contents.
func IsFill(name string) bool {
	for i := range fills {
		if fills[i].name == name {
			return true
		}
	}
	return false
}

// random is a 64-bit SplitMix generator: tiny, and the same everywhere.
type random struct{ s uint64 }

func (r *random) next() uint64 {
	r.s += 0x9E3779B97F4A7C15
	z := r.s
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

// scalars are the argument kinds that are plain numbers.
var scalars = [...]struct {
	name string
	size int
	make func(s string) (uint64, error)
}{
	{"u8", 1, integer},
	{"u16", 2, integer},
	{"u32", 4, integer},
	{"s32", 4, integer},
	{"u64", 8, integer},
	{"s64", 8, integer},
	{"f32", 4, func(s string) (uint64, error) {
		f, err := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(f))), err
	}},
	{"f64", 8, func(s string) (uint64, error) {
		f, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(f), err
	}},
}

func integer(s string) (uint64, error) {
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(v), nil
	}
	return strconv.ParseUint(s, 0, 64)
}

// Parse finds the launch descriptions in the comments of a PTX text.
func Parse(text string) ([]Launch, error) {
	var list []Launch
	for n, line := range strings.Split(text, "\n") {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//:")
		if !ok {
			continue
		}
		words := strings.Fields(rest)
		if len(words) == 0 {
			continue
		}
		var err error
		if words[0] == "run" {
			var l Launch
			l, err = parseRun(words[1:])
			list = append(list, l)
		} else if len(list) == 0 {
			err = fmt.Errorf("argument before the first run")
		} else {
			var a Arg
			a, err = parseArg(words)
			if l := &list[len(list)-1]; a.Tex != nil && a.Tex.Ref != "" {
				l.Refs = append(l.Refs, *a.Tex)
			} else {
				l.Args = append(l.Args, a)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %v", n+1, err)
		}
	}
	return list, nil
}

func parseRun(words []string) (Launch, error) {
	l := Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}
	if len(words) == 0 {
		return l, fmt.Errorf("run without a kernel")
	}
	l.Kernel = words[0]
	for _, w := range words[1:] {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return l, fmt.Errorf("%q is not key=value", w)
		}
		var dst []uint32
		switch key {
		case "grid":
			dst = l.Grid[:]
		case "block":
			dst = l.Block[:]
		case "cluster":
			l.Cluster = [3]uint32{1, 1, 1}
			dst = l.Cluster[:]
		case "smem":
			v, err := strconv.ParseUint(value, 0, 32)
			if err != nil {
				return l, err
			}
			l.Smem = uint32(v)
			continue
		default:
			return l, fmt.Errorf("unknown key %q", key)
		}
		for k, s := range strings.Split(value, ",") {
			v, err := strconv.ParseUint(s, 0, 32)
			if err != nil || k >= 3 || v == 0 {
				return l, fmt.Errorf("bad size %q", value)
			}
			dst[k] = uint32(v)
		}
	}
	return l, nil
}

func parseArg(words []string) (Arg, error) {
	if len(words) < 2 {
		return Arg{}, fmt.Errorf("%q has no value", words[0])
	}
	switch words[0] {
	case "buf":
		size, err := strconv.Atoi(words[1])
		if err != nil || size <= 0 {
			return Arg{}, fmt.Errorf("bad buffer size %q", words[1])
		}
		a := Arg{Buf: size, Fill: "zero"}
		if len(words) > 2 {
			a.Fill = words[2]
		}
		if !IsFill(a.Fill) {
			return Arg{}, fmt.Errorf("unknown contents %q", a.Fill)
		}
		if len(words) > 3 {
			if a.Seed, err = strconv.ParseUint(words[3], 0, 64); err != nil {
				return Arg{}, err
			}
		}
		return a, nil
	case "tex", "surf":
		t, err := parseTexture(words[1:], words[0] == "surf")
		return Arg{Tex: t}, err
	case "hex":
		b, err := hex.DecodeString(words[1])
		return Arg{Bytes: b}, err
	}
	for _, s := range scalars {
		if s.name == words[0] {
			v, err := s.make(words[1])
			b := binary.LittleEndian.AppendUint64(nil, v)
			return Arg{Bytes: b[:s.size]}, err
		}
	}
	return Arg{}, fmt.Errorf("unknown argument kind %q", words[0])
}
