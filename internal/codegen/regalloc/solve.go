package regalloc

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/promises"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/reloads"
)

// Options tune the search.
type Options struct {
	Trace      io.Writer   // receives the guidance and trial lines, if set
	Trials     int         // trials without spilling for each file and round; 0 = all
	Rounds     int         // rounds of spilling for each file; 0 = 24
	NoCoalesce bool        // leave every copy in place
	Once       bool        // one strategy of spilling is enough
	First      bool        // the first strategy of spilling that works is enough; see Solution.Cut
	Most       float64     // what costs more is given up with ErrDear; 0 = nothing is
	NoSplit    bool        // what is spilled is in memory everywhere
	Dry        float64     // how many times as much values that are made again may cost as those that would go to memory first; 0: the cheapest goes
	NoSpill    bool        // what must go to memory is given up with ErrDear
	Plain      bool        // the first place that fits is as good as any, and nobody moves what waits for memory
	Squeeze    bool        // groups are moved at once until all have a place; plans that move none were tried
	Memory     func() bool // asked before something goes to memory first, and whether it may: else all is given up with ErrDear; nil: it may
	Poll       func()      // called now and then, and panics where the work shall end; may be nil

	Effort  Effort   // how long places are looked for; zero: as usual
	Scratch *Scratch // memory of allocations before; nil: none

	quickSlots bool // share memory words by the rule for many spills
}

// Effort is how long places are looked for.
type Effort struct {
	// Small is the size up to which all plans are tried: where routines take
	// one register more all that call them do. Of 342 files two take more registers,
	// 5 of 18,081, without these plans for functions of more than 256 instructions.
	Small int
	// Moves is how many groups each of two walks moves with no fewer left than before until it gives a step
	// up: the 39 steps reached in 505 files took 478 at most, three of products of 8-bit floats between 640 and 800,
	// and the second walk reached one in 745.
	Moves [2]int
}

// UsualEffort is what is used where nobody says otherwise.
func UsualEffort() Effort { return Effort{Small: 256, Moves: [2]int{800, 16}} }

// Solve allocates every file in the order the caller lists them: a file
// must stand before the file it spills to. It returns an *Overflow when
// some file cannot be made to fit.
func Solve(p *Problem, o Options) (*Solution, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if o.Rounds == 0 {
		o.Rounds = 24
	}
	if o.Effort == (Effort{}) {
		o.Effort = UsualEffort()
	}
	s := &solver{orig: p, opts: o, sol: &Solution{Problem: start(p), Used: make([]int, len(p.Files))}, kin: map[int32]home{}, room: o.Scratch}
	if s.room == nil {
		s.room = &Scratch{}
	}
	s.room.poll, s.room.flow.keep = o.Poll, true
	s.trace("\nREGALLOC GUIDANCE:\n")
	if s.opts.Memory != nil && s.wantsMemory() {
		return nil, ErrDear
	}
	for class := range p.Files {
		if err := s.file(uint8(class)); err != nil {
			return nil, err
		}
	}
	s.sol.number()
	return s.sol, nil
}

// wantsMemory asks about memory before any file is allocated if more words live
// somewhere than there are registers, and reports whether none may be used: what
// other files spill comes on top.
func (s *solver) wantsMemory() bool {
	p := s.sol.Problem
	for class := range p.Files {
		if p.Files[class].SpillTo != Memory || !p.Has(uint8(class)) {
			continue
		}
		if s.live == nil {
			s.live = liveRanges(p, &s.room.flow)
		}
		if pressure(p, s.live, uint8(class)).needsMemory() {
			if !s.opts.Memory() {
				return true
			}
			s.opts.Memory = nil
			return false
		}
	}
	return false
}

// number makes room for the register of every virtual one.
func (s *Solution) number() {
	for len(s.Phys) < len(s.Problem.VRegs) {
		s.Phys = append(s.Phys, -1)
	}
}

// start copies the caller's problem so that spill code can be added.
func start(p *Problem) *Problem {
	c := *p
	c.VRegs = slices.Clone(p.VRegs)
	c.Insts = slices.Clone(p.Insts)
	for v := range c.VRegs {
		x := &c.VRegs[v]
		x.Of, x.Derived = -1, x.Remat >= 0 && promises.Reads(p, x.Remat)
	}
	stuck := func(n int) { // there is no place for the spill
		for _, o := range c.Operands(n) {
			if o.Role.Writes() {
				c.VRegs[o.V].Keep = true
			}
		}
	}
	for n := range c.Insts {
		c.Insts[n].Orig, c.Insts[n].Slot = int32(n), -1
		if c.Insts[n].Last {
			stuck(n)
		}
	}
	for b := range c.Blocks {
		if x := &c.Blocks[b]; x.Closed && x.N > 0 {
			stuck(int(x.First + x.N - 1))
		}
	}
	return &c
}

