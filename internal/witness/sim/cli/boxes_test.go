package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// boxLaunch launches the kernel of a measured copy; its barrier expects what
// the copy brings.
func boxLaunch(t *testing.T, x *tensor.Measured) *launch.Launch {
	raw, err := hex.DecodeString(x.Map)
	if err != nil {
		t.Fatal(err)
	}
	raw = append(raw, make([]byte, tensor.Size-len(raw))...)
	m, err := tensor.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	word := func(v uint32) launch.Arg { return launch.Arg{Bytes: binary.LittleEndian.AppendUint32(nil, v)} }
	off := uint64(0)
	for k, o := range x.Off {
		off |= uint64(uint16(o)) << (16 * k)
	}
	var at [5]int32
	copy(at[:], x.At)
	l := &launch.Launch{Kernel: x.Kernel(), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Args: []launch.Arg{
		{Bytes: raw, Ptrs: []launch.Ptr{{Buf: 64 << 10, Fill: "bits", Seed: 5}}},
		{Buf: 16<<10 + 16, Fill: "zero"},
		word(m.Bytes()),
		{Bytes: binary.LittleEndian.AppendUint64(nil, off)},
	}}
	for _, a := range at {
		l.Args = append(l.Args, word(uint32(a)))
	}
	return l
}

// TestBoxes copies the boxes that an H200 copied, of tiles and pixels, plain,
// swizzled and interleaved, by our code in the simulator and in the
// interpreter, which have different ways to find the bytes.
func TestBoxes(t *testing.T) {
	text := gpu.BoxKernels()
	vm, err := ptxvm.Load("boxes.ptx", text, "sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	m := compileText(t, "boxes.ptx", []byte(text), "sm_90a")
	if m == nil {
		t.Fatal("the kernels are refused")
	}
	list, err := tensor.MeasuredH200()
	if err != nil {
		t.Fatal(err)
	}
	for k, x := range list {
		if x.Fault || x.Store || testing.Short() && k%4 != 0 {
			continue // stores are TestMeasured's, of either way
		}
		l := boxLaunch(t, x)
		want, err := vm.Run(l, ptxvm.Options{})
		if err != nil {
			t.Errorf("%+v: %v", *x, err)
			continue
		}
		for _, when := range []string{"", "late"} {
			p, err := m.Kernel(l.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			c, err := p.Prepare(l, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.Launch.Async, err = sim.ParseAsync(when); err != nil {
				t.Fatal(err)
			}
			c.Launch.MaxSteps = 2_000_000
			st, err := p.Run(&c.Launch)
			if err != nil || len(st.Races) > 0 {
				t.Errorf("%+v: %v %v", *x, err, st)
				continue
			}
			if got := c.Buffers[1]; !bytes.Equal(got[:16<<10], want[1][:16<<10]) {
				t.Errorf("%+v %s: shared memory differs", *x, when)
			}
		}
	}
}
