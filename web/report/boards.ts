// Boards that the document holds, in the shape that the page's small boards take.
import type { State, View } from '../engine/types';

export interface Board {
  last: string;
  view?: View;
  text?: string; // of a game that has no picture
}

export const stateOf = (game: string, b: Board): State => ({ view: b.view, session: { game, last: b.last || null } }) as unknown as State;
