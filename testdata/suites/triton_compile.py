"""Kernels of many kinds through the installed Triton, with goptxas as its assembler; needs no GPU.

    triton_compile.py GOPTXAS FOLDER SM...

compiles about 220 kernels for each GPU (75, 80, 89, 90, 100, 120; those that a GPU cannot have are left out), keeps
their PTX in FOLDER/smNN, for gpurun plan and gpurun sim, and prints how many compile and what does not.
"""
import os
import sys

goptxas, folder = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
os.environ["TRITON_PTXAS_PATH"] = os.environ["TRITON_PTXAS_BLACKWELL_PATH"] = goptxas
os.environ["TRITON_CACHE_DIR"] = folder + "/cache"
os.environ["TRITON_ALWAYS_COMPILE"] = "1"
os.makedirs(folder, exist_ok=True)

# What Triton reads must stand in a file: the kernels are written to one, from templates.
out=['import triton','import triton.language as tl','from triton.language.extra import libdevice','CASES=[]']
def case(name,sig,cst,warps=4,stages=3,least=75,**o): out.append("CASES.append((%r,%s,%r,%r,%r,%d))"%(name,name.split('@')[0],sig,cst,dict(num_warps=warps,num_stages=stages,**o),least))
def kern(name,args,body): out.append("@triton.jit\ndef %s(%s):\n%s"%(name,args,'\n'.join('    '+l for l in body.strip('\n').split('\n'))))
def elem(name,expr,t='fp32',n=1,ot=None,B=1024,warps=4):
    ins=['X','Y','Z'][:n]
    kern(name,', '.join(ins)+', O, n, B: tl.constexpr','''
i = tl.program_id(0) * B + tl.arange(0, B)
m = i < n
'''+'\n'.join(('%s = tl.load(%s + i, mask=m)' if 'fp8' in t else '%s = tl.load(%s + i, mask=m, other=0)')%(v.lower(),v) for v in ins)+'''
r = '''+expr+'''
tl.store(O + i, r, mask=m)''')
    sig={v:'*'+t for v in ins}; sig['O']='*'+(ot or t); sig['n']='i32'; sig['B']='constexpr'
    case(name,sig,{'B':B},warps)
for f in 'exp exp2 log log2 sin cos sqrt rsqrt abs floor ceil erf sigmoid sqrt_rn'.split(): elem('m_'+f,'tl.%s(x)'%f)
for f in 'tan atan asin acos sinh cosh tanh asinh acosh atanh expm1 log1p cbrt erfinv erfcinv lgamma tgamma j0 j1 y0 cyl_bessel_i0 normcdf normcdfinv rcbrt sinpi cospi rint trunc llrint ilogb logb exp10 erfcx'.split():
    elem('l_'+f,'libdevice.%s(x)'%f,ot='fp32')
for f in 'pow atan2 fmod remainder hypot copysign nextafter fdim'.split(): elem('l2_'+f,'libdevice.%s(x, y)'%f,n=2)
for f in 'sin exp log tanh erf lgamma pow2'.split(): elem('d_'+f,'libdevice.%s(x)'%f if f!='pow2' else 'libdevice.pow(x, x)',t='fp64')
for f in 'div_rn fdiv'.split(): elem('b_'+f,'tl.%s(x, y)'%f,n=2)
for t in ['i8','i16','i32','i64','u32','u64']:
    elem('i_div_'+t,'x // (y | 1)',t=t,n=2); elem('i_mod_'+t,'x % (y | 3)',t=t,n=2); elem('i_shift_'+t,'(x << (y & 7)) ^ (x >> (y & 5))',t=t,n=2)
for t in ['i32','u32','u64','i64']: elem('i_umulhi_'+t,'tl.umulhi(x.to(tl.uint%s), y.to(tl.uint%s))'%(t[1:],t[1:]),t=t,n=2)
elem('i_bits','libdevice.popc(x) + libdevice.clz(x) + libdevice.brev(x) + libdevice.ffs(x) + libdevice.byte_perm(x, y, 0x5140)',t='i32',n=2)
for a,b in [('fp16','fp32'),('bf16','fp32'),('fp32','bf16'),('fp32','fp16'),('fp32','i8'),('i64','fp16'),('u8','bf16'),('fp64','fp16'),('i32','fp64'),('bf16','i64')]:
    elem('c_%s_%s'%(a,b),'x.to(O.dtype.element_ty)',t=a,ot=b)
