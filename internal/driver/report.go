package driver

import (
	"fmt"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/target"
)

// Bank is the use of one constant bank.
type Bank struct {
	Bank  int
	Bytes int
}

// Frame is the stack use of a function, in bytes.
type Frame struct {
	Stack, SpillStores, SpillLoads int
}

// Usage is what one kernel needs of the machine.
type Usage struct {
	Registers, Barriers          int
	CumulativeStack, Shared      int
	Consts                       []Bank
	Textures, Surfaces, Samplers int
}

// Block is the part of the -v report about one kernel or function.
type Block struct {
	Name   string
	Entry  bool
	Frame  Frame
	Usage  Usage           // kernels only
	Time   time.Duration   // negative: no line
	Callee []FunctionFrame // functions kept inside a whole program
}

// FunctionFrame is the stack use of a function that belongs to a kernel.
type FunctionFrame struct {
	Name  string
	Frame Frame
}

// The report follows the reference, which counts constant banks and textures
// for older chips only.

// moduleLine returns the text about the memory of the whole module.
func moduleLine(global int, consts []Bank, arch *target.Arch) string {
	text := fmt.Sprintf("%d bytes gmem", global)
	if arch.Has(target.BanksReported) {
		text = appendBanks(text, consts)
	}
	return text
}

// lines returns the texts of a block's report, each the body of one info
// message; the stack line belongs to the message before it.
func (b *Block) lines(arch *target.Arch) []string {
	var out []string
	if b.Entry {
		out = append(out, fmt.Sprintf("Compiling entry function '%s' for '%s'", b.Name, arch.Name))
	}
	out = append(out, frameLines(b.Name, b.Frame))
	if b.Entry {
		out = append(out, b.Usage.line(arch))
	}
	if b.Time >= 0 {
		out = append(out, fmt.Sprintf("Compile time = %.3f ms", millis(b.Time)))
	}
	for _, f := range b.Callee {
		out = append(out, frameLines(f.Name, f.Frame))
	}
	return out
}

// Facts are the numbers of a kernel's report, for programs.
type Facts struct {
	Function     string  `json:"function"`
	Registers    int     `json:"registers"`
	Barriers     int     `json:"barriers"`
	Stack        int     `json:"stackBytes"`
	SpillStores  int     `json:"spillStoreBytes"`
	SpillLoads   int     `json:"spillLoadBytes"`
	Shared       int     `json:"sharedBytes"`
	Code         int     `json:"codeBytes"`
	Milliseconds float64 `json:"milliseconds"`
}

// facts returns the numbers that go with a line of the report: all of them
// with the line about registers, none with the others.
func (b *Block) facts(line string, code int) any {
	if !b.Entry || line != "" && !strings.HasPrefix(line, "Used ") {
		return nil
	}
	f := b.numbers(code)
	return &f
}

// numbers returns the facts of a kernel.
func (b *Block) numbers(code int) Facts {
	return Facts{
		Function: b.Name, Registers: b.Usage.Registers, Barriers: b.Usage.Barriers, Stack: b.Frame.Stack,
		SpillStores: b.Frame.SpillStores, SpillLoads: b.Frame.SpillLoads, Shared: b.Usage.Shared, Code: code, Milliseconds: millis(b.Time),
	}
}

func frameLines(name string, f Frame) string {
	return fmt.Sprintf("Function properties for %s\n    %d bytes stack frame, %d bytes spill stores, %d bytes spill loads",
		name, f.Stack, f.SpillStores, f.SpillLoads)
}

// line returns the resources of a kernel: registers and barriers always,
// the rest where there is any, in this order.
func (u *Usage) line(arch *target.Arch) string {
	text := fmt.Sprintf("Used %d registers, used %d barriers", u.Registers, u.Barriers)
	text = appendCount(text, u.CumulativeStack, "bytes cumulative stack size")
	text = appendCount(text, u.Shared, "bytes smem")
	if !arch.Has(target.BanksReported) {
		return text
	}
	text = appendBanks(text, u.Consts)
	text = appendCount(text, u.Textures, "textures")
	text = appendCount(text, u.Surfaces, "surfaces")
	return appendCount(text, u.Samplers, "samplers")
}

func appendCount(text string, n int, what string) string {
	if n == 0 {
		return text
	}
	return fmt.Sprintf("%s, %d %s", text, n, what)
}

func appendBanks(text string, banks []Bank) string {
	for _, b := range banks {
		text = appendCount(text, b.Bytes, fmt.Sprintf("bytes cmem[%d]", b.Bank))
	}
	return text
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
