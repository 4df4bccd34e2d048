import { ticking } from '../../../client/clock.ts';
import { may } from '../../../client/session.ts';
import { announce } from '../../../part/announce.tsx';
import { FormDialog } from '../../../part/control/dialog.tsx';
import { TextField } from '../../../part/control/field.tsx';
import { useForm } from '../../../part/control/form.ts';
import { Opener } from '../../../part/control/opener.tsx';
import { trendWords } from '../../../word/trend.ts';
import type { Range } from './trend-range.ts';

type Given = { deviceId: string; pointId: string; range: Range; changed(): void };

/** Deletes the values of a point over a time, at first the one that is shown. */
export function DeleteValues(given: Given) {
  const { delete: w } = trendWords();
  if (!may('svc-center-data:point_value:delete')) return null;
  return <Opener word={w.go}>{(close) => <Form {...given} onClose={close} />}</Opener>;
}

/** As a field of a local time holds it, to the minute. */
const localOf = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

const iso = (local: string): string => new Date(local).toISOString();

function Form({ deviceId, pointId, range, changed, onClose }: Given & { onClose(): void }) {
  const { delete: w } = trendWords();
  const form = useForm('POST /data/point_value/delete', {
    fields: {
      from: localOf(range.from),
      to: localOf(Math.min(range.to, ticking.value)),
      reason: '',
    },
    input: ({ from, to, ...why }) => ({ deviceId, pointId, from: iso(from), to: iso(to), ...why }),
    done({ valueCount, stateFlag }) {
      announce(stateFlag === 'RUNNING' ? w.running(valueCount) : w.done(valueCount));
      onClose();
    },
    ended: changed,
  });
  return (
    <FormDialog title={w.go} go={w.go} {...form.sends} onClose={onClose}>
      <p>{w.means}</p>
      <TextField label={w.from} type="datetime-local" {...form.of('from')} required />
      <TextField label={w.to} type="datetime-local" {...form.of('to')} required />
      <TextField label={w.reason} {...form.of('reason')} />
    </FormDialog>
  );
}
