package driver

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/stats"
)

// TestStages compiles a kernel with a line table: all six stages took time
// and memory, and none more than the whole.
func TestStages(t *testing.T) {
	name := filepath.Join("..", "..", "examples", "saxpy.ptx")
	line, _, fault := cli.Parse([]string{"-arch=sm_90", "-lineinfo", "--compiler-stats=t,m,p,d", name})
	if fault != nil {
		t.Fatal(fault)
	}
	var log bytes.Buffer
	sink := diag.NewSink(&log, diag.Options{})
	s, fault := cli.Check(line, sink.Say)
	if fault != nil {
		t.Fatal(fault)
	}
	files, _ := readInputs(line, nil)
	res := (&Job{Settings: s, Files: files, Sink: sink, Stdout: &log}).Run(context.Background())
	if !res.OK {
		t.Fatal(log.String())
	}
	r := res.Stats
	for s := range stats.NumStages {
		if r.Time[s] <= 0 || r.Time[s] >= r.Wall {
			t.Errorf("stage %d took %v of %v", s, r.Time[s], r.Wall)
		}
		if r.Sums.Peak[s] <= 0 || r.Sums.Peak[s] > max(r.Peak, r.Sums.Peak[stats.Parse]) {
			t.Errorf("stage %d held %d bytes, the process %d", s, r.Sums.Peak[s], r.Peak)
		}
	}
	if len(r.Units) != 1 || r.Units[0].Time[stats.DAGgen] <= 0 || r.Units[0].Time[stats.ELF] <= 0 || r.Units[0].Time[stats.OCG] > r.Units[0].Total {
		t.Errorf("units %+v", r.Units)
	}
}
