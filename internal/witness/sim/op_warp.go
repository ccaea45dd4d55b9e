package sim

import (
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// Operations across the lanes of a warp. They see the lanes of the running
// group whose guard holds.

// lanes is the mask that an operation with a uniform result works on.
func (w *warp) lanes(i *inst) uint32 { return w.act & (w.p[i.guard] ^ i.gneg) }

// fill writes a uniform row.
func (w *warp) fill(row uint16, v uint32) {
	r := &w.r[row]
	for l := range r {
		r[l] = v
	}
}

func all(b bool) uint32 {
	if b {
		return ^uint32(0)
	}
	return 0
}

// Votes.
const (
	voteAll = iota
	voteAny
	voteEq
)

// VOTE and VOTEU: the predicate says whether all, any or equally many lanes
// vote; the register holds the votes.
func vote(w *warp, i *inst, m uint32) {
	in := w.lanes(i)
	v := w.pred(i.ps[0]) & in
	var yes bool
	switch i.sub {
	case voteAll:
		yes = v == in
	case voteAny:
		yes = v != 0
	case voteEq:
		yes = v == 0 || v == in
	}
	w.setp(i.pd[0], m, all(yes))
	for ; m != 0; m &= m - 1 {
		w.r[i.d[0]][lane(m)] = v
	}
}

// Ways of SHFL.
const (
	shflIdx = iota
	shflUp
	shflDown
	shflBfly
)

// SHFL: each lane takes a's value from another one. c holds the clamp in
// bits 0 to 4 and the segment mask in bits 8 to 12. A lane that is not there
// gives whatever its register holds.
func shfl(w *warp, i *inst, m uint32) {
	a, b, c := *w.row(i.s[0].row), w.row(i.s[1].row), w.row(i.s[2].row)
	d := &w.r[i.d[0]]
	var p uint32
	var out [32]uint32
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		from, ok := shflFrom(i.sub, uint32(l), b[l]&31, c[l])
		if ok {
			p |= 1 << l
		} else {
			from = uint32(l)
		}
		out[l] = a[from&31]
	}
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		d[l] = out[l]
	}
	w.setp(i.pd[0], m, p)
}

func shflFrom(mode uint8, l, b, c uint32) (uint32, bool) {
	clamp, seg := c&31, c>>8&31
	top := l&seg | clamp&^seg
	switch mode {
	case shflUp:
		j := int(l) - int(b)
		return uint32(j), j >= int(top)
	case shflDown:
		return l + b, l+b <= top
	case shflBfly:
		return l ^ b, l^b <= top
	}
	j := l&seg | b&^seg
	return j, j <= top
}

// MATCH: the lanes with the same value; .ALL: all lanes if they agree.
func match(w *warp, i *inst, m uint32) {
	a, h := *w.row(i.s[0].row), [32]uint32{}
	if i.size == 8 {
		h = *w.row(i.s[0].hi)
	}
	d := &w.r[i.d[0]]
	agree := true
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		var same uint32
		for q := m; q != 0; q &= q - 1 {
			if n := lane(q); a[n] == a[l] && h[n] == h[l] {
				same |= 1 << n
			}
		}
		agree = agree && same == m
		d[l] = same
	}
	if i.sub == 0 {
		return
	}
	for k := m; k != 0; k &= k - 1 {
		d[lane(k)] = m & all(agree)
	}
	w.setp(i.pd[0], m, all(agree))
}

// Reductions.
const (
	reduxAnd = iota
	reduxOr
	reduxXor
	reduxSum
	reduxMin
	reduxMax
)

// REDUX: one value from all lanes.
func redux(w *warp, i *inst, _ uint32) {
	a, m := w.row(i.s[0].row), w.lanes(i)
	r := a[lane(m)]
	for k := m & (m - 1); k != 0; k &= k - 1 {
		v := a[lane(k)]
		less := v < r
		if i.it.Signed {
			less = int32(v) < int32(r)
		}
		switch i.sub {
		case reduxAnd:
			r &= v
		case reduxOr:
			r |= v
		case reduxXor:
			r ^= v
		case reduxSum:
			r += v
		case reduxMin:
			if less {
				r = v
			}
		case reduxMax:
			if !less {
				r = v
			}
		}
	}
	w.fill(i.d[0], r)
}

// reduxFloat is CREDUX of floats: the least or greatest, also of the
// absolute values; with .NAN one NaN makes the result one.
func reduxFloat(w *warp, i *inst, _ uint32) {
	a, m := w.row(i.s[0].row), w.lanes(i)
	x := fp.Extremum{NaN: strings.HasSuffix(i.mn, ".NAN")}
	value := func(l int) uint64 {
		if i.sub >= 2 {
			return fp.F32.Abs(uint64(a[l]), false)
		}
		return uint64(a[l])
	}
	r := value(lane(m))
	for k := m; k != 0; k &= k - 1 {
		if i.sub&1 == 0 {
			r = fp.F32.Min(r, value(lane(k)), x)
		} else {
			r = fp.F32.Max(r, value(lane(k)), x)
		}
	}
	w.fill(i.d[0], uint32(r))
}

// R2UR: the value of the first lane; the predicate marks lanes that hold
// another one, with .OR beside those it marked before.
func r2ur(w *warp, i *inst, _ uint32) {
	a, m := w.row(i.s[0].row), w.lanes(i)
	v := a[lane(m)]
	var other uint32
	for k := m; k != 0; k &= k - 1 {
		if a[lane(k)] != v {
			other |= k & -k
		}
	}
	if i.has(fOR) {
		other |= w.p[i.pd[0]]
	}
	w.setp(i.pd[0], m, other)
	w.fill(i.d[0], v)
}

// USETMAXREG: a warp here has all registers there are, and gets what it asks
// for.
func trade(w *warp, i *inst, _ uint32) { w.setp(i.pd[0], ^uint32(0), ^uint32(0)) }

// ELECT: one lane of those whose predicate holds.
func elect(w *warp, i *inst, _ uint32) {
	in := w.lanes(i)
	m := in & w.pred(i.ps[0])
	if m == 0 {
		m = in
	}
	w.setp(i.pd[0], in, m&-m)
	w.fill(i.d[0], uint32(lane(m)))
}
