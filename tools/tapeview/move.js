/* Moving about: mouse, wheel, keys, touch, and the address. */

const LEAST = 10;           /* the shortest window, ns */

function setWindow(from, to)
{
	const all = base().length, wide = Math.min(Math.max(to - from, LEAST),
		all * 1.1 || LEAST);
	const middle = (from + to) / 2;

	V.from = middle - wide / 2;
	V.from = Math.min(Math.max(V.from, -all * 0.05), all * 1.05 - wide);
	V.to = V.from + wide;
	changed();
}

function fit()
{
	V.top = 0;
	setWindow(-base().length * 0.005, base().length * 1.005);
}

function zoom(factor, at)
{
	setWindow(at - (at - V.from) * factor, at + (V.to - at) * factor);
}

function pan(part)
{
	const d = (V.to - V.from) * part;

	setWindow(V.from + d, V.to + d);
}

function scrollRows(pixels)
{
	V.top += pixels;
	changed();
}

function zoomMiddle(factor)
{
	const b = base(), e = V.selected, middle = (V.from + V.to) / 2;
	const at = e >= 0 ? (b.start[e] + b.end[e]) / 2 : middle;

	zoom(factor, at > V.from && at < V.to ? at : middle);
}

/* The selected event in the middle, then filling most of the window. */
function focus()
{
	const b = base(), e = V.selected;

	if (e < 0)
		return fit();
	const middle = (b.start[e] + b.end[e]) / 2, wide = V.to - V.from;
	const there = Math.abs((V.from + V.to) / 2 - middle) < wide / 100;
	const half = there ? Math.max(b.end[e] - b.start[e], LEAST) : wide / 2;
	reveal(flowOf(e));
	setWindow(middle - half, middle + half);
}

/* That stretch into the window, if it is not there. */
function focusTime(from, to)
{
	const wide = Math.max(V.to - V.from, (to - from) * 1.2);

	if (from < V.from || to > V.to)
		setWindow((from + to - wide) / 2, (from + to + wide) / 2);
}

function reveal(flow)
{
	openFor(flow);
	scrollToRow(flow);
}

function scrollToRow(flow)
{
	const y = rowY(flow);

	if (y < AXIS || y + L.row > L.height)
		V.top = R.of[flow] * L.row - (L.height - AXIS) / 2;
}

function select(e)
{
	V.selected = e;
	V.message = -1;
	changed();
}

/* To the other end of a message: both ends in view. */
function jump(m, came)
{
	const b = base(), e = came ? T.from[m] : T.to[m];
	const start = Math.min(b.start[T.from[m]], b.start[T.to[m]]);
	const end = Math.max(b.end[T.from[m]], b.end[T.to[m]]);

	V.selected = e;
	V.message = m;
	reveal(flowOf(e));
	if (b.start[e] < V.from || b.end[e] > V.to)
		setWindow(start - (end - start) * 0.3, end + (end - start) *
			0.3);
	else
		changed();
}

function jumpPartner()
{
	const list = V.selected < 0 ? [] : messagesOf(V.selected);
	const i = list.findIndex(([m]) => m === V.message);

	/* from where a message led, on with the next one */
	if (list.length)
		jump(...list[(i + 1) % list.length]);
}

/* The next call of the same rank, highlighted if some are. */
function step(by)
{
	let e = V.selected < 0 ? T.first[0] - (by > 0 ? 1 : -1) : V.selected;
	const flow = V.selected < 0 ? 0 : flowOf(e), b = base();

	do
		e += by;
	while (e >= T.first[flow] && e < T.first[flow + 1] && V.places &&
		!V.places.has(T.place[e]));
	if (e < T.first[flow] || e >= T.first[flow + 1])
		return;
	V.selected = e;
	V.message = -1;
	if (b.start[e] < V.from || b.end[e] > V.to)
		setWindow(b.start[e] - (V.to - V.from) / 2, b.start[e] +
			(V.to - V.from) / 2);
	else
		changed();
}

const KEYS = {
	w: () => zoomMiddle(0.6), s: () => zoomMiddle(1 / 0.6),
	'+': () => zoomMiddle(0.6), '-': () => zoomMiddle(1 / 0.6),
	a: () => pan(-0.2), d: () => pan(0.2),
	arrowleft: () => pan(-0.2), arrowright: () => pan(0.2),
	arrowup: () => scrollRows(-L.row * 2),
	arrowdown: () => scrollRows(L.row * 2),
	pageup: () => scrollRows(-L.height * 0.8),
	pagedown: () => scrollRows(L.height * 0.8),
	f: focus, 0: fit, home: fit, j: jumpPartner,
	'.': () => step(1), ',': () => step(-1),
	b: () => setBase((V.base + 1) % T.bases.length),
	g: nextLevel, c: toggleAll,
	m: () => flip('lines'), o: () => flip('waits'), p: () => flip('path'),
	'/': () => $('search').focus(),
	'?': () => $('help').showModal(),
	escape: () => {
		Object.assign(V, { selected: -1, message: -1, places: null,
			regions: null, pair: null });
		$('search').value = '';
		changed();
	},
};

