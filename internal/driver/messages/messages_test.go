package messages

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

// TestPage: docs/messages.md is the table. Set GOPTXAS_UPDATE to write it.
func TestPage(t *testing.T) {
	name := filepath.Join("..", "..", "..", "docs", "messages.md")
	if os.Getenv("GOPTXAS_UPDATE") != "" {
		if err := os.WriteFile(name, Page(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, Page()) {
		t.Errorf("%s is not the table (%v): run with GOPTXAS_UPDATE=1", name, err)
	}
}

// TestEveryMessage gives codes to all that the reference says in the kept
// cases: nine in ten must be of a kind of their own and not of the last.
func TestEveryMessage(t *testing.T) {
	list := cases.Diag(t)
	all, last := map[string]bool{}, map[string]bool{}
	for _, c := range list {
		for line := range strings.Lines(c.Stderr) {
			_, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "   : ")
			if !ok {
				if _, text, ok = strings.Cut(strings.TrimSuffix(line, "\n"), "warning : "); !ok {
					continue
				}
			}
			all[text] = true
			for i := range Kinds {
				if fits(Kinds[i].Pattern, text) {
					if i == len(Kinds)-1 {
						last[text] = true
					}
					break
				}
			}
		}
	}
	if len(all) < 200 || len(last)*10 > len(all) {
		t.Errorf("%d of %d messages have no kind: %v", len(last), len(all), last)
	}
	t.Logf("%d messages, %d without a kind of their own", len(all), len(last))
}

func TestExplain(t *testing.T) {
	text := ".version 8.0\n.target sm_80\n.visible .entry kernel(.param .u64 ptr)\n{\n.reg .b32 %r<4>;\n.reg .b64 %addr;\nfma.rn.f32 %r9, %rr1, kernle;\n}\n"
	f := &src.File{Name: "k.ptx", Text: []byte(text)}
	at := src.Pos(strings.Index(text, "fma"))
	for _, c := range []struct{ text, code, note string }{
		{"Unknown symbol '%r9'", "P201", "the registers %r<4> end with %r3"},
		{"Unknown symbol '%adr'", "P201", "did you mean '%addr'?"},
		{"Unknown symbol 'kernle'", "P201", "did you mean 'kernel'?"},
		{"Unknown symbol 'nothing_like_it'", "P201", ""},
		{"Not a name of any known instruction: 'fam'", "P301", "did you mean 'fma'?"},
		{"Unknown modifier '.rnd'", "P302", "did you mean '.rn'?"},
		{"Unknown option '-gpu-nam'", "P601", "did you mean '--gpu-name'?"},
		{"Unknown option 'arc'", "P601", "did you mean '-arch'?"},
		{"Unknown option '-make-it-fast'", "P601", "goptxas --help lists the options"},
		{"SM version specified by .target is higher than default SM version assumed", "P404", "-arch names the GPU, such as -arch=sm_90a; without it that is sm_75"},
		{"Value 'sm_9' is not defined for option 'gpu-name'", "P602", "did you mean 'sm_90'?"},
	} {
		var got []*diag.Message
		s := diag.NewSink(&bytes.Buffer{}, diag.Options{Explain: Explain, Take: func(m *diag.Message) { got = append(got, m) }})
		u := s.Open(f)
		u.Report(diag.Error, at, c.text)
		u.Close()
		if len(got) != 1 || got[0].Code != c.code || (c.note == "") != (len(got[0].Notes) == 0) || c.note != "" && got[0].Notes[0] != c.note {
			t.Errorf("%s: %+v, want %s %q", c.text, got[0], c.code, c.note)
		}
	}
}

// TestCodes: a code has digits of its group and rows with it stand for one
// meaning, so that nothing else ever gets it by mistake.
func TestCodes(t *testing.T) {
	for _, k := range Kinds {
		if len(k.Code) != 4 || k.Code[0] != 'P' || k.Pattern == "" || !strings.HasSuffix(k.Why, ".") {
			t.Errorf("bad row %+v", k)
		}
	}
}
