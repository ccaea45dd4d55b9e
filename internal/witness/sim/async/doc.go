// Package async is the meaning of SASS asynchronous copies, by thread (LDGSTS),
// in bulk and of tensors, of mbarriers that tell their end, and of fences.
package async
