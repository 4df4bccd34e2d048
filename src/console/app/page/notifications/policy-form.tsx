import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Check, Checks, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { notificationsWords } from '../../word/notifications.ts';
import { MOST_CHANNELS, type PolicyContent, policyOf } from './content.ts';

type Policy = Schemas['NotifyPolicy'];
type Given = {
  policy: Policy | null;
  channels: readonly Schemas['NotifyChannel'][];
  onClose(): void;
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const WAIT_MS = 30_000;
const FLOOD_MS = 10 * MINUTE_MS;
const DIGEST_LEVELS: ('P2' | 'P3')[] = ['P2', 'P3'];
const TYPES = ['OFFLINE', 'FAULT', 'STATE_FLIP', 'REPORT', 'IDENTITY', 'CHANNEL'] as const;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Adds a policy, or changes one; what this form does not show stays as it is. */
export function PolicyForm({ policy, channels, onClose }: Given) {
  const w = notificationsWords().policies;
  const stored = policy ? policyOf(policy) : {};
  const [window, ...others] = stored.silence?.windows ?? [];
  const [, ...steps] = stored.escalation ?? [];
  const bound = useBound(policy, channels);
  const form = useForm(policy ? 'POST /data/notify/update' : 'POST /data/notify/add', {
    fields: fieldsOf(policy, stored),
    needs: ['notifyName'],
    input: (fields) => ({
      ...(policy && { id: policy.id }),
      notifyName: fields.notifyName,
      notifyInterval: msOf(fields.notifyInterval),
      autoConfirmFlag: fields.confirms ? ('AUTO' as const) : ('MANUAL' as const),
      notifyExt: { content: contentOf(fields, stored) },
    }),
    done: onClose,
  });
  return (
    <FormDialog
      title={policy ? w.change(policy.notifyName) : w.add}
      {...(!policy && { go: w.add })}
      {...form.sends}
      onClose={onClose}
    >
      <TextField label={w.name} {...form.of('notifyName')} />
      <TextField
        label={w.interval}
        hint={w.intervalHint}
        type="number"
        min="0"
        {...form.of('notifyInterval')}
      />
      <Check label={w.repeats} {...form.of('repeats')} />
      {form.values.repeats && (
        <TextField label={w.every} type="number" min="1" {...form.of('every')} />
      )}
      <Check label={w.tellsEnd} {...form.of('tellsEnd')} />
      <Check label={w.confirms} {...form.of('confirms')} />
      <fieldset>
        <legend>{w.types}</legend>
        <Checks
          {...form.of('types')}
          options={TYPES.map((type) => [type, w.says.type[type]] as const)}
        />
      </fieldset>
      <fieldset>
        <legend>{w.quiet(window?.timezone ?? ZONE)}</legend>
        <div class="row">
          <TextField label={w.from} type="time" {...form.of('start')} />
          <TextField label={w.to} type="time" {...form.of('end')} />
        </div>
        {others.length > 0 && <p class="small quiet">{w.others(others.length)}</p>}
      </fieldset>
      <fieldset>
        <legend>{w.together}</legend>
        <TextField
          label={w.waits}
          hint={w.waitsHint}
          type="number"
          min="1"
          max="3600"
          {...form.of('waits')}
        />
        <TextField label={w.flood} hint={w.floodHint} type="number" min="1" {...form.of('flood')} />
        <TextField label={w.digest} type="time" {...form.of('digest')} />
      </fieldset>
      {bound.length > 0 && (
        <fieldset>
          <legend>{w.escalation}</legend>
          <Checks
            {...form.of('called')}
            options={bound.map(({ id, channelName }) => [id, channelName] as const)}
          />
          <TextField
            label={w.after}
            hint={w.afterHint}
            type="number"
            min="0"
            {...form.of('after')}
          />
          <Check label={w.onFailure} {...form.of('onFailure')} />
          {steps.length > 0 && <p class="small quiet">{w.steps(steps.length)}</p>}
        </fieldset>
      )}
    </FormDialog>
  );
}

/** The channels of a policy; none for a new one, to which they are bound later. */
function useBound(policy: Policy | null, channels: Given['channels']): Given['channels'] {
  const maySee = policy !== null && may('svc-center-data:notify_channel_bind:list');
  const { data } = useAsk(
    'POST /data/notify/channel/bind/list',
    maySee ? { notifyId: policy.id, page: { current: 1, size: MOST_CHANNELS } } : null,
  );
  return channels.filter(({ id }) => data?.records.some(({ channelId }) => channelId === id));
}

const minutesOf = (ms = 0): string => String(Math.round(ms / MINUTE_MS));
const msOf = (minutes: string): number => Math.round(Number(minutes) * MINUTE_MS);

const fieldsOf = (
  policy: Policy | null,
  { repeat, recovery, alarmTypes, silence, escalation, ...together }: PolicyContent,
) => ({
  notifyName: policy?.notifyName ?? '',
  notifyInterval: minutesOf(policy?.notifyInterval),
  confirms: policy?.autoConfirmFlag === 'AUTO',
  repeats: repeat?.enabled ?? false,
  every: minutesOf(repeat?.intervalMs ?? 60 * MINUTE_MS),
  tellsEnd: recovery?.enabled !== false && recovery?.sendRecoveryMessage !== false,
  types: TYPES.filter((type) => alarmTypes?.includes(type)) as readonly (typeof TYPES)[number][],
  ...hoursOf(silence?.windows?.[0]),
  ...stepOf(escalation?.[0]),
  ...togetherOf(together),
});

type Together = Pick<PolicyContent, 'grouping' | 'digest' | 'flood'>;

const togetherOf = ({ grouping, digest, flood }: Together) => ({
  waits: grouping ? String((grouping.waitMs ?? WAIT_MS) / SECOND_MS) : '',
  flood: flood ? String(flood.count) : '',
  digest: digest?.at?.[0] ?? '',
});

/** Of a field that is empty nothing; a digest by an interval, which has no field, stays. */
function togetherIn(
  { waits, flood, digest }: ReturnType<typeof togetherOf>,
  stored: Together,
): Together {
  const [, ...times] = stored.digest?.at ?? [];
  const levels = stored.digest?.levels ?? DIGEST_LEVELS;
  return {
    ...(waits !== '' && { grouping: { ...stored.grouping, waitMs: Number(waits) * SECOND_MS } }),
    ...(flood !== '' && {
      flood: { perMs: FLOOD_MS, ...stored.flood, count: Number(flood) },
    }),
    ...(stored.digest?.everyMs !== undefined && { digest: stored.digest }),
    ...(digest !== '' && {
      digest: { timezone: stored.digest?.timezone ?? ZONE, at: [digest, ...times], levels },
    }),
  };
}

const hoursOf = (window?: { start: string; end: string }) => ({
  start: window?.start ?? '',
  end: window?.end ?? '',
});

const stepOf = (step?: NonNullable<PolicyContent['escalation']>[number]) => ({
  called: step?.channels ?? [],
  after: step?.afterMs === undefined ? '' : minutesOf(step.afterMs),
  onFailure: step?.onFailure ?? false,
});

function contentOf(fields: ReturnType<typeof fieldsOf>, stored: PolicyContent): PolicyContent {
  const { repeats, every, tellsEnd, types, start, end, called, after, onFailure } = fields;
  const { grouping, digest, flood, ...others } = stored;
  const { repeat, recovery, silence, escalation } = stored;
  const [{ afterMs: _, ...step } = {}, ...steps] = escalation ?? [];
  const time = after === '' ? {} : { afterMs: msOf(after) };
  const [window, ...windows] = silence?.windows ?? [];
  const isQuiet = start !== '' && end !== '';
  return {
    ...others,
    ...togetherIn(fields, { grouping, digest, flood }),
    repeat: { ...repeat, enabled: repeats, intervalMs: msOf(every) },
    recovery: {
      ...recovery,
      enabled: tellsEnd || (recovery?.autoConfirmOnRecovery ?? false),
      sendRecoveryMessage: tellsEnd,
    },
    alarmTypes: TYPES.filter((type) => types.includes(type)),
    silence: {
      enabled: silence?.enabled ?? true,
      windows: isQuiet ? [{ timezone: ZONE, ...window, start, end }, ...windows] : windows,
    },
    escalation:
      called.length > 0
        ? [{ ...step, ...time, onFailure, channels: [...called] }, ...steps]
        : steps,
  };
}
