// Search: sections that have all words, those with a word in a head first.
const escapeText = (s) => s.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" })[c]);
function find(question) {
	const words = question.toLowerCase().split(/\s+/).filter(Boolean);
	if (!words.length) return [];
	const hits = [];
	for (const d of documents) {
		const text = d.x.toLowerCase(), head = (d.h + " " + d.t).toLowerCase();
		let score = 0;
		for (const w of words) {
			const n = text.split(w).length - 1, h = head.includes(w) ? 20 : 0;
			if (!n && !h) { score = -1; break; }
			score += h + Math.min(n, 5);
		}
		if (score > 0) hits.push({ d, score, at: Math.max(0, text.indexOf(words[0])) });
	}
	return hits.sort((a, b) => b.score - a.score).slice(0, 20);
}
function show(question) {
	document.getElementById("hits").innerHTML = find(question).map(({ d, at }) => {
		const from = Math.max(0, at - 40);
		return `<a href="${d.p}#${d.i}">${escapeText(d.t)}: ${escapeText(d.h)}<small>${escapeText(d.x.slice(from, from + 120))}</small></a>`;
	}).join("");
}
document.getElementById("ask").addEventListener("input", (e) => show(e.target.value));
