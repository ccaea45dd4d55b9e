package driver

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/engine/stats"
	"github.com/goptxas/goptxas/internal/target"

	"github.com/goptxas/goptxas/internal/witness/oracle"
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
	say(moduleLine(1000, []Bank{{3, 256}, {4, 8}}, target.Find("sm_75")))
	say(b.lines(target.Find("sm_75"))...)
	say(moduleLine(0, []Bank{{3, 256}}, target.Find("sm_90a")))
	say(b.lines(target.Find("sm_90a"))[2])
	want := `ptxas info    : 1000 bytes gmem, 256 bytes cmem[3], 8 bytes cmem[4]
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

// exampleStats is a report with one kernel.
func exampleStats() *stats.Report {
	r := &stats.Report{Wall: 9095 * time.Microsecond}
	r.Time[stats.Parse] = 6483 * time.Microsecond
	r.Units = []stats.Unit{{Entry: "k", Total: 1563 * time.Microsecond}}
	return r
}

// TestStatsFile proves that runs add to the file, and that nothing is shown
// of a run that made no code.
func TestStatsFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	line, _, fault := cli.Parse([]string{"--compiler-stats=time", "--compiler-stats-file=" + name})
	if fault != nil {
		t.Fatal(fault)
	}
	var out bytes.Buffer
	sink := diag.NewSink(&out, diag.Options{})
	job := &Job{Files: []Source{{File: &src.File{Name: "k.ptx"}}}}
	for _, res := range []*Result{{Stats: exampleStats(), Cubin: []byte{1}}, {Stats: exampleStats()}, {Stats: exampleStats(), Cubin: []byte{1}}} {
		if err := printStats(line, sink, job, res); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if want := strings.Repeat("k.ptx >>\n\nCompileTime = 9.095000 ms\n", 2); err != nil || string(data) != want || out.Len() > 0 {
		t.Errorf("file %q, %v; printed %q", data, err, out.String())
	}
	line, _, _ = cli.Parse([]string{"--compiler-stats=t"})
	if err := printStats(line, sink, job, &Result{Stats: exampleStats(), Cubin: []byte{1}}); err != nil || out.String() != "ptxas info    : STAT: CompileTime = 9.095000 ms\n" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}

func TestTrace(t *testing.T) {
	job := &Job{Files: []Source{{File: &src.File{Name: "k.ptx"}}}, Settings: &cli.Settings{Line: &cli.Line{}}}
	res := &Result{Stats: exampleStats(), spans: &spans{kernels: []span{{what: "Optimizing compilation unit", name: "k"}}}}
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
		"{}": "Parsed trace file not in expected format : expected key 'traceEvents'",
	} {
		put(text)
		if err := extendTrace(t.Context(), name, job, res); err == nil || err.Error() != want {
			t.Errorf("trace %q: %v", text, err)
		}
	}
}

// TestTraceOrigin: a host says behind which event ours come, and whose they
// are.
func TestTraceOrigin(t *testing.T) {
	const bad = "Parsed trace file not in expected format : "
	whole := `{"name":"b","ts":9,"dur":9,"pid":9,"tid":9},{"name":"a","ts":10,"dur":5,"pid":7,"tid":8},{"name":"a","ts":90,"dur":5,"pid":1,"tid":1}`
	for _, c := range []struct {
		args, events string
		want         origin
		err          string
	}{
		{"--use-trace-pid=3", whole, origin{pid: 3}, ""},
		{"--ftrace-phase-after=a", whole, origin{7, 8, 15}, ""},
		{"--ftrace-phase-after=a --use-trace-pid=3", whole, origin{3, 0, 15}, ""},
		{"--ftrace-phase-after=c", whole, origin{}, bad + "--ftrace-phase-after string not found in input file"},
		{"--ftrace-phase-after=a", `{"name":"a","ts":1.5,"dur":5}`, origin{}, bad + "expected data type Int for key 'ts'"},
		{"--ftrace-phase-after=a", `{"name":"a","ts":1,"dur":5,"pid":3}`, origin{}, bad + "expected key 'tid'"},
		{"--ftrace-phase-after=a", `{"name":5}`, origin{}, bad + "expected data type String for key 'name' in parsed JSON Object"},
		{"--ftrace-phase-after=a", `{"ts":5}`, origin{}, bad + "expected key 'name' in parsed JSON Object"},
	} {
		line, _, fault := cli.Parse(strings.Fields(c.args))
		if fault != nil {
			t.Fatal(fault)
		}
		_, events, err := readTrace("x", []byte(`{"traceEvents":[`+c.events+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := startOf(line, events)
		if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err || err == nil && got != c.want {
			t.Errorf("%s: %+v, %v; want %+v, %q", c.args, got, err, c.want, c.err)
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

// TestUnwritten: of a file that cannot be written, or must not be because a
// warning is an error, there is no file; of the first no report either.
func TestUnwritten(t *testing.T) {
	dir := t.TempDir()
	text := ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{ .local .b8 q[400]; .reg .b32 %r<4>; .reg .b64 %d<4>;\n" +
		"ld.param.u64 %d1,[p]; ld.param.u32 %r1,[n]; mov.u64 %d2,q; mad.wide.u32 %d3,%r1,4,%d2; st.local.u32 [%d3],%r1; ld.local.u32 %r2,[q+4]; st.global.u32 [%d1],%r2; ret; }\n"
	if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-v", "-o", "none/x", "k.ptx"},
		{"-v", "-c", "-o", "none/x", "k.ptx"},
		{"-Werror", "-warn-lmem-usage", "-o", "x", "k.ptx"},
	} {
		r := runSelf(t, dir, args...)
		if _, err := os.Stat(filepath.Join(dir, "x")); err == nil || r.Exit == 0 || strings.Contains(r.Stderr, " bytes gmem") {
			t.Errorf("%q: exit %d, a file: %t\n%s", args, r.Exit, err == nil, r.Stderr)
		}
		if !oracle.Available() {
			continue
		}
		if want := oracle.Find(t).Run(dir, "ptxas", args...); want.Exit != r.Exit || want.Stderr != r.Stderr {
			t.Errorf("%q: exit %d\n%sthe reference: %d\n%s", args, r.Exit, r.Stderr, want.Exit, want.Stderr)
		}
	}
}
