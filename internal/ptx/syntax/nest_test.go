package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

const nestBody = ".entry k() { .reg .b32 r; .reg .b64 a; .local .b32 l[4]; .reg .pred p; "

// nests are texts that nest n deep, each with the last depth that the
// reference takes. Around that depth the verdicts must agree.
var nests = []struct {
	name             string
	pre, in, mid, ex string // pre in* mid ex* post
	post             string
	last             int
}{
	{"blocks", ".entry k() {", "{", "", "}", "}", 1663},
	{"blocks with an instruction", ".entry k() {", "{ ret;", "", "}", "}", 1663},
	{"blocks around a label", ".entry k() {", "{", "L: ret;", "}", "}", 1663},
	{"blocks around an instruction", nestBody, "{", "mov.u32 r, 1;", "}", "}", 1663},
	{"parentheses", nestBody + "mov.u32 r, ", "(", "1", ")", "; }", 9978},
	{"parentheses under a guard", nestBody + "@p mov.u32 r, ", "(", "1", ")", "; }", 9977},
	{"parentheses first", nestBody + "mov.u32 ", "(", "1", ")", ", r; }", 9980},
	{"parentheses third", nestBody + "add.u32 r, r, ", "(", "1", ")", "; }", 9978},
	{"parentheses in a block", nestBody + "{ mov.u32 r, ", "(", "1", ")", "; } }", 9972},
	{"parentheses in an offset", nestBody + "mov.u32 r, r+", "(", "1", ")", "; }", 9975},
	{"parentheses as address", nestBody + "ld.u32 r, [", "(", "1", ")", "]; }", 9977},
	{"parentheses in an address", nestBody + "ld.u32 r, [a+", "(", "1", ")", "]; }", 9974},
	{"parentheses in an index", nestBody + "ld.local.u32 r, l[", "(", "1", ")", "]; }", 9976},
	{"parentheses in a vector", nestBody + "ld.u32 {r, r}, {1, ", "(", "1", ")", "}; }", 9975},
	{"parentheses in a first vector", nestBody + "ld.u32 {", "(", "1", ")", "}; }", 9979},
	{"parentheses in arguments", nestBody + "call f, (", "(", "1", ")", "); }", 9977},
	{"parentheses in later arguments", nestBody + "call f, (1, ", "(", "1", ")", "); }", 9975},
	{"parentheses in results", nestBody + "call (", "(", "1", ")", "), f, (1); }", 9979},
	{"parentheses in an initial value", ".global .u32 x = ", "(", "1", ")", ";", 9988},
	{"parentheses with a linkage", ".visible .global .align 4 .u32 x = ", "(", "1", ")", ";", 9987},
	{"parentheses for a second variable", ".global .u32 y, x = ", "(", "1", ")", ";", 9986},
	{"parentheses in a list", ".global .u32 x[1] = {", "(", "1", ")", "};", 9986},
	{"parentheses in a longer list", ".global .u32 x[2] = {1,", "(", "1", ")", "};", 9984},
	{"lists", ".global .u32 x = ", "{", "1", "}", ";", 9987},
	{"lists of two", ".global .u32 x = ", "{1,", "1", "}", ";", 3329},
	{"parentheses in a body's variable", nestBody + ".global .u32 x = ", "(", "1", ")", "; }", 9979},
	{"parentheses after a symbol", ".global .u32 y; .global .u64 x = y+", "(", "1", ")", ";", 9986},
	{"parentheses after generic", ".global .u32 y; .global .u64 x = generic(y)+", "(", "1", ")", ";", 9986},
	{"parentheses under a mask", ".global .u32 y; .global .u64 x = 0xFF(", "(", "1", ")", ");", 9986},
	{"complements", nestBody + "mov.u32 r, ", "~", "1", "", "; }", 4989},
	{"signs", nestBody + "mov.u32 r, ", "- ", "1", "", "; }", 4989},
	{"conditionals", nestBody + "mov.u32 r, ", "1?2:", "1", "", "; }", 2494},
	{"conditionals inside", nestBody + "mov.u32 r, ", "1?", "1", ":2", "; }", 4988},
	{"sums", nestBody + "mov.u32 r, ", "1+(", "1", ")", "; }", 3326},
	{"casts", nestBody + "mov.u32 r, ", "(.s64)", "1", "", "; }", 2494},
	{"signs and parentheses", nestBody + "mov.u32 r, ", "-(", "1", ")", "; }", 3326},
	{"all operators", nestBody + "mov.u32 r, ", "1||1&&1|1^1&1==1<1<<1+1*(", "1", ")", "; }", 475},
}

func TestNesting(t *testing.T) {
	tools := &oracle.Tools{}
	ask := os.Getenv("GOPTXAS_FULL") != "" && oracle.Available()
	if ask {
		tools = oracle.Find(t)
	}
	dir := t.TempDir()
	for _, c := range nests {
		text := func(n int) []byte {
			return []byte(".version 9.0\n.target sm_90a\n.address_size 64\n" + c.pre + strings.Repeat(c.in, n) + c.mid +
				strings.Repeat(c.ex, n) + c.post)
		}
		if _, _, err := parseAll(text(c.last)); err != nil {
			t.Errorf("%s: %d deep: %s", c.name, c.last, err.Msg)
		}
		m, _, err := parseAll(text(c.last + 1))
		switch {
		case err == nil || !strings.Contains(err.Msg, "memory exhausted"):
			t.Errorf("%s: %d deep: no limit: %v", c.name, c.last+1, err)
		case ask:
			if werr := os.WriteFile(filepath.Join(dir, "in.ptx"), text(c.last+1), 0o666); werr != nil {
				t.Fatal(werr)
			}
			r := tools.Run(dir, "ptxas", "-arch=sm_90a", "-c", "-o", "out.cubin", "in.ptx")
			if got := shown(m.File, err); !strings.Contains(r.Stderr, got+"\n") {
				t.Errorf("%s:\n got %s\nwant %s", c.name, got, r.Stderr)
			}
		}
	}
	t.Logf("%d kinds of nesting end at the reference's depth", len(nests))
}
