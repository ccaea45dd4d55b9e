// The compiler beside the page, so that the page stays alive while it works.
"use strict";
importScripts("wasm_exec.js");
const ready = new Promise((resolve) => { self.goptxasReady = resolve; });
const go = new Go();
fetch("playground.wasm").then((r) => {
	if (!r.ok) throw new Error(`playground.wasm: ${r.status}`);
	return r.arrayBuffer();
}).then((b) => WebAssembly.instantiate(b, go.importObject)).then((m) => go.run(m.instance)).catch((e) => postMessage({ fatal: String(e) }));
ready.then(() => postMessage({ ready: true }));
onmessage = async (e) => {
	const { id, what, ask } = e.data;
	await ready;
	try {
		const r = await self.goptxas[what](JSON.stringify(ask));
		postMessage({ id, json: r.json, bytes: r.bytes });
	} catch (err) {
		postMessage({ id, error: String(err) });
	}
};
