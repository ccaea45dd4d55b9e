package dwarf

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Line programs are DWARF 2: .debug_line maps code to source lines,
// .nv_debug_line_sass maps code to lines of .nv_debug_ptx_txt and has no
// files.

// Row says that code from Addr on comes from a line.
type Row struct {
	Addr uint64
	File uint32 // from 1; 0 in .nv_debug_line_sass
	Line uint32
	// Call is the number of the row, from 1 in its sequence, that says where
	// this code was inlined, and Func the offset of the callee's name in
	// .debug_str; 0: it was not.
	Call uint32
	Func uint64
}

// Sequence is the rows of one function, by address; End is where it ends.
type Sequence struct {
	Rows []Row
	End  uint64
}

// SourceFile is an entry of the file table; Dir 0 is none.
type SourceFile struct {
	Name            string
	Dir, Time, Size uint64
}

// LineTable is a line program with its header.
type LineTable struct {
	Dirs      []string
	Files     []SourceFile
	Sequences []Sequence
	Names     bool // rows name functions: the header says where in .debug_str
}

// Header constants of the reference's line programs.
const (
	lineVersion = 2
	lineBase    = -5
	lineRange   = 14
	opcodeBase  = 10
)

// opcodeLengths are the operand counts of the standard opcodes.
var opcodeLengths = [opcodeBase - 1]byte{0, 1, 1, 1, 1, 0, 0, 0, 1}

// Standard and extended opcodes that occur.
const (
	lnsCopy        = 1
	lnsAdvancePC   = 2
	lnsAdvanceLine = 3
	lnsSetFile     = 4
	lneEnd         = 1
	lneSetAddress  = 2
	lneInlined     = 0x90 // the reference's own: the row of the call, the callee's name
)

// AppendLines adds a line program and returns, for each sequence, the offset
// of the address that a relocation fills.
func AppendLines(b []byte, t *LineTable) ([]byte, []int) {
	start := len(b)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint16(b, lineVersion)
	b = le.AppendUint32(b, 0)
	head := len(b)
	base := lineBase
	b = append(b, 1, 1, byte(base), lineRange, opcodeBase)
	b = append(b, opcodeLengths[:]...)
	for _, d := range t.Dirs {
		b = append(append(b, d...), 0)
	}
	b = append(b, 0)
	for _, f := range t.Files {
		b = append(append(b, f.Name...), 0)
		b = binary.AppendUvarint(b, f.Dir)
		b = binary.AppendUvarint(b, f.Time)
		b = binary.AppendUvarint(b, f.Size)
	}
	b = append(b, 0)
	if t.Names {
		b = le.AppendUint32(b, 0)
	}
	le.PutUint32(b[head-4:], uint32(len(b)-head))
	var fixes []int
	for i := range t.Sequences {
		var at int
		b, at = appendSequence(b, &t.Sequences[i])
		fixes = append(fixes, at)
	}
	le.PutUint32(b[start:], uint32(len(b)-start-4))
	return b, fixes
}

// NamesAt returns the offset of the word in the header of a table with names
// that says where in .debug_str they begin.
func NamesAt(b []byte) int { return 10 + int(le.Uint32(b[6:])) - 4 }

// appendSequence writes the rows of a function. A row that changes the file
// is spelled out, and so is the first, one at the place of the one before,
// and every one whose steps no special opcode holds.
func appendSequence(b []byte, s *Sequence) ([]byte, int) {
	b = append(b, 0, 9, lneSetAddress)
	fix := len(b)
	b = le.AppendUint64(b, 0)
	cur := Row{File: 1, Line: 1}
	for i, r := range s.Rows {
		if r.Call != cur.Call || r.Func != cur.Func {
			x := binary.AppendUvarint([]byte{lneInlined}, uint64(r.Call))
			x = binary.AppendUvarint(x, r.Func)
			b = append(append(b, 0, byte(len(x))), x...)
		}
		isNew := i == 0 || r.File != cur.File
		if isNew {
			b = append(b, lnsSetFile)
			b = binary.AppendUvarint(b, uint64(r.File))
		}
		pc, line := r.Addr-cur.Addr, int64(r.Line)-int64(cur.Line)
		op := uint64(opcodeBase) + lineRange*pc + uint64(line-lineBase)
		if !isNew && pc > 0 && line >= lineBase && line < lineBase+lineRange && pc < 256 && op < 256 {
			b = append(b, byte(op))
		} else {
			b = appendSteps(b, pc, line, isNew)
		}
		cur = r
	}
	if s.End != cur.Addr {
		b = append(b, lnsAdvancePC)
		b = appendVarint(b, int64(s.End-cur.Addr)) // signed form, as the reference writes it
	}
	return append(b, 0, 1, lneEnd), fix
}

