/*
 * What is shown and where: the view (V), the rows, shares of time in a row's
 * pixels. Nothing is drawn here.
 */

const V = {
	from: 0, to: 1,     /* the window, ns */
	base: 0,            /* index of T.bases */
	top: 0,             /* first pixel of the rows that is visible */
	selected: -1,       /* an event */
	message: -1,        /* a message, of the selected event */
	places: null,       /* highlighted call sites: a set, or null */
	regions: null,      /* and regions */
	pair: null,         /* [from, to] ranks: messages shown, or null */
	level: -1,          /* of T.head.levels: rows are grouped by it */
	closed: new Set(),  /* its groups that are one row */
	lines: true,        /* message lines */
	waits: true,        /* waits are marked */
	path: false,        /* the critical path is drawn */
	counter: -1,        /* which is drawn as a curve */
};

const L = {};               /* layout, in pixels */
let GUTTER = 92;            /* wider by the names of groups */
const AXIS = 22, LANE = 12;

function base()
{
	return T.bases[V.base];
}

/* ends of a flow in the base: [first start, last end] */
function flowEnds(flow)
{
	const e = base().ends;

	return [e[2 * flow], e[2 * flow + 1]];
}

function layout(width, height)
{
	const n = R.list.length;

	GUTTER = 92 + (V.level < 0 ? 0 : GROUP_WIDE);
	L.width = width;
	L.height = height;
	L.plot = Math.max(1, width - GUTTER);
	/* regions lie above the calls of their row where there is room */
	L.lanes = Math.min(T.deepest, 4);
	const room = (height - AXIS) / n;
	if (room < 16 + L.lanes * LANE)
		L.lanes = Math.max(0, Math.floor((room - 16) / LANE));
	L.row = Math.max(5, Math.min(34 + L.lanes * LANE, Math.floor(room)));
	L.gap = L.row > 12 ? 3 : 1;
	V.top = Math.max(0, Math.min(V.top, n * L.row - (height - AXIS)));
}

function toX(ns)
{
	return GUTTER + (ns - V.from) / (V.to - V.from) * L.plot;
}

function toNs(x)
{
	return V.from + (x - GUTTER) / L.plot * (V.to - V.from);
}

function rowTop(row)
{
	return AXIS + row * L.row - V.top;
}

/* where a flow is, or its group, if that is closed */
function rowY(flow)
{
	return rowTop(R.of[flow]);
}

/* where the calls of a row are */
function callsY(flow)
{
	return rowY(flow) + L.lanes * LANE;
}

function callsHeight()
{
	return L.row - L.gap - L.lanes * LANE;
}

function rowAt(y)
{
	const i = Math.floor((y - AXIS + V.top) / L.row);

	return y >= AXIS && i >= 0 && i < R.list.length ? i : -1;
}

function visibleRows()
{
	const first = Math.max(0, Math.floor(V.top / L.row));
	const last = Math.floor((V.top + L.height - AXIS) / L.row);

	return [first, Math.min(R.list.length - 1, last)];
}

/* The single events of a flow that overlap from .. to: [first, last). */
function eventsIn(flow, from, to)
{
	const b = base(), low = T.first[flow], high = T.first[flow + 1];
	/* ends rise but for a few long events: look a little further back */
	let i = lowerBound(b.end, low, high, from);
	while (i > low && b.end[i - 1] >= from)
		i--;
	return [i, lowerBound(b.start, i, high, to)];
}

/* Where a flow has all of its events one by one. */
function singleRange(flow)
{
	const f = T.flows[flow], b = base();
	const low = T.first[flow], high = T.first[flow + 1];

	if (!f.kept)
		return f.before + f.after ? [Infinity, Infinity] :
			[-Infinity, Infinity];
	return [f.before ? b.start[low] : -Infinity,
		f.after ? b.end[high - 1] : Infinity];
}

const GROUPS = 9, LIFE = 7;   /* groups.h */
const WIDTH = 2 * GROUPS + 1;

/*
 * Shares of a flow's time in n columns over from .. to, added to acc: by
 * column, WIDTH numbers each. First those of the groups; GROUPS further the
 * same of calls that are not highlighted; last the share of waiting.
 */
function addShares(flow, from, to, n, acc)
{
	const single = singleRange(flow);

	if (single[0] > from || single[1] < to)
		addBins(flow, from, to, n, acc, single);
	addEvents(flow, from, to, n, acc);
}

