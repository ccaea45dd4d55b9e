package remote

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/goptxas/goptxas/internal/engine/store"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Work says how a module is compiled apart.
type Work struct {
	Program  []byte   // this compiler, static, for the machines that run actions
	Args     []string // options that mean the same there
	Groups   int      // actions at most; 0: 64
	Least    int      // bytes of kernels in an action, if there are so many; 0: 128 KB
	Jobs     int      // actions at once; 0: 64
	Timeout  time.Duration
	Platform []string // name=value
	Progress func(done, all int)
}

// Outcome is what a distributed compilation came to.
type Outcome struct {
	Actions, Failed, Cached int
	Kernels                 int
	Errs                    []error
}

// Names in the folder in which an action runs.
const (
	programName = "goptxas"
	inputName   = "module.ptx"
	resultName  = "kernels"
)

// Compile compiles the kernels of a module by actions, and puts what they made
// into a place where a compilation here finds it. What fails is missing there,
// and so compiled here.
func (c *Client) Compile(ctx context.Context, text []byte, w Work, into *store.Dir) (out Outcome) {
	texts := cut(text, orElse(w.Groups, 64), orElse(w.Least, 128<<10))
	if texts == nil {
		return out
	}
	program := newBlob(w.Program)
	if err := c.upload(ctx, []blob{program}); err != nil {
		out.Errs = append(out.Errs, fmt.Errorf("the compiler could not be sent: %w", err))
		return out
	}
	out.Actions = len(texts)
	room := make(chan struct{}, orElse(w.Jobs, 64))
	var mu sync.Mutex
	var all sync.WaitGroup
	done := 0
	for _, t := range texts {
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			n, cached, err := c.group(ctx, program.digest, t, &w, into)
			mu.Lock()
			defer mu.Unlock()
			done++
			out.Kernels += n
			if cached {
				out.Cached++
			}
			if err != nil {
				out.Failed++
				out.Errs = append(out.Errs, err)
			}
			if w.Progress != nil {
				w.Progress(done, len(texts))
			}
		})
	}
	all.Wait()
	return out
}

func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// group compiles one text by an action.
func (c *Client) group(ctx context.Context, program *repb.Digest, text []byte, w *Work, into *store.Dir) (kernels int, cached bool, err error) {
	act, blobs, err := w.action(program, text)
	if err != nil {
		return 0, false, err
	}
	r := c.known(ctx, act.digest)
	if cached = r != nil; !cached {
		if err := c.upload(ctx, blobs); err != nil {
			return 0, false, err
		}
		if r, cached, err = c.execute(ctx, act.digest); err != nil {
			return 0, false, err
		}
	}
	if r.GetExitCode() != 0 {
		return 0, cached, fmt.Errorf("an action ended with %d: %s", r.GetExitCode(), c.said(ctx, r))
	}
	kernels, err = c.collect(ctx, r, into)
	return kernels, cached, err
}

// known returns the result of an action that somebody ran before, nil if there
// is none: not every server looks before it runs one.
func (c *Client) known(ctx context.Context, act *repb.Digest) (r *repb.ActionResult) {
	err := c.retry(ctx, func(ctx context.Context) (err error) {
		r, err = c.ac.GetActionResult(ctx, &repb.GetActionResultRequest{InstanceName: c.o.Instance, ActionDigest: act})
		return err
	})
	if err != nil || r.GetExitCode() != 0 {
		return nil
	}
	return r
}

// action describes the compilation of a text: the compiler and the text in a
// folder, the compiler's store of kernels as its result.
func (w *Work) action(program *repb.Digest, text []byte) (act blob, blobs []blob, err error) {
	input := newBlob(text)
	root, err := message(&repb.Directory{Files: []*repb.FileNode{
		{Name: programName, Digest: program, IsExecutable: true},
		{Name: inputName, Digest: input.digest},
	}})
	if err != nil {
		return act, nil, err
	}
	args := append([]string{"./" + programName}, w.Args...)
	args = append(args, "--cache="+resultName, "--output-file=module.cubin", inputName)
	platform := &repb.Platform{}
	for _, p := range w.Platform {
		name, value, _ := strings.Cut(p, "=")
		platform.Properties = append(platform.Properties, &repb.Platform_Property{Name: name, Value: value})
	}
	command, err := message(&repb.Command{Arguments: args, OutputPaths: []string{resultName}, OutputDirectories: []string{resultName}, Platform: platform})
	if err != nil {
		return act, nil, err
	}
	a := &repb.Action{CommandDigest: command.digest, InputRootDigest: root.digest, Platform: platform}
	if w.Timeout > 0 {
		a.Timeout = durationpb.New(w.Timeout)
	}
	act, err = message(a)
	return act, []blob{input, root, command, act}, err
}

