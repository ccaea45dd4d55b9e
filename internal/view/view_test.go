package view

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// data returns what a page holds.
func data(t *testing.T, name string) (*Page, []byte) {
	t.Helper()
	html, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(html, []byte(`<script id="data" type="application/json">`))
	text, _, ok2 := bytes.Cut(rest, []byte("</script>"))
	var p Page
	if err := json.Unmarshal(text, &p); !ok || !ok2 || err != nil {
		t.Fatalf("the page has no data: %v", err)
	}
	return &p, html
}

// TestPage makes the page of the example: phases, code, places and blocks are
// those of the kernel, and nothing is fetched from elsewhere.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "saxpy.html")
	var out, errs bytes.Buffer
	if code := Main([]string{"-arch", "sm_90a", "-o", page, filepath.Join("..", "..", "examples", "saxpy.ptx")}, &out, &errs, nil); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	p, html := data(t, page)
	if len(p.Kernels) != 1 || p.Arch != "sm_90a" || p.Limits.Warps != 64 {
		t.Fatalf("%d kernels for %s", len(p.Kernels), p.Arch)
	}
	k := p.Kernels[0]
	changed := 0
	for _, x := range k.Phases {
		if len(x.Rows) > 0 {
			changed++
		}
	}
	if k.Name != "saxpy" || changed < 5 || len(k.Phases) < 20 || k.Phases[0].Name != "Lowered" || len(k.Blocks) < 2 {
		t.Errorf("%s: %d of %d phases, %d blocks", k.Name, changed, len(k.Phases), len(k.Blocks))
	}
	lines := strings.Split(p.Sources[0].Text, "\n")
	for n, c := range k.Code {
		if c.Op == "STG" && !strings.Contains(lines[k.Lines[n]-1], "st.global") {
			t.Errorf("%s comes from %q", c.Text, lines[k.Lines[n]-1])
		}
		for i, from := range c.From {
			if from < 0 || from >= n || !contains(k.Code[from].Set, c.Wait[i]) {
				t.Errorf("%s waits for barrier %d of %d", c.Text, c.Wait[i], from)
			}
		}
	}
	if bytes.Contains(html, []byte("http://")) && !bytes.Contains(html, []byte("http://www.w3.org/2000/svg")) || bytes.Contains(html, []byte("https://")) {
		t.Error("the page asks for something from elsewhere")
	}
}

func contains(list []int, n int) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

func TestPageRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bad.ptx")
	if err := os.WriteFile(name, []byte("garbage"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := Main([]string{name}, &out, &errs, nil); code != 3 || !strings.Contains(errs.String(), "Missing .version") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
	if _, err := os.Stat(strings.TrimSuffix(name, ".ptx") + ".html"); err == nil {
		t.Error("a page of nothing was written")
	}
}
