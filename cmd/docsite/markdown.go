package main

import (
	"fmt"
	"html"
	"strings"
	"unicode"
)

// A page is written in the part of Markdown that the documents use: headings,
// paragraphs, lists, tables, fenced and indented code, and within a line
// code, links, pictures and bold words. Anything else shows as it stands.

// section is a part of a page under one heading, for the search.
type section struct {
	ID, Title string
	Text      strings.Builder
}

// render turns a page into HTML and its sections. link maps the target of a
// link to the address on the site.
func render(text string, link func(string) string) (out string, list []*section) {
	r := &renderer{link: link, lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), seen: map[string]int{}}
	for r.at < len(r.lines) {
		r.block()
	}
	return r.out.String(), r.sections
}

type renderer struct {
	link     func(string) string
	lines    []string
	at       int
	out      strings.Builder
	sections []*section
	seen     map[string]int
}

func (r *renderer) line() string { return r.lines[r.at] }

// block writes the block that begins at the line.
func (r *renderer) block() {
	line := r.line()
	switch trimmed := strings.TrimSpace(line); {
	case trimmed == "":
		r.at++
	case strings.HasPrefix(line, "```"):
		r.fence()
	case strings.HasPrefix(line, "    "):
		r.indented()
	case strings.HasPrefix(line, "#"):
		r.heading()
	case strings.HasPrefix(line, "|"):
		r.table()
	case bullet(line) > 0:
		r.items(bullet(line) == 2)
	default:
		r.paragraph()
	}
}

// note adds words to the section at work.
func (r *renderer) note(text string) {
	if n := len(r.sections); n > 0 {
		r.sections[n-1].Text.WriteString(plain(text) + " ")
	}
}

func (r *renderer) code(lines []string) {
	text := strings.Join(lines, "\n")
	r.note(text)
	r.out.WriteString("<pre><code>" + html.EscapeString(text) + "</code></pre>\n")
}

func (r *renderer) fence() {
	from := r.at + 1
	for r.at = from; r.at < len(r.lines) && !strings.HasPrefix(r.line(), "```"); {
		r.at++
	}
	r.code(r.lines[from:r.at])
	r.at++
}

func (r *renderer) indented() {
	from := r.at
	for r.at < len(r.lines) && strings.HasPrefix(r.line(), "    ") {
		r.at++
	}
	list := make([]string, r.at-from)
	for n := range list {
		list[n] = r.lines[from+n][4:]
	}
	r.code(list)
}

func (r *renderer) heading() {
	line := r.line()
	level := len(line) - len(strings.TrimLeft(line, "#"))
	title := strings.TrimSpace(line[level:])
	id := anchor(title)
	if r.seen[id]++; r.seen[id] > 1 {
		id = fmt.Sprintf("%s-%d", id, r.seen[id]-1)
	}
	r.sections = append(r.sections, &section{ID: id, Title: plain(title)})
	fmt.Fprintf(&r.out, "<h%d id=\"%s\">%s</h%d>\n", level, id, r.inline(title), level)
	r.at++
}

