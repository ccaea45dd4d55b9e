package driver

import (
	"io"
	"os"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/driver/messages"
	"github.com/goptxas/goptxas/internal/engine/diag"
)

// messageOptions chooses how messages look: as the line asks, else with the
// source under them on a terminal, and as the reference writes them where a
// program reads them.
func messageOptions(line *cli.Line, out io.Writer) diag.Options {
	o := diag.Options{Explain: messages.Explain}
	terminal := isTerminal(out)
	switch line.Text(cli.Diagnostics, "") {
	case "json":
		o.Form = diag.JSON
	case "pretty":
		o.Form = diag.Pretty
	case "":
		if terminal {
			o.Form = diag.Pretty
		}
	}
	o.Colour = o.Form == diag.Pretty && terminal && os.Getenv("NO_COLOR") == ""
	return o
}

// isTerminal reports whether a person reads what is written to out.
func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	st, err := f.Stat()
	if err != nil || st.Mode()&(os.ModeDevice|os.ModeCharDevice) != os.ModeDevice|os.ModeCharDevice || f.Name() == os.DevNull {
		return false
	}
	null, err := os.Stat(os.DevNull) // which standard error may be
	return err != nil || !os.SameFile(st, null)
}
