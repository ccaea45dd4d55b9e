package asm

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
)

func sample(t *testing.T) []byte {
	t.Helper()
	src, err := os.ReadFile("../../../testdata/cubin/vadd.sass")
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestAssemble: a kernel written by hand becomes a file with its resources.
func TestAssemble(t *testing.T) {
	f, err := Assemble("vadd.sass", sample(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	k := f.Functions()
	if len(k) != 1 || k[0].Name != "vadd" || k[0].Regs != 14 || len(k[0].Params) != 4 || len(k[0].Code)%16 != 0 || len(k[0].Code) == 0 {
		t.Errorf("%+v", k)
	}
}

// TestErrors: a line that cannot be assembled is named with its file and number.
func TestErrors(t *testing.T) {
	src := strings.Replace(string(sample(t)), "EXIT ;", "NOSUCH R0 ;", 1)
	line := 1 + strings.Count(src[:strings.Index(src, "NOSUCH")], "\n")
	_, err := Assemble("bad.sass", []byte(src), nil)
	var e *asmError
	if !errors.As(err, &e) || e.line != line || e.name != "bad.sass" {
		t.Errorf("line %d: %v", line, err)
	}
}

// TestRaw: bare instructions are words, and need an architecture.
func TestRaw(t *testing.T) {
	b, err := Raw("r.sass", []byte("IADD3 R0, R1, R2, RZ ;\nEXIT ;\n"), target.Find("sm_90"))
	if err != nil || len(b) != 32 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if _, err := Raw("r.sass", []byte("EXIT ;\n"), nil); !errors.As(err, new(NoArch)) {
		t.Errorf("without an architecture: %v", err)
	}
}
