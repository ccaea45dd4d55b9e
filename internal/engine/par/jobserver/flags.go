package jobserver

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrAbsent says that MAKEFLAGS names no jobserver.
var ErrAbsent = errors.New("no jobserver in MAKEFLAGS")

// ErrUnusable says that MAKEFLAGS names a jobserver which cannot be used.
var ErrUnusable = errors.New("the jobserver of MAKEFLAGS is not usable")

// auth is where a server is: the path of a fifo, or two descriptors.
type auth struct {
	fifo string
	r, w int
}

// parse finds the server in the value of MAKEFLAGS. The last one named counts,
// as the GNU make manual asks; --jobserver-fds is the spelling before make 4.2.
func parse(makeflags string) (auth, error) {
	val, found := "", false
	for _, w := range words(makeflags) {
		if w == "--" {
			break // what follows are variables
		}
		for _, flag := range [...]string{"--jobserver-auth=", "--jobserver-fds="} {
			if v, ok := strings.CutPrefix(w, flag); ok {
				val, found = v, true
			}
		}
	}
	if !found {
		return auth{}, ErrAbsent
	}
	if path, ok := strings.CutPrefix(val, "fifo:"); ok {
		if path == "" {
			return auth{}, fmt.Errorf("%w: empty path", ErrUnusable)
		}
		return auth{fifo: path}, nil
	}
	r, w, ok := strings.Cut(val, ",")
	rd, err1 := strconv.ParseInt(r, 10, 32)
	wd, err2 := strconv.ParseInt(w, 10, 32)
	// make writes negative numbers for recipes it does not let use the server.
	if !ok || err1 != nil || err2 != nil || rd < 0 || wd < 0 {
		return auth{}, fmt.Errorf("%w: --jobserver-auth=%s", ErrUnusable, val)
	}
	return auth{r: int(rd), w: int(wd)}, nil
}

// words splits at blanks; a backslash keeps the next character, as make writes
// it for blanks inside a word.
func words(s string) (out []string) {
	var b strings.Builder
	any := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n':
			if any {
				out = append(out, b.String())
			}
			b.Reset()
			any = false
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			any = true
		default:
			b.WriteByte(c)
			any = true
		}
	}
	if any {
		out = append(out, b.String())
	}
	return out
}
