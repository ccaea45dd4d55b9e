// Package stats holds what --compiler-stats shows: the time and the memory of
// the six stages of a compile, for the whole and for each compile unit, in the
// form the reference prints them.
package stats

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Stage is one of the timed stages of a compile.
type Stage uint8

// The stages, in the order they are shown.
const (
	Parse     Stage = iota // text to checked module
	Setup                  // target, ABI, register limits
	DAGgen                 // lowering to Ori
	OCG                    // all phases, register allocation, scheduling, encoding
	ELF                    // the file
	DebugInfo              // DWARF
	NumStages
)

// timeNames and peakNames are padded as the reference pads them.
var timeNames = [NumStages]string{
	"Parse-time            ", "CompileUnitSetup-time ", "DAGgen-time           ",
	"OCG-time              ", "ELF-time              ", "DebugInfo-time        ",
}

var peakNames = [NumStages]string{
	"PeakParserMemoryUsage           ", "PeakCompileUnitSetupMemoryUsage ", "PeakDAGgenMemoryUsage           ",
	"PeakOCGMemoryUsage              ", "PeakELFMemoryUsage              ", "PeakDebugInfoMemoryUsage        ",
}

// unitStages are the stages a compile unit has.
var unitStages = [...]Stage{DAGgen, OCG, ELF}

// Sums holds the time and the peak memory of each stage.
type Sums struct {
	Time [NumStages]time.Duration
	Peak [NumStages]int64 // bytes
}

// Unit is one compile unit: an entry and what it calls.
type Unit struct {
	Entry string
	Sums
	Total time.Duration
	Peak  int64 // bytes in use by the process at the unit's highest
}

// Report is all that is known after a compile.
type Report struct {
	Sums
	Begun time.Time
	Wall  time.Duration
	CPU   time.Duration // of all threads, user and system
	Peak  int64         // bytes
	Units []Unit        // in source order
}

// Want says which statistics to print.
type Want struct{ Time, Memory, PhaseWise, Detailed bool }

// ParseWant reads the values of --compiler-stats.
func ParseWant(values []string) (Want, error) {
	var w Want
	for _, v := range values {
		switch v {
		case "time", "t":
			w.Time = true
		case "memory", "m":
			w.Memory = true
		case "phase-wise", "p":
			w.PhaseWise = true
		case "detailed", "d":
			w.Detailed = true
		default:
			return w, &ValueError{v}
		}
	}
	return w, nil
}

// ValueError says that --compiler-stats does not know a value.
type ValueError struct{ Value string }

// Error returns the message in the reference's words.
func (e *ValueError) Error() string {
	return fmt.Sprintf("Value '%s' is not defined for option 'compiler-stats'", e.Value)
}

// Blocks returns the texts to show, each without the "STAT: " that heads it on
// the terminal and each ending in a newline.
func (r *Report) Blocks(w Want) []string {
	var out []string
	if w.Time {
		out = append(out, r.timeBlock(w.PhaseWise))
	}
	if w.Memory {
		out = append(out, r.memoryBlock(w.PhaseWise))
	}
	if w.Detailed && (w.Time || w.Memory) {
		var b strings.Builder
		b.WriteString("\n")
		for i := range r.Units {
			r.Units[i].write(&b, w)
		}
		out = append(out, b.String())
	}
	return out
}

func (r *Report) timeBlock(phases bool) string {
	var b strings.Builder
	// The reference holds this number in single precision, and shows it.
	fmt.Fprintf(&b, "CompileTime = %f ms", float32(ms(r.Wall)))
	if !phases {
		return b.String() + "\n"
	}
	b.WriteString(" (100%)\n")
	for s := range NumStages {
		fmt.Fprintf(&b, "%s: %.3f ms (%.2f%%)\n", timeNames[s], ms(r.Time[s]), percent(r.Time[s], r.Wall))
	}
	return b.String() + "\n"
}

func (r *Report) memoryBlock(phases bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "PeakMemoryUsage = %.3f KB\n", kb(r.Peak))
	if !phases {
		return b.String()
	}
	for s := range NumStages {
		fmt.Fprintf(&b, "%s: %.3f KB\n", peakNames[s], kb(r.Sums.Peak[s]))
	}
	return b.String() + "\n"
}

