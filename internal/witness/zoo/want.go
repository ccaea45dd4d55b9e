package zoo

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Measured results. h200.tsv.gz beside the kernels holds, for each launch
// and each buffer it changed, the contents an H200 left there: lines of the
// checksum of the PTX text, the number of the launch, the number of the
// argument, and the bytes in hexadecimal.

// resultFile is the name of the measurements.
const resultFile = "h200.tsv.gz"

// Result is the contents of every buffer and surface after a launch, by
// argument; nil for other arguments.
type Result [][]byte

// key names the text a measurement belongs to.
func (k *Kernel) key() string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(k.Text))) }

// before returns the first contents of a launch's buffers.
func before(l *launch.Launch) Result {
	r := make(Result, len(l.Args))
	for n, a := range l.Args {
		if a.Buf > 0 {
			r[n] = launch.Data(a.Fill, a.Seed, a.Buf)
		}
		if a.Tex != nil && a.Tex.Surface {
			r[n] = a.Tex.Data()
		}
	}
	return r
}

// loadResults gives the kernels their measured results. A kernel whose text
// has changed since the measurement gets none.
func loadResults(dir string, list []Kernel) error {
	file, err := os.Open(filepath.Join(dir, resultFile))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	return readResults(z, list)
}

func readResults(in io.Reader, list []Kernel) error {
	byKey := make(map[string]*Kernel, len(list))
	for i := range list {
		byKey[list[i].key()] = &list[i]
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 4 {
			return fmt.Errorf("%s: bad line", resultFile)
		}
		k := byKey[f[0]]
		if k == nil {
			continue
		}
		if k.Want == nil {
			for n := range k.Launches {
				k.Want = append(k.Want, before(&k.Launches[n]))
			}
		}
		n, err1 := strconv.Atoi(f[1])
		arg, err2 := strconv.Atoi(f[2])
		data, err3 := hex.DecodeString(f[3])
		if err1 != nil || err2 != nil || err3 != nil || n >= len(k.Want) || arg >= len(k.Want[n]) || len(data) != len(k.Want[n][arg]) {
			return fmt.Errorf("%s: %s: a result that does not fit its launch", resultFile, k.File)
		}
		k.Want[n][arg] = data
	}
	return lines.Err()
}

// Compare returns "" if got is what the GPU left, else the first difference.
// got has one entry for every argument; those that are no buffers are
// ignored.
func (r Result) Compare(got [][]byte) string {
	for n, want := range r {
		if want == nil {
			continue
		}
		if n >= len(got) || len(got[n]) != len(want) {
			return fmt.Sprintf("argument %d: no buffer of %d bytes", n, len(want))
		}
		for i := range want {
			if got[n][i] != want[i] {
				w := i &^ 3
				return fmt.Sprintf("argument %d, byte %d: got …%x, want …%x", n, i, got[n][w:min(w+8, len(want))], want[w:min(w+8, len(want))])
			}
		}
	}
	return ""
}
