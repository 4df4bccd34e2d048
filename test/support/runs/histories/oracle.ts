import { sql } from 'kysely';

import type { Queries } from '../../../../src/db/connect.ts';

/** What the rows say of one write of a proposal, without the code that is judged. */
type WriteTruth = {
  name: string;
  shown: string | null;
  shownStatus: string;
  proposed: string;
  value: string | null;
  device: 'online' | 'offline' | 'never';
  others: {
    id: string;
    kind: string;
    status: number | null;
    commandStatus: number | null;
    command: boolean;
  }[];
};
export type Truth = {
  actionId: string;
  status: number;
  isExpired: boolean;
  isPlan: boolean;
  writes: WriteTruth[];
  /** Stored status and verification of each of its commands, in their order. */
  commands: { status: number; verification: number; settled: boolean }[];
  count: number;
};

/** Reads the rows of every action of the tenant that was proposed since `since`; `now` in ms since the epoch. */
export async function truths(
  q: Queries,
  tenantId: string,
  { since, now }: { since: number; now: number },
): Promise<Truth[]> {
  const at = new Date(now).toISOString();
  const { rows } = await sql<Truth>`
    select a.action_id, a.status, a.expire_time <= ${at}::timestamptz as is_expired,
      a.action_type = 'proposeWrites' as is_plan,
      greatest(1, jsonb_array_length(a.payload->'steps')) as count,
      (select coalesce(jsonb_agg(jsonb_build_object('status', c.status, 'verification', c.verification,
          'settled', c.settled_time is not null) order by c.id), '[]') from svc_point_command_history c
        where c.tenant_id = a.tenant_id and (c.command_id = a.command_id or c.command_id in (
          select command_id from svc_action_step s where s.tenant_id = a.tenant_id and s.action_id = a.action_id)))
        as commands,
      (select jsonb_agg(jsonb_build_object('name', w->>'deviceName', 'shown', w->>'currentValue',
          'shownStatus', w->>'deviceStatus', 'proposed', w->>'proposedValue',
          'value', (select cal_value from svc_point_latest l where l.tenant_id = a.tenant_id
            and l.device_id::text = w->>'deviceId' and l.point_id::text = w->>'pointId'),
          'device', coalesce((select case when e.last_online_time is null then 'never'
              when e.entity_state_flag <> 1 and e.expire_time > ${at}::timestamptz then 'online' else 'offline' end
            from svc_entity_state e where e.tenant_id = a.tenant_id and e.entity_type_flag = 6
              and e.entity_id::text = w->>'deviceId'), 'never'),
          'others', (select coalesce(jsonb_agg(jsonb_build_object('id', o->>'id', 'kind', o->>'kind',
              'status', case when b.status = 0 and b.expire_time <= ${at}::timestamptz then 5 else b.status end,
              'commandStatus', c.status, 'command', b.action_id is null)), '[]')
            from jsonb_array_elements(w->'others') o
            left join svc_action b on b.tenant_id = a.tenant_id and b.action_id::text = o->>'id'
            left join svc_action_step t on t.tenant_id = b.tenant_id and t.action_id = b.action_id
              and t.device_id::text = w->>'deviceId' and t.point_id::text = w->>'pointId'
            left join svc_point_command_history c on c.tenant_id = a.tenant_id and c.command_id::text =
              coalesce(case when b.action_type = 'proposeWrites' then t.command_id else b.command_id end::text,
                case when b.action_id is null then o->>'id' end))))
        from jsonb_array_elements(case when jsonb_array_length(a.payload->'steps') > 0
          then a.payload->'steps' else jsonb_build_array(a.payload) end) w) as writes
    from svc_action a where a.tenant_id = ${tenantId} and a.create_time >= ${new Date(since).toISOString()}::timestamptz
    order by a.id`.execute(q);
  return rows;
}

const PENDING = 0;
const SUCCESS = 2;
const UNDER_WAY = [0, 1];
const NOT_DONE = [3, 5];
const MISMATCH = 2;
const VERIFIED = 1;

/** The status that these rows come to. */
function statusIn({ status, isExpired, isPlan, commands, count }: Truth): string {
  if (status === PENDING) return isExpired ? 'EXPIRED' : 'PENDING';
  if (status === 2) return 'REJECTED';
  if (status === 5) return 'EXPIRED';
  if (status === 6) return 'WITHDRAWN';
  const last = commands.at(-1);
  if (!last) return 'CONFIRMED';
  if (UNDER_WAY.includes(last.status)) return 'CONFIRMED';
  if (NOT_DONE.includes(last.status)) return 'FAILED';
  if (last.status !== SUCCESS) return 'UNKNOWN';
  if (last.verification === MISMATCH) return 'MISMATCH';
  if (!isPlan || commands.length === count) return 'EXECUTED';
  if (last.verification === VERIFIED && !last.settled) return status === 4 ? 'FAILED' : 'CONFIRMED';
  return 'FAILED';
}

const BEGINS: Record<string, RegExp> = {
  EXECUTED: /became|was set|All \d+ writes were made/,
  MISMATCH: /did not become/,
  FAILED: /was not set|Stopped at write/,
  UNKNOWN: /Not known whether/,
  REJECTED: /rejected by/,
  WITHDRAWN: /withdrawn by/,
  EXPIRED: /not decided until/,
  CONFIRMED: /not sent yet|no answer yet|under way|the next one follows/,
};

