import { useEffect, useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { now } from '../../client/clock.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Checks, TextField } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Moment } from '../../part/value/time.tsx';
import { drillWords } from '../../word/drill.ts';
import { heldBackWords } from '../../word/held-back.ts';

const DAY_MS = 86_400_000;
const SUNDAY = 7;

/** Next Sunday at 03:00, as an input of local time takes it. */
function nextSunday(): string {
  const today = new Date(now());
  const at = new Date(today.getTime() + (SUNDAY - today.getDay()) * DAY_MS);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T03:00`;
}

type Given = {
  of: { ruleId: string } | { deviceId: string };
  /** It asks when that is pressed, and not with the page. */
  isLater?: boolean;
};

/** Which channels would get an alarm of a stored rule, or of a device that is away, at a time, when, and which next. */
export function Drill({ of, isLater = false }: Given) {
  const w = drillWords();
  const [time, setTime] = useState(nextSunday);
  const [failing, setFailing] = useState<readonly string[]>([]);
  const at = new Date(time);
  const isTime = !Number.isNaN(at.getTime());
  const [isAsked, setAsked] = useState(!isLater);
  const maySee = may('svc-center-data:rule:list');
  const asked = useAsk(
    'POST /data/rule/drill',
    maySee && isAsked && isTime ? { ...of, at: at.toISOString(), failing: [...failing] } : null,
  );
  const [channels, setChannels] = useState<readonly Schemas['DrillChannel'][]>([]);
  const answered = asked.data?.channels;
  useEffect(() => {
    if (answered) setChannels(answered);
  }, [answered]);
  if (!maySee) return null;
  const title = 'ruleId' in of ? w.title.rule : w.title.device;
  if (!isAsked)
    return (
      <Section title={title}>
        <p class="quiet">{w.lead}</p>
        <Button onPress={() => setAsked(true)}>{w.ask}</Button>
      </Section>
    );
  return (
    <Section title={title}>
      <p class="quiet">{w.lead}</p>
      <TextField label={w.at} type="datetime-local" value={time} onChange={setTime} />
      {channels.length > 0 && (
        <fieldset>
          <legend>{w.away}</legend>
          <Checks
            value={failing}
            onChange={setFailing}
            options={channels.map(({ channelId, channelName }) => [channelId, channelName])}
          />
        </fieldset>
      )}
      <Loaded asked={asked} rows={3}>
        {({ messages }) => (
          <>
            {messages.length === 0 && <Empty title={w.none} />}
            <ol>
              {messages.map(({ at: sent, taken, channelId, channelName, kind, note, waited }) => (
                <li key={`${channelId} ${sent}`}>
                  <Moment at={sent} /> <bdi>{w.sent(channelName, kind === 'REMINDER')}</bdi>{' '}
                  <span class="small quiet">
                    {taken === null
                      ? w.notTaken
                      : [note, waited && w.waited[waited]].filter(Boolean).join('; ')}
                  </span>
                </li>
              ))}
            </ol>
            {channels.map(
              ({ channelId, channelName, knows, waits, heldBack, success, deliveries }) => (
                <p key={channelId} class="small quiet">
                  {!knows && w.waits(channelName, heldBack ? heldBackWords()[heldBack] : waits)}{' '}
                  {success !== null &&
                    w.answered(channelName, Math.round(success * 100), deliveries)}
                </p>
              ),
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}
