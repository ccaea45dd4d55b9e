package atomicfile

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// oTmpfile is O_TMPFILE of linux/fcntl.h, which package syscall lacks.
const oTmpfile = 0x400000 | syscall.O_DIRECTORY

// openUnnamed makes a file without a name in dir. Not every file system can.
func openUnnamed(dir string, mode fs.FileMode) (*os.File, error) {
	// Without /proc the file could not be given its name later.
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return nil, err
	}
	return os.OpenFile(dir, os.O_WRONLY|oTmpfile, mode)
}

// linkUnnamed gives f the name.
func linkUnnamed(f *os.File, name string) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	to, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	var errno syscall.Errno
	err = c.Control(func(fd uintptr) {
		var from *byte
		if from, err = syscall.BytePtrFromString("/proc/self/fd/" + strconv.Itoa(int(fd))); err != nil {
			return
		}
		const atFDCWD, atSymlinkFollow = -100, 0x400
		at := atFDCWD
		_, _, errno = syscall.Syscall6(syscall.SYS_LINKAT, uintptr(at), uintptr(unsafe.Pointer(from)),
			uintptr(at), uintptr(unsafe.Pointer(to)), atSymlinkFollow, 0)
	})
	if err == nil && errno != 0 {
		err = &os.LinkError{Op: "linkat", Old: f.Name(), New: name, Err: errno}
	}
	return err
}