func appendSteps(b []byte, pc uint64, line int64, isNew bool) []byte {
	if line != 0 || pc == 0 || isNew {
		b = append(b, lnsAdvanceLine)
		b = appendVarint(b, line)
	}
	if pc != 0 {
		b = append(b, lnsAdvancePC)
		b = appendVarint(b, int64(pc))
	}
	return append(b, lnsCopy)
}

// appendVarint adds a signed LEB128 number, which is not the zigzag form of
// encoding/binary.
func appendVarint(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

var errLines = errors.New("line program is malformed or uses unknown opcodes")

// ParseLines reads one program as AppendLines writes it.
func ParseLines(b []byte) (*LineTable, error) {
	const fixed = 10 + 5 + len(opcodeLengths)
	if len(b) < fixed || uint64(le.Uint32(b))+4 != uint64(len(b)) || le.Uint16(b[4:]) != lineVersion || b[14] != opcodeBase {
		return nil, errLines
	}
	body := 10 + uint64(le.Uint32(b[6:]))
	if body > uint64(len(b)) || body < uint64(fixed) {
		return nil, errLines
	}
	t := &LineTable{}
	r := &lineReader{b: b[fixed:body]}
	for s := r.text(); s != ""; s = r.text() {
		t.Dirs = append(t.Dirs, s)
	}
	for s := r.text(); s != ""; s = r.text() {
		t.Files = append(t.Files, SourceFile{s, r.uleb(), r.uleb(), r.uleb()})
	}
	if len(r.b) == 4 && !r.bad {
		t.Names = true
	}
	for r = (&lineReader{b: b[body:], bad: r.bad}); len(r.b) > 0 && !r.bad; {
		t.Sequences = append(t.Sequences, r.sequence())
	}
	if r.bad {
		return nil, errLines
	}
	return t, nil
}

// lineReader takes values off the front of a program; bad sticks.
type lineReader struct {
	b   []byte
	bad bool
}

func (r *lineReader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *lineReader) text() string {
	n := bytes.IndexByte(r.b, 0)
	if n < 0 {
		r.bad = true
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n+1:]
	return s
}

func (r *lineReader) uleb() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *lineReader) sleb() int64 {
	var v int64
	for shift := uint(0); shift < 64; shift += 7 {
		c := r.byte()
		v |= int64(c&0x7f) << shift
		if c&0x80 == 0 {
			if c&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.bad = true
	return 0
}

// sequence runs the program to the end of one sequence.
func (r *lineReader) sequence() Sequence {
	var s Sequence
	cur := Row{File: 1, Line: 1}
	for !r.bad {
		switch op := r.byte(); {
		case op >= opcodeBase:
			step := uint64(op - opcodeBase)
			cur.Addr += step / lineRange
			cur.Line += uint32(int(step%lineRange) + lineBase)
			s.Rows = append(s.Rows, cur)
		case op == 0:
			n := r.uleb()
			if n == 0 || n > uint64(len(r.b)) {
				r.bad = true
				break
			}
			x := lineReader{b: r.b[1:n]}
			sub := r.b[0]
			r.b = r.b[n:]
			switch sub {
			case lneEnd:
				s.End = cur.Addr
				return s
			case lneInlined:
				cur.Call, cur.Func = uint32(x.uleb()), x.uleb()
				r.bad = r.bad || x.bad
			case lneSetAddress:
			default:
				r.bad = true
			}
		case op == lnsCopy:
			s.Rows = append(s.Rows, cur)
		case op == lnsAdvancePC:
			cur.Addr += r.uleb()
		case op == lnsAdvanceLine:
			cur.Line += uint32(r.sleb())
		case op == lnsSetFile:
			cur.File = uint32(r.uleb())
		default:
			r.bad = true
		}
	}
	return s
}
