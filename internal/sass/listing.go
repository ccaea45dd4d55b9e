package sass

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

// The text of an instruction does not show all of its bits: the payload of
// a NaN, the descriptor register of an sm_80 load, fields the hardware
// ignores. A listing that must assemble back to the same words carries
// them in its control column, as ":x" and the bits that differ from what
// Parse assumes.

// Residue returns the bits of i, outside the control field, that its text
// does not show: those that differ from what Parse makes of the text. It
// is zero for nearly every instruction that a compiler emits.
func (i *Inst) Residue(a *target.Arch) bits.Word {
	if i.form == 0 {
		return bits.Word{}
	}
	back, err := Parse(a, i.Text(a, 0), 0)
	if err != nil {
		return bits.Word{}
	}
	return bits.Word{
		Lo: i.w.Lo ^ back.w.Lo,
		Hi: (i.w.Hi ^ back.w.Hi) &^ ctrlMask,
	}
}

// AppendColumn appends the control column of i: Ctrl.AppendText and, where
// the text alone would not give the word back, the residue.
func (i *Inst) AppendColumn(dst []byte, a *target.Arch) []byte {
	dst = i.Ctrl().AppendText(dst)
	r := i.Residue(a)
	if r == (bits.Word{}) {
		return dst
	}
	dst = append(dst, ":x"...)
	if r.Hi != 0 {
		dst = strconv.AppendUint(dst, r.Hi, 16)
		return appendHexN(dst, r.Lo, 16)
	}
	return strconv.AppendUint(dst, r.Lo, 16)
}

// SetColumn applies a control column as AppendColumn writes it to an
// instruction that Parse read. a is the architecture of both.
func (i *Inst) SetColumn(a *target.Arch, col string) error {
	ctrl, hex, has := strings.Cut(col, ":x")
	c, err := ParseCtrl(ctrl)
	if err != nil {
		return err
	}
	if has {
		w, ok := parseResidue(hex)
		if !ok {
			return fmt.Errorf("control column %q: bad residue", col)
		}
		// The column may make the word belong to another form of the same text.
		*i = Decode(a, bits.Word{Lo: i.w.Lo ^ w.Lo, Hi: i.w.Hi ^ w.Hi})
	}
	i.SetCtrl(c)
	return nil
}

func parseResidue(s string) (bits.Word, bool) {
	var w bits.Word
	var err1, err2 error
	if len(s) > 16 {
		w.Hi, err1 = strconv.ParseUint(s[:len(s)-16], 16, 64)
		s = s[len(s)-16:]
	}
	w.Lo, err2 = strconv.ParseUint(s, 16, 64)
	return w, err1 == nil && err2 == nil
}
