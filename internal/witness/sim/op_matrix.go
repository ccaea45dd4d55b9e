package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"goptxas/internal/engine/fp"
)

// Matrices spread over a warp. Lane l holds row l/4 of an 8×8 matrix of
// 16-bit elements, columns 2·(l%4) and the next; its transpose the same with
// rows and columns changed.

// LDSM: rows of 16 bytes of shared memory, eight to a matrix; the lanes from
// 8n up give the addresses of matrix n.
func ldsm(w *warp, i *inst, m uint32) {
	count := int(i.dw)
	var rows [32][]byte
	for r := range 8 * count {
		if rows[r] = w.bytes(spShared, r, w.addr32(&i.addr[0], r), 16, false); rows[r] == nil {
			return
		}
		rows[r] = slices.Clone(rows[r])
	}
	d := i.d[0]
	for n := range count {
		for k := m; k != 0; k &= k - 1 {
			l := lane(k)
			w.r[d][l] = fragment(i.sub == 1, l, func(r, c int) uint32 {
				return uint32(binary.LittleEndian.Uint16(rows[8*n+r][2*c:]))
			})
		}
		d = nextRow(d)
	}
}

// fragment packs the two elements of a lane.
func fragment(transposed bool, l int, at func(r, c int) uint32) uint32 {
	r, c := l/4, l%4*2
	if transposed {
		return at(c, r) | at(c+1, r)<<16
	}
	return at(r, c) | at(r, c+1)<<16
}

// element is entry r, c of a matrix held by a row of registers.
func element(v *[32]uint32, r, c int) uint32 { return v[4*r+c/2] >> (c & 1 * 16) & 0xffff }

// STSM: the other way.
func stsm(w *warp, i *inst, _ uint32) {
	for n := range i.wide {
		v := *w.row(behind(i.s[0].row, uint16(n)))
		for r := range 8 {
			l := 8*int(n) + r
			b := w.bytes(spShared, l, w.addr32(&i.addr[0], l), 16, true)
			if b == nil {
				return
			}
			for c := range 8 {
				x := element(&v, r, c)
				if i.sub == 1 {
					x = element(&v, c, r)
				}
				binary.LittleEndian.PutUint16(b[2*c:], uint16(x))
			}
		}
	}
}

// MOVM: transposes a matrix.
func movm(w *warp, i *inst, m uint32) {
	v := *w.row(i.s[0].row)
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		w.r[i.d[0]][l] = fragment(true, l, func(r, c int) uint32 { return element(&v, r, c) })
	}
}

