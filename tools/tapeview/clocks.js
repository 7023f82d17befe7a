/*
 * The clocks: how much each one runs away from the others (raw less global
 * time, from the events in both), and within what its global time is certain.
 */

const PLOT = { left: 90, top: 24, height: 170, gap: 50 };

/* Colours of clocks: those of the groups, without computing. */
function clockColour(i)
{
	return '#' + COLOURS[theme()][1 + i % 8];
}

/* Points [time, raw - global] of a flow, a few hundred. */
function driftPoints(flow, raw, global)
{
	const low = T.first[flow], high = T.first[flow + 1], points = [];
	const step = Math.max(1, Math.floor((high - low) / 300));

	for (let e = low; e < high; e += step)
		points.push([global.start[e], raw.start[e] - global.start[e]]);
	return points;
}

/* A mark of an axis: a round number. */
function markText(ns)
{
	return durationText(Number(ns.toPrecision(6))).replace(/\.?0+ /, ' ');
}

/* Each curve from its own first value on, so that drifts can be compared. */
function fromFirst(points)
{
	return points.map(p => [p[0], p[1] - points[0][1]]);
}

function niceRange(curves, columns)
{
	let low = 0, high = 0;

	for (const c of curves)
		for (const p of c.points)
			for (const i of columns)
				if (p[i] !== null) {
					low = Math.min(low, p[i]);
					high = Math.max(high, p[i]);
				}
	const more = (high - low) * 0.08 || 1;
	return [low - more, high + more];
}

function plotPanel(ctx, width, top, title, range, length)
{
	const k = theme(), step = tickStep(range[1] - range[0], 5);
	const y = v => top + PLOT.height * (range[1] - v) / (range[1] -
		range[0]);
	const x = t => PLOT.left + (width - PLOT.left - 10) * t / length;

	ctx.fillStyle = TEXT[k];
	ctx.textAlign = 'left';
	ctx.fillText(title, PLOT.left, top - 8);
	ctx.textAlign = 'right';
	for (let v = Math.ceil(range[0] / step) * step; v <= range[1];
		v += step) {
		ctx.fillStyle = GRID[k];
		ctx.fillRect(PLOT.left, y(v), width - PLOT.left - 10, 1);
		ctx.fillStyle = TEXT[k];
		ctx.fillText(markText(v), PLOT.left - 6, y(v) + 4);
	}
	const every = tickStep(length, 8);
	ctx.textAlign = 'center';
	for (let t = 0; t <= length; t += every)
		ctx.fillText(markText(t), x(t), top + PLOT.height + 16);
	return [x, y];
}

function clockName(domain)
{
	const flows = T.flows.filter((f, i) => T.head.clocks.of[i] === domain);

	return flows.length ? `${flows[0].host} (rank${flows.length > 1 ? 's' :
		''} ${flows.slice(0, 8).map(f => f.rank).join(', ')}${
		flows.length > 8 ? ' ...' : ''})` : `clock ${domain}`;
}

function drawCurves(ctx, curves, x, y, columns)
{
	ctx.save();
	ctx.beginPath();
	ctx.rect(PLOT.left, 0, 10000, 10000);
	ctx.clip();
	for (const c of curves) {
		ctx.strokeStyle = clockColour(c.domain);
		ctx.lineWidth = 1.5;
		for (const i of columns) {
			ctx.beginPath();
			for (const p of c.points)
				if (p[i] !== null)
					ctx.lineTo(x(p[0]), y(p[i]));
			ctx.stroke();
		}
	}
	ctx.restore();
}

/* Curves of raw less global time, one for each clock; or none. */
function driftCurves()
{
	const { of, base: at } = T.head.clocks, seen = new Set();
	const raw = T.bases.find(b => b.name === 'raw');

	return !raw ? [] : of.map((domain, i) => ({ domain, flow: i }))
		.filter(c => {
			const is = seen.has(c.domain) || !T.flows[c.flow].kept;
			seen.add(c.domain);
			return !is;
		})
		.map(c => ({ domain: c.domain, points: fromFirst(driftPoints(
			c.flow, raw, T.bases[at])) }));
}

function drawClocks()
{
	const clocks = T.head.clocks;

	if (!clocks)
		return;
	const drift = driftCurves(), length = T.bases[clocks.base].length;
	const error = clocks.error.map((points, domain) => ({ domain, points }));
	const width = Math.min(1000, L.width), panels = drift.length ? 2 : 1;
	const ctx = sized($('clocks'), width,
		PLOT.top + panels * (PLOT.height + PLOT.gap));
	let top = PLOT.top;

	$('clocks').style.width = width + 'px';
	ctx.clearRect(0, 0, width, 1000);
	ctx.font = '12px system-ui, sans-serif';
	if (drift.length) {
		const range = niceRange(drift, [1]);
		const [x, y] = plotPanel(ctx, width, top,
			'raw minus global time, from the first event', range,
			length);
		drawCurves(ctx, drift, x, y, [1]);
		top += PLOT.height + PLOT.gap;
	}
	const range = niceRange(error, [1, 2]);
	const [x, y] = plotPanel(ctx, width, top,
		'global time is certain within', range, length);
	drawCurves(ctx, error, x, y, [1, 2]);

	$('clock-names').replaceChildren(...clocks.error.map((points, i) =>
		legendEntry(clockName(i), clockColour(i))));
}
