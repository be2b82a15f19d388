// What the engine says, as JSON. The same shapes come from the worker and, where there is one, from the server.

export interface SessionNode {
  id: number;
  parent?: number;
  seat?: number;
  move?: string | null;
  mark?: string;
  value?: number; // expected score of the seat to move here, 0 to 1
  margin?: number;
  depth?: number;
  nodes?: number;
  comment?: string;
  seconds?: number;
  event?: { chain: number; points: number; sent: number; received: number; frames: number; all_clear: boolean };
}

export interface SessionResult {
  end: 'none' | 'rules' | 'resigned' | 'time' | 'failed' | 'imported';
  reason: string;
  loser: number | null;
  score: number[];
  text: string;
}

export interface Session {
  game: string;
  options: string;
  position: string | null;
  key: { run: string; game: string };
  seats: { side: string; player: string; name: string; person: boolean }[];
  at: number;
  ply: number;
  seat: number;
  state: string;
  last: string | null;
  opening?: { en: string; ja: string };
  legal: string[];
  result: SessionResult;
  nodes: SessionNode[];
}

// A board, in the words of its game (view() of src/games).
export interface CellsView {
  cells: string;
  size?: number;
  discs?: [number, number];
  forbidden?: { at: string; kind: '3x3' | '4x4' | 'overline' }[];
}
export interface ContrastView {
  pieces: string;
  tiles: string;
  hands: [[number, number], [number, number]];
  plies: number;
}
export interface PuyoSide {
  field: string;
  pairs: string[];
  score: number;
  pending?: number;
  coming?: number;
  sent?: number;
  clock?: number;
  placed: number;
  allClear?: boolean;
  buried: boolean;
}
export interface PuyoView {
  sides: PuyoSide[];
  timing?: string;
  best?: number;
  longest?: number;
}
export type View = CellsView | ContrastView | PuyoView;

export interface PuyoSteps {
  placed: string;
  dropFrames: number;
  links: { popped: string; field: string; cleared: number; score: number; frames: number }[];
}

// Where the opening rule swap2 stands: player 0 begins.
export interface Swap {
  step: 'put' | 'choose' | 'done';
  player: 0 | 1;
  left: number; // stones to put
  two: boolean; // may two more be chosen?
  black: 0 | 1; // who plays black
  choice?: string; // an agent's
  moves?: string[];
}

export interface State {
  session: Session;
  view: View;
  steps?: PuyoSteps;
  swap2?: Swap;
}

export interface Line {
  move: string;
  value: number | null;
  margin?: number;
  depth: number;
  nodes: number;
  line: string;
}
export interface Analysis {
  game: string;
  agent: string;
  moves: Line[];
}

export interface ReviewMove {
  ply: number;
  seat: number;
  move: string;
  best: string;
  value: number;
  after: number;
  loss: number;
  margin_loss?: number;
  mark: string;
  turning: boolean;
  depth: number;
  line: string;
}
export interface Review {
  agent: string;
  seats: { name: string; mean_loss: number; '?!': number; '?': number; '??': number }[];
  moves: ReviewMove[];
  positions: SessionNode[]; // of the line, from the start, with what the reviewer thinks of each
}

export interface LevelRow {
  level: number;
  name: string | null;
  agent: string;
  elo?: number;
  error?: number;
  date?: string;
}

export interface AgentRow {
  name: string;
  summary: string;
  games: string[]; // none: every game
  analyses: boolean;
  parameters: { name: string; kind: string; default: string | null; low?: number; high?: number; choices?: string[]; help: string }[];
}

// A game as a list of moves with options: everything else follows by the rules.
export interface Setup {
  game: string;
  options: string;
  position: string | null;
  seed: string; // a whole number
}
