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
			if code := Main(context.Background(), Env{Args: args, Stdout: &log, Stderr: &log}); code != 0 {
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

// TestStreams: where messages about the code may come late, the report waits
// for the end of a small module that a program reads about, and of an object.
func TestStreams(t *testing.T) {
	const product = "wgmma.mma_async"
	long := strings.Repeat("x", tooLongToWait)
	for _, c := range []struct {
		text string
		args []string
		form diag.Form
		want bool
	}{
		{"", nil, diag.Plain, true},
		{product, nil, diag.Plain, false},
		{product, nil, diag.JSON, false},
		{product, nil, diag.Pretty, true},
		{long + product, nil, diag.Plain, true},
		{long + product, nil, diag.JSON, true},
		{"setmaxnreg", nil, diag.Plain, false},
		{"", []string{"-warn-spills"}, diag.Plain, false},
		{long, []string{"-warn-lmem-usage"}, diag.Plain, true},
		{long, []string{"-ewp"}, diag.Pretty, false},
	} {
		line, _, _ := cli.Parse(append(c.args, "in.ptx"))
		s := &cli.Settings{Line: line, Extensible: line.Has(cli.ExtensibleWholeProgram)}
		j := &Job{Files: []Source{{File: &src.File{Text: []byte(c.text)}}}, Settings: s, Sink: diag.NewSink(io.Discard, diag.Options{Form: c.form})}
		if got := j.streams(&sema.Module{}); got != c.want {
			t.Errorf("%d bytes, %v, form %d: %v", len(c.text), c.args, c.form, got)
		}
	}
	if j := (&Job{Sink: diag.NewSink(io.Discard, diag.Options{Form: diag.Pretty}), Settings: &cli.Settings{}}); j.streams(&sema.Module{Opts: sema.Options{Relocatable: true}}) {
		t.Error("the memory of an object is told before it is known")
	}
}

// job returns a compilation of a text whose messages go to log.
func job(t *testing.T, text string, log io.Writer, args ...string) *Job {
	t.Helper()
	line, _, _ := cli.Parse(append(args, keepText(t, "in.ptx", text)))
	sink := diag.NewSink(log, diag.Options{})
	s, fault := cli.Check(line, sink.Say)
	if fault != nil {
		t.Fatal(fault)
	}
	files, fault := readInputs(line, nil)
	if fault != nil {
		t.Fatal(fault)
	}
	return &Job{Settings: s, Files: files, Sink: sink}
}

// watched is where messages go; it notes how many kernels were done when the
// first line about one came.
type watched struct {
	bytes.Buffer
	done, first int
}

func (w *watched) Write(p []byte) (int, error) {
	if w.first == 0 && bytes.Contains(p, []byte("Compiling entry")) {
		w.first = w.done
	}
	return w.Buffer.Write(p)
}

// TestStreamEarly compiles kernels of which some ignore setmaxnreg, which is
// told. In a long text the first line about a kernel comes when one is done
// and the advice before the part of its kernel; in a short one all advice
// comes first.
func TestStreamEarly(t *testing.T) {
	const n = 6
	text := strings.ReplaceAll(sizes(n), ".target sm_80", ".target sm_90a")
	for _, k := range []int{1, 4} {
		at := strings.Index(text, fmt.Sprintf("entry k%d(", k))
		text = text[:at] + strings.Replace(text[at:], "ret;", "setmaxnreg.inc.sync.aligned.u32 64;\nret;", 1)
	}
	for _, c := range []struct {
		name, more, order string
		first             int
	}{
		{"short", "", "AAMKKKKKK", n},
		{"long", "// " + strings.Repeat("x", tooLongToWait) + "\n", "MKAKKKAKK", 1},
	} {
		log := &watched{}
		j := job(t, text+c.more, log, "-arch=sm_90a", "-v")
		j.kernel = func(int, Facts, []byte, bool) { log.done++ }
		if res := j.Run(context.Background()); !res.OK || log.done != n {
			t.Fatal(log.String())
		}
		order := ""
		for line := range strings.Lines(log.String()) {
			for mark, part := range map[string]string{"A": "(C7508)", "M": "bytes gmem", "K": "Compiling entry"} {
				if strings.Contains(line, part) {
					order += mark
				}
			}
		}
		if order != c.order || log.first != c.first {
			t.Errorf("%s: %s with %d of %d kernels done at the first line, want %s with %d", c.name, order, log.first, n, c.order, c.first)
		}
	}
}

// TestStreamOrder ends kernels in another order than the report's: each is
// printed once those before it are.
func TestStreamOrder(t *testing.T) {
	var log bytes.Buffer
	j := job(t, sizes(3), &log, "-arch=sm_90", "-v")
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
	const kernels = 1000
	in := keepText(t, "in.ptx", sizes(kernels))
	var log bytes.Buffer
	code := Main(context.Background(), Env{Args: []string{"-arch=sm_90", "--progress=json", "-v", "-o", filepath.Join(t.TempDir(), "out"), in}, Stdout: &log, Stderr: &log})
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
	if n := strings.Count(log.String(), "Used "); n != kernels {
		t.Errorf("%d of %d kernels reported", n, kernels)
	}
}

// TestTraceSpans looks for kernels and phases, each phase within a kernel of
// its worker.
func TestTraceSpans(t *testing.T) {
	in, trace := keepText(t, "in.ptx", sizes(6)), keepText(t, "trace.json", `{"traceEvents":[]}`)
	var log bytes.Buffer
	code := Main(context.Background(), Env{Args: []string{"-arch=sm_90", "--split-compile=2", "--fdevice-time-trace=" + trace, "-o", filepath.Join(t.TempDir(), "out"), in}, Stdout: &log, Stderr: &log})
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
