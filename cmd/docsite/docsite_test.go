package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRender reads each kind of block.
func TestRender(t *testing.T) {
	same := func(to string) string { return to }
	for in, want := range map[string]string{
		"# A `b` c":                             `<h1 id="a-b-c">A <code>b</code> c</h1>`,
		"one\ntwo **x<y**":                      `<p>one two <b>x&lt;y</b></p>`,
		"* a\n  more\n  * deep\n* b":            "<ul>\n<li>a more<ul>\n<li>deep</li>\n</ul>\n</li>\n<li>b</li>\n</ul>",
		"1. a\n2. b":                            "<ol>\n<li>a</li>\n<li>b</li>\n</ol>",
		"```\n<x>\n```":                         "<pre><code>&lt;x&gt;</code></pre>",
		"    x":                                 "<pre><code>x</code></pre>",
		"| a | b |\n|---|---|\n| `c\\|d` | e |": "<tr><th>a</th><th>b</th></tr>\n<tr><td><code>c|d</code></td><td>e</td></tr>",
		"see [the `x`](y.md#z), ![p](q.png)":    `<p>see <a href="y.md#z">the <code>x</code></a>, <img src="q.png" alt="p"></p>`,
		"2 * 3 [x] `":                           "<p>2 * 3 [x] `</p>",
	} {
		if got, _ := render(in, same); !strings.Contains(got, want) {
			t.Errorf("%q:\n%s\nwant\n%s", in, got, want)
		}
	}
}

// TestBuild writes the site of this repository: every link inside leads to a
// page and a heading that is there.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	n, err := build(filepath.Join("..", ".."), dir)
	if err != nil || n < 20 {
		t.Fatal(n, err)
	}
	pages := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(f)] = string(data)
	}
	links := 0
	for name, text := range pages {
		for _, attr := range []string{`href="`, `src="`} {
			for part := range strings.SplitSeq(text, attr) {
				to, _, ok := strings.Cut(part, `"`)
				if !ok || strings.HasPrefix(part, "<!DOCTYPE") || strings.Contains(to, ":") || strings.ContainsAny(to, "<> ") {
					continue
				}
				links++
				page, mark, marked := strings.Cut(to, "#")
				if page == "" {
					page = name
				}
				if strings.HasSuffix(page, ".html") && marked && !strings.Contains(pages[page], `id="`+mark+`"`) {
					t.Errorf("%s: %s leads to no heading", name, to)
				}
				if _, err := os.Stat(filepath.Join(dir, page)); err != nil {
					t.Errorf("%s: %s leads nowhere", name, to)
				}
			}
		}
	}
	script, err := os.ReadFile(filepath.Join(dir, "search.js"))
	if err != nil || !strings.Contains(string(script), "tensor memory") {
		t.Errorf("the search knows too little: %v", err)
	}
	t.Logf("%d pages, %d links", n, links)
}
