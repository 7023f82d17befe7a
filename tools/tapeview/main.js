/* Puts the page together: legend, buttons, and drawing when something changed. */

let asked = false, hashTimer = 0;

/* Something is to be shown otherwise: once per frame. */
function changed()
{
	if (asked)
		return;
	asked = true;
	requestAnimationFrame(() => {
		asked = false;
		draw();
	});
}

function setLayout()
{
	const wide = $('picture').clientWidth;
	const rows = R.list.length * (34 + Math.min(T.deepest, 4) * LANE);
	const room = Math.max(240, innerHeight * 0.62);

	layout(wide, Math.round(Math.min(room, AXIS + Math.max(60, rows))));
	L.height = Math.min(L.height, AXIS + R.list.length * L.row);
}

function draw()
{
	const start = performance.now(), root = document.documentElement;

	setLayout();
	drawRows();
	drawOverview();
	root.dataset.drawMs = (performance.now() - start).toFixed(1);
	showDetails();
	drawTables();
	showStatus();
	clearTimeout(hashTimer);
	hashTimer = setTimeout(() => {
		const hash = toHash();
		if (hash !== location.hash.slice(1))
			history.replaceState(null, '', '#' + hash);
	}, 200);
}

/* What the picture shows right now, in words. */
function showStatus()
{
	const b = base(), said = [`${b.name} time`];
	const backward = b.backward;

	if (V.lines && L.lines > L.drawn.length)
		said.push(`${L.drawn.length} of ${L.lines
			} messages in view are drawn, the longest first`);
	const [first, last] = visibleRows();
	if (last - first + 1 < R.list.length)
		said.push(`rows ${first} to ${last} of ${R.list.length
			} (shift and wheel, arrows)`);
	if (b.apart)
		said[0] += ` of ${b.clocks} clocks, each from its first event on: ${
			'rows cannot be compared'}`;
	if (V.counter >= 0) {
		const c = T.curves[V.counter];
		said.push(`curve: ${c.name}, full height ${Number((c.most *
			1e9).toPrecision(4))} ${c.unit} a second`);
	}
	if (T.head.messages.matched)
		said.push(`${backward} of ${T.head.messages.matched
			} messages are received before they were sent${backward
			? ` (worst ${durationText(b.worst)})` : ''}`);
	$('status').textContent = said.join('; ');
	for (const input of document.querySelectorAll('[name=base]'))
		input.checked = Number(input.value) === V.base;
	for (const id of ['lines', 'waits', 'path'])
		$(id).checked = V[id];
	$('level').value = V.level;
	Object.assign(document.documentElement.dataset, {
		from: V.from.toFixed(0), to: V.to.toFixed(0), base: b.name,
		selected: V.selected, backward,
		rows: R.list.length, shown: L.drawn.length, inView: L.lines || 0,
	});
}

function legendEntry(text, colour)
{
	const i = make('i');

	i.style.background = colour;
	return make('span', '', i, text);
}

function legend()
{
	const box = $('legend');
	const used = T.head.groups.map((g, i) => !i || T.flows.some(f =>
		f.ns[i] > 0));

	box.replaceChildren(...T.head.groups.map((g, i) => used[i] ?
		legendEntry(g, '#' + COLOURS[theme()][i]) : ''));
	if (T.flows.some(f => f.late))
		box.append(legendEntry('waiting for others (lower half)',
			'#' + WAITING[theme()]));
	if (T.head.path)
		box.append(legendEntry('critical path', PATH[theme()]));
	if (T.head.messages.single)
		box.append(legendEntry('message', LINES[theme()]));
	if (T.bases.some(b => b.backward))
		box.append(legendEntry('received before it was sent',
			WRONG[theme()]));
}

function baseButtons()
{
	const box = $('bases');

	box.hidden = T.bases.length < 2;
	$('path').parentNode.hidden = !T.head.path;
	for (const id of ['waits', 'path'])
		document.querySelector(`[data-tab=tab-${id}]`).hidden =
			!T.head.path;
	document.querySelector('[data-tab=tab-efficiency]').hidden =
		!T.head.efficiency;
	T.bases.forEach((b, i) => {
		const input = make('input');
		Object.assign(input, { type: 'radio', name: 'base', value: i });
		input.onchange = () => setBase(i);
		box.append(make('label', '', input, b.name));
	});
}

function counterChoice()
{
	const select = $('counter');

	select.parentNode.hidden = !T.curves.length;
	select.append(...T.curves.map((c, i) => choice(i, c.name)));
	select.onchange = () => {
		V.counter = Number(select.value);
		changed();
	};
}

function tabs()
{
	const buttons = [...document.querySelectorAll('nav button')];

	for (const button of buttons)
		button.onclick = () => {
			for (const other of buttons) {
				const on = other === button;
				other.classList.toggle('on', on);
				$(other.dataset.tab).hidden = !on;
			}
		};
}

function listen()
{
	const rows = $('rows'), overview = $('overview');
	const on = (id, what) => { $(id).onclick = what; };

	rows.onpointerdown = onDown;
	rows.onpointermove = onMove;
	rows.onpointerup = onUp;
	rows.onpointercancel = e => pointers.delete(e.pointerId);
	rows.onpointerleave = () => showTip(0, 0);
	rows.addEventListener('wheel', onWheel, { passive: false });
	overview.onpointerdown = overview.onpointermove =
		overview.onpointerup = onOverview;
	addEventListener('keydown', onKey);
	addEventListener('resize', changed);
	addEventListener('hashchange', () => {
		fromHash();
		changed();
	});
	matchMedia('(prefers-color-scheme: dark)').onchange = restyled;
	for (const id of ['lines', 'waits', 'path'])
		on(id, () => flip(id));
	on('zoom-in', () => zoomMiddle(0.5));
	on('zoom-out', () => zoomMiddle(2));
	on('fit', fit);
	on('theme', () => {
		document.documentElement.dataset.theme = dark() ? 'light' :
			'dark';
		restyled();
	});
	on('show-help', () => $('help').showModal());
	$('search').oninput = e => search(e.target.value);
}

function restyled()
{
	legend();
	changed();
}

async function main()
{
	const root = document.documentElement, start = performance.now();

	try {
		await load();
	} catch (error) {
		const p = make('p', '',
			`This page cannot be shown: ${error.message}`);
		p.id = 'incomplete';
		document.body.prepend(p);
		throw error;
	}
	fromHash();
	legend();
	baseButtons();
	counterChoice();
	levelChoice();
	document.querySelector('[data-tab=tab-clocks]').hidden =
		!T.head.clocks;
	tabs();
	listen();
	matrixSetup();
	draw();
	Object.assign(root.dataset, { events: T.events,
		messages: T.to.length, regions: T.spans,
		loadMs: (performance.now() - start).toFixed(1) });
}

main();
