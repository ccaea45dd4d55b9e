"use strict";
const $ = (id) => document.getElementById(id);
const archs = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"];
const text = $("text"), shade = $("shade");
let cubin = null, messages = [], launches = [], shownView = "", turn = 0;

// The compiler works in a worker; ask returns what it answers.
const worker = new Worker("worker.js");
const waiting = new Map();
let asked = 0;
function ask(what, question) {
	return new Promise((resolve, reject) => {
		waiting.set(++asked, { resolve, reject });
		worker.postMessage({ id: asked, what, ask: question });
	});
}
worker.onmessage = (e) => {
	const m = e.data;
	if (m.fatal) { $("state").textContent = m.fatal; return; }
	if (m.ready) { document.body.dataset.ready = "1"; return; }
	const w = waiting.get(m.id);
	waiting.delete(m.id);
	if (m.error !== undefined) w.reject(new Error(m.error));
	else w.resolve({ value: JSON.parse(m.json), bytes: m.bytes });
};

// Highlighting: words by their first letter and place.
const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const esc = (s) => s.replace(/[&<>]/g, (c) => escapes[c]);
const word = /(\/\/.*|\/\*.*?\*\/)|(%[\w$.]+)|(\.[A-Za-z_][\w:]*)|([A-Za-z_$][\w$]*)(?=(\s*:)?)|(0[xX][0-9A-Fa-f]+|0[fFdD][0-9A-Fa-f]+|-?\d[\d.eE+-]*)/g;
function paint(line) {
	let out = "", at = 0, first = true;
	for (const m of line.matchAll(word)) {
		out += esc(line.slice(at, m.index));
		let c = "";
		if (m[1]) c = "c";
		else if (m[2]) c = "r";
		else if (m[3]) c = first ? "d" : "o";
		else if (m[4]) { c = m[5] ? "l" : first ? "o" : ""; first = false; }
		else c = "n";
		out += c ? `<span class="${c}">${esc(m[0])}</span>` : esc(m[0]);
		at = m.index + m[0].length;
	}
	return out + esc(line.slice(at));
}
function highlight() {
	const marks = new Map();
	for (const m of messages) if (m.line > 0) marks.set(m.line, m);
	shade.innerHTML = text.value.split("\n").map((line, n) => {
		const m = marks.get(n + 1);
		if (!m) return paint(line);
		const from = Math.max(0, m.column - 1), to = Math.max(from + 1, m.end - 1);
		return esc(line.slice(0, from)) + `<span class="${m.severity === "warning" ? "odd" : "bad"}">` + (esc(line.slice(from, to)) || " ") + "</span>" + esc(line.slice(to));
	}).join("\n") + "\n";
	scrolled();
}
function scrolled() { shade.scrollTop = text.scrollTop; shade.scrollLeft = text.scrollLeft; }

// The message of the line that the cursor stands in.
function cursor() {
	const line = text.value.slice(0, text.selectionStart).split("\n").length;
	const m = messages.find((x) => x.line === line);
	$("here").textContent = m ? `${m.severity}${m.code ? " " + m.code : ""}: ${m.text}${(m.notes || []).map((n) => "\n  " + n).join("")}` : "";
}

