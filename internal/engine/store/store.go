// Package store keeps bytes under content keys in a folder that any number
// of processes share.
//
// An entry is one file, named by its key: a mark, the checksum of what
// follows, and that. It appears under its name in one step, so that a reader
// finds all of it or nothing; whoever finds anything else takes it for
// missing and removes it. Nothing is synced: what a crash tears apart, the
// checksum finds. The folder is kept below a size: now and then a process that
// writes removes what was not used for the longest time.
package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Key names an entry: a hash of all that its bytes depend on.
type Key [sha256.Size]byte

// Dir is a folder of entries. Any number of goroutines may use it.
type Dir struct {
	path    string
	limit   int64
	written atomic.Int64 // since the last look at the whole folder
	hits    atomic.Int64
	misses  atomic.Int64
}

// Open returns the store in a folder, which is made if there is none; limit
// is how many bytes it may hold.
func Open(path string, limit int64) (*Dir, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	return &Dir{path: path, limit: limit}, nil
}

const (
	mark   = "goptxas1"
	header = len(mark) + sha256.Size
)

// Suffix ends the names of entries: the first two digits of a key name a
// folder, the others and this a file in it.
const Suffix = ".entry"

func (d *Dir) file(k Key) string {
	name := hex.EncodeToString(k[:])
	return filepath.Join(d.path, name[:2], name[2:]+Suffix)
}

// fresh is how old the mark of the last use may be before it is renewed.
const fresh = time.Hour

// Get returns the bytes of an entry. A damaged one is removed.
func (d *Dir) Get(k Key) ([]byte, bool) {
	name := d.file(k)
	data, err := os.ReadFile(name)
	if err != nil {
		d.misses.Add(1)
		return nil, false
	}
	body, ok := unpack(data)
	if !ok {
		os.Remove(name) // another process may have been faster
		d.misses.Add(1)
		return nil, false
	}
	if st, err := os.Stat(name); err == nil {
		if now := time.Now(); now.Sub(st.ModTime()) > fresh {
			_ = os.Chtimes(name, now, now) // only an old entry is removed the sooner without it
		}
	}
	d.hits.Add(1)
	return body, true
}

func unpack(data []byte) ([]byte, bool) {
	if len(data) < header || string(data[:len(mark)]) != mark {
		return nil, false
	}
	body := data[header:]
	sum := sha256.Sum256(body)
	return body, bytes.Equal(sum[:], data[len(mark):header])
}

// Put keeps bytes under a key. Nothing depends on whether that succeeds: an
// entry that could not be written is made again when it is wanted.
func (d *Dir) Put(k Key, body []byte) {
	name := d.file(k)
	sum := sha256.Sum256(body)
	data := slices.Concat([]byte(mark), sum[:], body)
	if err := write(name, data); err != nil {
		return
	}
	if n := int64(len(data)); d.written.Add(n) > d.limit/16 {
		d.written.Store(0)
		d.Trim()
	}
}

// Take keeps an entry as another store wrote it, checksum and all; false
// means that it is damaged.
func (d *Dir) Take(k Key, entry []byte) bool {
	body, ok := unpack(entry)
	if ok {
		d.Put(k, body)
	}
	return ok
}

// write makes a whole file appear under a name.
func write(name string, data []byte) error {
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, "new-*")
	if os.IsNotExist(err) {
		if err = os.Mkdir(dir, 0o777); err != nil && !os.IsExist(err) {
			return err
		}
		f, err = os.CreateTemp(dir, "new-*")
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Counts returns how many entries were found and how many were not.
func (d *Dir) Counts() (hits, misses int64) { return d.hits.Load(), d.misses.Load() }

// abandoned is the age from which a file that never got its name is taken
// for the rest of a process that was killed.
const abandoned = time.Hour

// Trim removes the entries that were used the longest ago until the folder
// is clearly below its limit, and what killed processes left.
func (d *Dir) Trim() {
	type entry struct {
		name string
		size int64
		used time.Time
	}
	var list []entry
	total := int64(0)
	_ = filepath.WalkDir(d.path, func(name string, e fs.DirEntry, err error) error { // what cannot be read is not counted
		if err != nil || e.IsDir() {
			return nil
		}
		st, err := e.Info()
		switch {
		case err != nil: // gone meanwhile
		case strings.HasSuffix(name, Suffix):
			list = append(list, entry{name, st.Size(), st.ModTime()})
			total += st.Size()
		case strings.HasPrefix(e.Name(), "new-") && time.Since(st.ModTime()) > abandoned:
			os.Remove(name)
		}
		return nil
	})
	if total <= d.limit {
		return
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	for _, e := range list {
		if total <= d.limit-d.limit/8 {
			return
		}
		if os.Remove(e.name) == nil {
			total -= e.size
		}
	}
}