function flip(what)
{
	V[what] = !V[what];
	changed();
}

function setBase(i)
{
	const old = base().length, b = T.bases[i];
	const whole = V.from <= 0 && V.to >= old;

	/* the same events stay in view, about */
	V.base = i;
	if (whole)
		return fit();
	changed();
	return b;
}

function onKey(event)
{
	const action = KEYS[event.key.toLowerCase()];
	const open = $('help').open;

	if (!action || open || event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
		if (event.key === 'Escape')
			event.target.blur();
		return;
	}
	event.preventDefault();
	action();
}

/* ---- pointers ---- */

const pointers = new Map();
let moved = 0, marked = null;

function nearMessage(x, y)
{
	let best = -1, far = 5;

	for (const m of L.drawn || []) {
		const [x0, y0, x1, y1] = linePoints(m);
		const dx = x1 - x0, dy = y1 - y0;
		const t = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) *
			dy) / (dx * dx + dy * dy || 1)));
		const d = Math.hypot(x - x0 - t * dx, y - y0 - t * dy);
		if (d < far) {
			far = d;
			best = m;
		}
	}
	return best;
}

/* What is under a point: { event }, { message }, { span }, { group }, { flow }. */
function pick(x, y)
{
	const row = R.list[rowAt(y)], ns = toNs(x);
	const flow = row && !row.closed ? row.flows[0] : -1;
	const inside = flow >= 0 && y >= callsY(flow) &&
		y < callsY(flow) + callsHeight();

	if (x < GUTTER)
		return row && row.group >= 0 && (row.closed ||
			x < GROUP_WIDE) ? { flow, group: row.group } : { flow };
	if (inside || flow >= 0) {
		const e = inside ? eventAt(flow, ns, (V.to - V.from) / L.plot *
			2) : -1;
		if (e >= 0)
			return { flow, event: e };
	}
	const message = nearMessage(x, y);
	if (message >= 0)
		return { flow, message };
	if (flow >= 0 && !inside) {
		const lane = Math.floor((y - rowY(flow)) / LANE);
		const span = lane < L.lanes ? spanAt(flow, ns, lane) : -1;
		if (span >= 0)
			return { flow, span };
	}
	return row && row.closed ? { flow, group: row.group } : { flow };
}

function hover(event)
{
	const hit = pick(...pointIn(event)), m = hit.message;
	let pairs = null;

	if (hit.event >= 0)
		pairs = [...describe(hit.event),
			...messagesOf(hit.event).slice(0, 3).map(([of, came]) =>
				['message', messageWords(of, came)])];
	else if (m >= 0)
		pairs = [['message', messageWords(m, true)],
			['to', flowWords(flowOf(T.to[m]))]];
	else if (hit.span >= 0)
		pairs = describeSpan(hit.span);
	else if (hit.group >= 0)
		pairs = describeGroup(hit.group);
	showTip(event.clientX, event.clientY, pairs && list(pairs));
}

function onDown(event)
{
	event.target.setPointerCapture(event.pointerId);
	pointers.set(event.pointerId, [event.clientX, event.clientY]);
	moved = 0;
	marked = event.shiftKey ? [pointIn(event)[0], 0] : null;
}

function drag(before, now)
{
	const others = [...pointers.values()];

	if (others.length === 2) {
		const other = others[0] === before ? others[1] : others[0];
		const box = $('rows').getBoundingClientRect();
		const wide = Math.abs(before[0] - other[0]) || 1;
		const factor = wide / (Math.abs(now[0] - other[0]) || 1);
		zoom(Math.min(4, Math.max(0.25, factor)),
			toNs(other[0] - box.left));
		return;
	}
	const d = (before[0] - now[0]) / L.plot * (V.to - V.from);
	V.top += before[1] - now[1];
	setWindow(V.from + d, V.to + d);
}

function onMove(event)
{
	const before = pointers.get(event.pointerId);
	const now = [event.clientX, event.clientY];

	if (!before) {
		hover(event);
		return;
	}
	moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
	if (marked) {
		marked[1] = pointIn(event)[0];
		mark(marked);
		return;
	}
	if (moved > 3)
		drag(before, now);
	before[0] = now[0];
	before[1] = now[1];
}

