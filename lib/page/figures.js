'use strict';
// What the scripts of all pages share: elements, figures as text, the tip. A
// page's own script follows. Names of a trace become text, never markup.

const $ = id => document.getElementById(id);

// An element with these texts and elements inside; unknown ones are left out.
function make(tag, className, ...content) {
	const e = document.createElement(tag);
	if (className)
		e.className = className;
	e.append(...content.filter(c => c !== undefined && c !== null));
	return e;
}

const known = v => typeof v === 'number' && isFinite(v);

// As lib/common/duration_text.h: three digits; of seconds.
function time(s) {
	if (!known(s))
		return '-';
	const a = Math.abs(s);
	return a === 0 ? '0 s' : a >= 100 ? s.toFixed(0) + ' s' : a >= 0.9995 ? s.toFixed(2) + ' s' :
		a >= 0.9995e-3 ? (s * 1e3).toPrecision(3) + ' ms' : (s * 1e6).toPrecision(3) + ' µs';
}

const count = v => !known(v) ? '-' : v >= 1e9 ? v.toPrecision(4) :
	Math.round(v).toLocaleString('en').replace(/,/g, ' ');

function bytes(v) {
	if (!known(v))
		return '-';
	let k = 0;
	for (; v >= 10000 && k < 4; k++)
		v /= 1024;
	return (k && v < 100 ? v.toFixed(1) : v.toFixed(0)) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][k];
}

const percent = v => known(v) ? (100 * v).toFixed(1) + '%' : '-';

// Where an event is in an element: x and y in pixels, and the element's box.
function pointIn(event, element = event.target) {
	const box = element.getBoundingClientRect();
	return [event.clientX - box.left, event.clientY - box.top, box];
}

// Shows the tip, a text or an element, beside a point; without content hides it.
function showTip(x, y, content) {
	const tip = $('tip');
	tip.hidden = !content;
	tip.replaceChildren(content || '');
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
	tip.style.top = (y + 18 + tip.offsetHeight > innerHeight ?
		Math.max(4, y - tip.offsetHeight - 10) : y + 18) + 'px';
}