// said returns what an action wrote.
func (c *Client) said(ctx context.Context, r *repb.ActionResult) string {
	text := r.GetStderrRaw()
	if len(text) == 0 && r.GetStderrDigest() != nil {
		text, _ = c.download(ctx, r.GetStderrDigest()) // the code it ended with is said anyway
	}
	return strings.TrimSpace(string(text[:min(len(text), 400)]))
}

// execute runs an action, and asks again for one whose stream broke.
func (c *Client) execute(ctx context.Context, act *repb.Digest) (r *repb.ActionResult, cached bool, err error) {
	name := ""
	err = c.retryLong(ctx, func(ctx context.Context) error {
		var s interface {
			Recv() (*longrunningpb.Operation, error)
		}
		if name == "" {
			s, err = c.exec.Execute(ctx, &repb.ExecuteRequest{InstanceName: c.o.Instance, ActionDigest: act})
		} else {
			s, err = c.exec.WaitExecution(ctx, &repb.WaitExecutionRequest{Name: name})
		}
		if err != nil {
			return err
		}
		r, cached, err = follow(s, &name)
		if err != nil {
			name = "" // whoever lost it is asked anew
		}
		return err
	})
	return r, cached, err
}

// retryLong is retry for calls that take as long as the work.
func (c *Client) retryLong(ctx context.Context, call func(context.Context) error) error {
	pause := firstPause
	for try := 0; ; try++ {
		err := call(c.headed(ctx))
		if err == nil || try >= c.o.Retries || !passing(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, longestPause)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// errCut is a stream that ended before its operation.
var errCut = errors.New("the server ended before the action")

// follow reads what a server tells of an action until it is done.
func follow(s interface {
	Recv() (*longrunningpb.Operation, error)
}, name *string,
) (*repb.ActionResult, bool, error) {
	for {
		op, err := s.Recv()
		if err == io.EOF {
			return nil, false, errCut
		}
		if err != nil {
			return nil, false, err
		}
		if *name = op.GetName(); !op.GetDone() {
			continue
		}
		if e := op.GetError(); e != nil {
			return nil, false, status.FromProto(e).Err()
		}
		var r repb.ExecuteResponse
		if err := op.GetResponse().UnmarshalTo(&r); err != nil {
			return nil, false, err
		}
		if err := status.FromProto(r.GetStatus()).Err(); err != nil {
			return nil, false, err
		}
		return r.GetResult(), r.GetCachedResult(), nil
	}
}

// collect takes the kernels of a result into a store. Their bytes are those of
// their digests, and the store checks what is in them again.
func (c *Client) collect(ctx context.Context, r *repb.ActionResult, into *store.Dir) (n int, err error) {
	for _, d := range r.GetOutputDirectories() {
		if d.GetPath() != resultName {
			continue
		}
		data, err := c.download(ctx, d.GetTreeDigest())
		if err != nil {
			return n, err
		}
		var tree repb.Tree
		if err := proto.Unmarshal(data, &tree); err != nil {
			return n, err
		}
		for _, x := range entries(&tree) {
			data, err := c.download(ctx, x.digest)
			if err != nil {
				return n, err
			}
			if into.Take(x.key, data) {
				n++
			}
		}
	}
	return n, nil
}

type entry struct {
	key    store.Key
	digest *repb.Digest
}

// entries lists the kernels in the folder of a store: two digits of a key name
// a folder in it, the others a file.
func entries(t *repb.Tree) (list []entry) {
	byHash := map[string]*repb.Directory{}
	for _, d := range t.GetChildren() {
		if b, err := message(d); err == nil {
			byHash[b.digest.Hash] = d
		}
	}
	for _, sub := range t.GetRoot().GetDirectories() {
		for _, f := range byHash[sub.GetDigest().GetHash()].GetFiles() {
			name, ok := strings.CutSuffix(sub.GetName()+f.GetName(), store.Suffix)
			key, err := hex.DecodeString(name)
			if ok && err == nil && len(key) == len(store.Key{}) {
				list = append(list, entry{store.Key(key), f.GetDigest()})
			}
		}
	}
	return list
}

// Self returns the bytes of this program.
func Self() ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}
