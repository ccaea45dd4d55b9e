//go:build !unix

package atomicfile

import (
	"errors"
	"os"
)

// hold does nothing where nobody could ask.
func hold(*os.File) {}

// isAbandoned reports whether nobody holds f any more.
func isAbandoned(f *os.File) bool { return isStale(f) }

// flush ends writing to f: an open file may have no other name.
func flush(f *os.File) error { return f.Close() }

// drop removes a file that this process writes, of that name.
func drop(f *os.File, name string) error {
	err := f.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(err, os.Remove(name))
}

// mayWrite returns why the file may not be written.
func mayWrite(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
