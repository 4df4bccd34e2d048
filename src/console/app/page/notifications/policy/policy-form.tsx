import { useAsk } from '../../../client/ask.ts';
import { bounds } from '../../../client/bounds.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { FormDialog } from '../../../part/control/dialog.tsx';
import {
  Check,
  Checks,
  Choice,
  optionsIn,
  optionsOf,
  TextField,
} from '../../../part/control/field.tsx';
import { useForm } from '../../../part/control/form.ts';
import { policiesWords } from '../../../word/policies.ts';
import { Says } from './bind-form.tsx';
import {
  MINUTE_MS,
  MOST,
  MOST_CHANNELS,
  type PolicyContent,
  policyOf,
  type Step,
} from './content.ts';
import { Amount } from './entered.tsx';
import { GroupingFields } from './grouping.tsx';
import { areWhole, isRotaWhole } from './hours-text.ts';
import { Windows, Zones } from './hours.tsx';
import { saysOf } from './policy-says.ts';
import { Steps } from './steps.tsx';

type Policy = Schemas['NotifyPolicy'];
type Given = {
  policy: Policy | null;
  channels: readonly Schemas['NotifyChannel'][];
  onClose(): void;
};

const BOUNDS = bounds['POST /data/notify/add'];
const TYPES = BOUNDS['notifyExt.content.alarmTypes'].values;
/** Alarms of a rule go to the policy that the rule names. */
const SHOWN_TYPES = TYPES.filter((type) => type !== 'RULE');

/** An alarm that comes and goes 60 times an hour is then 12 firings; what fires when it is over is still sent. */
const NEW_INTERVAL_MS = 5 * MINUTE_MS;

const isStepWhole = ({ channels, afterMs, onFailure = false, onCall }: Step): boolean =>
  channels.length > 0 && (onFailure || afterMs !== undefined) && isRotaWhole(onCall);

const isWhole = ({ silence, escalation }: PolicyContent): boolean =>
  areWhole(silence?.windows ?? []) && (escalation ?? []).every(isStepWhole);

/** Adds a policy, or changes one; what this form does not show stays as it is. */
export function PolicyForm({ policy, channels, onClose }: Given) {
  const w = policiesWords();
  const bound = useBound(policy, channels);
  const form = useForm(policy ? 'POST /data/notify/update' : 'POST /data/notify/add', {
    fields: {
      notifyName: policy?.notifyName ?? '',
      notifyInterval: policy?.notifyInterval ?? NEW_INTERVAL_MS,
      autoConfirmFlag: policy?.autoConfirmFlag ?? ('MANUAL' as const),
      messageId: policy?.messageId ?? '0',
      content: policy ? policyOf(policy) : {},
    },
    needs: ['notifyName'],
    input: ({ content, ...fields }) =>
      isWhole(content)
        ? {
            ...(policy && { id: policy.id }),
            ...fields,
            notifyExt: { ...policy?.notifyExt, content },
          }
        : null,
    done: onClose,
  });
  const { content, ...own } = form.values;
  const { recovery, silence } = content;
  const put = (part: Partial<PolicyContent>): void =>
    form.set({ content: { ...content, ...part } });
  return (
    <FormDialog
      title={policy ? w.change(policy.notifyName) : w.add}
      {...(!policy && { go: w.add })}
      {...form.sends}
      isWide
      onClose={onClose}
    >
      <Zones />
      <TextField label={w.name} {...form.of('notifyName')} />
      <HowOften
        notifyInterval={own.notifyInterval}
        content={content}
        put={put}
        setInterval={(notifyInterval) => form.set({ notifyInterval })}
      />
      <Check
        label={w.tellsEnd}
        value={recovery?.enabled !== false && recovery?.sendRecoveryMessage !== false}
        onChange={(isOn) =>
          put({
            recovery: {
              ...recovery,
              enabled: isOn || (recovery?.autoConfirmOnRecovery ?? false),
              sendRecoveryMessage: isOn,
            },
          })
        }
      />
      <Check
        label={w.confirms}
        value={own.autoConfirmFlag === 'AUTO'}
        onChange={(isOn) => form.set({ autoConfirmFlag: isOn ? 'AUTO' : 'MANUAL' })}
      />
      <WithoutRule
        {...form.of('messageId')}
        types={content.alarmTypes}
        setTypes={(alarmTypes) => put({ alarmTypes })}
      />
      <fieldset>
        <legend>{w.quiet}</legend>
        <Windows
          isZoned
          windows={silence?.windows ?? []}
          onChange={(windows) => put({ silence: { ...silence, windows } })}
        />
        {silence?.enabled === false && (
          <Check
            label={w.quietApply}
            value={false}
            onChange={(enabled) => put({ silence: { ...silence, enabled } })}
          />
        )}
      </fieldset>
      <GroupingFields content={content} put={put} />
      <Steps content={content} channels={bound} put={put} />
      <Says
        text={saysOf({
          ...own,
          content,
          nameOf: (channelId) =>
            channels.find(({ id }) => id === channelId)?.channelName ?? channelId,
        })}
        isWhole={isWhole(content)}
      />
    </FormDialog>
  );
}

