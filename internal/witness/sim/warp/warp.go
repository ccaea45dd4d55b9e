package warp

import (
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Operations across the lanes of a warp. They see the lanes of the running
// group whose guard holds.

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
func Vote(w *machine.Warp, i *machine.Inst, m uint32) {
	in := w.Lanes(i)
	v := w.Pred(i.PS[0]) & in
	var yes bool
	switch i.Sub {
	case voteAll:
		yes = v == in
	case voteAny:
		yes = v != 0
	case voteEq:
		yes = v == 0 || v == in
	}
	w.Setp(i.PD[0], m, all(yes))
	for ; m != 0; m &= m - 1 {
		w.R[i.D[0]][machine.Lane(m)] = v
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
func Shfl(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c := *w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row)
	d := &w.R[i.D[0]]
	var p uint32
	var out [32]uint32
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		from, ok := shflFrom(i.Sub, uint32(l), b[l]&31, c[l])
		if ok {
			p |= 1 << l
		} else {
			from = uint32(l)
		}
		out[l] = a[from&31]
	}
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		d[l] = out[l]
	}
	w.Setp(i.PD[0], m, p)
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
func Match(w *machine.Warp, i *machine.Inst, m uint32) {
	a, h := *w.Row(i.S[0].Row), [32]uint32{}
	if i.Size == 8 {
		h = *w.Row(i.S[0].Hi)
	}
	d := &w.R[i.D[0]]
	agree := true
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		var same uint32
		for q := m; q != 0; q &= q - 1 {
			if n := machine.Lane(q); a[n] == a[l] && h[n] == h[l] {
				same |= 1 << n
			}
		}
		agree = agree && same == m
		d[l] = same
	}
	if i.Sub == 0 {
		return
	}
	for k := m; k != 0; k &= k - 1 {
		d[machine.Lane(k)] = m & all(agree)
	}
	w.Setp(i.PD[0], m, all(agree))
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
func Redux(w *machine.Warp, i *machine.Inst, _ uint32) {
	a, m := w.Row(i.S[0].Row), w.Lanes(i)
	r := a[machine.Lane(m)]
	for k := m & (m - 1); k != 0; k &= k - 1 {
		v := a[machine.Lane(k)]
		less := v < r
		if i.It.Signed {
			less = int32(v) < int32(r)
		}
		switch i.Sub {
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
	w.Fill(i.D[0], r)
}

// reduxFloat is CREDUX of floats: the least or greatest, also of the
// absolute values; with .NAN one NaN makes the result one.
func reduxFloat(w *machine.Warp, i *machine.Inst, _ uint32) {
	a, m := w.Row(i.S[0].Row), w.Lanes(i)
	x := fp.Extremum{NaN: strings.HasSuffix(i.Mnemonic, ".NAN")}
	value := func(l int) uint64 {
		if i.Sub >= 2 {
			return fp.F32.Abs(uint64(a[l]), false)
		}
		return uint64(a[l])
	}
	r := value(machine.Lane(m))
	for k := m; k != 0; k &= k - 1 {
		if i.Sub&1 == 0 {
			r = fp.F32.Min(r, value(machine.Lane(k)), x)
		} else {
			r = fp.F32.Max(r, value(machine.Lane(k)), x)
		}
	}
	w.Fill(i.D[0], uint32(r))
}

// R2UR: the value of the first lane; the predicate marks lanes that hold
// another one, with .OR beside those it marked before.
func R2ur(w *machine.Warp, i *machine.Inst, _ uint32) {
	a, m := w.Row(i.S[0].Row), w.Lanes(i)
	v := a[machine.Lane(m)]
	var other uint32
	for k := m; k != 0; k &= k - 1 {
		if a[machine.Lane(k)] != v {
			other |= k & -k
		}
	}
	if i.Has(code.FlagOR) {
		other |= w.P[i.PD[0]]
	}
	w.Setp(i.PD[0], m, other)
	w.Fill(i.D[0], v)
}

// USETMAXREG: a warp here has all registers there are, and gets what it asks
// for.
func Trade(w *machine.Warp, i *machine.Inst, _ uint32) { w.Setp(i.PD[0], ^uint32(0), ^uint32(0)) }

// ELECT: one lane of those whose predicate holds.
func Elect(w *machine.Warp, i *machine.Inst, _ uint32) {
	in := w.Lanes(i)
	m := in & w.Pred(i.PS[0])
	if m == 0 {
		m = in
	}
	w.Setp(i.PD[0], in, m&-m)
	w.Fill(i.D[0], uint32(machine.Lane(m)))
}
