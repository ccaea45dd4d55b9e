// Command docsite writes the documents of a repository as a static site with
// a search that runs in the browser.
//
//	docsite [-root FOLDER] FOLDER
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed page.html
var frame string

//go:embed search.js
var search string

func main() {
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: docsite [-root FOLDER] FOLDER")
		os.Exit(2)
	}
	n, err := build(*root, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "docsite:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s\n", n, flag.Arg(0))
}

// source is a document and where it goes.
type source struct {
	path, page string // "docs/x.md", "x.html"
	title      string
	text       string
}

// entry is a section as the search knows it.
type entry struct {
	Page  string `json:"p"`
	Title string `json:"t"` // of the page
	ID    string `json:"i"`
	Head  string `json:"h"` // of the section
	Text  string `json:"x"`
}

// sources reads the documents: the readme first, the list of documents next.
func sources(root string) ([]source, error) {
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	list := []source{{path: "README.md", page: "index.html"}, {path: "docs/README.md", page: "documents.html"}}
	for _, n := range []string{"CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"} {
		list = append(list, source{path: n, page: strings.ToLower(strings.TrimSuffix(n, ".md")) + ".html"})
	}
	slices.Sort(names)
	for _, n := range names {
		if base := filepath.Base(n); base != "README.md" {
			list = append(list, source{path: "docs/" + base, page: strings.TrimSuffix(base, ".md") + ".html"})
		}
	}
	for i := range list {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(list[i].path)))
		if err != nil {
			return nil, err
		}
		list[i].text = string(data)
		list[i].title = list[i].page
		if first, _, _ := strings.Cut(list[i].text, "\n"); strings.HasPrefix(first, "# ") {
			list[i].title = plain(first[2:])
		}
	}
	return list, nil
}

// upstream is where what is no page of the site can be seen.
const upstream = "https://github.com/goptxas/goptxas/blob/main/"

// resolve returns the address on the site of a link in a document.
func resolve(from *source, all []source, to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") {
		return to
	}
	path, mark, marked := strings.Cut(to, "#")
	full := filepath.ToSlash(filepath.Join(filepath.Dir(from.path), path))
	if marked {
		mark = "#" + mark
	}
	if full == "docs" {
		full = "docs/README.md"
	}
	for i := range all {
		if all[i].path == full {
			return all[i].page + mark
		}
	}
	if strings.HasSuffix(full, ".png") {
		return filepath.Base(full)
	}
	return upstream + full + mark
}

// build writes the site and returns the number of pages.
func build(root, dir string) (int, error) {
	list, err := sources(root)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	var nav strings.Builder
	for _, s := range list {
		fmt.Fprintf(&nav, "<a href=\"%s\">%s</a>\n", s.page, html.EscapeString(s.title))
	}
	var index []entry
	for i := range list {
		s := &list[i]
		body, parts := render(s.text, func(to string) string { return resolve(s, list, to) })
		page := strings.NewReplacer("{{title}}", html.EscapeString(s.title), "{{nav}}", nav.String(), "{{body}}", body).Replace(frame)
		if err := os.WriteFile(filepath.Join(dir, s.page), []byte(page), 0o644); err != nil {
			return 0, err
		}
		for _, p := range parts {
			index = append(index, entry{s.page, s.title, p.ID, p.Title, p.Text.String()})
		}
	}
	data, err := json.Marshal(index)
	if err != nil {
		return 0, err
	}
	script := "const documents = " + string(data) + ";\n" + search
	if err := os.WriteFile(filepath.Join(dir, "search.js"), []byte(script), 0o644); err != nil {
		return 0, err
	}
	return len(list), pictures(root, dir)
}

// pictures copies those that pages show.
func pictures(root, dir string) error {
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.png"))
	if err != nil {
		return err
	}
	for _, n := range names {
		data, err := os.ReadFile(n)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(n)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
