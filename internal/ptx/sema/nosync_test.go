package sema_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestNoSync: what is said about votes and shuffles without .sync, by
// version and target.
func TestNoSync(t *testing.T) {
	const vote, ballot, shfl = "vote.uni.pred p, p;", "vote.ballot.b32 r, p;", "shfl.up.b32 r, r, 1, 31;"
	for _, c := range [...]struct {
		version, target, instr    string
		warnings, olds, forbidden int
	}{
		{"5.0", "sm_50", vote, 1, 0, 0},
		{"5.0", "sm_50", ballot, 1, 0, 0},
		{"5.0", "sm_50", shfl, 1, 0, 0},
		{"6.0", "sm_50", vote, 1, 1, 0},
		{"6.0", "sm_50", ballot, 0, 0, 0},
		{"6.1", "sm_70", ballot, 0, 0, 0},
		{"6.2", "sm_50", ballot, 1, 1, 0},
		{"6.0", "sm_70", shfl, 1, 1, 0},
		{"6.4", "sm_50", ballot, 1, 1, 0},
		{"6.4", "sm_70", ballot, 0, 0, 1},
		{"7.0", "sm_70", shfl, 0, 0, 1},
	} {
		text := fmt.Sprintf(".version %s\n.target %s\n.entry k() { .reg .pred p; .reg .b32 r;\n%s\nret; }\n", c.version, c.target, c.instr)
		said := check([]byte(text), []string{"-arch=sm_90"}).stderr
		got := [3]int{
			strings.Count(said, "unpredictable results"), strings.Count(said, "is deprecated since"), strings.Count(said, "is not supported on"),
		}
		if got != [3]int{c.warnings, c.olds, c.forbidden} {
			t.Errorf("%s %s %s: %v\n%s", c.version, c.target, c.instr, got, said)
		}
	}
}
