import { describe, expect, it } from 'vitest';

import { type ActionFacts, actionOutcome } from '../../src/agentic/action/outcome.ts';
import type { CommandFacts } from '../../src/data/command/facts.ts';
import { outcomeOf } from '../../src/data/command/outcome.ts';
import { callOutcome } from '../../src/data/write/call-history.ts';
import { action, NOW, SEEN, write } from '../support/cases/outcome.ts';

const POINT = '“outlet set-point” of “Boiler 1”';
const LATER = '2026-01-06T08:01:00.000Z';

describe('the sentence of a write', () => {
  it.each<[string, Partial<CommandFacts>, string]>([
    ['not sent', { sendTime: null }, `Set ${POINT} from 60 °C to 61 °C: not sent yet.`],
    [
      'sent',
      { status: 'SENT' },
      `Set ${POINT} from 60 °C to 61 °C: sent 2026-01-05T08:01:00Z, no answer yet.`,
    ],
    [
      'waiting for a device that sleeps',
      { status: 'SENT', waits: { since: SEEN.time, until: LATER } },
      `Set ${POINT} from 60 °C to 61 °C: waits for the device to wake, which slept 2026-01-05T08:02:30Z; it is sent until 2026-01-06T08:01:00Z, or not at all.`,
    ],
    [
      'slept through',
      { status: 'EXPIRED', errorCode: 'ASLEEP' },
      `${POINT} was not set to 61 °C: the device slept until its time was over (ASLEEP). Nothing was written.`,
    ],
    [
      'read back',
      { status: 'SUCCESS', verification: 'VERIFIED', readBackValue: '61' },
      `${POINT} was 60 °C, became 61 °C: written 2026-01-05T08:01:00Z, read back.`,
    ],
    [
      'accepted only',
      { status: 'SUCCESS', verification: 'UNVERIFIED', errorCode: 'READ_BACK_FAILED' },
      `${POINT} was set from 60 °C to 61 °C: the device accepted it 2026-01-05T08:01:00Z; it was not read back (READ_BACK_FAILED).`,
    ],
    [
      'contradicted',
      { status: 'SUCCESS', verification: 'MISMATCH', readBackValue: '58', errorCode: 'MISMATCH' },
      `${POINT} did not become 61 °C: the device accepted it 2026-01-05T08:01:00Z, but it reads back 58 °C.`,
    ],
    [
      'contradicted by nonsense',
      {
        status: 'SUCCESS',
        verification: 'MISMATCH',
        readBackValue: 'NaN',
        errorCode: 'READ_BACK_INVALID',
      },
      `${POINT} did not become 61 °C: the device accepted it 2026-01-05T08:01:00Z, but what it reads back is no value of the point (“NaN”).`,
    ],
    [
      'refused',
      { status: 'FAILED', errorCode: 'DEVICE_REFUSED' },
      `${POINT} was not set to 61 °C: the device refused it (DEVICE_REFUSED). Nothing was written.`,
    ],
    [
      'too late',
      { status: 'EXPIRED', errorCode: 'EXPIRED' },
      `${POINT} was not set to 61 °C: its time was over before the device was asked (EXPIRED). Nothing was written.`,
    ],
    [
      'unknown',
      { status: 'UNKNOWN', errorCode: 'TIMEOUT', openUntil: LATER },
      `Not known whether ${POINT} became 61 °C (60 °C before): sent 2026-01-05T08:01:00Z, the device did not answer in time (TIMEOUT). A reading can prove it until 2026-01-06T08:01:00Z; look before repeating it.`,
    ],
    [
      'unknown beside another reading',
      { status: 'UNKNOWN', errorCode: 'TIMEOUT', openUntil: LATER, seen: { ...SEEN, value: '60' } },
      `Not known whether ${POINT} became 61 °C (60 °C before): sent 2026-01-05T08:01:00Z, the device did not answer in time (TIMEOUT). The reading of 2026-01-05T08:02:30Z is 60 °C, which does not prove it. A reading can prove it until 2026-01-06T08:01:00Z; look before repeating it.`,
    ],
    [
      'unknown for ever',
      { status: 'DUPLICATE' },
      `Not known whether ${POINT} became 61 °C (60 °C before): sent 2026-01-05T08:01:00Z, it was delivered again, and how the first ended is not known (DUPLICATE). No reading proves it any more.`,
    ],
    [
      'seen later',
      {
        status: 'SUCCESS',
        verification: 'VERIFIED',
        readBackValue: '61',
        settledTime: LATER,
        seen: SEEN,
      },
      `${POINT} was 60 °C, became 61 °C: written 2026-01-05T08:01:00Z without an answer, seen later in the reading of 2026-01-05T08:02:30Z.`,
    ],
  ])('%s', (_, given, say) => {
    expect(outcomeOf({ ...write, ...given }).say).toBe(say);
  });
});

