// Runs test files in processes of their own, at most `--jobs` at a time, in the order given. A file that fails is run once
// more, alone. One that passes then is named: in the last lines, and in the file SECOND_TRY (tools/test.sh shows it), so that
// an unsteady test is seen. One that fails twice has failed.
//   node run-tests.mjs [--jobs N] FILE…
import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const files = [...new Set(process.argv.slice(2))]; // a long one may be named first, and again by a pattern
let jobs = 1;
if (files[0] === '--jobs') jobs = Number(files.splice(0, 2)[1]);
if (files.length === 0 || !(jobs > 0)) {
  console.error('run-tests.mjs: [--jobs N] FILE…');
  process.exit(2);
}

// The files in which something failed, with the names of the tests.
function attempt(these, concurrency) {
  return new Promise((done, fail) => {
    const failed = new Map();
    const stream = run({ files: these, concurrency });
    stream.on('test:fail', ({ name, file, details, todo }) => {
      if (todo !== undefined && todo !== false) return;
      const names = failed.get(file ?? name) ?? [];
      // A suite fails because of a test in it; the test is what is named.
      if (details?.error?.failureType !== 'subtestsFailed') names.push(name);
      failed.set(file ?? name, names);
    });
    stream.on('error', fail);
    const report = stream.compose(new spec());
    report.on('error', fail);
    report.on('end', () => done(failed));
    report.pipe(process.stdout, { end: false });
  });
}

const first = await attempt(files, jobs);
if (first.size > 0) {
  console.log(`\nsecond try: ${[...first.keys()].map((f) => basename(f)).join(', ')}`);
  const second = await attempt([...first.keys()], 1);
  const passed = [...first].filter(([file]) => !second.has(file)).map(([file, names]) => `${basename(file)}: ${names.join('; ')}`);
  for (const line of passed) {
    console.log(`passed at the second try: ${line}`);
    if (process.env.SECOND_TRY) appendFileSync(process.env.SECOND_TRY, `page\t${line}\n`);
  }
  for (const [file, names] of second) console.log(`failed twice: ${basename(file)}: ${names.join('; ')}`);
  process.exitCode = second.size > 0 ? 1 : 0;
}