type solver struct {
	orig      *Problem
	opts      Options
	sol       *Solution
	live      *ranges    // of sol.Problem, nil after it changed
	sets      [2]*groups // of sol.Problem, without and with copies joined
	room      *Scratch
	kin       map[int32]home // homes of the pieces of what was split
	evictions []order        // orders in which groups evict each other; the best alone once it is known
	fork      *fork          // where the strategies for a file part; nil as long as they do not
}

// groups returns the groups of the problem as it stands, with the sides of
// copies joined or not, of all files whose lives are known.
func (s *solver) groups(coalesce bool) *groups {
	n := 0
	if coalesce {
		n = 1
	}
	if s.sets[n] == nil {
		s.sets[n] = newGroups(s.sol.Problem, s.live)
		if coalesce {
			s.sets[n].coalesce(s.sol.Problem)
		}
	}
	return s.sets[n]
}

func countSplit(list []*split) (n int) {
	for _, x := range list {
		if len(x.blocks) > 0 {
			n++
		}
	}
	return n
}

func (s *solver) trace(format string, args ...any) {
	if s.opts.Trace != nil {
		fmt.Fprintf(s.opts.Trace, format, args...)
	}
}

// file allocates one file: trials without spilling, and if none fits, with
// every strategy of spilling, of which the cheapest is kept.
func (s *solver) file(class uint8) error {
	if !s.sol.Problem.Has(class) {
		return nil
	}
	if s.live == nil || s.live.among != nil {
		s.live, s.sets = liveRanges(s.sol.Problem, &s.room.flow), [2]*groups{}
	}
	if s.opts.Plain { // most files need nobody to ask how full they are
		if t := s.trials(class, 0, 0); t != nil {
			s.keep(class, t)
			return nil
		}
	}
	press := pressure(s.sol.Problem, s.live, class)
	if press.excess() == 0 && !s.opts.Plain {
		if t := s.trials(class, press.peak(), 0); t != nil {
			s.keep(class, t)
			return nil
		}
	}
	if s.opts.NoSpill && s.sol.Problem.Files[class].SpillTo == Memory {
		return ErrDear
	}
	if s.opts.Memory != nil && s.sol.Slots == 0 && press.needsMemory() { // rather sooner than later
		if !s.opts.Memory() {
			return ErrDear
		}
		s.opts.Memory = nil
	}
	s.sol.Problem.Take(class)
	size := len(s.sol.Problem.Insts)
	var best *saved
	var failed error
	s.fork, s.evictions = nil, nil
	for n, how := range strategies {
		if s.opts.NoSplit && !how.whole {
			continue
		}
		if err := s.rounds(class, how); err != nil {
			if errors.Is(err, errMemory) {
				failed = ErrDear
				break
			}
			failed = cmp.Or(failed, err)
			if s.fork == nil { // nor does another
				break
			}
			continue
		}
		x := s.save()
		x.cost = s.sol.Price()
		s.trace("-CLASS %s SPILL REGALLOC: strategy %d, cost %.0f\n", s.sol.Problem.Files[class].Name, n, x.cost)
		if best == nil || x.cost < best.cost {
			best = x
		}
		if s.opts.First && n+1 < len(strategies) && size <= manyInstructions {
			best.sol.Cut = true
			break
		}
		if s.opts.Once || size > manyInstructions || s.fork == nil {
			break
		}
	}
	if best == nil {
		return failed
	}
	s.restore(best)
	return nil
}

// fork is where the strategies part: what all of them do before is done once.
type fork struct {
	*saved
	evictions []order
	round     int
	margin    int32
}

// choose asks a strategy what to spill. The first that is asked notes where in
// the search that was, before it changes anything.
func (s *solver) choose(press *fat, how strategy, begun *Problem, at fork) []*split {
	if s.fork == nil {
		at.saved = s.save()
		at.sol.Problem = begun
		s.fork = &at
	}
	return press.choose(how, s.kin, nil)
}

