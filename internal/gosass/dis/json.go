package dis

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
)

// jsonHead is the first element of the list that nvdisasm -json prints.
type jsonHead struct {
	ELF struct {
		Layout int `json:"layout-id"`
		OSABI  int `json:"ei_osabi"`
		ABIVer int `json:"ei_abiversion"`
	}
	SM struct {
		Version struct {
			Major int `json:"major"`
			Minor int `json:"minor"`
		} `json:"version"`
	}
	Producer string
}

// jsonFunc is one function.
type jsonFunc struct {
	Name   string      `json:"function-name"`
	Start  uint64      `json:"start"`
	Length uint64      `json:"length"`
	Attrs  []string    `json:"other-attributes"`
	Code   []*jsonInst `json:"sass-instructions"`
}

type jsonInst struct {
	Predicate string            `json:"predicate,omitempty"`
	Opcode    string            `json:"opcode"`
	Operands  string            `json:"operands,omitempty"`
	Control   string            `json:"control,omitempty"`
	Word      string            `json:"word,omitempty"`
	Attrs     map[string]string `json:"other-attributes,omitempty"`
}

// JSON prints the code of a file in the schema of nvdisasm -json, with the
// control column and the word added when asked for.
func JSON(f *cubin.File, opt *Options) ([]byte, error) {
	p, err := load(f, opt.Only)
	if err != nil {
		return nil, err
	}
	var head jsonHead
	head.ELF.Layout, head.ELF.OSABI, head.ELF.ABIVer = 4, 0x41, 8
	head.SM.Version.Major, head.SM.Version.Minor = f.SM/10, f.SM%10
	head.Producer = "gosass"
	funcs := []*jsonFunc{}
	for _, t := range p.sections {
		funcs = append(funcs, t.jsonFuncs(p, opt)...)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err = e.Encode([]any{head, funcs})
	return b.Bytes(), err
}

func (t *textSection) jsonFuncs(p *program, opt *Options) []*jsonFunc {
	var list []*jsonFunc
	for _, s := range t.syms {
		if s.Type != cubin.SymFunc {
			continue
		}
		x := &jsonFunc{Name: s.Name, Start: s.Value, Length: s.Size, Attrs: []string{}, Code: []*jsonInst{}}
		from, to := min(s.Value, uint64(len(t.code))), uint64(len(t.code))
		if s.Size < to-from {
			to = from + s.Size
		}
		for pc := from; pc+sass.WordBytes <= to; pc += sass.WordBytes {
			x.Code = append(x.Code, jsonInstAt(p, t, pc, opt))
		}
		list = append(list, x)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Start < list[j].Start })
	return list
}

func jsonInstAt(p *program, t *textSection, pc uint64, opt *Options) *jsonInst {
	i := sass.Decode(p.arch, t.word(pc))
	text := strings.TrimRight(i.Text(p.arch, pc), " ;")
	x := &jsonInst{}
	if strings.HasPrefix(text, "@") {
		x.Predicate, text, _ = strings.Cut(text, " ")
	}
	x.Opcode, x.Operands, _ = strings.Cut(text, " ")
	x.Operands = strings.ReplaceAll(x.Operands, ", ", ",")
	if isControlFlow(i.Op()) {
		x.Attrs = map[string]string{"control-flow": "True"}
	}
	if opt.Ctrl {
		x.Control = i.Ctrl().String()
	}
	if opt.Hex {
		w := appendHexN(nil, i.Word().Hi, 16)
		x.Word = "0x" + string(appendHexN(w, i.Word().Lo, 16))
	}
	return x
}
