package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/goptxas/goptxas/internal/driver"
)

// Limits bound what a server takes on.
type Limits struct {
	Body   int64         // bytes of an order
	Time   time.Duration // of one compilation, waiting included
	Memory int64         // bytes of all compilations that run at once, as far as it can be guessed
	Jobs   int           // compilations that run at once
	Queue  int           // those that wait
}

// Server compiles what it is asked to.
type Server struct {
	token   string // "": everyone may ask
	limits  Limits
	gate    gate
	metrics metrics
	conns   sync.WaitGroup
}

// New makes a server. An empty token lets everyone in.
func New(token string, l Limits) *Server {
	return &Server{
		token: token, limits: l,
		gate:    gate{slots: l.Jobs, memory: l.Memory, most: l.Memory, places: l.Queue},
		metrics: metrics{begun: time.Now()},
	}
}

// serve answers connections until the context ends, and then those requests
// that have begun.
func (s *Server) serve(ctx context.Context, l *listener) error {
	stop := context.AfterFunc(ctx, func() { l.close() })
	defer stop()
	defer s.conns.Wait()
	for failures := 0; ; {
		c, err := l.accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			if failures++; failures > mostFailures {
				return err
			}
			time.Sleep(failurePause) // such as for want of descriptors
			continue
		}
		failures = 0
		s.conns.Go(func() {
			defer c.Close()
			s.talk(ctx, c)
		})
	}
}

// A server that cannot take connections for so long gives up.
const (
	mostFailures = 200
	failurePause = 50 * time.Millisecond
)

// talk answers the requests of one connection.
func (s *Server) talk(ctx context.Context, c conn) {
	idle := context.AfterFunc(ctx, func() { c.SetReadDeadline(time.Now()) }) // ends waiting for a request
	defer idle()
	r := bufio.NewReaderSize(c, maxLine)
	for ctx.Err() == nil {
		q, err := readRequest(c, r, s.limits.Body)
		if err != nil {
			if f := (*refusal)(nil); errors.As(err, &f) {
				if failure(f.status, f.text).write(c, false) == nil {
					linger(c)
				}
			}
			return
		}
		if a := s.handle(ctx, c, r, q); a == nil || a.write(c, q.keep) != nil || !q.keep {
			return
		}
	}
}

// linger takes what a client is still sending, for a moment: closing at once
// could cost it the answer.
func linger(c conn) {
	if c.closeWrite() != nil {
		return
	}
	if c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c, lingerBytes) // it is of no matter how that ends
	}
}

// Bounds on lingering.
const (
	lingerTime  = time.Second
	lingerBytes = 256 << 20
)

// handle answers one request; nil means that nobody waits for the answer.
func (s *Server) handle(ctx context.Context, c conn, r *bufio.Reader, q *request) *answer {
	if q.path == healthPath {
		return &answer{200, "text/plain", []byte("ok\n")}
	}
	if !s.knows(q.header["authorization"]) {
		return failure(401, "the token is missing or wrong")
	}
	switch {
	case q.path == metricsPath:
		return &answer{200, "text/plain; version=0.0.4", []byte(s.metrics.text(s.gate.queued()))}
	case q.path != compilePath:
		return failure(404, "no such path")
	case q.method != "POST":
		return failure(405, "orders are posted")
	}
	var o Order
	if err := json.Unmarshal(q.body, &o); err != nil {
		s.metrics.count(refused, len(q.body), 0, 0)
		return failure(400, "the order cannot be read: "+err.Error())
	}
	if why := o.check(); why != "" {
		s.metrics.count(refused, len(q.body), 0, 0)
		return failure(400, why)
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), s.limits.Time, errLate) // what has begun is finished
	defer cancel()
	ctx, stop := s.watch(ctx, c, r)
	defer stop()
	return s.compile(ctx, &o, len(q.body))
}

var (
	errLate = errors.New("the time for the compilation is over")
	errGone = errors.New("the client has gone")
)

// watch ends the context when the client goes away. stop must be called
// before the connection is read again.
func (s *Server) watch(ctx context.Context, c conn, r *bufio.Reader) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	c.SetReadDeadline(time.Time{})
	go func() {
		defer close(done)
		if _, err := r.Peek(1); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			cancel(errGone)
		}
	}()
	return ctx, func() {
		c.SetReadDeadline(time.Now())
		<-done
		cancel(nil)
	}
}

// knows reports whether a header has the right token.
func (s *Server) knows(header string) bool {
	if s.token == "" {
		return true
	}
	token, ok := strings.CutPrefix(header, "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1
}

// compile runs an order when its turn comes.
func (s *Server) compile(ctx context.Context, o *Order, size int) (a *answer) {
	texts, length := o.texts()
	leave, err := s.gate.enter(ctx, memoryOf(length))
	if err != nil {
		return s.over(size, err)
	}
	defer leave()
	s.metrics.run(1)
	defer s.metrics.run(-1)
	begun := time.Now()
	defer func() {
		if p := recover(); p != nil { // a fault of ours ends one order, not the server
			s.metrics.count(failed, size, 0, time.Since(begun))
			a = failure(500, fmt.Sprintf("internal error: %v", p))
		}
	}()
	var log bytes.Buffer
	cubin, ok := driver.CompileTexts(ctx, o.Args, texts, &log)
	if ctx.Err() != nil {
		return s.over(size, context.Cause(ctx))
	}
	outcome := compiled
	if !ok {
		outcome, cubin = rejected, nil
	}
	s.metrics.count(outcome, size, len(cubin), time.Since(begun))
	body, err := json.Marshal(&Result{OK: ok, Log: log.String(), Cubin: cubin})
	if err != nil {
		return failure(500, err.Error())
	}
	return &answer{200, "application/json", body}
}

// over answers an order that was not compiled.
func (s *Server) over(size int, err error) *answer {
	switch {
	case errors.Is(err, errBusy):
		s.metrics.count(busy, size, 0, 0)
		return failure(429, err.Error())
	case errors.Is(err, errLate):
		s.metrics.count(late, size, 0, 0)
		return failure(504, err.Error())
	case errors.Is(err, errGone):
		s.metrics.count(gone, size, 0, 0)
		return nil
	}
	s.metrics.count(failed, size, 0, 0)
	return failure(503, err.Error())
}

func failure(status int, text string) *answer {
	body, err := json.Marshal(Failure{text})
	if err != nil {
		body = []byte("{}")
	}
	return &answer{status, "application/json", body}
}
