// The live page: snapshots (lib/live/snapshot_feed.h) come as events, one object
// for a program, and are shown as they come. Names are text, never markup.

const KEPT = 120; // figures of the past in a curve
const ROWS = 48; // ranks that have a bar of their own
const LINES = 12;
const programs = new Map();

// computing, communicating, waiting, tracing: waiting is part of mpi
function parts(s) {
	const waiting = known(s.waiting) ? s.waiting : 0;
	return [s.computing || 0, Math.max(0, (s.mpi || 0) - waiting), waiting, s.tracing || 0];
}
const names = ['computing', 'communicating', 'waiting', 'tracing'];

function bar(s) {
	const b = make('div', 'bar');
	parts(s).forEach((v, k) => {
		const i = make('i', 'k' + k);
		i.style.width = 100 * Math.min(v, 1) + '%';
		i.title = names[k] + ' ' + percent(v);
		b.append(i);
	});
	return b;
}

// ---- tables: [title, left?, text of a line] ----

function table(where, columns, lines) {
	const head = columns.map(([title, left]) => make('th', left ? 'n' : '', title));
	const row = line => make('tr', '',
		...columns.map(([, left, text]) => make('td', left ? 'n' : '', text(line))));
	where.replaceChildren(make('thead', '', make('tr', '', ...head)),
		make('tbody', '', ...lines.slice(0, LINES).map(row)));
}

// ---- ranks ----

// where a share is between blue and yellow
function shade(v) {
	const at = [[44, 46, 130], [34, 110, 160], [45, 160, 135], [150, 200, 70], [253, 231, 40]];
	const x = 4 * Math.min(Math.max(v, 0), 1), i = Math.min(3, Math.floor(x));
	return 'rgb(' + at[i].map((c, k) => Math.round(c + (x - i) * (at[i + 1][k] - c))).join() + ')';
}

// the call that the rank is in, since when and for whom
const doing = r => r.what || r.doing;

function ranks(where, s) {
	const list = s.ranks || [];
	if (list.length > ROWS) {
		// of many a map of squares: light ones wait
		const cells = make('div', 'cells');
		const columns = Math.ceil(Math.sqrt(list.length));
		cells.style.gridTemplateColumns = `repeat(${columns}, 1fr)`;
		for (const r of list) {
			const i = make('i');
			i.style.background = shade(r.waiting || 0);
			i.title = `rank ${r.rank}: computing ${percent(r.computing)}, waiting ${percent(r.waiting)}` +
				(doing(r) ? ', ' + doing(r) : '');
			cells.append(i);
		}
		const more = s.ranks_number > list.length ? ` of ${s.ranks_number}` : '';
		where.replaceChildren(cells, make('p', 'faint',
			`ranks 0 to ${list.length - 1}${more}: dark: never waits, yellow: always waits`));
		return;
	}
	where.replaceChildren(make('table', 'bars', ...list.map(r => make('tr', '',
		make('th', '', 'rank ' + r.rank), make('td', '', bar(r)),
		make('td', 'n', doing(r) || 'computing')))));
}

// ---- a program ----

function figure(p, where, name, text, value) {
	const f = make('div', 'figure', make('b', '', text), make('span', '', name));
	f.dataset.name = name;
	if (value !== undefined) {
		const past = p.past[name] || (p.past[name] = []);
		past.push(known(value) ? value : 0);
		if (past.length > KEPT)
			past.shift();
		const most = Math.max(...past, 1e-12), ns = 'http://www.w3.org/2000/svg';
		const svg = document.createElementNS(ns, 'svg'), path = document.createElementNS(ns, 'path');
		svg.setAttribute('viewBox', '0 0 100 20');
		svg.setAttribute('preserveAspectRatio', 'none');
		path.setAttribute('d', past.map((v, i) =>
			(i ? 'L' : 'M') + (100 - past.length + 1 + i * 1).toFixed(1) + ' ' +
			(19 - 18 * v / most).toFixed(1)).join(''));
		svg.append(path);
		f.append(svg);
	}
	where.append(f);
}

function provisional(s) {
	if (s.state === 'waiting')
		return 'Waiting for a trace.';
	const what = s.state === 'over' ? 'The complete run: ' : 'Provisional, of the first ';
	const clocks = s.comparable === 0 || s.comparable === false ?
		'; the clocks of its hosts are not synchronised yet: no waiting times' :
		known(s.clock_s) && s.clock_s > 0 ? '; timestamps are certain within ' + time(s.clock_s) : '';
	const open = s.state === 'over' ? '' : '; calls and regions in progress are not included yet';
	return what + time(s.run_s) + clocks + open + '.';
}

function figures(p, where, s) {
	where.replaceChildren();
	figure(p, where, 'events/s', count(s.events_per_s), s.events_per_s);
	figure(p, where, 'messages/s', count(s.messages_per_s), s.messages_per_s);
	figure(p, where, 'bytes/s', bytes(s.bytes_per_s), s.bytes_per_s);
	figure(p, where, 'events', count(s.events));
	figure(p, where, 'messages', count(s.messages));
	figure(p, where, 'bytes', bytes(s.bytes));
	figure(p, where, 'delay', time(s.behind_s), s.behind_s);
	figure(p, where, 'not yet read', bytes(s.behind_bytes), s.behind_bytes);
	figure(p, where, 'tracing', percent(s.tracing));
	if (s.dropped)
		figure(p, where, 'events dropped', count(s.dropped));
}

