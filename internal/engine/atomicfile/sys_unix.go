//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// hold keeps others from taking f for abandoned as long as this process has
// it open. Where the file system cannot say so, nobody is told that f is
// abandoned either.
func hold(f *os.File) { _ = lock(f, syscall.LOCK_EX) }

// isAbandoned reports whether nobody holds f any more, and holds it.
func isAbandoned(f *os.File) bool {
	err := lock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	return err == nil || !errors.Is(err, syscall.EWOULDBLOCK) && isStale(f)
}

func lock(f *os.File, how int) error {
	return control(f, func(fd int) error {
		for {
			if err := syscall.Flock(fd, how); err != syscall.EINTR {
				return err
			}
		}
	})
}

// flush tells what closing f would tell, and still holds it.
func flush(f *os.File) error {
	return control(f, func(fd int) error {
		second, err := syscall.Dup(fd)
		if err != nil {
			return err
		}
		return syscall.Close(second)
	})
}

func control(f *os.File, do func(fd int) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if e := c.Control(func(fd uintptr) { err = do(int(fd)) }); e != nil {
		return e
	}
	return err
}

// drop removes a file that this process writes, of that name.
func drop(f *os.File, name string) error { return errors.Join(os.Remove(name), f.Close()) }

// mayWrite returns why the file may not be written.
func mayWrite(name string) error {
	fd, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return syscall.Close(fd)
}
