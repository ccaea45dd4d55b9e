package cubin

import (
	"bytes"
	"errors"
)

// Types of the two notes. Both must be present for the driver to load a
// file; their contents are for tools.
const (
	noteTKInfo = 2000
	noteCUInfo = 1000
	noteName   = "NVIDIA Corp\x00"
)

// TKInfo is the note .note.nv.tkinfo: which tool wrote the file and how it
// was called.
type TKInfo struct {
	Object  string // -o name, kept only with -g
	Tool    string
	Version string
	Branch  string
	Options string
}

// CUInfo is the note .note.nv.cuinfo.
type CUInfo struct {
	Version uint16 // 2
	SM      uint16 // the SM of the PTX .target line
	Toolkit uint32 // toolkit version times ten: 130 for 13.0
}

func appendNote(desc []byte, typ uint32) []byte {
	for len(desc)%4 != 0 {
		desc = append(desc, 0)
	}
	b := le.AppendUint32(nil, uint32(len(noteName)))
	b = le.AppendUint32(b, uint32(len(desc)))
	b = le.AppendUint32(b, typ)
	b = append(b, noteName...)
	return append(b, desc...)
}

func (n *TKInfo) encode(*encoder) []byte {
	d := le.AppendUint32(nil, 2)
	at := uint32(0)
	fields := [...]string{n.Object, n.Tool, n.Version, n.Branch, n.Options}
	for _, s := range fields {
		d = le.AppendUint32(d, at)
		at += uint32(len(s)) + 1
	}
	for _, s := range fields {
		d = append(d, s...)
		d = append(d, 0)
	}
	return appendNote(d, noteTKInfo)
}

func (n *CUInfo) encode(*encoder) []byte {
	d := le.AppendUint16(nil, n.Version)
	d = le.AppendUint16(d, n.SM)
	d = le.AppendUint32(d, n.Toolkit)
	return appendNote(d, noteCUInfo)
}

var errNote = errors.New("note is malformed")

// decodeNote reads one of the two notes.
func decodeNote(b []byte) (Content, error) {
	const head = 12 + len(noteName)
	if len(b) < head || string(b[12:head]) != noteName {
		return nil, errNote
	}
	d := b[head:]
	switch le.Uint32(b[8:]) {
	case noteCUInfo:
		if len(d) != 8 {
			return nil, errNote
		}
		return &CUInfo{le.Uint16(d), le.Uint16(d[2:]), le.Uint32(d[4:])}, nil
	case noteTKInfo:
		return decodeTKInfo(d)
	}
	return nil, errNote
}

func decodeTKInfo(d []byte) (Content, error) {
	const fixed = 24
	if len(d) < fixed {
		return nil, errNote
	}
	n := &TKInfo{}
	strs := d[fixed:]
	for i, p := range [...]*string{&n.Object, &n.Tool, &n.Version, &n.Branch, &n.Options} {
		off := uint64(le.Uint32(d[4+4*i:]))
		if off >= uint64(len(strs)) {
			return nil, errNote
		}
		end := bytes.IndexByte(strs[off:], 0)
		if end < 0 {
			return nil, errNote
		}
		*p = string(strs[off : off+uint64(end)])
	}
	return n, nil
}
