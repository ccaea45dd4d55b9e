package knobs

// The knobs of the compiler. A row is added together with the code that reads
// it: the test of this package fails for a knob nobody reads.
const (
	None        ID = iota // no knob; the gate of phases that have none
	NamedPhases           // read by phase
	DumpIR                // read by phase
	BisectKnob            // read by phase
)

var table = [...]Knob{
	None:        {Doc: "no knob"},
	NamedPhases: {"NamedPhases", String, "", "run exactly these phases, in this order (comma-separated)"},
	DumpIR:      {"DUMPIR", String, "", "dump the IR after these phases (comma-separated)"},
	BisectKnob:  {"Bisect", String, "", "allow only the optional rewrites whose hash matches this pattern"},
}
