// A field for an agent: a level's number, or a name with parameters, completed from the list of agents.
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { AgentRow } from '../engine/types';

// What may follow the text so far: names; after a name its parameters.
export function completions(text: string, agents: AgentRow[]): string[] {
  const m = /^([a-z0-9-]+):(.*)$/.exec(text);
  const row = m && agents.find((a) => a.name === m[1]);
  if (!m || !row) return [...Array.from({ length: 10 }, (_, i) => String(i + 1)), ...agents.filter((a) => a.name !== 'human').map((a) => a.name)];
  const parts = m[2]!.split(',');
  const last = parts.pop()!;
  const used = new Set(parts.map((p) => p.split('=')[0]));
  const head = `${row.name}:${parts.map((p) => `${p},`).join('')}`;
  const of = row.parameters.find((p) => last.startsWith(`${p.name}=`));
  if (of) return (of.choices ?? []).map((c) => `${head}${of.name}=${c}`);
  return row.parameters.filter((p) => !used.has(p.name)).map((p) => `${head}${p.name}=${p.default ?? ''}`);
}

export function AgentField(p: { value: string; agents: AgentRow[]; label: string; set?(v: string): void; done?(v: string): void }) {
  const id = useId();
  const text = useSignal(p.value); // what is being typed
  useEffect(() => void (text.value = p.value), [p.value]);
  const row = p.agents.find((a) => a.name === /^[a-z0-9-]*/.exec(text.value)?.[0]);
  return (
    <>
      <input
        class="field-text"
        list={id}
        value={text.value}
        aria-label={p.label}
        title={row?.summary}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder="alphabeta:depth=6"
        onInput={(e) => {
          text.value = e.currentTarget.value;
          p.set?.(text.value);
        }}
        onChange={(e) => p.done?.(e.currentTarget.value.trim())}
      />
      <datalist id={id}>{completions(text.value, p.agents).slice(0, 40).map((c) => <option key={c} value={c} />)}</datalist>
    </>
  );
}
