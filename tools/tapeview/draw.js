/* Draws the rows, the overview and the axis on their canvases. */

/*
 * Colours by group (groups.h), for light and dark: Okabe and Ito's, which
 * colour-blind people can distinguish. [0] is computing.
 */
const COLOURS = {
	light: ['d3ddd8', '0072b2', 'd55e00', 'e69f00', 'b5609a', '009e73',
		'56b4e9', '9a9a9a', '6f7f8f'],
	dark: ['3a4a45', '3f9bdc', 'e8702a', 'e6a21f', 'cf83b3', '1fb58c',
		'7cc6f2', '7d7d7d', '93a3b3'],
};
const WAITING = { light: 'f0e442', dark: 'f0e442' };
const BACK = { light: 'ffffff', dark: '16191c' };
const LINES = { light: '#222c', dark: '#eeec' };
const WRONG = { light: '#c00000', dark: '#ff6b6b' };
const TEXT = { light: '#333333', dark: '#cccccc' };
const GRID = { light: '#0000001a', dark: '#ffffff22' };

function dark()
{
	const set = document.documentElement.dataset.theme;

	return set ? set === 'dark' :
		matchMedia('(prefers-color-scheme: dark)').matches;
}

function theme()
{
	return dark() ? 'dark' : 'light';
}

function rgb(hex)
{
	const v = parseInt(hex, 16);

	return [v >> 16, v >> 8 & 255, v & 255];
}

