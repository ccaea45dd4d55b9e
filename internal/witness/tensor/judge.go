package tensor

import (
	"bytes"
	"compress/gzip"
	_ "embed" // of what was measured
	"encoding/binary"
	"encoding/json"
	"fmt"
)

//go:embed testdata/h200.json.gz
var measuredH200 []byte

// MeasuredH200 returns the copies that an H200 made (gpurun boxes) of maps
// that its driver made.
func MeasuredH200() (list []*Measured, err error) {
	r, err := gzip.NewReader(bytes.NewReader(measuredH200))
	if err != nil {
		return nil, err
	}
	return list, json.NewDecoder(r).Decode(&list)
}

// Moved is a part of a copy: so many bytes from here to there, or what a load
// brings from outside of the tensor.
type Moved struct {
	Shared, Global uint64
	Bytes          int
	Outside        []byte
}

// Kinds of memory that nobody wrote, in the kernels that were measured.
const (
	emptyShared = 0xee
	emptyTensor = 0xff
	countedHalf = 64 << 10 // words of the tensor that hold their number
)

// Judge compares what was measured with somebody's idea of the copy, and of
// how many bytes it has. A barrier that expected fewer may have been passed
// before the copy was over: then what has arrived must be right.
func (x *Measured) Judge(total uint32, copies []Moved) error {
	want := bytes.Repeat([]byte{emptyShared}, 64<<10)
	if x.Store {
		want = bytes.Repeat([]byte{emptyTensor}, 1<<20)
	}
	for _, c := range copies {
		switch {
		case c.Outside != nil:
			if !x.Store {
				copy(want[c.Shared:], c.Outside)
			}
		case x.Store:
			count(want[c.Global:][:c.Bytes], c.Shared, 1<<30)
		default:
			count(want[c.Shared:][:c.Bytes], c.Global, 2*countedHalf)
		}
	}
	cut := x.Done && total > x.Told
	for k, b := range x.Left {
		if b != want[k] && (!cut || b != emptyShared) {
			return fmt.Errorf("byte %#x is %#x instead of %#x", k, b, want[k])
		}
	}
	if whole := len(bytes.TrimRight(want, string([]byte{emptyShared}))); !cut && !x.Store && whole != len(x.Left) {
		return fmt.Errorf("%d bytes instead of %d", len(x.Left), whole)
	}
	if !x.Store && total <= x.Told && x.Done != (total == x.Told) {
		return fmt.Errorf("of %d bytes a barrier that expected %d is passed: %v", total, x.Told, x.Done)
	}
	return nil
}

// count fills memory from one place of words that count from zero.
func count(b []byte, from, end uint64) {
	for k := range b {
		at := from + uint64(k)
		b[k] = emptyTensor
		if at < end {
			var w [2]byte
			binary.LittleEndian.PutUint16(w[:], uint16(at/2))
			b[k] = w[at&1]
		}
	}
}