function shares(where, s) {
	const line = (name, of) => make('tr', '', make('th', 'n', name), make('td', '', bar(of)),
		...parts(of).map(v => make('td', '', percent(v))));
	where.replaceChildren(line('so far', s), ...(s.now && s.state !== 'over' ? [line('now', s.now)] : []));
}

// the factors of the run so far, and of the last interval
function efficiency(where, s) {
	const factors = [['parallel', 'Parallel efficiency'], ['load_balance', 'load balance'],
		['threads', 'threads'], ['processors', 'processors'], ['communication', 'communication'],
		['serialisation', 'serialisation'], ['transfer', 'transfer']];
	const lines = [['so far', s.efficiency], ['now', s.state === 'over' ? null : s.efficiency_now]]
		.filter(([, e]) => e && known(e.parallel));
	const shown = factors.filter(([k]) => !['threads', 'processors'].includes(k) ||
		lines.some(l => known(l[1][k])));
	where.hidden = !lines.length;
	table(where, [['', 1, l => l[0]], ...shown.map(([k, title]) => [title, 0, l => percent(l[1][k])])], lines);
}

function sentences(where, list) {
	where.replaceChildren(...(list || []).map(text => make('p', '', text)));
	where.hidden = !(list || []).length;
}

function show(p, s) {
	const at = c => p.section.querySelector('.' + c);
	p.section.dataset.number = s.number;
	p.section.dataset.state = s.state;
	at('name').textContent = s.name || s.trace || 'program ' + s.program;
	at('state').textContent = s.state;
	at('state').className = 'state ' + (s.state === 'running' ? 'running' : '');
	at('ended').textContent = s.ended || '';
	at('ended').hidden = !s.ended;
	at('provisional').textContent = provisional(s);
	at('plugins').replaceChildren(...(s.plugins || []).filter(g => g.status).map(g =>
		make('p', '', g.file.replace(/.*\//, '') + ': ' + g.status)));
	sentences(at('stuck'), s.stuck);
	sentences(at('answer'), s.answer);
	efficiency(at('efficiency'), s);
	figures(p, at('figures'), s);
	shares(at('shares'), s);
	ranks(at('ranks'), s);
	table(at('waits'), [['rank', 0, w => w.rank], ['for', 0, w => w.for], ['waited', 0, w => time(w.s)],
		['times', 0, w => count(w.n)], ['kind', 1, w => w.kind], ['in', 1, w => w.call]], s.waits || []);
	table(at('pairs'), [['from', 0, m => m.from], ['to', 0, m => m.to], ['messages', 0, m => count(m.messages)],
		['bytes', 0, m => bytes(m.bytes)], ['late', 0, m => time(m.late_s)]], s.pairs || []);
	table(at('calls'), [['call', 1, c => c.call], ['time', 0, c => time(c.s)], ['waiting', 0, c => time(c.waiting_s)],
		['calls', 0, c => count(c.calls)], ['bytes', 0, c => bytes(c.bytes)]], s.calls || []);
	table(at('regions'), [['region', 1, r => r.region], ['own', 0, r => time(r.own_s)], ['time', 0, r => time(r.s)],
		['entries', 0, r => count(r.entries)]], s.regions || []);
	at('regions').previousElementSibling.hidden = at('regions').hidden = !(s.regions || []).length;
}

function take(s) {
	let p = programs.get(s.program);
	if (!p) {
		p = { section: $('program').content.cloneNode(true).firstElementChild, past: {} };
		p.section.id = 'p' + Number(s.program);
		programs.set(s.program, p);
		const after = [...$('programs').children].find(e => Number(e.id.slice(1)) > s.program);
		$('programs').insertBefore(p.section, after || null);
	}
	p.last = s;
	if (!held)
		show(p, s);
}

// ---- the connection ----

let held = false;
$('hold').onclick = () => {
	held = !held;
	$('hold').textContent = held ? 'resume' : 'hold';
	if (!held)
		programs.forEach(p => show(p, p.last));
};
const source = new EventSource('events');
source.onopen = () => {
	$('status').textContent = 'connected';
	$('hold').hidden = false;
};
source.onmessage = e => {
	try {
		take(JSON.parse(e.data));
	} catch (error) {
		$('status').textContent = 'invalid snapshot: ' + error.message;
	}
};
source.onerror = () => {
	const all = [...programs.values()];
	$('hold').hidden = true;
	if (all.length && all.every(p => p.last.state === 'over')) {
		source.close();
		$('status').textContent = 'the run has ended; this is the last snapshot';
	} else {
		$('status').textContent = 'tapelive does not respond; this snapshot is old';
	}
};
document.documentElement.dataset.loadMs = Math.round(performance.now());
