package opgen

import (
	"fmt"
	"regexp"
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
	Name  string
	Forms []Form
	Text  string
}

// Batches groups the forms that can be run into files. Each kernel is
// launched twice, on edges and on random bits.
func Batches(forms []string) []Batch {
	groups := [...]struct {
		name   string
		placed bool
		each   int
	}{{"mem", true, 12}, {"sys", true, 8}, {"arith", false, 16}, {"alone", true, 12}}
	var out []Batch
	for g, x := range groups {
		var part []Form
		flush := func() {
			if len(part) == 0 {
				return
			}
			b := Batch{Name: fmt.Sprintf("%s%04d", x.name, len(out)), Forms: part}
			if x.placed {
				b.Text = Placed(b.Name, "sm_90a", part, uint64(len(out)+1))
			} else {
				b.Text = File(b.Name, "sm_90a", part, 1024, uint64(len(out)+1))
			}
			b.Text = twice(alike(b.Text))
			out, part = append(out, b), nil
		}
		for _, text := range forms {
			if unplaced(text) == "" && group(text) == g {
				if part = append(part, Form{Text: text}); len(part) == x.each {
					flush()
				}
			}
		}
		flush()
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