/* The stretch that is being marked, to be zoomed to. */
function mark(range)
{
	const element = $('mark'), rows = $('rows');

	element.hidden = !range;
	if (!range)
		return;
	element.style.left = Math.min(...range) + rows.offsetLeft + 'px';
	element.style.width = Math.abs(range[0] - range[1]) + 'px';
	element.style.top = rows.offsetTop + 'px';
	element.style.height = L.height + 'px';
	element.textContent = durationText(Math.abs(toNs(range[0]) -
		toNs(range[1])));
}

function onUp(event)
{
	pointers.delete(event.pointerId);
	if (marked && moved > 3) {
		const [a, z] = marked.map(toNs);
		mark(null);
		setWindow(Math.min(a, z), Math.max(a, z));
	} else if (moved <= 3) {
		click(event);
	}
	marked = null;
}

/* Selects; a second click, or one on a line, goes to the partner. */
function click(event)
{
	const [x, y] = pointIn(event), hit = pick(x, y);

	if (hit.group >= 0) {
		toggleGroup(hit.group);
	} else if (hit.message >= 0) {
		const [x0, , x1] = linePoints(hit.message);
		jump(hit.message, Math.abs(x - x0) > Math.abs(x - x1));
	} else if (hit.event >= 0 && hit.event === V.selected) {
		jumpPartner();
	} else {
		select(hit.event >= 0 ? hit.event : -1);
	}
}

function onWheel(event)
{
	const unit = event.deltaMode === 1 ? 30 : 1;

	event.preventDefault();
	if (event.shiftKey)
		scrollRows((event.deltaY + event.deltaX) * unit);
	else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
		pan(event.deltaX * unit / 1000);
	else
		zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit *
			0.002))), toNs(pointIn(event)[0]));
}

/* In the overview: the window goes where the pointer is; or is marked. */
function onOverview(event)
{
	const ns = Math.max(0, Math.min(1, (pointIn(event)[0] - GUTTER) /
		L.plot)) * base().length;

	if (event.type === 'pointerdown') {
		event.target.setPointerCapture(event.pointerId);
		pointers.set('overview', ns);
	}
	const from = pointers.get('overview');
	if (from === undefined)
		return;
	const whole = V.to - V.from > base().length * 0.9;
	if (event.type === 'pointerup') {
		pointers.delete('overview');
		if (Math.abs(ns - from) < base().length / L.plot * 3 && !whole)
			setWindow(ns - (V.to - V.from) / 2, ns + (V.to -
				V.from) / 2);
	} else if (Math.abs(ns - from) > base().length / L.plot * 3) {
		setWindow(Math.min(ns, from), Math.max(ns, from));
	}
}

/* ---- the address ---- */

function toHash()
{
	const part = [];

	const first = firstWindow();
	if (V.from !== first[0] || V.to !== first[1])
		part.push(`from=${V.from.toFixed(0)}`, `to=${V.to.toFixed(0)}`);
	if (V.base !== T.bases.length - 1)
		part.push(`base=${base().name}`);
	if (V.selected >= 0) {
		const i = flowOf(V.selected);
		part.push(`event=${i}.${V.selected - T.first[i]}`);
	}
	if (V.places && V.places.size === 1)
		part.push(`site=${[...V.places][0]}`);
	if (V.pair)
		part.push(`pair=${V.pair.join('.')}`);
	if (!V.lines)
		part.push('lines=0');
	if (!V.waits)
		part.push('waits=0');
	if (V.path)
		part.push('path=1');
	levelToHash(part);
	if (V.top)
		part.push(`top=${V.top.toFixed(0)}`);
	return part.join('&');
}

function number(text, low, high, other)
{
	const v = text === null || text === '' ? NaN : Number(text);

	return v >= low && v <= high ? v : other;
}

function fromHash()
{
	const h = new URLSearchParams(location.hash.slice(1));
	const at = name => T.bases.findIndex(b => b.name === name);
	const pair = (h.get('pair') || '').split('.').map(Number);
	const [flow, event] = (h.get('event') || '').split('.').map(Number);

	V.base = at(h.get('base')) >= 0 ? at(h.get('base')) : T.bases.length - 1;
	const [from, to] = firstWindow();
	V.from = number(h.get('from'), -1e18, 1e18, from);
	V.to = number(h.get('to'), V.from + 1, 1e18, Math.max(to, V.from + 1));
	V.lines = h.get('lines') !== '0';
	V.waits = h.get('waits') !== '0';
	V.path = h.get('path') === '1';
	V.top = number(h.get('top'), 0, 1e9, 0);
	levelFromHash(h);
	V.pair = pair.length === 2 && pair.every(Number.isInteger) ? pair : null;
	V.places = number(h.get('site'), 1, T.places.length - 1, 0) ?
		new Set([Number(h.get('site'))]) : null;
	V.selected = T.flows[flow] && event >= 0 &&
		event < T.flows[flow].kept ? T.first[flow] + event : -1;
}
