/*
 * Decodes the page's data (page_data.c says how it is laid out) into T: typed
 * arrays over all single events, flow by flow. Times are ns from the first
 * event of their base.
 */

const T = {};

async function inflate(bytes)
{
	const stream = new Blob([bytes]).stream()
		.pipeThrough(new DecompressionStream('deflate'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function pageBytes()
{
	const element = $('data');
	const text = atob(element.textContent);
	const bytes = new Uint8Array(text.length);

	for (let i = 0; i < bytes.length; i++)
		bytes[i] = text.charCodeAt(i);
	element.textContent = '';
	return element.dataset.coding ? inflate(bytes) : bytes;
}

/* n varints from at into out, from index to on; signed: zigzag */
function varints(bytes, at, n, out, to, signed)
{
	for (let i = 0; i < n; i++) {
		let b = bytes[at++], v = b & 127;

		if (b > 127) {
			b = bytes[at++];
			v |= (b & 127) << 7;
		}
		if (b > 127) {
			b = bytes[at++];
			v |= (b & 127) << 14;
		}
		for (let scale = 1 << 21; b > 127; scale *= 128) {
			b = bytes[at++];
			v += (b & 127) * scale;
		}
		out[to + i] = !signed ? v :
			v % 2 ? -(v + 1) / 2 : v / 2;
	}
}

class Columns {
	constructor(bytes, at, lengths)
	{
		this.bytes = bytes;
		this.at = at;
		this.lengths = lengths;
		this.next = 0;
	}

	read(n, out, to, signed)
	{
		varints(this.bytes, this.at, n, out, to, signed);
		this.at += this.lengths[this.next++];
	}
}

/* gaps and lengths to starts and ends, from first to last */
function integrate(gap, length, first, last, start, end)
{
	let now = 0;

	for (let i = first; i < last; i++) {
		start[i] = now + gap[i];
		now = end[i] = start[i] + length[i];
	}
}

/* the same of regions, whose gaps are between ends */
function integrateSpans(gap, length, first, last, start, end)
{
	let now = 0;

	for (let i = first; i < last; i++) {
		now = end[i] = now + gap[i];
		start[i] = now - length[i];
	}
}

function readBase(c, base)
{
	const n = T.events, m = T.spans;
	const gap = new Float64Array(Math.max(n, m));
	const length = new Float64Array(Math.max(n, m));

	base.start = new Float64Array(n);
	base.end = new Float64Array(n);
	base.spanStart = new Float64Array(m);
	base.spanEnd = new Float64Array(m);
	T.flows.forEach((f, i) => {
		c.read(f.kept, gap, T.first[i], true);
		c.read(f.kept, length, T.first[i], true);
		integrate(gap, length, T.first[i], T.first[i + 1], base.start,
			base.end);
		c.read(f.spans, gap, T.firstSpan[i], true);
		c.read(f.spans, length, T.firstSpan[i], true);
		integrateSpans(gap, length, T.firstSpan[i], T.firstSpan[i + 1],
			base.spanStart, base.spanEnd);
	});
}

/* flow, start, length, kind and flow waited for of each wait; and the path. */
function readWaits(c, base)
{
	const n = base.waits, m = base.pieces, last = new Float64Array(
		T.flows.length);
	const flow = new Uint32Array(n), late = new Uint32Array(n);
	const at = new Float64Array(n), ns = new Float64Array(n);
	const kind = new Uint8Array(n);

	c.read(n, flow, 0, false);
	c.read(n, at, 0, true);
	c.read(n, ns, 0, false);
	c.read(n, kind, 0, false);
	c.read(n, late, 0, false);
	for (let i = 0; i < n; i++)
		at[i] = last[flow[i]] += at[i];
	base.found = { flow, at, ns, kind, late };

	const p = base.path = { flow: new Uint32Array(m),
		to: new Float64Array(m), ns: new Float64Array(m) };
	c.read(m, p.flow, 0, false);
	c.read(m, p.to, 0, true);
	c.read(m, p.ns, 0, false);
	for (let i = 1; i < m; i++)
		p.to[i] += p.to[i - 1];
}

/* The messages of each event, as chains: in[event] -> nextIn[message] ... */
function chain(of, n)
{
	const head = new Int32Array(n).fill(-1);
	const next = new Int32Array(of.length);

	for (let i = of.length; i-- > 0;) {
		next[i] = head[of[i]];
		head[of[i]] = i;
	}
	return [head, next];
}

function readMessages(c, n)
{
	const flow = new Uint32Array(n), step = new Float64Array(n);

	const events = () => {
		const at = new Float64Array(T.flows.length);
		const out = new Uint32Array(n);

		c.read(n, flow, 0, false);
		c.read(n, step, 0, true);
		for (let i = 0; i < n; i++)
			out[i] = T.first[flow[i]] +
				(at[flow[i]] += step[i]);
		return out;
	};
	T.to = events();
	T.from = events();
	T.messageBytes = new Float64Array(n);
	T.messageTag = new Int32Array(n);
	c.read(n, T.messageBytes, 0, false);
	c.read(n, T.messageTag, 0, true);
	[T.in, T.nextIn] = chain(T.to, T.events);
	[T.out, T.nextOut] = chain(T.from, T.events);
}

function readDetails(c)
{
	const n = T.events, m = T.spans;

	T.place = new Uint32Array(n);
	T.comm = new Uint32Array(n);
	T.bytes = new Float64Array(n);
	T.rbytes = new Float64Array(n);
	T.peer = new Int32Array(n);
	T.tag = new Int32Array(n);
	T.calls = new Float64Array(n);
	T.region = new Uint32Array(m);
	T.depth = new Uint16Array(m);
	T.flows.forEach((f, i) => {
		const at = T.first[i], k = f.kept;

		c.read(k, T.place, at, false);
		c.read(k, T.comm, at, false);
		c.read(k, T.bytes, at, false);
		c.read(k, T.rbytes, at, false);
		c.read(k, T.peer, at, true);
		c.read(k, T.tag, at, true);
		c.read(k, T.calls, at, false);
		c.read(f.spans, T.region, T.firstSpan[i], false);
		c.read(f.spans, T.depth, T.firstSpan[i], false);
	});
}

/*
 * Bins of a base: shares in parts of 255, by flow, group - 1, bin; the last
 * group is waiting. */
function readBins(bytes, at)
{
	for (const base of T.bases) {
		const n = base.bins * T.head.groups.length * T.flows.length;

		base.share = bytes.subarray(at, at + n);
		at += n;
	}
	return at;
}

/* Rates of counters in parts of 255 of the highest, by flow and bin. */
function readCurves(bytes, at)
{
	T.curves = T.head.counters.map(([name, unit, most, bins, width]) => {
		const n = bins * T.flows.length;
		const rate = bytes.subarray(at, at + n);
		at += n;
		return { name, unit, most, bins, width, rate };
	});
}

/* first[i]: where what belongs to flow i begins */
function starts(counts)
{
	const first = new Uint32Array(counts.length + 1);

	counts.forEach((n, i) => { first[i + 1] = first[i] + n; });
	return first;
}

/*
 * How long each event waited, from when on; why: the index in base.found of the
 * wait, -1: none.
 */
function findWaits(base)
{
	const { flow, at, ns } = base.found;

	base.wait = new Float64Array(T.events);
	base.waitFrom = Float64Array.from(base.start);
	base.why = new Int32Array(T.events).fill(-1);
	for (let i = 0; i < base.waits; i++) {
		const low = T.first[flow[i]], high = T.first[flow[i] + 1];
		const e = lowerBound(base.end, low, high, at[i] + 1);

		if (e >= high || base.start[e] > at[i] + 1)
			continue;
		/* a wait in two parts is one to the eye */
		base.wait[e] += ns[i];
		base.waitFrom[e] = base.why[e] < 0 ? at[i] :
			Math.min(base.waitFrom[e], at[i]);
		base.why[e] = i;
	}
}

async function load()
{
	const bytes = await pageBytes();
	const n = new DataView(bytes.buffer, bytes.byteOffset)
		.getUint32(0, true);
	const text = new TextDecoder().decode(bytes.subarray(4, 4 + n));

	T.head = JSON.parse(text);
	T.bases = T.head.bases;
	T.flows = T.head.flows;
	T.places = T.head.places;
	T.regions = T.head.regions;
	T.first = starts(T.flows.map(f => f.kept));
	T.firstSpan = starts(T.flows.map(f => f.spans));
	T.events = T.first[T.flows.length];
	T.spans = T.firstSpan[T.flows.length];
	T.group = Uint8Array.from(T.places, p => p[1]);

	const c = new Columns(bytes, 4 + n, T.head.columns);

	readDetails(c);
	T.bases.forEach(base => readBase(c, base));
	T.bases.forEach(base => readWaits(c, base));
	readMessages(c, T.head.messages.single);
	readCurves(bytes, readBins(bytes, c.at));
	T.bases.forEach(findWaits);
	T.deepest = T.depth.reduce((a, b) => Math.max(a, b + 1), 0);
}

/* The flow that an event belongs to. */
function flowOf(event)
{
	let low = 0, high = T.flows.length - 1;

	while (low < high) {
		const mid = (low + high + 1) >> 1;

		if (T.first[mid] <= event)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* The first of the sorted values from low to high that is not below x. */
function lowerBound(values, low, high, x)
{
	while (low < high) {
		const mid = (low + high) >> 1;

		if (values[mid] < x)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
