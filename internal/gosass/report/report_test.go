package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/asm"
	"github.com/goptxas/goptxas/internal/gosass/report"
)

// vadd assembles the sample with one text replaced.
func vadd(t *testing.T, from, to string) *cubin.File {
	t.Helper()
	src, err := os.ReadFile("../../../testdata/cubin/vadd.sass")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(src), from) {
		t.Fatalf("no %q in the sample", from)
	}
	f, err := asm.Assemble("vadd.sass", []byte(strings.Replace(string(src), from, to, 1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Write()
	if err != nil {
		t.Fatal(err)
	}
	if f, err = cubin.Read(b); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDiff: a file is equal to itself, and one other instruction shows.
func TestDiff(t *testing.T) {
	a, b := vadd(t, "FADD", "FADD"), vadd(t, "FADD", "FMUL")
	if out, same, err := report.Diff(a, vadd(t, "FADD", "FADD")); err != nil || !same {
		t.Errorf("%v, %v\n%s", same, err, out)
	}
	out, same, err := report.Diff(a, b)
	if err != nil || same || !bytes.Contains(out, []byte("FADD")) || !bytes.Contains(out, []byte("FMUL")) {
		t.Errorf("%v, %v\n%s", same, err, out)
	}
	out, err = report.Align(a, b)
	if err != nil || !bytes.Contains(out, []byte("FMUL")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestInfo tells the resources of a kernel, for people and for programs.
func TestInfo(t *testing.T) {
	f := vadd(t, "FADD", "FADD")
	out, err := report.Info(f)
	if err != nil || !bytes.Contains(out, []byte("vadd")) || !bytes.Contains(out, []byte("14")) {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = report.InfoJSON(f)
	if err != nil || !json.Valid(out) || !bytes.Contains(out, []byte(`"vadd"`)) {
		t.Errorf("%v\n%s", err, out)
	}
}
