package hazard

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Cells number the registers of all files in one row.
const (
	cellUR   = 256
	cellP    = 512
	cellUP   = 520
	cellB    = 528
	numCells = 544
)

var firstCell = [numFiles]uint16{fileR: 0, fileUR: cellUR, fileP: cellP, fileUP: cellUP, fileB: cellB}

func fileOf(cell uint16) file {
	switch {
	case cell < cellUR:
		return fileR
	case cell < cellP:
		return fileUR
	case cell < cellUP:
		return fileP
	case cell < cellB:
		return fileUP
	}
	return fileB
}

// cellName names a cell as the listing does.
func cellName(c uint16) string {
	return fmt.Sprintf("%s%d", fileNames[fileOf(c)], c-firstCell[fileOf(c)])
}

// access is one register that an instruction reads or writes.
type access struct {
	cell uint16
	slot slot
}

// inst is an instruction as the checker sees it.
type inst struct {
	text   string
	words  []string // mnemonic and modifiers
	class  class
	how    byte // F, V or N
	late   bool // it was seen with a read barrier
	ctrl   sass.Ctrl
	never  bool // its guard is false
	guard  int16
	reads  []access
	writes []access
	target int // of a branch, or -1
}

// has reports whether a modifier is present.
func (i *inst) has(mod string) bool {
	for _, w := range i.words[1:] {
		if w == mod {
			return true
		}
	}
	return false
}

// is reports whether the mnemonic is one of names.
func (i *inst) is(names ...string) bool {
	for _, n := range names {
		if i.words[0] == n {
			return true
		}
	}
	return false
}

// more lists operations that the mined list does not hold, by the unit they
// belong to.
var more = map[string]operation{
	"UBLKCP": {class: "tma", how: "N"}, "UBLKPF": {class: "tma", how: "N"}, "UBLKRED": {class: "tma", how: "N"},
	"UTMAREDG": {class: "tma", how: "N"}, "UTMAPF": {class: "tma", how: "N"}, "UMEMSETS": {class: "tma", how: "N"},
	"UGETNEXTWORKID": {class: "syncs", how: "N"}, "ARRIVES": {class: "syncs", how: "N"},
	"BMSK": {class: "alu", how: "F"}, "I2I": {class: "alu", how: "F"}, "I2IP": {class: "alu", how: "F"}, "HSET2": {class: "halfcmp", how: "F"}, "FSWZADD": {class: "fma", how: "F"},
	"TLD4": {class: "tex", how: "V"}, "TXD": {class: "tex", how: "V"}, "TXQ": {class: "tex", how: "V"}, "SUATOM": {class: "tex", how: "V"},
	"SURED": {class: "tex", how: "N"}, "SUQ": {class: "tex", how: "V"}, "TMML": {class: "tex", how: "V"},
	"RED": {class: "stg", how: "N"}, "STAS": {class: "stg", how: "N"}, "REDAS": {class: "stg", how: "N"}, "ATOMS": {class: "lds", how: "V"}, "VOTEU": {class: "voteu", how: "F"}, "BMMA": {class: "mma2", how: "F"},
}

// describe makes an instruction of a word.
func (t *table) describe(a *target.Arch, x sass.Inst, at int) inst {
	i := inst{text: x.Text(a, uint64(16*at)), ctrl: x.Ctrl(), target: -1}
	word := i.text
	if strings.HasPrefix(word, "@") {
		_, word, _ = strings.Cut(word, " ")
	}
	word, _, _ = strings.Cut(strings.TrimSuffix(word, ";"), " ")
	i.words = strings.Split(word, ".")
	t.classify(&i, x)
	g := x.Guard()
	switch {
	case g.Pred == 7:
		i.never = g.Not
	default:
		f := fileP
		if x.GuardFile() == sass.FileUP {
			f = fileUP
		}
		c := firstCell[f] + uint16(g.Pred)
		i.guard = int16(c)
		if g.Not {
			i.guard = -i.guard
		}
		i.reads = append(i.reads, access{c, "g"})
	}
	if i.never {
		return i
	}
	i.operands(x, at)
	i.implied(x)
	return i
}

