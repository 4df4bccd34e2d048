import { notesOf } from '../../../src/agentic/action/card/notes.ts';
import type { ActionView } from '../../../src/agentic/action/view.ts';

/** Answers of tools with everything a view draws, around a text of the test. */
type Fields = Record<string, unknown>;

/** `action`: the whole card, which is for the view alone. */
export const told = (structuredContent: Fields, action?: ActionView) => ({
  content: [],
  structuredContent,
  ...(action && { _meta: { 'svc/view': { action } } }),
});

const HOUR_MS = 3_600_000;
const END = Date.parse('2026-03-02T12:00:00Z');
const at = (hoursBefore: number): string =>
  new Date(END - hoursBefore * HOUR_MS + HOUR_MS).toISOString().replace(/\.\d+Z$/, '+01:00');

/** 24 hours of a point with a gap, a spike, a step and an overdue value; `rows` of them as samples. */
export const trendOf = (name: string, rows = 0): Fields => ({
  deviceId: '11',
  deviceName: name,
  pointId: '12',
  pointName: 'outlet temperature',
  unit: '°C',
  count: 1_380,
  expected: 1_440,
  coverage: 0.958,
  first: { time: at(24), value: 61.2 },
  last: { value: 66.4, ageS: 734, stale: true },
  min: 58.1,
  minAt: at(20),
  max: 91.2,
  maxAt: at(5),
  mean: 63.7,
  p5: 59,
  p50: 63.2,
  p95: 68.4,
  slopePerHour: 0.21,
  sparkline: '▂▂▁▂▃▂▃▃▄▃  ▄▄▅▄▅█▅▅▅▆▅▆',
  gapCount: 1,
  gapS: 3_600,
  gaps: [{ from: at(13), s: 3_600 }],
  spikes: [{ at: at(5), peak: 91.2, s: 40 }],
  changes: [{ at: at(9), kind: 'step', by: 3.1 }],
  comparedToBefore: { mean: -1.4, min: 0.2, max: 12.1 },
  samples: Array.from({ length: rows }, (_, index) => index)
    .map((index) => 24 - (index / Math.max(1, rows - 1)) * 24)
    .filter((hours) => hours > 13 || hours < 12)
    .map((hours) => ({ time: at(hours), value: 61 + 5 * Math.sin(hours / 3) - hours / 12 })),
});

export const statesOf = (name: string): Fields => ({
  deviceId: '11',
  deviceName: name,
  pointId: '13',
  pointName: 'pump',
  unit: '',
  count: 1_440,
  expected: 1_440,
  coverage: 1,
  last: { value: name, ageS: 4, stale: false },
  shares: [
    { value: 'running', share: 0.71 },
    { value: name, share: 0.29 },
  ],
  switches: 14,
});

export const historyOf = (...series: Fields[]): Fields => ({ from: at(24), to: at(0), series });

export const alarmOf = (name: string, more: Fields = {}): Fields => ({
  alarmId: '31',
  state: 'FIRING',
  level: 'P1',
  since: new Date(Date.now() - 4 * HOUR_MS).toISOString(),
  deviceId: '11',
  device: name,
  pointId: '12',
  point: 'outlet temperature',
  rule: name,
  condition: 'above 80 °C for 5 min',
  value: '91.2 °C',
  occurrences: 3,
  confirmed: false,
  notified: [
    { channel: 'mail to the shift', ok: true },
    { channel: name, ok: false, why: name },
  ],
  ...more,
});

export const alarmsOf = (records: Fields[], nextCursor: string | null = null): Fields => ({
  counts: { firing: 2, recoveredUnconfirmed: 1 },
  returned: records.length,
  nextCursor,
  records,
});

export const proposalOf = (name: string, more: Fields = {}): Fields => ({
  pendingConfirmation: true,
  actionId: '0b9f2f0e-5c3a-4d3e-9a55-0d8a5b1a7c11',
  status: 'PENDING',
  deviceId: '11',
  deviceName: name,
  deviceStatus: 'OFFLINE',
  offlineSince: new Date(Date.now() - 3 * HOUR_MS).toISOString(),
  pointId: '14',
  pointName: 'set-point',
  unit: '°C',
  currentValue: '18.0',
  currentAgeS: 42,
  proposedValue: '21.5',
  limits: { min: 5, max: 30 },
  tainted: true,
  conflicts: [{ kind: 'PROPOSED', id: 'x', value: name, by: name }],
  rejectedBefore: { at: new Date(Date.now() - 2 * HOUR_MS).toISOString(), by: name, why: name },
  expiresAt: new Date(Date.now() + 500_000).toISOString(),
  done: false,
  say: `Writing 21.5 °C to set-point of ${name} waits for a human. Nothing is written.`,
  reviewUrl: 'http://127.0.0.1:8000/console/review/0b9f2f0e-5c3a-4d3e-9a55-0d8a5b1a7c11',
  ...more,
});

