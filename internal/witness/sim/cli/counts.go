package cli

import (
	"os"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// wordBytes is the size of an instruction.
const wordBytes = 16

// countSteps bounds a run that is only counted.
const countSteps = 50_000_000

// Counts runs the launches that a file describes and returns how often each
// instruction of each kernel was issued, by warps.
func Counts(file []byte, desc string) (map[string][]uint64, error) {
	text, err := os.ReadFile(desc)
	if err != nil {
		return nil, err
	}
	list, err := launch.Parse(string(text))
	if err != nil {
		return nil, err
	}
	m, err := sim.Load(file)
	if err != nil {
		return nil, err
	}
	counts := map[string][]uint64{}
	for n := range list {
		p, err := m.Kernel(list[n].Kernel)
		if err != nil {
			return nil, err
		}
		c, err := p.Prepare(&list[n], nil)
		if err != nil {
			return nil, err
		}
		c.Launch.MaxSteps = countSteps
		c.Launch.Hook = func(e *sim.Event) error {
			name := strings.TrimPrefix(e.Section(), ".text.")
			at := int(e.PC() / wordBytes)
			for len(counts[name]) <= at {
				counts[name] = append(counts[name], 0)
			}
			counts[name][at]++
			return nil
		}
		if _, err := p.Run(&c.Launch); err != nil {
			return nil, err
		}
	}
	return counts, nil
}
