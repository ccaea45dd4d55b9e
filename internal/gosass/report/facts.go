package report

import (
	"encoding/json"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/target"
)

// Facts are what info -json says of a file.
type Facts struct {
	Arch      string          `json:"arch"`
	Kind      string          `json:"kind"`
	Functions []FunctionFacts `json:"functions"`
}

// FunctionFacts are what it says of a function.
type FunctionFacts struct {
	Name         string         `json:"name"`
	Kernel       bool           `json:"kernel"`
	Registers    int            `json:"registers"`
	Stack        uint32         `json:"stackBytes"`
	Barriers     int            `json:"barriers"`
	Shared       uint64         `json:"sharedBytes"`
	Code         int            `json:"codeBytes"`
	Instructions int            `json:"instructions"`
	Local        int            `json:"localAccesses"`
	Alive        [4]uint8       `json:"mostAlive"` // R, P, UR, UP
	Mix          map[string]int `json:"mix"`
	Occupancy    []Occupancy    `json:"occupancy"`
}

// Occupancy is how many warps run at once with blocks of a size.
type Occupancy struct {
	Threads int    `json:"threads"`
	Warps   int    `json:"warps"`
	Of      int    `json:"of"`
	Bound   string `json:"boundBy"`
}

// InfoJSON returns the resources, the occupancy and the mix of instructions
// of each function.
func InfoJSON(f *cubin.File) ([]byte, error) {
	list, err := dis.Analyse(f)
	if err != nil {
		return nil, err
	}
	out := Facts{Kind: dis.KindName(f.Kind), Functions: []FunctionFacts{}}
	for _, k := range f.Functions() {
		x := FunctionFacts{
			Name: k.Name, Kernel: k.Entry, Registers: k.Regs, Stack: k.MinStack, Barriers: k.Barriers,
			Shared: k.Shared, Code: len(k.Code), Mix: map[string]int{},
		}
		for _, a := range list {
			if a.Name == k.Name {
				out.Arch = a.Arch.Name
				x.count(a)
			}
		}
		out.Functions = append(out.Functions, x)
	}
	return json.MarshalIndent(&out, "", "  ")
}

// count adds what the code itself tells.
func (x *FunctionFacts) count(a *dis.Analysis) {
	x.Instructions = len(a.Lines)
	for i := range a.Lines {
		l := &a.Lines[i]
		x.Mix[l.Op]++
		if l.Local {
			x.Local++
		}
		for f, n := range l.Live {
			x.Alive[f] = max(x.Alive[f], n)
		}
	}
	for threads := 32; threads <= 1024; threads *= 2 {
		warps, bound := target.Occupancy(a.Arch, threads, x.Registers, int(x.Shared))
		x.Occupancy = append(x.Occupancy, Occupancy{threads, warps, a.Arch.Warps, bound})
	}
}
