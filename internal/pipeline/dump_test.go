package pipeline

import (
	"bytes"
	"io"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/ori"
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
