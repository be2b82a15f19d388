// Stored games: the server's where there is one, else those of this browser. One list for both.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { at, get, link, remove } from '../../engine/api';
import type { Session } from '../../engine/types';
import { gameOf } from '../../games';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icons';
import { number, t, told, type Key } from '../../ui/i18n';
import { settings, unstored } from '../../ui/settings';
import { fromJson, pastGames, takePast, type Saved } from './record';
import { agentName } from './known';
import type { Table } from './table';

interface Game {
  id: string;
  game: string;
  seats: string[];
  plies: number;
  score: number[] | null; // null: not finished
  time: number;
}

interface Source {
  list(from: number): Promise<{ games: Game[]; more: boolean }>;
  open(id: string): Promise<Saved | null>;
  remove(id: string): Promise<unknown>;
}

const seatsOf = (s: Pick<Session, 'seats'>): string[] => s.seats.map((x) => (x.person ? 'human' : x.player));

interface Item extends Pick<Session, 'game' | 'seats' | 'result'> {
  id: string;
  time: string;
  plies: number;
}

const PAGE = 50;
const server: Source = {
  async list(from) {
    const { items, total } = await get<{ items: Item[]; total: number }>(`sessions?from=${from}&limit=${PAGE}`);
    const games = items.filter((g) => g.plies > 0 && gameOf(g.game));
    return { games: games.map((g) => ({ ...g, seats: seatsOf(g), score: g.result.end === 'none' ? null : g.result.score, time: Date.parse(g.time) })), more: from + items.length < total };
  },
  async open(id) {
    const { session } = await get<{ session: Session }>(`sessions/${at(id)}`);
    const g = fromJson(JSON.stringify(session));
    const [a = 'human', b = 'human'] = seatsOf(session);
    return g && { ...g, id, seats: [a, b] };
  },
  remove: (id) => remove(`sessions/${at(id)}`),
};

const browser: Source = {
  list: async () => ({
    games: pastGames().map(([id, g]) => ({ id, game: g.setup.game, seats: g.seats.slice(0, gameOf(g.setup.game)?.sides.length), plies: g.rows.length, score: g.score ?? null, time: g.time ?? 0 })).sort((a, b) => b.time - a.time),
    more: false,
  }),
  open: async (id) => takePast(id),
  remove: async (id) => localStorage.removeItem(id),
};

function result(g: Game): string {
  if (!g.score) return t('stored.unfinished');
  const [a = 0, b] = g.score;
  if (b === undefined) return t('end.points', { n: number(a) });
  return a === b ? t('end.draw') : t('end.wins', { side: t(gameOf(g.game)!.sides[a > b ? 0 : 1]!) });
}

const who = (spec: string): string => (spec === 'human' ? t('who.person') : /^\d+$/.test(spec) ? t('who.level', { n: spec }) : agentName(spec));

export function Stored({ table, close }: { table: Table; close(): void }) {
  const from = link.value === 'here' ? server : browser;
  const list = useSignal<Game[] | null>(null);
  const more = useSignal(false);
  const said = useSignal('');
  const load = (start: number) =>
    table.settled.then(() => from.list(start)).then((p) => {
      list.value = [...(start ? (list.value ?? []) : []), ...p.games];
      more.value = p.more;
    }, (e: Error) => void (said.value = told(e)));
  const seen = useSignal(0);
  useEffect(() => void load(0), [from]);
  const open = async (g: Game) => {
    try {
      const saved = await from.open(g.id);
      if (!saved) return;
      close();
      await table.start(g.game, { saved });
      location.hash = location.hash.replace(/^(#\/(analyse\/)?).*$/, `$1${g.game}`);
    } catch (e) {
      said.value = told(e);
    }
  };
  const drop = async (g: Game) => {
    await from.remove(g.id).catch((e: Error) => (said.value = told(e)));
    list.value = list.value!.filter((x) => x.id !== g.id);
  };
  const when = new Intl.DateTimeFormat(settings.value.lang === 'ja' ? 'ja' : 'en-GB', { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Dialog title={t('stored.title')} close={close}>
      <p class="mute sm">{t(from === server ? 'stored.server' : unstored.value ? 'stored.not' : 'stored.browser')}</p>
      {list.value?.length === 0 && <p>{t('stored.none')}</p>}
      <ul class="stored">
        {list.value?.map((g) => (
          <li key={g.id}>
            <button type="button" class="open" onClick={() => void open(g)}>
              <b>{t(`game.${g.game}` as Key)}</b>
              <span>{result(g)}</span>
              <span class="mute sm">{g.seats.map(who).join(' – ')} · {t('stored.moves', { n: g.plies })}</span>
              <time class="mute sm">{when.format(g.time)}</time>
            </button>
            <button type="button" class="tool" aria-label={t('stored.delete')} title={t('stored.delete')} onClick={() => void drop(g)}><Icon name="close" /></button>
          </li>
        ))}
      </ul>
      {more.value && <button type="button" class="ghost" onClick={() => void load((seen.value += PAGE))}>{t('stored.more')}</button>}
      {said.value && <p class="error" role="alert">{said.value}</p>}
    </Dialog>
  );
}
