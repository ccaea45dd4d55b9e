package knobs

// The knobs of the compiler. A row is added together with the code that reads
// it: the test of this package fails for a knob nobody reads.
const (
	None            ID = iota // no knob; the gate of phases that have none
	NamedPhases               // read by phase
	DumpIR                    // read by phase
	BisectKnob                // read by phase
	BisectLog                 // read by phase
	SerialSchedule            // read by pipeline
	RegAllocTrace             // read by pipeline
	RegAllocSpread            // read by pipeline
	RegAllocSplit             // read by pipeline
	UniformFirst              // read by pipeline
	CheckAllocation           // read by pipeline
	DumpRecords               // read by pipeline
	SchedSlack                // read by pipeline
	SchedSpare                // read by pipeline
	SchedLoad                 // read by pipeline
	SchedRegisters            // read by pipeline
	SchedManner               // read by pipeline
	SchedJitter               // read by pipeline
	TupleWords                // read by pipeline
	TensorWords               // read by pipeline
	DoubleWords               // read by pipeline
	ConvertOne                // read by pipeline
	SelectsShared             // read by pipeline
	RotateHeader              // read by pipeline
	RestTurns                 // read by pipeline
	RestBody                  // read by pipeline
	AheadBody                 // read by pipeline
	AheadWords                // read by pipeline
	AheadTime                 // read by pipeline
	AheadShare                // read by pipeline
	AheadWarps                // read by pipeline
	ReusedWords               // read by pipeline
	AheadFew                  // read by pipeline
	UnswitchBody              // read by pipeline
	PeelBody                  // read by pipeline
	ThreadCopied              // read by pipeline
	ThreadApart               // read by pipeline
	ConvertBoth               // read by pipeline
	ConvertProducts           // read by pipeline
	LocalWords                // read by pipeline
	InlineCopies              // read by pipeline
	UnrollWhole               // read by pipeline
	UnrollLeft                // read by pipeline
	UnrollBody                // read by pipeline
	UnrollPart                // read by pipeline
	UnrollCopies              // read by pipeline
	UnrollForked              // read by pipeline
	UnrollForks               // read by pipeline
	UnrollGrowth              // read by pipeline
	UniformWords              // read by pipeline
	UniformCalled             // read by pipeline
	UniformMany               // read by pipeline
	UniformKeeps              // read by pipeline
	UniformTurns              // read by pipeline
	SinkWords                 // read by pipeline
	WaitConstants             // read by pipeline
	WaitAlive                 // read by pipeline
	TurnsTime                 // read by pipeline
	TurnsShare                // read by pipeline
	TurnsFew                  // read by pipeline
	TurnsReads                // read by pipeline
	ScarceTime                // read by pipeline
	ScarceShare               // read by pipeline
	SchedRaises               // read by pipeline
	SchedWide                 // read by pipeline
	QuickWays                 // read by pipeline
	SchedBetter               // read by pipeline
	SchedWorthwhile           // read by pipeline
	SchedFewer                // read by pipeline
	SchedMeeting              // read by pipeline
	SchedAmple                // read by pipeline
	SchedAmpler               // read by pipeline
	SchedAgain                // read by pipeline
	SchedLater                // read by pipeline
	SchedStrict               // read by pipeline
	SchedCrowded              // read by pipeline
	SchedConstants            // read by pipeline
	SchedFull                 // read by pipeline
	SchedTests                // read by pipeline
	SchedTried                // read by pipeline
	SchedJudged               // read by pipeline
	SchedSurely               // read by pipeline
	SchedTrifle               // read by pipeline
	SchedLeaner               // read by pipeline
	SchedRoomier              // read by pipeline
	SchedLighter              // read by pipeline
	SchedGreedy               // read by pipeline
	SchedStored               // read by pipeline
	SchedTested               // read by pipeline
	SchedCopied               // read by pipeline
	SchedOpen                 // read by pipeline
	SectorLoads               // read by pipeline
	SectorStores              // read by pipeline
	SchedFences               // read by pipeline
	DerivedRounds             // read by pipeline
	DerivedSlack              // read by pipeline
	DerivedShare              // read by pipeline
	SlackProduct              // read by pipeline
	SlackPair                 // read by pipeline
	SlackAlone                // read by pipeline
	StepBlocks                // read by pipeline
	StepGain                  // read by pipeline
	StepCopies                // read by pipeline
	StepOpen                  // read by pipeline
	FlagsFew                  // read by pipeline
	FlagsReach                // read by pipeline
	FlagsMasked               // read by pipeline
	FlagsInside               // read by pipeline
	WaitShared                // read by pipeline
	HighFew                   // read by pipeline
	UpdatesReach              // read by pipeline
	PackReach                 // read by pipeline
	BasesReach                // read by pipeline
	SchedLarge                // read by pipeline
	SchedShared               // read by pipeline
	PlansSmall                // read by pipeline
	StepMoves                 // read by pipeline
	StepMovesAgain            // read by pipeline
	VectorSpread              // read by pipeline
	CarriedTests              // read by pipeline
	CarriedLoads              // read by pipeline
)

