package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// editor talks to a server as an editor does.
type editor struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Reader
	code chan int
	id   int
}

func start(t *testing.T) *editor {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	e := &editor{t: t, to: inW, from: bufio.NewReader(outR), code: make(chan int, 1)}
	go func() { e.code <- Serve(context.Background(), nil, inR, outW) }()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return e
}

func (e *editor) write(m map[string]any) {
	m["jsonrpc"] = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.to, "Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%s", len(b), b); err != nil {
		e.t.Fatal(err)
	}
}

// read returns the next message as text.
func (e *editor) read() string {
	b, err := readMessage(e.from)
	if err != nil {
		e.t.Fatal(err)
	}
	return string(b)
}

func (e *editor) call(method string, params any) string {
	e.id++
	e.write(map[string]any{"id": e.id, "method": method, "params": params})
	return e.read()
}

func (e *editor) tell(method string, params any) {
	e.write(map[string]any{"method": method, "params": params})
}

const text = `.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %addr;
	// a comment
	ld.param.u64 %addr, [out];
	mov.u32 %r1, %tid.x;
LOOP:
	st.global.u32 [%adr], %r9;
	bra LOOP ;
	ret;
}
`

func at(line, char int) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": "file:///k.ptx"}, "position": map[string]any{"line": line, "character": char}}
}

func (e *editor) expect(got string, parts ...string) {
	e.t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			e.t.Errorf("%s\nhas no %s", got, p)
		}
	}
}

// TestConversation is a session of an editor with real messages.
func TestConversation(t *testing.T) {
	e := start(t)
	e.expect(e.call("initialize", map[string]any{"processId": nil, "capabilities": map[string]any{}}), `"hoverProvider":true`, `"name":"goptxas"`)
	e.tell("initialized", map[string]any{})
	e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///k.ptx", "languageId": "ptx", "version": 1, "text": text}})
	e.expect(e.read(), `"method":"textDocument/publishDiagnostics"`, `"version":1`,
		`{"range":{"start":{"line":11,"character":16},"end":{"line":11,"character":20}},"severity":1,"code":"P201","source":"goptxas","message":"Unknown symbol '%adr'\ndid you mean '%addr'?"}`,
		`"message":"Unknown symbol '%r9'\nthe registers %r\u003c4\u003e end with %r3"`)
	good := strings.NewReplacer("%adr", "%addr", "%r9", "%r1").Replace(text)
	e.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file:///k.ptx", "version": 2}, "contentChanges": []any{map[string]any{"text": good}}})
	e.expect(e.read(), `"diagnostics":[]`, `"version":2`)
	e.expect(e.call("textDocument/hover", at(11, 4)), "st", ".u32")
	e.expect(e.call("textDocument/hover", at(11, 18)), ".reg .b64 %addr;")
	e.expect(e.call("textDocument/definition", at(11, 27)), `{"start":{"line":5,"character":11},"end":{"line":5,"character":13}}`)
	e.expect(e.call("textDocument/definition", at(12, 6)), `{"start":{"line":10,"character":0},"end":{"line":10,"character":4}}`)
	e.expect(e.call("textDocument/definition", at(8, 23)), `{"start":{"line":3,"character":35},"end":{"line":3,"character":38}}`)
	e.expect(e.call("textDocument/documentSymbol", at(0, 0)), `"name":"kernel","kind":12`, `"name":"LOOP","kind":20`)
	e.expect(e.call("textDocument/formatting", at(0, 0)), `bra LOOP;\n`)
	e.expect(e.call("textDocument/rename", at(0, 0)), `"code":-32601`)
	e.expect(e.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": "file:///none"}}), `"code":-32602`)
	e.expect(e.call("shutdown", nil), `"id":`)
	e.tell("exit", nil)
	if code := <-e.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestLongText edits a text of 10,000 lines: the answer is there while one
// types. The bound is wide for machines with much else to do; the time is
// logged.
func TestLongText(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<100>;\n")
	for i := range 10000 {
		fmt.Fprintf(&b, "add.s32 %%r%d, %%r%d, %d;\n", i%100, (i+7)%100, i)
	}
	b.WriteString("ret;\n}\n")
	e := start(t)
	open := map[string]any{"textDocument": map[string]any{"uri": "file:///k.ptx", "version": 1, "text": b.String()}}
	e.tell("textDocument/didOpen", open)
	e.expect(e.read(), `"diagnostics":[]`)
	best := time.Hour
	for v := range 5 {
		changed := strings.Replace(b.String(), "%r5, %r12", "%r5, %x", 1)
		begun := time.Now()
		e.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file:///k.ptx", "version": v + 2}, "contentChanges": []any{map[string]any{"text": changed}}})
		e.expect(e.read(), "Unknown symbol '%x'")
		best = min(best, time.Since(begun))
	}
	t.Logf("10,000 lines: %v after an edit", best)
	if best > 500*time.Millisecond {
		t.Errorf("10,000 lines took %v", best)
	}
}
