import { useEffect, useRef, useState } from 'preact/hooks';

import { useAsk } from './client/ask.ts';
import { bounds } from './client/bounds.ts';
import { navigate } from './client/route.ts';
import { may } from './client/session.ts';
import { alertMe, askToNotify, notify, play, setAlertMe } from './client/storage/alert-me.ts';
import { leave } from './client/unsaved.ts';
import { useAgainOn } from './client/use-live.ts';
import { others } from './current-page.tsx';
import { Check } from './part/control/field.tsx';
import { badge } from './part/page.tsx';
import { NotStored } from './part/theme.tsx';
import { levelState } from './part/value/state.ts';
import { shellWords } from './word/shell.ts';

const MOST = 100;
/** The most urgent first. */
const LEVELS = bounds['POST /data/dashboard/alert/search'].level.values;

/** Counts in the title of the document what fires, and calls for attention to what begins while it is open. */
export function AlarmWatch() {
  const { sound, notification } = alertMe.value;
  return <Watch key={String(sound || notification)} sound={sound} notification={notification} />;
}

function Watch({ sound, notification }: { sound: boolean; notification: boolean }) {
  const asked = useAsk(
    'POST /data/dashboard/alert/search',
    may('svc-center-data:dashboard:list')
      ? { state: 'FIRING', limit: sound || notification ? MOST : 1 }
      : null,
  );
  useAgainOn(['alarm'], asked.again);
  const seen = useRef<ReadonlySet<string> | null>(null);
  const { data } = asked;
  useEffect(() => {
    badge.value = data?.counts.firing ?? 0;
    if (data === null) return;
    const before = seen.current;
    seen.current = new Set([...(before ?? []), ...data.alarms.map(({ alarmId }) => alarmId)]);
    // What fires already when the page is opened is on it.
    if (before === null || !(sound || notification)) return;
    const begun = data.alarms.filter(
      ({ alarmId, silenced, maintenance }) =>
        !before.has(alarmId) && silenced === null && maintenance === null,
    );
    const level = LEVELS.find((each) => begun.some((alarm) => alarm.level === each));
    if (level === undefined) return;
    if (sound) play(level);
    const [first] = begun.filter((alarm) => alarm.level === level);
    if (!notification || !first) return;
    const title = `${levelState(level).word} · ${first.ruleName ?? first.message}`;
    const to = begun.length === 1 ? `/alarms/${first.alarmId}` : '/alarms';
    const body =
      begun.length === 1 ? (first.deviceName ?? '') : shellWords().alert.more(begun.length);
    notify(title, body, to, () => leave(() => navigate(to)));
  }, [data]);
  return null;
}

/** How this browser calls for attention. */
export function AlertChoices() {
  const w = shellWords().alert;
  const [isStored, setStored] = useState(true);
  if (!may('svc-center-data:dashboard:list')) return null;
  const { sound, notification } = alertMe.value;
  const PushChoice = others.value?.PushChoice;
  return (
    <>
      <Check
        label={w.sound}
        value={sound}
        onChange={(isOn) => {
          setStored(setAlertMe({ sound: isOn }));
          if (isOn) play('P2');
        }}
      />
      <Check
        label={w.notification}
        hint={w.means}
        value={notification}
        onChange={(isOn) =>
          isOn ? void askToNotify().then(setStored) : setStored(setAlertMe({ notification: false }))
        }
      />
      {!isStored && <NotStored />}
      {PushChoice && <PushChoice />}
    </>
  );
}
