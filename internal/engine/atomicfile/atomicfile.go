// Package atomicfile writes output files that are there whole or not at all.
//
// The bytes go to a temporary file in the folder of the target and take the
// target's name in one step. Whatever ends the process, a reader finds the old
// file or the new one; nothing is synced, so when the machine itself stops the
// contents are as lost as those of any other compiler. On Linux the temporary file has no name while it
// is written; a new target gets its name directly, and only replacing an old one
// needs a second, hidden name for a moment. A process killed in that moment, or
// elsewhere at any time while writing, leaves that hidden name, which the next
// writer that needs it takes away: see takeName. Where files cannot be without a name, such
// as on network file systems, a second descriptor is closed before the file is renamed,
// which is when such systems tell that there was no room.
//
// A target that is not a regular file, such as /dev/null or a fifo, cannot be
// replaced; it is opened at once and written to at Commit.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// File is an output being written. Exactly one of Commit and Abort should end
// it; Abort after Commit does nothing, so it can be deferred.
type File struct {
	target string // what Commit replaces, symlinks resolved
	f      *os.File
	named  string // name of the temporary file; "" while it has none
	direct []byte // bytes for a target that cannot be replaced
	isDev  bool
	over   bool // Commit or Abort was called
	err    error
}

// Create starts writing the file at path. It fails at once, without leaving
// anything, when the folder is missing or read-only, or when the file exists
// and may not be written.
func Create(path string) (*File, error) {
	if path == "" {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrNotExist}
	}
	target, err := resolve(path)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(target)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && st.IsDir():
		return nil, &fs.PathError{Op: "create", Path: path, Err: syscall.EISDIR}
	case err == nil && (!st.Mode().IsRegular() || isDevice(target)):
		return openDirect(target)
	case err == nil:
		// Replacing needs no right to write the old file; writing in place
		// would, and users protect files that way.
		if err := mayWrite(target); err != nil {
			return nil, err
		}
	}
	mode := fs.FileMode(0o666)
	w := &File{target: target}
	w.f, err = openUnnamed(filepath.Dir(target), mode)
	if err != nil {
		w.named, err = takeName(target, func(name string) error { return w.open(name, mode) })
		if err != nil {
			return nil, err
		}
	}
	if st != nil {
		// The new file keeps the old one's permissions, as if written in place.
		if err := w.f.Chmod(st.Mode().Perm()); err != nil {
			return nil, errors.Join(err, w.Abort())
		}
	}
	return w, nil
}

// open makes the temporary file of a name, and holds it.
func (w *File) open(name string, mode fs.FileMode) (err error) {
	w.f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	hold(w.f)
	if !isNamed(w.f, name) { // somebody met it before it was held
		return errors.Join(fs.ErrExist, w.f.Close())
	}
	return nil
}

// isNamed reports whether the open file is the one of that name.
func isNamed(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, there)
}

// resolve follows symlinks, so that the file behind a link is replaced and the
// link stays.
func resolve(path string) (string, error) {
	if isDevice(path) {
		return path, nil
	}
	for range 40 {
		st, err := os.Lstat(path)
		if err != nil || st.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", &fs.PathError{Op: "create", Path: path, Err: syscall.ELOOP}
}

// isDevice reports whether path names a place where files are not to be
// replaced, whatever they are: /dev/stdout may lead to a regular file.
func isDevice(path string) bool {
	abs, err := filepath.Abs(path)
	return err == nil && (strings.HasPrefix(abs, "/dev/") && !strings.HasPrefix(abs, "/dev/shm/") || strings.HasPrefix(abs, "/proc/"))
}

func openDirect(target string) (*File, error) {
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	return &File{target: target, f: f, isDev: true}, nil
}

// Write adds bytes. After an error the file can only be aborted.
func (w *File) Write(b []byte) (int, error) {
	if w.over {
		return 0, fs.ErrClosed
	}
	if w.isDev {
		w.direct = append(w.direct, b...)
		return len(b), nil
	}
	n, err := w.f.Write(b)
	if err != nil {
		w.err = err
	}
	return n, err
}

// Commit makes the bytes written so far the contents of the target. On an error
// the target is as it was.
func (w *File) Commit() error {
	if w.over {
		return fs.ErrClosed
	}
	if w.isDev {
		w.over = true
		_, err := w.f.Write(w.direct)
		return errors.Join(err, w.f.Close())
	}
	err := w.err
	if err == nil && w.named != "" {
		err = flush(w.f)
	}
	if err == nil && w.named == "" {
		if linkUnnamed(w.f, w.target) == nil {
			w.over = true
			return w.f.Close()
		}
		// Most likely the target exists, and a link cannot replace it.
		hold(w.f)
		w.named, err = takeName(w.target, func(name string) error { return linkUnnamed(w.f, name) })
	}
	if err == nil {
		err = os.Rename(w.named, w.target)
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	w.over = true
	if err := w.f.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// Abort drops the bytes written so far and leaves the target as it was.
func (w *File) Abort() error {
	if w.over {
		return nil
	}
	w.over = true
	if w.named != "" {
		return drop(w.f, w.named)
	}
	return w.f.Close()
}