func prepMatrix(i *inst, parts []string) error {
	if !slices.Contains(parts, "16") {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	switch pick(parts, -1, "M88", "MT88") {
	case 0:
	case 1:
		i.sub = 1
	default:
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	return nil
}

// after is row n of a destination.
func after(d, n uint16) uint16 {
	for range n {
		d = nextRow(d)
	}
	return d
}

// product of matrices: what HMMA and IMMA share. Elements of n bits lie 32/n
// to a register along the inner dimension; registers alternate between the
// upper and the lower eight rows of A.
type mma struct {
	rows, depth int
	per         int // elements in a register
}

// a returns register, lane and place of element r, k of the first factor.
func (x *mma) a(r, k int) (reg uint16, l, at int) {
	chunk, in := k/(4*x.per), k%(4*x.per)
	reg = uint16(chunk)
	if x.rows == 16 {
		reg = uint16(2*chunk + r/8)
	}
	return reg, r%8*4 + in/x.per, in % x.per
}

// b returns those of element k, c of the second.
func (x *mma) b(k, c int) (reg uint16, l, at int) {
	chunk, in := k/(4*x.per), k%(4*x.per)
	return uint16(chunk), c*4 + in/x.per, in % x.per
}

// shapeMMA reads 16816 and its like: rows, eight columns, depth.
func shapeMMA(i *inst, parts []string, per int) error {
	for _, p := range parts {
		for _, rows := range []string{"168", "88"} {
			if len(p) > len(rows) && p[:len(rows)] == rows {
				if d, err := strconv.Atoi(p[len(rows):]); err == nil {
					i.shape = mma{rows: 8, depth: d, per: per}
					if rows == "168" {
						i.shape.rows = 16
					}
					return nil
				}
			}
		}
	}
	return fmt.Errorf("unknown shape")
}

func prepHmma(i *inst, parts []string) error {
	if slices.Contains(parts, "SP") || slices.Contains(parts, "884") {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.dst = fp.F16
	if slices.Contains(parts, "F32") {
		i.dst = fp.F32
	}
	per := 2
	switch pick(parts, 0, "F16", "BF16", "TF32") {
	case 1:
		i.src = fp.BF16
	case 2:
		i.src, per = fp.TF32, 1
	default:
		i.src = fp.F16
	}
	if slices.Contains(parts, "BF16") {
		i.src = fp.BF16
	}
	if slices.Contains(parts, "TF32") {
		i.src, per = fp.TF32, 1
	}
	return shapeMMA(i, parts, per)
}

// HMMA: a product of matrices and a sum. The machine adds the products of
// one element with a common exponent and cuts what lies below; here the sum
// is made in f64 and cut to the result's format, which agrees where nothing
// is lost and is close elsewhere.
func hmma(w *warp, i *inst, m uint32) {
	if m != ^uint32(0) {
		w.fail(lane(^m), "a matrix product with lanes missing")
		return
	}
	x := &i.shape
	var out [16][8]float64
	for r := range x.rows {
		for c := range 8 {
			out[r][c] = w.accumulator(i, r, c)
			for k := range x.depth {
				reg, l, at := x.a(r, k)
				a := w.narrow(i, &i.s[0], reg, l, at)
				reg, l, at = x.b(k, c)
				out[r][c] += a * w.narrow(i, &i.s[1], reg, l, at)
			}
		}
	}
	for l := range 32 {
		for h := range uint16(x.rows / 8) {
			r, c := l/4+8*int(h), l%4*2
			lo, hi := cut(i, out[r][c]), cut(i, out[r][c+1])
			if i.dst == fp.F16 {
				w.r[after(i.d[0], h)][l] = pack(lo, hi)
			} else {
				w.r[after(i.d[0], 2*h)][l], w.r[after(i.d[0], 2*h+1)][l] = uint32(lo), uint32(hi)
			}
		}
	}
}

func cut(i *inst, v float64) uint64 {
	mode := fp.Mode{Round: fp.RZ}
	if i.dst == fp.F16 {
		mode.Round = fp.RN
	}
	return fp.Convert(fp.F64, i.dst, math.Float64bits(v), mode)
}

// narrow reads an element of a factor.
func (w *warp) narrow(i *inst, s *opnd, reg uint16, l, at int) float64 {
	v := uint64(w.row(behind(s.row, reg))[l])
	if i.src == fp.TF32 {
		v &^= 1<<13 - 1
	} else {
		v = v >> (16 * at) & 0xffff
	}
	f := math.Float64frombits(fp.Convert(i.src, fp.F64, v, fp.Mode{}))
	if s.neg {
		f = -f
	}
	return f
}

// accumulator reads entry r, c of the addend.
func (w *warp) accumulator(i *inst, r, c int) float64 {
	l, h := r%8*4+c/2, uint16(r/8)
	row := i.s[2].row
	if i.dst == fp.F16 {
		v := w.row(behind(row, h))[l] >> (c & 1 * 16) & 0xffff
		return math.Float64frombits(fp.Convert(fp.F16, fp.F64, uint64(v), fp.Mode{}))
	}
	return float64(math.Float32frombits(w.row(behind(row, 2*h+uint16(c&1)))[l]))
}

func prepImma(i *inst, parts []string) error {
	var types []fp.Int
	for _, p := range parts {
		if t, ok := intType(p); ok {
			types = append(types, t)
		}
	}
	if slices.Contains(parts, "SP") || len(types) != 2 || types[0].Bits != 8 || types[1].Bits != 8 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.it, i.it2 = types[0], types[1]
	return shapeMMA(i, parts, 4)
}

// IMMA: the same on bytes, exact; .SAT clamps to 32 bits.
func imma(w *warp, i *inst, m uint32) {
	if m != ^uint32(0) {
		w.fail(lane(^m), "a matrix product with lanes missing")
		return
	}
	x := &i.shape
	var out [16][8]uint32
	for r := range x.rows {
		for c := range 8 {
			sum := int64(int32(w.row(behind(i.s[2].row, uint16(r/8*2+c&1)))[r%8*4+c/2]))
			for k := range x.depth {
				reg, l, at := x.a(r, k)
				a := piece(w.row(behind(i.s[0].row, reg))[l]>>(8*at), 8, i.it.Signed)
				reg, l, at = x.b(k, c)
				b := piece(w.row(behind(i.s[1].row, reg))[l]>>(8*at), 8, i.it2.Signed)
				sum += int64(int32(a)) * int64(int32(b))
			}
			if i.mode.Sat {
				sum = min(max(sum, math.MinInt32), math.MaxInt32)
			}
			out[r][c] = uint32(sum)
		}
	}
	for l := range 32 {
		for h := range uint16(x.rows / 8) {
			r, c := l/4+8*int(h), l%4*2
			w.r[after(i.d[0], 2*h)][l], w.r[after(i.d[0], 2*h+1)][l] = out[r][c], out[r][c+1]
		}
	}
}
