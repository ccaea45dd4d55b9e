// Package gpu runs cubins on a real GPU through the CUDA driver, loaded at
// run time without cgo. It is a witness: what a kernel does to memory there
// is what it means.
package gpu

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Driver is an open CUDA driver with one context on the first device. It
// belongs to the goroutine that opened it: the context is the thread's.
type Driver struct {
	init        func(uint32) int32
	deviceGet   func(*int32, int32) int32
	retain      func(*uintptr, int32) int32
	setCurrent  func(uintptr) int32
	synchronize func() int32
	alloc       func(*uintptr, uintptr) int32
	free        func(uintptr) int32
	toDevice    func(uintptr, unsafe.Pointer, uintptr) int32
	toHost      func(unsafe.Pointer, uintptr, uintptr) int32
	within      func(uintptr, uintptr, uintptr) int32
	memset      func(uintptr, uint8, uintptr) int32
	load        func(*uintptr, unsafe.Pointer) int32
	unload      func(uintptr) int32
	function    func(*uintptr, uintptr, string) int32
	attribute   func(*int32, int32, uintptr) int32
	setAttr     func(uintptr, int32, int32) int32
	launch      func(f uintptr, gx, gy, gz, bx, by, bz, smem uint32, stream uintptr, args, extra unsafe.Pointer) int32
	launchEx    func(config unsafe.Pointer, f uintptr, args, extra unsafe.Pointer) int32
	eventCreate func(*uintptr, uint32) int32
	eventRecord func(uintptr, uintptr) int32
	eventSync   func(uintptr) int32
	eventTime   func(*float32, uintptr, uintptr) int32
	errorName   func(int32, *uintptr) int32
}

// Error is a failed driver call.
type Error struct {
	Call string
	Code int32
	Name string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code) }