for a,b in [('fp32','fp8e5'),('fp8e5','fp16'),('fp16','fp8e5'),('fp32','fp8e4nv'),('fp8e4nv','bf16'),('fp8e4nv','fp32')]:
    elem('c_%s_%s'%(a,b),'x.to(O.dtype.element_ty)',t=a,ot=b); out[-1] = out[-1].replace(',75))', ',89))')
elem('fma3','tl.fma(x, y, z)',n=3); elem('clampnan','tl.clamp(x, -1.0, 1.0, propagate_nan=tl.PropagateNan.ALL) + tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)',n=2)
elem('halfmath','(x * y + x) / (y + 1)',t='fp16',n=2); elem('bfmath','tl.maximum(x * y, x - y)',t='bf16',n=2)
def red(name,expr,t='fp32',M=8,N=256,ot=None,warps=4,one=True):
    kern(name,'X, O, M: tl.constexpr, N: tl.constexpr','''
i = tl.arange(0, M)[:, None]
j = tl.arange(0, N)[None, :]
x = tl.load(X + (tl.program_id(0) * M + i) * N + j)
r = '''+expr+('''
tl.store(O + tl.program_id(0) * M + tl.arange(0, M), r)''' if one else '''
tl.store(O + (tl.program_id(0) * M + i) * N + j, r)'''))
    case(name,{'X':'*'+t,'O':'*'+(ot or t),'M':'constexpr','N':'constexpr'},{'M':M,'N':N},warps)
for f in 'sum max min argmax argmin'.split():
    for t in ['fp32','fp16','i32','i64']: red('r_%s_%s'%(f,t),'tl.%s(x, 1)'%f,t=t,ot='i32' if 'arg' in f else t)
red('r_xor','tl.xor_sum(x, 1)',t='i32'); red('r_or','tl.reduce_or(x, 1)',t='i32'); red('r_softmax','tl.softmax(x)',one=False); red('r_maxidx','tl.max(x, 1, return_indices=True)[1]',ot='i32')
red('s_sort','tl.sort(x)',one=False); red('s_sortd','tl.sort(x, descending=True)',one=False,t='i32'); red('s_cumsum','tl.cumsum(x, 1)',one=False); red('s_cumprodrev','tl.cumprod(x, 1, reverse=True)',one=False)
red('s_cumsum0','tl.cumsum(x, 0)',one=False,t='i32',M=64,N=64); red('s_flip','tl.flip(x)',one=False); red('s_sort8','tl.sort(x)',one=False,t='i8'); red('r_sumw8','tl.sum(x, 1)',M=2,N=2048,warps=8); red('r_all','tl.sum(x) + tl.arange(0, M)',t='i32')
out.append('''
@triton.jit
def add_(a, b):
    return a + b
@triton.jit
def min_(a, b):
    return tl.minimum(a, b)
@triton.jit
def lin_(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2
@triton.jit
def welford_(m1, s1, w1, m2, s2, w2):
    d = m2 - m1
    w = w1 + w2
    f = tl.where(w == 0.0, 0.0, w2 / w)
    return m1 + d * f, s1 + s2 + d * d * w1 * f, w
@triton.jit
def last_(v1, k1, v2, k2):
    return tl.where(k2 > k1, v2, v1), tl.maximum(k1, k2)
''')
def two(name,body,t='fp32',M=16,N=128,ot=None,extra='',sig={},cst={},warps=4,least=75,**o):
    kern(name,'X, Y, O'+(', '+extra if extra else '')+', M: tl.constexpr, N: tl.constexpr','''
i = tl.arange(0, M)[:, None]
j = tl.arange(0, N)[None, :]
at = (tl.program_id(0) * M + i) * N + j
row = tl.program_id(0) * M + tl.arange(0, M)
'''+body.strip('\n'))
    s={'X':'*'+t,'Y':'*'+t,'O':'*'+(ot or t)}; s.update(sig); s.update({'M':'constexpr','N':'constexpr'}); c=dict(cst); c.update({'M':M,'N':N})
    case(name,s,c,warps,least=least,**o)
