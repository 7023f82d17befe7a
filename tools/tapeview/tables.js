/* The tables below the picture: call sites, regions, ranks, messages. */

const ROWS = 200;           /* of a table at first */
const sorted = {};          /* by table: [column, descending] */

/* Are all of these highlighted, and nothing else? */
function isOnly(set, ids)
{
	return set && set.size === ids.length && ids.every(i => set.has(i));
}

/*
 * Fills a table. columns: [title, of an item: its value, of a value: its text];
 * pick: what a click on an item does; chosen: is an item chosen?
 */
function table(id, columns, items, pick, chosen)
{
	const [by, down] = sorted[id] || (sorted[id] = [0, true]);
	const head = make('tr'), body = make('tbody');
	const value = columns[by][1], shown = [...items];

	shown.sort((a, b) => {
		const x = value(a), y = value(b);
		const d = x < y ? -1 : x > y ? 1 : 0;
		return down ? -d : d;
	});
	columns.forEach(([title], i) => {
		const th = make('th', '', title + (i !== by ? '' :
			down ? ' \u25be' : ' \u25b4'));
		th.onclick = () => {
			sorted[id] = [i, i === by ? !down : true];
			table(id, columns, items, pick, chosen);
		};
		head.append(th);
	});
	for (const item of shown.slice(0, ROWS)) {
		const tr = make('tr', chosen && chosen(item) ? 'chosen' : '',
			...columns.map(([, of, text]) => make('td', '',
				text ? text(of(item)) : of(item))));
		if (pick) {
			tr.tabIndex = 0;
			tr.onclick = () => pick(item);
			tr.onkeydown = e => {
				if (e.key === 'Enter')
					pick(item);
			};
		}
		body.append(tr);
	}
	if (shown.length > ROWS)
		body.append(make('tr', '', make('td', '',
			`and ${shown.length - ROWS} more`)));
	$(id).replaceChildren(make('thead', '', head), body);
}

/* ---- call sites ---- */

function siteTable()
{
	const items = T.places.map((p, i) => [...p, i]).filter(p => p[4] > 0);
	const columns = [
		['seconds', p => p[5], secondsText],
		['calls', p => p[4]],
		['mean', p => p[5] / p[4], durationText],
		['longest', p => p[6], durationText],
		['waited', p => p[8], n => n ? secondsText(n) : '-'],
		['bytes', p => p[7], n => n || '-'],
		['call', p => p[0]],
		['call site', p => p[2]],
	];

	if (T.head.source)
		columns.push(['source', p => T.head.source[p[9]] || '']);

	table('sites', columns, items, p => {
		V.places = isOnly(V.places, [p[9]]) ? null : new Set([p[9]]);
		changed();
	}, p => isOnly(V.places, [p[9]]));
}

/* ---- regions ---- */

function regionTable()
{
	const items = T.regions.map((r, i) => [...r, i]).filter(r => r[1] > 0);
	const columns = [
		['seconds inside', r => r[2], secondsText],
		['without regions inside', r => r[3], secondsText],
		['entries', r => r[1]],
		['longest', r => r[4], durationText],
		['region', r => r[0]],
	];

	$('no-regions').hidden = items.length > 0;
	table('regions', columns, items, r => {
		V.regions = isOnly(V.regions, [r[5]]) ? null : new Set([r[5]]);
		changed();
	}, r => isOnly(V.regions, [r[5]]));
}

/* ---- ranks ---- */

/* What each rank did between its start and its end, ns; threads together. */
function rankTotals()
{
	const ranks = new Map(), b = T.bases[T.bases.length - 1];

	T.flows.forEach((f, i) => {
		const calls = f.ns.reduce((a, v) => a + v, 0) - f.ns[LIFE];
		const all = b.ends[2 * i + 1] - b.ends[2 * i] - f.ns[LIFE];
		const r = ranks.get(f.rank) || { rank: f.rank, host: f.host,
			at: f.at,
			computing: 0, calls: 0, waited: 0, tracing: 0,
			all: 0 };

		r.computing += all - calls - f.tracing;
		r.tracing += f.tracing;
		r.calls += calls;
		r.waited += f.late;
		r.all += all;
		ranks.set(f.rank, r);
	});
	return [...ranks.values()];
}

