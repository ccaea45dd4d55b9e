// Package remote lets machines share the work of compiling: it speaks the
// Remote Execution API, version 2, to servers such as bazel-remote, Buildbarn
// and BuildBuddy. Kernels that anyone compiled are found in the action cache,
// and the kernels of a large module are compiled apart by actions whose
// results are put together here. Whatever the servers do, the bytes are those
// of a compilation on this machine: what comes back is checked, and what does
// not come back is compiled here.
//
// It is a module of its own, so that the compiler needs nothing but the
// standard library.
package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Options say which servers to use and how.
type Options struct {
	Address  string   // grpc://host:port or grpcs://host:port
	Instance string   // name of the instance on the server
	Headers  []string // name=value, sent with every call
	CA       string   // file with certificates to trust; "": those of the system
	Cert     string   // files with our certificate and its key, for mTLS
	Key      string
	Timeout  time.Duration // of one call; 0: 10 seconds
	Retries  int           // of a call that may succeed later; 0: 3
}

// Client talks to the servers.
type Client struct {
	o     Options
	conn  *grpc.ClientConn
	cas   repb.ContentAddressableStorageClient
	ac    repb.ActionCacheClient
	exec  repb.ExecutionClient
	bytes bytestream.ByteStreamClient
	batch int64 // bytes that go into one call
	can   *repb.ServerCapabilities
}

// mostBatch is how many bytes are sent or asked for in one call at most,
// whatever the server allows: grpc refuses messages above 4 MB.
const mostBatch = 3 << 20

// Dial connects and asks the server what it can do.
func Dial(ctx context.Context, o Options) (*Client, error) {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Retries == 0 {
		o.Retries = 3
	}
	creds, target, err := o.credentials()
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(creds))
	if err != nil {
		return nil, err
	}
	c := &Client{
		o: o, conn: conn, batch: mostBatch,
		cas: repb.NewContentAddressableStorageClient(conn), ac: repb.NewActionCacheClient(conn),
		exec: repb.NewExecutionClient(conn), bytes: bytestream.NewByteStreamClient(conn),
	}
	if err := c.capabilities(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", o.Address, err), conn.Close())
	}
	return c, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// CanExecute reports whether the server runs actions.
func (c *Client) CanExecute() bool { return c.can.GetExecutionCapabilities().GetExecEnabled() }

// CanStore reports whether the server takes results of actions from us.
func (c *Client) CanStore() bool {
	return c.can.GetCacheCapabilities().GetActionCacheUpdateCapabilities().GetUpdateEnabled()
}

func (o *Options) credentials() (credentials.TransportCredentials, string, error) {
	if target, ok := strings.CutPrefix(o.Address, "grpc://"); ok {
		return insecure.NewCredentials(), target, nil
	}
	target, ok := strings.CutPrefix(o.Address, "grpcs://")
	if !ok {
		return nil, "", fmt.Errorf("address '%s' is neither grpc:// nor grpcs://", o.Address)
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		pem, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, "", err
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, "", fmt.Errorf("%s holds no certificate", o.CA)
		}
	}
	if o.Cert != "" || o.Key != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, "", err
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(conf), target, nil
}

func (c *Client) capabilities(ctx context.Context) error {
	can := repb.NewCapabilitiesClient(c.conn)
	err := c.retry(ctx, func(ctx context.Context) (err error) {
		c.can, err = can.GetCapabilities(ctx, &repb.GetCapabilitiesRequest{InstanceName: c.o.Instance})
		return err
	})
	if err != nil {
		return err
	}
	known := c.can.GetCacheCapabilities().GetDigestFunctions()
	for _, f := range known {
		if f == repb.DigestFunction_SHA256 {
			if n := c.can.GetCacheCapabilities().GetMaxBatchTotalSizeBytes(); n > 0 {
				c.batch = min(c.batch, n-n/8)
			}
			return nil
		}
	}
	return fmt.Errorf("the server knows no SHA256, but %v", known)
}

// Pauses between tries grow from the first to the longest.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 3 * time.Second
)

// retry calls until it succeeds, the error is final or the tries are over.
func (c *Client) retry(ctx context.Context, call func(context.Context) error) error {
	pause := firstPause
	for try := 0; ; try++ {
		err := c.once(ctx, call)
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

func (c *Client) once(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(c.headed(ctx), c.o.Timeout)
	defer cancel()
	return call(ctx)
}

// headed adds the headers that the user asks for.
func (c *Client) headed(ctx context.Context) context.Context {
	for _, h := range c.o.Headers {
		name, value, _ := strings.Cut(h, "=")
		ctx = metadata.AppendToOutgoingContext(ctx, strings.ToLower(name), value)
	}
	return ctx
}

// passing reports whether an error may be over at the next try.
func passing(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted, codes.ResourceExhausted, codes.Internal:
		return true
	}
	return false
}
