package pipeline

import (
	"fmt"
	"io"
	"math"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/codegen/frame"
	"github.com/goptxas/goptxas/internal/codegen/isel"
	"github.com/goptxas/goptxas/internal/codegen/ra"
	"github.com/goptxas/goptxas/internal/codegen/sched"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/scoreboard"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower/warp"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/address"
	"github.com/goptxas/goptxas/internal/opt/ahead"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/opt/control"
	"github.com/goptxas/goptxas/internal/opt/cse"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/opt/loop"
	"github.com/goptxas/goptxas/internal/opt/machine"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/opt/uniform"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// What holds about a function between phases.
const (
	settled   phase.Props = 1 << iota // no marks of the optimiser are left
	converged                         // divergent branches have their barriers
	legal                             // every instruction has a form of the machine
	allocated                         // registers are physical
	noCopies                          // no pseudo-operations are left
	scheduled                         // every instruction says when it issues
	hasCode                           // machine words exist
)

// improve makes a step from a function of the optimiser.
func improve(run func(*ori.Func) bool) func(*unit, *phase.Ctx) error {
	return func(u *unit, c *phase.Ctx) error {
		asking(u, c)
		run(u.f)
		return nil
	}
}

// fit makes one from a function that asks which forms the machine has.
func fit(run func(*ori.Func, func(*ori.Instr) bool) bool) func(*unit, *phase.Ctx) error {
	return func(u *unit, c *phase.Ctx) error {
		asking(u, c)
		run(u.f, fits(u))
		return nil
	}
}

// asking lets the phases of the optimiser ask what they may change.
func asking(u *unit, c *phase.Ctx) {
	u.f.Ask = nil
	if c.Bisects() {
		u.f.Ask = c.ShouldChange
	}
}

// do makes one from a function that cannot fail.
func do(run func(*unit)) func(*unit, *phase.Ctx) error {
	return func(u *unit, c *phase.Ctx) error {
		asking(u, c)
		run(u)
		return nil
	}
}

// phases returns the rows; order says when each runs. It is a function so
// that nothing is built before main.
func phases() []phase.Row[*unit] {
	return []phase.Row[*unit]{
		{Name: "BranchSimplify", Run: improve(branch.BranchSimplify), MinOpt: 1},
		{Name: "LocalWords", Run: do(localWords), MinOpt: 1},
		{Name: "SSA", Run: improve(ssa.SSA), MinOpt: 1},
		{Name: "PhiCopies", Run: improve(ssa.PhiCopies), MinOpt: 1},
		{Name: "Constants", Run: improve(loop.Constants), MinOpt: 1},
		{Name: "LeaveSSA", Run: improve(ssa.LeaveSSA), Required: true}, // whatever is left out in between
		{Name: "SplitWebs", Run: improve(ssa.SplitWebs), MinOpt: 1},
		{Name: "Unroll", Run: do(unroll), MinOpt: 2},
		{Name: "RotateLoops", Run: do(rotateLoops), MinOpt: 2},
		{Name: "JumpThreads", Run: do(jumpThreads), MinOpt: 2},
		{Name: "Unswitch", Run: do(unswitch), MinOpt: 2},
		{Name: "Peel", Run: do(peel), MinOpt: 2},
		{Name: "UnrollRest", Run: do(unrollRest), MinOpt: 2},
		{Name: "Simplify", Run: improve(opt.Simplify), MinOpt: 1},
		{Name: "CopyProp", Run: improve(opt.CopyProp), MinOpt: 1},
		{Name: "DeadCode", Run: improve(dead.DeadCode), MinOpt: 1},
		{Name: "Accumulators", Run: improve(machine.Accumulators), MinOpt: 1},
		{Name: "GuardedLoads", Run: improve(control.GuardedLoads), MinOpt: 1},
		{Name: "UniformConstants", Run: improve(uniform.UniformConstants), MinOpt: 1},
		{Name: "CSE", Run: improve(cse.CSE), MinOpt: 1},
		{Name: "LocalCSE", Run: improve(cse.LocalCSE), MinOpt: 2},
		{Name: "PartialRedundancy", Run: improve(cse.PartialRedundancy), MinOpt: 2},
		{Name: "Signs", Run: improve(float.Signs), MinOpt: 1},
		{Name: "Saturate", Run: improve(float.Saturate), MinOpt: 2},
		{Name: "KnownBits", Run: improve(opt.KnownBits), MinOpt: 1},
		{Name: "Reassociate", Run: improve(address.Reassociate), MinOpt: 2},
		{Name: "ScaledProducts", Run: improve(address.ScaledProducts), MinOpt: 2},
		{Name: "AddressFold", Run: improve(address.AddressFold), MinOpt: 1},
		{Name: "SharedInductions", Run: improve(loop.SharedInductions), MinOpt: 2},
		{Name: "SharedPointers", Run: improve(loop.SharedPointers), MinOpt: 2},
		{Name: "Contract", Run: improve(float.Contract), MinOpt: 1},
		{Name: "Combine", Run: improve(opt.Combine), MinOpt: 1},
		{Name: "IfConvert", Run: do(ifConvert), MinOpt: 2},
		{Name: "HighTests", Run: do(highTests), MinOpt: 2},
		{Name: "GuardedUpdates", Run: do(guardedUpdates), MinOpt: 2},
		{Name: "Selects", Run: do(selects), MinOpt: 1},
		{Name: "Unguard", Run: improve(control.Unguard), MinOpt: 1},
		{Name: "Renumber", Run: do(renumber), MinOpt: 1},
		{Name: "LateTests", Run: improve(control.LateTests), MinOpt: 2},
		{Name: "TestBits", Run: improve(opt.TestBits), MinOpt: 1},
		{Name: "NarrowLoads", Run: improve(address.NarrowLoads), MinOpt: 2},
		{Name: "VectorLoads", Run: do(vectorLoads), MinOpt: 2},
		{Name: "VectorStores", Run: do(vectorStores), MinOpt: 2},
		{Name: "SplitWords", Run: improve(ssa.SplitWords), MinOpt: 1},
		{Name: "PackHalves", Run: do(packHalves), MinOpt: 1},
		{Name: "Extremes", Run: fit(machine.Extremes), MinOpt: 1},
		{Name: "PackFloats", Run: improve(float.PackFloats), MinOpt: 1},
		{Name: "HalfConstants", Run: fit(float.HalfConstants), MinOpt: 1},
		{Name: "UnreadResults", Run: fit(machine.UnreadResults), MinOpt: 1},
		{Name: "Aggregate", Run: do(aggregate), MinOpt: 2},
		{Name: "ColdWaits", Run: improve(control.ColdWaits), MinOpt: 2},
		{Name: "OneTurn", Run: improve(control.OneTurn), MinOpt: 2},
		{Name: "ReusedLoads", Run: do(reusedLoads), MinOpt: 2},
		{Name: "PipelineLoops", Run: do(pipelineLoops), MinOpt: 2},
		{Name: "ViewFences", Run: improve(machine.ViewFences), MinOpt: 1},
		{Name: "LateStores", Run: improve(machine.LateStores), MinOpt: 2},
		{Name: "IgnoredBits", Run: improve(machine.IgnoredBits), MinOpt: 1},
		{Name: "WholeProducts", Run: improve(machine.WholeProducts), MinOpt: 1},
		{Name: "DisjointSums", Run: improve(machine.DisjointSums), MinOpt: 2},
		{Name: "TensorClears", Run: improve(machine.TensorClears), MinOpt: 1},
		{Name: "UnpackHalves", Run: fit(float.UnpackHalves), MinOpt: 1},
		{Name: "MergeHalves", Run: fit(float.MergeHalves), MinOpt: 1},
		{Name: "ShareGroups", Run: fit(machine.ShareGroups), MinOpt: 2},
		{Name: "DoubleConstants", Run: improve(float.DoubleConstants), MinOpt: 1},
		{Name: "Literals", Run: literals},
		{Name: "SharedMasks", Run: improve(control.SharedMasks), MinOpt: 2},
		{Name: "Settle", Run: do(settle), Required: true, Gives: settled},
		{Name: convergePhase, Run: converge, Required: true, Gives: converged},
		{Name: "Elected", Run: improve(control.Elected), MinOpt: 2, Needs: settled | converged},
		{Name: "Sink", Run: do(sink), MinOpt: 2, Needs: settled | converged},
		{Name: "SplitShared", Run: improve(uniform.SplitShared), MinOpt: 2, Needs: settled | converged},
		{Name: "UniformRoots", Run: improve(isel.UniformRoots), MinOpt: 2, Needs: settled | converged},
		{Name: "UniformValues", Run: do(uniformValues), MinOpt: 2, Needs: settled | converged},
		{Name: "UniformPairs", Run: fit(uniform.UniformPairs), MinOpt: 2, Needs: settled | converged},
		{Name: "UniformTuples", Run: do(uniformTuples), MinOpt: 2, Needs: settled | converged},
		{Name: "UniformDoubles", Run: do(uniformDoubles), MinOpt: 2, Needs: settled | converged},
		{Name: "UniformBases", Run: do(uniformBases), MinOpt: 2, Needs: settled | converged},
		{Name: "UniformKeeps", Run: do(uniformKeeps), MinOpt: 2, Needs: settled | converged},
		{Name: "Legalize", Run: legalize, Required: true, Needs: settled, Gives: legal},
		{Name: "JoinAccumulators", Run: do(joinAccumulators), MinOpt: 1, Needs: legal | converged},
		{Name: "LooseGroups", Run: do(looseGroups), MinOpt: 2, Needs: legal | converged},
		{Name: "ParkAccumulators", Run: do(parkAccumulators), MinOpt: 2, Needs: legal | converged},
		{Name: "TensorRuns", Run: do(tensorRuns), MinOpt: 2, Needs: legal | converged},
		{Name: "UniformInvariants", Run: do(uniformInvariants), MinOpt: 2, Needs: legal | converged},
		{Name: "PredicateBits", Run: do(predicateBits), MinOpt: 2, Needs: legal | converged},
		{Name: "PreSchedule", Run: do(preSchedule), MinOpt: 2, Needs: legal | converged},
		{Name: allocatePhase, Run: allocateRegisters, Required: true, Needs: legal | converged, Gives: allocated},
		{Name: expandPhase, Run: expandCopies, Required: true, Needs: allocated, Gives: noCopies},
		{Name: "WarpGroups", Run: do(warpGroups), Required: true, Needs: noCopies},
		{Name: "BalancePipes", Run: do(balancePipes), MinOpt: 2, Needs: noCopies},
		{Name: "PostSchedule", Run: do(postSchedule), MinOpt: 1, Needs: noCopies},
		{Name: "GroupWaits", Run: do(groupWaits), Required: true, Needs: noCopies},
		{Name: "PlaceBlocks", Run: improve(branch.PlaceBlocks), MinOpt: 2, Needs: noCopies},
		{Name: "Collectives", Run: do(collectives), Required: true, Needs: noCopies},
		{Name: schedulePhase, Run: assignScoreboards, Required: true, Needs: noCopies, Gives: scheduled},
		{Name: "EmitCode", Run: emitCode, Required: true, Needs: scheduled, Gives: hasCode},
	}
}

// order runs the cheap cleaners around each improvement that leaves work
// for them.
var order = []string{
	// Clean what the front end left, then loops.
	"BranchSimplify", "SplitWebs", "SSA", "Simplify", "BranchSimplify", "DeadCode", "JumpThreads", "BranchSimplify", "Signs", "Contract", "RotateLoops", "BranchSimplify", "Unroll", "BranchSimplify",
	"Unswitch", "Peel", "BranchSimplify", "UnrollRest", "BranchSimplify",
	// Values: constants, equal computations, addresses.
	"PhiCopies", "CopyProp", "LocalWords", "Unguard", "GuardedLoads", "Selects", "Renumber", "Constants", "UniformConstants", "KnownBits", "CopyProp", "CSE", "ScaledProducts", "Simplify", "Reassociate", "AddressFold", "Signs", "Saturate", "DeadCode",
	"SharedInductions", "IgnoredBits", "HighTests",
	// Fewer and larger instructions.
	"Combine", "Simplify", "SharedPointers", "AddressFold", "CSE", "Simplify", "LocalCSE", "PartialRedundancy", "WholeProducts", "CopyProp", "DeadCode", "PackHalves", "Extremes", "GuardedUpdates", "LateTests",
	// Wider loads, packed operations: the last of values.
	"NarrowLoads", "VectorLoads", "VectorStores", "DoubleConstants", "UnpackHalves", "MergeHalves", "PackFloats",
	// Fewer branches.
	"PhiCopies", "CopyProp", "IfConvert", "BranchSimplify", "Unguard", "GuardedLoads", "Selects", "CopyProp", "DeadCode", "TestBits", "DisjointSums",
	"Accumulators", "CopyProp", "Literals", "TensorClears", "DeadCode", "UnreadResults", "Aggregate", "ViewFences", "LateStores", "ShareGroups", "ColdWaits", "OneTurn", "ReusedLoads", "PipelineLoops", "SharedMasks",
	// What the machine wants.
	"Settle", "HalfConstants", "DeadCode", "LeaveSSA", "BranchSimplify", "Renumber", "SplitWords", "CopyProp", "DeadCode", convergePhase, "Elected", "Sink", "SplitShared", "UniformRoots", "UniformValues", "UniformPairs", "UniformTuples", "UniformDoubles", "UniformBases", "DeadCode", "UniformKeeps", "Legalize", "JoinAccumulators", "LooseGroups",
	// Registers, times, words.
	"Renumber", "ParkAccumulators", "TensorRuns", "UniformInvariants", "PredicateBits", "PreSchedule", "AllocateRegisters", "ExpandCopies", "WarpGroups", "BalancePipes", "PostSchedule", "GroupWaits", "PlaceBlocks", "Collectives", "AssignScoreboards", "EmitCode",
}

// orders are the phases of each level of fast compilation. Phases that make the code
// smaller save more time behind them than they take; those that make it only quicker
// are left out, first those that look far.
var orders = [NumFast][]string{
	FastOff: order,
	FastMin: {
		"BranchSimplify", "LocalWords", "Contract", "UniformConstants", "Simplify", "AddressFold", "CSE", "Accumulators", "SplitWords", "CopyProp", "Literals", "DeadCode", "Renumber", "LateTests",
		"Settle", convergePhase, "Legalize", "JoinAccumulators", "PreSchedule",
		"AllocateRegisters", "ExpandCopies", "WarpGroups", "PostSchedule", "Collectives", "AssignScoreboards", "EmitCode",
	},
	FastMid: {
		"BranchSimplify", "LocalWords", "Contract", "UniformConstants", "CopyProp", "AddressFold", "CSE", "Accumulators", "CopyProp", "Literals", "DeadCode", "Renumber",
		"Settle", convergePhase, "Legalize", "JoinAccumulators", "PreSchedule",
		"AllocateRegisters", "ExpandCopies", "WarpGroups", "PostSchedule", "Collectives", "AssignScoreboards", "EmitCode",
	},
	FastMax: {
		"BranchSimplify", "Contract", "UniformConstants", "CopyProp", "AddressFold", "CSE", "CopyProp", "Literals", "DeadCode", "Renumber",
		"Settle", convergePhase, "Legalize", "JoinAccumulators", "PreSchedule",
		"AllocateRegisters", "ExpandCopies", "WarpGroups", "Collectives", "AssignScoreboards", "EmitCode",
	},
}

// WritePhases prints the phases and the flags that --phase takes.
func WritePhases(w io.Writer) error {
	t := phase.Table[*unit]{Rows: phases(), Order: order}
	return t.WriteHelp(w)
}

// wellFormed proves the function well formed, and in SSA form where it says so.
func wellFormed(u *unit) error {
	if err := u.f.Verify(u.stage); err != nil {
		return err
	}
	return flow.CheckSSA(u.f)
}

// dump writes the function in the form that parses again, with the phase
// and the target in its head, or as a snapshot of its module.
func dump(w io.Writer, u *unit, e *phase.Event) error {
	head := headOf(u, e)
	if u.knobs.Bool(knobs.DumpRecords) {
		u.f.Module.Head = head
		_, err := w.Write(u.f.Module.AppendRecords(nil))
		return err
	}
	_, err := fmt.Fprintf(w, "# %s\n%s", head, u.f.Append(nil))
	return err
}

// converge brings threads together again after divergent branches, and before
// barriers of the block and operations of whole warps where they may be apart
// all the same. Without optimisation every branch counts as divergent. Where
// threads may gather for one instruction from several places is known in
// between.
func converge(u *unit, c *phase.Ctx) error {
	x := flow.UniformityOf(u.f)
	cross := flow.Crossings(u.f, x)
	all := isel.Converge(u.f, func(b *ori.Block) bool { return (c.Opt == 0 || x.Parts(b)) && !cross[b.ID] })
	all = !isel.SpareBarriers(u.f, barrierLimit(u.f)) && all
	apart := u.gatherThreads(c.Opt == 0)
	for isel.SpareBarriers(u.f, barrierLimit(u.f)) { // threads that wait for all of the warp keep barriers from others
		all = false
		apart = u.gatherThreads(c.Opt == 0)
	}
	if c.Opt == 0 {
		return nil
	}
	if !u.f.Kernel || !all { // who comes to a function, or where paths reconverge, nobody knows
		return nil
	}
	isel.DropYields(u.f, apart.Is)
	for _, i := range isel.Gathers(u.f, apart.Is) {
		if c.ShouldChange("warpsync", int(i.ID)) {
			i.Remove()
		}
	}
	return nil
}

// gatherThreads brings the threads of a warp together before what wants them
// so, and returns where they may be apart then. Before barriers they are always,
// if asked so.
func (u *unit) gatherThreads(always bool) *flow.Divergence {
	x := flow.UniformityOf(u.f)
	apart := flow.DivergenceOf(u.f, x)
	if isel.YieldWaits(u.f, x, apart) {
		apart = flow.DivergenceOf(u.f, flow.UniformityOf(u.f))
	}
	u.findGatherings()
	added := append(isel.GatherBarriers(u.f, func(b *ori.Block) bool { return always || apart.Is(b) }), isel.GatherAligned(u.f, apart.Is)...)
	if !always && isel.SplitGathered(u.f, apart.Is) {
		apart = flow.DivergenceOf(u.f, flow.UniformityOf(u.f))
		isel.Ungather(u.f, added, apart.Is)
	}
	return apart
}

// barrierLimit is what there is for convergence regions, less some because
// those that overlap find no place as easily as those that enclose each other.
// A function takes those only that it need not save.
func barrierLimit(f *ori.Func) isel.BarrierLimit {
	const spare = 2
	if !f.Kernel {
		return isel.BarrierLimit{All: abi.FreeBarriers, Kept: abi.FreeBarriers}
	}
	return isel.BarrierLimit{All: numBarriers - spare, Kept: numBarriers - abi.FreeBarriers - spare}
}

// findGatherings finds where threads may gather for one instruction from
// several places.
func (u *unit) findGatherings() {
	if u.f.Routine == ori.NoRoutine {
		u.gatherings = flow.Gatherings(u.f, flow.UniformityOf(u.f), flow.Waits)
	}
}

// rotateLoops lets loops test at their end.
// number is the value of a knob.
func (u *unit) number(id knobs.ID) int { return int(u.knobs.Int(id)) }

// unroll copies turns of loops within the bounds that knobs give.
func unroll(u *unit) {
	loop.Unroll(u.f, loop.Bounds{
		Whole: u.number(knobs.UnrollWhole), Left: u.number(knobs.UnrollLeft), Body: u.number(knobs.UnrollBody), Part: u.number(knobs.UnrollPart),
		Copies: u.number(knobs.UnrollCopies), Forked: u.number(knobs.UnrollForked), Forks: u.number(knobs.UnrollForks), Growth: u.number(knobs.UnrollGrowth),
	})
}

func rotateLoops(u *unit) { loop.RotateLoops(u.f, int(u.knobs.Int(knobs.RotateHeader))) }

// jumpThreads leads ways past branches that are known to go one way for them.
func jumpThreads(u *unit) {
	loop.JumpThreads(u.f, loop.Threading{Copied: u.number(knobs.ThreadCopied), Apart: u.number(knobs.ThreadApart), Growth: u.number(knobs.UnrollGrowth)})
}

// unswitch writes loops twice that ask in every turn what no turn changes.
func unswitch(u *unit) {
	loop.Unswitch(u.f, loop.Copied{Body: u.number(knobs.UnswitchBody), Growth: u.number(knobs.UnrollGrowth)})
}

// peel writes first turns before loops that ask whether they are in one.
func peel(u *unit) {
	loop.Peel(u.f, loop.Copied{Body: u.number(knobs.PeelBody), Growth: u.number(knobs.UnrollGrowth)})
}

// unrollRest writes turns of loops out of which only data tell the number.
func unrollRest(u *unit) {
	loop.UnrollRest(u.f, loop.Rest{Turns: u.number(knobs.RestTurns), Body: u.number(knobs.RestBody), Growth: u.number(knobs.UnrollGrowth)})
}

// reusedLoads keeps what loops would load again in their next turn.
func reusedLoads(u *unit) {
	if u.f.Kernel {
		ahead.ReusedLoads(u.f, u.number(knobs.AheadBody), u.number(knobs.ReusedWords))
	}
}

// pipelineLoops sends loads a turn ahead.
func pipelineLoops(u *unit) {
	if !u.f.Kernel {
		return
	}
	u.ahead = ahead.PipelineLoops(u.f, ahead.Bounds{
		Body: u.number(knobs.AheadBody), Words: u.number(knobs.AheadWords), Latency: u.number(knobs.AheadTime), Share: u.number(knobs.AheadShare),
		Most:  budget(u.f, u.o) - estimate.Tight,
		Warps: func(words int) float64 { return estimate.Warps(u.f, int32(words)+estimate.Tight) },
		Few:   float64(max(1, u.number(knobs.AheadFew))),
	})
}

// guardedUpdates makes guarded instructions of choices.
func guardedUpdates(u *unit) { control.GuardedUpdates(u.f, u.number(knobs.UpdatesReach)) }

// packHalves does two operations on halves as one.
func packHalves(u *unit) { float.PackHalves(u.f, fits(u), u.number(knobs.PackReach)) }

// uniformBases adds uniform parts of addresses in the accesses.
func uniformBases(u *unit) { uniform.UniformBases(u.f, fits(u), u.number(knobs.BasesReach)) }

// highTests looks at upper words that several comparisons share once.
func highTests(u *unit) {
	machine.HighTests(u.f, u.number(knobs.HighFew))
	machine.HighPairs(u.f, u.number(knobs.HighFew))
}

// vectorLoads and vectorStores join accesses that stand near each other.
func vectorLoads(u *unit) { address.VectorLoads(u.f, u.number(knobs.VectorSpread)) }

func vectorStores(u *unit) { address.VectorStores(u.f, u.number(knobs.VectorSpread)) }

// predicateBits keeps predicates in bits of words where they are too many.
func predicateBits(u *unit) {
	ra.Flags(u.f, ra.FlagCost{Few: u.number(knobs.FlagsFew), Reach: u.number(knobs.FlagsReach), Masked: u.number(knobs.FlagsMasked), Carried: u.number(knobs.CarriedTests), Inside: u.number(knobs.FlagsInside), Loads: u.number(knobs.CarriedLoads)})
}

// tensorRuns divides loads from tensor memory that leave no room.
func tensorRuns(u *unit) { machine.TensorRuns(u.f, u.number(knobs.TensorWords)) }

func settle(u *unit) { opt.Settle(u.f) }

// aggregate lets one thread of a warp do what all do to one address.
func aggregate(u *unit) {
	r := machine.Reducers{Sum: op.REDUX, Least: op.REDUX}
	if u.o.Arch.Has(target.ConvergedRedux) {
		r.Least = op.CREDUX
	}
	machine.Aggregate(u.f, fits(u), r)
}

// uniformValues moves what all threads of a warp share to the uniform
// datapath.
func uniformValues(u *unit) {
	if u.f.Routine != ori.NoRoutine { // its callers have things in those registers
		return
	}
	load := op.ULDC
	if u.o.Arch.Has(target.UniformLoads) {
		load = op.LDCU
	}
	uniform.UniformValues(u.f, fits(u), load, uniform.Room{
		Words: u.number(knobs.UniformWords), Called: u.number(knobs.UniformCalled), Many: u.number(knobs.UniformMany),
	})
}

// localWords keeps words of local memory in registers, where no debugger wants
// to see them.
func localWords(u *unit) {
	if !u.o.Debug {
		address.LocalWords(u.f, address.Locals{Most: u.number(knobs.LocalWords), Clusters: u.o.Arch.Has(target.Clusters)})
	}
}

// ifConvert guards short blocks instead of jumping around them.
func ifConvert(u *unit) {
	control.IfConvert(u.f, control.ConvertCost{One: u.number(knobs.ConvertOne), Both: u.number(knobs.ConvertBoth), Products: u.number(knobs.ConvertProducts)})
}

// selects makes choices of guarded moves.
func selects(u *unit) { control.Selects(u.f, u.number(knobs.SelectsShared)) }

// uniformTuples keeps the tuples of the uniform file.
func uniformTuples(u *unit) { uniform.UniformTuples(u.f, int(u.knobs.Int(knobs.TupleWords))) }

// uniformDoubles keeps f64 constants in the uniform file, of which calls leave
// little alone.
func uniformDoubles(u *unit) {
	if u.f.Kernel && !u.f.Props.HasCalls {
		uniform.UniformDoubles(u.f, fits(u), int(u.knobs.Int(knobs.DoubleWords)))
	}
}

// sink moves computations to the blocks that read them, also past what every
// path leads through where there are not enough registers.
func sink(u *unit) {
	most := math.MaxInt
	if n := u.number(knobs.SinkWords); n > 0 {
		most = budget(u.f, u.o) - n
	}
	control.Sink(u.f, most)
}

// uniformKeeps keeps what threads share in uniform registers where there are
// not enough general ones.
func uniformKeeps(u *unit) {
	if n := u.number(knobs.UniformKeeps); n > 0 && u.f.Kernel && !u.f.Props.HasCalls {
		uniform.UniformKeeps(u.f, fits(u), uniform.Keep{Words: budget(u.f, u.o) - n, Room: u.number(knobs.UniformWords)})
	}
}

// uniformInvariants makes before loops what their turns make of the same words.
func uniformInvariants(u *unit) {
	if n := u.number(knobs.UniformTurns); n > 0 && u.f.Kernel && !u.f.Props.HasCalls {
		uniform.UniformInvariants(u.f, n)
	}
}

func joinAccumulators(u *unit) {
	ra.JoinAccumulators(u.f)
	u.injected = isel.Lacking(u.f)
}

// literals puts f64 constants into the kernel's own constant bank where the
// reference does. Routines are not the kernel's alone.
func literals(u *unit, c *phase.Ctx) error {
	o := u.o
	if o.NoLiterals || o.Patch || !o.Arch.Has(target.Literals) || u.f.Routine != ori.NoRoutine {
		return nil
	}
	asking(u, c)
	float.Literals(u.f, c.Opt == 0 || o.Fast == FastMax)
	return nil
}

// renumber closes the gaps between numbers, unless a debugger is told which
// register holds what.
func renumber(u *unit) {
	if !u.o.Debug {
		u.f.Renumber()
	}
}

func looseGroups(u *unit) {
	isel.LooseGroups(u.f, budget(u.f, u.o)-ra.FirstGroupReg)
}

// parkAccumulators keeps accumulators in local memory that loops have no
// registers for.
func parkAccumulators(u *unit) {
	ro := registers(u)
	if p := poolOf(u); p != nil {
		ro = shared(p, ro)
	}
	if n := ra.Park(u.f, &ro); n > 0 {
		u.f.Props.LocalBytes = ro.FrameBytes + n
	}
}

func preSchedule(u *unit) {
	limit := sched.Budget{Most: budget(u.f, u.o)}
	ro := registers(u)
	if p := poolOf(u); p != nil {
		ro = shared(p, ro)
		limit = sched.Budget{Most: ro.Registers, Limits: ro.Limits}
	}
	if u.f.Routine != ori.NoRoutine { // what it does not use stays its callers'
		limit.Most = 12
	}
	if tune := tuning(u); !u.f.Kernel || u.o.Fast != FastOff {
		tune.Quick = u.o.Fast != FastOff
		sched.Pre(u.f, u.o.Arch, limit, tune, nil)
		return
	}
	u.judge = ra.NewJudge(u.f, ro)
	sched.Pre(u.f, u.o.Arch, limit, tuning(u), u.judge)
}

// tuning is what the knobs say about orders.
func tuning(u *unit) sched.Tuning {
	n := u.number
	return sched.Tuning{
		Slack: n(knobs.SchedSlack), Spare: n(knobs.SchedSpare), Load: n(knobs.SchedLoad), Registers: n(knobs.SchedRegisters),
		Manner: n(knobs.SchedManner), Jitter: n(knobs.SchedJitter),
		Turns:      sched.Turns{Time: n(knobs.TurnsTime), Share: n(knobs.TurnsShare), Few: n(knobs.TurnsFew), Reads: n(knobs.TurnsReads)},
		ScarceTime: n(knobs.ScarceTime), ScarceShare: n(knobs.ScarceShare),
		Raises: n(knobs.SchedRaises), Wide: n(knobs.SchedWide), QuickWays: n(knobs.QuickWays), Better: n(knobs.SchedBetter), Worthwhile: n(knobs.SchedWorthwhile), Fewer: n(knobs.SchedFewer), Meeting: n(knobs.SchedMeeting),
		Ample: n(knobs.SchedAmple), Ampler: n(knobs.SchedAmpler), Again: n(knobs.SchedAgain), Later: n(knobs.SchedLater),
		Strict: n(knobs.SchedStrict), Crowded: n(knobs.SchedCrowded), Constants: n(knobs.SchedConstants), Full: max(1, n(knobs.SchedFull)), Tests: max(1, n(knobs.SchedTests)),
		Tried: n(knobs.SchedTried), Judged: n(knobs.SchedJudged), Surely: n(knobs.SchedSurely), Trifle: max(1, n(knobs.SchedTrifle)), Large: n(knobs.SchedLarge), Shared: max(1, n(knobs.SchedShared)), Leaner: n(knobs.SchedLeaner), Roomier: n(knobs.SchedRoomier),
		Lighter: max(1, n(knobs.SchedLighter)), Greedy: n(knobs.SchedGreedy), Stored: n(knobs.SchedStored), Tested: n(knobs.SchedTested), Copied: n(knobs.SchedCopied), Open: n(knobs.SchedOpen), Fences: n(knobs.SchedFences), SectorLoads: n(knobs.SectorLoads), SectorStores: n(knobs.SectorStores),
		Derived: sched.Derived{Rounds: n(knobs.DerivedRounds), Slack: n(knobs.DerivedSlack), Share: max(1, n(knobs.DerivedShare))},
		Slacks:  sched.Slacks{Product: n(knobs.SlackProduct), Pair: n(knobs.SlackPair), Alone: n(knobs.SlackAlone)},
		Steps:   sched.Steps{Blocks: n(knobs.StepBlocks), Gain: n(knobs.StepGain), Copies: n(knobs.StepCopies), Open: n(knobs.StepOpen)},
	}
}

// expandCopies ends the life of pseudo-operations and makes the frame.
func expandCopies(u *unit, _ *phase.Ctx) error {
	p := frame.New(u.f)
	ra.ExpandCopies(u.f)
	err := p.Prologue(&frame.Options{Arch: u.o.Arch, Variables: u.o.Layout.LocalBytes, Stack: u.o.Guards.Stack, Canary: u.o.Guards.Canary, Private: u.private})
	u.spills.Stores += p.Saved()
	u.spills.Loads += p.Saved()
	u.stage = ori.Allocated
	return err
}

func warpGroups(u *unit) { u.f.Props.Serial = isel.WarpGroups(u.f, u.o.Arch) }

func groupWaits(u *unit) { isel.GroupWaits(u.f, u.o.Arch) }

// collectives writes what threads that gather from several places do together.
func collectives(u *unit) { warp.Collect(u.f, u.o.Arch) }

func balancePipes(u *unit) {
	isel.Zeros(u.f, fits(u))
	isel.Balance(u.f, fits(u))
}

func postSchedule(u *unit) { sched.Post(u.f, u.o.Arch, tuning(u)) }

func legalize(u *unit, _ *phase.Ctx) error {
	return isel.Legalize(u.f, u.o.Arch, fits(u), isel.Waiting{Constants: u.number(knobs.WaitConstants), Alive: u.number(knobs.WaitAlive), Shared: u.number(knobs.WaitShared)})
}

// fits returns the question whether the machine has a form of an instruction.
func fits(u *unit) isel.Fits {
	if u.fits == nil || u.fitsOf != u.f {
		u.fits, u.fitsOf = emit.Fits(u.o.Arch, u.f), u.f
	}
	return u.fits
}

// allocateRegisters gives the function registers within its budget.
func allocateRegisters(u *unit, _ *phase.Ctx) error {
	if u.o.Debug {
		u.alive = link.AliveOf(u.f, u.ptx)
	}
	ro := registers(u)
	r, err := allocateShared(u, ro)
	if err != nil {
		return err
	}
	r.Stores, r.Loads = r.Stores+int(u.f.Props.SpillStores), r.Loads+int(u.f.Props.SpillLoads) // with what is parked
	u.spills = *r
	u.f.Props.SpillStores, u.f.Props.SpillLoads = int32(r.Stores), int32(r.Loads)
	if r.SpillBytes > 0 {
		u.f.Props.LocalBytes = ro.FrameBytes
	}
	return nil
}

// numBarriers is how many convergence barriers a warp has.
const numBarriers = 16

// registers says what there is for the allocator.
func registers(u *unit) ra.Options {
	uniforms := u.o.Arch.Uniforms
	if !u.f.Kernel {
		uniforms = abi.FreeUniforms
	}
	// spills of vectors must keep their alignment
	frame := (u.f.Props.LocalBytes + frame.VectorAlign - 1) / frame.VectorAlign * frame.VectorAlign
	ro := ra.Options{
		Registers: budget(u.f, u.o), Uniforms: uniforms, Barriers: numBarriers, StackReg: abi.StackReg,
		FrameBytes: frame, Check: u.knobs.Bool(knobs.CheckAllocation),
	}
	ro.StackFree = u.f.Kernel && !u.f.Props.HasCalls && !u.f.Props.MovesStack && frame+int32(u.o.Layout.LocalBytes) == 0 && len(u.routines) == 0 && !u.o.Debug && !u.o.Patch
	if u.f.Kernel {
		ro.First = u.number(knobs.UniformFirst)
	}
	if u.f.Props.MovesStack {
		ro.StackReg, ro.Taken = abi.FrameReg, []int{abi.StackReg}
	}
	if u.f.Routine == ori.Gathering {
		ro.Taken = []int{abi.FrameReg}
	}
	if len(u.routines)+len(u.callees) > 0 {
		ro.Routines = destroyed(u)
	}
	ro.NoSplit, ro.Quick = !u.knobs.Bool(knobs.RegAllocSplit) || u.o.Fast >= FastMid || u.o.spared, u.o.Fast > FastOff || u.o.spared
	ro.Plain = u.o.Fast == FastMax
	if u.f.Kernel && u.knobs.Bool(knobs.RegAllocSpread) && !ro.Quick { // functions would have to save what they take
		ro.Arch, ro.Hidden = u.o.Arch, abi.HiddenRegisters
	}
	ro.Effort = ra.Effort{Small: u.number(knobs.PlansSmall), Moves: [2]int{u.number(knobs.StepMoves), u.number(knobs.StepMovesAgain)}}
	if u.knobs.Bool(knobs.RegAllocTrace) {
		ro.Trace = u.o.Trace
	}
	return ro
}

// assignScoreboards decides when every instruction issues, and proves that nothing
// is read before it is there.
func assignScoreboards(u *unit, _ *phase.Ctx) error {
	if u.knobs.Bool(knobs.SerialSchedule) {
		scoreboard.Serial(u.f, u.o.Arch)
	} else {
		assignTimes(u)
	}
	u.stage = ori.Scheduled
	if u.o.Search != nil || u.o.priced || u.ahead {
		registers := int(u.f.Props.Registers) + abi.HiddenRegisters
		u.occupancy = estimate.Warps(u.f, int32(registers))
		cost := estimate.Of(u.f, u.o.Arch, registers)
		u.price, u.latency = cost.Price(), cost.Latency
		if !multiplies(u.f) {
			u.warps = u.occupancy
		}
	}
	return scoreboard.Check(u.f, u.o.Arch)
}

// assignTimes decides when every instruction issues with as much work as the level of fast
// compilation leaves.
func assignTimes(u *unit) {
	least := scoreboard.Sectors{Loads: u.number(knobs.SectorLoads), Stores: u.number(knobs.SectorStores)}
	if u.o.Fast < FastMid {
		scoreboard.Assign(u.f, u.o.Arch, least)
		return
	}
	scoreboard.Quick(u.f, u.o.Arch, least, u.o.Fast == FastMax)
}

// multiplies reports whether f multiplies matrices.
func multiplies(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op.Has(op.Matrix) {
				return true
			}
		}
	}
	return false
}

func emitCode(u *unit, _ *phase.Ctx) (err error) {
	if u.f.Routine != ori.NoRoutine || len(u.routines) > 0 { // words are made once all places are known
		u.code = emit.Layout(u.f)
		return nil
	}
	u.code, err = emit.Func(u.f, u.o.Arch, emit.Options{Slot: u.o.Slot, Keep: u.o.Layout != nil && u.o.Layout.Keep})
	return err
}