// Permalinks: GPU, level and text, deflated, in the part of the address that
// no server sees.
const pack = async (s) => {
	const b = new Uint8Array(await new Response(new Blob([s]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
	let t = "";
	for (const x of b) t += String.fromCharCode(x);
	return btoa(t).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
};
const unpack = async (s) => {
	const t = atob(s.replace(/-/g, "+").replace(/_/g, "/"));
	const b = Uint8Array.from(t, (c) => c.charCodeAt(0));
	return new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
};
async function permalink() {
	const hash = await pack(JSON.stringify({ arch: $("arch").value, level: $("level").value, text: text.value }));
	history.replaceState(null, "", "#" + hash);
	return location.href;
}
async function restore() {
	if (location.hash.length < 2) return false;
	try {
		const x = JSON.parse(await unpack(location.hash.slice(1)));
		$("arch").value = x.arch;
		$("level").value = x.level;
		text.value = x.text;
		return true;
	} catch (e) {
		$("state").textContent = "the link cannot be read";
		return false;
	}
}

async function compile() {
	const mine = ++turn, begun = performance.now();
	$("state").textContent = "compiling…";
	let r;
	try {
		r = await ask("compile", { Text: text.value, Arch: $("arch").value, Options: [$("level").value] });
	} catch (e) {
		$("state").textContent = String(e);
		return;
	}
	if (mine !== turn) return; // the text has changed since
	const c = r.value;
	messages = c.messages;
	cubin = r.bytes || null;
	$("sass").textContent = c.sass || "no code";
	$("report").textContent = c.report;
	$("messages").replaceChildren(...messages.map((m) => {
		const li = document.createElement("li");
		li.textContent = `${m.line ? m.line + ":" + m.column + ": " : ""}${m.severity}: ${m.text}`;
		li.onclick = () => jump(m.line, m.column);
		return li;
	}));
	const save = $("save");
	if (save.href) URL.revokeObjectURL(save.href);
	if (cubin) save.href = URL.createObjectURL(new Blob([cubin]));
	else save.removeAttribute("href");
	if (JSON.stringify(launches) !== JSON.stringify(c.launches)) { launches = c.launches; offer(); }
	highlight();
	cursor();
	$("state").textContent = c.ok ? `${cubin ? cubin.length : 0} bytes in ${Math.round(performance.now() - begun)} ms` : `${messages.length} messages`;
	document.body.dataset.turn = String(mine);
	if ($("view").classList.contains("on")) showView();
}
function jump(line, column) {
	const lines = text.value.split("\n");
	let at = 0;
	for (let n = 0; n < line - 1 && n < lines.length; n++) at += lines[n].length + 1;
	text.focus();
	text.setSelectionRange(at + Math.max(0, column - 1), at + Math.max(0, column - 1));
	text.scrollTop = Math.max(0, (line - 8) * 18);
	cursor();
}

async function showView() {
	const key = $("arch").value + text.value;
	if (key === shownView || !cubin) return;
	try {
		const r = await ask("view", { Text: text.value, Arch: $("arch").value });
		$("view").srcdoc = r.value;
		shownView = key;
	} catch (e) {
		$("view").srcdoc = esc(String(e));
	}
}

// Launches of the simulator.
function offer() {
	$("launch").replaceChildren(...launches.map((l, n) => new Option(l.run, n)));
	pick();
}
function pick() {
	const l = launches[$("launch").value] || { run: "", args: [] };
	$("start").value = l.run;
	$("args").tBodies[0].replaceChildren(...l.args.map((a, n) => {
		const tr = document.createElement("tr");
		tr.append(cell(document.createTextNode(n)), cell(input(a)), cell(a.startsWith("buf") ? input("") : document.createTextNode("")));
		return tr;
	}));
	$("result").replaceChildren();
}
function cell(x) { const td = document.createElement("td"); td.append(x); return td; }
function input(v) { const i = document.createElement("input"); i.value = v; return i; }
async function start() {
	const result = $("result");
	if (!cubin) { result.textContent = "no code to run"; return; }
	let b = "";
	for (let n = 0; n < cubin.length; n += 8192) b += String.fromCharCode(...cubin.subarray(n, n + 8192));
	const rows = [...$("args").tBodies[0].rows], values = {};
	rows.forEach((r, n) => { const i = r.cells[2].querySelector("input"); if (i && i.value.trim()) values[n] = i.value; });
	result.textContent = "running…";
	try {
		const r = (await ask("run", { Cubin: btoa(b), Launch: { run: $("start").value, args: rows.map((x) => x.cells[1].querySelector("input").value) }, Values: values })).value;
		result.replaceChildren(...r.lines.map((l) => { const p = document.createElement("p"); p.textContent = l; return p; }), ...r.buffers.map(show));
	} catch (e) {
		result.innerHTML = `<p class="fault">${esc(e.message)}</p>`;
	}
	document.body.dataset.ran = String(1 + Number(document.body.dataset.ran || 0));
}
function show(b) {
	const d = document.createElement("details");
	d.open = b.changed > 0;
	d.innerHTML = `<summary>argument ${b.arg}: ${b.after.length} ${b.type}, ${b.changed} changed</summary><div class="values" data-arg="${b.arg}">${b.after.map((v, n) => v === b.before[n] ? v : `<b title="was ${b.before[n]}">${v}</b>`).join(" ")}</div>`;
	return d;
}

// Wires.
let timer = 0;
text.addEventListener("input", () => { messages = []; highlight(); clearTimeout(timer); timer = setTimeout(compile, 250); });
text.addEventListener("scroll", scrolled);
text.addEventListener("keyup", cursor);
text.addEventListener("click", cursor);
text.addEventListener("keydown", (e) => {
	if (e.key !== "Tab") return;
	e.preventDefault();
	text.setRangeText("\t", text.selectionStart, text.selectionEnd, "end");
	text.dispatchEvent(new Event("input"));
});
for (const a of archs) $("arch").append(new Option(a, a));
$("arch").onchange = $("level").onchange = compile;
$("launch").onchange = pick;
$("go").onclick = start;
$("link").onclick = async () => {
	const url = await permalink();
	try { await navigator.clipboard.writeText(url); $("state").textContent = "the address is copied"; } catch (e) { $("state").textContent = "the address has it"; }
};
$("example").onchange = async () => { text.value = await (await fetch($("example").value)).text(); history.replaceState(null, "", location.pathname); highlight(); compile(); };
for (const b of document.querySelectorAll("nav button")) b.onclick = () => {
	for (const x of document.querySelectorAll("nav button")) x.classList.toggle("on", x === b);
	for (const x of document.querySelectorAll(".tab")) x.classList.toggle("on", x.id === b.dataset.tab);
	if (b.dataset.tab === "view") showView();
};
(async () => {
	$("arch").value = "sm_90a";
	const names = (await (await fetch("examples.txt")).text()).trim().split("\n");
	$("example").append(...names.map((n) => new Option(n, n)));
	if (!await restore()) text.value = await (await fetch(names[0])).text();
	highlight();
	compile();
})();
