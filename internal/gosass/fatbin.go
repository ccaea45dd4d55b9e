package gosass

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/gosass/dis"
)

// A fat binary is a list of images behind a header of 16 bytes: magic,
// version, size. Each image has a header of its own:
//
//	 0 kind: 1 PTX, 2 cubin     2 version   4 size of this header
//	 8 size of the image in the file       16 compressed size
//	28 SM                                   40 flags   56 size uncompressed
const (
	fatMagic   = 0xba55ed50
	fatHead    = 16
	imageHead  = 64
	imageCubin = 2

	flagLZ4  = 0x2000
	flagZstd = 0x8000
)

// Image is one cubin found in a file.
type Image struct {
	SM   int
	Data []byte
}

const machineCUDA = 190

// Images finds the cubins of a file: the file itself, the images of a fat
// binary, or those inside a host object or program.
func Images(b []byte) ([]Image, error) {
	if len(b) >= 4 && binary.LittleEndian.Uint32(b) == fatMagic {
		return fatImages(b)
	}
	im, err := elf.Parse(b)
	if err != nil {
		if len(b) >= 20 && string(b[:4]) == "\x7fELF" && binary.LittleEndian.Uint16(b[18:]) != machineCUDA {
			return scanFat(b)
		}
		return nil, err
	}
	if im.Header.Machine == machineCUDA {
		return []Image{{SM: int(im.Header.Flags >> 8 & 0xffff), Data: b}}, nil
	}
	return scanFat(b)
}

// scanFat looks for fat binaries in a host file: they begin at multiples of
// 8 in section .nv_fatbin.
func scanFat(b []byte) ([]Image, error) {
	var list []Image
	for at := 0; at+fatHead <= len(b); at += 8 {
		if binary.LittleEndian.Uint32(b[at:]) != fatMagic || binary.LittleEndian.Uint16(b[at+4:]) != 1 {
			continue
		}
		images, err := fatImages(b[at:])
		if err != nil {
			return nil, err
		}
		list = append(list, images...)
	}
	if len(list) == 0 {
		return nil, errors.New("no cubin inside")
	}
	return list, nil
}

func fatImages(b []byte) ([]Image, error) {
	if len(b) < fatHead {
		return nil, errors.New("fat binary is cut off")
	}
	head, size := uint64(binary.LittleEndian.Uint16(b[6:])), binary.LittleEndian.Uint64(b[8:])
	if head > uint64(len(b)) || size > uint64(len(b))-head {
		return nil, errors.New("fat binary is cut off")
	}
	var list []Image
	for rest := b[head : head+size]; len(rest) >= imageHead; {
		hs, ps := uint64(binary.LittleEndian.Uint32(rest[4:])), binary.LittleEndian.Uint64(rest[8:])
		if hs < imageHead || hs > uint64(len(rest)) || ps > uint64(len(rest))-hs {
			return nil, errors.New("image of a fat binary is cut off")
		}
		if binary.LittleEndian.Uint16(rest) == imageCubin {
			data, err := unpackImage(rest, rest[hs:hs+ps])
			if err != nil {
				return nil, err
			}
			list = append(list, Image{SM: int(binary.LittleEndian.Uint32(rest[28:])), Data: data})
		}
		rest = rest[hs+ps:]
	}
	return list, nil
}

// unpackImage returns the image of a header, uncompressed.
func unpackImage(h, data []byte) ([]byte, error) {
	flags := binary.LittleEndian.Uint64(h[40:])
	size, packed := binary.LittleEndian.Uint64(h[56:]), uint64(binary.LittleEndian.Uint32(h[16:]))
	switch {
	case flags&flagZstd != 0:
		return nil, fmt.Errorf("image for sm_%d is compressed with zstd, which is not supported: make it with --compress-mode=none", binary.LittleEndian.Uint32(h[28:]))
	case flags&flagLZ4 != 0:
		if packed > uint64(len(data)) {
			return nil, errors.New("image of a fat binary is cut off")
		}
		return unpackLZ4(data[:packed], size)
	}
	return data, nil
}

var errLZ4 = errors.New("compressed image is malformed")

// unpackLZ4 unpacks one block: runs of literals and copies of what stands
// up to 64 KiB back. size is what comes out.
func unpackLZ4(in []byte, size uint64) ([]byte, error) {
	// A byte of input gives at most 255 bytes of output.
	if size > uint64(len(in))*255+16 {
		return nil, errLZ4
	}
	out := make([]byte, 0, size)
	for at := 0; at < len(in); {
		token := in[at]
		at++
		lit, next, ok := lz4Length(in, at, int(token>>4))
		if !ok || lit > len(in)-next || uint64(len(out)+lit) > size {
			return nil, errLZ4
		}
		out = append(out, in[next:next+lit]...)
		at = next + lit
		if at == len(in) {
			break
		}
		if at+2 > len(in) {
			return nil, errLZ4
		}
		back := int(binary.LittleEndian.Uint16(in[at:]))
		n, next, ok := lz4Length(in, at+2, int(token&15))
		n += 4
		if !ok || back == 0 || back > len(out) || uint64(len(out)+n) > size {
			return nil, errLZ4
		}
		at = next
		for range n {
			out = append(out, out[len(out)-back])
		}
	}
	if uint64(len(out)) != size {
		return nil, errLZ4
	}
	return out, nil
}

// lz4Length reads the rest of a length whose first four bits are 15.
func lz4Length(in []byte, at, n int) (length, next int, ok bool) {
	if n < 15 {
		return n, at, true
	}
	for at < len(in) {
		c := in[at]
		at++
		n += int(c)
		if c != 255 {
			return n, at, true
		}
	}
	return 0, 0, false
}

// open reads the one cubin of a file; with several, the architecture chooses.
func open(b []byte, opt *dis.Options) (*cubin.File, error) {
	list, err := Images(b)
	if err != nil {
		return nil, err
	}
	if opt.Arch != nil {
		for _, x := range list {
			if x.SM == opt.Arch.SM {
				return cubin.Read(x.Data)
			}
		}
		return nil, fmt.Errorf("no cubin for %s inside", opt.Arch.Name)
	}
	if len(list) == 0 {
		return nil, errors.New("no cubin inside")
	}
	return cubin.Read(list[0].Data)
}