type Often = {
  notifyInterval: number;
  content: PolicyContent;
  put(part: Partial<PolicyContent>): void;
  setInterval(ms: number): void;
};

/** The limit of firings, and the reminders. A limit of its own goes before the interval of the policy. */
function HowOften({ notifyInterval, content: { rateLimit, repeat }, put, setInterval }: Often) {
  const w = policiesWords();
  const intervalMs = rateLimit?.intervalMs ?? notifyInterval;
  return (
    <>
      <div class="fields">
        <Amount
          label={w.interval}
          hint={w.intervalHint}
          bound={BOUNDS['notifyExt.content.rateLimit.intervalMs']}
          unit={MINUTE_MS}
          value={intervalMs}
          onChange={(ms = 0) =>
            rateLimit ? put({ rateLimit: { ...rateLimit, intervalMs: ms } }) : setInterval(ms)
          }
        />
        <Amount
          label={w.firings}
          bound={BOUNDS['notifyExt.content.rateLimit.maxCount']}
          value={rateLimit?.maxCount ?? 1}
          onChange={(maxCount = 1) => put({ rateLimit: { ...rateLimit, intervalMs, maxCount } })}
        />
      </div>
      <Check
        label={w.repeats}
        value={repeat?.enabled ?? false}
        onChange={(enabled) => put({ repeat: { ...repeat, enabled } })}
      />
      {repeat?.enabled && (
        <div class="fields">
          <Amount
            label={w.every}
            bound={BOUNDS['notifyExt.content.repeat.intervalMs']}
            unit={MINUTE_MS}
            value={repeat.intervalMs ?? 60 * MINUTE_MS}
            onChange={(ms) => put({ repeat: { ...repeat, intervalMs: ms } })}
          />
          <Amount
            label={w.times}
            bound={BOUNDS['notifyExt.content.repeat.maxTimes']}
            value={repeat.maxTimes ?? 24}
            onChange={(maxTimes) => put({ repeat: { ...repeat, maxTimes } })}
          />
        </div>
      )}
    </>
  );
}

type Unruled = {
  /** The message template. */
  value: string;
  onChange(messageId: string): void;
  wrong: string | undefined;
  types: PolicyContent['alarmTypes'];
  setTypes(types: PolicyContent['alarmTypes']): void;
};

/** The alarms that no rule raised and the policy sends, and in which words. */
function WithoutRule({ types = [], setTypes, ...of }: Unruled) {
  const w = policiesWords();
  const { data } = useAsk(
    'POST /data/message/list',
    may('svc-center-data:message:list') ? { page: { current: 1, size: MOST } } : null,
  );
  return (
    <fieldset>
      <legend>{w.types}</legend>
      <Checks
        value={types}
        onChange={(chosen) => setTypes(TYPES.filter((type) => chosen.includes(type)))}
        options={optionsIn(SHOWN_TYPES, w.says.type)}
      />
      {data && (
        <Choice
          label={w.template}
          {...of}
          options={optionsOf(['0', w.noTemplate], data.records, 'messageName')}
        />
      )}
    </fieldset>
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
