import type { Card } from '../../../src/agentic/action/card/card.ts';
import type { PresentWrite } from '../../../src/agentic/action/card/present.ts';
import type { ActionFacts } from '../../../src/agentic/action/outcome.ts';
import type { CommandFacts } from '../../../src/data/command/facts.ts';

export const SENT = '2026-01-05T08:01:00.000Z';
export const SEEN = { value: '61', time: '2026-01-05T08:02:30.000Z' };
export const write: CommandFacts = {
  type: 'WRITE',
  deviceId: '3',
  deviceName: 'Boiler 1',
  pointId: '10',
  pointName: 'outlet set-point',
  unit: '°C',
  requestValue: '61',
  responseValue: null,
  beforeValue: '60',
  status: 'PENDING',
  verification: 'NONE',
  readBackValue: null,
  errorCode: '',
  sendTime: SENT,
  waits: null,
  seen: null,
  settledTime: null,
  reconfiguredTime: null,
  openUntil: null,
};
export const NOW: PresentWrite = {
  value: '60',
  time: SENT,
  age: '4 min old',
  quality: 'GOOD',
  deviceStatus: 'online',
  neverConnected: false,
  offlineSince: null,
  others: [],
};
const card: Omit<
  Card,
  'version' | 'tenantId' | 'effect' | 'steps' | 'firmware' | 'alarm' | 'onboarding'
> = {
  actionId: '6f9c54b0-6f8f-4c7c-9c55-0d9e37e4a001',
  proposerId: '2',
  proposerName: 'agent',
  deviceId: '3',
  deviceName: 'Boiler 1',
  deviceCode: 'b-1',
  deviceStatus: 'online',
  offlineSince: null,
  pointId: '10',
  pointName: 'outlet set-point',
  pointCode: 'sp',
  unit: '°C',
  currentValue: '60',
  currentTime: SENT,
  proposedValue: '61',
  reason: '',
  limits: { min: null, max: null, verdict: 'NONE_SET' },
  expiresAt: '2026-01-05T08:10:00.000Z',
  deadband: null,
  others: [],
  rejectedBefore: null,
  tainted: [],
  changes: [],
};
export const action: ActionFacts = {
  ...card,
  kind: 'write',
  firmware: null,
  alarm: null,
  onboarding: null,
  result: null,
  currentAge: '4 min old',
  now: NOW,
  wire: null,
  status: 'PENDING',
  decidedName: '',
  decidedTime: null,
  comment: '',
  beforehand: null,
  command: null,
  steps: [],
};

/** What a sentence claims, by the words it is made of. */
export const claims = (say: string) => ({
  effect: / (?:became|was set from|was set to) /.test(say) && !say.startsWith('Not known'),
  none: say.includes('Nothing was written.'),
  waits: say.includes('Not executed:'),
  underWay: /: (?:not sent yet|sent [^,]+, no answer yet)\.$/.test(say),
  other: say.includes(' did not become '),
  unknown: say.startsWith('Not known whether '),
});
export const only = (claim: keyof ReturnType<typeof claims>) => ({
  effect: false,
  none: false,
  waits: false,
  underWay: false,
  other: false,
  unknown: false,
  [claim]: true,
});