two('a_scan_rev','tl.store(O + at, tl.associative_scan(tl.load(X + at), 1, min_, reverse=True))')
two('a_scan_lin','a, b = tl.associative_scan((tl.load(X + at), tl.load(Y + at)), 1, lin_)\ntl.store(O + at, b)')
two('a_scan_lin_rev','a, b = tl.associative_scan((tl.load(X + at), tl.load(Y + at)), 0, lin_, reverse=True)\ntl.store(O + at, b)')
two('a_welford','x = tl.load(X + at)\nm, s, w = tl.reduce((x, tl.zeros_like(x), tl.full([M, N], 1.0, tl.float32)), 1, welford_)\ntl.store(O + row, m)\ntl.store(Y + row, s / w)')
two('a_last','v, k = tl.reduce((tl.load(X + at), tl.load(Y + at)), 1, last_)\ntl.store(O + row, v)',t='i32')
two('a_join','z = tl.join(tl.load(X + at), tl.load(Y + at))\nz = tl.permute(z, (0, 2, 1))\nz = tl.reshape(z, (M, 2 * N))\nq = tl.arange(0, 2 * N)[None, :]\ntl.store(O + (tl.program_id(0) * M + i) * 2 * N + q, z)')
two('a_split','x = tl.reshape(tl.load(X + at), (M, N // 2, 2))\na, b = tl.split(x)\nj2 = tl.arange(0, N // 2)[None, :]\ntl.store(O + (tl.program_id(0) * M + i) * (N // 2) + j2, a * 2 + b)')
two('a_interleave','z = tl.interleave(tl.load(X + at), tl.load(Y + at))\nq = tl.arange(0, 2 * N)[None, :]\ntl.store(O + (tl.program_id(0) * M + i) * 2 * N + q, z)',t='i16')
two('a_gather','g = tl.gather(tl.load(X + at), tl.load(Y + at) & (N - 1), 1)\ntl.store(O + at, g)',t='i32')
two('a_gather0','g = tl.gather(tl.load(X + at), tl.load(Y + at) & (M - 1), 0)\ntl.store(O + at, g)',t='i32')
two('a_hist','x = tl.load(X + tl.program_id(0) * N + tl.arange(0, N))\nh = tl.histogram(x & 31, 32)\ntl.store(O + tl.program_id(0) * 32 + tl.arange(0, 32), h)',t='i32',N=512)
two('a_histmask','k = tl.arange(0, N)\nx = tl.load(X + tl.program_id(0) * N + k)\nh = tl.histogram(x & 255, 256, mask=k % 3 == 0)\ntl.atomic_add(O + tl.arange(0, 256), h)',t='i32',N=1024)
two('a_topk','tl.store(O + (tl.program_id(0) * M + i) * 16 + tl.arange(0, 16)[None, :], tl.topk(tl.load(X + at), 16))')
two('a_trans','tl.store(O + tl.program_id(0) * M * N + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], tl.trans(tl.load(X + at)))',M=32,N=64,t='fp16')
two('a_map','tl.store(O + at, tl.load(X + at) if N == 1 else tl.where(tl.load(X + at) > 0, tl.load(Y + at), -1.0))')
two('a_asm','y = tl.inline_asm_elementwise("{ .reg .pred p; setp.gt.s32 p, $1, $2; selp.b32 $0, $1, $2, p; add.s32 $0, $0, 1; }", "=r,r,r", [tl.load(X + at), tl.load(Y + at)], dtype=tl.int32, is_pure=True, pack=1)\ntl.store(O + at, y)',t='i32')
two('a_asm_pack','y = tl.inline_asm_elementwise("lop3.b32 $0, $1, $2, 0, 0xc0;", "=r,r,r", [tl.load(X + at), tl.load(Y + at)], dtype=tl.uint8, is_pure=True, pack=4)\ntl.store(O + at, y)',t='u8')
two('a_asm_two','a, b = tl.inline_asm_elementwise("mul.lo.s32 $0, $2, $3; mul.hi.s32 $1, $2, $3;", "=r,=r,r,r", [tl.load(X + at), tl.load(Y + at)], dtype=(tl.int32, tl.int32), is_pure=True, pack=1)\ntl.store(O + at, a ^ b)',t='i32')
for op in 'add max min and or xor xchg'.split():
    for t in ['i32','i64']+(['fp32'] if op in('add','max','min','xchg') else [])+(['fp16','bf16','fp64'] if op=='add' else []):
        two('t_%s_%s'%(op,t),'x = tl.load(X + at)\nr = tl.atomic_%s(O + at, x, mask=j < 100)\ntl.store(Y + at, r)'%op,t=t,least=90 if t=='bf16' else 75)
