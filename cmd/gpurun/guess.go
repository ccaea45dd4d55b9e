package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"goptxas/internal/witness/gpu"
	"goptxas/internal/witness/launch"
)

// Guessing arguments: a pointer gets a window of memory with wide guards
// around it, so that indices made from guessed sizes stay inside; a scalar
// gets a small number.
const (
	window   = 4 << 20
	guard    = 12 << 20
	maxPtrs  = 24
	maxBlock = 128 // threads, where the kernel does not say
)

var (
	entryRE   = regexp.MustCompile(`(?s)\.entry\s+([\w$%.@]+)\s*(?:\(([^)]*)\))?([^{;]*)\{`)
	paramRE   = regexp.MustCompile(`\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+((?:\.ptr|\.global|\.shared|\.const|\.align\s+\d+|\s)*)([\w$%.]+)\s*(?:\[\s*(\d+)\s*\])?`)
	commentRE = regexp.MustCompile(`//[^\n]*`)
	dimsRE    = regexp.MustCompile(`\.(reqntid|maxntid|reqnctapercluster)\s+(\d+)\s*(?:,\s*(\d+))?\s*(?:,\s*(\d+))?`)
	regRE     = regexp.MustCompile(`%\w+`)
)

// param is what the text tells about one parameter.
type param struct {
	size  int
	float bool
	ptr   bool
	array bool
	slots []int // offsets of pointers inside an array
}

// guess makes launches for every kernel of a PTX text.
func guess(text string, seed uint64) []launch.Launch {
	text = commentRE.ReplaceAllString(text, "")
	dynamic := strings.Contains(text, ".extern") && strings.Contains(text, ".shared")
	ms := entryRE.FindAllStringSubmatchIndex(text, -1)
	var list []launch.Launch
	for k, m := range ms {
		end := len(text)
		if k+1 < len(ms) {
			end = ms[k+1][0]
		}
		body := text[m[1]:end]
		l := launch.Launch{Kernel: text[m[2]:m[3]], Grid: [3]uint32{8, 2, 1}, Block: [3]uint32{maxBlock, 1, 1}}
		sizes(&l, text[m[6]:m[7]])
		if dynamic {
			l.Smem = gpu.AllShared
		}
		var ps []param
		if m[4] >= 0 {
			for _, p := range paramRE.FindAllStringSubmatch(text[m[4]:m[5]], -1) {
				ps = append(ps, parseParam(p, body))
			}
		}
		l.Args = arguments(ps, seed)
		list = append(list, l)
	}
	return list
}

// sizes reads the directives between the parameters and the body.
func sizes(l *launch.Launch, tail string) {
	for _, d := range dimsRE.FindAllStringSubmatch(tail, -1) {
		v := [3]uint32{1, 1, 1}
		for k := range v {
			if n, err := strconv.ParseUint(d[2+k], 10, 32); err == nil && n > 0 {
				v[k] = uint32(n)
			}
		}
		switch d[1] {
		case "reqntid":
			l.Block = v
		case "maxntid":
			l.Block = [3]uint32{min(v[0]*v[1]*v[2], maxBlock), 1, 1}
		default:
			l.Grid = [3]uint32{v[0] * 4, v[1] * 2, v[2]}
		}
	}
}

func parseParam(m []string, body string) param {
	width := 8
	if digits := strings.TrimLeft(m[2], "abcdefghijklmnopqrstuvwxyz"); digits != "" {
		if n, err := strconv.Atoi(digits); err == nil {
			width = n
		}
	}
	p := param{size: width / 8, float: strings.HasPrefix(m[2], "f"), ptr: strings.Contains(m[3], ".ptr")}
	if m[5] != "" {
		n, _ := strconv.Atoi(m[5])
		p.size *= n
		p.array = true
	}
	if p.ptr {
		return p
	}
	loads := regexp.MustCompile(`ld\.param(?:\.v\d)?[\w.]*64\s+(%\w+|\{[^}]*\}),\s*\[` + regexp.QuoteMeta(m[4]) + `(?:\+(\d+))?\]`)
	for _, ld := range loads.FindAllStringSubmatch(body, -1) {
		off, _ := strconv.Atoi(ld[2])
		for k, reg := range regRE.FindAllString(ld[1], -1) {
			if isAddress(body, reg) && off+8*k+8 <= p.size {
				p.slots = append(p.slots, off+8*k)
			}
		}
	}
	p.ptr = p.size == 8 && !p.array && len(p.slots) > 0
	return p
}

// isAddress reports whether a register is used as a global address.
func isAddress(body, reg string) bool {
	q := regexp.QuoteMeta(reg)
	return regexp.MustCompile(`cvta\.to\.global\.u64\s+%\w+,\s*`+q+`\s*;`).MatchString(body) ||
		regexp.MustCompile(`\.global[\w.]*\s[^;]*\[\s*`+q+`\b`).MatchString(body)
}

var someSizes = [...]uint64{64, 128, 256, 97, 33, 16, 512}

// arguments makes values for the parameters.
func arguments(ps []param, seed uint64) []launch.Arg {
	r := rand.New(rand.NewPCG(seed, uint64(len(ps))))
	fill := [...]string{"f32", "small", "f16"}[seed%3]
	anyPtr := false
	for _, p := range ps {
		anyPtr = anyPtr || p.ptr || len(p.slots) > 0
	}
	var list []launch.Arg
	ptrs := 0
	for _, p := range ps {
		switch {
		case ptrs < maxPtrs && (p.ptr || p.size == 8 && !p.array && !p.float && !anyPtr):
			list = append(list, launch.Arg{Buf: window, Fill: fill, Seed: seed})
			ptrs++
		case p.array:
			a := launch.Arg{Bytes: make([]byte, p.size)}
			for k := 0; k+8 <= p.size; k += 8 {
				binary.LittleEndian.PutUint64(a.Bytes[k:], [...]uint64{1, 4, 16, 64}[r.IntN(4)])
			}
			for _, s := range p.slots {
				if ptrs < maxPtrs {
					a.Ptrs = append(a.Ptrs, launch.Ptr{Offset: s, Buf: window, Fill: fill, Seed: seed})
					ptrs++
				}
			}
			list = append(list, a)
		case p.float && p.size == 4:
			list = append(list, launch.Arg{Bytes: binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(0.1+1.9*r.Float64())))})
		case p.float && p.size == 8:
			list = append(list, launch.Arg{Bytes: binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1+1.9*r.Float64()))})
		default:
			b := binary.LittleEndian.AppendUint64(nil, someSizes[r.IntN(len(someSizes))])
			list = append(list, launch.Arg{Bytes: append(b, make([]byte, max(0, p.size-8))...)[:p.size]})
		}
	}
	return list
}
