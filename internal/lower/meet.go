package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Threads of a warp that come to the same .sync instruction at different
// places of the text do it together all the same. Where that may happen
// (flow.Meetings says where) the instruction is a routine that all these
// places call: the threads gather in it and are at one place.

// sync is a kind of such instructions: threads at two of one kind gather.
type sync struct {
	name      string
	op        op.Op
	mod, and  op.Mod
	then      op.Mod
	pred      bool // its only result is a predicate
	in, out   int  // words of operands, without the mask, and of results
	unaligned bool // a barrier: all threads of the warp gather
}

// syncs are all there are.
var syncs = [...]sync{
	{name: "shfl.idx", op: op.SHFL, mod: op.MIDX, in: 3, out: 2},
	{name: "shfl.up", op: op.SHFL, mod: op.MUP, in: 3, out: 2},
	{name: "shfl.down", op: op.SHFL, mod: op.MDOWN, in: 3, out: 2},
	{name: "shfl.bfly", op: op.SHFL, mod: op.MBFLY, in: 3, out: 2},
	{name: "vote.ballot", op: op.VOTE, mod: op.MANY, in: 1, out: 1},
	{name: "vote.all", op: op.VOTE, mod: op.MALL, pred: true, in: 1, out: 1},
	{name: "vote.any", op: op.VOTE, mod: op.MANY, pred: true, in: 1, out: 1},
	{name: "vote.uni", op: op.VOTE, mod: op.MEQ, pred: true, in: 1, out: 1},
	{name: "match.any.b32", op: op.MATCH, mod: op.MANY, in: 1, out: 1},
	{name: "match.any.b64", op: op.MATCH, mod: op.MANY, and: op.MU64, in: 2, out: 1},
	{name: "match.all.b32", op: op.MATCH, mod: op.MALL, in: 1, out: 2},
	{name: "match.all.b64", op: op.MATCH, mod: op.MALL, and: op.MU64, in: 2, out: 2},
	{name: "redux.add.u32", op: op.REDUX, mod: op.MSUM, in: 1, out: 1},
	{name: "redux.add.s32", op: op.REDUX, mod: op.MSUM, and: op.MS32, in: 1, out: 1},
	{name: "redux.min.u32", op: op.REDUX, mod: op.MMIN, in: 1, out: 1},
	{name: "redux.min.s32", op: op.REDUX, mod: op.MMIN, and: op.MS32, in: 1, out: 1},
	{name: "redux.max.u32", op: op.REDUX, mod: op.MMAX, in: 1, out: 1},
	{name: "redux.max.s32", op: op.REDUX, mod: op.MMAX, and: op.MS32, in: 1, out: 1},
	{name: "redux.and", op: op.REDUX, in: 1, out: 1},
	{name: "redux.or", op: op.REDUX, mod: op.MOR, in: 1, out: 1},
	{name: "redux.xor", op: op.REDUX, mod: op.MXOR, in: 1, out: 1},
	{name: "redux.min.f32", op: op.REDUX, mod: op.MMIN, and: op.MF32, in: 1, out: 1},
	{name: "redux.min.NaN.f32", op: op.REDUX, mod: op.MMIN, and: op.MF32, then: op.MNAN, in: 1, out: 1},
	{name: "redux.min.abs.f32", op: op.REDUX, mod: op.MMINABS, and: op.MF32, in: 1, out: 1},
	{name: "redux.min.abs.NaN.f32", op: op.REDUX, mod: op.MMINABS, and: op.MF32, then: op.MNAN, in: 1, out: 1},
	{name: "redux.max.f32", op: op.REDUX, mod: op.MMAX, and: op.MF32, in: 1, out: 1},
	{name: "redux.max.NaN.f32", op: op.REDUX, mod: op.MMAX, and: op.MF32, then: op.MNAN, in: 1, out: 1},
	{name: "redux.max.abs.f32", op: op.REDUX, mod: op.MMAXABS, and: op.MF32, in: 1, out: 1},
	{name: "redux.max.abs.NaN.f32", op: op.REDUX, mod: op.MMAXABS, and: op.MF32, then: op.MNAN, in: 1, out: 1},
	{name: "elect", op: op.ELECT, out: 2},
	{name: "warp", op: op.WARPSYNC},
	{name: "barrier", op: op.BAR, mod: op.MSYNC, in: 1, unaligned: true},
	{name: "barrier.arrive", op: op.BAR, mod: op.MARV, in: 1, unaligned: true},
	{name: "barrier.popc", op: op.BAR, mod: op.MRED, and: op.MPOPC, in: 2, out: 1, unaligned: true},
	{name: "barrier.and", op: op.BAR, mod: op.MRED, and: op.MAND, pred: true, in: 2, out: 1, unaligned: true},
	{name: "barrier.or", op: op.BAR, mod: op.MRED, and: op.MOR, pred: true, in: 2, out: 1, unaligned: true},
}

