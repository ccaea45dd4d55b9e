package cubin

import (
	"encoding/binary"
	"errors"
)

var le = binary.LittleEndian

// Format is the first byte of an attribute record: how its value is stored.
type Format uint8

const (
	NVal Format = 1 // no value
	BVal Format = 2 // one byte
	HVal Format = 3 // 16 bits
	SVal Format = 4 // length and payload
)

// Attr is one record of a .nv.info or .nv.compat section. Symbol numbers
// inside payloads are pointers here: Syms come first in the payload, then
// Words. Raw holds a payload that is no list of 32-bit words.
type Attr struct {
	ID     AttrID
	Format Format
	Value  uint16 // of NVal, BVal and HVal records, all 16 bits
	Syms   []*Symbol
	Words  []uint32
	Raw    []byte
}

// Info is the list of attribute records of one section. Compat tells the
// numbering of .nv.compat from that of .nv.info.
type Info struct {
	Compat bool
	Attrs  []Attr
}

// Get returns the first record of an attribute, or nil.
func (in *Info) Get(id AttrID) *Attr {
	if in == nil {
		return nil
	}
	for i := range in.Attrs {
		if in.Attrs[i].ID == id {
			return &in.Attrs[i]
		}
	}
	return nil
}

var errAttr = errors.New("attribute record runs past the end of its section")

// decodeInfo splits a section into records; syms resolves symbol numbers.
func decodeInfo(b []byte, compat bool, syms []*Symbol) (*Info, error) {
	in := &Info{Compat: compat, Attrs: make([]Attr, 0, len(b)/12+1)}
	for len(b) > 0 {
		if len(b) < 4 {
			return nil, errAttr
		}
		a := Attr{Format: Format(b[0]), ID: AttrID(b[1]), Value: le.Uint16(b[2:])}
		b = b[4:]
		if a.Format == SVal {
			n := int(a.Value)
			if n > len(b) {
				return nil, errAttr
			}
			a.Value = 0
			if err := a.decodePayload(b[:n], compat, syms); err != nil {
				return nil, err
			}
			b = b[n:]
		}
		in.Attrs = append(in.Attrs, a)
	}
	return in, nil
}

func (a *Attr) decodePayload(p []byte, compat bool, syms []*Symbol) error {
	if len(p)%4 != 0 {
		a.Raw = p
		return nil
	}
	words := len(p) / 4
	n := 0
	if !compat {
		n = min(a.ID.symbols(), words)
	}
	for i := range n {
		s, err := symbolAt(syms, le.Uint32(p[4*i:]))
		if err != nil {
			return err
		}
		a.Syms = append(a.Syms, s)
	}
	if words > n {
		a.Words = make([]uint32, words-n)
		for i := range a.Words {
			a.Words[i] = le.Uint32(p[4*(n+i):])
		}
	}
	return nil
}

// symbolAt resolves a symbol number; 0 is no symbol.
func symbolAt(syms []*Symbol, n uint32) (*Symbol, error) {
	switch {
	case n == 0:
		return nil, nil
	case uint64(n) > uint64(len(syms)):
		return nil, errors.New("symbol number out of range")
	}
	return syms[n-1], nil
}

func (in *Info) encode(*encoder) []byte {
	var b []byte
	for i := range in.Attrs {
		b = in.Attrs[i].append(b)
	}
	return b
}

func (a *Attr) append(b []byte) []byte {
	b = append(b, byte(a.Format), byte(a.ID))
	if a.Format != SVal {
		return le.AppendUint16(b, a.Value)
	}
	if a.Raw != nil {
		b = le.AppendUint16(b, uint16(len(a.Raw)))
		return append(b, a.Raw...)
	}
	b = le.AppendUint16(b, uint16(4*(len(a.Syms)+len(a.Words))))
	for _, s := range a.Syms {
		b = le.AppendUint32(b, s.number())
	}
	for _, w := range a.Words {
		b = le.AppendUint32(b, w)
	}
	return b
}

func (s *Symbol) number() uint32 {
	if s == nil {
		return 0
	}
	return s.index
}
