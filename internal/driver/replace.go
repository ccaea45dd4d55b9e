package driver

import (
	"os"
	"path/filepath"

	"goptxas/internal/driver/cli"
)

// replaceFile writes data beside name and renames it into place, so that a
// run that dies leaves the old file or none, never half a one.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".goptxas-*")
	if name == "" || err != nil {
		if err == nil {
			f.Close()
			os.Remove(f.Name())
		}
		return unopened(name)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return cli.Faultf("Output file '%s' could not be written: %v", name, err)
	}
	return nil
}
