// Package tuning says how orders are found, and which of them is the better.
package tuning

import "math"

// Tuning changes how orders are found. None of it touches what an order must
// keep, so every value gives right code; which is the fastest, a search finds
// out.
type Tuning struct {
	// Slack is how many cycles before it is due an instruction may issue that
	// makes a further word alive. What leads to a load from memory is not held
	// back: such a load takes longer than any estimate.
	Slack int
	// Spare is the most words kept for results of shared memory and the like
	// while loads from memory are in flight: if those took all, every other
	// load would have to wait for the one before it.
	Spare int
	// Load is how many cycles a load from memory takes on a busy machine: by 220, as on an
	// idle one, orders that wait twice seem hardly longer than those that wait once.
	Load int
	// Registers is for how many registers orders are made; 0: as many as
	// occupancy makes worthwhile.
	Registers int
	// Manner is the way in which orders with few registers are looked for,
	// counted from one among those that are tried where registers run out; 0:
	// the usual one first.
	Manner int
	// Jitter is the seed of small changes to the lengths of paths, which
	// decide what issues first; 0: none.
	Jitter int
	// Turns says where the special function unit is given to one row after
	// the other.
	Turns Turns
	// ScarceTime is how many cycles operations must take their unit, at
	// least, for orders to be made from the end; and ScarceShare times these
	// cycles are as many as there are instructions.
	ScarceTime, ScarceShare int
	// Raises is how often the number of registers may rise to the next at
	// which occupancy drops. Better is the percentage of the price before, a
	// product of two times, that an order with as many warps must come to, and
	// Worthwhile that of the latency that a warp has to hide where fewer run.
	// Fewer is the percentage of the price where fewer run and the time with all
	// of them is no longer than before, and Meeting takes its place in functions with
	// barriers of the block and no products of matrices: those who wait need others to hide it.
	Raises, Better, Worthwhile, Fewer, Meeting int
	// Wide is how many times their shortest latency plans within all registers may take for
	// that to say that fewer are no better: else they lack predicates, and take turns at those
	// however many registers there are.
	Wide int
	// Ample is by how many registers beyond those there are orders differ that
	// spill for loads in flight, and Ampler the percentage of the time before
	// that such an order must come to.
	Ample, Ampler int
	// Again is how many words too many for a step of occupancy may be alive, at
	// most, for values to be made again in the blocks that read them.
	Again int
	// Later is by how many percent the instructions of a function, weighed by
	// loops, may become more where values are made again behind the regions that
	// need the most registers.
	Later int
	// Strict is the percentage of the latency that orders may take whose products
	// leave the matrices of the next to their turn, if that saves warps: of two
	// small products on an H200 the one whose latency grew by 9 percent lost 9 of
	// its speed.
	Strict int
	// Crowded is how many words may be alive before computations whose readers
	// stand behind a barrier are worth moving there, and Constants how many words
	// of the uniform file before constants in it are made again near their uses.
	Crowded, Constants int
	// Full is the part of the registers that may be left where runs of them find
	// no place all the same: one in so many.
	Full int
	// Tests is the share of tests among the instructions of a region that waits
	// for them, one in so many: it may take the last predicate, which others leave
	// to what comes from other blocks.
	Tests int
	// Tried is how large functions are of which several orders are tried,
	// Judged how many orders are given registers to tell them apart, Surely the
	// guess from which no luck of the allocator saves an order from spilling, and
	// Trifle how many instructions there are, at least, for one of what spill code
	// costs that is not worth another order: values made again and moved between
	// register files.
	Tried, Judged, Surely, Trifle int
	// Large is the size of functions of which several orders are only tried where
	// that may spare them all memory.
	Large int
	// Shared is what a word counts for in orders in which each of its readers has a
	// share of it.
	Shared int
	// Lighter is the part of the words too many, summed up over time, that an order
	// must spare to be taken for it: one in so many.
	Lighter int
	// Greedy is how many cycles an order must save for loads to take all registers:
	// where results of shared memory and special functions find none, runs of
	// registers do not either, and they step over the next border of occupancy.
	Greedy int
	// Stored is how many words less a store counts for where stores come first, and
	// Tested what leads to their guards: that is dead before them.
	Stored, Tested int
	// Copied is how long asynchronous copies take, in loops that wait for all of them
	// in the next turn; 0: products do not make room for them.
	Copied int
	// Open is the same for loops that leave products of warp groups running, which copies pass then.
	Open int
	// Fences is the percentage of the latency that orders must come to in which
	// arithmetic passes fences between products of warp groups; 0: none is tried.
	Fences int
	// Roomier is how many orders are tried, each with more room for runs of registers, before a step
	// of occupancy is given up that all words find room in.
	Roomier int
	// SectorLoads is how many narrow loads of one sector wait for the first of
	// them at least, and SectorStores how many narrow stores to one have the first
	// wait for what all of them store; 0 if none do.
	SectorLoads, SectorStores int
	// Leaner is how many registers orders leave to runs that find no place where
	// warps trade registers.
	Leaner int
	// Derived are values that are made again in the blocks that read them.
	Derived Derived
	// Slacks are those of functions with products of matrices.
	Slacks Slacks
	// Steps say where registers are looked for within a step of occupancy.
	Steps Steps
	// Quick leaves the order of the source where registers last for it, and
	// tries one other where they do not, found in QuickWays ways at most.
	Quick     bool
	QuickWays int
}

