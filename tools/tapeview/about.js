/* Things in words: numbers, events, messages; the tip and the details. */

function durationText(ns)
{
	const a = Math.abs(ns);

	return a >= 1e9 ? (ns / 1e9).toPrecision(6) + ' s' :
		a >= 1e6 ? (ns / 1e6).toPrecision(6) + ' ms' :
		a >= 1e3 ? (ns / 1e3).toPrecision(6) + ' \u00b5s' :
		Number(ns.toPrecision(4)) + ' ns';
}

/* A time on the axis, with the digits that steps of that size need. */
function atText(ns, step)
{
	const [unit, name] = V.to - V.from > 2e9 || V.from > 1e11 ? [1e9, 's'] :
		V.to - V.from > 2e6 || V.from > 1e9 ? [1e6, 'ms'] :
		[1e3, '\u00b5s'];
	const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));

	return (ns / unit).toFixed(digits) + ' ' + name;
}

function secondsText(ns)
{
	return (ns / 1e9).toFixed(9);
}

function bytesText(n)
{
	return n < 1e4 ? n + ' bytes' : n < 1e7 ? (n / 1e3).toFixed(1) + ' kB' :
		n < 1e10 ? (n / 1e6).toFixed(1) + ' MB' :
		(n / 1e9).toFixed(1) + ' GB';
}

function flowWords(i)
{
	const f = T.flows[i], label = flowName(i);

	return label.includes('.') ? `rank ${f.rank}, thread ${f.thread}` :
		`rank ${f.rank}`;
}

/* The messages of an event: [message, came in] */
function messagesOf(e)
{
	const list = [];

	for (let m = T.in[e]; m >= 0 && list.length < 20; m = T.nextIn[m])
		list.push([m, true]);
	for (let m = T.out[e]; m >= 0 && list.length < 20; m = T.nextOut[m])
		list.push([m, false]);
	return list;
}

function messageWords(m, came)
{
	const other = came ? T.from[m] : T.to[m], b = base();
	const place = T.places[T.place[other]];
	const took = b.end[T.to[m]] - b.start[T.from[m]];

	return `${came ? 'from' : 'to'} ${flowWords(flowOf(other))}: ` +
		`${bytesText(T.messageBytes[m])}, tag ${T.messageTag[m]}, ` +
		`${durationText(took)} from send to received` +
		`${took < 0 ? ' (backward)' : ''}; ${place[0]} ${place[2]}`;
}

function waitWords(b, i)
{
	return i < 0 ? '' : ` for ${flowWords(b.found.late[i])} (${
		T.head.kinds[b.found.kind[i]]})`;
}

/* An event as pairs of words. */
function describe(e)
{
	const b = base(), p = T.places[T.place[e]], i = flowOf(e);
	const source = (T.head.source || {})[T.place[e]];
	const list = [['call', p[0]], ['call site', p[2]],
		...source ? [['source', source]] : [],
		['on', `${flowWords(i)}, ${T.flows[i].host}${T.flows[i].at ?
			`/${T.flows[i].at}` : ''}`],
		['start', secondsText(b.start[e]) + ' s'],
		['took', durationText(b.end[e] - b.start[e])]];

	if (T.calls[e] !== 1)
		list.push(['calls', `${T.calls[e]}, together`]);
	if (T.bytes[e] || T.rbytes[e])
		list.push(['bytes', bytesText(T.bytes[e]) + (T.rbytes[e] ?
			`, received ${bytesText(T.rbytes[e])}` : '')]);
	if (T.peer[e] >= 0)
		list.push([p[1] === 4 ? 'root' : 'partner',
			`rank ${T.peer[e]}`]);
	if (T.comm[e] && T.head.comms[T.comm[e]])
		list.push(['communicator', T.head.comms[T.comm[e]]]);
	if (b.wait[e] > 0)
		list.push(['waited', durationText(b.wait[e]) +
			waitWords(b, b.why[e])]);
	T.bases.forEach((other, k) => {
		if (k !== V.base)
			list.push([`in ${other.name} time`,
				`${secondsText(other.start[e])} s, took ${
					durationText(other.end[e] -
						other.start[e])}`]);
	});
	return list;
}

function describeSpan(r)
{
	const b = base();

	return [['region', T.regions[T.region[r]][0]],
		['start', secondsText(b.spanStart[r]) + ' s'],
		['took', durationText(b.spanEnd[r] - b.spanStart[r])]];
}

/* Pairs of words as a list. */
function list(pairs)
{
	return make('dl', '', ...pairs.flatMap(([key, value]) =>
		[make('dt', '', key), make('dd', '', value)]));
}

/* A button that leads to another event. */
function arrowButton(text, className, action)
{
	const button = make('button', className, `\u2192 ${text}`);

	button.onclick = action;
	return button;
}

/* To what another rank did when a wait for it ended. */
function lateButton(e)
{
	const b = base(), i = b.why[e];

	if (i < 0)
		return [];
	const flow = b.found.late[i], at = b.found.at[i] + b.found.ns[i];
	const other = eventAt(flow, at, b.length);

	return other < 0 ? [] : [arrowButton(`waited for: ${flowWords(flow)}`,
		'', () => {
			select(other);
			reveal(flow);
			focusTime(b.start[other], b.end[other]);
		})];
}

/* Details of what is selected, with a way to the partner. */
function showDetails()
{
	const box = $('details'), e = V.selected;

	box.hidden = e < 0;
	if (e < 0)
		return;
	box.replaceChildren(list(describe(e)), ...lateButton(e),
		...messagesOf(e).map(([m, came]) => arrowButton(messageWords(m,
			came), 'partner', () => jump(m, came))));
}
