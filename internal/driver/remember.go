package driver

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"strconv"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/store"
)

// CacheVariable names the environment variable that holds the folder of
// compiled kernels where no option does.
const CacheVariable = "GOPTXAS_CACHE"

// cacheFolder is the folder that a command line asks for.
func cacheFolder(line *cli.Line) string {
	return line.Text(cli.CacheFolder, os.Getenv(CacheVariable))
}

// openCache opens the folder of compiled kernels and finds the name of this
// compiler. Without either nothing is kept; that is no reason to fail.
func (j *Job) openCache() (cache *store.Dir, version string) {
	if j.CacheFolder == "" {
		return nil, ""
	}
	size, err := strconv.ParseInt(j.Settings.Line.Text(cli.CacheSize, defaultCacheSize), 10, 64)
	if err != nil || size <= 0 {
		j.warnf("Value '%s' of option 'cache-size' is no number of megabytes, '%s' is taken", j.Settings.Line.Text(cli.CacheSize, ""), defaultCacheSize)
		size, _ = strconv.ParseInt(defaultCacheSize, 10, 64)
	}
	if version = buildID(); version == "" {
		j.warnf("This program has no build identifier: kernels are not kept in '%s'", j.CacheFolder)
		return nil, ""
	}
	cache, err = store.Open(j.CacheFolder, size<<20)
	if err != nil {
		j.warnf("Folder '%s' for compiled kernels cannot be used (%v)", j.CacheFolder, err)
		return nil, ""
	}
	return cache, version
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
