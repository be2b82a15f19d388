// What the page knows about each game besides its board: names of sides, accents, who helps, which files it speaks. No rules.
import type { Key } from '../ui/i18n';

export interface GameDef {
  name: string;
  family: 'othello' | 'stones' | 'contrast' | 'puyo' | 'tictactoe';
  accent: 'othello' | 'renju' | 'contrast' | 'puyo' | 'plain';
  sides: Key[];
  options: string; // of a new game
  helper: string; // who analyses and hints; its last number says how long
  reviewer: string; // the same within less time per move; '' = no review
  lines: number; // moves wanted from an analysis
  unit: 'discs' | 'win' | 'none';
  formats: string[];
  rules: string; // page of docs/rules
  shown: boolean; // in the picker
}

const stones = (name: string, shown = true): GameDef => ({
  name,
  family: 'stones',
  accent: 'renju',
  sides: ['side.black', 'side.white'],
  options: '',
  helper: 'alphabeta:nodes=0,ms=2500',
  reviewer: 'alphabeta:nodes=60000,vct=5000',
  lines: 5,
  unit: 'win',
  formats: ['sgf', 'text', 'moves', 'json'],
  rules: name === 'renju' ? 'renju' : 'gomoku',
  shown,
});

export const games: GameDef[] = [
  {
    name: 'othello',
    family: 'othello',
    accent: 'othello',
    sides: ['side.black', 'side.white'],
    options: '',
    helper: 'alphabeta:depth=0,seconds=3',
    reviewer: 'alphabeta:depth=8,exact=14',
    lines: 32,
    unit: 'discs',
    formats: ['sgf', 'ggf', 'obf', 'text', 'moves', 'json'],
    rules: 'othello',
    shown: true,
  },
  stones('renju'),
  stones('gomoku'),
  stones('freestyle'),
  stones('freestyle20', false),
  {
    name: 'contrast',
    family: 'contrast',
    accent: 'contrast',
    sides: ['side.one', 'side.two'],
    options: '',
    helper: 'alphabeta:seconds=2.5',
    reviewer: 'alphabeta:depth=4',
    lines: 6,
    unit: 'win',
    formats: ['text', 'moves', 'json'],
    rules: 'contrast',
    shown: true,
  },
  {
    name: 'puyo',
    family: 'puyo',
    accent: 'puyo',
    sides: ['side.left', 'side.right'],
    options: '',
    helper: 'versus',
    reviewer: '',
    lines: 4,
    unit: 'none',
    formats: ['text', 'moves', 'json'],
    rules: 'puyo',
    shown: true,
  },
  {
    name: 'puyo-solo',
    family: 'puyo',
    accent: 'puyo',
    sides: ['who.you'],
    options: 'moves=1000',
    helper: 'beam',
    reviewer: '',
    lines: 4,
    unit: 'none',
    formats: ['puyop', 'text', 'moves', 'json'],
    rules: 'puyo',
    shown: true,
  },
  {
    name: 'tictactoe',
    family: 'tictactoe',
    accent: 'plain',
    sides: ['side.x', 'side.o'],
    options: '',
    helper: 'mcts:sims=4000',
    reviewer: 'mcts:sims=2000',
    lines: 9,
    unit: 'win',
    formats: ['text', 'moves', 'json'],
    rules: 'tictactoe',
    shown: true,
  },
];

export const gameOf = (name: string): GameDef | undefined => games.find((g) => g.name === name);