func (u *Unit) write(b *strings.Builder, w Want) {
	fmt.Fprintf(b, "Compile-unit with entry %s\n", u.Entry)
	if w.Time {
		fmt.Fprintf(b, "\tTotal Compile-Unit time        = %.3f ms\n", ms(u.Total))
		if w.PhaseWise {
			for _, s := range unitStages {
				fmt.Fprintf(b, "\t\t%-23s: %.3f ms\n", strings.TrimRight(timeNames[s], " "), ms(u.Time[s]))
			}
			b.WriteString("\n")
		}
	}
	if w.Memory {
		fmt.Fprintf(b, "\tPeak Compile-Unit memory usage = %.3f KB\n", kb(u.Peak))
		if w.PhaseWise {
			for _, s := range unitStages {
				fmt.Fprintf(b, "\t\t%-23s: %.3f KB\n", strings.TrimRight(peakNames[s], " "), kb(u.Sums.Peak[s]))
			}
			b.WriteString("\n")
		}
	}
}

// WriteFile writes the statistics of the inputs as --compiler-stats-file holds
// them.
func (r *Report) WriteFile(w io.Writer, inputs string, want Want) error {
	_, err := fmt.Fprintf(w, "%s >>\n\n%s", inputs, strings.Join(r.Blocks(want), ""))
	return err
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

func kb(n int64) float64 { return float64(n) / 1024 }

func percent(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// Recorder collects a Report while the compile runs. Its methods may be called
// from any goroutine.
type Recorder struct {
	start time.Time
	cpu   time.Duration

	mu    sync.Mutex
	sums  Sums
	peak  int64
	units []*UnitRecorder
}

// UnitRecorder collects the part of one compile unit.
type UnitRecorder struct {
	r    *Recorder
	unit Unit // guarded by r.mu
}

// NewRecorder starts the clocks.
func NewRecorder() *Recorder { return &Recorder{start: time.Now(), cpu: CPUTime()} }

// Start begins a stage of the whole compile; stop ends it.
func (r *Recorder) Start(s Stage) (stop func()) {
	begun := time.Now()
	return func() { r.AddTime(s, time.Since(begun)) }
}

// AddTime adds to the time of a stage.
func (r *Recorder) AddTime(s Stage, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sums.Time[s] += d
}

// AddPeak says that a stage used n bytes at its highest.
func (r *Recorder) AddPeak(s Stage, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sums.Peak[s] = max(r.sums.Peak[s], n)
}

// ProcessPeak says that the compile used n bytes at its highest.
func (r *Recorder) ProcessPeak(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peak = max(r.peak, n)
}

// Unit opens a compile unit. Units are shown in the order they were opened.
func (r *Recorder) Unit(entry string) *UnitRecorder {
	u := &UnitRecorder{r: r, unit: Unit{Entry: entry}}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.units = append(r.units, u)
	return u
}

// AddTime adds to the time of a stage, for the unit and for the whole.
func (u *UnitRecorder) AddTime(s Stage, d time.Duration) {
	u.r.mu.Lock()
	defer u.r.mu.Unlock()
	u.unit.Time[s] += d
	u.unit.Total += d
	u.r.sums.Time[s] += d
}

// Count adds to the time of a stage for the unit alone: the whole already
// counts it.
func (u *UnitRecorder) Count(s Stage, d time.Duration) {
	u.r.mu.Lock()
	defer u.r.mu.Unlock()
	u.unit.Time[s] += d
	u.unit.Total += d
}

// AddPeak says that a stage of the unit used n bytes at its highest.
func (u *UnitRecorder) AddPeak(s Stage, n int64) {
	u.r.mu.Lock()
	defer u.r.mu.Unlock()
	u.unit.Sums.Peak[s] = max(u.unit.Sums.Peak[s], n)
	u.r.sums.Peak[s] = max(u.r.sums.Peak[s], n)
}

// ProcessPeak says that the compile used n bytes at its highest while the unit
// was compiled.
func (u *UnitRecorder) ProcessPeak(n int64) {
	u.r.mu.Lock()
	defer u.r.mu.Unlock()
	u.unit.Peak = max(u.unit.Peak, n)
	u.r.peak = max(u.r.peak, n)
}

// Report stops the clocks and returns what was collected.
func (r *Recorder) Report() *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &Report{Sums: r.sums, Begun: r.start, Wall: time.Since(r.start), CPU: CPUTime() - r.cpu, Peak: r.peak}
	for _, u := range r.units {
		out.Units = append(out.Units, u.unit)
	}
	return out
}
