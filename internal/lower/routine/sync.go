package routine

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Threads of a warp that come to the same .sync instruction at different
// places of the text do it together all the same. Where that may happen
// (flow.Gatherings says where) the instruction is a routine that all these
// places call: the threads gather in it and are at one place.

// Sync is a kind of such instructions: threads at two of one kind gather.
type Sync struct {
	name      string
	Op        op.Op
	Mod, And  op.Mod
	Then      op.Mod
	Pred      bool // its only result is a predicate
	In, Out   int  // words of operands, without the mask, and of results
	Unaligned bool // a barrier: all threads of the warp gather
	// Linked names the function of objects for this kind. It takes the operands
	// and the mask as arguments. Names that the reference's objects have too are
	// theirs: the linker keeps one, and threads gather from code of both.
	Linked string
}

// Syncs are all there are.
var Syncs = [...]Sync{
	{name: "shfl.idx", Op: op.SHFL, Mod: op.MIDX, In: 3, Out: 2, Linked: "__cuda_sm70_shflsync_idx_p"},
	{name: "shfl.up", Op: op.SHFL, Mod: op.MUP, In: 3, Out: 2, Linked: "__cuda_sm70_shflsync_up_p"},
	{name: "shfl.down", Op: op.SHFL, Mod: op.MDOWN, In: 3, Out: 2, Linked: "__cuda_sm70_shflsync_down_p"},
	{name: "shfl.bfly", Op: op.SHFL, Mod: op.MBFLY, In: 3, Out: 2, Linked: "__cuda_sm70_shflsync_bfly_p"},
	{name: "vote.ballot", Op: op.VOTE, Mod: op.MANY, In: 1, Out: 1, Linked: "__cuda_sm70_votesync_ballot"},
	{name: "vote.all", Op: op.VOTE, Mod: op.MALL, Pred: true, In: 1, Out: 1, Linked: "__cuda_sm70_votesync_all"},
	{name: "vote.any", Op: op.VOTE, Mod: op.MANY, Pred: true, In: 1, Out: 1, Linked: "__cuda_sm70_votesync_any"},
	{name: "vote.uni", Op: op.VOTE, Mod: op.MEQ, Pred: true, In: 1, Out: 1, Linked: "__cuda_sm70_votesync_uni"},
	{name: "match.any.b32", Op: op.MATCH, Mod: op.MANY, In: 1, Out: 1, Linked: "__cuda_sm70_matchsync_any_b32"},
	{name: "match.any.b64", Op: op.MATCH, Mod: op.MANY, And: op.MU64, In: 2, Out: 1, Linked: "__cuda_sm70_matchsync_any_b64"},
	{name: "match.all.b32", Op: op.MATCH, Mod: op.MALL, In: 1, Out: 2, Linked: "__cuda_sm70_matchsync_all_b32_p"},
	{name: "match.all.b64", Op: op.MATCH, Mod: op.MALL, And: op.MU64, In: 2, Out: 2, Linked: "__cuda_sm70_matchsync_all_b64_p"},
	{name: "redux.add.u32", Op: op.REDUX, Mod: op.MSUM, In: 1, Out: 1, Linked: "__cuda_reduxsync_u32_add"},
	{name: "redux.add.s32", Op: op.REDUX, Mod: op.MSUM, And: op.MS32, In: 1, Out: 1, Linked: "__cuda_reduxsync_s32_add"},
	{name: "redux.min.u32", Op: op.REDUX, Mod: op.MMIN, In: 1, Out: 1, Linked: "__cuda_reduxsync_u32_min"},
	{name: "redux.min.s32", Op: op.REDUX, Mod: op.MMIN, And: op.MS32, In: 1, Out: 1, Linked: "__cuda_reduxsync_s32_min"},
	{name: "redux.max.u32", Op: op.REDUX, Mod: op.MMAX, In: 1, Out: 1, Linked: "__cuda_reduxsync_u32_max"},
	{name: "redux.max.s32", Op: op.REDUX, Mod: op.MMAX, And: op.MS32, In: 1, Out: 1, Linked: "__cuda_reduxsync_s32_max"},
	{name: "redux.and", Op: op.REDUX, In: 1, Out: 1, Linked: "__cuda_reduxsync_b32_and"},
	{name: "redux.or", Op: op.REDUX, Mod: op.MOR, In: 1, Out: 1, Linked: "__cuda_reduxsync_b32_or"},
	{name: "redux.xor", Op: op.REDUX, Mod: op.MXOR, In: 1, Out: 1, Linked: "__cuda_reduxsync_b32_xor"},
	{name: "redux.min.f32", Op: op.REDUX, Mod: op.MMIN, And: op.MF32, In: 1, Out: 1, Linked: "__goptxas_redux_min_f32"},
	{name: "redux.min.NaN.f32", Op: op.REDUX, Mod: op.MMIN, And: op.MF32, Then: op.MNAN, In: 1, Out: 1, Linked: "__goptxas_redux_min_NaN_f32"},
	{name: "redux.min.abs.f32", Op: op.REDUX, Mod: op.MMINABS, And: op.MF32, In: 1, Out: 1, Linked: "__goptxas_redux_min_abs_f32"},
	{name: "redux.min.abs.NaN.f32", Op: op.REDUX, Mod: op.MMINABS, And: op.MF32, Then: op.MNAN, In: 1, Out: 1, Linked: "__goptxas_redux_min_abs_NaN_f32"},
	{name: "redux.max.f32", Op: op.REDUX, Mod: op.MMAX, And: op.MF32, In: 1, Out: 1, Linked: "__goptxas_redux_max_f32"},
	{name: "redux.max.NaN.f32", Op: op.REDUX, Mod: op.MMAX, And: op.MF32, Then: op.MNAN, In: 1, Out: 1, Linked: "__goptxas_redux_max_NaN_f32"},
	{name: "redux.max.abs.f32", Op: op.REDUX, Mod: op.MMAXABS, And: op.MF32, In: 1, Out: 1, Linked: "__goptxas_redux_max_abs_f32"},
	{name: "redux.max.abs.NaN.f32", Op: op.REDUX, Mod: op.MMAXABS, And: op.MF32, Then: op.MNAN, In: 1, Out: 1, Linked: "__goptxas_redux_max_abs_NaN_f32"},
	{name: "elect", Op: op.ELECT, Out: 2, Linked: "__goptxas_elect"},
	{name: "warp", Op: op.WARPSYNC, Linked: "__cuda_sm70_warpsync"},
	{name: "barrier", Op: op.BAR, Mod: op.MSYNC, In: 1, Unaligned: true, Linked: "__goptxas_barrier"},
	{name: "barrier.arrive", Op: op.BAR, Mod: op.MARV, In: 1, Unaligned: true, Linked: "__goptxas_barrier_arrive"},
	{name: "barrier.popc", Op: op.BAR, Mod: op.MRED, And: op.MPOPC, In: 2, Out: 1, Unaligned: true, Linked: "__goptxas_barrier_popc"},
	{name: "barrier.and", Op: op.BAR, Mod: op.MRED, And: op.MAND, Pred: true, In: 2, Out: 1, Unaligned: true, Linked: "__goptxas_barrier_and"},
	{name: "barrier.or", Op: op.BAR, Mod: op.MRED, And: op.MOR, Pred: true, In: 2, Out: 1, Unaligned: true, Linked: "__goptxas_barrier_or"},
}

