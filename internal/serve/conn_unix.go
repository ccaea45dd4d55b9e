//go:build unix

package serve

import (
	"cmp"
	"errors"
	"os"
	"syscall"
	"time"
)

// listener takes connections.
type listener struct {
	f  *os.File
	at place
}

// socket makes one that does not block, and the address in the system's form.
func socket(p place) (fd int, to syscall.Sockaddr, err error) {
	family := syscall.AF_UNIX
	if p.path != "" {
		to = &syscall.SockaddrUnix{Name: p.path}
	} else {
		family, to = syscall.AF_INET, &syscall.SockaddrInet4{Port: p.port, Addr: p.ip}
	}
	syscall.ForkLock.RLock()
	fd, err = syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	return fd, to, err
}

// file makes a socket one that the runtime waits for.
func file(fd int) (*os.File, error) {
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(err, syscall.Close(fd))
	}
	return os.NewFile(uintptr(fd), "socket"), nil
}

const backlog = 128

// listen opens a place for clients.
func listen(p place) (*listener, error) {
	fd, at, err := socket(p)
	if err != nil {
		return nil, err
	}
	if p.path == "" {
		err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}
	if err == nil {
		err = syscall.Bind(fd, at)
	}
	if err == nil {
		err = syscall.Listen(fd, backlog)
	}
	if err != nil {
		return nil, errors.Join(err, syscall.Close(fd))
	}
	if name, err := syscall.Getsockname(fd); err == nil {
		if in, ok := name.(*syscall.SockaddrInet4); ok {
			p.port = in.Port
		}
	}
	f, err := file(fd)
	return &listener{f, p}, err
}

// accept waits for a client.
func (l *listener) accept() (conn, error) {
	raw, err := l.f.SyscallConn()
	if err != nil {
		return conn{}, err
	}
	fd := -1
	var failed error
	err = raw.Read(func(s uintptr) bool {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		for {
			if fd, _, failed = syscall.Accept(int(s)); failed == syscall.EINTR || failed == syscall.ECONNABORTED {
				continue
			}
			if failed == nil {
				syscall.CloseOnExec(fd)
			}
			return failed != syscall.EAGAIN
		}
	})
	if err = cmp.Or(err, failed); err != nil {
		return conn{}, err
	}
	f, err := file(fd)
	return conn{f}, err
}

// close ends listening, and removes the name of a socket.
func (l *listener) close() error {
	err := l.f.Close()
	if l.at.path != "" {
		os.Remove(l.at.path) // somebody may have done so
	}
	return err
}

// dial connects to a server.
func dial(p place, within time.Duration) (conn, error) {
	fd, to, err := socket(p)
	if err != nil {
		return conn{}, err
	}
	f, err := file(fd)
	if err != nil {
		return conn{}, err
	}
	err = syscall.Connect(fd, to)
	if err == syscall.EINPROGRESS || err == syscall.EINTR {
		err = connected(f, within)
	}
	if err != nil {
		return conn{}, errors.Join(err, f.Close())
	}
	return conn{f}, nil
}

// connected waits until a connection is there.
func connected(f *os.File, within time.Duration) error {
	if err := f.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var answer error
	err = raw.Write(func(s uintptr) bool {
		// Asked before each wait: the runtime forgets what was ready earlier.
		n, err := syscall.GetsockoptInt(int(s), syscall.SOL_SOCKET, syscall.SO_ERROR)
		if answer = err; err == nil && n != 0 {
			answer = syscall.Errno(n)
		}
		if answer != nil {
			return true
		}
		_, answer = syscall.Getpeername(int(s))
		return answer != syscall.ENOTCONN
	})
	return errors.Join(err, answer, f.SetWriteDeadline(time.Time{}))
}

// closeWrite tells the other side that nothing more comes.
func (c conn) closeWrite() error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var answer error
	err = raw.Control(func(s uintptr) { answer = syscall.Shutdown(int(s), syscall.SHUT_WR) })
	return errors.Join(err, answer)
}
