package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// meaning is what the simulator does for an operation: the class it counts
// it in, the function that runs it for some lanes of a warp and the one that
// reads its modifiers, either of which may be missing.
type meaning struct {
	class, run, prepare string
}

// unknownMeaning is the meaning of an operation that the simulator cannot run:
// a program that comes to one is told so.
const unknownMeaning = "unknown"

// simClasses are the classes that the simulator counts instructions in: the
// word in the description and the name of the constant in package machine.
var simClasses = map[string]string{
	"int": "ClassInt", "move": "ClassMove", "float": "ClassFloat", "double": "ClassDouble", "half": "ClassHalf",
	"convert": "ClassConvert", "uniform": "ClassUniform", "warp": "ClassWarp", "global": "ClassGlobal",
	"shared": "ClassShared", "local": "ClassLocal", "const": "ClassConst", "atomic": "ClassAtomic", "sync": "ClassSync",
	"control": "ClassControl", "matrix": "ClassMatrix", "tensor": "ClassTensor", "texture": "ClassTexture", "other": "ClassOther",
}

// simFunction is a function of one of the simulator's packages, perhaps made
// by a call.
var simFunction = regexp.MustCompile(`^([a-z0-9]+)\.[A-Z]\w*(\(.*\))?$`)

// parseMeaning reads "class:run/prepare".
func parseMeaning(where, name, s string) *meaning {
	if s == unknownMeaning {
		return &meaning{}
	}
	class, fns, _ := strings.Cut(s, ":")
	run, prepare, _ := strings.Cut(fns, "/")
	m := &meaning{class: simClasses[class], run: run, prepare: prepare}
	switch {
	case m.class == "":
		die(where, "%s: the simulator counts no %q", name, class)
	case run == "" && prepare == "":
		die(where, "%s: does=%s names no function", name, s)
	}
	for _, f := range []string{run, prepare} {
		if f != "" && !simFunction.MatchString(f) {
			die(where, "%s: %q is no function of a package of the simulator", name, f)
		}
	}
	return m
}

// simFile writes the simulator's table: what each operation does.
func (c *compiler) simFile(b *bytes.Buffer) {
	const sim = "github.com/goptxas/goptxas/internal/witness/sim/"
	imports := []string{sim + "machine", "github.com/goptxas/goptxas/internal/sass"}
	rows := ""
	for _, o := range c.d.ops {
		m := o.does
		if m.class == "" {
			continue
		}
		rows += fmt.Sprintf("sass.Op%s: {machine.%s, %s, %s},\n", ident(o.name), m.class, orNil(m.run), orNil(m.prepare))
		for _, f := range []string{m.run, m.prepare} {
			if p := simFunction.FindStringSubmatch(f); p != nil && !slices.Contains(imports, sim+p[1]) {
				imports = append(imports, sim+p[1])
			}
		}
	}
	slices.Sort(imports)
	b.WriteString("package meaning\n\nimport (\n")
	for _, p := range imports {
		fmt.Fprintf(b, "%q\n", p)
	}
	fmt.Fprintf(b, ")\n\n// meanings is the instruction set, by operation.\nvar meanings = [...]row{\n%s}\n", rows)
}

func orNil(f string) string {
	if f == "" {
		return "nil"
	}
	return f
}