two('t_cas','x = tl.load(X + at)\nr = tl.atomic_cas(O + at, x, x + 1)\ntl.store(Y + at, r)',t='i32')
two('t_cas64','x = tl.load(X + at)\nr = tl.atomic_cas(O + at, x, x + 1, sem="release", scope="sys")\ntl.store(Y + at, r)',t='i64')
two('t_relaxed','x = tl.load(X + at)\ntl.atomic_add(O + at % 64, x, sem="relaxed", scope="gpu")',t='i32')
two('t_lock','while tl.atomic_cas(O, 0, 1) == 1:\n    pass\nv = tl.load(O + 1)\ntl.store(O + 1, v + tl.sum(tl.load(X + tl.arange(0, N))))\ntl.debug_barrier()\ntl.atomic_xchg(O, 0)',t='i32')
two('t_scalar','r = tl.atomic_add(O, 3)\ntl.store(Y + tl.program_id(0), r)',t='i32')
two('p_print','x = tl.load(X + row)\ntl.device_print("x", x)\ntl.store(O + row, x)'); two('p_printhex','x = tl.load(X + row)\ntl.device_print("x ", x, hex=True)\ntl.store(O + row, x)',t='i64')
two('p_assert','x = tl.load(X + at)\ntl.device_assert(x > -5, "too small")\ntl.store(O + at, x)',debug=True)
two('p_assume','n = tl.load(Y)\ntl.assume(n > 0)\ns = tl.zeros([N], tl.int32)\nfor k in range(0, n):\n    s += tl.load(X + k * N + tl.arange(0, N)) // n\ntl.store(O + tl.arange(0, N), s)',t='i32')
two('p_rand','a, b, c, d = tl.randint4x(tl.load(Y), at)\ntl.store(O + at, a ^ b ^ c ^ d)',t='i32'); two('p_randn','tl.store(O + at, tl.randn(42, at) + tl.rand(7, at))')
two('p_swizzle','a, b = tl.swizzle2d(tl.program_id(0), tl.program_id(1), tl.num_programs(0), 8, 4)\ntl.store(O + a * 8 + b, a * 100 + b)',t='i32')
two('p_while','x = tl.load(X + tl.program_id(0))\nc = 0\nwhile x != 1:\n    x = tl.where(x % 2 == 0, x // 2, 3 * x + 1)\n    c += 1\ntl.store(O + tl.program_id(0), c)',t='i32')
two('p_eviction','x = tl.load(X + at, eviction_policy="evict_first")\ny = tl.load(Y + at, eviction_policy="evict_last")\ntl.store(O + at, x + y, cache_modifier=".cs")')
two('p_volatile','x = tl.load(X + at, volatile=True)\ntl.store(O + at, x, cache_modifier=".wt")')
def dot(name,t,acc='fp32',other=', other=0',BM=64,BN=64,BK=32,warps=4,stages=3,least=75,prec=None,ot=None,pre='',k3=''):
    O_='' if 'fp8' in t else other
    kern(name,'A, B, C, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr','''
m = tl.program_id(0) * BM + tl.arange(0, BM)
n = tl.program_id(1) * BN + tl.arange(0, BN)
k = tl.arange(0, BK)
pa = A + m[:, None] * sa + k[None, :]
pb = B + k[:, None] * sb + n[None, :]
acc = tl.zeros((BM, BN), tl.%s)
for i in range(0, K, BK):
    a = tl.load(pa, mask=k[None, :] < K - i%s)
    b = tl.load(pb, mask=k[:, None] < K - i%s)
    %s
    acc = tl.dot(a, b, acc%s)
    pa += BK
    pb += BK * sb
tl.store(C + m[:, None] * sc + n[None, :], acc.to(C.dtype.element_ty))'''%({'fp32':'float32','i32':'int32','fp64':'float64','fp16':'float16'}[acc],O_,O_,pre or 'pass',', input_precision="%s"'%prec if prec else (', out_dtype=tl.%s'%{'i32':'int32','fp16':'float16','fp64':'float64'}[acc] if acc!='fp32' else '')))
    case(name,{'A':'*'+t,'B':'*'+t,'C':'*'+(ot or acc),'K':'i32','sa':'i32','sb':'i32','sc':'i32','BM':'constexpr','BN':'constexpr','BK':'constexpr'},{'BM':BM,'BN':BN,'BK':BK},warps,stages,least)
