package stats

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

func sample() *Report {
	r := &Report{Wall: 9095 * time.Microsecond, CPU: 12 * time.Millisecond, Peak: 8528833}
	r.Time = [NumStages]time.Duration{6483e3, 535e3, 242e3, 1285e3, 242e3, 49e3}
	r.Sums.Peak = [NumStages]int64{4896422, 833322, 1255928, 67992, 25936, 5240}
	u := Unit{Entry: "k", Total: 1563e3, Peak: 8528833}
	u.Time = [NumStages]time.Duration{DAGgen: 242e3, OCG: 1285e3, ELF: 38e3}
	u.Sums.Peak = [NumStages]int64{DAGgen: 1255928, OCG: 67992}
	r.Units = []Unit{u}
	return r
}

func TestBlocks(t *testing.T) {
	got := "STAT: " + strings.Join(sample().Blocks(Want{true, true, true, true}), "STAT: ")
	want := `STAT: CompileTime = 9.095000 ms (100%)
Parse-time            : 6.483 ms (71.28%)
CompileUnitSetup-time : 0.535 ms (5.88%)
DAGgen-time           : 0.242 ms (2.66%)
OCG-time              : 1.285 ms (14.13%)
ELF-time              : 0.242 ms (2.66%)
DebugInfo-time        : 0.049 ms (0.54%)

STAT: PeakMemoryUsage = 8328.938 KB
PeakParserMemoryUsage           : 4781.662 KB
PeakCompileUnitSetupMemoryUsage : 813.791 KB
PeakDAGgenMemoryUsage           : 1226.492 KB
PeakOCGMemoryUsage              : 66.398 KB
PeakELFMemoryUsage              : 25.328 KB
PeakDebugInfoMemoryUsage        : 5.117 KB

STAT: 
Compile-unit with entry k
	Total Compile-Unit time        = 1.563 ms
		DAGgen-time            : 0.242 ms
		OCG-time               : 1.285 ms
		ELF-time               : 0.038 ms

	Peak Compile-Unit memory usage = 8328.938 KB
		PeakDAGgenMemoryUsage  : 1226.492 KB
		PeakOCGMemoryUsage     : 66.398 KB
		PeakELFMemoryUsage     : 0.000 KB

`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, w := range []Want{{}, {PhaseWise: true}, {Detailed: true, PhaseWise: true}} {
		if b := sample().Blocks(w); len(b) != 0 {
			t.Errorf("%+v prints %q", w, b)
		}
	}
}

func TestParseWant(t *testing.T) {
	w, err := ParseWant([]string{"t", "memory", "p", "detailed"})
	if err != nil || w != (Want{true, true, true, true}) {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := ParseWant([]string{"foo"}); err == nil || err.Error() != "Value 'foo' is not defined for option 'compiler-stats'" {
		t.Error(err)
	}
}

func TestRecorder(t *testing.T) {
	r := NewRecorder()
	stop := r.Start(Parse)
	time.Sleep(2 * time.Millisecond)
	stop()
	r.AddPeak(Parse, 100)
	units := []*UnitRecorder{r.Unit("a"), r.Unit("b")}
	var wg sync.WaitGroup
	for _, u := range units {
		wg.Go(func() {
			for range 100 {
				u.AddTime(OCG, time.Microsecond)
				u.AddPeak(OCG, 50)
				u.ProcessPeak(1000)
			}
		})
	}
	wg.Wait()
	r.ProcessPeak(10)
	rep := r.Report()
	if rep.Time[OCG] != 200*time.Microsecond || rep.Units[1].Time[OCG] != 100*time.Microsecond || rep.Units[0].Entry != "a" ||
		rep.Peak != 1000 || rep.Sums.Peak[OCG] != 50 || rep.Time[Parse] < 2*time.Millisecond || rep.Wall < rep.Time[Parse] {
		t.Errorf("%+v", rep)
	}
	if (&Report{}).timeBlock(true) == "" {
		t.Error("an empty report")
	}
	t.Logf("wall %v, cpu %v", rep.Wall, rep.CPU)
}

func TestFile(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteFile(&b, "k.ptx", Want{Time: true, Detailed: true}); err != nil {
		t.Fatal(err)
	}
	want := "k.ptx >>\n\nCompileTime = 9.095000 ms\n\nCompile-unit with entry k\n\tTotal Compile-Unit time        = 1.563 ms\n"
	if b.String() != want {
		t.Errorf("got %q want %q", b.String(), want)
	}
}

// shape replaces every number, so that only the form is left.
func shape(s string) string {
	var b strings.Builder
	in := false
	for i, c := range s {
		digit := c >= '0' && c <= '9'
		// The digits of the name k1 are not a measurement.
		if !digit && c != '.' || i > 0 && s[i-1] == 'k' {
			in = false
			b.WriteRune(c)
			continue
		}
		if !in {
			b.WriteRune('#')
		}
		in = true
	}
	return b.String()
}

// TestReference compares the form with what the installed reference prints.
func TestReference(t *testing.T) {
	tools := oracle.Find(t)
	dir := t.TempDir()
	in := filepath.Join(dir, "two.ptx")
	body := "(){ ret; }\n"
	if err := os.WriteFile(in, []byte(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k1"+body+".visible .entry k2"+body), 0o666); err != nil {
		t.Fatal(err)
	}
	combos := 0
	for bits := range 16 {
		w := Want{bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0}
		var words []string
		for i, name := range []string{"time", "memory", "phase-wise", "detailed"} {
			if bits>>i&1 != 0 {
				words = append(words, name)
			}
		}
		if len(words) == 0 {
			continue
		}
		res := tools.Ptxas("-arch=sm_75", in, "-o", filepath.Join(dir, "out"), "--compiler-stats="+strings.Join(words, ","))
		want := res.Stderr
		r := sample()
		r.Units[0].Entry = "k1"
		r.Units = append(r.Units, r.Units[0])
		r.Units[1].Entry = "k2"
		got := ""
		for _, b := range r.Blocks(w) {
			got += "ptxas info    : STAT: " + b
		}
		if shape(got) != shape(want) {
			t.Errorf("%v: got\n%s\nwant\n%s", words, got, want)
		}
		combos++
	}
	t.Logf("%d combinations have the reference's form", combos)
}

func TestShape(t *testing.T) {
	if got := shape("k1 = 12.5 ms (3%)"); got != "k1 = # ms (#%)" {
		t.Error(got)
	}
}
