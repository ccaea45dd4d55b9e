package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// sizes is a module with kernels of different sizes and some memory.
func sizes(n int) string {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 g[4];\n.global .u32 h[2] = {1, 2};\n.const .u32 c[6];\n")
	for i := range n {
		fmt.Fprintf(&b, ".visible .entry k%d(.param .u64 p, .param .u32 q)\n{\n.reg .b64 %%a;\n.reg .u32 %%r<99>;\nld.param.u64 %%a, [p];\nld.global.u32 %%r0, [%%a];\n", i)
		for k := range 4 + 3*(i%5) {
			fmt.Fprintf(&b, "mad.lo.u32 %%r%d, %%r%d, %%r%d, %d;\n", k+1, k, k, k*k+i)
			fmt.Fprintf(&b, "st.global.u32 [%%a+%d], %%r%d;\n", 4*k, k+1)
		}
		b.WriteString("st.global.u32 [%a], %r4;\nret;\n}\n")
	}
	return b.String()
}

func keepText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStream compares the report that is printed kernel by kernel with the
// one that is printed at the end, for machines whose report has memory banks
// and for one whose has none, on one worker and on three.
func TestStream(t *testing.T) {
	in := keepText(t, "in.ptx", sizes(12))
	for _, arch := range []string{"sm_80", "sm_90"} {
		var want string
		for _, more := range [][]string{{"--warn-on-spills"}, nil, {"--split-compile=3"}} {
			var log bytes.Buffer
			args := append([]string{"-arch=" + arch, "-v", "-o", filepath.Join(t.TempDir(), "out"), in}, more...)
			if code := Main(context.Background(), World{Args: args, Stdout: &log, Stderr: &log}); code != 0 {
				t.Fatal(log.String())
			}
			var kept []string
			for line := range strings.Lines(log.String()) {
				if !strings.Contains(line, "Compile time") {
					kept = append(kept, line)
				}
			}
			got := strings.Join(kept, "")
			if want == "" {
				want = got
			}
			if got != want || !strings.Contains(got, "24 bytes gmem") || strings.Count(got, "Used ") != 12 {
				t.Errorf("%s %v:\n%s\nwant:\n%s", arch, more, got, want)
			}
		}
	}
}

// TestStreamsForReaders: a text with products whose warnings may come late is
// reported at the end for programs, and kernel by kernel for people.
func TestStreamsForReaders(t *testing.T) {
	files := []Source{{File: &src.File{Text: []byte("wgmma.mma_async")}}}
	for _, c := range []struct {
		form diag.Form
		want bool
	}{{diag.Plain, false}, {diag.JSON, false}, {diag.Pretty, true}} {
		j := &Job{Files: files, Settings: &cli.Settings{Line: &cli.Line{}}, Sink: diag.NewSink(io.Discard, diag.Options{Form: c.form})}
		if got := j.streams(&sema.Module{}); got != c.want {
			t.Errorf("form %d: %v", c.form, got)
		}
	}
}

// TestStreamOrder ends kernels in another order than the report's: each is
// printed once those before it are.
func TestStreamOrder(t *testing.T) {
	in := keepText(t, "in.ptx", sizes(3))
	line, _, _ := cli.Parse([]string{"-arch=sm_90", "-v", in})
	var log bytes.Buffer
	sink := diag.NewSink(&log, diag.Options{})
	s, fault := cli.Check(line, sink.Say)
	if fault != nil {
		t.Fatal(fault)
	}
	files, _ := readInputs(line, nil)
	j := &Job{Settings: s, Files: files, Sink: sink}
	m := j.check(context.Background())
	st := &stream{j: j, m: m, arch: target.Find("sm_90")}
	st.Begin(&pipeline.Output{Funcs: []int32{0, 1, 2}}, nil)
	k := &link.Kernel{Code: &emit.Code{}}
	for _, step := range []struct {
		n    int
		seen int
	}{{0, 0}, {2, 1}, {1, 3}} {
		st.Done(0, step.n, k)
		if got := strings.Count(log.String(), "Compiling entry"); got != step.seen {
			t.Errorf("after kernel %d: %d printed, want %d", step.n, got, step.seen)
		}
	}
	if text := log.String(); strings.Index(text, "'k2'") > strings.Index(text, "'k1'") || strings.Index(text, "'k1'") > strings.Index(text, "'k0'") {
		t.Errorf("order:\n%s", text)
	}
}