// findSync returns the number of a kind.
func findSync(o op.Op, mod, and op.Mod, pred bool) int {
	for n := range syncs {
		if s := &syncs[n]; s.op == o && s.mod == mod && s.and == and && s.pred == pred {
			return n
		}
	}
	panic("no such kind of " + o.String())
}

// findRedux returns the number of a reduction.
func findRedux(m op.Mods) int {
	for n := range syncs {
		if s := &syncs[n]; s.op == op.REDUX && m == mods(s.mod, s.and, s.then) {
			return n
		}
	}
	panic("no such reduction")
}

// Meet says which instructions of the text are routines because threads may
// gather there from several places.
type Meet struct {
	At     map[int32]bool   // by position in the text
	kinds  [len(syncs)]bool // all of a kind
	masked [len(syncs)]bool // some place names certain threads
}

// Share adds the kinds that several functions of a kernel have: threads may
// be in any of them. It reports whether one is new.
func (m *Meet) Share(list []*ori.Func) bool {
	var owner [len(syncs)]*ori.Func
	fresh := false
	for _, f := range list {
		for _, s := range f.Syncs {
			if owner[s.Kind] == nil {
				owner[s.Kind] = f
			}
			fresh = fresh || owner[s.Kind] != f && !m.kinds[s.Kind]
			m.kinds[s.Kind] = m.kinds[s.Kind] || owner[s.Kind] != f
		}
	}
	for _, f := range list {
		for _, s := range f.Syncs {
			if m.kinds[s.Kind] && !s.Full && !m.masked[s.Kind] {
				m.masked[s.Kind], fresh = true, true
			}
		}
	}
	return fresh
}

// Copy is m for one of the functions.
func (m *Meet) Copy() *Meet { return &Meet{kinds: m.kinds, masked: m.masked} }

// has reports whether an instruction is a routine.
func (m *Meet) has(pos int32, kind int) bool { return m != nil && (m.At[pos] || m.kinds[kind]) }

// Add adds instructions of a function, by their positions, and reports
// whether one is new.
func (m *Meet) Add(f *ori.Func, at []int32) bool {
	fresh := false
	for _, pos := range at {
		fresh = fresh || !m.At[pos]
		if m.At == nil {
			m.At = map[int32]bool{}
		}
		m.At[pos] = true
	}
	for _, s := range f.Syncs {
		if m.At[s.Pos] && !s.Full && !m.masked[s.Kind] {
			m.masked[s.Kind] = true
			fresh = true
		}
	}
	return fresh
}

// routineOf is the number of the routine of a kind: one in which all threads
// gather unless some place names others.
func (m *Meet) routineOf(kind int) int {
	n := len(routines) + 2*kind
	if !m.masked[kind] {
		n++
	}
	return n
}

// syncRoutine reads the number of a routine.
func syncRoutine(n int) (s *sync, full bool) {
	return &syncs[(n-len(routines))/2], (n-len(routines))%2 == 1
}

// routineName names a routine of either kind.
func routineName(n int) string {
	if n < len(routines) {
		return routines[n].name
	}
	s, full := syncRoutine(n)
	if full {
		return s.name + ".all" + ori.SyncSuffix
	}
	return s.name + ori.SyncSuffix
}

// routineWords is how many words of operands and results a routine has.
func routineWords(n int) (in, out int) {
	if n < len(routines) {
		w := &ways[routines[n].way]
		return w.in, w.out
	}
	s, full := syncRoutine(n)
	if full {
		return s.in, s.out
	}
	return s.in + 1, s.out
}

