// What the pointer is over: the rank of a map's square and its value. The page
// is complete without this.
{
	const data = JSON.parse($('data').textContent);
	const value = (v, unit) => v === null ? 'not in the trace' :
		unit === 's' ? time(v) : v.toLocaleString('en') + (unit ? ' ' + unit : '');

	// the index of the square that an event is over
	function square(event, columns, rows) {
		const [left, top, box] = pointIn(event);
		const x = Math.floor(left / box.width * columns), y = Math.floor(top / box.height * rows);
		return Math.min(Math.max(y, 0), rows - 1) * columns + Math.min(Math.max(x, 0), columns - 1);
	}

	function text(event) {
		const figure = event.target.closest('figure[data-map]');
		const chapter = event.target.closest('.chapter');
		if (!figure || !event.target.classList.contains('cells'))
			return '';
		const maps = data.chapters[Number(chapter.id.slice(1)) - 1].maps;
		const map = maps.map[Number(figure.dataset.map)];
		const at = square(event, maps.columns, maps.rows);
		if (at >= map.values.length)
			return '';
		const of = maps.ranks_of_cell;
		const who = of === 1 ? 'rank ' + at : `ranks ${at * of} to ${at * of + of - 1}`;
		return who + ': ' + value(map.values[at], map.unit);
	}

	document.addEventListener('pointermove', event => {
		showTip(event.clientX, event.clientY, event.target.closest && text(event));
	});
	// all of it is printed
	let closed = [];
	addEventListener('beforeprint', () => {
		closed = [...document.querySelectorAll('details:not([open])')];
		for (const d of closed)
			d.open = true;
	});
	addEventListener('afterprint', () => closed.forEach(d => d.open = false));
	document.documentElement.dataset.loadMs = Math.round(performance.now());
}
