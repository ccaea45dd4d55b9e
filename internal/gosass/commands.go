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
	{"arg", "A", "one argument, in order: buf:BYTES[:FILL[:SEED]], or u8 u16 u32 s32 u64 s64 f32 f64 with a value, as f32:2.5, or tex and surf, as tex:2d:16x8:f32x4:whole:linear"},
	{"as", "TYPE", "print buffers as f32, f64, u32, s32, u64, x32 or x8"},
	{"n", "N", "elements of each buffer to print (8)"},
	{"trace", "", "print every instruction of every warp with its result"},
	{"timed", "", "results arrive as late as they may; report early reads"},
	{"paths", "N", "where lanes part, this seed picks those that run first (0: those that do not jump)"},
	{"async", "WHEN", "asynchronous work is early, late or seed:N; report what no rule orders"},
	{"quick", "", "no second, timed run for the estimate of cycles"},
	{"cost", "", "print only about how many cycles a multiprocessor takes for its blocks, and a hash of the buffers: for goptxas --search-with"},
	{"fill", "", "with -cost: the blocks stand for a grid that fills the machine, so that as many as fit share a multiprocessor"},
	{"max", "N", "give up after this many warp instructions"},
	{"cta", "X,Y,Z", "debug: the block to step through (0)"},
	{"warp", "N", "debug: its warp (0)"},
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
	{"help", "[COMMAND]", "List the commands, or print how one is called and what its flags mean.", nil},
}

const helpWidth = 90

// writeUsage lists the commands with what each does.
func writeUsage(w io.Writer) {
	fmt.Fprint(w, "usage: gosass COMMAND [FLAGS] FILE...; - is the standard input\n\n")
	for i := range Commands {
		c := &Commands[i]
		writeWrapped(w, strings.Fields(c.Help), fmt.Sprintf("  %-12s", c.Name), "              ")
	}
	fmt.Fprint(w, "\ngosass help COMMAND explains one of them, gosass man gosass all.\n")
}

// commandOf returns the command of a name, or nil.
func commandOf(name string) *Command {
	for i := range Commands {
		if Commands[i].Name == name {
			return &Commands[i]
		}
	}
	return nil
}

// call says how a command is called.
func (c *Command) call() string {
	words := []string{"usage: gosass", c.Name}
	if len(c.Flags) > 0 {
		words = append(words, "[FLAGS]")
	}
	if c.Args != "" {
		words = append(words, c.Args)
	}
	return strings.Join(words, " ")
}

// WriteCommand prints how a command is called, what it does and what its
// flags mean.
func WriteCommand(w io.Writer, name string) {
	c := commandOf(name)
	if c == nil {
		writeUsage(w)
		return
	}
	fmt.Fprintf(w, "%s\n\n", c.call())
	writeWrapped(w, strings.Fields(c.Help), "", "")
	if len(c.Flags) > 0 {
		fmt.Fprintln(w)
	}
	for _, f := range c.Flags {
		head := fmt.Sprintf("  -%-18s", strings.TrimSuffix(f.Name+" "+f.Arg, " "))
		writeWrapped(w, strings.Fields(f.Help), head, strings.Repeat(" ", len(head)))
	}
}

// WriteWrong says what is wrong with a command line, and how the command is
// called.
func WriteWrong(w io.Writer, name, what string) {
	fmt.Fprintf(w, "gosass: %s\n", what)
	if c := commandOf(name); c != nil {
		fmt.Fprintf(w, "%s\ngosass help %s explains it\n", c.call(), name)
		return
	}
	fmt.Fprint(w, "gosass help lists the commands\n")
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
