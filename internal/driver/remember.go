package driver

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"strconv"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/store"
	"github.com/goptxas/goptxas/internal/pipeline"
)

// CacheVariable names the environment variable that holds the folder of
// compiled kernels where no option does.
const CacheVariable = "GOPTXAS_CACHE"

// cacheFolder is the folder that a command line asks for.
func cacheFolder(line *cli.Line) string {
	return line.Text(cli.CacheFolder, os.Getenv(CacheVariable))
}

// openCache opens the places of compiled kernels and finds the name of this
// compiler. Without both nothing is kept; that is no reason to fail.
func (j *Job) openCache() (cache pipeline.Cache, version string) {
	if j.CacheFolder == "" && j.Kernels == nil {
		return nil, ""
	}
	if version = buildID(); version == "" {
		j.warnf("This program has no build identifier: compiled kernels are not kept")
		return nil, ""
	}
	folder := j.openFolder()
	switch {
	case folder == nil && j.Kernels == nil:
		return nil, ""
	case folder == nil:
		return j.Kernels, version
	case j.Kernels == nil:
		return folder, version
	}
	return &nearAndFar{folder, j.Kernels}, version
}

// openFolder opens the folder of compiled kernels, nil if there is none.
func (j *Job) openFolder() *store.Dir {
	if j.CacheFolder == "" {
		return nil
	}
	size, err := strconv.ParseInt(j.Settings.Line.Text(cli.CacheSize, defaultCacheSize), 10, 64)
	if err != nil || size <= 0 {
		j.warnf("Value '%s' of option 'cache-size' is no number of megabytes, '%s' is taken", j.Settings.Line.Text(cli.CacheSize, ""), defaultCacheSize)
		size, _ = strconv.ParseInt(defaultCacheSize, 10, 64)
	}
	folder, err := store.Open(j.CacheFolder, size<<20)
	if err != nil {
		j.warnf("Folder '%s' for compiled kernels cannot be used (%v)", j.CacheFolder, err)
		return nil
	}
	return folder
}

// nearAndFar looks in one place and then in another, and keeps in the first
// what it finds in the second.
type nearAndFar struct{ near, far pipeline.Cache }

func (c *nearAndFar) Get(k store.Key) ([]byte, bool) {
	if body, ok := c.near.Get(k); ok {
		return body, true
	}
	body, ok := c.far.Get(k)
	if ok {
		c.near.Put(k, body)
	}
	return body, ok
}

func (c *nearAndFar) Put(k store.Key, body []byte) {
	c.near.Put(k, body)
	c.far.Put(k, body)
}

// defaultCacheSize is how large the folder may become, in megabytes.
const defaultCacheSize = "1024"

// headBytes is how much of a program is searched for its build identifier:
// the linker puts it near the start.
const headBytes = 64 << 10

// buildID returns the identifier that the linker made from all that went
// into the program this is part of: another compiler has another one.
func buildID() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return ""
	}
	return findBuildID(head[:n])
}

// Forms of the identifier: a note of an ELF file, or words in the code.
var (
	noteName = []byte("\x04\x00\x00\x00Go\x00\x00") // type 4, of Go
	idWords  = []byte("\xff Go build ID: \"")
)

func findBuildID(head []byte) string {
	if at := bytes.Index(head, noteName); at >= 4 {
		size := int(binary.LittleEndian.Uint32(head[at-4:]))
		if from := at + len(noteName); size > 0 && size <= len(head)-from {
			return string(head[from : from+size])
		}
	}
	if at := bytes.Index(head, idWords); at >= 0 {
		id := head[at+len(idWords):]
		if end := bytes.IndexByte(id, '"'); end > 0 {
			return string(id[:end])
		}
	}
	return ""
}
