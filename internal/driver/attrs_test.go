package driver

import (
	"bytes"
	"context"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
)

// TestOptionRecords: options and directives that leave a record in the file.
func TestOptionRecords(t *testing.T) {
	const head = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) "
	for _, c := range []struct {
		directive string
		options   []string
		section   string
		id        cubin.AttrID
	}{
		{"", []string{"--make-errors-visible-at-exit"}, ".nv.info", cubin.AttrErrbarAtExit},
		{"", []string{"--blocks-are-clusters=true"}, ".nv.info.k", cubin.AttrBlocksAreClusters},
		{".explicitcluster ", nil, ".nv.info.k", cubin.AttrExplicitCluster},
		{".maxclusterrank 4 ", nil, ".nv.info.k", cubin.AttrMaxClusterRank},
	} {
		for _, with := range []bool{false, true} {
			text, options := head+"{ ret; }\n", []string{"-arch", "sm_90a"}
			if with {
				text, options = head+c.directive+"{ ret; }\n", append(options, c.options...)
			}
			var log bytes.Buffer
			b, ok := CompileTexts(context.Background(), options, []Text{{Name: "k.ptx", Text: []byte(text)}}, &log)
			if !ok {
				t.Fatal(log.String())
			}
			f, err := cubin.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Find(c.section).Content.(*cubin.Info).Get(c.id) != nil; got != with {
				t.Errorf("%s%v: record %#x in %s: %v", c.directive, c.options, c.id, c.section, got)
			}
		}
	}
}
