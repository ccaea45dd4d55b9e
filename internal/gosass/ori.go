package gosass

import (
	"errors"
	"strings"

	"github.com/goptxas/goptxas/internal/ori"
)

// recordHead begins a dump in the record form.
const recordHead = "1IRO"

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
	var m *ori.Module
	if strings.HasPrefix(string(data[:min(len(data), len(recordHead))]), recordHead) {
		m, err = ori.ReadRecords(data)
	} else {
		m, err = ori.Parse(string(data))
	}
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
