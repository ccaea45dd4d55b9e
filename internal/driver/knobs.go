package driver

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/knobs"
)

// writeKnobs prints every knob with its kind, default and purpose.
func writeKnobs(out io.Writer) {
	for _, k := range knobs.New().Table() {
		if k.Name == "" {
			continue
		}
		def := k.Default
		if def == "" {
			def = "-"
		}
		fmt.Fprintf(out, "%-28s %-8s %-12s %s\n", k.Name, k.Kind, def, k.Doc)
	}
}

// readKnobs collects assignments: the environment first, then the command
// line, which wins.
func readKnobs(line *cli.Line) (*knobs.Set, *cli.Fault) {
	set := knobs.New()
	if text := os.Getenv(knobs.EnvName); text != "" {
		if err := set.SetEnv(text); err != nil {
			return nil, &cli.Fault{Text: knobs.EnvName + ": " + err.Error()}
		}
	}
	for _, a := range line.List(cli.Knob) {
		if err := assign(set, a); err != nil {
			return nil, &cli.Fault{Text: err.Error()}
		}
	}
	return set, nil
}

// assign obeys one --knob: an assignment, or @FILE with one a line.
func assign(set *knobs.Set, text string) error {
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return set.Assign(text)
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("knob file: %w", err)
	}
	defer f.Close()
	return set.ReadFile(name, f)
}
