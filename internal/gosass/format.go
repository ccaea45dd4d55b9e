package gosass

import (
	"bytes"
	"flag"
	"fmt"

	"github.com/goptxas/goptxas/internal/ptx/syntax/format"
)

// format lays PTX files out anew: on the standard output, or in their place.
func (c *command) format(args []string) error {
	fs := flag.NewFlagSet("fmt", flag.ContinueOnError)
	write, list := fs.Bool("w", false, ""), fs.Bool("l", false, "")
	names, err := parse(fs, args)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		text, err := c.read(name)
		if err != nil {
			return err
		}
		out := format.Source(text)
		if *list && !bytes.Equal(out, text) {
			fmt.Fprintln(c.out, name)
		}
		switch {
		case *write && name != "-":
			if !bytes.Equal(out, text) {
				err = writeFile(name, out)
			}
		case !*list:
			_, err = c.out.Write(out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
