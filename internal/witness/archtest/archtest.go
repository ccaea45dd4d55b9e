// Package archtest holds the tests about the shape of the repository: which
// package may import which, generated files that match their sources, and
// start-up that does no work. It has no code of its own but the layer table.
package archtest

import "strings"

// layer is one storey of the house. Packages may import packages of lower
// storeys, and those of their own storey where peers is true.
type layer struct {
	prefix string // package path below internal/, or a full path below the module
	rank   int    // higher ranks may import lower ones
	peers  bool   // packages of this row may import each other
	wing   string // rows of two different wings never import each other
}

// layers are the storeys, from the roof down. The longest matching prefix
// decides. Rows of equal rank do not see each other, which keeps the parts
// of codegen apart; wings keep the language, the IR, the machine and the
// register allocator apart.
var layers = [...]layer{
	{"cmd", 100, false, ""},
	{".", 95, false, ""},              // the public library
	{"internal/view", 97, false, ""},  // the page of a compilation
	{"internal/lsp", 95, false, ""},   // the language server
	{"internal/serve", 95, false, ""}, // the compile server and its client
	{"sass", 96, false, ""},           // public: instructions
	{"cubin", 96, false, ""},          // public: files
	{"sim", 96, false, ""},            // public: the simulator
	{"internal/driver", 90, false, ""},
	{"internal/driver/messages", 86, false, ""}, // kinds of messages, what was meant
	{"internal/driver/cli", 85, false, ""},
	{"internal/gosass", 95, false, ""},        // the front door of looking at code
	{"internal/gosass/report", 94, false, ""}, // resources, differences
	{"internal/gosass/dis", 93, false, ""},    // cubins as text
	{"internal/gosass/asm", 93, false, ""},    // text as cubins
	{"internal/gosass/directive", 92, false, ""},
	{"internal/pipeline", 80, false, ""},
	{"internal/link", 75, false, ""}, // codes of a module, ready for the file
	{"internal/codegen/emit", 70, false, ""},
	{"internal/codegen/frame", 70, false, ""},
	{"internal/codegen/isel", 70, false, ""},
	{"internal/codegen/ra", 70, false, ""},
	{"internal/codegen/sched", 71, false, ""},
	{"internal/codegen/scoreboard", 70, false, ""},
	{"internal/codegen/sched/estimate", 69, false, ""},       // how long code takes
	{"internal/codegen/sched/tuning", 68, false, ""},         // which order is the better
	{"internal/codegen/sched/table", 69, false, ""},          // lists of numbers
	{"internal/codegen/sched/remat", 69, false, ""},          // what is rematerialised
	{"internal/codegen/sched/places", 69, false, ""},         // what keeps its place
	{"internal/codegen/sched/dag", 70, false, ""},            // what must stand before what
	{"internal/codegen/sched/words", 69, false, ""},          // words of registers, and who touches them
	{"internal/codegen/sched/heap", 69, false, ""},           // the least of a changing set
	{"internal/codegen/sched/sinking", 69, false, ""},        // computations behind barriers
	{"internal/codegen/sched/profile", 69, false, ""},        // the largest number of a run of places
	{"internal/codegen", 68, false, ""},                      // shared vocabulary of the parts above
	{"internal/codegen/regalloc/check", 61, false, "alloc"},  // proves its answers
	{"internal/codegen/regalloc/stores", 61, false, "alloc"}, // takes from them what is of no use
	{"internal/codegen/regalloc", 60, false, "alloc"},
	{"internal/codegen/regalloc/overfull", 59, false, "alloc"}, // where words lack registers
	{"internal/codegen/regalloc/reloads", 59, false, "alloc"},  // loads that registers spare
	{"internal/codegen/regalloc/slots", 59, false, "alloc"},    // words of memory
	{"internal/codegen/regalloc/waits", 59, false, "alloc"},    // registers that are given out again too soon
	{"internal/codegen/regalloc/liveness", 59, false, "alloc"}, // what lives between blocks
	{"internal/codegen/regalloc/sunk", 59, false, "alloc"},     // constants that can be made later
	{"internal/codegen/regalloc/promises", 59, false, "alloc"}, // values that can be made again
	{"internal/codegen/regalloc/keyed", 58, false, "alloc"},    // lists of numbers by key
	{"internal/codegen/regalloc/problem", 58, false, "alloc"},  // what is allocated
	{"internal/codegen/expand", 53, false, ""},                 // arithmetic that takes several instructions
	{"internal/codegen/abi", 41, false, ""},
	{"internal/opt", 69, false, ""},        // values and expressions; the packages of the optimiser stand on it
	{"internal/opt/branch", 68, false, ""}, // blocks and edges
	{"internal/opt/span", 68, false, ""},   // where numbers lie
	{"internal/opt/address", 71, false, ""},
	{"internal/opt/ahead", 71, false, ""},
	{"internal/opt/control", 71, false, ""},
	{"internal/opt/cse", 71, false, ""},
	{"internal/opt/dead", 71, false, ""},
	{"internal/opt/float", 71, false, ""},
	{"internal/opt/loop", 71, false, ""},
	{"internal/opt/machine", 71, false, ""},
	{"internal/opt/ssa", 70, false, ""}, // what mends values where code was copied
	{"internal/opt/uniform", 71, false, ""},
	{"internal/lower", 70, false, ""},
	{"internal/lower/call", 60, false, ""}, // the packages of lowering, each on those below it
	{"internal/lower/async", 59, false, ""},
	{"internal/lower/texture", 59, false, ""},
	{"internal/lower/matrix", 59, false, ""},
	{"internal/lower/warp", 58, false, ""},
	{"internal/lower/memory", 57, false, ""},
	{"internal/lower/arith", 56, false, ""},
	{"internal/lower/division", 55, false, ""},
	{"internal/lower/build", 54, false, ""},
	{"internal/lower/routine", 53, false, ""},
	{"internal/cubin", 65, true, ""},
	{"internal/ori/flow", 52, false, "ori"},
	{"internal/ori", 51, false, "ori"},
	{"internal/ori/op", 50, true, "ori"},
	{"internal/sass", 50, true, "sass"},
	{"internal/ptx/sema/whole", 56, false, "ptx"},     // the whole text
	{"internal/ptx/sema/bodies", 55, false, "ptx"},    // bodies of functions
	{"internal/ptx/sema/declare", 54, false, "ptx"},   // module level
	{"internal/ptx/sema/setting", 53, false, "ptx"},   // where a check stands
	{"internal/ptx/sema", 52, false, "ptx"},           // what is known when all is checked
	{"internal/ptx/sema/eval", 51, false, "ptx"},      // constant expressions
	{"internal/ptx/sema/textpos", 47, false, "ptx"},   // where faults are noticed
	{"internal/ptx/syntax/printer", 52, false, "ptx"}, // trees as text
	{"internal/ptx/syntax/format", 47, false, "ptx"},  // text laid out anew, without a tree
	{"internal/ptx/syntax", 50, false, "ptx"},
	{"internal/ptx/isa/rows", 50, false, "ptx"}, // the table of instructions, on its families
	{"internal/ptx/isa/rows/scalar", 49, false, "ptx"},
	{"internal/ptx/isa/rows/memory", 49, false, "ptx"},
	{"internal/ptx/isa/rows/matrix", 49, false, "ptx"},
	{"internal/ptx/isa/row", 48, false, "ptx"}, // what a row says, and checking against it
	{"internal/ptx/isa", 47, true, "ptx"},      // words, types, spaces, slots
	{"internal/target", 40, true, ""},
	{"internal/engine", 10, true, ""},
}