// anchor is the name that links give a heading.
func anchor(title string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(plain(title)) {
		switch {
		case unicode.IsLetter(c) || unicode.IsDigit(c) || c == '-' || c == '_':
			b.WriteRune(c)
		case c == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// cells cuts a row of a table; a bar in code or behind a backslash is no end.
func cells(line string) (list []string) {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	from, code := 0, false
	for n := 0; n < len(line); n++ {
		switch {
		case line[n] == '`':
			code = !code
		case line[n] == '|' && !code && (n == 0 || line[n-1] != '\\'):
			list = append(list, strings.TrimSpace(line[from:n]))
			from = n + 1
		}
	}
	return append(list, strings.TrimSpace(line[from:]))
}

func (r *renderer) table() {
	r.out.WriteString("<div class=\"wide\"><table>\n")
	for first := true; r.at < len(r.lines) && strings.HasPrefix(r.line(), "|"); r.at++ {
		if strings.Trim(r.line(), "|-: ") == "" {
			continue
		}
		tag := "td"
		if first {
			tag, first = "th", false
		}
		r.out.WriteString("<tr>")
		for _, c := range cells(r.line()) {
			r.note(c)
			fmt.Fprintf(&r.out, "<%s>%s</%s>", tag, r.inline(strings.ReplaceAll(c, "\\|", "|")), tag)
		}
		r.out.WriteString("</tr>\n")
	}
	r.out.WriteString("</table></div>\n")
}

// bullet tells whether a line begins an item: 1 of a list, 2 of a numbered
// one, 0 if it does not.
func bullet(line string) int {
	t := strings.TrimLeft(line, " ")
	if strings.HasPrefix(t, "* ") || strings.HasPrefix(t, "- ") {
		return 1
	}
	digits := len(t) - len(strings.TrimLeft(t, "0123456789"))
	if digits > 0 && strings.HasPrefix(t[digits:], ". ") {
		return 2
	}
	return 0
}

func depth(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// items writes a list; deeper items make lists inside.
func (r *renderer) items(numbered bool) {
	tag := "ul"
	if numbered {
		tag = "ol"
	}
	base := depth(r.line())
	r.out.WriteString("<" + tag + ">\n")
	for r.at < len(r.lines) && bullet(r.line()) > 0 && depth(r.line()) == base {
		_, text, _ := strings.Cut(strings.TrimLeft(r.line(), " "), " ")
		for r.at++; r.at < len(r.lines) && depth(r.line()) > base && bullet(r.line()) == 0 && strings.TrimSpace(r.line()) != ""; r.at++ {
			text += " " + strings.TrimSpace(r.line())
		}
		r.note(text)
		r.out.WriteString("<li>" + r.inline(text))
		if r.at < len(r.lines) && bullet(r.line()) > 0 && depth(r.line()) > base {
			r.items(bullet(r.line()) == 2)
		}
		r.out.WriteString("</li>\n")
	}
	r.out.WriteString("</" + tag + ">\n")
}

func (r *renderer) paragraph() {
	from := r.at
	for r.at < len(r.lines) && strings.TrimSpace(r.line()) != "" && !strings.HasPrefix(r.line(), "```") && !strings.HasPrefix(r.line(), "|") && !strings.HasPrefix(r.line(), "#") && bullet(r.line()) == 0 {
		r.at++
	}
	if r.at == from { // nothing that ends it may be its start
		r.at++
	}
	text := strings.Join(r.lines[from:r.at], " ")
	r.note(text)
	r.out.WriteString("<p>" + r.inline(text) + "</p>\n")
}

// inline writes the marks within a line.
func (r *renderer) inline(s string) string {
	var b strings.Builder
	for s != "" {
		switch {
		case s[0] == '`':
			if end := strings.IndexByte(s[1:], '`'); end >= 0 {
				b.WriteString("<code>" + html.EscapeString(s[1:1+end]) + "</code>")
				s = s[end+2:]
				continue
			}
		case strings.HasPrefix(s, "**"):
			if end := strings.Index(s[2:], "**"); end > 0 {
				b.WriteString("<b>" + r.inline(s[2:2+end]) + "</b>")
				s = s[end+4:]
				continue
			}
		case s[0] == '[' || strings.HasPrefix(s, "!["):
			if words, to, rest, ok := linked(strings.TrimPrefix(s, "!")); ok {
				if s[0] == '!' {
					fmt.Fprintf(&b, `<img src="%s" alt="%s">`, html.EscapeString(r.link(to)), html.EscapeString(words))
				} else {
					fmt.Fprintf(&b, `<a href="%s">%s</a>`, html.EscapeString(r.link(to)), r.inline(words))
				}
				s = rest
				continue
			}
		}
		n := 1 + strings.IndexAny(s[1:]+"`", "`*[!")
		b.WriteString(html.EscapeString(s[:n]))
		s = s[n:]
	}
	return b.String()
}

// linked reads [words](to).
func linked(s string) (words, to, rest string, ok bool) {
	mid := strings.Index(s, "](")
	if mid < 0 || strings.Contains(s[1:mid], "[") {
		return "", "", "", false
	}
	end := strings.IndexByte(s[mid:], ')')
	if end < 0 {
		return "", "", "", false
	}
	return s[1:mid], s[mid+2 : mid+end], s[mid+end+1:], true
}

// plain returns a text without marks, for the search.
func plain(s string) string {
	var b strings.Builder
	for s != "" {
		if s[0] == '[' {
			if words, _, rest, ok := linked(s); ok {
				b.WriteString(words)
				s = rest
				continue
			}
		}
		if s[0] != '`' && s[0] != '*' {
			b.WriteByte(s[0])
		}
		s = s[1:]
	}
	return b.String()
}
