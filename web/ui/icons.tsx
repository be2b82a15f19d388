// Line icons on a 24 px grid.
const paths = {
  play: 'M7 5l11 7-11 7z',
  pause: 'M8 5v14M16 5v14',
  analyse: 'M4 19V5M4 19h16M8 15l4-5 3 3 5-7',
  puyo: 'M8 8m-4 0a4 4 0 108 0 4 4 0 10-8 0M16 16m-4 0a4 4 0 108 0 4 4 0 10-8 0',
  train: 'M4 18c5 0 5-12 16-12',
  rate: 'M5 7h14M5 12h9M5 17h5',
  theme: 'M12 4a8 8 0 100 16zM12 4a8 8 0 010 16',
  settings: 'M4 8h9M17 8h3M4 16h3M11 16h9M15 6v4M9 14v4',
  undo: 'M9 14L4 9l5-5M4 9h10a6 6 0 010 12h-3',
  redo: 'M15 14l5-5-5-5M20 9H10a6 6 0 000 12h3',
  hint: 'M9 18h6M10 21h4M12 3a6 6 0 00-3.5 10.9V15h7v-1.1A6 6 0 0012 3z',
  flip: 'M7 4v16M7 4L4 7M7 4l3 3M17 20V4M17 20l-3-3M17 20l3-3',
  new: 'M12 5v14M5 12h14',
  share: 'M12 15V3M8 7l4-4 4 4M5 13v7h14v-7',
  close: 'M6 6l12 12M18 6L6 18',
  book: 'M4 5c3-1 6-1 8 1 2-2 5-2 8-1v13c-3-1-6-1-8 1-2-2-5-2-8-1zM12 6v13',
  stored: 'M4 7h16M5 7v12h14V7M9 11h6M7 4h10',
  down: 'M7 10l5 5 5-5',
  left: 'M14 6l-6 6 6 6',
  right: 'M10 6l6 6-6 6',
  drop: 'M12 4v14M6 13l6 6 6-6',
  turnLeft: 'M5 4v5h5M5.5 9a7.5 7.5 0 11-1 5',
  turnRight: 'M19 4v5h-5M18.5 9a7.5 7.5 0 101 5',
  flag: 'M6 21V4M6 5h11l-2 4 2 4H6',
  edit: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  search: 'M11 4a7 7 0 100 14 7 7 0 000-14zM16 16l4 4',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="i" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
