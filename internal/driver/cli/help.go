package cli

import (
	"fmt"
	"io"
	"strings"
)

// OwnVersion is the version of goptxas itself.
const OwnVersion = "0.1"

// Release is the release of the reference whose behaviour goptxas has; host
// tools look for this text to learn what the assembler understands.
const Release = "release 13.0, V13.0.88"

// PTXVersions are the PTX versions the front end understands, oldest first.
var PTXVersions = [...]string{
	"1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "2.0", "2.1", "2.2", "2.3", "3.0", "3.1", "3.2",
	"4.0", "4.1", "4.2", "4.3", "5.0", "5.1", "6.0", "6.1", "6.2", "6.3", "6.4", "6.5",
	"7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8",
	"8.0", "8.1", "8.2", "8.3", "8.4", "8.5", "8.6", "8.7", "8.8", "9.0",
}

// WriteVersion prints who we are and which release we stand in for.
func WriteVersion(w io.Writer) {
	WriteVersionOf(w, "goptxas", "an open PTX assembler for NVIDIA GPUs")
}

// WriteVersionOf does so for one of the commands.
func WriteVersionOf(w io.Writer, name, what string) {
	fmt.Fprintf(w, "%s %s, %s\nCuda compilation tools, %s (compatible)\n", name, OwnVersion, what, Release)
}

// WritePTXVersions prints the known PTX versions, one a line.
func WritePTXVersions(w io.Writer) {
	for _, v := range PTXVersions {
		fmt.Fprintln(w, v)
	}
}

// usage is what stands above the options.
const usage = `
Usage  : goptxas [options] file.ptx ...     compile PTX to a cubin
         goptxas [options] file.ori         go on from a dump of a phase
         goptxas lsp [options]              a language server, on the standard streams
         goptxas serve -listen ADDRESS      a compile server

Several inputs become one module; - reads standard input.
Example: goptxas -arch=sm_90a -v -o k.cubin k.ptx
`

// WriteHelp prints every option under its heading.
func WriteHelp(w io.Writer) {
	fmt.Fprint(w, usage)
	for g := range groupTitles {
		fmt.Fprintf(w, "\n%s\n", groupTitles[g])
		for i := range Table {
			if o := &Table[i]; o.Group == Group(g) {
				writeOption(w, o)
			}
		}
	}
	fmt.Fprintln(w)
}

// GroupTitles returns the headings of the groups, in order.
func GroupTitles() []string { return groupTitles[:] }

// column is where the description starts; width where it ends.
const (
	column = 34
	width  = 100
)

func writeOption(w io.Writer, o *Option) {
	head := "  --" + o.Long
	if o.Short != "" {
		head = "  -" + o.Short
		if o.Short != o.Long {
			head += ", --" + o.Long
		}
	}
	if o.Arg != "" {
		head += " <" + o.Arg + ">"
	}
	text := o.Help
	if o.Default != "" {
		text += " Default: " + o.Default + "."
	}
	var b strings.Builder
	b.WriteString(head)
	at := len(head)
	if at > column-2 {
		b.WriteByte('\n')
		at = 0
	}
	for word := range strings.FieldsSeq(text) {
		switch {
		case at < column:
			b.WriteString(strings.Repeat(" ", column-at))
			at = column
		case at+1+len(word) > width:
			b.WriteString("\n" + strings.Repeat(" ", column))
			at = column
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	fmt.Fprintln(w, b.String())
}
