// Package address has the phases about addresses and memory.
//
//   - Addresses: address.go folds constants into offsets, reassociate.go adds
//     what is shared first, scaled.go shifts factors instead of products,
//     bankbase.go and scatter.go serve constant banks and set bits.
//   - Accesses: narrow.go reads only what is wanted, vector.go and
//     vector_store.go make wide accesses of narrow ones (joiner.go,
//     aligned.go).
//   - The thread's own frame: locals.go and locals_index.go keep its words in
//     registers.
package address
