package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// fake is a server of all services in this process, with faults to order.
type fake struct {
	repb.UnimplementedCapabilitiesServer
	repb.UnimplementedContentAddressableStorageServer
	repb.UnimplementedActionCacheServer
	repb.UnimplementedExecutionServer
	bytestream.UnimplementedByteStreamServer

	mu      sync.Mutex
	blobs   map[string][]byte
	results map[string]*repb.ActionResult
	runs    int
	uploads int
	headers []string

	batch   int64
	wrong   bool          // other bytes than asked for
	full    bool          // no room for blobs
	slow    time.Duration // before every answer
	lose    int           // actions whose worker is lost
	cutOff  int           // streams that end early
	exits   int32         // code of every action
	hang    bool          // actions never end
	stopped chan struct{}
}

// serve starts the server at a port and returns its address.
func (f *fake) serve(t *testing.T) (address string, g *grpc.Server) {
	t.Helper()
	f.blobs, f.results, f.stopped = map[string][]byte{}, map[string]*repb.ActionResult{}, make(chan struct{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g = grpc.NewServer()
	repb.RegisterCapabilitiesServer(g, f)
	repb.RegisterContentAddressableStorageServer(g, f)
	repb.RegisterActionCacheServer(g, f)
	repb.RegisterExecutionServer(g, f)
	bytestream.RegisterByteStreamServer(g, f)
	go g.Serve(l)
	t.Cleanup(func() {
		close(f.stopped)
		g.Stop()
	})
	return "grpc://" + l.Addr().String(), g
}

func (f *fake) pause(ctx context.Context) {
	f.mu.Lock()
	d := f.slow
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		f.headers = md.Get("x-test")
	}
	f.mu.Unlock()
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (f *fake) GetCapabilities(context.Context, *repb.GetCapabilitiesRequest) (*repb.ServerCapabilities, error) {
	return &repb.ServerCapabilities{
		CacheCapabilities: &repb.CacheCapabilities{
			DigestFunctions:               []repb.DigestFunction_Value{repb.DigestFunction_SHA256},
			ActionCacheUpdateCapabilities: &repb.ActionCacheUpdateCapabilities{UpdateEnabled: true},
			MaxBatchTotalSizeBytes:        f.batch,
		},
		ExecutionCapabilities: &repb.ExecutionCapabilities{DigestFunction: repb.DigestFunction_SHA256, ExecEnabled: true},
	}, nil
}

func (f *fake) FindMissingBlobs(ctx context.Context, q *repb.FindMissingBlobsRequest) (*repb.FindMissingBlobsResponse, error) {
	f.pause(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &repb.FindMissingBlobsResponse{}
	for _, d := range q.BlobDigests {
		if _, ok := f.blobs[d.Hash]; !ok && d.SizeBytes > 0 {
			r.MissingBlobDigests = append(r.MissingBlobDigests, d)
		}
	}
	return r, nil
}

func (f *fake) put(hash string, data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.full {
		return status.Error(codes.ResourceExhausted, "no space left on device")
	}
	if newBlob(data).digest.Hash != hash {
		return status.Error(codes.InvalidArgument, "wrong digest")
	}
	f.blobs[hash] = append([]byte(nil), data...)
	f.uploads++
	return nil
}

func (f *fake) get(hash string) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, ok := f.blobs[hash]
	if ok && f.wrong && len(data) > 0 {
		data = append([]byte(nil), data...)
		data[len(data)/2] ^= 1
	}
	return data, ok
}

func (f *fake) BatchUpdateBlobs(ctx context.Context, q *repb.BatchUpdateBlobsRequest) (*repb.BatchUpdateBlobsResponse, error) {
	f.pause(ctx)
	r := &repb.BatchUpdateBlobsResponse{}
	for _, x := range q.Requests {
		r.Responses = append(r.Responses, &repb.BatchUpdateBlobsResponse_Response{Digest: x.Digest, Status: status.Convert(f.put(x.Digest.Hash, x.Data)).Proto()})
	}
	return r, nil
}

func (f *fake) BatchReadBlobs(ctx context.Context, q *repb.BatchReadBlobsRequest) (*repb.BatchReadBlobsResponse, error) {
	f.pause(ctx)
	r := &repb.BatchReadBlobsResponse{}
	for _, d := range q.Digests {
		x := &repb.BatchReadBlobsResponse_Response{Digest: d}
		var ok bool
		if x.Data, ok = f.get(d.Hash); !ok {
			x.Status = status.New(codes.NotFound, "no such blob").Proto()
		}
		r.Responses = append(r.Responses, x)
	}
	return r, nil
}

func (f *fake) Write(s bytestream.ByteStream_WriteServer) error {
	var data []byte
	hash := ""
	for {
		q, err := s.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if part := strings.Split(q.ResourceName, "/"); len(part) > 2 {
			hash = part[len(part)-2]
		}
		data = append(data, q.Data...)
	}
	if err := f.put(hash, data); err != nil {
		return err
	}
	return s.SendAndClose(&bytestream.WriteResponse{CommittedSize: int64(len(data))})
}

func (f *fake) Read(q *bytestream.ReadRequest, s bytestream.ByteStream_ReadServer) error {
	part := strings.Split(q.ResourceName, "/")
	data, ok := f.get(part[len(part)-2])
	if !ok {
		return status.Error(codes.NotFound, "no such blob")
	}
	for ; len(data) > 0; data = data[min(len(data), 1000):] {
		if err := s.Send(&bytestream.ReadResponse{Data: data[:min(len(data), 1000)]}); err != nil {
			return err
		}
	}
	return nil
}

func (f *fake) GetActionResult(ctx context.Context, q *repb.GetActionResultRequest) (*repb.ActionResult, error) {
	f.pause(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.results[q.ActionDigest.Hash]; r != nil {
		return r, nil
	}
	return nil, status.Error(codes.NotFound, "not cached")
}

func (f *fake) UpdateActionResult(ctx context.Context, q *repb.UpdateActionResultRequest) (*repb.ActionResult, error) {
	f.pause(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.results[q.ActionDigest.Hash] = q.ActionResult
	return q.ActionResult, nil
}

func (f *fake) Execute(q *repb.ExecuteRequest, s repb.Execution_ExecuteServer) error {
	f.mu.Lock()
	f.runs++
	lost, early, hang := f.lose > 0, f.cutOff > 0, f.hang
	if lost {
		f.lose--
	} else if early {
		f.cutOff--
	}
	known := f.results[q.ActionDigest.Hash]
	f.mu.Unlock()
	if err := s.Send(&longrunningpb.Operation{Name: "op"}); err != nil {
		return err
	}
	switch {
	case lost:
		return status.Error(codes.Unavailable, "the worker was lost")
	case early:
		return nil
	case hang:
		select {
		case <-f.stopped:
		case <-s.Context().Done():
		}
		return status.Error(codes.Canceled, "gone")
	}
	r := known
	if r == nil {
		var err error
		if r, err = f.run(q.ActionDigest); err != nil {
			return err
		}
		f.mu.Lock()
		if r.ExitCode == 0 {
			f.results[q.ActionDigest.Hash] = r
		}
		f.mu.Unlock()
	}
	out, err := anypb.New(&repb.ExecuteResponse{Result: r, CachedResult: known != nil})
	if err != nil {
		return err
	}
	return s.Send(&longrunningpb.Operation{Name: "op", Done: true, Result: &longrunningpb.Operation_Response{Response: out}})
}

func (f *fake) WaitExecution(*repb.WaitExecutionRequest, repb.Execution_WaitExecutionServer) error {
	return status.Error(codes.NotFound, "no such operation")
}

func (f *fake) read(d *repb.Digest, m proto.Message) error {
	f.mu.Lock()
	data, ok := f.blobs[d.Hash]
	f.mu.Unlock()
	if !ok {
		return status.Error(codes.FailedPrecondition, "missing "+d.Hash)
	}
	return proto.Unmarshal(data, m)
}

// run does what an action asks for in a folder of its own.
func (f *fake) run(d *repb.Digest) (*repb.ActionResult, error) {
	var a repb.Action
	var c repb.Command
	var root repb.Directory
	if err := f.read(d, &a); err != nil {
		return nil, err
	}
	if err := f.read(a.CommandDigest, &c); err != nil {
		return nil, err
	}
	if err := f.read(a.InputRootDigest, &root); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "action")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, x := range root.Files {
		mode := os.FileMode(0o666)
		if x.IsExecutable {
			mode = 0o777
		}
		f.mu.Lock()
		data := f.blobs[x.Digest.Hash]
		f.mu.Unlock()
		if err := os.WriteFile(filepath.Join(dir, x.Name), data, mode); err != nil {
			return nil, err
		}
	}
	var log []byte
	for range 100 {
		cmd := exec.Command(filepath.Join(dir, c.Arguments[0]), c.Arguments[1:]...)
		cmd.Dir = dir
		cmd.Env = []string{asCommand + "=1"}
		if log, err = cmd.CombinedOutput(); !errors.Is(err, syscall.ETXTBSY) {
			break
		}
		time.Sleep(20 * time.Millisecond) // another action was started while the program was being written
	}
	r := &repb.ActionResult{StderrRaw: log, ExitCode: f.exits}
	if err != nil {
		r.ExitCode = 1
	}
	return r, f.output(r, filepath.Join(dir, c.OutputPaths[0]), c.OutputPaths[0])
}

// output keeps the folder that an action made.
func (f *fake) output(r *repb.ActionResult, dir, name string) error {
	tree := &repb.Tree{Root: &repb.Directory{}}
	subs, err := os.ReadDir(dir)
	if err != nil {
		return nil // it made none
	}
	for _, s := range subs {
		child := &repb.Directory{}
		files, err := os.ReadDir(filepath.Join(dir, s.Name()))
		if err != nil {
			return err
		}
		for _, x := range files {
			data, err := os.ReadFile(filepath.Join(dir, s.Name(), x.Name()))
			if err != nil {
				return err
			}
			b := newBlob(data)
			if err := f.put(b.digest.Hash, data); err != nil {
				return err
			}
			child.Files = append(child.Files, &repb.FileNode{Name: x.Name(), Digest: b.digest})
		}
		b, err := message(child)
		if err != nil {
			return err
		}
		tree.Children = append(tree.Children, child)
		tree.Root.Directories = append(tree.Root.Directories, &repb.DirectoryNode{Name: s.Name(), Digest: b.digest})
	}
	b, err := message(tree)
	if err != nil {
		return err
	}
	r.OutputDirectories = append(r.OutputDirectories, &repb.OutputDirectory{Path: name, TreeDigest: b.digest})
	return f.put(b.digest.Hash, b.data)
}