/* x0 .. x1 in columns, of one number of the columns */
function cover(acc, n, at, x0, x1)
{
	let a = Math.floor(x0);
	const z = Math.min(n - 1, Math.floor(x1));

	if (a >= n)
		return;
	if (a >= z) {
		/* what is short, or has no length, is still to be seen */
		acc[a * WIDTH + at] += Math.max(x1 - x0, 1e-6);
		return;
	}
	acc[a * WIDTH + at] += a + 1 - x0;
	while (++a < z)
		acc[a * WIDTH + at] += 1;
	acc[z * WIDTH + at] += x1 - z;
}

function addEvents(flow, from, to, n, acc)
{
	const b = base(), k = n / (to - from), start = b.start, end = b.end;
	const [first, last] = eventsIn(flow, from, to);

	for (let i = first; i < last; i++) {
		const g = T.group[T.place[i]];
		const x0 = Math.max(0, (start[i] - from) * k);
		const x1 = Math.min(n, (end[i] - from) * k);
		const dim = V.places && !V.places.has(T.place[i]) ? GROUPS : 0;

		cover(acc, n, g + dim, x0, x1);
		if (b.wait[i] > 0 && !dim) {
			const since = (b.waitFrom[i] - from) * k;
			const until = since + b.wait[i] * k;
			if (until > 0 && since < n)
				cover(acc, n, WIDTH - 1, Math.max(0, since),
					Math.min(n, until));
		}
	}
}

function addBins(flow, from, to, n, acc, single)
{
	const b = base(), dim = V.places ? GROUPS : 0;
	const at = flow * GROUPS * b.bins;
	const per = (to - from) / n;

	if (!b.bins)
		return;
	for (let x = 0; x < n; x++) {
		const t0 = Math.max(0, from + x * per), t1 = t0 + per;
		if (t1 > single[0] && t0 < single[1])
			continue;
		const i0 = Math.floor(t0 / b.width);
		const i1 = Math.min(b.bins - 1, Math.floor(t1 / b.width));
		if (i0 > i1)
			continue;
		for (let g = 1; g <= GROUPS; g++) {
			let sum = 0;
			for (let i = i0; i <= i1; i++)
				sum += b.share[at + (g - 1) * b.bins + i];
			const to = g === GROUPS ? WIDTH - 1 : g + dim;
			acc[x * WIDTH + to] += sum / 255 / (i1 - i0 + 1);
		}
	}
}

/*
 * What to show first: from the first call that starts the library being over to
 * the last one that ends it, and a little around; else all.
 */
function firstWindow()
{
	const b = base(), all = b.length;
	let from = Infinity, to = -Infinity;

	T.flows.forEach((f, i) => {
		const low = T.first[i], high = T.first[i + 1];
		const near = (a, z) => {
			for (let e = a; e !== z; e += a < z ? 1 : -1)
				if (T.group[T.place[e]] === LIFE)
					return e;
			return -1;
		};
		const first = near(low, Math.min(high, low + 50));
		const last = near(high - 1, Math.max(low - 1, high - 50));
		if (first >= 0)
			from = Math.min(from, b.end[first]);
		if (last > first)
			to = Math.max(to, b.start[last]);
	});
	if (!(from < to))
		return [-all * 0.005, all * 1.005];
	return [from - (to - from) * 0.03, to + (to - from) * 0.03];
}

/* The region of a flow at a time, in that depth or (-1) the innermost; or -1. */
function spanAt(flow, ns, depth)
{
	const b = base();
	let best = -1;

	for (let i = T.firstSpan[flow]; i < T.firstSpan[flow + 1]; i++)
		if (b.spanStart[i] <= ns && b.spanEnd[i] >= ns &&
		    (depth < 0 ? best < 0 || T.depth[i] > T.depth[best] :
			    T.depth[i] === depth))
			best = i;
	return best;
}

/* The event under a point, within a few pixels; or -1. */
function eventAt(flow, ns, reach)
{
	const b = base();
	const [first, last] = eventsIn(flow, ns - reach, ns + reach);
	let best = -1, far = Infinity;

	for (let i = first; i < last; i++) {
		const d = ns < b.start[i] ? b.start[i] - ns :
			ns > b.end[i] ? ns - b.end[i] : 0;

		if (d < far || (d === far && b.end[i] - b.start[i] >
				b.end[best] - b.start[best])) {
			far = d;
			best = i;
		}
	}
	return best;
}
