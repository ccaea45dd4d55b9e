package launch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Texture is an array in texture memory and how it is read. As an argument
// it is the handle of a texture or surface object:
//
//	//: tex 2d 16x8 f32x4 whole 1 linear norm wrap,clamp
//	//: tex 1d 64 u8x1 u8 2 unit
//	//: tex buf 100 f32x1 f32 4
//	//: tex cube 8x8 f32x1 whole 3 norm levels=3 blend
//	//: surf 2d 16x8 u32x1 zero
//
// The words are the geometry, the size, the format of a texel, the first
// contents with their seed, and options. With ref=name it is no argument: it is
// bound to the .texref or .surfref of that name.
type Texture struct {
	Surface  bool      `json:"surface,omitempty"` // a surface; its contents are a result
	Dim      string    `json:"dim"`               // one of Dims
	Size     [3]int    `json:"size"`              // width, height, depth or layers; unused ones are 1
	Format   string    `json:"format"`            // of a channel, one of Formats
	Channels int       `json:"channels"`
	Fill     string    `json:"fill"`
	Seed     uint64    `json:"seed,omitempty"`
	Linear   bool      `json:"linear,omitempty"` // filtered between texels
	Normal   bool      `json:"normal,omitempty"` // coordinates from 0 to 1
	Unit     bool      `json:"unit,omitempty"`   // integers are read as floats up to 1
	Address  [3]string `json:"address"`          // outside: clamp, wrap, mirror or border
	Levels   int       `json:"levels,omitempty"` // of a mipmap; 0: none
	Blend    bool      `json:"blend,omitempty"`  // filtered between levels
	Ref      string    `json:"ref,omitempty"`
}

// Dims are the geometries, as PTX names them, and plain memory, which PTX
// reads as 1d with whole coordinates.
var Dims = [...]string{"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "buf"}

// Formats are the formats of a channel.
var Formats = [...]struct {
	Name string
	Size int
}{{"u8", 1}, {"s8", 1}, {"u16", 2}, {"s16", 2}, {"f16", 2}, {"u32", 4}, {"s32", 4}, {"f32", 4}}

// Modes are the ways to read outside a texture, in the driver's order.
var Modes = [...]string{"wrap", "clamp", "mirror", "border"}

// faces of a cube.
const faces = 6

// Texel returns the bytes of a texel.
func (t *Texture) Texel() int {
	for _, f := range Formats {
		if f.Name == t.Format {
			return f.Size * t.Channels
		}
	}
	return 0
}

// LevelSize returns the width, height and number of slices of a level:
// layers, faces and depth are slices.
func (t *Texture) LevelSize(level int) (w, h, slices int) {
	w, h, slices = max(1, t.Size[0]>>level), max(1, t.Size[1]>>level), t.Size[2]
	switch t.Dim {
	case "3d":
		slices = max(1, slices>>level)
	case "cube", "acube":
		slices *= faces
	}
	return w, h, slices
}

// Data makes the first contents, level after level.
func (t *Texture) Data() []byte {
	n := 0
	for l := range max(1, t.Levels) {
		w, h, s := t.LevelSize(l)
		n += w * h * s * t.Texel()
	}
	return Data(t.Fill, t.Seed, n)
}

// parseTexture reads the words after tex or surf.
func parseTexture(words []string, surface bool) (*Texture, error) {
	t := &Texture{Surface: surface, Size: [3]int{1, 1, 1}, Fill: "zero", Address: [3]string{"clamp", "clamp", "clamp"}}
	if len(words) < 3 {
		return nil, fmt.Errorf("a texture has a geometry, a size and a format")
	}
	if t.Dim = words[0]; !slices.Contains(Dims[:], t.Dim) {
		return nil, fmt.Errorf("unknown geometry %q", t.Dim)
	}
	for k, s := range strings.Split(words[1], "x") {
		v, err := strconv.Atoi(s)
		if err != nil || v <= 0 || v > 4096 || k >= 3 {
			return nil, fmt.Errorf("bad size %q", words[1])
		}
		t.Size[k] = v
	}
	if t.Dim == "a1d" { // the second number is that of the layers
		t.Size = [3]int{t.Size[0], 1, t.Size[1]}
	}
	format, channels, _ := strings.Cut(words[2], "x")
	t.Format, t.Channels = format, 1
	if channels != "" {
		t.Channels, _ = strconv.Atoi(channels)
	}
	if t.Channels != 1 && t.Channels != 2 && t.Channels != 4 || t.Texel() == 0 {
		return nil, fmt.Errorf("bad format %q", words[2])
	}
	for _, w := range words[3:] {
		if err := t.option(w); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *Texture) option(word string) error {
	switch key, value, _ := strings.Cut(word, "="); key {
	case "linear":
		t.Linear = true
	case "norm":
		t.Normal = true
	case "unit":
		t.Unit = true
	case "blend":
		t.Blend = true
	case "ref":
		t.Ref = value
	case "levels":
		n, err := strconv.Atoi(value)
		if t.Levels = n; err != nil || n < 1 || n > 12 {
			return fmt.Errorf("bad number of levels %q", value)
		}
	default:
		if IsFill(word) {
			t.Fill = word
			return nil
		}
		if v, err := strconv.ParseUint(word, 0, 64); err == nil {
			t.Seed = v
			return nil
		}
		for k, m := range strings.Split(word, ",") {
			if k >= 3 || !slices.Contains(Modes[:], m) {
				return fmt.Errorf("unknown word %q", word)
			}
			for ; k < 3; k++ {
				t.Address[k] = m
			}
		}
	}
	return nil
}
