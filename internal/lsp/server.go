// Package lsp is a language server for PTX: an editor starts it and talks to
// it with the Language Server Protocol on the standard streams. It checks
// texts as they are typed, tells about instructions and names, and lays texts
// out.
package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
)

// message is a request, an answer or a notice.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Codes of faults, of JSON-RPC.
const (
	badParams  = -32602
	noSuchCall = -32601
	afterEnd   = -32600
)

// server is the state of one conversation.
type server struct {
	ctx  context.Context
	args []string // options for checking
	out  io.Writer
	docs map[string]*document
	end  bool // shutdown was asked for
}

// Serve talks until the editor says exit or the stream ends, and returns the
// exit code that the protocol asks for. args are options of the compiler,
// such as -arch.
func Serve(ctx context.Context, args []string, in io.Reader, out io.Writer) int {
	s := &server{ctx: ctx, args: args, out: out, docs: map[string]*document{}}
	r := bufio.NewReader(in)
	for {
		body, err := readMessage(r)
		if err != nil {
			return s.code()
		}
		var m message
		if json.Unmarshal(body, &m) != nil {
			continue
		}
		if m.Method == "exit" {
			return s.code()
		}
		s.handle(&m)
	}
}

func (s *server) code() int {
	if s.end {
		return 0
	}
	return 1
}

// readMessage reads a head and as many bytes as it says.
func readMessage(r *bufio.Reader) ([]byte, error) {
	size := -1
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			break
		}
		if name, v, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "Content-Length") {
			if size, err = strconv.Atoi(strings.TrimSpace(v)); err != nil {
				return nil, err
			}
		}
	}
	if size < 0 || size > 1<<30 {
		return nil, fmt.Errorf("message of %d bytes", size)
	}
	body := make([]byte, size)
	_, err := io.ReadFull(r, body)
	return body, err
}

func (s *server) send(m *message) {
	m.Version = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		return
	}
	fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(b), b)
}

// calls are the requests that are understood.
var calls = [...]struct {
	name string
	run  func(*server, *document, position) any
}{
	{"textDocument/hover", (*server).hover},
	{"textDocument/definition", (*server).definition},
	{"textDocument/documentSymbol", (*server).symbols},
	{"textDocument/formatting", (*server).format},
}

// handle does what a message asks.
func (s *server) handle(m *message) {
	var p struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Text    string `json:"text"`
			Version int    `json:"version"`
		} `json:"textDocument"`
		Position       position `json:"position"`
		ContentChanges []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
	}
	err := json.Unmarshal(m.Params, &p)
	doc := s.docs[p.TextDocument.URI]
	switch {
	case s.end && m.ID != nil:
		s.fail(m, afterEnd, "shut down")
		return
	case m.Method == "initialize":
		s.answer(m, capabilities())
		return
	case m.Method == "shutdown":
		s.end = true
		s.answer(m, json.RawMessage("null"))
		return
	case m.Method == "textDocument/didOpen" && err == nil:
		s.update(p.TextDocument.URI, p.TextDocument.Text, p.TextDocument.Version)
		return
	case m.Method == "textDocument/didChange" && err == nil && len(p.ContentChanges) > 0:
		s.update(p.TextDocument.URI, p.ContentChanges[len(p.ContentChanges)-1].Text, p.TextDocument.Version)
		return
	case m.Method == "textDocument/didClose":
		delete(s.docs, p.TextDocument.URI)
		return
	}
	for i := range calls {
		if calls[i].name != m.Method {
			continue
		}
		if err != nil || doc == nil {
			s.fail(m, badParams, "no such document is open")
			return
		}
		s.answer(m, calls[i].run(s, doc, p.Position))
		return
	}
	if m.ID != nil && m.Method != "" {
		s.fail(m, noSuchCall, "unknown request "+m.Method)
	}
}

// answer answers a request; nothing to say is null.
func (s *server) answer(m *message, result any) {
	if result == nil {
		result = json.RawMessage("null")
	}
	s.send(&message{ID: m.ID, Result: result})
}

func (s *server) fail(m *message, code int, text string) {
	s.send(&message{ID: m.ID, Error: &fault{code, text}})
}

func capabilities() any {
	return map[string]any{
		"capabilities": map[string]any{
			"textDocumentSync": 1, // whole texts
			"hoverProvider":    true, "definitionProvider": true,
			"documentSymbolProvider": true, "documentFormattingProvider": true,
		},
		"serverInfo": map[string]any{"name": "goptxas", "version": cli.OwnVersion},
	}
}

// update takes a new text and tells what is wrong with it.
func (s *server) update(uri, text string, version int) {
	d := newDocument([]byte(text))
	s.docs[uri] = d
	list := []diagnostic{}
	r := driver.Request{
		Args:  append([]string{"--parse-only"}, s.args...),
		Texts: []driver.Text{{Name: uri, Text: d.text}},
		Log:   io.Discard,
		Take: func(m *diag.Message) {
			if x, ok := d.diagnostic(m); ok {
				list = append(list, x)
			}
		},
	}
	r.Compile(s.ctx)
	params, err := json.Marshal(map[string]any{"uri": uri, "version": version, "diagnostics": list})
	if err == nil {
		s.send(&message{Method: "textDocument/publishDiagnostics", Params: params})
	}
}

// diagnostic is a message as editors show it.
type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code,omitempty"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

// severities of the protocol.
var severities = [...]int{diag.Ignored: 4, diag.Info: 3, diag.Advice: 3, diag.Warning: 2, diag.Error: 1, diag.ErrorStar: 1, diag.Fatal: 1}

// diagnostic translates a message; one without a place goes to the first line,
// and the line that only says that there were errors is left out.
func (d *document) diagnostic(m *diag.Message) (diagnostic, bool) {
	const aborted = "P803"
	if m.Code == aborted {
		return diagnostic{}, false
	}
	x := diagnostic{Severity: severities[m.Severity], Code: m.Code, Source: "goptxas", Message: m.Text}
	for _, n := range m.Notes {
		x.Message += "\n" + n
	}
	if p, ok := m.Place(); ok {
		x.Range = d.span(int(p.Pos), int(p.Pos)+p.End-p.Col)
	} else {
		x.Range = d.span(0, max(0, bytes.IndexByte(d.text, '\n')))
	}
	return x, true
}
