package dis_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/asm"
	"github.com/goptxas/goptxas/internal/gosass/dis"
)

func vadd(t *testing.T) (*cubin.File, []byte) {
	t.Helper()
	src, err := os.ReadFile("../../../testdata/cubin/vadd.sass")
	if err != nil {
		t.Fatal(err)
	}
	f, err := asm.Assemble("vadd.sass", src, nil)
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
	return f, b
}

// TestForms: a source assembles to the same bytes, and each other form of a
// listing names the kernel and its instructions.
func TestForms(t *testing.T) {
	f, b := vadd(t)
	src, err := dis.Source(f, &dis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := asm.Assemble("again", src, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := again.Write(); err != nil || !bytes.Equal(w, b) {
		t.Errorf("the source says something else (%v)", err)
	}
	for name, form := range map[string]func(*cubin.File, *dis.Options) ([]byte, error){"list": dis.List, "cfg": dis.CFG, "life": dis.Life, "json": dis.JSON} {
		text, err := form(f, &dis.Options{})
		if err != nil || !bytes.Contains(text, []byte("vadd")) || !bytes.Contains(text, []byte("FADD")) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		if name == "json" && !json.Valid(text) {
			t.Error("that is no JSON")
		}
	}
}

// TestAnalyse counts what a kernel does.
func TestAnalyse(t *testing.T) {
	f, _ := vadd(t)
	list, err := dis.Analyse(f)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d functions, %v", len(list), err)
	}
	if !strings.Contains(dis.KindName(f.Kind), "EXEC") {
		t.Errorf("a file of kind %s", dis.KindName(f.Kind))
	}
}
