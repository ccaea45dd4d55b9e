//go:build !unix

package serve

import (
	"errors"
	"time"
)

// listener takes connections, where there are sockets of this kind.
type listener struct{ at place }

func listen(place) (*listener, error)         { return nil, errors.ErrUnsupported }
func (l *listener) accept() (conn, error)     { return conn{}, errors.ErrUnsupported }
func (l *listener) close() error              { return errors.ErrUnsupported }
func dial(place, time.Duration) (conn, error) { return conn{}, errors.ErrUnsupported }
func (c conn) closeWrite() error              { return errors.ErrUnsupported }
