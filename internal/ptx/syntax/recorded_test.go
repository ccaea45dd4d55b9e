package syntax

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// verdict is a text and what the reference said about its syntax.
type verdict struct {
	Text string `json:"t"`
	Said string `json:"s,omitempty"` // its lines that matter here
}

type recorder struct {
	t    testing.TB
	file *os.File
	zip  *gzip.Writer
	enc  *json.Encoder
}

func newRecorder(t testing.TB, name string) *recorder {
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	return &recorder{t, f, z, json.NewEncoder(z)}
}

func (r *recorder) add(text []byte, stderr string) {
	// From the first fatal line to the one that every failure ends with.
	said := ""
	if i := strings.Index(stderr, "fatal   :"); i >= 0 {
		said = stderr[strings.LastIndexByte(stderr[:i], '\n')+1:]
	}
	said, _, _ = strings.Cut(said, "ptxas fatal   : Ptx assembly aborted")
	if err := r.enc.Encode(verdict{string(text), said}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recorder) close() {
	if err := r.zip.Close(); err != nil {
		r.t.Fatal(err)
	}
	if err := r.file.Close(); err != nil {
		r.t.Fatal(err)
	}
}

// TestRecorded compares with the reference's verdicts on thousands of
// mutated texts, without the reference.
func TestRecorded(t *testing.T) {
	n, faults := 0, 0
	for line := range bytes.Lines(cases.Unzip(t, filepath.Join(corpus.Root(), "testdata", "syntax", "verdicts.jsonl.gz"))) {
		var v verdict
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		got, want, ok := judge([]byte(v.Text), v.Said)
		if !ok {
			t.Errorf("\n got %s\nwant %s\n%s", got, want, v.Text)
		}
		n++
		if want != "" {
			faults++
		}
	}
	t.Logf("%d recorded verdicts agree, %d of them syntax errors", n, faults)
}
