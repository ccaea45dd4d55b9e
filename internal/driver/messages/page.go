package messages

import "fmt"

// Page returns docs/messages.md: every code with its meanings and the shapes
// of its messages.
func Page() []byte {
	b := []byte(`# Messages

Each kind of message has a code that never changes its meaning. ` + "`--diagnostics=pretty`" + ` (the
form on a terminal) and ` + "`--diagnostics=json`" + ` show it; the one-line form is the reference's and has none.

` + "```" + `
{"severity":"error","code":"P201","file":"k.ptx","line":9,"column":14,"endColumn":18,"message":"Unknown symbol '%r12'","notes":["did you mean '%r1'?"]}
` + "```" + `

Columns count bytes from 1; ` + "`endColumn`" + ` is the one behind the word. Standard input is called ` + "`<stdin>`" + `.
With ` + "`-v`" + ` the message about a kernel's registers has ` + "`facts`" + `: its numbers by name.

| code | the message says | meaning |
| --- | --- | --- |
`)
	for _, k := range byCode() {
		b = fmt.Appendf(b, "| %s | %s | %s |\n", k.Code, escape(k.Pattern), k.Why)
	}
	return b
}

// byCode returns the kinds in the order of their codes.
func byCode() []Kind {
	var list []Kind
	for c := byte('1'); c <= '9'; c++ {
		for n := range 100 {
			for _, k := range Kinds {
				if k.Code == fmt.Sprintf("P%c%02d", c, n) {
					list = append(list, k)
				}
			}
		}
	}
	return list
}

// escape spells a pattern so that a table of Markdown shows it.
func escape(pattern string) string {
	out := []byte{'`'}
	for i := range len(pattern) {
		if pattern[i] == '*' {
			out = append(out, "…"...)
		} else {
			out = append(out, pattern[i])
		}
	}
	return string(append(out, '`'))
}
