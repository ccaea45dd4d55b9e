package opgen

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

// accepted tells whether the target list of a row of the table names sm.
func accepted(list string, sm int) bool {
	for _, f := range strings.Fields(list) {
		n, plus := strings.CutSuffix(strings.TrimPrefix(f, "sm_"), "+")
		v := 0
		if _, err := fmt.Sscanf(n, "%d", &v); err == nil && (v == sm || plus && v < sm) && !strings.HasSuffix(n, "a") && !strings.HasSuffix(n, "f") {
			return true
		}
	}
	return false
}

// forms returns the arithmetic forms that an architecture has.
func forms(t testing.TB, sm int) []Form {
	var list []Form
	for _, r := range cases.Table(t, "gating")[1:] {
		f := Form{Text: r[0]}
		if f.IsArithmetic() && r[1] != "(retired)" && accepted(r[2], sm) {
			list = append(list, f)
		}
	}
	return list
}

// compile compiles a PTX text and returns the first complaint.
func compile(text, arch string) string {
	msg, _ := compileFile(text, arch)
	return msg
}

// compileFile compiles a PTX text to a file, or returns the first complaint.
func compileFile(text, arch string) (msg string, file []byte) {
	defer func() {
		if r := recover(); r != nil {
			msg = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	x, err := front.Check("op.ptx", text, arch)
	if err != nil {
		return "front end: " + err.Error(), nil
	}
	return build(x.Module, target.Find(arch))
}

// build compiles a checked module.
func build(m *sema.Module, a *target.Arch) (msg string, cubinFile []byte) {
	r, err := pipeline.Module(m, pipeline.Options{Arch: a, Level: 3}, 1, cubin.TKInfo{})
	switch {
	case err != nil:
		return err.Error(), nil
	case len(r.Failures) > 0:
		return r.Failures[0].Text, nil
	}
	return "", r.Cubin
}

func single(f Form, target string) string { return File("op", target, []Form{f}, 128, 1) }

// TestForms compiles every arithmetic form of the table that an architecture
// accepts.
func TestForms(t *testing.T) {
	var list []Form
	for _, r := range cases.Table(t, "gating")[1:] {
		if f := (Form{Text: r[0]}); f.IsArithmetic() && r[1] != "(retired)" {
			list = append(list, f)
		}
	}
	arches := sweep.Of([]string{"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"}, []string{"sm_80", "sm_90a", "sm_120a"})
	for _, arch := range arches {
		t.Run(arch, func(t *testing.T) { compileForms(t, list, arch) })
	}
}

func compileForms(t *testing.T, list []Form, arch string) {
	var taken []Form
	for _, f := range list {
		if accepts(f, arch) {
			taken = append(taken, f)
		}
	}
	failed := failures{}
	bad := 0
	text := func(part []Form) string { return File("op", arch, part, 128, 1) }
	faulty(taken, arch, text, func(f Form, msg string) {
		failed[f.Op()] = append(failed[f.Op()], f.Text+": "+msg)
		bad++
	})
	t.Logf("%s: %d forms of %d accepted, %d compile", arch, len(taken), len(list), len(taken)-bad)
	failed.report(t)
}

// batchForms returns the forms of a batch: those of the table, those of the
// file OPGEN_FORMS, guarded and aliased ones if OPGEN_GUARD says so.
func batchForms(t *testing.T) []Form {
	list := forms(t, 90)
	if extra := os.Getenv("OPGEN_FORMS"); extra != "" {
		data, err := os.ReadFile(extra)
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("OPGEN_ONLY") != "" {
			list = nil
		}
		for _, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			list = append(list, Form{Text: l})
		}
	}
	if os.Getenv("OPGEN_GUARD") != "" {
		for n := range list {
			list[n].Guarded = true
			if f, ok := list[n].Aliased(); ok {
				list = append(list, f)
			}
		}
	}
	return list
}

// TestBatch writes the forms that compile to the folder OPGEN_DIR, several to
// a kernel, for a machine with a GPU: gpurun zoo -dir FOLDER compares what
// each form writes with what the reference's code writes.
func TestBatch(t *testing.T) {
	dir := os.Getenv("OPGEN_DIR")
	if dir == "" {
		t.Skip("OPGEN_DIR names no folder")
	}
	list := batchForms(t)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	each, threads := 16, 4096
	if os.Getenv("OPGEN_SINGLE") != "" { // one form to a kernel
		each = 1
	}
	if n, err := strconv.Atoi(os.Getenv("OPGEN_THREADS")); err == nil {
		threads = n
	}
	first, _ := strconv.Atoi(os.Getenv("OPGEN_FIRST")) // number of the first file, and its seed
	var batch []Form
	files := 0
	flush := func() {
		if len(batch) == 0 {
			return
		}
		name := fmt.Sprintf("ops%03d", first+files)
		text := File(name, "sm_90", batch, threads, uint64(first+files))
		if err := os.WriteFile(filepath.Join(dir, name+".ptx"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		batch, files = nil, files+1
	}
	n := 0
	for _, f := range list {
		if msg := compile(single(f, "sm_90"), "sm_90"); msg != "" {
			t.Logf("%s: %s", f.Text, msg)
			continue
		}
		n++
		if batch = append(batch, f); len(batch) == each {
			flush()
		}
	}
	flush()
	t.Logf("%d forms of %d in %d files", n, len(list), files)
}
