import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';

import { useAsk } from './client/ask.ts';
import { navigate } from './client/route.ts';
import { may } from './client/session.ts';
import { leave } from './client/unsaved.ts';
import { Dialog } from './part/control/dialog.tsx';
import { pages, titleIn, titleOf } from './part/pages.ts';
import { shellWords } from './word/shell.ts';

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

/** Ctrl-K (or ⌘K) opens the palette from every page. */
export function usePaletteKey(): void {
  // Not after the next paint: on a busy machine the first keys come before it.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      openPalette();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

export const Palette = () => (isOpen.value ? <Open /> : null);

type Row = { to: string; name: string; kind: string };

const MOST = 8;
const SHORTEST = 2;

/** Pages, devices and alarms by a part of their name: those that the person may see. */
function useFound(text: string): Row[] {
  const wanted = text.trim();
  const isLong = wanted.length >= SHORTEST;
  const devices = useAsk(
    'POST /manager/device/list',
    isLong && may('svc-center-manager:device:list')
      ? { deviceName: wanted, page: { current: 1, size: MOST } }
      : null,
  );
  const alarms = useAsk(
    'POST /data/dashboard/alert/search',
    isLong && may('svc-center-data:dashboard:list') ? { query: wanted, limit: MOST } : null,
  );
  const found = pages.flatMap(({ pattern, title, group, needs }) =>
    group === undefined || !title || (needs !== undefined && !may(needs))
      ? []
      : [{ to: pattern, name: titleIn(title), kind: '' }],
  );
  return [
    ...found.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase())),
    ...(devices.data?.records ?? []).map(({ id, deviceName }) => ({
      to: `/devices/${id}`,
      name: deviceName,
      kind: titleOf('/devices'),
    })),
    ...(alarms.data?.alarms ?? []).map(({ alarmId, ruleName, message }) => ({
      to: `/alarms/${alarmId}`,
      name: ruleName ?? message,
      kind: titleOf('/alarms'),
    })),
  ];
}

/** Finds by name; Enter goes to the chosen one. */
function Open() {
  const w = shellWords();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const close = (): void => {
    isOpen.value = false;
  };
  const found = useFound(text);
  const at = Math.min(chosen, Math.max(0, found.length - 1));
  const go = (row: Row | undefined): void => {
    if (!row) return;
    close();
    leave(() => navigate(row.to));
  };
  return (
    <Dialog title={w.palette.title} onClose={close}>
      <input
        type="search"
        role="combobox"
        autofocus
        list={undefined}
        aria-expanded="true"
        aria-controls="palette-rows"
        aria-activedescendant={found[at] ? `palette-${at}` : ''}
        aria-label={w.palette.placeholder}
        placeholder={w.palette.placeholder}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (event.key === 'Enter') go(found[at]);
          if (step === undefined) return;
          event.preventDefault();
          setChosen((at + step + found.length) % Math.max(1, found.length));
        }}
      />
      <ul id="palette-rows" role="listbox" class="palette" aria-label={w.palette.pages}>
        {found.map((row, index) => (
          <li
            key={row.to}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => go(row)}
          >
            <bdi>{row.name}</bdi> <small class="quiet">{row.kind}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">{w.palette.none}</p>}
    </Dialog>
  );
}