// Open loads the driver and makes a context. The calling goroutine is
// locked to its thread.
func Open() (*Driver, error) {
	runtime.LockOSThread()
	lib, err := openLibrary()
	if err != nil {
		return nil, fmt.Errorf("no CUDA driver: %w", err)
	}
	d := &Driver{}
	bind(lib, []symbol{
		{&d.init, "cuInit"},
		{&d.deviceGet, "cuDeviceGet"},
		{&d.retain, "cuDevicePrimaryCtxRetain"},
		{&d.setCurrent, "cuCtxSetCurrent"},
		{&d.synchronize, "cuCtxSynchronize"},
		{&d.alloc, "cuMemAlloc_v2"},
		{&d.free, "cuMemFree_v2"},
		{&d.toDevice, "cuMemcpyHtoD_v2"},
		{&d.toHost, "cuMemcpyDtoH_v2"},
		{&d.within, "cuMemcpyDtoD_v2"},
		{&d.memset, "cuMemsetD8_v2"},
		{&d.load, "cuModuleLoadData"},
		{&d.unload, "cuModuleUnload"},
		{&d.function, "cuModuleGetFunction"},
		{&d.attribute, "cuFuncGetAttribute"},
		{&d.setAttr, "cuFuncSetAttribute"},
		{&d.launch, "cuLaunchKernel"},
		{&d.launchEx, "cuLaunchKernelEx"},
		{&d.eventCreate, "cuEventCreate"},
		{&d.eventRecord, "cuEventRecord"},
		{&d.eventSync, "cuEventSynchronize"},
		{&d.eventTime, "cuEventElapsedTime"},
		{&d.errorName, "cuGetErrorName"},
	})
	var dev int32
	var ctx uintptr
	for _, step := range []struct {
		call string
		code int32
	}{
		{"cuInit", d.init(0)},
		{"cuDeviceGet", d.deviceGet(&dev, 0)},
		{"cuDevicePrimaryCtxRetain", d.retain(&ctx, dev)},
		{"cuCtxSetCurrent", d.setCurrent(ctx)},
	} {
		if err := d.check(step.call, step.code); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// symbol is a function of the driver and where it goes.
type symbol struct {
	to   any
	name string
}

func bind(lib uintptr, list []symbol) {
	for _, s := range list {
		purego.RegisterLibFunc(s.to, lib, s.name)
	}
}

func (d *Driver) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	e := &Error{Call: call, Code: code, Name: "unknown"}
	var p uintptr
	if d.errorName(code, &p) == 0 && p != 0 {
		var b []byte
		for q := *(*unsafe.Pointer)(unsafe.Pointer(&p)); *(*byte)(q) != 0; q = unsafe.Add(q, 1) {
			b = append(b, *(*byte)(q))
		}
		e.Name = string(b)
	}
	return e
}

// Module is a loaded cubin.
type Module struct {
	d *Driver
	h uintptr
}

// Load loads a cubin.
func (d *Driver) Load(image []byte) (*Module, error) {
	if len(image) == 0 {
		return nil, fmt.Errorf("empty cubin")
	}
	m := &Module{d: d}
	err := d.check("cuModuleLoadData", d.load(&m.h, unsafe.Pointer(&image[0])))
	return m, err
}

// Unload gives the module back.
func (m *Module) Unload() { m.d.unload(m.h) }

// Attributes of a function, by the driver's numbers.
const (
	attrShared     = 1
	attrLocal      = 3
	attrRegisters  = 4
	attrMaxDynamic = 8
)

// Function is a kernel of a loaded module.
type Function struct {
	d *Driver
	h uintptr
}

// Function finds a kernel by name.
func (m *Module) Function(name string) (*Function, error) {
	f := &Function{d: m.d}
	err := m.d.check("cuModuleGetFunction", m.d.function(&f.h, m.h, name))
	return f, err
}

func (f *Function) attr(which int32) int {
	var v int32
	f.d.attribute(&v, which, f.h)
	return int(v)
}

// Registers returns the registers of each thread.
func (f *Function) Registers() int { return f.attr(attrRegisters) }

// Shared returns the bytes of static shared memory.
func (f *Function) Shared() int { return f.attr(attrShared) }

// Local returns the bytes of local memory of each thread.
func (f *Function) Local() int { return f.attr(attrLocal) }

// Launch starts the kernel and waits for it. args are pointers to the
// argument values.
func (f *Function) Launch(grid, block [3]uint32, smem uint32, args []unsafe.Pointer) error {
	if smem > 0 {
		if err := f.d.check("cuFuncSetAttribute", f.d.setAttr(f.h, attrMaxDynamic, int32(smem))); err != nil {
			return err
		}
	}
	var p unsafe.Pointer
	if len(args) > 0 {
		p = unsafe.Pointer(&args[0])
	}
	code := f.d.launch(f.h, grid[0], grid[1], grid[2], block[0], block[1], block[2], smem, 0, p, nil)
	if err := f.d.check("cuLaunchKernel", code); err != nil {
		return err
	}
	return f.d.check("cuCtxSynchronize", f.d.synchronize())
}

// launchConfig is CUlaunchConfig: sizes, stream, attributes.
type launchConfig struct {
	grid, block [3]uint32
	smem        uint32
	stream      uintptr
	attrs       unsafe.Pointer
	nattrs      uint32
}

// launchAttr is CUlaunchAttribute: an id and a 64-byte value.
type launchAttr struct {
	id    uint32
	_     uint32
	value [16]uint32
}

const attrClusterDim = 4

// LaunchCluster is Launch with a cluster size.
func (f *Function) LaunchCluster(grid, block, cluster [3]uint32, smem uint32, args []unsafe.Pointer) error {
	if smem > 0 {
		f.d.setAttr(f.h, attrMaxDynamic, int32(smem))
	}
	a := launchAttr{id: attrClusterDim}
	copy(a.value[:], cluster[:])
	c := launchConfig{grid: grid, block: block, smem: smem, attrs: unsafe.Pointer(&a), nattrs: 1}
	var p unsafe.Pointer
	if len(args) > 0 {
		p = unsafe.Pointer(&args[0])
	}
	if err := f.d.check("cuLaunchKernelEx", f.d.launchEx(unsafe.Pointer(&c), f.h, p, nil)); err != nil {
		return err
	}
	return f.d.check("cuCtxSynchronize", f.d.synchronize())
}

// Memory is a block of device memory.
type Memory struct {
	d    *Driver
	Addr uintptr
	Size int
}

// Alloc takes device memory.
func (d *Driver) Alloc(size int) (*Memory, error) {
	m := &Memory{d: d, Size: size}
	err := d.check("cuMemAlloc", d.alloc(&m.Addr, uintptr(size)))
	return m, err
}

// Free gives the memory back.
func (m *Memory) Free() { m.d.free(m.Addr) }

// Write copies bytes to the device, from offset on.
func (m *Memory) Write(offset int, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return m.d.check("cuMemcpyHtoD", m.d.toDevice(m.Addr+uintptr(offset), unsafe.Pointer(&b[0]), uintptr(len(b))))
}

// Read copies bytes from the device, from offset on.
func (m *Memory) Read(offset int, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return m.d.check("cuMemcpyDtoH", m.d.toHost(unsafe.Pointer(&b[0]), m.Addr+uintptr(offset), uintptr(len(b))))
}

// Copy copies size bytes of src to offset of m, on the device.
func (m *Memory) Copy(offset int, src *Memory, size int) error {
	return m.d.check("cuMemcpyDtoD", m.d.within(m.Addr+uintptr(offset), src.Addr, uintptr(size)))
}

// Set fills the memory with one byte.
func (m *Memory) Set(b byte) error {
	return m.d.check("cuMemsetD8", m.d.memset(m.Addr, b, uintptr(m.Size)))
}
