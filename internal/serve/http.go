package serve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// The part of HTTP/1.1 that a service with three paths needs: net/http and
// what it brings along would cost every compilation a millisecond at its start.

// Bounds on what is read before a request is looked at.
const (
	maxLine    = 8 << 10
	maxHeaders = 64
)

// Times a peer may take.
const (
	headTime = 10 * time.Second // to send the head of a request
	bodyTime = time.Minute      // to send its body
	idleTime = 2 * time.Minute  // between two requests
)

// request is one HTTP request.
type request struct {
	method, path string
	header       map[string]string // by name in lower case
	body         []byte
	keep         bool // the connection stays open behind it
}

// refusal is a request that is answered with an error.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// readLine returns a line without its end.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) || len(line) > maxLine {
		return "", &refusal{431, "a line of the head is too long"}
	}
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

// readHead reads the first line and the headers.
func readHead(r *bufio.Reader) (first string, header map[string]string, err error) {
	if first, err = readLine(r); err != nil {
		return "", nil, err
	}
	header = map[string]string{}
	for {
		line, err := readLine(r)
		if err != nil {
			return "", nil, err
		}
		if line == "" {
			return first, header, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || len(header) == maxHeaders {
			return "", nil, &refusal{400, "the head of the request cannot be read"}
		}
		header[strings.ToLower(name)] = strings.TrimSpace(value)
	}
}

// readRequest reads one request whose body has at most so many bytes.
func readRequest(c conn, r *bufio.Reader, most int64) (*request, error) {
	if err := c.SetReadDeadline(time.Now().Add(idleTime)); err != nil {
		return nil, err
	}
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	if err := c.SetReadDeadline(time.Now().Add(headTime)); err != nil {
		return nil, err
	}
	first, header, err := readHead(r)
	if err != nil {
		return nil, err
	}
	part := strings.Split(first, " ")
	if len(part) != 3 || !strings.HasPrefix(part[2], "HTTP/1.") {
		return nil, &refusal{400, "the request line cannot be read"}
	}
	q := &request{method: part[0], header: header, keep: part[2] == "HTTP/1.1" && !strings.EqualFold(header["connection"], "close")}
	q.path, _, _ = strings.Cut(part[1], "?")
	if header["transfer-encoding"] != "" {
		return nil, &refusal{411, "the length of the body must be known"}
	}
	text := header["content-length"]
	if text == "" {
		return q, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || n < 0:
		return nil, &refusal{400, "the length of the body cannot be read"}
	case n > most:
		return nil, &refusal{413, fmt.Sprintf("the body has %d bytes, the limit is %d", n, most)}
	}
	if strings.EqualFold(header["expect"], "100-continue") {
		if _, err := io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return nil, err
		}
	}
	if err := c.SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
		return nil, err
	}
	q.body = make([]byte, n)
	_, err = io.ReadFull(r, q.body)
	return q, err
}

// statusText names the answers given here.
func statusText(status int) string {
	switch status {
	case 200:
		return "OK"
	case 400:
		return "Bad Request"
	case 401:
		return "Unauthorized"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 411:
		return "Length Required"
	case 413:
		return "Content Too Large"
	case 429:
		return "Too Many Requests"
	case 431:
		return "Request Header Fields Too Large"
	case 500:
		return "Internal Server Error"
	case 503:
		return "Service Unavailable"
	case 504:
		return "Gateway Timeout"
	}
	return "Status"
}

// answer is what a request is answered with.
type answer struct {
	status int
	kind   string // of the content
	body   []byte
}

func (a *answer) write(c conn, keep bool) error {
	if err := c.SetWriteDeadline(time.Now().Add(bodyTime)); err != nil {
		return err
	}
	how := "keep-alive"
	if !keep {
		how = "close"
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: %s\r\n", a.status, statusText(a.status), a.kind, len(a.body), how)
	switch a.status {
	case 401:
		head += "WWW-Authenticate: Bearer\r\n"
	case 429, 503:
		head += "Retry-After: 1\r\n"
	}
	_, err := c.Write(append([]byte(head+"\r\n"), a.body...))
	return err
}
