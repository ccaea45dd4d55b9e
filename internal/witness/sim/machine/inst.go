package machine

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
)

// Inst is an instruction as the simulator runs it: what its word says, and
// the function that is its meaning.
type Inst struct {
	code.Inst
	Run     func(*Warp, *Inst, uint32)
	kind    Class
	missing bool // it has no meaning here
}

// Meanings finds what an operation does.
type Meanings func(op sass.Op) *Meaning

// Routine is what a routine of the driver does for some lanes that call it.
type Routine func(w *Warp, m uint32)

// Routines finds what a routine of the driver does by its name; nil if it has
// no meaning.
type Routines func(name string) Routine

// instOf decodes one word and gives it its meaning.
func instOf(d *code.Decoder, of Meanings, in sass.Inst, pc uint64) (i Inst, err error) {
	var parts []string
	if i.Inst, parts, err = d.Decode(in, pc); err != nil {
		return i, err
	}
	row := of(i.Op)
	if row == nil {
		return i, fmt.Errorf("%s has no meaning in the simulator", i.Mnemonic)
	}
	i.kind, i.Run = row.Class, row.Run
	if row.Prepare != nil {
		if err := row.Prepare(&i, parts); err != nil {
			return i, fmt.Errorf("%s: %w", strings.TrimSuffix(in.Text(d.Arch, pc), " ;"), err)
		}
	}
	if i.Run == nil {
		return i, fmt.Errorf("%s has no meaning in the simulator", i.Mnemonic)
	}
	return i, nil
}

// Meaning says what an operation does: the class it is counted in, the
// function that runs it, and what it still wants from the mnemonic.
type Meaning struct {
	Class   Class
	Run     func(*Warp, *Inst, uint32)
	Prepare func(i *Inst, parts []string) error
}

// Nothing is the meaning of fences and hints where every access completes
// at once and in order.
func Nothing(*Warp, *Inst, uint32) {}