/* As ImageData has its pixels, little-endian. */
function pixel(c)
{
	return (255 << 24 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0;
}

function mix(a, b, part)
{
	return a.map((v, i) => Math.round(v * (1 - part) + b[i] * part));
}

/* Pixels by channel of a column: groups, the same dimmed, waiting. */
function palette()
{
	const k = theme(), back = rgb(BACK[k]);
	const all = COLOURS[k].map(rgb);

	return Uint32Array.from([...all, ...all.map(c => mix(c, back, 0.8)),
		rgb(WAITING[k])], pixel);
}

function scale()
{
	return window.devicePixelRatio || 1;
}

function sized(canvas, width, height)
{
	const s = scale(), w = Math.round(width * s);
	const h = Math.round(height * s);

	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	canvas.style.height = height + 'px';
	const ctx = canvas.getContext('2d');
	ctx.setTransform(s, 0, 0, s, 0, 0);
	return ctx;
}

/*
 * Columns first .. last of shares as stacks of h pixels from row y on: calls
 * from the bottom up, what is left is computing. part: of the whole that the
 * shares are of.
 */
function stack(px, stride, y, h, acc, first, last, colours, parts)
{
	const dim = V.places ? GROUPS : 0, half = h < 8 ? h : h >> 1;

	for (let x = first; x <= last; x++) {
		const at = x * WIDTH, whole = parts ? parts[x] : 1;
		let p = (y + h - 1) * stride + x, left = h;

		for (let g = 1; g < 2 * GROUPS && left > 0; g++) {
			const share = acc[at + g] / whole;
			if (!(share > 0) || g === GROUPS)
				continue;
			let n = Math.min(left, Math.max(1,
				Math.round(share * h)));
			left -= n;
			for (const c = colours[g]; n > 0; n--, p -= stride)
				px[p] = c;
		}
		for (const c = colours[dim]; left > 0; left--, p -= stride)
			px[p] = c;
		const wait = acc[at + WIDTH - 1] / whole;
		if (wait > 0.002 && V.waits) {
			let n = Math.max(1, Math.round(Math.min(1, wait) *
				half));
			p = (y + h - 1) * stride + x;
			for (const c = colours[WIDTH - 1]; n > 0;
				n--, p -= stride)
				px[p] = c;
		}
	}
}

/* ---- rows ---- */

let shares = new Float32Array(0);

function cleared(n)
{
	if (shares.length < n * WIDTH)
		shares = new Float32Array(n * WIDTH);
	return shares.fill(0, 0, n * WIDTH);
}

function columnsAlive(flow, n)
{
	const [a, z] = flowEnds(flow), k = n / (V.to - V.from);

	return [Math.max(0, Math.floor((a - V.from) * k)),
		Math.min(n - 1, Math.ceil((z - V.from) * k))];
}

/* Shares of flows together; parts: of how many in each column. */
function addFlows(flows, w, acc, parts)
{
	let first = w, last = -1;

	for (const i of flows) {
		const [a, z] = columnsAlive(i, w);
		if (a > z)
			continue;
		addShares(i, V.from, V.to, w, acc);
		for (let x = a; parts && x <= z; x++)
			parts[x]++;
		first = Math.min(first, a);
		last = Math.max(last, z);
	}
	return [first, last];
}

function paintRows(ctx)
{
	const s = scale(), w = Math.max(1, Math.round(L.plot * s));
	const h = Math.max(1, Math.round((L.height - AXIS) * s));
	const image = new ImageData(w, h), colours = palette();
	const px = new Uint32Array(image.data.buffer);
	const [first, last] = visibleRows();

	px.fill(pixel(rgb(BACK[theme()])));
	for (let i = first; i <= last; i++) {
		const { flows, closed } = R.list[i];
		const top = Math.round((callsY(flows[0]) - AXIS) * s);
		const high = Math.max(1, Math.round(callsHeight() * s));
		const y = Math.max(0, top), n = Math.min(high, h - y);
		const parts = closed ? new Float32Array(w) : null;

		if (n < 1 || top < -high)
			continue;
		const [a, z] = addFlows(flows, w, cleared(w), parts);
		stack(px, w, y, n, shares, a, z, colours, parts);
	}
	ctx.putImageData(image, Math.round(GUTTER * s), Math.round(AXIS * s));
}

/* Edges between calls, and names of those that are wide enough. */
function paintNames(ctx)
{
	const b = base(), k = L.plot / (V.to - V.from), high = callsHeight();

	if (high < 9)
		return;
	ctx.font = '11px system-ui, sans-serif';
	ctx.textBaseline = 'middle';
	for (const i of flowsInView()) {
		const [from, to] = eventsIn(i, V.from, V.to);
		const y = callsY(i);

		if (to - from > 50000)
			continue;
		for (let e = from; e < to; e++) {
			const wide = (b.end[e] - b.start[e]) * k;
			if (wide < 4)
				continue;
			const x = Math.max(GUTTER, toX(b.start[e]));
			const end = Math.min(L.width, toX(b.end[e]));
			ctx.fillStyle = '#00000055';
			ctx.fillRect(x, y, 1, high);
			if (end - x > 40 && high > 11)
				name(ctx, shortName(e), x + 4, y + high / 2,
					end - x - 8, '#fff');
		}
	}
}

function shortName(e)
{
	return T.places[T.place[e]][0].replace(/^(MPI|mpi|pvm)_/, '');
}

function name(ctx, text, x, y, room, colour)
{
	const wide = ctx.measureText(text).width;

	if (wide > room)
		text = text.slice(0, Math.floor(text.length * room / wide) - 1)
			+ '\u2026';
	if (text.length < 4 && wide > room)
		return;
	ctx.fillStyle = colour;
	ctx.shadowColor = colour === '#fff' ? '#000a' : 'transparent';
	ctx.shadowBlur = colour === '#fff' ? 2 : 0;
	ctx.fillText(text, x, y);
	ctx.shadowBlur = 0;
}

/* Regions by name: hues that differ, all of them pale. */
function regionColour(region, dimmed)
{
	const hue = region * 137 % 360;

	return dark() ? `hsl(${hue} 25% ${dimmed ? 17 : 30}%)` :
		`hsl(${hue} 45% ${dimmed ? 96 : 86}%)`;
}

function paintRegions(ctx)
{
	const b = base();

	if (!L.lanes)
		return;
	ctx.font = '10px system-ui, sans-serif';
	ctx.textBaseline = 'middle';
	for (const i of flowsInView()) {
		const low = T.firstSpan[i], high = T.firstSpan[i + 1];
		const drawn = new Float64Array(L.lanes).fill(-1);

		for (let r = lowerBound(b.spanEnd, low, high, V.from);
			r < high; r++) {
			const d = T.depth[r];
			if (d >= L.lanes || b.spanStart[r] > V.to)
				continue;
			const x = Math.max(GUTTER, toX(b.spanStart[r]));
			const end = Math.min(L.width, toX(b.spanEnd[r]));
			if (end <= drawn[d])
				continue;
			drawn[d] = Math.max(end, x + 0.5);
			const y = rowY(i) + d * LANE;
			const no = V.regions && !V.regions.has(T.region[r]);
			ctx.fillStyle = regionColour(T.region[r], no);
			ctx.fillRect(x, y, Math.max(0.5, end - x - 0.5),
				LANE - 1);
			if (end - x > 30)
				name(ctx, T.regions[T.region[r]][0], x + 3,
					y + LANE / 2, end - x - 6,
					TEXT[theme()]);
		}
	}
}

/* ---- what is selected, labels, axis ---- */

function paintSelected(ctx)
{
	const e = V.selected, b = base();

	if (e < 0)
		return;
	const x = toX(b.start[e]), y = callsY(flowOf(e));
	ctx.strokeStyle = dark() ? '#ffffff' : '#000000';
	ctx.lineWidth = 2;
	ctx.strokeRect(x - 1, y - 1, Math.max(3, toX(b.end[e]) - x + 2),
		callsHeight() + 2);
	if (V.message < 0)
		return;
	ctx.lineWidth = 2.5;
	ctx.beginPath();
	strokeMessage(ctx, V.message);
	ctx.stroke();
}

function flowName(i)
{
	const f = T.flows[i];
	const several = (T.flows[i + 1] || {}).rank === f.rank ||
		(T.flows[i - 1] || {}).rank === f.rank;

	return several ? `${f.rank}.${f.thread}` : `${f.rank}`;
}

/* Shares of the run between start and end, as a small bar beside the name. */
function rankBar(ctx, flows, y, high)
{
	const k = theme(), x = GUTTER - 42, wide = GUTTER - x - 6;
	const sum = of => flows.reduce((n, i) => n + of(T.flows[i], i), 0);
	const per = wide / (sum((f, i) => flowEnds(i)[1] - flowEnds(i)[0] -
		f.ns[LIFE]) || 1);
	let at = x;

	ctx.fillStyle = '#' + COLOURS[k][0];
	ctx.fillRect(x, y, wide, high);
	for (let g = 1; g < GROUPS; g++) {
		const part = g === LIFE ? 0 : sum(f => f.ns[g]) * per;
		ctx.fillStyle = '#' + COLOURS[k][g];
		ctx.fillRect(at, y, part, high);
		at += part;
	}
	ctx.fillStyle = '#' + WAITING[k];
	if (V.waits)
		ctx.fillRect(x, y + high - high / 3, sum(f => f.late) * per,
			high / 3);
}

function paintLabels(ctx)
{
	const [first, last] = visibleRows(), k = theme();
	const every = Math.max(1, Math.ceil(12 / L.row));

	ctx.fillStyle = '#' + BACK[k];
	ctx.fillRect(0, AXIS, GUTTER, L.height);
	ctx.font = '12px system-ui, sans-serif';
	ctx.textBaseline = 'middle';
	ctx.textAlign = 'right';
	for (let i = first; i <= last; i++) {
		const { flows, closed } = R.list[i];
		const high = callsHeight(), y = callsY(flows[0]) + high / 2;
		if (i % every === 0 && !closed) {
			ctx.fillStyle = TEXT[k];
			ctx.fillText(flowName(flows[0]), GUTTER - 50, y);
		}
		rankBar(ctx, flows, y - Math.min(high, 10) / 2,
			Math.min(high, 10));
	}
	ctx.textAlign = 'left';
	paintGroups(ctx);
}

function tickStep(range, parts)
{
	const rough = range / parts, power = 10 ** Math.floor(Math.log10(rough));
	const r = rough / power;

	return power * (r > 5 ? 10 : r > 2 ? 5 : r > 1 ? 2 : 1);
}

function paintAxis(ctx)
{
	const k = theme(), step = tickStep(V.to - V.from, L.plot / 110);

	ctx.fillStyle = '#' + BACK[k];
	ctx.fillRect(0, 0, L.width, AXIS);
	ctx.font = '11px system-ui, sans-serif';
	ctx.textBaseline = 'middle';
	ctx.fillStyle = TEXT[k];
	ctx.fillText('rank', GUTTER - 74, AXIS / 2);
	if (V.level >= 0)
		ctx.fillText(levelWord(levelNow()), 4, AXIS / 2);
	ctx.textAlign = 'center';
	for (let t = Math.ceil(V.from / step) * step; t <= V.to; t += step) {
		const x = toX(t), text = atText(t, step);
		const half = ctx.measureText(text).width / 2;
		ctx.fillStyle = GRID[k];
		ctx.fillRect(x, AXIS - 4, 1, L.height);
		if (x - half < GUTTER - 10 || x + half > L.width)
			continue;
		ctx.fillStyle = TEXT[k];
		ctx.fillText(text, x, AXIS / 2);
	}
	ctx.textAlign = 'left';
}

function drawRows()
{
	const canvas = $('rows');
	const ctx = sized(canvas, L.width, L.height);

	ctx.clearRect(0, 0, L.width, L.height);
	paintRows(ctx);
	ctx.save();
	ctx.beginPath();
	ctx.rect(GUTTER, AXIS, L.plot, L.height);
	ctx.clip();
	paintRegions(ctx);
	paintNames(ctx);
	paintMessages(ctx);
	if (V.path)
		paintPath(ctx);
	if (V.counter >= 0 && V.base === T.bases.length - 1)
		paintCurve(ctx);
	paintSelected(ctx);
	ctx.restore();
	paintAxis(ctx);
	paintLabels(ctx);
}

/* ---- the overview: the whole run, all ranks together ---- */

const OVERVIEW = 44;
const strip = { key: '', image: null };

function overviewImage(w, h)
{
	const n = T.flows.length, acc = new Float32Array(w * WIDTH);
	const image = new ImageData(w, h), parts = new Float32Array(w);
	const per = base().length / w;
	let first = w, last = -1;

	for (let i = 0; i < n; i++) {
		const [a, z] = flowEnds(i);
		const x0 = Math.max(0, Math.floor(a / per));
		const x1 = Math.min(w - 1, Math.floor(z / per));
		addShares(i, 0, base().length, w, acc);
		for (let x = x0; x <= x1; x++)
			parts[x]++;
		first = Math.min(first, x0);
		last = Math.max(last, x1);
	}
	stack(new Uint32Array(image.data.buffer), w, 0, h, acc, first, last,
		palette(), parts);
	return image;
}

function drawOverview()
{
	const canvas = $('overview'), s = scale();
	const ctx = sized(canvas, L.width, OVERVIEW);
	const w = Math.max(1, Math.round(L.plot * s));
	const h = Math.round(OVERVIEW * s);
	const key = [w, h, theme(), V.base, V.waits,
		V.places ? [...V.places].join() : ''].join('/');
	const x = ns => GUTTER + ns / base().length * L.plot;

	if (strip.key !== key) {
		strip.image = overviewImage(w, h);
		strip.key = key;
	}
	ctx.clearRect(0, 0, L.width, OVERVIEW);
	ctx.putImageData(strip.image, Math.round(GUTTER * s), 0);
	ctx.fillStyle = TEXT[theme()];
	ctx.font = '11px system-ui, sans-serif';
	ctx.fillText('all', GUTTER - 68, OVERVIEW / 2 + 4);
	ctx.fillStyle = dark() ? '#000a' : '#fffb';
	ctx.fillRect(GUTTER, 0, x(V.from) - GUTTER, OVERVIEW);
	ctx.fillRect(x(V.to), 0, L.width, OVERVIEW);
	ctx.strokeStyle = dark() ? '#ffffff' : '#000000';
	ctx.strokeRect(x(V.from) + 0.5, 0.5,
		Math.max(2, x(V.to) - x(V.from) - 1), OVERVIEW - 1);
}
