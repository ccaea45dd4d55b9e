package opgen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// unrunnable are the forms that a kernel cannot just run and compare, by the
// reason.
var unrunnable = [...]struct {
	reason string
	forms  *regexp.Regexp
}{
	{"has no code", regexp.MustCompile(`^st\S*\.param`)},
	{"a texture or surface, which the zoo runs", regexp.MustCompile(`^(tex|tld4|txq|suld|sust|sured|suq)\b|\b(tx|sf)\b`)},
	{"needs a multicast object of several GPUs", regexp.MustCompile(`^multimem`)},
	{"ends or leaves the kernel, or calls", regexp.MustCompile(`^(trap|brkpt|exit|ret|bra|call)\b|\b(fn|LBL)\b`)},
	{"changes the registers or the stack of the kernel", regexp.MustCompile(`^(setmaxnreg|alloca|stack)`)},
	{"leaves memory undefined", regexp.MustCompile(`^discard`)},
	{"needs a tensor map", regexp.MustCompile(`tensormap`)},
	{"a misaligned address", regexp.MustCompile(`gv\[3\]`)},
	{"all threads write one variable", regexp.MustCompile(`^(st|atom|red)\S* (\S*,)?\[?(gv|sv)|^mbarrier.*\[sv`)},
	{"an address", regexp.MustCompile(`^(mov|cvta)\S* \S*,(gv|par)\b|^cvta\S*\.param`)},
	{"who runs together", regexp.MustCompile(`^activemask`)},
	{"a clock, a counter or a place on the chip", regexp.MustCompile(`%(clock|pm\d|globaltimer|smid|nsmid|warpid|nwarpid|gridid)`)},
	{"a parameter of a function in a kernel", regexp.MustCompile(`\.param::func`)},
	{"needs a cluster of blocks", regexp.MustCompile(`^(st|red)\.async`)},
	{"a barrier of all threads or of the whole block", regexp.MustCompile(`^cp\.async\.mbarrier|^st\.bulk`)},
	{"a generic address of 32 bits", regexp.MustCompile(`^(mbarrier|cp)[^ ]* .*\[%r120\]`)}, // unless it names shared memory
}

// noReference are the forms for which the reference makes no code that runs:
// it ends with a memory fault itself, or the machine knows no such
// instruction. They are run without it.
var noReference = regexp.MustCompile(`\.v8\.(b|u|s)(8|16) |^cp\.async\S*cache_hint`)

// unplaced returns why a form of the sweep is not run, "" if it is.
func unplaced(text string) string {
	op, _, _ := strings.Cut(text, " ")
	for _, u := range unrunnable {
		if u.forms.MatchString(text) && (!strings.HasPrefix(u.reason, "a generic") || !strings.Contains(op, "shared")) {
			return u.reason
		}
	}
	return ""
}

// Batch is a file of forms of the sweep.
type Batch struct {
	Name   string
	Forms  []Form
	placed bool
	seed   uint64
}

// Text writes the file. Each kernel is launched twice, on edges and on random
// bits.
func (b *Batch) Text() string {
	if b.placed {
		return twice(alike(Placed(b.Name, "sm_90a", b.Forms, b.seed)))
	}
	return twice(alike(File(b.Name, "sm_90a", b.Forms, 1024, b.seed)))
}

// fileKinds are the kinds of files: how many forms one holds, and whether they
// have places in memory of their own.
var fileKinds = [...]struct {
	name   string
	placed bool
	each   int
}{{"mem", true, 12}, {"sys", true, 8}, {"arith", false, 16}, {"alone", true, 12}}

// Batches groups the forms that can be run into files.
func Batches(forms []string) []Batch {
	var parts [len(fileKinds)][]Form
	for _, text := range forms {
		if unplaced(text) == "" {
			g := group(text)
			parts[g] = append(parts[g], Form{Text: text})
		}
	}
	var out []Batch
	for g, k := range fileKinds {
		for part := range slices.Chunk(parts[g], k.each) {
			n := len(out)
			out = append(out, Batch{Name: fmt.Sprintf("%s%04d", k.name, n), Forms: part, placed: k.placed, seed: uint64(n + 1)})
		}
	}
	return out
}

// group says which kind of file a form belongs to.
func group(text string) int {
	f := Form{Text: text}
	switch {
	case noReference.MatchString(text):
		return 3
	case f.IsArithmetic() && !strings.Contains(text, "tid."):
		return 2
	case strings.Contains(text, "["):
		return 0
	}
	return 1
}

// alike gives some threads equal operands, which random ones never are: every
// eighth has the first value as its second, every eighth as its third.
func alike(text string) string {
	const last = "\tld.global.b64 %i7, [%a+56];\n"
	return strings.Replace(text, last, last+"\tand.b32 %w, %t, 7;\n\tsetp.eq.u32 %cond, %w, 3;\n\t@%cond mov.b64 %i1, %i0;\n\tsetp.eq.u32 %cond, %w, 5;\n\t@%cond mov.b64 %i2, %i0;\n", 1)
}

// twice adds a launch on random bits to a file with one on edges.
func twice(text string) string {
	var runs, rest []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "//: ") {
			runs = append(runs, line)
		} else {
			rest = append(rest, line)
		}
	}
	again := strings.Replace(strings.Join(runs, "\n"), " edge ", " bits ", 1)
	return strings.Join(runs, "\n") + "\n" + again + "\n" + strings.Join(rest, "\n")
}
