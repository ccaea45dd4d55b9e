package gen

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/gen/table"
)

// access makes a load, a store or an atomic operation on memory that no other
// thread writes.
func (m *maker) access() Stmt {
	f := m.choose(table.Load + m.r.IntN(3))
	size := f.Bytes()
	lines, at := m.place(f, size)
	var taken, args []string
	load := f.Kind() == table.Load || f.Name() == "atom"
	for n, a := range f.Args {
		switch {
		case a[0] == '[':
			args = append(args, "["+at+"]")
		case n == len(f.Args)-1 && f.Has("L2::cache_hint"):
			lines = append(lines, ".reg .b64 %pol;", "createpolicy.fractional.L2::"+m.pick("evict_first", "evict_last", "evict_unchanged")+".b64 %pol, 1.0;")
			args = append(args, "%pol")
		default:
			args = append(args, m.put(a, load && n == 0, &taken))
		}
	}
	if f.Kind() == table.Store {
		lines = append(lines, m.whole(f, args)...)
	}
	guard := ""
	if m.chance(10) {
		guard = "@" + m.pick("", "!") + m.reg('p') + " "
	}
	lines = append(append([]string{"{"}, lines...), guard+f.Op+" "+strings.Join(args, ", ")+";")
	return &Seq{append(lines, "}")}
}

// whole makes a store of a part of a register store an integer: of what an
// instruction for floats gave, the reference stores the number rounded.
func (m *maker) whole(f *table.Form, args []string) []string {
	var lines []string
	for n, r := range table.RegNames(args[1]) {
		size := map[byte]int{'h': 2, 'r': 4, 'x': 4, 'd': 8}[r[1]]
		t := f.Typ()
		if len(t) < 2 || strings.HasSuffix(t, fmt.Sprint(8*size)) {
			continue
		}
		lines = append(lines, fmt.Sprintf(".reg .b%d %%part%d;", 8*size, n), fmt.Sprintf("xor.b%d %%part%d, %s, -1;", 8*size, n, r))
		args[1] = strings.Replace(args[1], r, fmt.Sprintf("%%part%d", n), 1)
	}
	return lines
}

// place finds memory for a form: lines that make an address, and the address.
func (m *maker) place(f *table.Form, size int) (lines []string, at string) {
	only := f.Kind() == table.Load // a constant may be read too
	switch f.Space() {
	case "global":
		return m.inGlobal(size, only, f.Has("nc") || f.Name() == "ldu")
	case "shared":
		return []string{"// smem"}, fmt.Sprintf("%%sp+%d", size*m.r.IntN(16/size))
	case "local":
		return m.inStack(size)
	case "const":
		return m.inTable(size)
	}
	k := m.r.IntN(4)
	switch {
	case k == 0:
		lines, at = m.inGlobal(size, only, false)
		switch {
		case at[0] != '%':
			lines = append(lines, ".reg .b64 %a;", "mov.u64 %a, "+at+";")
		case at != "%a":
			lines = append(lines, ".reg .b64 %a;", "add.u64 %a, "+strings.Replace(at, "+", ", ", 1)+";")
		}
		return append(lines, "cvta.global.u64 %a, %a;"), "%a"
	case k == 1 && f.Kind() != table.Atom:
		lines, _ = m.inStack(size)
		return append(lines, "cvta.local.u64 %a, %a;"), "%a"
	case k == 2: // which one is known only when it runs
		return []string{
			"// smem", ".reg .b64 %a, %b;", "cvt.u64.u32 %a, %sp;", "cvta.shared.u64 %a, %a;", fmt.Sprintf("add.u64 %%b, %%out, %d;", scratch), "cvta.global.u64 %b, %b;",
			fmt.Sprintf("selp.b64 %%a, %%a, %%b, %s;", m.reg('p')),
		}, fmt.Sprintf("%%a+%d", size*m.r.IntN(16/size))
	}
	return []string{"// smem", ".reg .b64 %a;", "cvt.u64.u32 %a, %sp;", "cvta.shared.u64 %a, %a;"}, fmt.Sprintf("%%a+%d", size*m.r.IntN(16/size))
}

// inGlobal picks a place in the input, the thread's part of the result or its
// part of a variable of the module.
func (m *maker) inGlobal(size int, read, must bool) (lines []string, at string) {
	if must || read && m.chance(50) {
		return []string{
			".reg .b32 %i;", ".reg .b64 %a;", fmt.Sprintf("and.b32 %%i, %s, %d;", m.reg('r'), (inBytes-1)&^(size-1)), "cvt.u64.u32 %a, %i;", "add.u64 %a, %in, %a;",
		}, "%a"
	}
	if read && m.chance(30) {
		return nil, fmt.Sprintf("%s_dat+%d", m.p.Name, size*m.r.IntN(64/size))
	}
	if m.chance(30) {
		return []string{"// module"}, fmt.Sprintf("%%own+%d", size*m.r.IntN(16/size))
	}
	return nil, fmt.Sprintf("%%out+%d", scratch+size*m.r.IntN(64/size))
}

// inStack picks a place in local memory with an index of the program's.
func (m *maker) inStack(size int) (lines []string, at string) {
	return []string{
		".reg .b32 %i;", ".reg .b64 %a, %b;", fmt.Sprintf("and.b32 %%i, %s, %d;", m.reg('r'), 63&^(size-1)), "mov.u64 %a, stack;", "cvt.u64.u32 %b, %i;", "add.u64 %a, %a, %b;",
	}, "%a"
}

// inTable picks a place in the table of constants.
func (m *maker) inTable(size int) (lines []string, at string) {
	if m.chance(50) {
		return nil, fmt.Sprintf("%s_tab+%d", m.p.Name, size*m.r.IntN(64/size))
	}
	return []string{
		".reg .b32 %i;", ".reg .b64 %a, %b;", fmt.Sprintf("and.b32 %%i, %s, %d;", m.reg('r'), 63&^(size-1)), "mov.u64 %a, " + m.p.Name + "_tab;",
		"cvt.u64.u32 %b, %i;", "add.u64 %a, %a, %b;",
	}, "%a"
}