// classify finds the row of the mined list with the most words of i.
func (t *table) classify(i *inst, x sass.Inst) {
	i.class, i.how = "?", 'N'
	if i.ctrl.WrBar != sass.NoBar {
		i.how = 'V'
	}
	best := -1
	for _, o := range t.ops[i.words[0]] {
		n := 0
		for _, w := range o.words[1:] {
			if !i.has(w) && !(w == "64" && i.wide64()) {
				n = -100
			}
			n++
		}
		if n > best {
			best, i.class, i.how, i.late = n, o.class, o.how[0], strings.HasSuffix(o.how, "r")
		}
	}
	if best < 0 {
		if o, ok := more[i.words[0]]; ok {
			i.class, i.how = o.class, o.how[0]
		} else if list := t.ops[i.words[0]]; len(list) > 0 { // a shape that was not seen: the last row
			i.class, i.how = list[len(list)-1].class, list[len(list)-1].how[0]
		}
	}
	if i.is("CCTL") && x.NArg() > 0 { // it goes down the memory queue
		i.class = "stg"
	}
	switch {
	case i.is("SYNCS", "ATOM", "ATOMG", "ATOMS"):
		i.how = 'V' // the state of the mbarrier or the old value, if anybody wants it
	case i.is("B2R", "I2I") && i.ctrl.WrBar == sass.NoBar:
		i.how = 'F' // the reference reads these after some cycles where it gives them no barrier
	case i.is("B2R", "I2I"):
		i.how = 'V'
	case i.is("BAR"):
		i.late = true // its number and count, where they are in registers
	case i.is("RPCMOV") && x.NArg() > 0 && x.Arg(0).Role == sass.Read:
		i.class = "cbu" // to a register of calls
	case i.is("QSPC"):
		i.class = "lds" // it stands in the queue of shared memory
	}
	if i.is("BMOV") && x.NArg() > 0 && x.Arg(0).File == sass.FileR {
		i.how = 'V'
	}
}

// wide64 reports whether a conversion has a 64-bit side, or CS2R its usual
// size.
func (i *inst) wide64() bool {
	if i.is("CS2R") {
		return !i.has("32")
	}
	return i.has("F64") || i.has("S64") || i.has("U64")
}

var sassFiles = [...]file{sass.FileR: fileR, sass.FileU: fileUR, sass.FileP: fileP, sass.FileUP: fileUP, sass.FileB: fileB}

// operands adds the registers that the text names.
func (i *inst) operands(x sass.Inst, at int) {
	n := 0 // number of the source
	for k := range x.NArg() {
		o := x.Arg(k)
		if o.Kind == sass.KindLabel {
			i.target = at + 1 + int(o.Imm)/16
		}
		source := o.Role != sass.Write && o.Role != sass.Address && o.File != sass.FileP && o.File != sass.FileUP
		if o.Kind == sass.KindReg && !o.Zero && o.File != sass.FileNone && o.File != sass.FileSB {
			i.operand(o, n)
		}
		if source {
			n++
		}
	}
}

func (i *inst) operand(o sass.Operand, n int) {
	f := sassFiles[o.File]
	cell := firstCell[f] + uint16(o.Reg)
	for k := range uint16(max(1, o.Width)) {
		if o.Role != sass.Write {
			i.reads = append(i.reads, access{cell + k, i.slot(o, f, n, k)})
		}
		if o.Role == sass.Write || o.Role == sass.Both {
			s := slot("d")
			if i.class == "wide" && f == fileR {
				s = [...]slot{"d.lo", "d.hi"}[min(k, 1)]
			}
			i.writes = append(i.writes, access{cell + k, s})
		}
	}
}

// slot names word k of source n with the words of the table.
func (i *inst) slot(o sass.Operand, f file, n int, k uint16) slot {
	if f == fileP || f == fileUP {
		return "p"
	}
	switch i.class {
	case "mma1", "mma2", "imma88", "qmma", "dmma":
		return [...]slot{"a", "b", "c"}[min(n, 2)]
	case "gmma":
		switch {
		case f == fileUR:
			return "gdesc"
		case len(i.writes) > 0 && i.writes[0].cell == uint16(o.Reg):
			return "c"
		}
		return "a"
	case "wide", "uwide":
		switch {
		case n < 2:
			return "ab"
		case k == 0:
			return "c.lo"
		}
		return "c.hi"
	case "ldc", "uldc", "ldcu":
		return "cidx"
	case "tma", "utc":
		return "uaddr"
	case "ldg", "stg", "lds", "sts", "ldgsts", "syncs", "tex", "tmem":
		return i.memSlot(o, f)
	}
	if o.Role == sass.Address {
		return "cidx"
	}
	return "s"
}

func (i *inst) memSlot(o sass.Operand, f file) slot {
	switch {
	case i.is("SHFL", "MOVM"):
		return "s"
	case o.Role != sass.Address:
		return "data"
	case f == fileUR && strings.Contains(i.text, fmt.Sprintf(" desc[UR%d]", o.Reg)):
		return "desc"
	case f == fileUR:
		return "uaddr"
	}
	return "addr"
}

// implied adds the predicates that P2R and its like move by a mask.
func (i *inst) implied(x sass.Inst) {
	f, write := fileP, false
	switch i.words[0] {
	case "P2R":
	case "R2P":
		write = true
	case "UP2UR":
		f = fileUP
	case "UR2UP":
		f, write = fileUP, true
	default:
		return
	}
	mask := int64(0x7f)
	for k := range x.NArg() {
		if o := x.Arg(k); o.Kind == sass.KindImm {
			mask = o.Imm
		}
	}
	for b := range uint16(7) {
		switch {
		case mask>>b&1 == 0:
		case write:
			i.writes = append(i.writes, access{firstCell[f] + b, "d"})
		default:
			i.reads = append(i.reads, access{firstCell[f] + b, "p"})
		}
	}
}