dot('g_f16','fp16'); dot('g_f16_128','fp16',BM=128,BN=128,BK=64,warps=8,least=80); dot('g_f16acc','fp16',acc='fp16'); dot('g_bf16','bf16',least=80,ot='bf16'); dot('g_f32_ieee','fp32',prec='ieee'); dot('g_f32_tf32','fp32',prec='tf32',least=80); dot('g_f32_3x','fp32',prec='tf32x3',least=80)
dot('g_i8','i8',acc='i32',BK=64,least=80); dot('g_fp8','fp8e5',BK=64,least=89); dot('g_fp8n','fp8e4nv',BK=64,BM=128,least=89); dot('g_f64','fp64',acc='fp64',BM=32,BN=32,least=80); dot('g_small','fp16',BM=16,BN=16,BK=16,warps=1); dot('g_wide','fp16',BM=32,BN=256,BK=32,warps=8); dot('g_stage5','fp16',stages=5,least=80); dot('g_pre','fp16',pre='a = (a * 2 + 1).to(tl.float16)'); dot('g_256','bf16',BM=128,BN=256,BK=64,warps=8,least=90,stages=4); dot('g_w2','fp16',BM=32,BN=32,BK=64,warps=2)
kern('g_mixed','A, B, C, K: tl.constexpr','''
i = tl.arange(0, 64)
k = tl.arange(0, K)
a = tl.load(A + i[:, None] * K + k[None, :])
b = tl.load(B + k[:, None] * 64 + i[None, :])
tl.store(C + i[:, None] * 64 + i[None, :], tl.dot(a, b.to(tl.float16)))''')
case('g_mixed',{'A':'*fp16','B':'*i8','C':'*fp32','K':'constexpr'},{'K':128})
kern('g_batched','A, B, C','''
b = tl.arange(0, 4)[:, None, None]
i = tl.arange(0, 32)[None, :, None]
j = tl.arange(0, 32)[None, None, :]
x = tl.load(A + b * 1024 + i * 32 + j)
y = tl.load(B + b * 1024 + i * 32 + j)
tl.store(C + b * 1024 + i * 32 + j, tl.dot(x, y))''')
case('g_batched',{'A':'*fp16','B':'*fp16','C':'*fp32'},{})
for fa,fb in [('e4m3','e4m3'),('e5m2','e4m3'),('e2m1','e2m1'),('e2m1','e4m3'),('bf16','e2m1')]:
    n='g_scaled_%s_%s'%(fa,fb); pa={'e2m1':2}.get(fa,1); pb={'e2m1':2}.get(fb,1)
    kern(n,'A, B, SA, SB, C','''
i = tl.arange(0, 128)
ka = tl.arange(0, 128 // %d)
kb = tl.arange(0, 128 // %d)
s = tl.arange(0, 4)
a = tl.load(A + i[:, None] * (128 // %d) + ka[None, :])
b = tl.load(B + kb[:, None] * 128 + i[None, :])
sa = %s
sb = tl.load(SB + i[:, None] * 4 + s[None, :])
c = tl.dot_scaled(a, sa, "%s", b, sb, "%s")
tl.store(C + i[:, None] * 128 + i[None, :], c)'''%(pa,pb,pa,'None' if fa=='bf16' else 'tl.load(SA + i[:, None] * 4 + s[None, :])',fa,fb))
    ty={'e4m3':'u8','e5m2':'u8','e2m1':'u8','bf16':'bf16'}
    case(n,{'A':'*'+ty[fa],'B':'*'+ty[fb],'SA':'*u8','SB':'*u8','C':'*fp32'},{},least=89 if fa!='bf16' else 80)
