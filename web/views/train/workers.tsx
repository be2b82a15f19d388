// Who works on the NATS server that the program follows (keiko serve --nats): learners first, then workers; live.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, link, listen, machine } from '../../engine/api';
import { number, t } from '../../ui/i18n';

interface Row {
  kind: 'learner' | 'worker';
  name: string;
  host: string;
  run: string;
  state: string;
  generation: number;
  lag: number;
  'positions-s': number;
}
interface News {
  connected: boolean;
  message: string | null;
  items: Row[];
}

export function Workers() {
  const news = useSignal<News | null>(null);
  const on = link.value === 'here' && machine.value!.nats;
  useEffect(() => {
    if (!on) return;
    const hear = (n: News) => (news.value = n);
    get<News>('workers').then(hear, () => undefined);
    return listen('workers/events', { workers: hear });
  }, [on]);
  const n = news.value;
  if (!on || !n) return null;
  return (
    <section class="card workers">
      <h2>{t('workers.title')}</h2>
      {!n.connected && <p class="error">{n.message}</p>}
      {n.connected && n.items.length === 0 && <p class="mute sm">{t('workers.none')}</p>}
      {n.items.length > 0 && (
        <table class="tb">
          <thead>
            <tr><th scope="col">{t('workers.who')}</th><th scope="col" class="r">{t('workers.generation')}</th><th scope="col" class="r">{t('train.positions')}</th><th scope="col" class="r">{t('workers.lag')}</th></tr>
          </thead>
          <tbody>
            {n.items.map((w) => (
              <tr key={w.kind + w.name} data-kind={w.kind}>
                <th scope="row" class="wraps"><b>{w.name}</b> <span class="mute sm">{w.host}{w.kind === 'worker' && w.run && ` · ${w.run}`} · {w.state}</span></th>
                <td class="r">{number(w.generation)}</td>
                <td class="r">{number(Math.round(w['positions-s']))}</td>
                <td class="r">{number(w.lag)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
