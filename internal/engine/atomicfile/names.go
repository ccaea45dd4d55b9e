package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// mostWriters is how many may write one target at once.
const mostWriters = 64

// takeName returns the hidden name beside target that make made a file of.
// There is one name for each writer of the same target at the same time, so
// that what a killed one left stands where the next writer comes by, without
// reading the folder. Writers hold their files until they are done (see hold);
// a file that nobody holds is removed.
func takeName(target string, make func(name string) error) (string, error) {
	dir, base := filepath.Split(target)
	var err error
	for n := range mostWriters {
		name := dir + "." + base + "." + strconv.Itoa(n) + ".tmp"
		err = make(name)
		if errors.Is(err, fs.ErrExist) && dropAbandoned(name) {
			err = make(name)
		}
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return "", err
}

// staleAge is how old a file must be that nobody writes any more, where that
// cannot be known.
const staleAge = 24 * time.Hour

func isStale(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && time.Since(st.ModTime()) > staleAge
}

// dropAbandoned removes the file of a name if nobody holds it, and reports
// whether the name is free.
func dropAbandoned(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	if !isAbandoned(f) || !isNamed(f, name) { // it may have become the target since
		return false
	}
	return os.Remove(name) == nil
}
