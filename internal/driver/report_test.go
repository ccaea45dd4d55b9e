package driver

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goptxas/internal/driver/cli"
	"goptxas/internal/engine/diag"
	"goptxas/internal/engine/src"
)

// TestReport compares the -v report with lines the reference printed.
func TestReport(t *testing.T) {
	var out bytes.Buffer
	sink := diag.NewSink(&out, diag.Options{})
	say := func(texts ...string) {
		for _, s := range texts {
			sink.Say(diag.Info, s)
		}
	}
	b := Block{
		Name: "k", Entry: true, Frame: Frame{784, 784, 1144}, Time: 1978 * time.Microsecond,
		Usage: Usage{
			Registers: 25, Barriers: 1, CumulativeStack: 784, Shared: 100,
			Consts: []Bank{{0, 372}, {2, 8}}, Textures: 2, Surfaces: 1, Samplers: 1,
		},
		Callee: []FunctionFrame{{"f", Frame{}}},
	}
	say(overrideLine(256, "k", 24), moduleLine(1000, []Bank{{3, 256}, {4, 8}}, 75))
	say(b.lines("sm_75", 75)...)
	say(moduleLine(0, []Bank{{3, 256}}, 90))
	say(b.lines("sm_90a", 90)[2])
	want := `ptxas info    : Overriding maximum register limit 256 for 'k' with  24 of maxrregcount option
ptxas info    : 1000 bytes gmem, 256 bytes cmem[3], 8 bytes cmem[4]
ptxas info    : Compiling entry function 'k' for 'sm_75'
ptxas info    : Function properties for k
    784 bytes stack frame, 784 bytes spill stores, 1144 bytes spill loads
ptxas info    : Used 25 registers, used 1 barriers, 784 bytes cumulative stack size, 100 bytes smem, 372 bytes cmem[0], 8 bytes cmem[2], 2 textures, 1 surfaces, 1 samplers
ptxas info    : Compile time = 1.978 ms
ptxas info    : Function properties for f
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : 0 bytes gmem
ptxas info    : Used 25 registers, used 1 barriers, 784 bytes cumulative stack size, 100 bytes smem
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func exampleCost() (Cost, []UnitCost) {
	c := Cost{Time: 9095 * time.Microsecond, Memory: 8528832}
	c.Steps[StepParse].Time = 6483 * time.Microsecond
	c.Steps[StepParse].Memory = 4896422
	u := UnitCost{Name: "k", Cost: Cost{Time: 1563 * time.Microsecond, Memory: 8528832}}
	u.Steps[StepDAG].Time = 242 * time.Microsecond
	return c, []UnitCost{u}
}

// TestStats compares the layout of the statistics with the reference's.
func TestStats(t *testing.T) {
	c, units := exampleCost()
	var out bytes.Buffer
	sink := diag.NewSink(&out, diag.Options{})
	for _, s := range statTexts(wanted([]string{"time", "m", "phase-wise", "d"}), &c, units) {
		sink.Say(diag.Info, "STAT: "+s)
	}
	want := `ptxas info    : STAT: CompileTime = 9.095000 ms (100%)
Parse-time            : 6.483 ms (71.28%)
CompileUnitSetup-time : 0.000 ms (0.00%)
DAGgen-time           : 0.000 ms (0.00%)
OCG-time              : 0.000 ms (0.00%)
ELF-time              : 0.000 ms (0.00%)
DebugInfo-time        : 0.000 ms (0.00%)

ptxas info    : STAT: PeakMemoryUsage = 8328.938 KB
PeakParserMemoryUsage           : 4781.662 KB
PeakCompileUnitSetupMemoryUsage : 0.000 KB
PeakDAGgenMemoryUsage           : 0.000 KB
PeakOCGMemoryUsage              : 0.000 KB
PeakELFMemoryUsage              : 0.000 KB
PeakDebugInfoMemoryUsage        : 0.000 KB

` + "ptxas info    : STAT: \n" + `Compile-unit with entry k
	Total Compile-Unit time        = 1.563 ms
		DAGgen-time            : 0.242 ms
		OCG-time               : 0.000 ms
		ELF-time               : 0.000 ms

	Peak Compile-Unit memory usage = 8328.938 KB
		PeakDAGgenMemoryUsage  : 0.000 KB
		PeakOCGMemoryUsage     : 0.000 KB
		PeakELFMemoryUsage     : 0.000 KB

`
	if out.String() != want {
		t.Errorf("got\n%q\nwant\n%q", out.String(), want)
	}
	if got := statTexts(wanted([]string{"p", "d"}), &c, units); got != nil {
		t.Errorf("phase-wise and detailed alone print %q", got)
	}
}

func TestStatsFile(t *testing.T) {
	c, units := exampleCost()
	name := filepath.Join(t.TempDir(), "s")
	for range 2 {
		if err := appendStats(name, "k.ptx", statTexts(wanted([]string{"t"}), &c, units)); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if want := strings.Repeat("k.ptx >>\n\nCompileTime = 9.095000 ms\n", 2); err != nil || string(data) != want {
		t.Errorf("%q, %v", data, err)
	}
	if err := appendStats(filepath.Join(name, "x"), "k.ptx", nil); err == nil {
		t.Error("a file inside a file was written")
	}
}

func TestTrace(t *testing.T) {
	c, units := exampleCost()
	job := &Job{Files: []Source{{File: &src.File{Name: "k.ptx"}}}}
	res := &Result{Cost: c, Units: units}
	name := filepath.Join(t.TempDir(), "trace")
	put := func(s string) {
		if err := os.WriteFile(name, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(`{"traceEvents":[{"name":"before"}],"other":1}`)
	if err := extendTrace(t.Context(), name, job, res); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	var file struct {
		TraceEvents []struct {
			Name string
			Args struct{ Name string }
		}
		Other int
	}
	if err != nil || json.Unmarshal(data, &file) != nil || len(file.TraceEvents) != 5 || file.Other != 1 || file.TraceEvents[1].Args.Name != "k.ptx" {
		t.Errorf("trace is %s, %v", data, err)
	}
	for text, want := range map[string]string{
		"":   "Parsed trace file not in expected format : Error reading input trace file to buffer",
		"[]": "Input file '" + name + "' not in expected format",
		"{}": "Input file '" + name + "' not in expected format",
	} {
		put(text)
		if err := extendTrace(t.Context(), name, job, res); err == nil || err.Error() != want {
			t.Errorf("trace %q: %v", text, err)
		}
	}
}

func TestWriteOutput(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	for _, text := range []string{"one", "two"} {
		if err := writeOutput(t.Context(), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != text {
			t.Errorf("read %q, %v", data, err)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%d files in the folder, %v", len(list), err)
	}
	if err := writeOutput(t.Context(), os.DevNull, []byte("x")); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", filepath.Join(dir, "none", "x")} {
		err := writeOutput(t.Context(), bad, nil)
		if f, ok := err.(*cli.Fault); !ok || f.Text != "Output file '"+bad+"' could not be opened" {
			t.Errorf("writing %q gave %v", bad, err)
		}
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := writeOutput(t.Context(), "/dev/full", []byte("x")); err == nil {
			t.Error("a full device was not noticed")
		}
	}
}