// Gathers says which instructions of the text are routines because threads may
// gather there from several places.
type Gathers struct {
	At     map[int32]bool   // by position in the text
	kinds  [len(Syncs)]bool // all of a kind
	masked [len(Syncs)]bool // some place names certain threads
	// Linked says that threads may be in functions of other objects: every
	// such instruction is a function that the linker keeps one of.
	Linked bool
}

// Share adds the kinds that several functions of a kernel have: threads may
// be in any of them. It reports whether one is new.
func (m *Gathers) Share(list []*ori.Func) bool {
	var owner [len(Syncs)]*ori.Func
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
func (m *Gathers) Copy() *Gathers {
	return &Gathers{kinds: m.kinds, masked: m.masked, Linked: m.Linked}
}

// Has reports whether an instruction is a routine.
func (m *Gathers) Has(pos int32, kind int) bool { return m != nil && (m.At[pos] || m.kinds[kind]) }

// Add adds instructions of a function, by their positions, and reports
// whether one is new.
func (m *Gathers) Add(f *ori.Func, at []int32) bool {
	fresh := false
	if m.Linked {
		return false
	}
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

// RoutineOf is the number of the routine of a kind: one in which all threads
// gather unless some place names others.
func (m *Gathers) RoutineOf(kind int) int {
	n := len(Routines) + 2*kind
	if !m.masked[kind] {
		n++
	}
	return n
}

// SyncRoutine reads the number of a routine.
func SyncRoutine(n int) (s *Sync, full bool) {
	return &Syncs[(n-len(Routines))/2], (n-len(Routines))%2 == 1
}

// CollectiveName names what stands for the instructions of a kind in place of
// a call: with the mask behind the operands unless all threads gather.
func CollectiveName(kind int, full bool) string {
	name := Syncs[kind].name
	if full {
		name += ".all"
	}
	return ori.Collective.Named(name)
}

// CollectiveOf reads such a name.
func CollectiveOf(name string) (s *Sync, full bool) {
	for kind := range Syncs {
		for _, full := range [...]bool{false, true} {
			if CollectiveName(kind, full) == name {
				return &Syncs[kind], full
			}
		}
	}
	return nil, false
}

// Choice reports whether what a kind reads, or leaves beside a word or instead
// of one, is a predicate.
func (s *Sync) Choice() (in, out bool) {
	switch s.Op {
	case op.VOTE:
		return true, s.Pred
	case op.BAR:
		return s.Mod == op.MRED, s.Pred
	}
	return false, s.Out == 2
}

// LinkedWords is how many words of arguments and results the function of a
// kind has.
func LinkedWords(s *Sync) (in, out int) {
	if s.Unaligned {
		return s.In, s.Out
	}
	return s.In + 1, s.Out
}

// KindOf says what threads do in a routine.
func KindOf(n int) ori.Routine {
	if n < len(Routines) {
		return ori.Straight
	}
	return ori.Gathering
}

// Name names a routine of either kind.
func Name(n int) string {
	kind := KindOf(n)
	if kind == ori.Straight {
		return kind.Named(Routines[n].name)
	}
	s, full := SyncRoutine(n)
	if full {
		return kind.Named(s.name + ".all")
	}
	return kind.Named(s.name)
}

// Words is how many words of operands and results a routine has.
func Words(n int) (in, out int) {
	if n < len(Routines) {
		w := &kindWords[Routines[n].Kind]
		return w.in, w.out
	}
	s, full := SyncRoutine(n)
	if full {
		return s.In, s.Out
	}
	return s.In + 1, s.Out
}