// layerOf returns the storey of a package of the module.
func layerOf(path string) (layer, bool) {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, "github.com/goptxas/goptxas"), "/")
	if rel == "" {
		rel = "."
	}
	best, ok := layer{}, false
	for _, l := range layers {
		if (rel == l.prefix || strings.HasPrefix(rel, l.prefix+"/")) && (!ok || len(l.prefix) > len(best.prefix)) {
			best, ok = l, true
		}
	}
	return best, ok
}

// allowed reports whether package from may import package to, both of this
// module, and if not why.
func allowed(from, to string) (string, bool) {
	if from == "github.com/goptxas/goptxas/sim" && to == "github.com/goptxas/goptxas/internal/witness/sim" {
		return "", true // it is that witness, for everyone
	}
	if strings.HasPrefix(to, "github.com/goptxas/goptxas/internal/witness") {
		return "the product never imports a witness", false
	}
	a, okA := layerOf(from)
	b, okB := layerOf(to)
	switch {
	case !okA:
		return from + " has no place in the layer table", false
	case !okB:
		return to + " has no place in the layer table", false
	case a.wing != b.wing && a.wing != "" && b.wing != "":
		return a.wing + " and " + b.wing + " do not know each other", false
	case strings.HasPrefix(b.prefix, "internal/lower/") && !strings.HasPrefix(a.prefix, "internal/lower") && a.rank < 75:
		return "the packages of lowering serve lowering and the pipeline", false
	case a.prefix == b.prefix && a.peers:
		return "", true
	case a.rank > b.rank:
		return "", true
	}
	return "imports point down only", false
}

// isWitness reports whether a package only serves tests and tools.
func isWitness(path string) bool {
	return strings.HasPrefix(path, "github.com/goptxas/goptxas/internal/witness")
}
