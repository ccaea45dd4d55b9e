//go:build unix

package jobserver

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// openFIFO opens the fifo at path for reading and writing, on a description of
// our own that may be non-blocking.
func openFIFO(path string) (in, out *os.File, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if st, err := f.Stat(); err != nil || st.Mode()&os.ModeNamedPipe == 0 {
		return nil, nil, errors.Join(fmt.Errorf("%s is not a fifo", path), f.Close())
	}
	return f, f, nil
}

// openPipe opens the inherited pipe with ends r and w. make passes the numbers
// also to recipes that do not inherit the pipe, and then they may be any files:
// nothing is read before both are known to be the ends of one pipe.
//
// The inherited descriptions are shared with make and all its children, so they
// must stay blocking. Where the system lets a pipe be opened again, through
// /proc, that gives descriptions of our own; elsewhere copies are used, which
// block a thread.
func openPipe(r, w int) (in, out *os.File, err error) {
	var rs, ws syscall.Stat_t
	if err := syscall.Fstat(r, &rs); err != nil {
		return nil, nil, fmt.Errorf("descriptor %d: %w", r, err)
	}
	if err := syscall.Fstat(w, &ws); err != nil {
		return nil, nil, fmt.Errorf("descriptor %d: %w", w, err)
	}
	if rs.Mode&syscall.S_IFMT != syscall.S_IFIFO || ws.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return nil, nil, fmt.Errorf("descriptors %d and %d are not a pipe", r, w)
	}
	if rs.Ino != ws.Ino || rs.Dev != ws.Dev {
		return nil, nil, fmt.Errorf("descriptors %d and %d are not ends of one pipe", r, w)
	}
	if in, err = reopen(r, os.O_RDONLY); err != nil {
		return nil, nil, err
	}
	if out, err = reopen(w, os.O_WRONLY); err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return in, out, nil
}

// reopen returns a file for descriptor fd that is closed on exec.
func reopen(fd, mode int) (*os.File, error) {
	if f, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), mode|syscall.O_NONBLOCK, 0); err == nil {
		return f, nil
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	n, err := syscall.Dup(fd)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(n)
	return os.NewFile(uintptr(n), fmt.Sprintf("jobserver %d", fd)), nil
}
