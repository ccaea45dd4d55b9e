package driver

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
)

// TestBug: a panic outside of the phases ends the compilation with a message
// that names the kept text, not the process.
func TestBug(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	const text = ".version 9.0\n"
	j := &Job{Files: []Source{{File: &src.File{Name: "in.ptx", Text: []byte(text)}}}, Sink: diag.NewSink(&out, diag.Options{})} // no settings: the first look at them panics
	res := j.Run(t.Context())
	said, kept, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(out.String()), ")"), "(reproducer: ")
	if res.OK || res.Cubin != nil || !strings.Contains(said, "internal compiler error") {
		t.Errorf("%v, %d bytes: %s", res.OK, len(res.Cubin), out.String())
	}
	if b, err := os.ReadFile(kept); err != nil || string(b) != text {
		t.Errorf("kept %q, %v", b, err)
	}
}
