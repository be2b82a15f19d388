// The engine of the page gives the same numbers as the program: move counts, forbidden points, chains, a solved endgame, and
// the calls that the page lives on.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { built, data, fetched, keiko, model } from './wasm.mjs';

const without = (file) => (existsSync(join(data, file)) ? false : `${file} is not here: reference data is missing`);

describe('keiko.wasm', { skip: built }, () => {
  let k;
  before(async () => {
    k = await keiko();
  });

  // Published counts (Othello, tic-tac-toe), 225·224 (stones), tests/games/test_contrast_rules.c (Contrast).
  const counts = [
    ['othello', 1, 4], ['othello', 5, 1396], ['othello', 8, 390216],
    ['tictactoe', 5, 15120], ['tictactoe', 9, 255168],
    ['contrast', 2, 22625], ['contrast', 3, 5547990],
    ['gomoku', 2, 50400], ['freestyle', 2, 50400], ['renju', 2, 50400],
  ];
  for (const [game, depth, leaves] of counts)
    test(`perft ${game} ${depth}`, () => assert.equal(k.perft(game, depth), leaves));

  test('every game of the program is there, with a board to show', () => {
    for (const g of k.list('games')) {
      const s = k.call(0, 'new', { game: g.name });
      assert.equal(s.session.game, g.name);
      assert.ok(s.session.legal.length > 0, g.name);
      assert.ok(Object.keys(s.view).length > 0, g.name);
    }
  });

  // id | source | black | white | points with their kind: 33, 44 or 6; - = none
  test('forbidden points', { skip: without('renju/forbidden.txt') }, () => {
    const rows = readFileSync(join(data, 'renju/forbidden.txt'), 'utf8').split('\n').filter((l) => /^\d/.test(l) && !l.startsWith('013')); // in that one white has five: no position of a game
    assert.ok(rows.length > 100);
    const kinds = { 33: '3x3', 44: '4x4', 6: 'overline' };
    const points = (text) => text.toLowerCase().split(/[\s-]+/).filter(Boolean);
    for (const row of rows) {
      const [id, , black, white, fouls] = row.split('|').map((t) => t.trim());
      const [x, o] = [points(black), points(white)];
      const at = (r, c) => `${String.fromCharCode(97 + c)}${15 - r}`;
      const cell = (p) => (x.includes(p) ? 'X' : o.includes(p) ? 'O' : '1');
      const board = Array.from({ length: 15 }, (_, r) => Array.from({ length: 15 }, (_, c) => cell(at(r, c))).join('').replace(/1+/g, (n) => n.length)).join('/');
      const { view } = k.call(0, 'new', { game: 'renju', position: `${board} b` });
      const named = (f) => `${f.at}:${f.kind}`;
      const wanted = points(fouls).map((f) => named({ at: f.split(':')[0], kind: kinds[f.split(':')[1]] }));
      assert.deepEqual((view.forbidden ?? []).map(named).sort(), wanted.sort(), id);
    }
  });

  // = name links score frames left …, and 13 rows
  test('chains', { skip: without('puyo/chains.txt') }, () => {
    const boards = readFileSync(join(data, 'puyo/chains.txt'), 'utf8').split('\n').filter((l) => /^(=|[RGBYPO.]{6}$)/.test(l)).join('\n').split('= ').slice(1);
    assert.ok(boards.length > 10);
    for (const board of boards) {
      const [header, ...rows] = board.trim().split('\n');
      const [name, ...numbers] = header.split(' ');
      const { links, field } = k.puyo('chain', { field: rows.join('/') });
      const sum = (key) => links.reduce((n, l) => n + l[key], 0);
      const left = (links.at(-1)?.field ?? field).replace(/[./]/g, '').length;
      assert.deepEqual([links.length, sum('score'), sum('frames'), left], numbers.slice(0, 4).map(Number), name);
    }
  });

  test('FFO 40 is solved: a2, +38', { skip: without('othello/ffo-40-49.obf') }, async () => {
    const strong = await keiko();
    strong.file('models/othello-patterns.bin', model('othello-patterns.bin'));
    strong.call(0, 'load', { text: readFileSync(join(data, 'othello/ffo-40-49.obf'), 'utf8').split('\n')[0], game: 'othello' });
    const { move, margin } = strong.call(0, 'choose', { agent: 'alphabeta:exact=36' }).choice;
    assert.deepEqual([move, margin], ['a2', 38]);
  });

  test('a line is played, looked at, taken back and played again', () => {
    let s = k.call(0, 'new', { game: 'othello', moves: 'f5;d6;c3' });
    assert.deepEqual(s.view.discs, [5, 2]);
    assert.ok(k.call(0, 'look', { move: 'd3' }).view.cells);
    s = k.call(0, 'undo', { seat: 0 });
    assert.equal(s.session.ply, 2);
    s = k.call(0, 'redo', { seat: 0 });
    assert.equal(s.session.last, 'c3');
    s = k.call(0, 'line', { moves: 'f5;f6' });
    assert.equal(s.session.nodes.length, 5); // the start, three moves, one variation
  });

  test('an illegal move is refused with a sentence, and the game stands', () => {
    k.call(0, 'new', { game: 'othello' });
    assert.throws(() => k.call(0, 'play', { move: 'a1' }), /a1/);
    assert.equal(k.call(0, 'state').session.ply, 0);
  });

  test('notes stay with their nodes', () => {
    k.call(0, 'new', { game: 'othello', moves: 'f5;d6' });
    const s = k.call(0, 'note', { node: 1, value: 0.25, margin: -3, depth: 12, mark: '??' });
    const { value, margin, depth, mark } = s.session.nodes[1];
    assert.deepEqual({ value, margin, depth, mark }, { value: 0.25, margin: -3, depth: 12, mark: '??' });
  });

  test('renju: black’s forbidden points come with their kind', () => {
    const s = k.call(0, 'new', { game: 'renju', moves: 'h8;a1;i9;c1;j8;e1;i7;g1' });
    assert.deepEqual(s.view.forbidden, [{ at: 'i8', kind: '3x3' }]);
  });

  // keiko analyse renju start --moves 'h8;i9;j9;g7;i8' --agent alphabeta:depth=6,threads=1 --multipv 3 --simd scalar
  test('renju: the fetched weights give the program’s numbers; without them the engine plays by plain scores', async () => {
    const best = (w) => {
      w.call(0, 'new', { game: 'renju', moves: 'h8;i9;j9;g7;i8' });
      return w.call(0, 'analyse', { helper: 'alphabeta:depth=6', count: 3 }).analysis.moves.map((m) => [m.move, m.nodes, m.line.split(':')[0]]);
    };
    const w = await keiko();
    w.file('models/renju-weights.bin', fetched('renju-weights.bin'));
    assert.deepEqual(best(w), [['h7', 4243, '+37'], ['j8', 4243, '-18'], ['g8', 4243, '-109']]);
    assert.notDeepEqual(best(await keiko()), best(w));
  });

  test('an agent chooses a legal move in every game with levels; lines are told while it analyses', async () => {
    const heard = [];
    const w = await keiko({ lines: (json) => heard.push(JSON.parse(json)) });
    for (const g of ['othello', 'renju', 'contrast', 'tictactoe', 'puyo']) {
      const s = w.call(0, 'new', { game: g });
      assert.ok(s.session.legal.includes(w.call(0, 'choose', { agent: '3' }).choice.move), g);
    }
    w.call(0, 'new', { game: 'othello' });
    const a = w.call(0, 'analyse', { helper: 'alphabeta:depth=6', count: 4 }).analysis;
    assert.equal(a.moves.length, 4);
    assert.ok(heard.length > 0 && heard[0].moves.length > 0);
  });

  test('stopping ends an analysis early', async () => {
    const w = await keiko({ stopped: () => true });
    w.call(0, 'new', { game: 'othello', moves: 'f5;d6;c3;d3;c4' });
    const begun = performance.now();
    w.call(0, 'analyse', { helper: 'alphabeta:depth=30', count: 1 });
    assert.ok(performance.now() - begun < 5000);
  });

  test('formats: what is exported can be imported', () => {
    for (const [game, moves, formats] of [['othello', 'f5;d6;c3', ['sgf', 'ggf', 'text', 'moves']], ['renju', 'h8;i9;j9', ['sgf', 'text', 'moves']], ['contrast', 'c1,c2 b3g;c5,c4', ['text', 'moves']]])
      for (const format of formats) {
        k.call(0, 'new', { game, moves });
        const { text } = k.call(0, 'export', { format });
        const s = k.call(1, 'load', { text, game });
        const line = s.session.nodes.slice(1).map((n) => n.move).join(';');
        assert.equal(line, moves, `${game} ${format}`);
      }
  });

  test('review: a blunder is found and progress is told', async () => {
    const told = [];
    const w = await keiko({ progress: (done, all) => told.push([done, all]) });
    w.call(0, 'new', { game: 'gomoku', moves: 'h8;h9;i8;i9;j8;a1;k8;a2;l8' });
    const { review } = w.call(0, 'review', { helper: 'alphabeta:nodes=20000' });
    assert.ok(review.moves.some((m) => m.seat === 1 && m.mark !== ''));
    assert.equal(told[0][1], 9);
  });

  test('Puyo: a placement tells its chain link by link', () => {
    let s = k.call(0, 'new', { game: 'puyo-solo', seed: 7 });
    let links = 0;
    for (let i = 0; i < 60 && s.session.legal.length > 0; i++) {
      const { choice } = k.call(0, 'choose', { agent: 'greedy' });
      s = k.call(0, 'play', { move: choice.move });
      assert.ok(s.steps.placed);
      for (const l of s.steps.links) assert.ok(l.score > 0 && l.cleared >= 4 && l.popped && l.field);
      links += s.steps.links.length;
    }
    assert.ok(links > 0);
  });
});
