// Puyo in frames: the falling pair, the keys, and whole matches with the engine as referee.
import { build } from 'esbuild';
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { built, keiko } from './wasm.mjs';

const top = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const pace = { gravity: 30, fast: 2, rest: 30 };

describe('puyo', { skip: built }, () => {
  let k, F, M;
  before(async () => {
    const out = join(top, 'build/web-test/puyo.mjs');
    await build({ stdin: { contents: "export * from './games/puyo/faller'; export * from './games/puyo/match'; export * from './games/puyo/field';", resolveDir: join(top, 'web') }, outfile: out, bundle: true, format: 'esm', logLevel: 'error' });
    const all = await import(pathToFileURL(out).href);
    F = M = all;
    k = await keiko();
  });

  const faller = (field, pair) => new F.Faller(pair, new F.Places(pair, k.puyo('placements', { field, pair, reach: 1 }).placements), pace);

  test('gravity, the time a pair lies, and pushing', () => {
    const f = faller('......', 'RG');
    assert.equal(f.row, 12);
    let n = 0;
    while (f.row > 1) (f.step(), n++);
    assert.ok(Math.abs(n - 11 * 30) <= 1, `${n}`);
    for (let i = 1; i < 29; i++) assert.equal(f.step(), false);
    assert.equal(f.step(), true);
    assert.equal(f.placement.move, '3u');
    const g = faller('......', 'RG');
    g.push = true;
    for (n = 0; !g.step(); n++);
    assert.ok(n <= 11 * 2 + 30 / 4 + 1, `${n}`);
  });

  test('walls: moves stop there, turns are pushed away from it', () => {
    const f = faller('......', 'RG');
    for (let i = 0; i < 9; i++) f.move(-1);
    assert.equal(f.col, 0);
    assert.ok(f.rotate(-1)); // the second puyo would be outside
    assert.deepEqual([f.col, f.turn], [1, 3]);
    f.toColumn(5);
    assert.ok(f.rotate(1) && f.rotate(1));
    assert.deepEqual([f.col, f.turn], [4, 1]);
  });

  test('the floor lifts a pair that is turned upon it, but not for ever', () => {
    const f = faller('......', 'RG');
    while (f.row > 1) f.step();
    f.rotate(1);
    assert.ok(f.rotate(1)); // second puyo below: the first one is lifted
    assert.equal(f.row, 2);
    let locked = false;
    for (let i = 0; i < 20000 && !locked; i++) {
      if (i % 7 === 0) f.rotate(1);
      locked = f.step();
    }
    assert.ok(locked);
  });

  test('between two walls a second press turns the pair over', () => {
    const well = `${'RG.GR.\u002f'.repeat(9)}RG.GR.`;
    const f = faller(well, 'RB');
    while (f.row > 2) f.step();
    assert.equal(f.rotate(1), false);
    assert.ok(f.rotate(1));
    assert.equal(f.turn, 2);
  });

  test('a column too high stops a pair beside it; what the engine does not list cannot be reached', () => {
    const wall = `${'.R....\u002f'.repeat(4)}.R....`.replaceAll('R', 'O');
    const f = faller(wall, 'RG');
    while (f.row > 3) f.step();
    assert.equal(f.move(-1), false);
    const closed = `${'.O....\u002f'.repeat(12)}.O....`; // 13 high: a wall
    const g = faller(closed, 'RG');
    for (let i = 0; i < 50; i++) (g.move(-1), g.rotate(i % 2 ? 1 : -1));
    assert.ok(g.col >= 2);
  });

  test('any keys at any time: the pair is always over a placement of the engine', () => {
    let seed = 1;
    const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
    for (let game = 0; game < 60; game++) {
      const heights = Array.from({ length: 6 }, (_, c) => (c === 2 ? random(12) : random(14)));
      const rows = Array.from({ length: 13 }, (_, r) => heights.map((h) => (12 - r < h ? 'O' : '.')).join('')).join('/');
      const pair = ['RG', 'RR'][random(2)];
      const f = faller(rows, pair);
      const legal = k.puyo('placements', { field: rows, pair, reach: 1 }).placements.map((p) => p.move);
      for (let i = 0; i < 600 && !f.fixed; i++) {
        [() => f.move(1), () => f.move(-1), () => f.rotate(1), () => f.rotate(-1), () => f.toColumn(random(6)), () => {}][random(6)]();
        f.push = random(3) === 0;
        f.step();
        assert.ok(legal.includes(f.placement.move), `${rows} ${f.col} ${f.turn}`);
        assert.ok(f.row >= f.stop);
      }
    }
  });

  test('a held key repeats: once at once, then after ten frames every second one', () => {
    const h = new F.Hands();
    const f = faller('......', 'RG');
    h.side(1);
    const at = [];
    for (let i = 1, col = 2; i <= 14; i++) {
      h.apply(f);
      if (f.col !== col) at.push(i);
      col = f.col;
    }
    assert.deepEqual(at, [1, 10, 12]);
    h.release(1);
    h.side(-1);
    h.apply(f);
    assert.equal(f.col, 4);
  });

  const referee = (seed) => ({
    start: async () => k.puyo('live-new', { seed }),
    rest: async (seat, move, frame) => k.puyo('live-rest', { seat, move, frame }),
    pass: async (frame) => k.puyo('live-pass', { frame }),
  });
  // Answers come some frames late, as from a worker.
  const late = (r, frames, queue) => {
    const slow = (call) => (...a) => new Promise((done) => queue.push({ in: frames, go: () => done(call(...a)) }));
    return { start: r.start, rest: slow(r.rest), pass: slow(r.pass) };
  };

  for (const [name, delay] of [['at once', 0], ['three frames late', 3]])
    test(`a whole match, answers ${name}: somebody loses, and the replay gives the same`, async () => {
      let seed = 5;
      const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
      const queue = [];
      const hands = new F.Hands();
      const agent = { level: 8, choose: async (seat) => (k.call(3, 'new', { game: 'puyo', position: k.puyo('live-ask', { seat }).position, quiet: 1 }), k.call(3, 'choose', { agent: '2' }).choice.move) };
      const m = new M.Match(delay ? late(referee(9), delay, queue) : referee(9), [{ hands }, agent], 26);
      await m.begin();
      while (!m.done && !m.failed && m.frame < 60000) {
        if (random(20) === 0) hands.turn(random(2) ? 1 : -1);
        if (random(20) === 0) hands.side(random(2) ? 1 : -1);
        if (random(12) === 0) (hands.release(1), hands.release(-1));
        if (random(40) === 0) hands.drop();
        hands.down = random(4) > 0;
        m.step();
        for (const q of queue.splice(0)) (q.in-- > 0 ? queue.push(q) : q.go());
        await null, await null, await null, await null;
        await new Promise((r) => (m.sides.some((s) => s.asked) || queue.length ? setImmediate(r) : r()));
      }
      assert.equal(m.failed, null);
      assert.ok(m.over, `frame ${m.frame}`);
      assert.notDeepEqual(m.score, [0, 0]);
      assert.ok(m.rests.length > 20);
      const again = await M.rebuilt(referee(9), m.rests);
      again.sides.forEach((s, i) => {
        assert.equal(s.state.field, m.sides[i].state.field);
        assert.equal(s.state.score, m.sides[i].state.score);
        assert.equal(M.replayed(s, again.frames).score, s.state.score);
      });
    });

  // Both can happen in one frame, or while an answer is on its way. Seed 2 buries player 1 in the frame in which player 2's pair rests.
  test('a pair that rests when the other player has just been buried: the game ends as lost, not as failed', async () => {
    for (const delay of [0, 1, 5]) {
      const queue = [];
      const hands = new F.Hands();
      const m = new M.Match(delay ? late(referee(2), delay, queue) : referee(2), [{ hands }, { hands: new F.Hands() }], 26);
      await m.begin();
      const settled = async () => {
        for (const q of queue.splice(0)) (q.in-- > 0 ? queue.push(q) : q.go());
        await new Promise((r) => setImmediate(r));
      };
      let due = 0;
      while (!m.done && !m.failed && m.frame < 6000) {
        const [me, other] = m.sides;
        if (me.faller && m.frame % 3 === 0) hands.drop();
        if (me.state.placed === 6 && me.state.due) due ||= me.state.clock;
        if (due > 0 && other.faller && m.frame + 1 >= due) other.faller.drop();
        m.step();
        await settled();
      }
      assert.equal(m.failed, null);
      assert.deepEqual(m.score, [0, 1]);
      assert.equal(m.rests.filter((r) => r.seat === 1).length, 0, 'a pair that did not rest is not in the record');
      const again = await M.rebuilt(referee(2), m.rests);
      assert.deepEqual(again.sides.map((s) => s.state.field), m.sides.map((s) => s.state.field));
    }
  });

  test('an edited column has no holes', () => {
    let g = M.empty();
    g = M.changed(g, 2, 9, 'R');
    g = M.changed(g, 2, 9, 'G');
    assert.equal(M.toText(g), '..G.../..R...');
    g = M.changed(g, 2, 0, '.');
    assert.equal(M.toText(g), '..G...');
  });

  test('the advice of the specification, practice with undo, a simulation in parts', () => {
    const a = k.puyo('advise', { field: 'Y...../Y...../RR....', pair: 'YG', next: 'GR' }).advice;
    assert.equal(a.candidates.find((m) => m.move === '1d').total, -23);
    assert.equal(a.candidates.length, 22);
    const p = k.puyo('practice', { seed: 3, number: 0 });
    const q = k.puyo('practice', { seed: 3, number: 0, moves: p.advice.advice.move });
    assert.equal(q.turn, 1);
    assert.equal(q.advice.pair, p.advice.next[0]);
    const s = k.puyo('simulate', { turns: 15, seed: 1, games: 64 });
    assert.ok(s.successes > 50 && s.low < s.successes / 64 && s.high > s.successes / 64);
  });
});
