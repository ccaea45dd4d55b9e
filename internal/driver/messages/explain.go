package messages

import (
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax/format"
	"github.com/goptxas/goptxas/internal/target"
)

// Explain gives a message its code and says what was perhaps meant.
func Explain(m *diag.Message) {
	if m.Code == "" {
		m.Code = CodeOf(m.Text)
	}
	word := m.Quoted()
	switch {
	case len(m.Notes) > 0:
	case m.Code == "P404":
		m.Notes = append(m.Notes, "-arch names the GPU, such as -arch=sm_90a; without it that is "+target.Default)
	case word == "":
	case m.Code == "P301":
		op, _, _ := strings.Cut(word, ".")
		meant(m, opcodes(), op)
	case m.Code == "P302":
		meant(m, modifiers(), word)
	case m.Code == "P201":
		explainSymbol(m, word)
	case m.Code == "P601":
		if meant(m, options(word), "-"+strings.TrimPrefix(word, "-")); len(m.Notes) == 0 {
			m.Notes = append(m.Notes, "goptxas --help lists the options")
		}
	case m.Code == "P602" && strings.HasSuffix(m.Text, "'gpu-name'"):
		values := cli.Table[cli.GPUName].Choices()
		meant(m, values, word)
		m.Notes = append(m.Notes, "targets: "+strings.Join(only(values, "sm_"), " "))
	case m.Code == "P402":
		values := only(cli.Table[cli.GPUName].Choices(), "sm_")
		meant(m, values, word)
		m.Notes = append(m.Notes, "targets: "+strings.Join(values, " "))
	}
}

func only(list []string, prefix string) (out []string) {
	for _, s := range list {
		if strings.HasPrefix(s, prefix) {
			out = append(out, s)
		}
	}
	return out
}

func opcodes() (list []string) {
	for w := range isa.NumWords {
		if isa.Word(w).IsOpcode() {
			list = append(list, isa.Word(w).String())
		}
	}
	return list
}

func modifiers() (list []string) {
	for w := range isa.NumWords {
		if x := isa.Word(w); x != isa.WNone && !x.IsOpcode() && !x.IsSpecial() {
			list = append(list, "."+x.String())
		}
	}
	return list
}

// options returns the names of options spelled as the wrong one is: with two
// dashes or with one.
func options(word string) (list []string) {
	long := strings.HasPrefix(word, "-")
	for i := range cli.Table {
		switch o := &cli.Table[i]; {
		case long:
			list = append(list, "-"+o.Long)
		case o.Short != "":
			list = append(list, "-"+o.Short)
		}
	}
	return list
}

// explainSymbol looks for a declared name like the unknown one, and says how
// far a family of registers goes.
func explainSymbol(m *diag.Message, word string) {
	f, _ := m.Source()
	if f == nil {
		return
	}
	stem := strings.TrimRight(word, "0123456789")
	number := word[len(stem):]
	var names []string
	for _, d := range format.OutlineOf(f.Text).Decls {
		n, err := strconv.Atoi(number)
		switch {
		case d.Count == 0:
			names = append(names, d.Name)
		case d.Name == stem && err == nil && n >= d.Count:
			m.Notes = append(m.Notes, "the registers "+stem+"<"+strconv.Itoa(d.Count)+"> end with "+stem+strconv.Itoa(d.Count-1))
			return
		case err == nil && n < d.Count:
			names = append(names, d.Name+number)
		}
	}
	meant(m, names, word)
}
