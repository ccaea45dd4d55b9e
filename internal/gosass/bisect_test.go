package gosass

import (
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/phase"
)

// badChange is the rewrite that breaks what TestBisectedCompiler compiles.
const badChange = 29

// TestBisectedCompiler is no test but the command that TestBisect runs: a
// compiler of one phase whose rewrites ask, and its exit status.
func TestBisectedCompiler(t *testing.T) {
	text := os.Getenv(knobs.EnvName)
	if !strings.Contains(text, "BisectLog") {
		t.Skip("the command of TestBisect")
	}
	set := knobs.New()
	if err := set.SetEnv(text); err != nil {
		t.Fatal(err)
	}
	row := phase.Row[int]{Name: "Only", Run: func(_ int, c *phase.Ctx) error {
		for n := range 100 {
			if c.ShouldChange("rewrite", n) && n == badChange {
				t.Error("wrong")
			}
		}
		return nil
	}}
	r, err := phase.New(phase.Config[int]{
		Table: phase.Table[int]{Rows: []phase.Row[int]{row}, Order: []string{"Only"}},
		Hooks: phase.Hooks[int]{Name: func(int) string { return "k" }}, Knobs: set,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(0, nil); err != nil {
		t.Fatal(err)
	}
}

// TestBisect finds the rewrite that makes a command fail, and says where a
// command is of no use.
func TestBisect(t *testing.T) {
	code, out, errs := run("bisect", "--", os.Args[0], "-test.run=TestBisectedCompiler")
	if code != exitDiff || !strings.HasPrefix(out, "k/Only@0/rewrite#29 Bisect=") || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"bisect"}, exitUsage, "takes a command"},
		{[]string{"bisect", "--", os.Args[0], "-test.run=TestNothingAtAll"}, exitFail, "compiled nothing"},
		{[]string{"bisect", "--", "/nonexistent/command"}, exitFail, "no such file"},
	} {
		if code, _, errs := run(c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, errs)
		}
	}
}