// Derived says how values are made again in the blocks that read them: Rounds
// times at most, since what they are made from may be made from less; Slack
// registers more are freed than lack: runs of them, and predicates, find place
// then; of the words too many one in Share must be gone, or else it is not worth
// another order.
type Derived struct{ Rounds, Slack, Share int }

// Slacks say how long before it is due an instruction may issue that takes a
// register, in functions with products of matrices that have registers to spare:
// while a product runs, whatever can issue should. Where exponentials lie between
// products and at most two warps share a scheduler, nobody else fills their gaps,
// least of all where both are of one block.
type Slacks struct{ Product, Pair, Alone int }

// Steps are the steps of occupancy of functions with products of warp groups
// that other orders are tried for: those with Blocks on a multiprocessor at most.
// Gain is the percentage of the time with fewer blocks that an order with one
// block more may take, its spill code included, where copies from memory
// that a loop waits for take so many cycles. Open is the percentage of the time that orders with a
// block less may take whose copies pass running products; 0: there are none.
type Steps struct{ Blocks, Gain, Copies, Open int }

// Turns are the regions whose rows take turns at the special function unit.
type Turns struct {
	Time  int // cycles that the unit is busy, at least
	Share int // times these cycles are as many as there are instructions
	Few   int // operations that make a turn of their own
	Reads int // readers from which on a result is wanted before others
}

// Usual is what is used where nobody searches.
func Usual() Tuning {
	return Tuning{
		Slack: 6, Spare: 6, Load: 700, Turns: Turns{Time: 96, Share: 2, Few: 4, Reads: 4}, ScarceTime: 48, ScarceShare: 2,
		Raises: 3, Wide: 3, QuickWays: 2, Better: 97, Worthwhile: 70, Fewer: 68, Meeting: 40, Ample: 32, Ampler: 80, Again: 12, Later: 10, Strict: 105, Crowded: 80, Constants: 40, Full: 6, Tests: 8, Tried: 10000, Judged: 3, Surely: 50, Trifle: 50, Large: 8000, Shared: 16, Leaner: 12, Roomier: 2, Lighter: 8, Greedy: 525, Stored: 16, Tested: 32, Copied: 600, SectorLoads: 4, SectorStores: 3,
		Derived: Derived{Rounds: 3, Slack: 30, Share: 5}, Slacks: Slacks{Product: 30, Pair: 48, Alone: 80},
		Steps: Steps{Blocks: 5, Gain: 90, Copies: 500, Open: 106},
	}
}

// FewWarps is how many warps share a scheduler where the grid is small.
const FewWarps = 2

// Cost is about how long a kernel takes, compared with itself. Block is how many
// warps of a block share a scheduler: on any grid there are as many. Memory is for how
// long memory is busy with what a warp asks for, where that is looked at.
type Cost struct{ Latency, Issue, Warps, Block, Memory float64 }

// price is the time with many warps times that with few.
func (c Cost) price() float64 {
	return max(c.Issue, c.Memory, c.Latency/min(c.Warps, max(FewWarps, c.Block))) * c.crowded()
}

// Time is about how long it takes, whether the grid is large or small.
func (c Cost) Time() float64 { return math.Sqrt(c.price()) }

// crowded is the time with as many warps as registers allow.
func (c Cost) crowded() float64 { return max(c.Issue, c.Memory, c.shared()) }

// shared is what each of the warps of a scheduler must hide.
func (c Cost) shared() float64 { return c.Latency / c.Warps }

// IsBetter reports whether a kernel should rather take other registers.
func (t *Tuning) IsBetter(left, now Cost) bool {
	return left.Warps >= now.Warps && left.price() < now.price()*percent(t.Better) || left.shared() < now.shared()*percent(t.Worthwhile) ||
		left.crowded() <= now.crowded() && left.price() < now.price()*percent(t.Fewer)
}

// Border is the latency below which plans with so many warps are better.
func (t *Tuning) Border(now Cost, warps float64) float64 {
	return latest(now.Latency, func(latency float64) bool {
		return t.IsBetter(Cost{Latency: latency, Issue: now.Issue, Warps: warps, Block: now.Block}, now)
	})
}

// Longest is the latency up to which plans are as good that keep so many warps, where others leave
// fewer.
func (t *Tuning) Longest(now Cost, warps float64) float64 {
	return max(now.Latency*percent(t.Strict), latest(now.Latency*warps/now.Warps, func(latency float64) bool {
		return Cost{Latency: latency, Issue: now.Issue, Warps: warps, Block: now.Block}.price() < now.price()
	}))
}

// latest is about how long something good takes, at most.
func latest(most float64, good func(latency float64) bool) float64 {
	low, high := 0.0, most
	for high-low > 1 {
		if mid := (low + high) / 2; good(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// Gain is the part of the time that an order may take which spills more.
func (t *Tuning) Gain() float64 { return percent(t.Ampler) }

func percent(n int) float64 { return float64(n) / 100 }