type Shown = Record<'values' | 'devices', string[]>;
type Said = { status: string | null; say: string; page?: Shown | undefined };

/** What is wrong with a sentence about these rows, and with the status beside it, null: none; empty: nothing. */
export function wrongIn(truth: Truth, { status, say, page }: Said): string[] {
  const right = statusIn(truth);
  if (status !== null && status !== right) return [`is ${status}, but its rows are ${right}`];
  if (right !== 'PENDING')
    return [
      ...(BEGINS[right]?.test(say) ? [] : [`does not say ${right}`]),
      ...(/\bnow\b|when (?:this was )?proposed/.test(say)
        ? ['says now of what does not wait']
        : []),
    ];
  if (page) return wrongOnPage(truth, page);
  return truth.writes.flatMap((write, index) => wrongOfWrite(truth, write, index, say));
}

/** Null for a text that begins with no number. */
function numberIn(text: string | null = null): number | null {
  const number = Number.parseFloat(text ?? '');
  return Number.isNaN(number) ? null : number;
}

const CHIPS = { online: 'online', offline: 'offline', never: 'not known' };

const wrongOnPage = ({ writes }: Truth, { values, devices }: Shown): string[] =>
  writes.flatMap(({ value, device }, index) => [
    ...(numberIn(values[index]) === numberIn(value)
      ? []
      : [`write ${index + 1} is at ${value}, and shows ${values[index]}`]),
    ...(devices[index] === CHIPS[device]
      ? []
      : [`write ${index + 1}: its device is ${device}, and shown ${devices[index]}`]),
  ]);

function wrongOfWrite(truth: Truth, write: WriteTruth, index: number, say: string): string[] {
  const { value, shown, proposed, device, shownStatus } = write;
  const number = index + 1;
  const isMoved = value !== shown && Number(value) !== Number(shown);
  const now = value === null ? 'not known now' : `now ${value} °C`;
  const moved = `${shown === null ? 'not known' : `${shown} °C`} when proposed; ${now}`;
  const is = (of: RegExp | string): boolean =>
    typeof of === 'string' ? say.includes(of) : of.test(say);
  const ofDevice = (one: string, several: string): boolean =>
    truth.isPlan
      ? is(
          new RegExp(
            `The devices? of writes? (?:\\d+, )*${number}(?:, \\d+)* (?:${one}|${several})`,
          ),
        )
      : is(new RegExp(`The device ${one}`));
  const claims: [string, boolean, boolean][] = [
    [
      'the moved value',
      isMoved,
      is(truth.isPlan ? `value of write ${number} moved: ${moved}` : moved),
    ],
    ...(truth.isPlan
      ? []
      : ([
          ['the present value', !isMoved, is(value === null ? '(now not known' : `(${now}`)],
        ] satisfies [string, boolean, boolean][])),
    ['is offline now', device === 'offline', ofDevice('is offline now', 'are offline now')],
    [
      'never connected',
      device === 'never',
      ofDevice('has never connected', 'have never connected'),
    ],
    [
      'online again',
      device === 'online' && shownStatus === 'offline',
      ofDevice('was offline when this was proposed', 'were offline when this was proposed'),
    ],
    ...(truth.isPlan
      ? []
      : ([
          [
            'this value already',
            value !== null && Number(value) === Number(proposed),
            is('The point has this value already.'),
          ],
        ] satisfies [string, boolean, boolean][])),
  ];
  const wrong = claims.flatMap(([what, should, does]) =>
    should === does ? [] : [`write ${number}: ${should ? 'does not say' : 'says'} ${what}`],
  );
  // Several writes say a part of their notes.
  return truth.isPlan
    ? wrong
    : [...wrong, ...write.others.flatMap((one) => wrongOfOther(one, say))];
}

const SINCE: Record<string, string> = {
  PROPOSED: 'waits',
  UNDER_WAY: 'is under way',
  UNKNOWN: 'not known whether',
  EXECUTED: 'it is known now that it happened',
  MISMATCH: 'holds another value',
  FAILED: 'it did not happen',
  REJECTED: 'it was rejected',
  EXPIRED: 'it expired',
  WITHDRAWN: 'it was withdrawn',
  NOT_SENT: 'it was not sent',
};

function wrongOfOther(other: WriteTruth['others'][number], say: string): string[] {
  const at = say.indexOf(other.id);
  const sentence = say.slice(Math.max(0, say.lastIndexOf('. ', at)), at);
  const words = SINCE[kindOf(other)] ?? '?';
  const isOld = kindOf(other) !== other.kind;
  return at >= 0 &&
    sentence.includes(words) &&
    sentence.includes('when this was proposed') === isOld
    ? []
    : [`of the other write ${other.id} (${kindOf(other)}) it says “${sentence}”`];
}

function kindOf({ status, commandStatus }: WriteTruth['others'][number]): string {
  if (commandStatus !== null) {
    if (UNDER_WAY.includes(commandStatus)) return 'UNDER_WAY';
    if (NOT_DONE.includes(commandStatus)) return 'FAILED';
    return commandStatus === SUCCESS ? 'EXECUTED' : 'UNKNOWN';
  }
  const kinds = [
    'PROPOSED',
    'UNDER_WAY',
    'REJECTED',
    'NOT_SENT',
    'NOT_SENT',
    'EXPIRED',
    'WITHDRAWN',
  ];
  return kinds[status ?? -1] ?? 'NOT_SENT';
}
