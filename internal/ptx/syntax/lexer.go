package syntax

import (
	"bytes"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// token is the kind of a token. Single characters stand for themselves; the
// kinds below, beyond ASCII, are the tokens of more than one character.
type token uint8

const (
	tEOF      token = 0x80 + iota // end of the text
	tErr                          // an error was reported: nothing more is read
	tName                         // identifier
	tDot                          // .word, .word::word
	tInt                          // integer literal
	tFloat                        // decimal float or 0d literal
	tRaw                          // 0f literal
	tString                       // "text"
	tVersion                      // .version N.M, one token as the reference has it
	tBank                         // .const[N]
	tDwarf                        // @@DWARF
	tAtWord                       // @progbits
	tWarp                         // WARP_SZ
	tFuncName                     // function_name
	tInlined                      // inlined_at
	tShl                          // <<
	tShr                          // >>
	tLe                           // <=
	tGe                           // >=
	tEq                           // ==
	tNe                           // !=
	tLand                         // &&
	tLor                          // ||
)

// Classes of bytes. A byte below is either the start of a token class or,
// with clsOther, a token by itself.
const (
	clsOther = iota
	clsSpace
	clsLetter
	clsSigil // _ $ %: a name when a word character follows
	clsDigit
	clsDot
	clsQuote
	clsSlash
	clsHash
	clsPair // may begin a token of two characters
	clsAt
)

// class describes the alphabet. Carriage returns, form feeds and Ctrl-Z are
// blanks; vertical tabs are not.
var class = [256]uint8{
	' ': clsSpace, '\t': clsSpace, '\r': clsSpace, '\n': clsSpace, '\f': clsSpace, '\x1a': clsSpace, 'a': clsLetter,
	'A': clsLetter, 'b': clsLetter, 'B': clsLetter, 'c': clsLetter, 'C': clsLetter, 'd': clsLetter, 'D': clsLetter,
	'e': clsLetter, 'E': clsLetter, 'f': clsLetter, 'F': clsLetter, 'g': clsLetter, 'G': clsLetter, 'h': clsLetter,
	'H': clsLetter, 'i': clsLetter, 'I': clsLetter, 'j': clsLetter, 'J': clsLetter, 'k': clsLetter, 'K': clsLetter,
	'l': clsLetter, 'L': clsLetter, 'm': clsLetter, 'M': clsLetter, 'n': clsLetter, 'N': clsLetter, 'o': clsLetter,
	'O': clsLetter, 'p': clsLetter, 'P': clsLetter, 'q': clsLetter, 'Q': clsLetter, 'r': clsLetter, 'R': clsLetter,
	's': clsLetter, 'S': clsLetter, 't': clsLetter, 'T': clsLetter, 'u': clsLetter, 'U': clsLetter, 'v': clsLetter,
	'V': clsLetter, 'w': clsLetter, 'W': clsLetter, 'x': clsLetter, 'X': clsLetter, 'y': clsLetter, 'Y': clsLetter,
	'z': clsLetter, 'Z': clsLetter, '0': clsDigit, '1': clsDigit, '2': clsDigit, '3': clsDigit, '4': clsDigit,
	'5': clsDigit, '6': clsDigit, '7': clsDigit, '8': clsDigit, '9': clsDigit, '_': clsSigil, '$': clsSigil,
	'%': clsSigil, '.': clsDot, '"': clsQuote, '/': clsSlash, '#': clsHash, '@': clsAt, '<': clsPair, '>': clsPair,
	'=': clsPair, '!': clsPair, '&': clsPair, '|': clsPair,
}

// wordByte are the bytes that words go on with.
var wordByte = [256]bool{
	'a': true, 'A': true, 'b': true, 'B': true, 'c': true, 'C': true, 'd': true, 'D': true, 'e': true, 'E': true,
	'f': true, 'F': true, 'g': true, 'G': true, 'h': true, 'H': true, 'i': true, 'I': true, 'j': true, 'J': true,
	'k': true, 'K': true, 'l': true, 'L': true, 'm': true, 'M': true, 'n': true, 'N': true, 'o': true, 'O': true,
	'p': true, 'P': true, 'q': true, 'Q': true, 'r': true, 'R': true, 's': true, 'S': true, 't': true, 'T': true,
	'u': true, 'U': true, 'v': true, 'V': true, 'w': true, 'W': true, 'x': true, 'X': true, 'y': true, 'Y': true,
	'z': true, 'Z': true, '0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true,
	'8': true, '9': true, '_': true, '$': true,
}

// lexer reads tokens from text[end:]. It never allocates.
type lexer struct {
	text []byte
	tok  token
	pos  int // start of the token
	end  int // past the token
	// openComment is the start of a comment that the text ends in, when
	// tok is tErr because of it; else negative.
	openComment int
	markers     *[]src.Marker // where line markers go, nil when they are known
}

// next reads the next token.
func (l *lexer) next() {
	text := l.text
	i := l.end
	for {
		for uint(i) < uint(len(text)) && class[text[i]] == clsSpace {
			i++
		}
		if i >= len(text) {
			l.set(tEOF, len(text), len(text))
			return
		}
		l.pos = i
		c := text[i]
		switch class[c] {
		case clsLetter:
			l.word(i + 1)
			return
		case clsSigil:
			if i+1 < len(text) && wordByte[text[i+1]] {
				l.word(i + 2)
				return
			}
			l.set(token(c), i, i+1)
			return
		case clsDot:
			l.dot()
			return
		case clsDigit:
			l.number()
			return
		case clsQuote:
			l.string()
			return
		case clsPair:
			l.pair(c)
			return
		case clsAt:
			l.at()
			return
		case clsSlash:
			j, ok := skipComment(text, i)
			if !ok {
				l.openComment = i
				l.set(tErr, i, i)
				return
			}
			if j == i {
				l.set('/', i, i+1)
				return
			}
			i = j
		case clsHash:
			m, j := marker(text, i)
			if j == i {
				l.set('#', i, i+1)
				return
			}
			l.mark(m)
			i = j
		default:
			l.set(token(c), i, i+1)
			return
		}
	}
}

// punct is next where a ',' or ';' is likely to follow at once.
func (l *lexer) punct() {
	if e := l.end; uint(e) < uint(len(l.text)) {
		if c := l.text[e]; c == ',' || c == ';' {
			l.tok, l.pos, l.end = token(c), e, e+1
			return
		}
	}
	l.next()
}

// mark records a line marker once, though a list may be read twice.
func (l *lexer) mark(m src.Marker) {
	if l.markers == nil {
		return
	}
	if n := len(*l.markers); n == 0 || (*l.markers)[n-1].Start < m.Start {
		*l.markers = append(*l.markers, m)
	}
}

func (l *lexer) set(t token, pos, end int) { l.tok, l.pos, l.end = t, pos, end }

// word ends a name that goes on at j.
func (l *lexer) word(j int) {
	text := l.text
	for uint(j) < uint(len(text)) && wordByte[text[j]] {
		j++
	}
	l.tok, l.end = tName, j
	if uint(j) < uint(len(text)) && text[j] == '.' && mayCompound(text, l.pos) {
		if n := compound(text[l.pos:]); n > 0 {
			l.end = l.pos + n
			return
		}
	}
	switch j - l.pos {
	case 7:
		if string(text[l.pos:j]) == "WARP_SZ" {
			l.tok = tWarp
		}
	case 10:
		if string(text[l.pos:j]) == "inlined_at" {
			l.tok = tInlined
		}
	case 13:
		if string(text[l.pos:j]) == "function_name" {
			l.tok = tFuncName
		}
	}
}

// dot reads what begins with a dot: a word with its :: parts, a word that
// begins with a digit, a float, or the dot alone.
func (l *lexer) dot() {
	text := l.text
	j := l.pos + 1
	if j >= len(text) {
		l.set('.', l.pos, j)
		return
	}
	switch class[text[j]] {
	case clsLetter:
	case clsDigit:
		l.dotDigit(j)
		return
	default:
		l.set('.', l.pos, j)
		return
	}
	j++
	for {
		for uint(j) < uint(len(text)) && wordByte[text[j]] {
			j++
		}
		if j+2 < len(text) && text[j] == ':' && text[j+1] == ':' && wordByte[text[j+2]] {
			j += 3
			continue
		}
		break
	}
	l.tok, l.end = tDot, j
	switch j - l.pos {
	case len(".const"):
		if j < len(text) && text[j] == '[' && string(text[l.pos:j]) == ".const" {
			l.bank(j + 1)
		}
	case len(".version"):
		if string(text[l.pos:j]) == ".version" {
			l.version(j)
		}
	}
}

// maxDigitWord is the length of the longest word that begins with a digit.
const maxDigitWord = len("16x32bx2")

// dotDigit reads the longest of a float and a known word, which needs no
// boundary after it: ".1dx" is ".1d" and "x".
func (l *lexer) dotDigit(j int) {
	rest := l.text[j:min(len(l.text), j+maxDigitWord)]
	k := j
	for k < len(l.text) && class[l.text[k]] == clsDigit {
		k++
	}
	float := exponent(l.text, k)
	for n := len(rest); n > float-j; n-- {
		if isa.Lookup(rest[:n]) != isa.WNone || string(rest[:n]) == "4byte" {
			l.set(tDot, l.pos, j+n)
			return
		}
	}
	l.set(tFloat, l.pos, float)
}

// bank extends .const to .const[N], which has no blanks inside.
func (l *lexer) bank(j int) {
	k := j
	for k < len(l.text) && class[l.text[k]] == clsDigit {
		k++
	}
	if k > j && k < len(l.text) && l.text[k] == ']' {
		l.tok, l.end = tBank, k+1
	}
}

// version extends .version to .version N.M on one line.
func (l *lexer) version(j int) {
	k := j
	k = blanks(l.text, k)
	major := digits(l.text, k)
	if k == j || major == k || major >= len(l.text) || l.text[major] != '.' {
		return
	}
	if minor := digits(l.text, major+1); minor > major+1 {
		l.tok, l.end = tVersion, minor
	}
}

func digits(text []byte, i int) int {
	for i < len(text) && class[text[i]] == clsDigit {
		i++
	}
	return i
}

// string reads a string: it may go over lines and knows no escapes. A lone
// quote is a token that fits nowhere.
func (l *lexer) string() {
	n := bytes.IndexByte(l.text[l.pos+1:], '"')
	if n < 0 {
		l.set('"', l.pos, l.pos+1)
		return
	}
	l.set(tString, l.pos, l.pos+n+2)
}

// pairs are the tokens of two characters.
var pairs = [...]struct {
	a, b byte
	tok  token
}{
	{'<', '<', tShl},
	{'>', '>', tShr},
	{'<', '=', tLe},
	{'>', '=', tGe},
	{'=', '=', tEq},
	{'!', '=', tNe},
	{'&', '&', tLand},
	{'|', '|', tLor},
}

func (l *lexer) pair(c byte) {
	if l.pos+1 < len(l.text) {
		d := l.text[l.pos+1]
		if class[d] == clsPair {
			for i := range pairs {
				if pairs[i].a == c && pairs[i].b == d {
					l.set(pairs[i].tok, l.pos, l.pos+2)
					return
				}
			}
		}
	}
	l.set(token(c), l.pos, l.pos+1)
}

// at reads @, @@DWARF or @progbits.
func (l *lexer) at() {
	rest := l.text[l.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("@@DWARF")):
		l.set(tDwarf, l.pos, l.pos+len("@@DWARF"))
	case bytes.HasPrefix(rest, []byte("@progbits")):
		l.set(tAtWord, l.pos, l.pos+len("@progbits"))
	default:
		l.set('@', l.pos, l.pos+1)
	}
}

// skipComment returns the place after the comment at i, or i when there is
// none. ok is false when the text ends inside it.
func skipComment(text []byte, i int) (end int, ok bool) {
	if i+1 >= len(text) {
		return i, true
	}
	switch text[i+1] {
	case '/':
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n, true
		}
		return len(text), true
	case '*':
		for j := i + 2; ; {
			n := bytes.IndexByte(text[j:], '*')
			if n < 0 {
				return len(text), false
			}
			j += n + 1
			if j < len(text) && text[j] == '/' {
				return j + 1, true
			}
		}
	}
	return i, true
}