describe('the sentence of an action', () => {
  const decided = { decidedName: 'admin', decidedTime: '2026-01-05T08:00:30.000Z' };
  it.each<[string, Partial<ActionFacts>, string]>([
    [
      'waits',
      { now: { ...NOW, deviceStatus: 'offline' } },
      `Set ${POINT} to 61 °C (now 60 °C, 4 min old). Not executed: it waits for a human to confirm it until 2026-01-05T08:10:00Z. The device is offline now.`,
    ],
    [
      'waits, with another value and a device that came back',
      { deviceStatus: 'offline', now: { ...NOW, value: '55' } },
      `Set ${POINT} to 61 °C (60 °C when proposed; now 55 °C, 4 min old). Not executed: it waits for a human to confirm it until 2026-01-05T08:10:00Z. The device was offline when this was proposed; it is online now.`,
    ],
    [
      'waits, with present facts that were not read',
      { deviceStatus: 'offline', now: null },
      `Set ${POINT} to 61 °C (60 °C when proposed). Not executed: it waits for a human to confirm it until 2026-01-05T08:10:00Z. The device was offline when proposed.`,
    ],
    [
      'confirmed',
      { status: 'CONFIRMED', ...decided },
      `Set ${POINT} to 61 °C (confirmed by “admin”): not sent yet.`,
    ],
    [
      'executed',
      {
        status: 'EXECUTED',
        ...decided,
        command: { ...write, status: 'SUCCESS', verification: 'VERIFIED', readBackValue: '61' },
      },
      `${POINT} was 60 °C, became 61 °C: written 2026-01-05T08:01:00Z, read back, confirmed by “admin”.`,
    ],
    [
      'rejected',
      { status: 'REJECTED', ...decided, comment: 'too warm' },
      `${POINT} was not set to 61 °C: rejected by “admin” 2026-01-05T08:00:30Z, saying “too warm”. Nothing was written.`,
    ],
    [
      'withdrawn',
      { status: 'WITHDRAWN', decidedTime: decided.decidedTime },
      `${POINT} was not set to 61 °C: withdrawn by its proposer “agent” 2026-01-05T08:00:30Z. Nothing was written.`,
    ],
    [
      'expired',
      { status: 'EXPIRED' },
      `${POINT} was not set to 61 °C: not decided until 2026-01-05T08:10:00Z. Nothing was written.`,
    ],
  ])('%s', (_, given, say) => {
    expect(actionOutcome({ ...action, ...given }).say).toBe(say);
  });
});

describe('the sentence of a call', () => {
  const sendTime = '2026-01-05T08:01:00.000Z';
  const facts = {
    commandCode: 'purge',
    deviceName: 'Boiler ”1',
    errorCode: '',
    sendTime,
    waits: null,
  };
  const CALL = "“purge” on “Boiler '1”";

  it.each([
    ['PENDING', { sendTime: null }, false, `Call of ${CALL}: not sent yet.`],
    ['SENT', {}, false, `Call of ${CALL}: sent 2026-01-05T08:01:00Z, no answer yet.`],
    [
      'SENT',
      { waits: { since: sendTime, until: '2026-01-06T08:01:00.000Z' } },
      false,
      `Call of ${CALL}: waits for the device to wake, which slept 2026-01-05T08:01:00Z; it is sent until 2026-01-06T08:01:00Z, or not at all.`,
    ],
    ['SUCCESS', {}, true, `${CALL} was called: sent 2026-01-05T08:01:00Z, the device accepted it.`],
    [
      'FAILED',
      { errorCode: 'DEVICE_REFUSED' },
      false,
      `${CALL} was not done: the device refused it (DEVICE_REFUSED).`,
    ],
    [
      'UNKNOWN',
      { errorCode: 'NO_ANSWER' },
      false,
      `Not known whether ${CALL} was done: sent 2026-01-05T08:01:00Z, its driver did not answer (NO_ANSWER). Look before repeating it.`,
    ],
  ] as const)('%s', (status, more, done, say) => {
    expect(callOutcome({ ...facts, ...more, status })).toMatchObject({ done, say });
  });
});
