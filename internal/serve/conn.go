package serve

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Sockets are files that the runtime waits for, made with package syscall:
// importing net made every start of the compiler half a millisecond longer,
// and a program of it that is built with a C compiler at hand is linked
// dynamically, which takes another half.

// conn is a connection.
type conn struct{ *os.File }

// place is the address of a server: the path of a socket, or a port of an
// address.
type place struct {
	path string // "": a port
	ip   [4]byte
	port int
}

// split reads the address of a server: unix:path, an absolute path, or
// address:port with an IPv4 address in digits or localhost.
func split(server string) (p place, err error) {
	if path, ok := strings.CutPrefix(server, "unix:"); ok || strings.HasPrefix(server, "/") {
		p.path = server
		if ok {
			p.path = path
		}
		if len(p.path) == 0 || len(p.path) > 100 {
			err = fmt.Errorf("a socket's path has 1 to 100 characters")
		}
		return p, err
	}
	host, port, ok := strings.Cut(server, ":")
	n, e := strconv.ParseUint(port, 10, 16)
	if host == "localhost" {
		host = "127.0.0.1"
	}
	part := strings.Split(host, ".")
	if !ok || e != nil || len(part) != 4 {
		return p, fmt.Errorf("'%s' is neither unix:path nor address:port with an IPv4 address", server)
	}
	p.port = int(n)
	for i, x := range part {
		b, err := strconv.ParseUint(x, 10, 8)
		if err != nil {
			return p, fmt.Errorf("'%s' is no IPv4 address", host)
		}
		p.ip[i] = byte(b)
	}
	return p, nil
}

func (p place) String() string {
	if p.path != "" {
		return "unix:" + p.path
	}
	return fmt.Sprintf("%d.%d.%d.%d:%d", p.ip[0], p.ip[1], p.ip[2], p.ip[3], p.port)
}