// TestProgress reads the forms in which progress is told.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := &progress{screen: &screen{out: &out}, form: asJSON, begun: time.Now().Add(-2 * time.Second)}
	p.enter("reading")
	p.checked(3, 7)
	p.Begin(&pipeline.Output{Funcs: []int32{0, 1}}, []int64{100, 300})
	p.since = p.since.Add(-time.Second)
	p.Phase(0, "k", "Simplify", time.Now(), time.Second)
	p.Done(0, 0, &link.Kernel{Code: &emit.Code{Text: make([]byte, 16*1234)}})
	p.tell()
	var got map[string]report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	r := got["progress"]
	if r.Stage != "compiling" || r.Done != 1 || r.Total != 2 || r.Unit != "kernels" || r.Instructions != 1234 || r.Seconds < 2 || r.Bytes == 0 {
		t.Errorf("%+v", r)
	}
	if r.SecondsLeft == nil || *r.SecondsLeft < 3 || *r.SecondsLeft > 9 {
		t.Errorf("a quarter of the text took a second: left %v", r.SecondsLeft)
	}
	if text := r.text(); !strings.Contains(text, "compiling 1/2 kernels, 1,234 instructions, 2.") {
		t.Errorf("%s", text)
	}
	out.Reset()
	p.form = asLine
	p.tell()
	fmt.Fprint(p.screen, "message\n")
	if text := out.String(); !strings.HasPrefix(text, wipe+"goptxas: ") || !strings.HasSuffix(text, wipe+"message\n") {
		t.Errorf("a message behind a line: %q", text)
	}
}

// TestProgressEarly compiles something that takes a while: the first report
// comes soon and the messages stay whole.
func TestProgressEarly(t *testing.T) {
	in := keepText(t, "in.ptx", sizes(4000))
	var log bytes.Buffer
	code := Main(context.Background(), World{Args: []string{"-arch=sm_90", "--progress=json", "-v", "-o", filepath.Join(t.TempDir(), "out"), in}, Stdout: &log, Stderr: &log})
	if code != 0 {
		t.Fatal(log.String())
	}
	first := -1.0
	for line := range strings.Lines(log.String()) {
		if strings.HasPrefix(line, "{") {
			var r map[string]report
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if first < 0 {
				first = r["progress"].Seconds
			}
		}
	}
	if first < 0 || first > 2 { // 0.2 s where nothing else runs
		t.Errorf("the first report came after %.2f s", first)
	}
	if n := strings.Count(log.String(), "Used "); n != 4000 {
		t.Errorf("%d of 4000 kernels reported", n)
	}
}

// TestTraceSpans looks for kernels and phases, each phase within a kernel of
// its worker.
func TestTraceSpans(t *testing.T) {
	in, trace := keepText(t, "in.ptx", sizes(6)), keepText(t, "trace.json", `{"traceEvents":[]}`)
	var log bytes.Buffer
	code := Main(context.Background(), World{Args: []string{"-arch=sm_90", "--split-compile=2", "--fdevice-time-trace=" + trace, "-o", filepath.Join(t.TempDir(), "out"), in}, Stdout: &log, Stderr: &log})
	data, err := os.ReadFile(trace)
	if code != 0 || err != nil {
		t.Fatal(err, log.String())
	}
	var file struct {
		TraceEvents []traceEvent `json:"traceEvents"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	kernels, phases := 0, 0
	for _, e := range file.TraceEvents {
		switch e.Name {
		case "Optimizing compilation unit":
			kernels++
		case "Total PTXAS Time", "PTX parsing and setup time", "Post processing":
		default:
			phases++
			in := false
			for _, k := range file.TraceEvents {
				in = in || k.Name == "Optimizing compilation unit" && k.Tid == e.Tid && k.Args.Name == e.Args.Name && e.Ts+1 >= k.Ts && e.Ts+e.Dur <= k.Ts+k.Dur+1
			}
			if !in {
				t.Errorf("phase %s of %s lies in no kernel", e.Name, e.Args.Name)
			}
		}
	}
	if kernels != 6 || phases < 6 {
		t.Errorf("%d kernels, %d phases", kernels, phases)
	}
}
