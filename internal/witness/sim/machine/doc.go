// Package machine is what instructions of SASS run on: a kernel made ready
// (load.go, inst.go), warps of 32 lanes that part and meet (warp.go,
// converge.go), blocks and clusters with barriers (cta.go, cluster.go),
// memory whose every byte has an owner (memory.go), and asynchronous work
// (async.go, mbarrier.go, copies.go, products.go, tensormem.go) with what the
// rules say about it (order.go, shadow.go, guard.go).
//
// It knows no operation: the table of meanings is handed to Load. A meaning
// is a function of the warp, the instruction and the lanes that execute it.
package machine