// rounds spills and tries again until the file fits. Where no point is
// overfull and the trials fail all the same, registers are missing in the
// right places: groups evict each other, and what loses is spilled. Where only
// those lose that cannot be, more is spilled until some registers are free
// everywhere.
func (s *solver) rounds(class uint8, how strategy) error {
	f := &s.sol.Problem.Files[class]
	var at fork
	if s.fork != nil {
		at = *s.fork
		s.restore(at.saved)
		s.evictions = at.evictions
	}
	for ; at.round < s.opts.Rounds; at.round++ {
		round, begun := at.round, s.sol.Problem
		at.evictions = s.evictions
		if s.opts.Poll != nil {
			s.opts.Poll()
		}
		if s.live == nil {
			s.live = liveAmong(s.sol.Problem, s.matters(class), &s.room.flow)
		}
		press := pressure(s.sol.Problem, s.live, class)
		s.sol.Problem = settle(s.orig, s.sol.Problem, press, how.lives && round < livesRounds)
		press.p = s.sol.Problem
		how.whole = how.whole || round >= splitRounds
		if s.opts.Once && round == 0 && press.excess() > 0 { // rather too much at once than round after round
			press.lower(2 * marginStep(f.Budget))
		}
		var spill []*split
		unspilled := s.opts.Most > 0 && s.opts.Most < problem.RematCost // nothing may be spilled
		if unspilled && press.excess() > 0 {
			return ErrDear
		}
		if press.excess() > 0 {
			spill = s.choose(press, how, begun, at)
		} else {
			t := s.lastTry(class, press.peak(), round, &spill)
			if t != nil {
				s.keep(class, s.joined(class, t, press, round))
				return nil
			}
			if unspilled {
				return ErrDear
			}
			if list := s.roomier(class, press, how, spill, &at.margin); list != nil {
				spill = list
			}
			if step := marginStep(f.Budget); len(spill) == 0 && at.margin < mostMargins*step {
				more := at.margin + step
				press.lower(more)
				spill = s.choose(press, how, begun, at)
				at.margin = more
			}
		}
		if len(spill) == 0 {
			n, need := press.fattest()
			return &Overflow{Class: int(class), Budget: f.Budget, Inst: int(s.sol.Problem.Insts[n].Orig), Need: need}
		}
		if spill = s.settled(press, how, spill); spill == nil {
			return errMemory
		}
		s.trace("-CLASS %s SPILL REGALLOC: round %d, %d virtual registers spilled, %d of them split, target %d\n",
			f.Name, round, len(spill), countSplit(spill), f.Budget)
		s.sol.Splits += countSplit(spill)
		s.rewrite(class, spill, max(0, 6-int32(round)))
		s.room.flow.keep = false
		s.live, s.sets = nil, [2]*groups{}
		if s.opts.Most > 0 && s.sol.Price() > s.opts.Most {
			return ErrDear
		}
	}
	return &Overflow{Class: int(class), Budget: f.Budget, Inst: -1}
}

// settled takes promises to make values again from the problem that what is spilled would break, and
// returns what is: something else where memory is wanted and nothing may go there, or nil.
func (s *solver) settled(press *fat, how strategy, spill []*split) []*split {
	p := s.sol.Problem
	s.sol.Problem = promises.Chained(p, s.orig, virtual(spill), press.longer)
	if !s.wantsSlots(spill) {
		return spill
	}
	refused := s.refuses(spill)
	if !refused && s.opts.Dry == 0 {
		return spill
	}
	settled := s.sol.Problem
	s.sol.Problem = p
	if dry := s.dry(press, how); dry != nil && (refused || price(dry) <= s.opts.Dry*price(spill)) {
		return dry
	}
	if s.sol.Problem = settled; refused {
		return nil
	}
	return spill
}

// wantsSlots reports whether memory is needed first.
func (s *solver) wantsSlots(spill []*split) bool {
	return s.sol.Slots == 0 && slices.ContainsFunc(spill, func(x *split) bool { return s.remembers(x.v) })
}

// dry returns what to spill where nothing may go to memory, nil if that does not do. It takes
// promises from the problem that this would break.
func (s *solver) dry(press *fat, how strategy) []*split {
	if press.needsMemory() {
		return nil
	}
	p := s.sol.Problem
	spill := press.choose(how, s.kin, func(v int32) bool { return !s.remembers(v) })
	if !press.over.Set.IsEmpty() {
		return nil
	}
	s.sol.Problem = promises.Chained(p, s.orig, virtual(spill), press.longer)
	if s.wantsSlots(spill) {
		s.sol.Problem = p
		return nil
	}
	return spill
}

// price sums up what spills cost.
func price(spill []*split) (cost float64) {
	for _, x := range spill {
		cost += x.cost
	}
	return cost
}

// roomier returns what to make again for a few registers more to be free everywhere than there need be,
// where runs of them found no place and something would go to memory, nil if that does not do or takes
// too many rounds.
func (s *solver) roomier(class uint8, press *fat, how strategy, spill []*split, margin *int32) []*split {
	step := marginStep(s.sol.Problem.Files[class].Budget)
	if s.opts.Dry == 0 || !s.wantsSlots(spill) || *margin >= mostMargins*step {
		return nil
	}
	*margin += step
	press.lower(*margin)
	return s.dry(press, how)
}

// matters returns the registers whose lives tell what to spill of a file: its own,
// and those its values are made again from.
func (s *solver) matters(class uint8) []bool {
	p := s.sol.Problem
	list := make([]bool, len(p.VRegs))
	for v := range p.VRegs {
		x := &p.VRegs[v]
		if x.Class != class {
			continue
		}
		if list[v] = true; x.Derived {
			for _, o := range s.orig.Operands(int(x.Remat)) {
				list[o.V] = true
			}
		}
	}
	return list
}

