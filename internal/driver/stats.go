package driver

import (
	"fmt"
	"os"
	"strings"
	"time"

	"goptxas/internal/driver/cli"
)

// Step names one of the stages whose time and memory the statistics show.
type Step uint8

// The stages, in the order of the report.
const (
	StepParse Step = iota
	StepSetup
	StepDAG
	StepOCG
	StepELF
	StepDebug
	numSteps
)

var stepNames = [numSteps]struct{ time, memory string }{
	StepParse: {"Parse-time", "PeakParserMemoryUsage"},
	StepSetup: {"CompileUnitSetup-time", "PeakCompileUnitSetupMemoryUsage"},
	StepDAG:   {"DAGgen-time", "PeakDAGgenMemoryUsage"},
	StepOCG:   {"OCG-time", "PeakOCGMemoryUsage"},
	StepELF:   {"ELF-time", "PeakELFMemoryUsage"},
	StepDebug: {"DebugInfo-time", "PeakDebugInfoMemoryUsage"},
}

// Cost is time and peak memory, in all and by stage.
type Cost struct {
	Time   time.Duration
	Memory int64
	Steps  [numSteps]struct {
		Time   time.Duration
		Memory int64
	}
}

// UnitCost is the cost of one kernel, or of one function compiled alone.
type UnitCost struct {
	Name string
	Cost
}

// statsWanted is what --compiler-stats asked for.
type statsWanted struct {
	time, memory, phases, detail bool
}

func wanted(items []string) (w statsWanted) {
	for _, it := range items {
		switch it[0] {
		case 't':
			w.time = true
		case 'm':
			w.memory = true
		case 'p':
			w.phases = true
		case 'd':
			w.detail = true
		}
	}
	return w
}

// statTexts returns the statistics as the bodies of info messages, in the
// reference's layout, blank lines included.
func statTexts(w statsWanted, all *Cost, units []UnitCost) []string {
	var out []string
	if w.time {
		out = append(out, timeText(w, all))
	}
	if w.memory {
		out = append(out, memoryText(w, all))
	}
	if w.detail && (w.time || w.memory) {
		var b strings.Builder
		b.WriteString("\n")
		for i := range units {
			units[i].write(&b, w)
		}
		out = append(out, strings.TrimSuffix(b.String(), "\n"))
	}
	return out
}

func timeText(w statsWanted, c *Cost) string {
	text := fmt.Sprintf("CompileTime = %f ms", millis(c.Time))
	if !w.phases {
		return text
	}
	text += " (100%)\n"
	for s, n := range stepNames {
		share := 0.0
		if c.Time > 0 {
			share = 100 * float64(c.Steps[s].Time) / float64(c.Time)
		}
		text += fmt.Sprintf("%-22s: %.3f ms (%.2f%%)\n", n.time, millis(c.Steps[s].Time), share)
	}
	return text
}

func memoryText(w statsWanted, c *Cost) string {
	text := fmt.Sprintf("PeakMemoryUsage = %.3f KB", kilobytes(c.Memory))
	if !w.phases {
		return text
	}
	text += "\n"
	for s, n := range stepNames {
		text += fmt.Sprintf("%-32s: %.3f KB\n", n.memory, kilobytes(c.Steps[s].Memory))
	}
	return text
}

// unitSteps are the stages that a single kernel goes through.
var unitSteps = [...]Step{StepDAG, StepOCG, StepELF}

func (u *UnitCost) write(b *strings.Builder, w statsWanted) {
	fmt.Fprintf(b, "Compile-unit with entry %s\n", u.Name)
	if w.time {
		fmt.Fprintf(b, "\tTotal Compile-Unit time        = %.3f ms\n", millis(u.Time))
		if w.phases {
			for _, s := range unitSteps {
				fmt.Fprintf(b, "\t\t%-23s: %.3f ms\n", stepNames[s].time, millis(u.Steps[s].Time))
			}
			b.WriteString("\n")
		}
	}
	if w.memory {
		fmt.Fprintf(b, "\tPeak Compile-Unit memory usage = %.3f KB\n", kilobytes(u.Memory))
		if w.phases {
			for _, s := range unitSteps {
				fmt.Fprintf(b, "\t\t%-23s: %.3f KB\n", stepNames[s].memory, kilobytes(u.Steps[s].Memory))
			}
			b.WriteString("\n")
		}
	}
}

func kilobytes(n int64) float64 { return float64(n) / 1024 }

// appendStats adds the statistics of a run to a file, headed by the name of
// the input.
func appendStats(name, input string, texts []string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return cli.Faultf("Output file '%s' could not be opened", name)
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s >>\n\n%s\n", input, strings.Join(texts, "\n"))
	return err
}
