package gosass

import (
	"fmt"
	"io"
	"strings"
)

// Flag is a flag of a command.
type Flag struct {
	Name string // without its dash
	Arg  string // name of its value; "" for a switch
	Help string
}

// Command is one of the commands of gosass, for help, manual pages and completion.
type Command struct {
	Name  string
	Args  string
	Help  string
	Flags []Flag
}

var archFlag = Flag{"arch", "SM", "the GPU, such as sm_90a"}

// launchFlags are those of run and debug.
var launchFlags = []Flag{
	{"desc", "FILE.ptx", "launches from the comments \"//: run …\" of a PTX file"},
	archFlag,
	{"lineinfo", "", "compile PTX with line information"},
	{"kernel", "K", "the kernel; not needed when there is only one"},
	{"grid", "X,Y,Z", "blocks"},
	{"block", "X,Y,Z", "threads of a block"},
	{"smem", "N", "bytes of dynamic shared memory"},
	{"arg", "A", "one argument, in order, such as buf:4096:f32 or u32:7"},
	{"as", "TYPE", "print buffers as f32, f64, u32, s32, u64, x32 or x8"},
	{"n", "N", "elements of each buffer to print"},
	{"trace", "", "print every instruction of every warp with its result"},
	{"timed", "", "results arrive as late as they may; report early reads"},
	{"paths", "N", "where lanes part, a seed picks those that run first"},
	{"async", "WHEN", "asynchronous work is early, late or seed:N"},
	{"quick", "", "no second, timed run"},
	{"max", "N", "give up after this many warp instructions"},
	{"cta", "X,Y,Z", "debug: the block to step through"},
	{"warp", "N", "debug: its warp"},
}

// Commands lists every command.
var Commands = [...]Command{
	{"dis", "FILE", "Print a cubin, or the one inside a fat binary or host object, as a source that asm turns into the same file; PTX is compiled first.", []Flag{
		{"c", "", "the code alone, as nvdisasm -c prints it"},
		{"hex", "", "the words of each instruction"},
		{"ctrl", "", "the control column"},
		{"g", "", "source lines above the code, as nvdisasm -g prints them"},
		{"gi", "", "the same with where functions were inlined"},
		{"json", "", "the code as JSON, in the schema of nvdisasm"},
		{"cfg", "", "the control flow graph, for Graphviz"},
		{"lrm", "", "registers live at each instruction"},
		{"f", "KERNEL", "one function"},
		{"raw", "", "the input is words without a file around them"},
		{"alone", "", "raw words as if each stood at address 0"},
		{"base", "ADDR", "address of the first raw word"},
		archFlag,
	}},
	{"asm", "FILE.sass", "Assemble a source, or kernels written by hand.", []Flag{archFlag, {"o", "FILE", "the cubin, or raw words where it ends in .bin"}}},
	{"diff", "FILE FILE", "Compare two cubins, function by function.", []Flag{{"a", "", "align the instructions of functions that differ"}}},
	{"info", "FILE", "The resources of each function.", []Flag{{"json", "", "as JSON, with occupancy and instruction mix"}}},
	{"view", "FILE.ptx", "Compile PTX and write one page that shows every phase, the code and its schedule.", []Flag{archFlag, {"o", "PAGE.html", "the page"}, {"desc", "FILE", "run these launches in the simulator and show what is hot"}}},
	{"fmt", "FILE.ptx...", "Lay PTX out anew; comments stay.", []Flag{{"l", "", "list the files that would change"}, {"w", "", "write the files back"}}},
	{"ori", "FILE.ori", "Read a dump of a phase, as text or records, check it and print it as text.", nil},
	{"bisect", "-- COMMAND ARGS...", "Find the rewrites of the compiler that break a program: COMMAND compiles and judges, exit status 0 means right. Exit status 1 when they are found.", []Flag{{"v", "", "show each try and what the command prints"}}},
	{"check", "FILE.cubin...", "Judge stalls, barriers and waits by what the reference was seen to do; exit status 1 when something could come too early.", []Flag{archFlag, {"max", "N", "findings to print for each file (20)"}}},
	{"run", "FILE", "Run kernels in the simulator.", launchFlags},
	{"debug", "FILE", "Step through kernels in the simulator.", launchFlags},
	{"completion", "bash|zsh|fish", "Print what completes the words of goptxas and gosass in a shell.", nil},
	{"man", "goptxas|gosass", "Print a manual page.", nil},
	{"version", "", "Print the version.", nil},
	{"help", "", "Print how commands are called.", nil},
}

const helpWidth = 90

// writeUsage says how each command is called and what it does.
func writeUsage(w io.Writer) {
	fmt.Fprint(w, "usage: gosass COMMAND [FLAGS] FILE; - is the standard input\n")
	for i := range Commands {
		c := &Commands[i]
		words := []string{"gosass " + c.Name}
		for _, f := range c.Flags {
			words = append(words, strings.TrimSuffix("[-"+f.Name+" "+f.Arg, " ")+"]")
		}
		if c.Args != "" {
			words = append(words, c.Args)
		}
		fmt.Fprintln(w)
		writeWrapped(w, words, "  ", "         ")
		writeWrapped(w, strings.Fields(c.Help), "      ", "      ")
	}
	fmt.Fprint(w, "\ngosass man gosass explains the flags.\n")
}

// writeWrapped fills lines with words; the first line begins with first, the
// others with rest.
func writeWrapped(w io.Writer, words []string, first, rest string) {
	line := first + words[0]
	for _, x := range words[1:] {
		if len(line)+1+len(x) > helpWidth {
			fmt.Fprintln(w, line)
			line = rest + x
			continue
		}
		line += " " + x
	}
	fmt.Fprintln(w, line)
}