function rankTable()
{
	/* the times are those of the last base, which totals are of */
	table('ranks', [
		['computing', r => r.computing, secondsText],
		['in calls', r => r.calls, secondsText],
		['of it', r => r.calls / r.all, v => percent(v || 0)],
		['waited for others', r => r.waited, secondsText],
		['tracing', r => r.tracing, n => n ? secondsText(n) : '-'],
		['rank', r => r.rank],
		['host', r => r.at ? `${r.host}/${r.at}` : r.host],
	], rankTotals(), r => {
		const i = T.flows.findIndex(f => f.rank === r.rank);
		openFor(i);
		V.top = R.of[i] * L.row;
		changed();
	});
}

/* ---- waits and the critical path ---- */

function waitTable()
{
	const rank = (r, ns) => r < 0 ? '-' : `rank ${r}: ${durationText(ns)}`;

	table('wait-sites', [
		['waited', w => w[0], secondsText],
		['times', w => w[1]],
		['kind', w => w[2]],
		['in', w => w[3]],
		['most for', w => rank(w[4], w[5])],
		['main cause', w => rank(w[6], w[7]) + (w[8] && ' ' + w[8])],
	], T.head.waits || [], w => {
		V.places = isOnly(V.places, [w[9]]) || !w[9] ? null :
			new Set([w[9]]);
		changed();
	}, w => isOnly(V.places, [w[9]]));
	table('causes', [
		['caused', c => c[0], secondsText],
		['directly', c => c[1], secondsText],
		['rank', c => c[2]],
		['what it did', c => c[3]],
	], T.head.causes || []);
}

function pathTable()
{
	const p = T.bases[T.bases.length - 1].path, last = p.to.length - 1;
	const all = last < 0 ? 1 : p.to[0] - p.to[last] + p.ns[last];

	table('path-places', [
		['on the path', p => p[0], secondsText],
		['share', r => r[0] / all, percent],
		['imbalance', p => p[1], secondsText],
		['all ranks', p => p[2], secondsText],
		['what', p => p[3]],
	], T.head.path || []);
}

/* ---- efficiency ---- */

function efficiencyTable()
{
	const [columns, rows] = T.head.efficiency || [[['part', '']], []];
	const text = { s: x => secondsText(x * 1e9), '%': percent };

	table('efficiency', columns.map(([title, unit], i) => [title,
		row => row[i], x => x === null ? '-' : unit ? text[unit](x) :
			x]), rows);
}

/* ---- messages ---- */

const MATRIX = { n: 0, of: 'messages' };

/* The rank, or ranks, of a row of the matrix. */
function cellName(i)
{
	const per = T.head.messages.ranks;

	return per === 1 ? `rank ${i}` : `ranks ${i * per}-${i * per + per - 1}`;
}

function matrixValue(c)
{
	return MATRIX.of === 'bytes' ? c[3] : MATRIX.of === 'waited' ? c[4] :
		c[2];
}

