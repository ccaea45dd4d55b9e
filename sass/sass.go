// Package sass decodes, encodes and prints instructions of NVIDIA GPUs from
// sm_75 to sm_121. An instruction is a word of 16 bytes; its text is what
// nvdisasm prints.
package sass

import (
	"encoding/binary"
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Size is the length of an instruction in bytes.
const Size = 16

// Arch is a GPU architecture.
type Arch struct{ a *target.Arch }

// ForArch finds an architecture by its name, such as "sm_90a".
func ForArch(name string) (Arch, error) {
	if a := target.Find(name); a != nil {
		return Arch{a}, nil
	}
	return Arch{}, fmt.Errorf("sass: no architecture %q", name)
}

// String returns the name of the architecture.
func (a Arch) String() string { return a.a.Name }

// NoBarrier is the barrier of an instruction that sets none.
const NoBarrier = sass.NoBar

// Control says when an instruction issues.
type Control struct {
	Stall        int  // cycles before the warp's next instruction, 0 to 15
	Yield        bool // another warp may have the turn
	WriteBarrier int  // released when the result is there, 0 to 5 or NoBarrier
	ReadBarrier  int  // released when the sources are read, 0 to 5 or NoBarrier
	Wait         int  // barriers that are waited for, bit n is barrier n
	Reuse        int  // sources that stay in the operand cache, bit n is source n
}

// String returns the control column that gosass prints, such as
// "B--2---:R-:W3:Y:S05".
func (c Control) String() string { return c.ctrl().String() }

func (c Control) ctrl() sass.Ctrl {
	return sass.Ctrl{Stall: uint8(c.Stall), Stay: !c.Yield, WrBar: int8(c.WriteBarrier), RdBar: int8(c.ReadBarrier), Wait: uint8(c.Wait), Reuse: uint8(c.Reuse)}
}

func (c Control) valid() bool {
	bar := func(b int) bool { return b >= NoBarrier && b <= 5 }
	return c.Stall >= 0 && c.Stall <= 15 && bar(c.WriteBarrier) && bar(c.ReadBarrier) && c.Wait>>6 == 0 && c.Reuse>>4 == 0
}

// Inst is one instruction.
type Inst struct {
	a  Arch
	in sass.Inst
}

// Decode reads the instruction in the first Size bytes of code. One that is
// not known decodes too, and says so.
func (a Arch) Decode(code []byte) (Inst, error) {
	if len(code) < Size {
		return Inst{}, fmt.Errorf("sass: %d bytes are no instruction", len(code))
	}
	w := bits.Word{Lo: binary.LittleEndian.Uint64(code), Hi: binary.LittleEndian.Uint64(code[8:])}
	return Inst{a, sass.Decode(a.a, w)}, nil
}

// Parse reads an instruction as Text writes it; pc is its address, from which
// branches count. The control is that of an instruction that waits for
// nothing: set it with SetControl.
func (a Arch) Parse(text string, pc uint64) (Inst, error) {
	in, err := sass.Parse(a.a, text, pc)
	if err != nil {
		return Inst{}, fmt.Errorf("sass: %w", err)
	}
	return Inst{a, in}, nil
}

// Known reports whether the instruction is one that the tables describe.
func (i *Inst) Known() bool { return i.in.Known() }

// Op returns the operation, such as "FFMA".
func (i *Inst) Op() string { return i.in.Op().String() }

// Text returns the instruction at address pc as nvdisasm prints it, with
// the semicolon.
func (i *Inst) Text(pc uint64) string { return i.in.Text(i.a.a, pc) }

// Control returns when the instruction issues.
func (i *Inst) Control() Control {
	c := i.in.Ctrl()
	return Control{Stall: int(c.Stall), Yield: !c.Stay, WriteBarrier: int(c.WrBar), ReadBarrier: int(c.RdBar), Wait: int(c.Wait), Reuse: int(c.Reuse)}
}

// SetControl says when the instruction issues.
func (i *Inst) SetControl(c Control) error {
	if !c.valid() {
		return fmt.Errorf("sass: no such control %+v", c)
	}
	i.in.SetCtrl(c.ctrl())
	return nil
}

// Append appends the instruction's Size bytes.
func (i *Inst) Append(dst []byte) ([]byte, error) {
	w, err := i.in.Encode(i.a.a)
	if err != nil {
		return dst, fmt.Errorf("sass: %w", err)
	}
	dst = binary.LittleEndian.AppendUint64(dst, w.Lo)
	return binary.LittleEndian.AppendUint64(dst, w.Hi), nil
}
