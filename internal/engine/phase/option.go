package phase

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// flags are what --phase options say about one step.
type flags struct {
	on, off    bool
	time, mem  bool
	check      bool
	stopAfter  bool
	dump, html dumpFlag
}

// dumpFlag is a wish for output, for all functions or for those a pattern
// matches.
type dumpFlag struct {
	set     bool
	pattern string
}

func (d dumpFlag) wants(fn string) bool {
	if !d.set || d.pattern == "" {
		return d.set
	}
	ok, err := path.Match(d.pattern, fn)
	return d.pattern == fn || ok && err == nil
}

// flagRow is one flag of the option grammar NAME/FLAG[=VALUE].
type flagRow struct {
	name  string
	value string // what a value means; "" when there is none
	doc   string
	set   func(f *flags, v string) error
}

var flagTable = [...]flagRow{
	{"on", "", "run the phase whatever the -O level and its knob say", func(f *flags, _ string) error { f.on, f.off = true, false; return nil }},
	{"off", "", "do not run the phase", func(f *flags, _ string) error { f.off, f.on = true, false; return nil }},
	{"time", "", "report the time of the phase", func(f *flags, _ string) error { f.time = true; return nil }},
	{"mem", "", "report the memory of the phase", func(f *flags, _ string) error { f.mem = true; return nil }},
	{"dump", "FUNC", "write the IR after the phase", func(f *flags, v string) error { f.dump = dumpFlag{true, v}; return nil }},
	{"html", "FUNC", "write the IR after the phase as a page", func(f *flags, v string) error { f.html = dumpFlag{true, v}; return nil }},
	{"check", "", "verify the IR after the phase", func(f *flags, _ string) error { f.check = true; return nil }},
	{"stop-after", "", "run nothing after the phase", func(f *flags, _ string) error { f.stopAfter = true; return nil }},
}

// option applies one value of --phase. NAME is a phase, a pattern with * that
// matches some, "all", or the pseudo-phase "check", which alone verifies after
// every phase.
func (r *Runner[F]) option(text string) error {
	name, flag, found := strings.Cut(text, "/")
	if name == "check" && (!found || flag == "on") {
		r.checkAll = true
		return nil
	}
	if !found {
		return fmt.Errorf("phase option %q is not NAME/FLAG[=VALUE]", text)
	}
	flag, val, hasVal := strings.Cut(flag, "=")
	row := findFlag(flag)
	if row == nil {
		return fmt.Errorf("phase option %q: unknown flag %q", text, flag)
	}
	if hasVal && row.value == "" {
		return fmt.Errorf("phase option %q: flag %s takes no value", text, flag)
	}
	any := false
	for i := range r.plan {
		s := &r.plan[i]
		if !matches(name, s.row.Name) {
			continue
		}
		if s.row.Required && flag == "off" {
			if strings.EqualFold(name, s.row.Name) {
				return fmt.Errorf("phase option %q: phase %s is required", text, s.row.Name)
			}
			continue
		}
		any = true
		if err := row.set(&s.flag, val); err != nil {
			return fmt.Errorf("phase option %q: %w", text, err)
		}
	}
	if !any {
		return fmt.Errorf("phase option %q: unknown phase %q", text, name)
	}
	return nil
}

func findFlag(name string) *flagRow {
	for i := range flagTable {
		if flagTable[i].name == name {
			return &flagTable[i]
		}
	}
	return nil
}

func matches(pattern, name string) bool {
	if pattern == "all" || strings.EqualFold(pattern, name) {
		return true
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// dumpIR applies the DUMPIR knob: PHASE[,PHASE…].
func (r *Runner[F]) dumpIR(list string) error {
	for _, n := range splitNames(list) {
		if err := r.option(n + "/dump"); err != nil {
			return fmt.Errorf("knob DUMPIR: unknown phase %q", n)
		}
	}
	return nil
}

// WriteHelp prints the phases of a table and the flags of the option grammar.
func (t *Table[F]) WriteHelp(w io.Writer) error {
	var b strings.Builder
	b.WriteString("--phase NAME/FLAG[=VALUE]; NAME may be a pattern, \"all\", or \"check\" alone\nflags:\n")
	for i := range flagTable {
		f := &flagTable[i]
		name := f.name
		if f.value != "" {
			name += "[=" + f.value + "]"
		}
		fmt.Fprintf(&b, "  %-12s  %s\n", name, f.doc)
	}
	b.WriteString("phases:\n")
	for i := range t.Rows {
		r := &t.Rows[i]
		note := ""
		switch {
		case r.Required:
			note = "required"
		case r.MinOpt > 0:
			note = fmt.Sprintf("from -O%d", r.MinOpt)
		}
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(fmt.Sprintf("  %-32s  %s", r.Name, note), " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
