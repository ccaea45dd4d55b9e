package front

import (
	"strings"
	"testing"
)

// TestCheck: a text that is taken, and three that are not.
func TestCheck(t *testing.T) {
	const head = ".version 8.0\n.target sm_90\n.address_size 64\n"
	for _, c := range [...]struct{ name, text, arch, says string }{
		{"taken", head + ".visible .entry k() { ret; }\n.func f() { ret; }\n", "sm_90", ""},
		{"unknown name", head + ".visible .entry k() { mov.u32 %r1, 0; ret; }\n", "sm_90", "Unknown symbol '%r1'"},
		{"no text of PTX", "nothing\n", "sm_90", "Missing .version"},
		{"unknown target", head, "sm_12", "sm_12: no such target"},
	} {
		x, err := Check("k.ptx", c.text, c.arch)
		switch {
		case c.says == "" && (err != nil || len(x.Bodies) != 2):
			t.Errorf("%s: %v", c.name, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %s", c.name, err, c.says)
		}
	}
}
