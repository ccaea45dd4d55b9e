package pipeline

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

type dumpFile struct{ bytes.Buffer }

func (*dumpFile) Close() error { return nil }

// TestDumps compiles the zoo twice with DUMPIR at several phases, as text
// and as records: both read back to the same functions.
func TestDumps(t *testing.T) {
	const list = "CSE,Legalize,AllocateRegisters,AssignScoreboards"
	a := target.Find("sm_90a")
	dumps := 0
	for _, k := range zoo.List(t) {
		var texts, records []*dumpFile
		for _, set := range []struct {
			knob string
			to   *[]*dumpFile
		}{{"DumpRecords=false", &texts}, {"DumpRecords=true", &records}} {
			o := Options{Arch: a, Level: 3, Knobs: knobs.New()}
			for _, text := range []string{"DUMPIR=" + list, set.knob} {
				if err := o.Knobs.Assign(text); err != nil {
					t.Fatal(err)
				}
			}
			o.Create = func(string, int, string, string) (io.WriteCloser, error) {
				f := &dumpFile{}
				*set.to = append(*set.to, f)
				return f, nil
			}
			if _, err := Module(check(t, k.File, k.Text, a), o, 1, cubin.TKInfo{}); err != nil {
				t.Fatal(err)
			}
		}
		if len(texts) != len(records) || len(texts) == 0 {
			t.Fatalf("%s: %d dumps as text, %d as records", k.File, len(texts), len(records))
		}
		for n := range texts {
			m, err := ori.Parse(texts[n].String())
			if err != nil {
				t.Fatalf("%s: %v", k.File, err)
			}
			r, err := ori.ReadRecords(records[n].Bytes())
			if err != nil {
				t.Fatalf("%s: %v", k.File, err)
			}
			want := m.Funcs[0].String()
			found := false
			for _, f := range r.Funcs {
				found = found || f.String() == want
			}
			if !found {
				t.Errorf("%s, dump %d: the records hold another function", k.File, n)
			}
			dumps++
		}
	}
	t.Logf("%d dumps, equal as text and as records", dumps)
}

// TestDumpLines reads a dump's lines: they are those of the text, and the
// control column of the dump marks the instructions that yield as the
// listing of the same code does.
func TestDumpLines(t *testing.T) {
	text := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .b32 %r;\nld.param.u64 %a, [p];\nmov.u32 %r, %tid.x;\nst.global.u32 [%a], %r;\nret;\n}\n"
	a := target.Find("sm_90a")
	o := Options{Arch: a, Level: 3, Knobs: knobs.New(), Phases: []string{"AssignScoreboards/dump"}}
	var dump dumpFile
	o.Create = func(string, int, string, string) (io.WriteCloser, error) { return &dump, nil }
	out, err := Module(check(t, "k.ptx", text, a), o, 1, cubin.TKInfo{})
	if err != nil {
		t.Fatal(err)
	}
	code, n := out.Kernels[0].Code.Text, 0
	for line := range strings.Lines(dump.String()) {
		_, tail, found := strings.Cut(line, " ; ")
		if !found {
			continue
		}
		words := strings.Fields(tail)
		if strings.Contains(line, "S2R") && words[0] != "line=9" || strings.Contains(line, "STG") && words[0] != "line=10" {
			t.Errorf("%s: want lines 9 and 10", line)
		}
		w := bits.Word{Lo: binary.LittleEndian.Uint64(code[n:]), Hi: binary.LittleEndian.Uint64(code[n+8:])}
		i := sass.Decode(a, w)
		if got := words[len(words)-1]; got[:19] != i.Ctrl().String()[:19] {
			t.Errorf("%s is %s in the code", line, i.Ctrl())
		}
		n += 16
	}
	if n < 5*16 {
		t.Errorf("%d bytes of code were compared", n)
	}
}
