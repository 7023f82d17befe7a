/* Draws over the rows: messages, counters, the critical path. */

/* Message lines drawn at once; the longest are. */
const MOST_LINES = 3000;

/* ---- messages ---- */

/* The messages in view, to list; how many there are. */
function messagesInView(list)
{
	const start = base().start, end = base().end;
	const { from, to, places, pair, closed } = V;
	let n = 0;

	for (let m = 0; m < T.to.length; m++) {
		const f = T.from[m], t = T.to[m], s = start[f], e = end[t];

		if ((s > to && e > to) || (s < from && e < from))
			continue;
		if (places && !places.has(T.place[f]) && !places.has(T.place[t]))
			continue;
		if (pair && (T.flows[flowOf(f)].rank !== pair[0] ||
				T.flows[flowOf(t)].rank !== pair[1]))
			continue;
		/* within a closed group */
		if (closed.size && R.of[flowOf(f)] === R.of[flowOf(t)] &&
				closed.has(groupOf(flowOf(f))))
			continue;
		list[n++] = m;
	}
	return n;
}

/* Classes of length, by powers of two; messages that go backward are last. */
const SIZES = 34;

function sizeOf(m)
{
	const d = base().end[T.to[m]] - base().start[T.from[m]];

	return d < 0 ? SIZES - 1 : 32 - Math.clz32(Math.min(d / 16,
		4294967295));
}

/* Which messages to draw: all, or the longest and those that go backward. */
function messagesShown()
{
	const list = L.list || (L.list = new Uint32Array(T.to.length));
	const n = L.lines = messagesInView(list);
	const sizes = new Uint32Array(SIZES), shown = [];
	let least = SIZES - 1, sum = 0;

	if (n <= MOST_LINES)
		return Array.from(list.subarray(0, n));
	for (let i = 0; i < n; i++)
		sizes[sizeOf(list[i])]++;
	while (least >= 0 && sum + sizes[least] <= MOST_LINES)
		sum += sizes[least--];
	/* and of the next shorter ones a few, evenly */
	const every = Math.ceil(sizes[least] / (MOST_LINES - sum + 1));
	let k = 0;
	for (let i = 0; i < n; i++) {
		const size = sizeOf(list[i]);
		if (size > least || (size === least && k++ % every === 0))
			shown.push(list[i]);
	}
	return shown;
}

function linePoints(m)
{
	const b = base(), f = T.from[m], t = T.to[m], high = callsHeight();

	return [toX(b.start[f]), callsY(flowOf(f)) + high / 2,
		toX(b.end[t]), callsY(flowOf(t)) + high / 2];
}

function strokeMessage(ctx, m)
{
	const [x0, y0, x1, y1] = linePoints(m);

	ctx.moveTo(x0, y0);
	ctx.lineTo(x1, y1);
}

/* One of those that would be the same line, but for a few pixels. */
function distinct(list)
{
	const seen = new Set();

	return list.length < 300 ? list : list.filter(m => {
		const [x0, y0, x1, y1] = linePoints(m);
		const key = [x0 / 3 | 0, y0 | 0, x1 / 3 | 0, y1 | 0].join();
		const is = seen.has(key);
		seen.add(key);
		return !is;
	});
}

/* Where lines are dense, what lies below must still be seen. */
function opacity(list)
{
	let from = Infinity, to = -Infinity, across = 0;

	for (const m of list) {
		const x0 = Math.max(GUTTER, toX(base().start[T.from[m]]));
		const x1 = Math.min(L.width, toX(base().end[T.to[m]]));
		from = Math.min(from, x0);
		to = Math.max(to, x1);
		across += Math.abs(R.of[flowOf(T.from[m])] -
			R.of[flowOf(T.to[m])]);
	}
	/* lines that cross a pixel */
	const dense = across / (to - from || 1) / R.list.length;
	return Math.max(0.15, 0.8 / (1 + 4 * dense));
}

function paintMessages(ctx)
{
	const all = V.lines ? messagesShown() : [], k = theme(), b = base();
	const list = distinct(all);
	const wrong = list.filter(m => b.end[T.to[m]] < b.start[T.from[m]]);

	L.drawn = all;
	ctx.lineWidth = 1;
	ctx.strokeStyle = LINES[k];
	ctx.globalAlpha = opacity(list);
	ctx.beginPath();
	list.forEach(m => strokeMessage(ctx, m));
	ctx.stroke();
	ctx.globalAlpha = 1;
	ctx.strokeStyle = WRONG[k];
	ctx.lineWidth = 1.6;
	ctx.beginPath();
	wrong.forEach(m => strokeMessage(ctx, m));
	ctx.stroke();
	if (all.length <= 60)
		list.forEach(m => arrow(ctx, m, wrong.includes(m)));
}

function arrow(ctx, m, wrong)
{
	const [x0, y0, x1, y1] = linePoints(m), a = Math.atan2(y1 - y0, x1 - x0);

	ctx.fillStyle = wrong ? WRONG[theme()] : LINES[theme()];
	ctx.beginPath();
	ctx.moveTo(x1, y1);
	ctx.lineTo(x1 - 8 * Math.cos(a - 0.35), y1 - 8 * Math.sin(a - 0.35));
	ctx.lineTo(x1 - 8 * Math.cos(a + 0.35), y1 - 8 * Math.sin(a + 0.35));
	ctx.fill();
}

/* ---- counters: a curve in each row, in the time of the last base ---- */

function paintCurve(ctx)
{
	const c = T.curves[V.counter];
	const from = Math.max(0, Math.floor(V.from / c.width));
	const to = Math.min(c.bins - 1, Math.ceil(V.to / c.width));

	ctx.strokeStyle = dark() ? '#ffffff' : '#000000';
	ctx.lineWidth = 1.2;
	for (const i of flowsInView()) {
		const high = callsHeight() - 1, bottom = callsY(i) + high;
		ctx.beginPath();
		for (let k = from; k <= to; k++) {
			const y = bottom - c.rate[i * c.bins + k] / 255 * high;
			ctx.lineTo(toX(k * c.width), y);
			ctx.lineTo(toX((k + 1) * c.width), y);
		}
		ctx.stroke();
	}
}

/* ---- the critical path ---- */

const PATH = { light: '#d6006c', dark: '#ff5fb0' };

function paintPath(ctx)
{
	const { flow, to, ns } = base().path, high = callsHeight();
	const y = i => callsY(flow[i]) + Math.min(4, high / 4);
	let x = -1, at = -1;

	ctx.strokeStyle = PATH[theme()];
	ctx.lineWidth = Math.min(3, Math.max(1.5, high / 6));
	ctx.lineJoin = 'round';
	ctx.beginPath();
	/* the last piece comes first */
	for (let i = 0; i < to.length; i++) {
		const x1 = toX(to[i]), x0 = toX(to[i] - ns[i]);
		if (x0 > L.width + 50 || x1 < GUTTER - 50) {
			at = -1;
			continue;
		}
		/* what would be the same line again */
		if (at >= 0 && x - x0 < 0.3 && flow[i] === flow[at])
			continue;
		if (at < 0)
			ctx.moveTo(x1, y(i));
		else
			ctx.lineTo(x1, y(i));
		ctx.lineTo(x0, y(i));
		x = x0;
		at = i;
	}
	ctx.stroke();
}
