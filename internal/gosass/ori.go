package gosass

import (
	"errors"

	"github.com/goptxas/goptxas/internal/ori"
)

// ori reads a dump that `goptxas --phase NAME/dump` wrote, in the text or the
// record form, checks it and prints its functions in the text form.
func (c *command) ori(args []string) error {
	if len(args) != 1 {
		return &usageError{"ori takes one file"}
	}
	data, err := c.read(args[0])
	if err != nil {
		return err
	}
	m, err := ori.Read(data)
	if err != nil {
		return err
	}
	if len(m.Funcs) == 0 {
		return errors.New("no function")
	}
	var out []byte
	for _, f := range m.Funcs {
		if err := f.Verify(ori.Built); err != nil {
			return err
		}
		out = f.Append(out)
	}
	_, err = c.out.Write(out)
	return err
}
