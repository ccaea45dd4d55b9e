package goptxas

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Level is how hard the compiler tries. The zero value is the command's
// default, O3.
type Level uint8

// The levels.
const (
	DefaultLevel Level = iota
	O0
	O1
	O2
	O3
)

// Haste is how much of the code's quality is given up for compile time.
type Haste string

// The degrees of haste.
const (
	NoHaste  Haste = ""
	HasteMin Haste = "min"
	HasteMid Haste = "mid"
	HasteMax Haste = "max"
)

// Options say what to compile for and how. The zero value means what the
// command means without options.
type Options struct {
	Arch  string // such as "sm_90a"; "compute_90" only checks; "" is the command's default
	Level Level
	Haste Haste

	MaxRegisters int      // of a thread; 0: as the machine and the text allow
	MaxThreads   [3]int   // of a block, for kernels that do not say; zero: unknown
	MinBlocks    int      // on a multiprocessor, for kernels that do not say; 0: unknown
	Entries      []string // the kernels to compile; nil: all
	NoFMA        bool     // multiplications and additions stay apart
	LoadCache    string   // operator of loads without one: "ca", "cg", …
	StoreCache   string   // operator of stores without one

	Relocatable bool // an object for a linker
	CheckOnly   bool // messages only
	Debug       bool // for a debugger
	LineInfo    bool // with a table of source lines

	Verbose          bool // report resources of kernels in the messages
	NoWarnings       bool
	WarningsAsErrors bool

	Workers     int           // kernels compiled at once; 0: one, negative: one for each CPU
	TimeLimit   time.Duration // after it cheaper phases are used; 0: none
	MemoryLimit int64         // bytes of the process beyond which they are; 0: none

	// Search compiles kernels again and again with other settings, for about so
	// long in all, and keeps what is estimated to be the fastest; 0: it does
	// not. SearchCandidates is an exact number for each kernel instead, with
	// which the result depends on nothing but SearchSeed.
	Search           time.Duration
	SearchCandidates int
	SearchSeed       int

	Cache      string // folder of compiled kernels; "": none is used
	CacheLimit int64  // bytes it may take; 0: the command's default

	// Args takes any other option of the command line, spelled as there, such
	// as "--knob=…"; options that name files to write have no effect.
	Args []string
}

// megabyte is the unit of the command's options about memory.
const megabyte = 1 << 20

// args spells the options as the command line has them.
func (o *Options) args() ([]string, error) {
	var list []string
	for _, x := range [...]struct{ option, value string }{
		{"--gpu-name=", o.Arch},
		{"--Ofast-compile=", string(o.Haste)},
		{"--entry=", strings.Join(o.Entries, ",")},
		{"--def-load-cache=", o.LoadCache},
		{"--def-store-cache=", o.StoreCache},
		{"--cache=", o.Cache},
		{"--maxrregcount=", digits(int64(o.MaxRegisters))},
		{"--minnctapersm=", digits(int64(o.MinBlocks))},
		{"--maxntid=", dimensions(o.MaxThreads)},
		{"--memory-limit=", megabytes(o.MemoryLimit)},
		{"--cache-size=", megabytes(o.CacheLimit)},
		{"--search-candidates=", digits(int64(o.SearchCandidates))},
		{"--search-seed=", digits(int64(o.SearchSeed))},
	} {
		if x.value != "" {
			list = append(list, x.option+x.value)
		}
	}
	for _, x := range [...]struct {
		option string
		on     bool
	}{
		{"--compile-only", o.Relocatable},
		{"--parse-only", o.CheckOnly},
		{"--device-debug", o.Debug},
		{"--generate-line-info", o.LineInfo},
		{"--verbose", o.Verbose},
		{"--disable-warnings", o.NoWarnings},
		{"--warning-as-error", o.WarningsAsErrors},
		{"--fmad=false", o.NoFMA},
	} {
		if x.on {
			list = append(list, x.option)
		}
	}
	if o.Level > O3 {
		return nil, fmt.Errorf("goptxas: there is no level %d", o.Level)
	}
	if o.Level != DefaultLevel {
		list = append(list, "--opt-level="+strconv.Itoa(int(o.Level-O0)))
	}
	if o.TimeLimit > 0 {
		list = append(list, "--time-limit="+strconv.FormatFloat(o.TimeLimit.Seconds(), 'f', 9, 64))
	}
	if o.Search > 0 {
		list = append(list, "--search="+strconv.FormatFloat(o.Search.Seconds(), 'f', 9, 64))
	}
	if o.Workers != 0 {
		list = append(list, "--split-compile="+strconv.Itoa(max(0, o.Workers)))
	}
	return append(list, o.Args...), nil
}

// digits spells a number, and nothing for zero.
func digits(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// megabytes spells a size in megabytes, rounded up.
func megabytes(n int64) string { return digits((n + megabyte - 1) / megabyte) }

// dimensions spells the size of a block, and nothing for zero.
func dimensions(d [3]int) string {
	if d == [3]int{} {
		return ""
	}
	return fmt.Sprintf("%d,%d,%d", d[0], max(1, d[1]), max(1, d[2]))
}

// inOrder returns the kernels as the file has them.
func (r *run) inOrder() []Kernel {
	slices.SortFunc(r.kernels, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	list := make([]Kernel, len(r.kernels))
	for n := range r.kernels {
		list[n] = r.kernels[n].k
	}
	return list
}
