import { readBy } from '../../../auth/agent/read-texts.ts';
import type { Queries } from '../../../db/connect.ts';
import type { Caller } from '../../../kernel/app/app.ts';
import type { Card, WriteCard } from './card.ts';

export type Proposer = Pick<Caller, 'tenantId' | 'principalId' | 'name' | 'clientId'> &
  Partial<Pick<Caller, 'principalType'>>;

/** What a card of any kind is made with. */
export type Framed = {
  actionId: string;
  reason: string;
  /** Of the card before; absent: what the proposer has read by now. */
  tainted?: Card['tainted'] | undefined;
  now: number;
};

/** The part of a card that all kinds have. */
export async function frameOf(
  q: Queries,
  proposer: Proposer,
  { actionId, reason, tainted, now }: Framed,
  lifeMs: number,
) {
  return {
    version: 1 as const,
    actionId,
    tenantId: proposer.tenantId,
    proposerId: proposer.principalId,
    proposerName: proposer.name,
    reason,
    expiresAt: new Date(now + lifeMs).toISOString(),
    steps: [],
    firmware: null,
    alarm: null,
    onboarding: null,
    tainted: tainted ?? (await readBy(q, proposer, now)),
    changes: [],
  } satisfies Omit<Card, keyof WriteCard>;
}

/** What a card says of a write that is none. */
export const NO_WRITE: WriteCard = {
  deviceId: '',
  deviceName: '',
  deviceCode: '',
  deviceStatus: 'unknown',
  offlineSince: null,
  pointId: '',
  pointName: '',
  pointCode: '',
  unit: '',
  currentValue: null,
  currentTime: null,
  proposedValue: '',
  limits: { min: null, max: null, verdict: 'NONE_SET' },
  deadband: null,
  effect: {},
  others: [],
  rejectedBefore: null,
};