// refuses asks about memory if something would go there first, and reports
// whether it may not.
func (s *solver) refuses(spill []*split) bool {
	return s.opts.Memory != nil && s.wantsSlots(spill) && !s.opts.Memory()
}

// remembers reports whether v goes to memory if it is spilled.
func (s *solver) remembers(v int32) bool {
	x := &s.sol.Problem.VRegs[v]
	h, again := s.kin[v]
	return s.sol.Problem.Files[x.Class].SpillTo == Memory && x.Remat < 0 && (!again || h.slot >= 0)
}

// lastTry tries a file that is nowhere overfull, and returns the trial that
// fits, or nil and what to spill.
func (s *solver) lastTry(class uint8, floor, round int, spill *[]*split) *trial {
	if round > 0 { // else it was tried before
		if t := s.trials(class, floor, round); t != nil {
			return t
		}
	}
	t, list := s.evict(class)
	if len(t.spill) == 0 {
		return t
	}
	if f := &s.sol.Problem.Files[class]; s.opts.Dry > 0 && s.wantsSlots(list) && len(list) <= fewLost && !f.Crowded(s.sol.Problem, class, floor, f.Budget) {
		if t := s.squeeze(class, f.Budget); t != nil {
			return t
		}
	}
	*spill = list
	return nil
}

// fewLost is how many groups without a place are few: others may be moved for them.
const fewLost = 2

// joined lets temporaries stay from one access to the next where what was
// spilled later left room, all of them or only wide ones, and returns the trial
// of that. Where none fits it returns t.
func (s *solver) joined(class uint8, t *trial, press *fat, round int) *trial {
	if s.opts.NoSplit || s.sol.Problem.Files[class].SpillTo != Memory || s.sol.Slots == 0 {
		return t
	}
	start := s.save()
	for _, least := range [...]uint8{1, wide} {
		p, n := reloads.Join(s.sol.Problem, class, least, slices.Clone(press.words), press.room)
		if n == 0 {
			break
		}
		s.sol.Problem, s.sets = p, [2]*groups{}
		s.live = liveAmong(p, s.matters(class), &s.room.flow)
		u := s.lastTry(class, pressure(p, s.live, class).peak(), max(1, round), new([]*split))
		if u != nil {
			s.trace("-CLASS %s SPILL REGALLOC: %d loads of at least %d words saved\n", p.Files[class].Name, n, least)
			s.sol.Reloads -= n
			return u
		}
		s.restore(start)
	}
	return t
}

// wide is how many words a temporary has whose loads are worth a trial of their own.
const wide = 8

// ErrDear says that spill code costs more than Options.Most.
var ErrDear = errors.New("spill code costs more than it may")

// errMemory says that something would go to memory where nothing may.
var errMemory = errors.New("memory is needed")

// splitRounds is how many rounds of spilling leave pieces in registers: what
// does not fit then goes to memory everywhere.
const splitRounds = 6

// livesRounds is in how many rounds words may live on in place of what is made of them: the first finds out
// for which, the next sees that these live.
const livesRounds = 2

// mostMargins is how often more registers are left free.
const mostMargins = 2

// marginStep is how many more are left free each time: files of many
// registers have some.
func marginStep(budget int) int32 {
	switch {
	case budget >= 64:
		return 4
	case budget >= 16:
		return 1
	}
	return 0
}

// keep copies a trial's registers into the solution, members included.
func (s *solver) keep(class uint8, t *trial) {
	p := s.sol.Problem
	s.sol.number()
	if p.Files[class].SpillTo == Memory && s.sol.Slots > 0 && !s.opts.Plain {
		t = t.rotated()
	}
	for v := range p.VRegs {
		if p.VRegs[v].Class != class {
			continue
		}
		if root, off := t.g.find(int32(v)); t.phys[root] >= 0 {
			s.sol.Phys[v] = t.phys[root] + off
		}
	}
	s.sol.Used[class] = t.used
}

// evict runs trials in which groups take registers from cheaper ones, in
// several orders, and returns the one that loses the least, with what lost
// and can be spilled.
func (s *solver) evict(class uint8) (best *trial, spill []*split) {
	p := s.sol.Problem
	least := 0.0
	if s.evictions == nil {
		s.evictions = []order{byWidth, byStart, byDepth}
	}
	first := s.evictions[0]
	for _, o := range s.evictions {
		t := newTrial(p, s.groups(false), class, s.room)
		t.evicting()
		t.run(o)
		if lost := t.lostCost(); best == nil || lost < least {
			best, least, first = t, lost, o
		}
		if len(best.spill) == 0 || s.opts.Once {
			break
		}
	}
	s.evictions = []order{first}
	return best, s.spillEvicted(best.spill)
}
