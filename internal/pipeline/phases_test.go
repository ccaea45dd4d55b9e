package pipeline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/phase"
)

// TestOrder proves that the facts every phase needs hold when it runs, at
// every level of optimisation and of fast compilation, whatever optional phases are left out.
func TestOrder(t *testing.T) {
	rows := map[string]phase.Row[*unit]{}
	for _, r := range phases() {
		rows[r.Name] = r
	}
	for k := range int(4 * NumFast) {
		level, order := int8(k%4), orders[k/4]
		var have phase.Props
		ran := 0
		for _, name := range order {
			r, ok := rows[name]
			if !ok {
				t.Fatalf("the order names %s, which is no phase", name)
			}
			if !r.Required && level < r.MinOpt {
				continue
			}
			if miss := r.Needs &^ have; miss != 0 {
				t.Errorf("-O%d, level %d: %s needs %b, have %b", level, k/4, name, miss, have)
			}
			have = have&^r.Breaks | r.Gives
			ran++
		}
		if have&hasCode == 0 {
			t.Errorf("-O%d, level %d makes no code", level, k/4)
		}
		t.Logf("-O%d, level %d: %d phases", level, k/4, ran)
	}
}

// TestDocumented: docs/ori.md says of every phase what it does.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "ori.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for row := range strings.Lines(string(text)) {
		if names, _, ok := strings.Cut(strings.TrimPrefix(row, "| "), " | "); ok {
			for name := range strings.SplitSeq(names, ", ") {
				named[strings.Trim(name, "`")] = true
			}
		}
	}
	for _, r := range phases() {
		if !named[r.Name] {
			t.Errorf("docs/ori.md does not say what %s does", r.Name)
		}
	}
}
