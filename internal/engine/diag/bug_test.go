package diag

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// compile is a toy compile of kernels inside all three levels. A kernel's
// fault is what its name says.
func compile(t *testing.T, dir string, kernels []string) (done []string, errs []error) {
	module := Guard{Level: Module}
	err := module.Run(func() error {
		for _, k := range kernels {
			phase := ""
			freed := false
			kernel := Guard{
				Level: Kernel,
				Where: func() Where { return Where{Func: k} },
				After: func(error) { freed = true },
			}
			pipeline := Guard{
				Level: Pipeline,
				Where: func() Where { return Where{Phase: phase, Func: k, Pos: "k.ptx:7"} },
				Repro: func(b *Bug) string {
					if k == "norepro" {
						panic("and the writer is broken too")
					}
					p := filepath.Join(dir, b.Func+"."+b.Phase+".ori")
					if err := os.WriteFile(p, []byte(b.Msg), 0o666); err != nil {
						return ""
					}
					return p
				},
			}
			err := kernel.Run(func() error {
				if k == "outside" {
					panic("broken before the pipeline")
				}
				return pipeline.Run(func() error {
					phase = "GvnCse"
					switch k {
					case "bug", "norepro":
						panic(&Bug{Msg: "block 3 has no end"})
					case "runtime":
						var m []int
						_ = m[len(k)]
					case "nil":
						var b *Bug
						b.Msg = "x"
					case "refused":
						return errors.New("k.ptx:9: too many registers")
					}
					return nil
				})
			})
			if err == nil {
				done = append(done, k)
			} else {
				errs = append(errs, err)
				if !freed {
					t.Errorf("%s: After was not called", k)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("the module failed: %v", err)
	}
	return done, errs
}

func TestGuardLevels(t *testing.T) {
	dir := t.TempDir()
	done, errs := compile(t, dir, []string{"a", "bug", "b", "runtime", "nil", "refused", "outside", "norepro", "c"})
	if got := strings.Join(done, " "); got != "a b c" {
		t.Errorf("compiled %q, want the three sound kernels", got)
	}
	want := []string{
		"internal compiler error in phase GvnCse of function bug at k.ptx:7: block 3 has no end (reproducer: " + dir + "/bug.GvnCse.ori)",
		"internal compiler error in phase GvnCse of function runtime at k.ptx:7: runtime error: index out of range [7] with length 0 (reproducer: " + dir + "/runtime.GvnCse.ori)",
		"internal compiler error in phase GvnCse of function nil at k.ptx:7: runtime error: invalid memory address or nil pointer dereference (reproducer: " + dir + "/nil.GvnCse.ori)",
		"k.ptx:9: too many registers",
		"internal compiler error of function outside: broken before the pipeline",
		"internal compiler error in phase GvnCse of function norepro at k.ptx:7: block 3 has no end",
	}
	if len(errs) != len(want) {
		t.Fatalf("%d errors, want %d", len(errs), len(want))
	}
	for i, err := range errs {
		if err.Error() != want[i] {
			t.Errorf("error %d:\n%v\nwant\n%s", i, err, want[i])
		}
	}
	b, ok := errors.AsType[*Bug](errs[1])
	if !ok || b.Level != Pipeline || !strings.Contains(string(b.Stack), "bug_test.go") {
		t.Errorf("bug %+v has no stack of its own", b)
	}
	if b, _ := errors.AsType[*Bug](errs[4]); b.Level != Kernel {
		t.Errorf("outside was caught at level %v", b.Level)
	}
	if _, ok := errors.AsType[*Bug](errs[3]); ok {
		t.Error("a refusal counts as a bug")
	}
	t.Logf("%d kernels, %d failures of 6 kinds, %d compiled", len(done)+len(errs), len(errs), len(done))
}

func TestGuardModule(t *testing.T) {
	g := Guard{Level: Module, Where: func() Where { panic("no place") }}
	err := g.Run(func() error { panic("the driver itself") })
	if b, ok := errors.AsType[*Bug](err); !ok || b.Level != Module || err.Error() != "internal compiler error: the driver itself" {
		t.Errorf("got %v", err)
	}
	if g.Run(func() error { return nil }) != nil {
		t.Error("an error from nothing")
	}
}
