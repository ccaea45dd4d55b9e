package remote

import (
	"context"
	"encoding/hex"
	"sync"
	"sync/atomic"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/goptxas/goptxas/internal/engine/store"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Kernels is the action cache as a place of compiled kernels: the key of a
// kernel is the argument of a command that nobody runs, and its code the one
// output of it. It is a pipeline.Cache for any number of workers.
type Kernels struct {
	c      *Client
	ctx    context.Context
	store  bool
	hits   atomic.Int64
	misses atomic.Int64
	sent   atomic.Int64

	pending sync.WaitGroup
	room    chan struct{}

	mu   sync.Mutex
	errs []error
}

// Bounds on what goes on beside compiling.
const (
	sending  = 8 // kernels sent at once
	patience = 3 // failures after which the server is left alone
)

// Kernels returns the place on the server. The context ends what is under way.
func (c *Client) Kernels(ctx context.Context) *Kernels {
	return &Kernels{c: c, ctx: ctx, store: c.CanStore(), room: make(chan struct{}, sending)}
}

// outputName is that of the one output of a kernel's action.
const outputName = "kernel"

// action returns what stands for a kernel in the action cache.
func action(k store.Key) (act, command, root blob, err error) {
	if command, err = message(&repb.Command{Arguments: []string{"goptxas-kernel", hex.EncodeToString(k[:])}, OutputPaths: []string{outputName}}); err != nil {
		return
	}
	if root, err = message(&repb.Directory{}); err != nil {
		return
	}
	act, err = message(&repb.Action{CommandDigest: command.digest, InputRootDigest: root.digest})
	return
}

// Get looks for a kernel. Any failure is a miss.
func (x *Kernels) Get(k store.Key) ([]byte, bool) {
	body, err := x.get(k)
	switch {
	case err == nil && body != nil:
		x.hits.Add(1)
		return body, true
	case err != nil:
		x.fail(err)
	}
	x.misses.Add(1)
	return nil, false
}

func (x *Kernels) get(k store.Key) ([]byte, error) {
	if x.tired() {
		return nil, nil
	}
	act, _, _, err := action(k)
	if err != nil {
		return nil, err
	}
	var r *repb.ActionResult
	err = x.c.retry(x.ctx, func(ctx context.Context) (err error) {
		r, err = x.c.ac.GetActionResult(ctx, &repb.GetActionResultRequest{InstanceName: x.c.o.Instance, ActionDigest: act.digest, InlineOutputFiles: []string{outputName}})
		return err
	})
	if status.Code(err) == codes.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, f := range r.GetOutputFiles() {
		if f.GetPath() != outputName || r.GetExitCode() != 0 {
			continue
		}
		if data := f.GetContents(); len(data) > 0 && is(data, f.GetDigest()) {
			return data, nil
		}
		data, err := x.c.download(x.ctx, f.GetDigest())
		if status.Code(err) == codes.NotFound {
			return nil, nil // the server has dropped it
		}
		return data, err
	}
	return nil, nil
}

// Put sends a kernel, while the compilation goes on.
func (x *Kernels) Put(k store.Key, body []byte) {
	if !x.store || x.tired() {
		return
	}
	x.room <- struct{}{}
	x.pending.Go(func() {
		defer func() { <-x.room }()
		if err := x.put(k, body); err != nil {
			x.fail(err)
			return
		}
		x.sent.Add(1)
	})
}

func (x *Kernels) put(k store.Key, body []byte) error {
	act, command, root, err := action(k)
	if err != nil {
		return err
	}
	out := newBlob(body)
	if err := x.c.upload(x.ctx, []blob{out, act, command, root}); err != nil {
		return err
	}
	q := &repb.UpdateActionResultRequest{
		InstanceName: x.c.o.Instance, ActionDigest: act.digest,
		ActionResult: &repb.ActionResult{OutputFiles: []*repb.OutputFile{{Path: outputName, Digest: out.digest}}},
	}
	return x.c.retry(x.ctx, func(ctx context.Context) error {
		_, err := x.c.ac.UpdateActionResult(ctx, q)
		return err
	})
}

// Wait returns when all kernels are sent, with what went wrong.
func (x *Kernels) Wait() []error {
	x.pending.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.errs
}

// Counts returns how many kernels were found, not found and sent.
func (x *Kernels) Counts() (hits, misses, sent int64) {
	return x.hits.Load(), x.misses.Load(), x.sent.Load()
}

func (x *Kernels) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.errs = append(x.errs, err)
}

// tired reports whether the server has failed too often.
func (x *Kernels) tired() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.errs) >= patience
}
