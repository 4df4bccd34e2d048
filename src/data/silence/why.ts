import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { NotFound } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { joinedLatest } from '../value/latest-value.ts';
import { circumstancesOf, withCircumstances } from './circumstances.ts';
import { sentenceOf } from './sentence.ts';
import { CAUSES, silenceOf } from './silence.ts';

export const WhyQuery = input({ deviceId: Id, pointId: Id });
type WhyQuery = z.infer<typeof WhyQuery>;

export const Why = z
  .object({
    deviceId: AnswerId,
    pointId: AnswerId,
    cause: z.enum(CAUSES).describe('The first that was found; ARRIVING: there is a fresh value'),
    sentence: z.string().meta({
      description: 'The cause and the next step; texts of drivers and devices are quoted',
      examples: [
        'the device refused the read (“the device answered 4.04”); correct the path of the point',
      ],
    }),
    causeTime: IsoTime.nullable().describe('Since when; of VALUE_DUE until when'),
    said: z.string().nullable().describe('Words of the driver or the device'),
    ageS: z.number().int().nullable().describe('Of the latest value; null without one'),
    expectedIntervalS: z.number().describe('Seconds between two values, as its driver declares'),
  })
  .meta({ id: 'Why' });
type Why = z.output<typeof Why>;

/** Why a point has no fresh and good value, and what to do about it. Throws NotFound. */
export const why: Operation<WhyQuery, Why> = (
  app,
  { tenantId, timezone = 'UTC' },
  { deviceId, pointId },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    const pair = joinedLatest(q, tenantId).where('d.id', '=', deviceId).where('p.id', '=', pointId);
    const row = await withCircumstances(pair, q, tenantId, now).executeTakeFirst();
    if (!row) throw new NotFound('Point of this device');
    const known = circumstancesOf(row, now);
    const found = silenceOf(known, now);
    return {
      deviceId,
      pointId,
      cause: found.cause,
      sentence: sentenceOf(found, known, timezone),
      causeTime: found.at === null ? null : new Date(found.at).toISOString(),
      said: found.said,
      ageS: known.latest?.ageS ?? null,
      expectedIntervalS: known.intervalMs / 1000,
    };
  });