function drawMatrix()
{
	const cells = T.head.messages.cells, k = theme();
	const canvas = $('matrix');
	const n = Math.max(1, ...T.flows.map(f => Math.floor(f.rank /
		T.head.messages.ranks) + 1));
	const side = Math.max(3, Math.min(28, Math.floor(360 / n)));
	const most = cells.reduce((a, c) => Math.max(a, matrixValue(c)), 1);
	const ctx = sized(canvas, n * side + 40, n * side + 24);

	Object.assign(MATRIX, { n, side });
	canvas.style.width = n * side + 40 + 'px';
	ctx.clearRect(0, 0, canvas.width, canvas.height);
	ctx.font = '11px system-ui, sans-serif';
	ctx.fillStyle = TEXT[k];
	ctx.textBaseline = 'middle';
	for (let i = 0; i < n; i += Math.ceil(30 / side)) {
		const rank = String(i * T.head.messages.ranks);
		ctx.textAlign = 'right';
		ctx.fillText(rank, 34, 24 + (i + 0.5) * side);
		ctx.textAlign = 'center';
		ctx.fillText(rank, 40 + (i + 0.5) * side, 12);
	}
	ctx.fillStyle = GRID[k];
	ctx.fillRect(40, 24, n * side, n * side);
	for (const c of cells) {
		const part = Math.sqrt(matrixValue(c) / most);
		const back = rgb(BACK[k]);
		const to = rgb(COLOURS[k][1]);
		ctx.fillStyle = matrixValue(c) ?
			`rgb(${mix(back, to, 0.15 + 0.85 * part)})` :
			'transparent';
		ctx.fillRect(40 + c[1] * side, 24 + c[0] * side, side - (side >
			6), side - (side > 6));
	}
	if (V.pair) {
		ctx.strokeStyle = WRONG[k];
		ctx.lineWidth = 2;
		ctx.strokeRect(40 + V.pair[1] * side, 24 + V.pair[0] * side,
			side, side);
	}
}

function matrixAt(event)
{
	const [x, y] = pointIn(event, $('matrix'));
	const to = Math.floor((x - 40) / MATRIX.side);
	const from = Math.floor((y - 24) / MATRIX.side);

	return T.head.messages.cells.find(c => c[0] === from && c[1] === to);
}

function matrixText()
{
	const m = T.head.messages, said = [`${m.matched} messages, ${
		bytesText(m.bytes)}; rows send, columns receive.`];

	if (m.unreceived)
		said.push(`${m.unreceived} sends without a receive in the trace.`);
	if (m.unsent)
		said.push(`${m.unsent} receives without a send in the trace.`);
	if (m.ranks > 1)
		said.push(`Each cell is ${m.ranks} by ${m.ranks} ranks.`);
	$('matrix-about').textContent = said.join(' ');
}

function matrixSetup()
{
	const canvas = $('matrix');

	matrixText();
	canvas.onpointermove = e => {
		const c = matrixAt(e);
		showTip(e.clientX, e.clientY, c && list([
			['from', cellName(c[0])], ['to', cellName(c[1])],
			['messages', c[2]], ['bytes', bytesText(c[3])],
			['waited', durationText(c[4])]]));
	};
	canvas.onpointerleave = () => showTip(0, 0);
	canvas.onclick = e => {
		const c = matrixAt(e), per = T.head.messages.ranks;
		const old = V.pair;
		V.pair = c && per === 1 ? [c[0], c[1]] : null;
		if (old && V.pair && String(old) === String(V.pair))
			V.pair = null;
		changed();
	};
	$('matrix-of').onchange = e => {
		MATRIX.of = e.target.value;
		drawMatrix();
	};
}

let tablesAre = '';

/* Anew where something is chosen otherwise; not when the picture only moves. */
function drawTables()
{
	const key = [theme(), scale(), [...V.places || []].join(),
		[...V.regions || []].join(), V.pair].join('/');

	if (key === tablesAre)
		return;
	tablesAre = key;
	siteTable();
	regionTable();
	rankTable();
	waitTable();
	pathTable();
	efficiencyTable();
	drawMatrix();
	drawClocks();
}

/* ---- search: call sites and regions by a part of their names ---- */

function search(text)
{
	const word = text.trim().toLowerCase();
	const has = s => s.toLowerCase().includes(word);
	const found = (rows, of) => new Set(rows.map((r, i) => i)
		.filter(i => i && of(rows[i]).some(has)));

	V.places = word ? found(T.places, p => [p[0], p[2]]) : null;
	V.regions = word ? found(T.regions, r => [r[0]]) : null;
	if (word && !V.places.size && V.regions.size)
		V.places = null;
	$('found').textContent = word ?
		`${(V.places || []).size || 0} call sites, ${V.regions.size
		} regions` : '';
	changed();
}
