typedef unsigned u32; typedef unsigned long long u64;
struct P12 { int a, b, c; };
struct P24 { double x; int k; short s; char c; };
struct P48 { int v[12]; };
struct P52 { int v[13]; };
struct Big { double d[9]; u32 t; };
struct __align__(16) Q { u32 w[8]; };
struct C3 { unsigned char c[3]; };
typedef u32 (*fn)(u32, u32);
