/*
 * Which rows there are: one for each flow, in the order of ranks; or grouped by
 * a level of the hardware, where a group that is closed is one row.
 */

const R = {
	list: [],           /* { group, closed, flows } */
	of: null,           /* the row of each flow */
};
const GROUP_WIDE = 104;     /* of the names of groups */

function levelNow()
{
	return T.head.levels[V.level];
}

/* Machine is what people call a host. */
function levelWord(level)
{
	return level.name === 'Machine' ? 'host' : level.name;
}

function groupOf(flow)
{
	return V.level < 0 ? -1 : levelNow().of[T.flows[flow].rank];
}

/* The hosts, or else the widest groups, if ranks then stay in their order. */
function firstLevel()
{
	const all = T.head.levels, host = all.findIndex(l =>
		l.name === 'Machine');
	const level = host < 0 ? all.length - 1 : host;

	return level >= 0 && all[level].of.every((g, i, of) => !i ||
		g >= of[i - 1]) ? level : -1;
}

function arrange()
{
	const order = T.flows.map((f, i) => i);
	/* from the widest level to this one */
	const by = V.level < 0 ? [] : T.head.levels.slice(V.level).reverse();

	order.sort((a, b) => {
		const x = T.flows[a].rank, y = T.flows[b].rank;
		for (const { of } of by)
			if (of[x] !== of[y])
				return of[x] - of[y];
		return a - b;
	});
	R.list = [];
	R.of = new Int32Array(order.length);
	for (const i of order) {
		const group = groupOf(i), closed = V.closed.has(group);
		const last = R.list[R.list.length - 1];

		if (closed && last && last.group === group)
			last.flows.push(i);
		else
			R.list.push({ group, closed, flows: [i] });
		R.of[i] = R.list.length - 1;
	}
}

function groupRows(level)
{
	V.level = level;
	V.closed = new Set();
	V.top = 0;
	showTip(0, 0);
	arrange();
	changed();
}

/* The next wider level; after the widest none, then the narrowest. */
function nextLevel()
{
	const n = T.head.levels.length;

	groupRows(V.level < 0 ? 0 : V.level + 1 < n ? V.level + 1 : -1);
}

/* Opens and closes a group, which stays in view. */
function toggleGroup(group)
{
	if (!V.closed.delete(group))
		V.closed.add(group);
	arrange();
	setLayout();
	showTip(0, 0);
	scrollToRow(R.list.find(r => r.group === group).flows[0]);
	changed();
}

function toggleAll()
{
	const all = V.level < 0 ? [] : levelNow().groups;

	V.closed = new Set(V.closed.size ? [] : all.keys());
	V.top = 0;
	arrange();
	changed();
}

/* A flow that is to be seen is not in a closed group. */
function openFor(flow)
{
	if (V.closed.delete(groupOf(flow)))
		arrange();
}

/* Flows in view that have a row of their own. */
function flowsInView()
{
	const [first, last] = visibleRows();

	return R.list.slice(first, last + 1).filter(r => !r.closed)
		.map(r => r.flows[0]);
}

function ranksOf(group)
{
	const of = levelNow().of;

	return [...of.keys()].filter(r => of[r] === group);
}

/* "0-3, 8" */
function rangesText(list)
{
	const parts = [];

	for (let i = 0, k; i < list.length; i = k) {
		for (k = i + 1; k < list.length && list[k] === list[k - 1] + 1;)
			k++;
		parts.push(k - i > 1 ? `${list[i]}-${list[k - 1]}` : list[i]);
	}
	return parts.length > 8 ? `${parts.slice(0, 8).join(', ')} \u2026` :
		parts.join(', ');
}

function describeGroup(group)
{
	const [name, whole] = levelNow().groups[group];
	const ranks = ranksOf(group);

	return [[levelWord(levelNow()), name], ['position', whole],
		[`${ranks.length} rank${ranks.length > 1 ? 's' : ''}`,
			rangesText(ranks)],
		['a click', V.closed.has(group) ? 'opens it' :
			'closes it to one row']];
}

/* Names of the groups beside their rows, and lines between them. */
function paintGroups(ctx)
{
	const [first, last] = visibleRows(), k = theme(), labels = [];

	if (V.level < 0)
		return;
	ctx.font = '11px system-ui, sans-serif';
	ctx.textBaseline = 'middle';
	for (let r = first, next; r <= last; r = next) {
		const { group, closed, flows } = R.list[r];
		for (next = r + 1; next <= last &&
			R.list[next].group === group;)
			next++;
		const top = Math.max(AXIS, rowTop(r)), end = rowTop(next);
		ctx.fillStyle = GRID[k];
		if (L.row > 8 || next > r + 1)
			ctx.fillRect(0, Math.round(rowTop(r)) - 1, L.width, 1);
		ctx.fillStyle = '#' + COLOURS[k][8];
		if (!closed)
			ctx.fillRect(GROUP_WIDE - 4, top + 1, 2,
				end - top - L.gap - 1);
		const y = Math.max(top + 8, callsY(flows[0]) +
			callsHeight() / 2);
		if (end - top > 4)
			labels.push({ y, group, n: closed ? flows.length : 0 });
	}
	/* where there is no room for all, those of open groups come first */
	const put = [];
	for (const l of labels.sort((a, b) => (a.n > 0) - (b.n > 0))) {
		const text = levelNow().groups[l.group][0];
		if (put.some(y => Math.abs(y - l.y) < 12))
			continue;
		put.push(l.y);
		name(ctx, l.n ? `\u25b8 ${text} (${l.n})` : `\u25be ${text}`, 4,
			l.y, l.n ? GUTTER - 56 : GROUP_WIDE - 10, TEXT[k]);
	}
}

/* An entry of a list of choices. */
function choice(value, text)
{
	const option = make('option', '', text);

	option.value = value;
	return option;
}

function levelChoice()
{
	const select = $('level');

	select.parentNode.hidden = !T.head.levels.length;
	select.append(...T.head.levels.map((level, i) => choice(i,
		`by ${levelWord(level)}`)).reverse());
	select.onchange = () => groupRows(Number(select.value));
}

/* In the address: the level if it is not the first choice, and what is closed. */
function levelToHash(part)
{
	if (V.level !== firstLevel())
		part.push(`rows=${V.level < 0 ? 'rank' : levelNow().name}`);
	if (V.closed.size && V.closed.size === levelNow().groups.length)
		part.push('closed=all');
	else if (V.closed.size)
		part.push(`closed=${[...V.closed].slice(0, 100).join('.')}`);
}

function levelFromHash(h)
{
	const name = h.get('rows'), closed = h.get('closed') || '';
	const level = T.head.levels.findIndex(l => l.name === name);

	V.level = level >= 0 ? level : name === 'rank' ? -1 : firstLevel();
	const n = V.level < 0 ? 0 : levelNow().groups.length;
	V.closed = new Set(closed === 'all' ? Array(n).keys() :
		closed.split('.').filter(g => g !== '').map(Number)
			.filter(g => g >= 0 && g < n));
	arrange();
}
