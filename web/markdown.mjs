// As much Markdown as docs/rules uses, to HTML: headings, paragraphs, lists, tables, code, bold. Everything is escaped.
const escape = (s) => s.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const inline = (s) =>
  escape(s)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
const cells = (line) => line.replace(/^\||\|$/g, '').split('|').map((c) => inline(c.trim()));
const isCommand = (block) => /^\s*(keiko|\$ keiko) /m.test(block);
// Japanese lines are joined without a blank.
const join = (lines) => lines.reduce((a, b) => (a === '' ? b : /[ -~]$/.test(a) || /^[ -~]/.test(b) ? `${a} ${b}` : a + b), '');

export function html(text) {
  const blocks = text.replace(/\r/g, '').split(/\n{2,}/).map((b) => b.replace(/^\n+|\s+$/g, '')).filter((b) => b !== '');
  const out = [];
  let intro = ''; // a line that only introduces commands ("Try it:") goes with them
  for (let i = 0; i < blocks.length; i++) {
    const b = blocks[i];
    const lines = b.split('\n');
    if (/^#{1,3} /.test(b)) {
      const n = b.indexOf(' ');
      out.push(`<h${n}>${inline(lines[0].slice(n + 1))}</h${n}>`);
      if (lines.length > 1) blocks.splice(i + 1, 0, lines.slice(1).join('\n'));
    } else if (b.startsWith('    ') || b.startsWith('```')) {
      if (isCommand(b)) {
        if (intro !== '' && out.at(-1) === intro) out.pop();
        continue;
      }
      out.push(`<pre tabindex="0"><code>${escape(lines.filter((l) => !l.startsWith('```')).map((l) => l.replace(/^ {4}/, '')).join('\n'))}</code></pre>`);
    } else if (/^[-*] /.test(b) || /^\d+\. /.test(b)) {
      const items = [];
      for (const l of lines) /^([-*]|\d+\.) /.test(l) ? items.push([l.replace(/^([-*]|\d+\.) /, '')]) : items.at(-1).push(l.trim());
      const tag = /^\d/.test(b) ? 'ol' : 'ul';
      out.push(`<${tag}>${items.map((x) => `<li>${inline(join(x))}</li>`).join('')}</${tag}>`);
    } else if (b.startsWith('|')) {
      const [head, , ...rows] = lines;
      out.push(`<table><tr>${cells(head).map((c) => `<th>${c}</th>`).join('')}</tr>${rows.map((r) => `<tr>${cells(r).map((c) => `<td>${c}</td>`).join('')}</tr>`).join('')}</table>`);
    } else {
      const p = `<p>${inline(join(lines.map((l) => l.trim())))}</p>`;
      out.push(p);
      intro = /[:：]$/.test(b.trim()) ? p : '';
      continue;
    }
    intro = '';
  }
  return out.join('\n');
}