var table = [...]Knob{
	None:            {Doc: "no knob"},
	NamedPhases:     {"NamedPhases", String, "", "run exactly these phases, in this order (comma-separated)"},
	DumpIR:          {"DUMPIR", String, "", "dump the IR after these phases (comma-separated)"},
	BisectKnob:      {"Bisect", String, "", "allow only the optional rewrites whose hash matches this pattern"},
	BisectLog:       {"BisectLog", String, "", "add the rewrites that Bisect allows to the end of this file"},
	SerialSchedule:  {"SerialSchedule", Bool, "false", "every instruction waits for all before it"},
	RegAllocTrace:   {"RegAllocTrace", Bool, "false", "tell every trial of the register allocator"},
	RegAllocSpread:  {"RegAllocSpread", Bool, "true", "use registers that cost no occupancy rather than wait for late readers"},
	RegAllocSplit:   {"RegAllocSplit", Bool, "true", "what is spilled stays in registers in blocks and loops that have room for it"},
	UniformFirst:    {"UniformFirst", Int, "0", "uniform registers at the start of the file that nobody is given; 4: ncu can count by instruction in all kernels, with UR0 to UR3"},
	CheckAllocation: {"CheckAllocation", Bool, "true", "replay every register allocation against the program before it"},
	SchedSlack:      {"SchedSlack", Int, "6", "cycles before it is due at which an instruction may issue that takes a register"},
	SchedSpare:      {"SchedSpare", Int, "6", "registers that loads from memory leave to shorter results"},
	SchedLoad:       {"SchedLoad", Int, "700", "cycles that a load from memory takes where orders are compared"},
	SchedRegisters:  {"SchedRegisters", Int, "0", "registers that orders are made for; 0: as occupancy makes worthwhile"},
	SchedManner:     {"SchedManner", Int, "0", "way of looking for orders with few registers, 1 to 6; 0: the usual, others where registers run out"},
	SchedJitter:     {"SchedJitter", Int, "0", "seed of small changes to what issues first; 0: none"},
	TensorWords:     {"TensorWords", Int, "128", "words of loads from tensor memory that are waited for together beyond which they are divided"},
	TupleWords:      {"TupleWords", Int, "40", "uniform registers for tuples that several instructions share"},
	RotateHeader:    {"RotateHeader", Int, "8", "instructions of a loop's test that are written a second time, at its end"},
	RestTurns:       {"RestTurns", Int, "4", "turns of a loop of unknown length that are written out; 0: none"},
	RestBody:        {"RestBody", Int, "48", "instructions that such a loop has at most; loads count twice"},
	AheadBody:       {"AheadBody", Int, "2000", "instructions of a loop whose loads are sent a turn ahead; 0: none"},
	AheadWords:      {"AheadWords", Int, "32", "words that a thread sends ahead in a loop; 0: none"},
	AheadTime:       {"AheadTime", Int, "300", "cycles that a load which is sent ahead is taken to need"},
	AheadShare:      {"AheadShare", Int, "90", "percent of its time that a turn takes at most for its loads to be sent ahead"},
	AheadWarps:      {"AheadWarps", Int, "80", "percent of its warps that a kernel keeps at least where loads are sent a turn ahead; 0: those loads stay whatever they cost"},
	ReusedWords:     {"ReusedWords", Int, "8", "words that a loop loaded and keeps for its next turn; 0: none"},
	AheadFew:        {"AheadFew", Int, "1", "warps of a scheduler that hide from each other what a turn waits for, where the grid is small"},
	UnswitchBody:    {"UnswitchBody", Int, "160", "instructions of a loop that is written twice, once for each way of a branch inside that no turn changes; 0: none"},
	PeelBody:        {"PeelBody", Int, "96", "instructions of a loop whose first turn is written before it where a branch goes another way then; 0: none"},
	ThreadCopied:    {"ThreadCopied", Int, "8", "instructions that are copied to a way that is known not to need the branch behind them, where a warp branches alike"},
	ThreadApart:     {"ThreadApart", Int, "1", "the same where its threads may part, or parted before"},
	SelectsShared:   {"SelectsShared", Int, "3", "choices between the same two constants in a block from which on they share a register"},
	ConvertOne:      {"ConvertOne", Int, "10", "instructions of a block that are guarded instead of jumped around"},
	ConvertBoth:     {"ConvertBoth", Int, "8", "instructions of both paths of a branch that are guarded instead of jumped around"},
	ConvertProducts: {"ConvertProducts", Int, "12", "the same in loops with products of matrices in registers"},
	DoubleWords:     {"DoubleWords", Int, "28", "uniform registers for f64 constants that several instructions share"},
	LocalWords:      {"LocalWords", Int, "32", "words of local memory that may be kept in registers"},
	InlineCopies:    {"InlineCopies", Int, "256", "instructions of a function that stand in place of calls besides one copy of it"},
	UnrollWhole:     {"UnrollWhole", Int, "720", "instructions of all turns of a loop that is written out"},
	UnrollLeft:      {"UnrollLeft", Int, "1200", "instructions that are left of such turns once constants are known; of loops without products of matrices more the more they lose"},
	UnrollBody:      {"UnrollBody", Int, "80", "instructions of a loop whose turns are copied"},
	UnrollPart:      {"UnrollPart", Int, "256", "instructions of a loop that stays and holds several turns"},
	UnrollCopies:    {"UnrollCopies", Int, "8", "turns that such a loop holds"},
	UnrollForked:    {"UnrollForked", Int, "40", "instructions of a loop with branches inside whose turns are copied"},
	UnrollForks:     {"UnrollForks", Int, "420", "instructions of all copies of such turns"},
	UnrollGrowth:    {"UnrollGrowth", Int, "4000", "instructions that copies of turns add to a function"},
	UniformWords:    {"UniformWords", Int, "44", "words of the uniform file that live from block to block"},
	UniformCalled:   {"UniformCalled", Int, "20", "the same in functions with calls"},
	UniformMany:     {"UniformMany", Int, "40", "general words alive between blocks from which on moves are a fair price for uniform registers"},
	UniformKeeps:    {"UniformKeeps", Int, "16", "general words fewer than there are, alive between blocks, from which on values that threads share are kept in uniform registers; 0: none are"},
	UniformTurns:    {"UniformTurns", Int, "44", "words of the uniform file that may live in a loop where what no turn changes is made before it; 0: it stays"},
	SinkWords:       {"SinkWords", Int, "1", "general words fewer than there are, alive behind a block, from which on computations sink past where every path leads; 0: none do"},
	WaitConstants:   {"WaitConstants", Int, "3", "constants that wait in registers for the instructions of a loop"},
	WaitAlive:       {"WaitAlive", Int, "40", "general words alive at the start of a loop that constants may wait for"},
	TurnsTime:       {"TurnsTime", Int, "96", "cycles of the special function unit in a region from which on rows take turns at it"},
	TurnsShare:      {"TurnsShare", Int, "2", "times these cycles must be as many as the instructions"},
	TurnsFew:        {"TurnsFew", Int, "4", "operations of that unit that make a turn"},
	TurnsReads:      {"TurnsReads", Int, "4", "readers from which on a result of that unit comes before others"},
	ScarceTime:      {"ScarceTime", Int, "48", "cycles of the matrix unit in a region from which on orders are made from the end"},
	ScarceShare:     {"ScarceShare", Int, "2", "times these cycles must be as many as the instructions"},
	SchedRaises:     {"SchedRaises", Int, "3", "times that orders may take the registers of the next occupancy step"},
	SchedWide:       {"SchedWide", Int, "3", "times their shortest latency that orders within all registers may take to show that none of the steps before is of use"},
	QuickWays:       {"QuickWays", Int, "2", "ways in which fast compilation looks for an order with few registers"},
	SchedBetter:     {"SchedBetter", Int, "97", "percent of the price before that such an order comes to at most, with as many warps"},
	SchedFewer:      {"SchedFewer", Int, "68", "percent of the price before that an order with fewer warps comes to at most, if all of them together take no longer"},
	SchedMeeting:    {"SchedMeeting", Int, "40", "the same where threads of a block wait for each other and no matrices are multiplied"},
	CarriedTests:    {"CarriedTests", Int, "5", "predicates that stay such where more than there are live over a barrier beside masked loads; others become bits of words"},
	CarriedLoads:    {"CarriedLoads", Int, "4", "masked loads beside a barrier from which on that matters"},
	SchedWorthwhile: {"SchedWorthwhile", Int, "70", "percent of the latency a warp hides that such an order comes to at most, with fewer warps"},
	SchedAmple:      {"SchedAmple", Int, "32", "registers by which orders go beyond those there are, once to four times, and spill for loads in flight"},
	SchedAmpler:     {"SchedAmpler", Int, "80", "percent of the time before that such an order comes to at most"},
	SchedAgain:      {"SchedAgain", Int, "12", "words too many for a step of occupancy, at most, for which values are made again in the blocks that read them"},
	SchedLater:      {"SchedLater", Int, "10", "percent of the instructions, weighed by loops, by which values made again behind full regions may make them more"},
	SchedStrict:     {"SchedStrict", Int, "105", "percent of the latency that orders may take whose products leave the matrices of the next to their turn, if that saves warps"},
	SchedCrowded:    {"SchedCrowded", Int, "80", "words alive from which computations whose readers stand behind a barrier move there"},
	SchedConstants:  {"SchedConstants", Int, "40", "words of the uniform file alive from which constants in it are made again near their uses"},
	SchedFull:       {"SchedFull", Int, "6", "the part of the registers, one in so many, that may be left where runs of them find no place all the same"},
	SchedTests:      {"SchedTests", Int, "8", "the part of tests among instructions, one in so many, from which a region may take the last predicate"},
	SchedTried:      {"SchedTried", Int, "10000", "instructions of functions of which several orders are tried, at most"},
	SchedJudged:     {"SchedJudged", Int, "3", "orders that are given registers to tell what their spill code costs"},
	SchedSurely:     {"SchedSurely", Int, "50", "guess of spill code from which no luck of the allocator saves an order from spilling"},
	SchedTrifle:     {"SchedTrifle", Int, "50", "instructions, at least, for one of what spill code costs that is not worth another order"},
	SchedLeaner:     {"SchedLeaner", Int, "12", "registers that orders leave to runs of them where warps trade registers"},
	SchedRoomier:    {"SchedRoomier", Int, "2", "orders with ever more room for runs of registers that are tried where runs alone cost blocks on a multiprocessor"},
	SchedLighter:    {"SchedLighter", Int, "8", "the part of the words too many, summed up over time, one in so many, that an order must spare to be taken for it"},
	SchedGreedy:     {"SchedGreedy", Int, "525", "cycles that an order must save for loads to leave no registers to results of shorter latency"},
	SchedStored:     {"SchedStored", Int, "16", "words less that a store counts for in orders that have stores first"},
	SchedTested:     {"SchedTested", Int, "32", "the same for what leads to the guards of stores"},
	SchedOpen:       {"SchedOpen", Int, "600", "as SchedCopied, for loops that leave products of warp groups running: copies pass these; 0: they stay behind"},
	SchedCopied:     {"SchedCopied", Int, "600", "cycles before its end at which a loop that waits for all its copies has the next on their way; 0: its products stay before the barrier"},
	SectorLoads:     {"SectorLoads", Int, "4", "narrow loads from one sector of global memory from which on all wait for the first of them, beside such stores; 0: never"},
	SectorStores:    {"SectorStores", Int, "3", "narrow stores to one sector from which on the first waits for what all of them store; 0: never"},
	SchedFences:     {"SchedFences", Int, "0", "percent of the latency that orders come to at most in which arithmetic passes fences, in functions with products of warp groups and registers to spare; 0: none is tried"},
	DerivedRounds:   {"DerivedRounds", Int, "3", "times that values are made again in the blocks that read them, at most, where registers run out"},
	DerivedSlack:    {"DerivedSlack", Int, "30", "registers that this frees beyond those that lack"},
	DerivedShare:    {"DerivedShare", Int, "5", "the part of the words too many, one in so many, that must be gone then"},
	SlackProduct:    {"SlackProduct", Int, "30", "the cycles of SchedSlack in functions with products of matrices and registers to spare"},
	SlackPair:       {"SlackPair", Int, "48", "the same with exponentials between the products and two warps of different blocks on a scheduler"},
	SlackAlone:      {"SlackAlone", Int, "80", "the same where both warps are of one block"},
	StepBlocks:      {"StepBlocks", Int, "5", "blocks on a multiprocessor up to which other orders are tried that do with their registers, in functions with products of warp groups"},
	StepGain:        {"StepGain", Int, "90", "percent of the time with a block less that such an order takes at most"},
	StepCopies:      {"StepCopies", Int, "500", "cycles that a loop waits for copies from memory in that time"},
	StepOpen:        {"StepOpen", Int, "106", "percent of the time that orders with a block less on a multiprocessor may take whose copies pass running products; 0: none"},
	FlagsFew:        {"FlagsFew", Int, "4", "predicates from which on those too many become bits of a word"},
	FlagsReach:      {"FlagsReach", Int, "12", "instructions for which such a bit that was looked at is kept in a predicate"},
	FlagsInside:     {"FlagsInside", Int, "12", "predicates too many in a loop from which on those that it does not touch become bits too"},
	FlagsMasked:     {"FlagsMasked", Int, "3", "bits that are wanted with one predicate from which on it masks their word"},
	WaitShared:      {"WaitShared", Int, "48", "instructions between two readers of a constant that share its register"},
	HighFew:         {"HighFew", Int, "3", "comparisons from which on their upper word is looked at once"},
	UpdatesReach:    {"UpdatesReach", Int, "256", "instructions before a choice in which others read its value, where it becomes a guarded instruction"},
	PackReach:       {"PackReach", Int, "1000", "instructions between two on halves that become one in another block than that of their reader"},
	BasesReach:      {"BasesReach", Int, "512", "instructions behind a sum with a uniform part in which its users are looked for"},
	SchedLarge:      {"SchedLarge", Int, "8000", "instructions of functions of which several orders are tried only where that may spare them all memory"},
	SchedShared:     {"SchedShared", Int, "16", "what a word counts for in orders in which each of its readers has a share of it"},
	PlansSmall:      {"PlansSmall", Int, "256", "instructions of functions for which all plans of the allocator are tried"},
	StepMoves:       {"StepMoves", Int, "800", "groups that a walk moves for a step of occupancy, with no fewer without a place, until it gives up"},
	StepMovesAgain:  {"StepMovesAgain", Int, "16", "the same of the second walk"},
	VectorSpread:    {"VectorSpread", Int, "48", "instructions between accesses to memory that become one"},
	DumpRecords:     {"DumpRecords", Bool, "false", "dumps are snapshots in records instead of text"},
}