kern('x_attention','Q, K, V, O, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr','''
m = tl.program_id(0) * BM + tl.arange(0, BM)
d = tl.arange(0, D)
q = tl.load(Q + m[:, None] * D + d[None, :])
acc = tl.zeros((BM, D), tl.float32)
mx = tl.full((BM,), -float("inf"), tl.float32)
l = tl.zeros((BM,), tl.float32)
for s in range(0, (tl.program_id(0) + 1) * BM, BN):
    c = s + tl.arange(0, BN)
    k = tl.load(K + c[None, :] * D + d[:, None])
    v = tl.load(V + c[:, None] * D + d[None, :])
    p = tl.dot(q, k) * 0.125
    p = tl.where(m[:, None] >= c[None, :], p, -1.0e6)
    nm = tl.maximum(mx, tl.max(p, 1))
    p = tl.exp2(p - nm[:, None])
    f = tl.exp2(mx - nm)
    l = l * f + tl.sum(p, 1)
    acc = tl.dot(p.to(tl.float16), v, acc * f[:, None])
    mx = nm
tl.store(O + m[:, None] * D + d[None, :], (acc / l[:, None]).to(tl.float16))''')
case('x_attention',{'Q':'*fp16','K':'*fp16','V':'*fp16','O':'*fp16','n':'i32','D':'constexpr','BM':'constexpr','BN':'constexpr'},{'D':64,'BM':64,'BN':32})
kern('x_layernorm','X, W, B, O, n, N: tl.constexpr','''
j = tl.arange(0, N)
m = j < n
x = tl.load(X + tl.program_id(0) * n + j, mask=m, other=0.0).to(tl.float32)
mean = tl.sum(x, 0) / n
d = tl.where(m, x - mean, 0.0)
r = tl.rsqrt(tl.sum(d * d, 0) / n + 1e-5)
tl.store(O + tl.program_id(0) * n + j, (d * r * tl.load(W + j, mask=m) + tl.load(B + j, mask=m)).to(tl.float16), mask=m)''')
case('x_layernorm',{'X':'*fp16','W':'*fp32','B':'*fp32','O':'*fp16','n':'i32','N':'constexpr'},{'N':2048},8)
kern('x_desc','A, O, H, W, BM: tl.constexpr, BN: tl.constexpr','''
a = tl.make_tensor_descriptor(A, [H, W], [W, 1], [BM, BN])
o = tl.make_tensor_descriptor(O, [H, W], [W, 1], [BM, BN])
y = tl.program_id(0) * BM
x = tl.program_id(1) * BN
v = a.load([y, x])
o.store([y, x], v * 2 + 1)''')
case('x_desc',{'A':'*fp16','O':'*fp16','H':'i32','W':'i32','BM':'constexpr','BN':'constexpr'},{'BM':32,'BN':64})
kern('x_descadd','A, O, H, W, BM: tl.constexpr, BN: tl.constexpr','''
a = tl.make_tensor_descriptor(A, [H, W], [W, 1], [BM, BN])
o = tl.make_tensor_descriptor(O, [H, W], [W, 1], [BM, BN])
v = a.load([tl.program_id(0) * BM, 0])
o.atomic_add([0, 0], v)''')
case('x_descadd',{'A':'*i32','O':'*i32','H':'i32','W':'i32','BM':'constexpr','BN':'constexpr'},{'BM':16,'BN':32},least=90)
kern('x_descgather','A, I, O, H, W, BN: tl.constexpr','''
a = tl.make_tensor_descriptor(A, [H, W], [W, 1], [1, BN])
r = tl.load(I + tl.arange(0, 32))
v = a.gather(r, 0)
tl.store(O + tl.arange(0, 32)[:, None] * BN + tl.arange(0, BN)[None, :], v)''')
case('x_descgather',{'A':'*fp16','I':'*i32','O':'*fp16','H':'i32','W':'i32','BN':'constexpr'},{'BN':64},least=100)
kern('x_descdot','A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr','''
a = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
b = tl.make_tensor_descriptor(B, [N, K], [K, 1], [BN, BK])
c = tl.make_tensor_descriptor(C, [M, N], [N, 1], [BM, BN])
acc = tl.zeros((BM, BN), tl.float32)
for k in tl.range(0, K, BK):
    acc = tl.dot(a.load([tl.program_id(0) * BM, k]), b.load([tl.program_id(1) * BN, k]).T, acc)
c.store([tl.program_id(0) * BM, tl.program_id(1) * BN], acc.to(tl.float16))''')
case('x_descdot',{'A':'*fp16','B':'*fp16','C':'*fp16','M':'i32','N':'i32','K':'i32','BM':'constexpr','BN':'constexpr','BK':'constexpr'},{'BM':128,'BN':128,'BK':64},8,3)
kern('x_persistent','A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, S: tl.constexpr','''
a = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
b = tl.make_tensor_descriptor(B, [N, K], [K, 1], [BN, BK])
c = tl.make_tensor_descriptor(C, [M, N], [N, 1], [BM, BN])
w = tl.cdiv(N, BN)
for t in tl.range(tl.program_id(0), tl.cdiv(M, BM) * w, S, flatten=True):
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(tl.cdiv(K, BK)):
        acc = tl.dot(a.load([t // w * BM, k * BK]), b.load([t % w * BN, k * BK]).T, acc)
    c.store([t // w * BM, t % w * BN], acc.to(tl.float16))''')
