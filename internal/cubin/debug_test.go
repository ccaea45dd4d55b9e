package cubin

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

// TestDebugLines reads the line programs of the reference and writes them
// again. Where a function's rows begin inside a sequence, and in some places
// with -g, the reference moves the address in two steps; those may differ.
func TestDebugLines(t *testing.T) {
	count := tally{}
	for _, s := range cases.Cubins(t) {
		f, err := Read(s.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range [...]string{".debug_line", ".nv_debug_line_sass"} {
			data := f.Find(name).Data()
			if data == nil {
				continue
			}
			l, err := dwarf.ParseLines(data)
			if err != nil {
				t.Errorf("%s %s: %v", s.Name, name, err)
				continue
			}
			w, fixes := dwarf.AppendLines(nil, l)
			same := bytes.Equal(w, data)
			count.add(name, same)
			if !same && !strings.HasPrefix(s.Name, "funcs.") && !strings.Contains(s.Name, "-g") {
				t.Errorf("%s %s: other bytes", s.Name, name)
			}
			if same && len(fixes) != len(l.Sequences) {
				t.Errorf("%s %s: %d places to relocate for %d sequences", s.Name, name, len(fixes), len(l.Sequences))
			}
		}
	}
	t.Logf("the same: %s", count)
}

// TestDebugText makes .nv_debug_ptx_txt of the probes.
func TestDebugText(t *testing.T) {
	n := 0
	text := map[string]string{}
	for _, p := range probes(t) {
		text[strings.TrimSuffix(p.Name, ".ptx")] = string(p.Data)
	}
	for _, s := range cases.Cubins(t) {
		probe, config, _ := strings.Cut(s.Name, ".")
		arch, flags, _ := strings.Cut(config, "-")
		if flags != "lineinfo" {
			continue
		}
		f, err := Read(s.Data)
		if err != nil {
			t.Fatal(err)
		}
		want := f.Find(".nv_debug_ptx_txt").Data()
		if want == nil {
			continue
		}
		if got := dwarf.PTXText([]byte(header(arch) + text[probe])); !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", s.Name, got, want)
		}
		n++
	}
	t.Logf("%d texts the same", n)
}
