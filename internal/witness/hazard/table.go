package hazard

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed testdata/*.txt
var data embed.FS

// kinds of conflict between two instructions.
type kind uint8

const (
	raw kind = iota
	waw
	war
)

var kindNames = [...]string{raw: "RAW", waw: "WAW", war: "WAR"}

// file is a register file.
type file uint8

const (
	fileR file = iota
	fileUR
	fileP
	fileUP
	fileB
	numFiles
)

var fileNames = [numFiles]string{fileR: "R", fileUR: "UR", fileP: "P", fileUP: "UP", fileB: "B"}

// class and slot name what an instruction is and which of its operands is
// meant, with the words of the tables.
type (
	class string
	slot  string
)

type pair struct {
	kind     kind
	file     file
	from, to class
	fs, ts   slot
}

type producer struct {
	file file
	from class
	fs   slot
	math bool // readers that compute; others take uniform registers later
}

// distance is one cell of the issue table.
type distance struct {
	cycles int
	weak   bool // the true number may be lower
}

// operation is one row of the list of classes.
type operation struct {
	words []string // mnemonic and modifiers that must be present
	class class
	how   string // of this generation: F, V or N, r behind it; - unseen
}

// table is what is known of one generation.
type table struct {
	sm     int
	pairs  map[pair]distance
	worst  map[producer]int // longest distance that an ordinary reader needs
	ops    map[string][]operation
	late   map[class]bool // reads general registers after issue
	varies map[class]bool // results come with a barrier
	hopper *table         // the best known generation, for all others
}

// generations are the SMs whose code was read for a table.
var generations = [...]int{75, 80, 89, 90, 100, 120}

// sources says whose table judges the code of each SM. One that is not here
// is not judged: that is an error.
var sources = [...]struct {
	sm, table int
	why       string
}{
	{75, 75, "its own"},
	{80, 80, "its own"},
	{86, 89, "the reference's code for both is the same word for word"},
	{87, 89, "the reference's code differs in single instructions, not in distances"},
	{88, 89, "the reference's code for both is the same word for word"},
	{89, 89, "its own"},
	{90, 90, "its own"},
	{100, 100, "its own"},
	{103, 103, "sm_100, where the reference's code is the same word for word but for doubles and products of integers"},
	{110, 110, "sm_100, to which the reference's code stands up but for doubles"},
	{120, 120, "its own"},
	{121, 120, "the reference's code for both is the same word for word"},
}

// mixed are SMs whose tables are made of two: what has to do with doubles is
// as on sm_120, all else as on sm_100.
var mixed = [...]int{103, 110}

// load reads the table of an SM.
func load(sm int) (*table, error) {
	most, doubles := sm, sm
	if slices.Contains(mixed[:], sm) {
		most, doubles = 100, 120
	}
	t := &table{
		sm: sm, pairs: map[pair]distance{}, worst: map[producer]int{}, ops: map[string][]operation{},
		late: map[class]bool{}, varies: map[class]bool{},
	}
	for _, name := range [...]string{"issue", "seen"} {
		err := t.readPairs(fmt.Sprintf("%s-sm%d.txt", name, most), func(p pair) bool { return most == doubles || !p.doubles() })
		if err == nil && most != doubles {
			err = t.readPairs(fmt.Sprintf("%s-sm%d.txt", name, doubles), pair.doubles)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := t.readClasses(most, doubles); err != nil {
		return nil, err
	}
	t.limits()
	return t, nil
}

func (p pair) doubles() bool { return p.from == "fp64" || p.to == "fp64" }

var tables = sync.OnceValues(func() (map[int]*table, error) {
	all := map[int]*table{}
	for _, sm := range append(generations[:], mixed[:]...) {
		t, err := load(sm)
		if err != nil {
			return nil, err
		}
		all[sm] = t
	}
	for sm, t := range all {
		if sm != 90 {
			t.hopper = all[90]
		}
	}
	return all, nil
})

// tableOf returns the table for an SM.
func tableOf(sm int) (*table, error) {
	all, err := tables()
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		if s.sm == sm {
			return all[s.table], nil
		}
	}
	return nil, fmt.Errorf("nobody has said which table judges the code of sm_%d", sm)
}

// lines calls f with the fields of every line that is no comment.
func lines(name string, f func(n int, fields []string) error) error {
	text, err := data.ReadFile("testdata/" + name)
	if err != nil {
		return err
	}
	for n, l := range strings.Split(string(text), "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		if err := f(n+1, strings.Fields(l)); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
	}
	return nil
}

// readPairs reads the pairs of a file that keep lets pass.
func (t *table) readPairs(name string, keep func(pair) bool) error {
	return lines(name, func(_ int, w []string) error {
		if len(w) < 4 {
			return fmt.Errorf("too short")
		}
		p := pair{kind: kind(index(kindNames[:], w[0])), file: file(index(fileNames[:], w[1]))}
		p.from, p.fs = split(w[2])
		for _, c := range w[3:] {
			to, num, _ := strings.Cut(c, "=")
			p.to, p.ts = split(to)
			n, err := strconv.Atoi(strings.TrimSuffix(num, "?"))
			if err != nil {
				return err
			}
			if keep(p) {
				t.pairs[p] = distance{n, strings.HasSuffix(num, "?")}
			}
		}
		return nil
	})
}

// split takes apart class.operand, where an operand may hold a dot.
func split(s string) (class, slot) {
	c, sl, _ := strings.Cut(s, ".")
	return class(c), slot(sl)
}

func index(list []string, s string) int {
	for n, x := range list {
		if x == s {
			return n
		}
	}
	return len(list)
}

// readClasses reads how operations end, those on doubles as on another SM.
func (t *table) readClasses(most, doubles int) error {
	return lines("classes.txt", func(_ int, w []string) error {
		if len(w) != 8 {
			return fmt.Errorf("want 8 fields")
		}
		words := strings.Split(w[0], ".")
		sm := most
		if w[1] == "fp64" {
			sm = doubles
		}
		how := w[2+slices.Index(generations[:], sm)]
		for k := len(w) - 1; how == "-" && k >= 2; k-- { // as on the nearest that has it
			how = w[k]
		}
		o := operation{words: words, class: class(w[1]), how: how}
		if t.sm == 103 && words[0] == "IMMA" { // another unit than that of halves
			o.class, o.how = "dmma", "Vr"
		}
		t.ops[words[0]] = append(t.ops[words[0]], o)
		if strings.HasSuffix(how, "r") {
			t.late[o.class] = true
		}
		if strings.HasPrefix(how, "V") {
			t.varies[o.class] = true
		}
		return nil
	})
}

// ordinary are the readers that say how long a result may take to reach
// somebody whom the reference was never seen to pair with its producer.
var ordinary = map[class]bool{
	"alu": true, "fma": true, "imad": true, "imadhi": true, "wide": true, "half": true, "half32": true, "halfcmp": true, "fp64": true,
	"mma1": true, "mma2": true, "imma88": true, "xu": true, "lds": true, "sts": true, "ldg": true, "stg": true, "ldgsts": true,
	"udp": true, "umov": true, "vote": true,
}

// math are the ordinary readers that compute.
var math = map[class]bool{
	"alu": true, "fma": true, "imad": true, "imadhi": true, "wide": true, "half": true, "half32": true, "halfcmp": true, "fp64": true,
	"mma1": true, "mma2": true, "imma88": true, "udp": true,
}

// limits derives the distance for pairs without evidence: the longest one
// that is well known for the same result.
func (t *table) limits() {
	for p, d := range t.pairs {
		if p.kind != raw || d.weak || !ordinary[p.to] {
			continue
		}
		if near := t.pairs[pair{raw, p.file, p.from, "alu", p.fs, "s"}]; p.file == fileR && d.cycles > near.cycles+4 || d.cycles > 35 {
			continue // rare pairs stand far apart for other reasons
		}
		k := producer{p.file, p.from, p.fs, p.file == fileUR && math[p.to]}
		t.worst[k] = max(t.worst[k], d.cycles)
	}
}

// read returns the cycles from a result to its reader. A pair that was
// hardly ever seen needs no more than others of its kind: than any reader of
// the same result, than the vector unit's where it reads a uniform register,
// than other memory instructions, than the same pair on Hopper, of which
// most is known.
func (t *table) read(f file, from class, fs slot, to class, ts slot) int {
	if f == fileR && to == "tex" {
		to, ts = "xu", "s"
	}
	d, ok := t.pairs[pair{raw, f, from, to, fs, ts}]
	if !ok && to == "syncs" {
		d, ok = t.pairs[pair{raw, f, from, to, fs, "uaddr"}]
	}
	if ok && !d.weak && f != fileR && !(f == fileUR && math[to]) && d.cycles <= 35 {
		return d.cycles
	}
	limit := t.limit(f, from, fs, to)
	switch {
	case ok && !d.weak:
		return min(d.cycles, limit)
	case ok:
		limit = min(d.cycles, limit)
	}
	switch {
	case queueMembers[to]:
		limit = t.sibling(limit, f, from, fs, queueMembers, "data", "addr")
	case matrix[to]:
		limit = t.sibling(limit, f, from, fs, matrix, ts)
	}
	if h := t.hopper; h != nil {
		if d, ok := h.pairs[pair{raw, f, from, to, fs, ts}]; ok && !d.weak {
			limit = min(limit, d.cycles)
		}
	}
	return limit
}

// limit returns the longest distance that any reader of the kind needs.
func (t *table) limit(f file, from class, fs slot, to class) int {
	quick := from == "umov" || from == "uldc" || from == "voteu" || from == "elect"
	if f == fileUR && (math[to] && to != "udp" || quick && (to == "xu" || to == "xu64" || to == "umov" || to == "udp")) {
		for _, x := range [...]*table{t, t.hopper} {
			if x == nil {
				continue
			}
			if d, ok := x.pairs[pair{raw, f, from, "alu", fs, "s"}]; ok && !d.weak {
				return d.cycles
			}
		}
	}
	for _, m := range [...]bool{f == fileUR && math[to], f == fileUR && !math[to]} {
		if n, ok := t.worst[producer{f, from, fs, m}]; ok {
			return n
		}
	}
	return unseen[f]
}

// queueMembers are the classes of memory instructions.
var queueMembers = map[class]bool{"ldg": true, "stg": true, "lds": true, "sts": true, "ldgsts": true, "tmem": true}

// matrix are the classes of the matrix unit's products.
var matrix = map[class]bool{"mma1": true, "mma2": true, "imma88": true, "qmma": true}

// sibling lowers a limit to the longest distance of a result to operands of
// similar instructions, where that is well known.
func (t *table) sibling(limit int, f file, from class, fs slot, classes map[class]bool, slots ...slot) int {
	n := 0
	for to := range classes {
		for _, ts := range slots {
			if d, ok := t.pairs[pair{raw, f, from, to, fs, ts}]; ok && !d.weak && d.cycles <= 35 {
				n = max(n, d.cycles)
			}
		}
	}
	if n == 0 {
		return limit
	}
	return min(limit, n)
}

// unseen is for results that no table knows.
var unseen = [numFiles]int{fileR: 7, fileUR: 13, fileP: 13, fileUP: 11}

// write returns the cycles from a result to the next one in the same
// register. The units write in order but for their different lengths: what
// an ALU result needs less than this one's, or, before a result of variable
// latency, six cycles or the time to the read port of a memory instruction.
func (t *table) write(f file, from class, fs slot, to class, variable bool) int {
	switch {
	case f == fileUR || f == fileUP:
		return uniformWrite(from, to)
	case f != fileR || (from == to || from == "p2r") && !variable:
		return 1
	}
	bound := max(1, t.read(fileR, from, fs, "alu", "s")-4)
	if variable && to != "fp64" { // whose results come late wherever a barrier announces them
		bound = 6
		if t.read(fileR, from, fs, "alu", "s") > 9 {
			bound = t.read(fileR, from, fs, "stg", "data")
		}
	}
	if d, ok := t.pairs[pair{waw, f, from, to, fs, "d"}]; ok && !d.weak && d.cycles >= bound && d.cycles <= bound+4 {
		return d.cycles
	}
	return bound
}

// uniformWrite is the same for uniform registers: moves and constants come
// sooner than what the uniform unit computes.
func uniformWrite(from, to class) int {
	if (from == "elect" || from == "voteu") && (to == "uldc" || to == "umov") {
		return 2 // whose results land a cycle before
	}
	if from != "udp" && from != "uwide" {
		return 1
	}
	switch to {
	case "uldc", "umov", "voteu":
		return 7
	case "s2ur":
		return 11
	}
	return 1
}

// over returns the cycles from a read at issue to the next write.
func (t *table) over(f file, from class, fs slot, to class, variable bool) int {
	switch {
	case f == fileUR && (from == "udp" || from == "uwide") && (to == "uldc" || to == "umov"):
		return 3
	case f == fileUP && fs != "g" && to == "voteu":
		return 2 // a carry is read behind the issue, a guard at it
	case f != fileR:
		return 1
	}
	d, ok := t.pairs[pair{war, f, from, to, fs, "d"}]
	switch {
	case to == "fp64" || to == "mma1" || to == "mma2" || to == "imma88" || to == "qmma":
		return 1 // these write long after anybody has read
	case ok && !d.weak && (from == "mma2" || from == "qmma" || from == "mma1") && d.cycles <= 8:
		return d.cycles
	case ok && !d.weak && variable:
		return min(d.cycles, 2)
	}
	return 1
}
