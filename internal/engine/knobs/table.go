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
	CheckAllocation           // read by pipeline
	DumpRecords               // read by pipeline
	SchedSlack                // read by pipeline
	SchedSpare                // read by pipeline
	SchedRegisters            // read by pipeline
	SchedManner               // read by pipeline
	SchedJitter               // read by pipeline
	TupleWords                // read by pipeline
	DoubleWords               // read by pipeline
	ConvertOne                // read by pipeline
	RotateHeader              // read by pipeline
	RestTurns                 // read by pipeline
	RestBody                  // read by pipeline
	ConvertBoth               // read by pipeline
	LocalWords                // read by pipeline
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
	CheckAllocation: {"CheckAllocation", Bool, "true", "replay every register allocation against the program before it"},
	SchedSlack:      {"SchedSlack", Int, "6", "cycles before it is due at which an instruction may issue that takes a register"},
	SchedSpare:      {"SchedSpare", Int, "6", "registers that loads from memory leave to shorter results"},
	SchedRegisters:  {"SchedRegisters", Int, "0", "registers that orders are made for; 0: as occupancy makes worthwhile"},
	SchedManner:     {"SchedManner", Int, "0", "way of looking for orders with few registers, 1 to 4; 0: the usual, others where registers run out"},
	SchedJitter:     {"SchedJitter", Int, "0", "seed of small changes to what issues first; 0: none"},
	TupleWords:      {"TupleWords", Int, "40", "uniform registers for tuples that several instructions share"},
	RotateHeader:    {"RotateHeader", Int, "8", "instructions of a loop's test that are written a second time, at its end"},
	RestTurns:       {"RestTurns", Int, "4", "turns of a loop of unknown length that are written out; 0: none"},
	RestBody:        {"RestBody", Int, "32", "instructions that such a loop has at most"},
	ConvertOne:      {"ConvertOne", Int, "10", "instructions of a block that are guarded instead of jumped around"},
	ConvertBoth:     {"ConvertBoth", Int, "8", "instructions of both paths of a branch that are guarded instead of jumped around"},
	DoubleWords:     {"DoubleWords", Int, "28", "uniform registers for f64 constants that several instructions share"},
	LocalWords:      {"LocalWords", Int, "32", "words of local memory that may be kept in registers"},
	DumpRecords:     {"DumpRecords", Bool, "false", "dumps are snapshots in records instead of text"},
}