case('x_persistent',{'A':'*fp16','B':'*fp16','C':'*fp16','M':'i32','N':'i32','K':'i32','BM':'constexpr','BN':'constexpr','BK':'constexpr','S':'constexpr'},{'BM':64,'BN':64,'BK':64,'S':4},4,3,least=80)
kern('x_warpspec','A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr','''
a = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
b = tl.make_tensor_descriptor(B, [N, K], [K, 1], [BN, BK])
acc = tl.zeros((BM, BN), tl.float32)
for k in tl.range(0, K, BK, warp_specialize=True):
    acc = tl.dot(a.load([tl.program_id(0) * BM, k]), b.load([tl.program_id(1) * BN, k]).T, acc)
m = tl.program_id(0) * BM + tl.arange(0, BM)
n = tl.program_id(1) * BN + tl.arange(0, BN)
tl.store(C + m[:, None] * N + n[None, :], acc.to(tl.float16))''')
case('x_warpspec',{'A':'*fp16','B':'*fp16','C':'*fp16','M':'i32','N':'i32','K':'i32','BM':'constexpr','BN':'constexpr','BK':'constexpr'},{'BM':128,'BN':128,'BK':64},4,3,least=100)
with open(folder + "/kernels.py", "w") as f:
    f.write("\n".join(o for o in out if o) + "\n")

sys.path.insert(0, folder)
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
import kernels

for sm in map(int, sys.argv[3:]):
    os.makedirs("%s/sm%d" % (folder, sm), exist_ok=True)
    good = bad = 0
    for name, fn, sig, constants, options, least in kernels.CASES:
        if sm < least:
            continue
        try:
            src = ASTSource(fn, sig, {(fn.arg_names.index(k),): v for k, v in constants.items()})
            r = triton.compile(src, target=GPUTarget("cuda", sm, 32), options=dict(options))
        except Exception as e:
            bad += 1
            print("sm_%d %s: %s" % (sm, name, str(e).strip().replace("\n", " | ")[:300]), flush=True)
            continue
        good += 1
        with open("%s/sm%d/%s.ptx" % (folder, sm, name), "w") as f:
            f.write(r.asm["ptx"])
    print("sm_%d: %d compile, %d do not" % (sm, good, bad), flush=True)
