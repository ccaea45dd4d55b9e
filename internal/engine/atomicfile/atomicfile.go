// Package atomicfile writes output files that are there whole or not at all.
//
// The bytes go to a temporary file in the folder of the target and take the
// target's name in one step. Whatever ends the process, a reader finds the old
// file or the new one; nothing is synced, so when the machine itself stops the
// contents are as lost as those of any other compiler. On Linux the temporary file has no name while it
// is written; a new target gets its name directly, and only replacing an old one
// needs a second, hidden name for a moment. A process killed in that moment, or
// elsewhere at any time while writing, leaves that hidden name, which the next
// Create for the same target removes. Where files cannot be without a name, such
// as on network file systems, the file is closed before it is renamed, which is
// when such systems tell that there was no room.
//
// A target that is not a regular file, such as /dev/null or a fifo, cannot be
// replaced; it is opened at once and written to at Commit.
package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
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
	if err != nil || st != nil { // else no hidden name was ever needed
		sweep(target)
	}
	if err != nil {
		w.named = tempName(target)
		w.f, err = os.OpenFile(w.named, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
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
		err = w.f.Close()
	}
	if err == nil && w.named == "" {
		if linkUnnamed(w.f, w.target) == nil {
			w.over = true
			return w.f.Close()
		}
		// Most likely the target exists, and a link cannot replace it.
		name := tempName(w.target)
		if err = linkUnnamed(w.f, name); err == nil {
			w.named = name
		}
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
	err := w.f.Close()
	if errors.Is(err, fs.ErrClosed) {
		err = nil
	}
	if w.named != "" {
		err = errors.Join(err, os.Remove(w.named))
	}
	return err
}

// tempSuffix ends the names of temporary files.
const tempSuffix = ".tmp"

// tempName returns a hidden name beside target that no other writer has: it
// holds the machine, the process and the time.
func tempName(target string) string {
	dir, base := filepath.Split(target)
	return filepath.Join(dir, fmt.Sprintf(".%s.%s.%d.%x%s", base, machine(), os.Getpid(), time.Now().UnixNano(), tempSuffix))
}

// machine names the space of process numbers this process lives in.
func machine() string {
	host, _ := os.Hostname()                     // "" serves as well
	space, _ := os.Readlink("/proc/self/ns/pid") // the same
	h := fnv.New32a()
	_, _ = io.WriteString(h, host+"\x00"+space) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}

// staleAge is how old a temporary file from another machine or container must
// be to be removed: nobody can tell from here whether its process lives.
const staleAge = 24 * time.Hour

// sweep removes temporary files for target that killed processes left.
func sweep(target string) {
	dir, base := filepath.Split(target)
	prefix := "." + base + "."
	folder, err := os.Open(cmp.Or(dir, "."))
	if err != nil {
		return
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return
	}
	here := ""
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || !strings.HasSuffix(name, tempSuffix) {
			continue
		}
		part := strings.Split(rest, ".")
		if len(part) != 4 {
			continue // not a name of ours
		}
		if here == "" {
			here = machine()
		}
		name = filepath.Join(dir, name)
		pid, err := strconv.Atoi(part[1])
		st, serr := os.Stat(name)
		if err != nil || serr != nil {
			continue
		}
		if part[0] == here && !isAlive(pid) || time.Since(st.ModTime()) > staleAge {
			_ = os.Remove(name) // somebody else may have been faster
		}
	}
}
