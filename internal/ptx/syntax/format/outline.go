package format

import "strconv"

// Declaration is a name that a text declares.
type Declaration struct {
	Name     string
	Space    string // .reg, .param, .entry, .func, …; "" for a label
	Pos, End int    // of the name
	Count    int    // of a family of registers such as %r<10>; 0: one name
	Body     int    // which body it stands in, counted from 1; 0: the module
}

// Outline is what a text declares, read word by word: it needs no tree, so a
// text with faults has one too.
type Outline struct {
	Decls  []Declaration
	Bodies [][2]int // first byte and the one behind the last of each body
}

// declaring are the words that begin declarations.
var declaring = [...]string{".reg", ".param", ".local", ".shared", ".global", ".const", ".entry", ".func"}

// OutlineOf reads the declarations of a text.
func OutlineOf(text []byte) *Outline {
	o := &Outline{}
	f := formatter{text: text}
	space, depth, held, used, header := "", 0, 0, false, false
	for f.next() {
		t := string(f.tok)
		at := f.at - len(t)
		switch {
		case t == "{" && (depth > 0 || header):
			if depth == 0 {
				o.Bodies = append(o.Bodies, [2]int{at, len(text)})
			}
			depth++
			space, header = "", false
		case t == "}" && depth > 0:
			if depth--; depth == 0 {
				o.Bodies[len(o.Bodies)-1][1] = f.at
			}
		case t == ";" || t == "=":
			space, header = "", false
		case t == "(":
			held++
		case t == ")":
			held = max(0, held-1)
		case t[0] == '.' && isDeclaring(t):
			if held == 0 || t == ".param" || t == ".reg" {
				used = used && t == ".param" // the name of a function comes once
				if held == 0 {
					used = false
				}
				space = t
				header = header || t == ".entry" || t == ".func"
			}
		case !isNameByte(t[0]) || t[0] == '.' || t[0] >= '0' && t[0] <= '9':
		case f.at < len(text) && text[f.at] == ':' && depth > 0 && space == "":
			o.add(t, "", at, 0, depth)
		case space != "" && !(used && space != ".param" && space != ".reg"):
			o.add(t, space, at, familySize(text[f.at:]), depth)
			used = space == ".entry" || space == ".func"
		}
	}
	return o
}

func isDeclaring(t string) bool {
	for _, s := range declaring {
		if s == t {
			return true
		}
	}
	return false
}

func (o *Outline) add(name, space string, at, count, depth int) {
	body := 0
	switch {
	case depth > 0:
		body = len(o.Bodies)
	case space == ".param" || space == ".reg": // of the header of the next body
		body = len(o.Bodies) + 1
	}
	o.Decls = append(o.Decls, Declaration{name, space, at, at + len(name), count, body})
}

// familySize reads what stands behind the name of a family: <10>.
func familySize(rest []byte) int {
	if len(rest) == 0 || rest[0] != '<' {
		return 0
	}
	end := 1
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(string(rest[1:end]))
	if err != nil {
		return 0
	}
	return n
}

// Find returns the declaration that a name at a place means, or nil: of its
// own body first, then of the module.
func (o *Outline) Find(name string, at int) *Declaration {
	body := 0
	for n, b := range o.Bodies {
		if at >= b[0] && at < b[1] {
			body = n + 1
		}
	}
	var found *Declaration
	for i := range o.Decls {
		d := &o.Decls[i]
		if d.Body != body && d.Body != 0 || !d.names(name) {
			continue
		}
		if found == nil || found.Body == 0 {
			found = d
		}
	}
	return found
}

// names reports whether a declaration declares a name, perhaps as one of a
// family.
func (d *Declaration) names(name string) bool {
	if d.Count == 0 {
		return d.Name == name
	}
	if len(name) <= len(d.Name) || name[:len(d.Name)] != d.Name {
		return false
	}
	n, err := strconv.Atoi(name[len(d.Name):])
	return err == nil && n < d.Count
}
