package remote

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// blob is bytes with their digest.
type blob struct {
	digest *repb.Digest
	data   []byte
}

func newBlob(data []byte) blob {
	sum := sha256.Sum256(data)
	return blob{&repb.Digest{Hash: hex.EncodeToString(sum[:]), SizeBytes: int64(len(data))}, data}
}

// message returns the blob of a message. Its bytes are always the same: the
// messages used here have no maps.
func message(m proto.Message) (blob, error) {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	return newBlob(data), err
}

// is reports whether data has the digest.
func is(data []byte, d *repb.Digest) bool {
	have := newBlob(data).digest
	return have.Hash == d.GetHash() && have.SizeBytes == d.GetSizeBytes()
}

// upload sends what the server does not have yet.
func (c *Client) upload(ctx context.Context, blobs []blob) error {
	missing, err := c.missing(ctx, blobs)
	if err != nil {
		return err
	}
	var group []blob
	size := int64(0)
	send := func() error {
		err := c.sendBatch(ctx, group)
		group, size = group[:0], 0
		return err
	}
	for _, b := range missing {
		if int64(len(b.data)) > c.batch {
			if err := c.sendStream(ctx, b); err != nil {
				return err
			}
			continue
		}
		if size+int64(len(b.data)) > c.batch && len(group) > 0 {
			if err := send(); err != nil {
				return err
			}
		}
		group, size = append(group, b), size+int64(len(b.data))
	}
	if len(group) == 0 {
		return nil
	}
	return send()
}

// missing returns the blobs that the server does not have.
func (c *Client) missing(ctx context.Context, blobs []blob) (list []blob, err error) {
	q := &repb.FindMissingBlobsRequest{InstanceName: c.o.Instance}
	byHash := map[string]blob{}
	for _, b := range blobs {
		if _, twice := byHash[b.digest.Hash]; !twice {
			byHash[b.digest.Hash] = b
			q.BlobDigests = append(q.BlobDigests, b.digest)
		}
	}
	var r *repb.FindMissingBlobsResponse
	err = c.retry(ctx, func(ctx context.Context) (err error) {
		r, err = c.cas.FindMissingBlobs(ctx, q)
		return err
	})
	for _, d := range r.GetMissingBlobDigests() {
		if b, ok := byHash[d.GetHash()]; ok {
			list = append(list, b)
		}
	}
	return list, err
}

func (c *Client) sendBatch(ctx context.Context, group []blob) error {
	q := &repb.BatchUpdateBlobsRequest{InstanceName: c.o.Instance}
	for _, b := range group {
		q.Requests = append(q.Requests, &repb.BatchUpdateBlobsRequest_Request{Digest: b.digest, Data: b.data})
	}
	return c.retry(ctx, func(ctx context.Context) error {
		r, err := c.cas.BatchUpdateBlobs(ctx, q)
		for _, x := range r.GetResponses() {
			if err == nil {
				err = status.FromProto(x.GetStatus()).Err()
			}
		}
		return err
	})
}

// chunk is how much one message of a stream carries.
const chunk = 256 << 10

func (c *Client) sendStream(ctx context.Context, b blob) error {
	return c.retry(ctx, func(ctx context.Context) error {
		id := make([]byte, 16)
		if _, err := rand.Read(id); err != nil {
			return err
		}
		name := path.Join(c.o.Instance, "uploads", uuid(id), "blobs", b.digest.Hash, fmt.Sprint(b.digest.SizeBytes))
		s, err := c.bytes.Write(ctx)
		if err != nil {
			return err
		}
		for at := 0; at < len(b.data); at += chunk {
			end := min(len(b.data), at+chunk)
			q := &bytestream.WriteRequest{ResourceName: name, WriteOffset: int64(at), Data: b.data[at:end], FinishWrite: end == len(b.data)}
			if err := s.Send(q); err == io.EOF { // the server has it, or says why not
				break
			} else if err != nil {
				return err
			}
		}
		r, err := s.CloseAndRecv()
		if err == nil && r.GetCommittedSize() != int64(len(b.data)) && r.GetCommittedSize() != -1 {
			err = fmt.Errorf("the server took %d of %d bytes", r.GetCommittedSize(), len(b.data))
		}
		return err
	})
}

func uuid(id []byte) string {
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	h := hex.EncodeToString(id)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// download returns the bytes of a digest; they are the right ones.
func (c *Client) download(ctx context.Context, d *repb.Digest) (data []byte, err error) {
	if d.GetSizeBytes() == 0 {
		return nil, nil
	}
	err = c.retry(ctx, func(ctx context.Context) error {
		if d.GetSizeBytes() <= c.batch {
			data, err = c.readBatch(ctx, d)
		} else {
			data, err = c.readStream(ctx, d)
		}
		return err
	})
	if err == nil && !is(data, d) {
		err = fmt.Errorf("the server sent other bytes than those of %s", d.GetHash())
	}
	return data, err
}

func (c *Client) readBatch(ctx context.Context, d *repb.Digest) ([]byte, error) {
	r, err := c.cas.BatchReadBlobs(ctx, &repb.BatchReadBlobsRequest{InstanceName: c.o.Instance, Digests: []*repb.Digest{d}})
	if err != nil {
		return nil, err
	}
	if len(r.GetResponses()) != 1 {
		return nil, fmt.Errorf("%d answers for one blob", len(r.GetResponses()))
	}
	x := r.GetResponses()[0]
	return x.GetData(), status.FromProto(x.GetStatus()).Err()
}

func (c *Client) readStream(ctx context.Context, d *repb.Digest) (data []byte, err error) {
	name := path.Join(c.o.Instance, "blobs", d.GetHash(), fmt.Sprint(d.GetSizeBytes()))
	s, err := c.bytes.Read(ctx, &bytestream.ReadRequest{ResourceName: name})
	if err != nil {
		return nil, err
	}
	for {
		r, err := s.Recv()
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if data = append(data, r.GetData()...); int64(len(data)) > d.GetSizeBytes() {
			return nil, fmt.Errorf("the server sent more bytes than those of %s", d.GetHash())
		}
	}
}
