package sema_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
)

// TestNarrowAddresses: registers of 32 bits as generic addresses and those of
// global memory. Some instructions extend them, as the reference's code does,
// and others are refused with its words.
func TestNarrowAddresses(t *testing.T) {
	const (
		narrow = "Program uses 32-bit address on line '6' which is conflicting with .address_size 64"
		mov    = "Arguments mismatch for instruction 'mov'"
	)
	for text, want := range map[string]string{
		"ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%r2];":                                       "",
		"stmatrix.sync.aligned.m8n8.x1.b16 [%r2], {%r1};":                                       "",
		"wmma.store.d.sync.aligned.row.m16n16k16.f32 [%r1], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};": "",
		"cp.async.ca.shared.global [%r1], [%r2], 16;":                                           "",
		"cp.async.ca.shared.global [%r1], [%h2], 16;":                                           "",
		"createpolicy.range.L2::evict_last.b64 %rd3, [%r1], 128, 256;":                          "",
		"prefetch.tensormap [%r1];":                                                             "",
		"tensormap.replace.tile.rank.b1024.b32 [%r1], 1;":                                       "",
		"fence.proxy.tensormap::generic.acquire.gpu [%r1], 128;":                                "",
		"prefetch.tensormap [%h1];":                                                             mov,
		"multimem.red.global.add.u32 [%r1], %r2;":                                               mov,
		"multimem.st.u32 [%r1], %r2;":                                                           narrow,
		"prefetch.L1 [%r1];":                                                                    narrow,
		"ld.u32 %r1, [%r2];":                                                                    narrow,
		"mbarrier.init.b64 [%r1], 1;":                                                           narrow,
	} {
		_, err := front.Check("in.ptx", ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k() {\n.reg .b16 %h<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<4>;\n"+text+"\nret; }\n", "sm_100a")
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestByteMasks: the mask of a copy may be a constant, of any size.
func TestByteMasks(t *testing.T) {
	const copies = "cp.async.bulk.global.shared::cta.bulk_group"
	for text, good := range map[string]bool{
		copies + ".cp_mask [%rd1], [%r1], %r2, 5;":                      true,
		copies + ".cp_mask [%rd1], [%r1], 16, -1;":                      true,
		copies + ".cp_mask [%rd1], [%r1], %r2, %h1;":                    true,
		copies + ".L2::cache_hint.cp_mask [%rd1], [%r1], %r2, %rd2, 5;": true,
		copies + ".cp_mask [%rd1], [%r1], %r2, %r2;":                    false,
		copies + ".cp_mask [%rd1], [%r1], %r2;":                         false,
		copies + ".L2::cache_hint.cp_mask [%rd1], [%r1], %r2, 5;":       false,
		copies + " [%rd1], [%r1], %r2, 5;":                              false,
		copies + ".L2::cache_hint [%rd1], [%r1], %r2, 5;":               true,
	} {
		_, err := front.Check("in.ptx", ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k() {\n.reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"+text+"\nret; }\n", "sm_100a")
		if good != (err == nil) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
