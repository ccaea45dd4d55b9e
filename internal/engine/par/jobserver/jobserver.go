// Package jobserver is a client of GNU make's jobserver: it keeps the number of
// kernels compiled at once, over all compilers that one make runs, within -jN.
//
// make gives every process it starts one implicit token and puts the other N-1
// as bytes into a pipe. Whoever wants to do one more thing at a time reads a
// byte and writes the same byte back when done. A Client reads only while
// someone waits, holds a byte only while a task runs, and gives all of them back
// at Close. Protocol: GNU make manual, "POSIX Jobserver Interaction".
package jobserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// ErrClosed is what Acquire returns after Close.
var ErrClosed = errors.New("jobserver client is closed")

// Client holds tokens for the tasks of one process. It implements par.Limiter.
type Client struct {
	// Warn is called once if the server breaks while in use; compiling goes on
	// with the implicit token alone. May be nil.
	Warn func(error)

	in, out *os.File
	kind    string

	mu       sync.Mutex
	implicit bool   // the implicit token is free
	active   int    // tasks that hold a token of either kind
	held     []byte // tokens read from the server and not given back
	waiters  []*waiter
	reading  bool // the reader runs
	stopped  sync.WaitGroup
	closed   bool
	broken   error
}

type waiter struct {
	ready chan struct{}
	err   error
}

// Open connects to the server that the value of MAKEFLAGS names. It returns an
// error that wraps ErrAbsent when it names none, and ErrUnusable when it names
// one that cannot be used.
func Open(makeflags string) (*Client, error) {
	a, err := parse(makeflags)
	if err != nil {
		return nil, err
	}
	c := &Client{implicit: true}
	if a.fifo != "" {
		c.kind = "fifo"
		c.in, c.out, err = openFIFO(a.fifo)
	} else {
		c.kind = "pipe"
		c.in, c.out, err = openPipe(a.r, a.w)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return c, nil
}

// Kind returns "fifo" or "pipe".
func (c *Client) Kind() string { return c.kind }

// Acquire blocks until the caller may run one task: at once for the first one,
// with a token from the server for others.
func (c *Client) Acquire(ctx context.Context) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	if c.implicit {
		c.implicit = false
		c.active++
		c.mu.Unlock()
		return nil
	}
	w := &waiter{ready: make(chan struct{})}
	c.waiters = append(c.waiters, w)
	c.startReader()
	c.mu.Unlock()
	select {
	case <-w.ready:
		return w.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, x := range c.waiters {
		if x == w {
			c.waiters = append(c.waiters[:i], c.waiters[i+1:]...)
			c.stopReader()
			return context.Cause(ctx)
		}
	}
	if w.err == nil {
		c.release() // the token came at the same moment
	}
	return context.Cause(ctx)
}

// Release gives the permission of one Acquire back. Bytes go to the server
// first, so that the implicit token, which nobody else can use, is the last.
func (c *Client) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.release()
}

func (c *Client) release() {
	if c.active == 0 {
		if c.closed {
			return
		}
		panic("jobserver: Release without Acquire")
	}
	c.active--
	if n := len(c.held); n > 0 {
		b := c.held[n-1]
		c.held = c.held[:n-1]
		c.giveBack(b)
		return
	}
	if len(c.waiters) > 0 {
		c.grant()
		c.stopReader()
		return
	}
	c.implicit = true
}

// grant wakes the first waiter with a token.
func (c *Client) grant() {
	w := c.waiters[0]
	c.waiters = c.waiters[1:]
	c.active++
	close(w.ready)
}

func (c *Client) giveBack(b byte) {
	if _, err := c.out.Write([]byte{b}); err != nil {
		c.fail(fmt.Errorf("jobserver token could not be given back: %w", err))
	}
}

func (c *Client) fail(err error) {
	if c.broken != nil || c.closed {
		return
	}
	c.broken = err
	if c.Warn != nil {
		go c.Warn(err)
	}
}

// startReader makes sure that somebody reads tokens. The caller holds c.mu.
func (c *Client) startReader() {
	if c.broken != nil {
		return // the waiters share the implicit token
	}
	_ = c.in.SetReadDeadline(time.Time{}) // no deadline to clear on a blocking file
	if !c.reading {
		c.reading = true
		c.stopped.Add(1)
		go c.read()
	}
}

// stopReader interrupts the reader when nobody waits. The caller holds c.mu.
func (c *Client) stopReader() {
	if c.reading && len(c.waiters) == 0 {
		// Without deadlines the reader stays, and gives back what comes late.
		_ = c.in.SetReadDeadline(time.Unix(1, 0))
	}
}

// read takes tokens while there are waiters.
func (c *Client) read() {
	defer c.stopped.Done()
	var b [1]byte
	for {
		c.mu.Lock()
		if len(c.waiters) == 0 || c.closed || c.broken != nil {
			c.reading = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		n, err := c.in.Read(b[:])
		c.mu.Lock()
		switch {
		case n == 1 && len(c.waiters) > 0 && !c.closed:
			c.held = append(c.held, b[0])
			c.grant()
		case n == 1:
			c.giveBack(b[0])
		case err != nil && !errors.Is(err, os.ErrDeadlineExceeded):
			if errors.Is(err, io.EOF) {
				err = errors.New("the server has gone")
			}
			c.fail(fmt.Errorf("jobserver: %w", err))
		}
		c.mu.Unlock()
	}
}

// Close gives every token back, at once, also those of tasks that still run,
// and fails all who wait. It may be called again, and from a signal's handler.
func (c *Client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	for _, b := range c.held {
		c.giveBack(b)
	}
	err := c.broken
	c.closed = true
	c.held, c.active = nil, 0
	for _, w := range c.waiters {
		w.err = ErrClosed
		close(w.ready)
	}
	c.waiters = nil
	canStop := c.in.SetReadDeadline(time.Unix(1, 0)) == nil
	reading := c.reading
	c.mu.Unlock()
	if reading && !canStop {
		return err // the reader will give back what it gets; the files stay open for it
	}
	c.stopped.Wait()
	if cerr := c.in.Close(); err == nil {
		err = cerr
	}
	if c.out != c.in {
		if cerr := c.out.Close(); err == nil {
			err = cerr
		}
	}
	return err
}

// Held returns the number of tokens taken from the server and not given back.
func (c *Client) Held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.held)
}
