package opgen

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unrunnable are forms that a kernel cannot just run and compare: they end
// it, wait for others, need objects that only a host makes, name what the
// kernel lacks, or give what no two runs have in common.
var unrunnable = regexp.MustCompile(`^(tex|tld4|txq|suld|sust|sured|suq|multimem|trap|brkpt|exit|ret|bra|call|discard|setmaxnreg|alloca|stack|griddepcontrol|st\.bulk|pmevent)|` +
	`^(bar|barrier)\S*arrive|^(bar|barrier)\S* (\S*,)?%r|^(bar|barrier)\S* .*,64|^bar\.warp|\.async|\.tensormap|tensormap::|\.param|` +
	`\b(gv|par2?|fn|tx|sf|LBL)\b|%(clock|pm\d|globaltimer|smid|nsmid|warpid|nwarpid|gridid|envreg|current_graph|reserved_smem|clusterid|nclusterid|cluster_)|mbarrier.inval|\[sv|\.v8\.(b|u|s)?8|\.v8\.(b16|u16|s16)`)

// placeable reports whether a form of the sweep can be run with Placed.
func placeable(text string) bool {
	if strings.HasPrefix(text, "cp.async.c") && !strings.Contains(text, "mbarrier") && !strings.Contains(text, "cache_hint") {
		return true
	}
	if op, _, _ := strings.Cut(text, " "); strings.Contains(text, "[%r120]") && !strings.Contains(op, "shared") {
		return false // a 32-bit generic address
	}
	return !unrunnable.MatchString(text)
}

// TestSweepBatch writes the forms of the sweep that can be run to the folder
// OPGEN_DIR, for gpurun zoo.
func TestSweepBatch(t *testing.T) {
	dir := os.Getenv("OPGEN_DIR")
	if dir == "" {
		t.Skip("OPGEN_DIR names no folder")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	families := []struct {
		name   string
		list   [][]string
		placed bool
		each   int
	}{
		{"mem", [][]string{memoryForms[:]}, true, 12},
		{"atom", [][]string{atomicForms[:]}, true, 12},
		{"sys", [][]string{systemForms[:]}, true, 8},
		{"arith", [][]string{arithmeticForms[:], videoForms[:]}, false, 16},
	}
	for _, f := range families {
		var all []string
		for _, l := range f.list {
			for _, t := range l {
				all = append(all, Expand(t)...)
			}
		}
		var ok []string
		for at := 0; at < len(all); at += sweepChunk {
			part := all[at:min(at+sweepChunk, len(all))]
			for n, v := range ourVerdicts(part, "sm_90a") {
				if v == "" && placeable(part[n]) {
					ok = append(ok, part[n])
				}
			}
		}
		files, n := 0, 0
		var batch []Form
		flush := func() {
			if len(batch) == 0 {
				return
			}
			name := fmt.Sprintf("%s%04d", f.name, files)
			text := ""
			if f.placed {
				text = Placed(name, "sm_90a", batch, uint64(files+1))
			} else {
				text = File(name, "sm_90a", batch, 1024, uint64(files+1))
			}
			if msg := compile(text, "sm_90a"); msg != "" {
				t.Errorf("%s: %s", name, msg)
			}
			if err := os.WriteFile(filepath.Join(dir, name+".ptx"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			files++
			batch = nil
		}
		for _, text := range ok {
			n++
			if batch = append(batch, Form{Text: text}); len(batch) == f.each {
				flush()
			}
		}
		flush()
		t.Logf("%s: %d of %d forms in %d files", f.name, n, len(ok), files)
	}
}
