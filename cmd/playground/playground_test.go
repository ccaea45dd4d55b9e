//go:build !js

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
)

func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCompileAndRun does what the page does with an example: the code, a run
// with given numbers, the view.
func TestCompileAndRun(t *testing.T) {
	text := example(t, "saxpy.ptx")
	c := compile(text, "sm_90a", nil)
	if !c.OK || !strings.Contains(c.SASS, "FFMA") || len(c.Launches) != 1 || !strings.Contains(c.Report, "Used ") {
		t.Fatalf("%+v", c)
	}
	r, err := run(c.Cubin, c.Launches[0], map[int]string{0: "1, 2 3", 1: "10 20 30"})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Buffers[0].After[:3], " "); got != "21 42 63" {
		t.Errorf("2x+y is %s", got)
	}
	if r.Buffers[0].Changed < 900 || r.Buffers[1].Changed != 0 {
		t.Errorf("%d and %d changed", r.Buffers[0].Changed, r.Buffers[1].Changed)
	}
	if _, err := run(c.Cubin, c.Launches[0], map[int]string{0: "one"}); err == nil {
		t.Error("a word was taken for a number")
	}
	html, err := page(text, "sm_80")
	if err != nil || !bytes.Contains(html, []byte("saxpy")) {
		t.Errorf("view: %d bytes, %v", len(html), err)
	}
}

// TestMadeUpLaunch offers a launch for a text without one.
func TestMadeUpLaunch(t *testing.T) {
	text := strings.ReplaceAll(example(t, "saxpy.ptx"), "//:", "//")
	c := compile(text, "sm_90", nil)
	if len(c.Launches) != 1 || strings.Join(c.Launches[0].Args, "; ") != "buf 1024 iota; buf 1024 iota; u32 0; u32 0" {
		t.Fatalf("%+v", c.Launches)
	}
	if _, err := run(c.Cubin, c.Launches[0], nil); err != nil {
		t.Error(err)
	}
}

// TestMessages places errors.
func TestMessages(t *testing.T) {
	c := compile(example(t, "wrong.ptx"), "sm_90", nil)
	if c.OK || len(c.Messages) == 0 || c.Messages[0].Line == 0 || c.Messages[0].Column == 0 || c.Messages[0].End <= c.Messages[0].Column {
		t.Errorf("%+v", c.Messages)
	}
}

// driverJS compiles files in node as the page does, and prints the hash of
// each cubin.
const driverJS = `
"use strict";
const fs = require("fs"), crypto = require("crypto");
globalThis.fs = fs; globalThis.path = require("path");
require(process.argv[2] + "/wasm_exec.js");
const ready = new Promise((r) => { globalThis.goptxasReady = r; });
const go = new Go();
WebAssembly.instantiate(fs.readFileSync(process.argv[2] + "/playground.wasm"), go.importObject).then((m) => go.run(m.instance));
(async () => {
	await ready;
	const out = {};
	for (const name of process.argv.slice(4)) {
		const r = await globalThis.goptxas.compile(JSON.stringify({ Text: fs.readFileSync(name, "utf8"), Arch: process.argv[3] }));
		out[name] = r.bytes ? crypto.createHash("sha256").update(r.bytes).digest("hex") : "";
	}
	console.log(JSON.stringify(out));
	process.exit(0);
})();
`

// TestSameBytes compiles with the WebAssembly of the site, in node, and here:
// the same bytes.
func TestSameBytes(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("no node here: %v", err)
	}
	if testing.Short() {
		t.Skip("builds the compiler as WebAssembly")
	}
	dir := t.TempDir()
	if err := build(dir); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "driver.js")
	if err := os.WriteFile(script, []byte(driverJS), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "zoo", "*.ptx"))
	if err != nil || len(files) < 40 {
		t.Fatal(len(files), err)
	}
	files = files[:40]
	if more := os.Getenv("GOPTXAS_SAME"); more != "" { // a folder of other texts
		if files, err = filepath.Glob(filepath.Join(more, "*.ptx")); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(node, append([]string{script, dir, "sm_90a"}, files...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, errs.String())
	}
	var got map[string]string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	same := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if o, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: inputName, Text: text}}, goptxas.Options{Arch: "sm_90a"}); err == nil {
			want = fmt.Sprintf("%x", sha256.Sum256(o.Cubin))
			same++
		}
		if got[name] != want {
			t.Errorf("%s: %q in node, %q here", name, got[name], want)
		}
	}
	t.Logf("%d files, %d cubins equal", len(files), same)
}