/** The same of two writes as one. */
export function proposalsOf(name: string): Fields {
  const { deviceName, deviceStatus, pointName, unit, currentValue, proposedValue, ...whole } =
    proposalOf(name, { conflicts: undefined, rejectedBefore: undefined });
  const write = { deviceName, deviceStatus, pointName, unit, currentValue, proposedValue };
  return { ...whole, writes: [write, { ...write, deviceStatus: 'ONLINE', noChange: true }] };
}

const PAST = new Date(Date.now() - 2 * HOUR_MS).toISOString();
const ACTION_ID = '0b9f2f0e-5c3a-4d3e-9a55-0d8a5b1a7c11';

/** The whole card of a proposal with a note of every code, in which every text of others is `name`. */
export function actionOf(name: string, more: Partial<ActionView> = {}): ActionView {
  const facts = {
    kind: 'write' as const,
    actionId: ACTION_ID,
    proposerId: '2',
    proposerName: name,
    reason: name,
    expiresAt: new Date(Date.now() + 500_000).toISOString(),
    tainted: [{ tool: 'searchEvents', field: 'message', of: name, text: name, at: PAST }],
    changes: [`the current value moved from “17” to “${name.replaceAll(/["“”]/g, "'")}”`],
    firmware: null,
    alarm: null,
    onboarding: null,
    ...writeOf(name),
    steps: [],
    ...more,
  };
  return {
    pendingConfirmation: true,
    notes: notesOf(facts),
    actionType: 'writePointValue',
    result: null,
    title: name,
    status: 'PENDING',
    done: false,
    say: `Writing 21.5 °C to set-point of ${name} waits for a human. Nothing is written.`,
    summary: '',
    conversationId: '',
    proposedVia: 'oauth',
    digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    digestRequired: true,
    createTime: PAST,
    decidedBy: null,
    decidedName: '',
    decidedTime: null,
    beforehand: null,
    comment: '',
    moved: '',
    commandId: null,
    command: null,
    ...facts,
  };
}

const others = [
  { kind: 'PROPOSED', id: '11111111-5c3a-4d3e-9a55-0d8a5b1a7c11' },
  { kind: 'UNDER_WAY', id: '22222222-5c3a-4d3e-9a55-0d8a5b1a7c11' },
  { kind: 'UNKNOWN', id: '33333333-5c3a-4d3e-9a55-0d8a5b1a7c11' },
] as const;

const writeOf = (name: string) => ({
  deviceId: '11',
  deviceName: name,
  deviceCode: 'boiler-2',
  deviceStatus: 'online' as const,
  offlineSince: null,
  pointId: '14',
  pointName: 'set-point',
  pointCode: 'set-point',
  unit: '°C',
  currentValue: '18',
  currentTime: PAST,
  currentAge: '2 h old',
  proposedValue: '21.5',
  limits: { min: 5, max: 30, verdict: 'WITHIN' as const },
  deadband: null,
  others: others.flatMap((one) => [
    { ...one, value: '19', by: name },
    // Of a direct write; what became of it is known.
    { ...one, id: one.id.replace(/^\d/, '9'), value: '20', by: '' },
  ]),
  rejectedBefore: { at: PAST, by: name, why: name },
  now: {
    value: '21.50',
    time: PAST,
    age: '2 h old',
    quality: 'GOOD' as const,
    deviceStatus: 'offline' as const,
    neverConnected: false,
    offlineSince: PAST,
    others: others.map(({ kind, id }) => ({ kind, id })),
  },
  wire: {
    driver: 'LwM2mDriver (2)',
    settings: [
      { name: 'point setting path', value: '/3308/0/5900' },
      { name: 'device setting key', value: null },
    ],
    raw: '215',
    scaling: 'raw × 0.1 + 0',
  },
});

/** The same of two writes as one. */
export function actionsOf(name: string): ActionView {
  const step = { status: 'WAITING' as const, say: '', commandId: null, command: null, refusal: '' };
  const first = { ...writeOf(name), ...step };
  return actionOf(name, { steps: [first, { ...first, pointId: '15' }] });
}