// meets notes the current instruction as one for which threads gather. If
// they may do so from several places it is lowered as a call, and the result
// is true.
func (l *lowerer) meets(kind int, mask ori.Operand, args func() value) bool {
	pos := int32(l.in.Pos)
	full := isFull(mask) || syncs[kind].unaligned
	l.f.Syncs = append(l.f.Syncs, ori.Sync{Pos: pos, Kind: uint8(kind), Full: full})
	if !l.opts.Meet.has(pos, kind) {
		return false
	}
	l.alone(func() {
		v := args()
		n := l.opts.Meet.routineOf(kind)
		s, all := syncRoutine(n)
		if !all {
			v = append(v, mask)
		}
		l.syncResults(s, l.callRoutine(n, v))
	})
	return true
}

// syncResults puts the results of a kind where the current instruction wants
// them.
func (l *lowerer) syncResults(s *sync, r value) {
	set := func(p, w ori.Operand) {
		l.emit(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), value{p}, w, rz(), pt())
	}
	switch {
	case s.out == 0:
		return
	case s.pred:
		set(l.dstPred(0), r[0])
		return
	case l.args[0].Kind == isa.KReg:
		l.copy(l.dst(0)[:1], r[:1])
	}
	if s.out == 2 && l.args[0].Pair >= 0 {
		set(l.f.Words(l.regs[l.args[0].Pair]), r[1])
	}
}

// bit is a predicate as a word.
func (l *lowerer) bit(p ori.Operand) ori.Operand {
	return l.one(op.SEL, op.Mods{}, ori.Imm(1), rz(), p)
}

// syncOf does in a routine what a kind does, with the mask behind the
// operands unless all threads gather.
func (l *lowerer) syncOf(s *sync, full bool, v value) value {
	mask := ori.Imm32(0xffffffff)
	if !full {
		mask = v[s.in]
	}
	var r value
	do := func() { r = l.syncOp(s, v) }
	switch s.op {
	case op.SHFL, op.WARPSYNC, op.BAR:
		l.gather(mask)
		do()
	default:
		l.among(mask, do)
	}
	return r
}

// syncOp is the operation itself.
func (l *lowerer) syncOp(s *sync, v value) value {
	m := mods(s.mod, s.and, s.then)
	d, p := l.tmp(1), l.pred()
	truth := func(w ori.Operand) ori.Operand { return l.cmp1(op.MNE, false, w, rz()) }
	switch {
	case s.op == op.WARPSYNC:
		return nil
	case s.op == op.SHFL:
		l.emit(op.SHFL, m, value{p, d[0]}, v[0], v[1], v[2])
	case s.op == op.VOTE && s.pred:
		l.emit(op.VOTE, m, value{p}, truth(v[0]))
		return value{l.bit(p)}
	case s.op == op.VOTE:
		l.emit(op.VOTE, m, value{d[0], pt()}, truth(v[0]))
		return d
	case s.op == op.MATCH && s.out == 1:
		l.emit(op.MATCH, m, d, whole(l.group(v[:s.in])))
		return d
	case s.op == op.MATCH:
		l.emit(op.MATCH, m, value{p, d[0]}, whole(l.group(v[:s.in])))
	case s.op == op.REDUX:
		u := l.f.Words(l.f.NewReg(ori.UR, 1))
		l.emit(l.reduction(m), m, value{u}, v[0])
		l.emit(op.MOV, op.Mods{}, d, u)
		return d
	case s.op == op.ELECT:
		u := l.f.Words(l.f.NewReg(ori.UR, 1))
		l.emit(op.ELECT, op.Mods{}, value{p, u}, pt())
		l.emit(op.MOV, op.Mods{}, d, u)
	case s.mod == op.MARV:
		l.emit(op.BAR, m, nil, v[0], v[0])
		return nil
	case s.mod == op.MSYNC:
		l.emit(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, v[0], v[0])
		return nil
	case s.pred: // a barrier's reduction
		l.emit(op.BAR, m.With(op.MDEFER_BLOCKING), nil, v[0], v[0], truth(v[1]))
		l.emit(op.B2R, op.M(op.MRESULT), value{rz(), p})
		return value{l.bit(p)}
	default:
		l.emit(op.BAR, m.With(op.MDEFER_BLOCKING), nil, v[0], v[0], truth(v[1]))
		l.emit(op.B2R, op.M(op.MRESULT), d)
		return d
	}
	return value{d[0], l.bit(p)}
}
