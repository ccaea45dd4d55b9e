// Package async is the meaning of PTX asynchronous copies and of mbarriers,
// which tell that they are done: cp.async, bulk copies and copies of tensors.
package async
