import type { InputOf } from '../../client/call.ts';
import { now } from '../../client/clock.ts';

/** What a person has entered so far; numbers as they were typed. */
export type Draft = {
  principalId: string;
  deviceId: string;
  pointId: string;
  min: string;
  max: string;
  maxStep: string;
  maxPerHour: string;
  hours: string;
  maxUses: string;
  reason: string;
};

const HOUR_MS = 3_600_000;

export const draftOf = (): Draft => ({
  principalId: '',
  deviceId: '',
  pointId: '',
  min: '',
  max: '',
  maxStep: '',
  maxPerHour: '4',
  hours: '8',
  maxUses: '10',
  reason: '',
});

/** Whether everything that is needed was entered; what is wrong with it the server says. */
export const isWhole = ({ reason: _reason, ...needed }: Draft): boolean =>
  Object.values(needed).every((text) => text.trim() !== '');

export const inputOf = (draft: Draft): InputOf<'POST /agentic/approval/preview'> => ({
  principalId: draft.principalId,
  points: [
    {
      deviceId: draft.deviceId,
      pointId: draft.pointId,
      min: Number(draft.min),
      max: Number(draft.max),
      maxStep: Number(draft.maxStep),
      maxPerHour: Number(draft.maxPerHour),
    },
  ],
  until: new Date(
    Math.floor(now() / 60_000) * 60_000 + Number(draft.hours) * HOUR_MS,
  ).toISOString(),
  maxUses: Number(draft.maxUses),
  reason: draft.reason,
});
