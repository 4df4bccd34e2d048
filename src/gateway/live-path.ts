import type { JsonSchema } from '../kernel/input/json-schema.ts';
import { LiveEnd, LiveEvent, LiveGap, LiveSync, LiveValue } from '../live/answer.ts';
import { LIVE_PATH } from './live.ts';
import { events } from './openapi/answer-reference.ts';
import { INTERACTIVE } from './openapi/operation.ts';

/** The data of each event, by its name in the document. */
export const liveAnswers = { LiveSync, LiveValue, LiveEvent, LiveGap, LiveEnd };

const failure = { $ref: '#/components/responses/Failure' };

const list = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: 'query',
  required: false,
  description,
  style: 'form',
  explode: false,
  schema: { type: 'array', items: { type: 'string' }, maxItems: 200 },
  examples: { usual: { value: [example] } },
});

/** The stream of what a page shows (docs/specification/endpoints.md, Live stream). */
export const livePaths: Record<string, JsonSchema> = {
  [LIVE_PATH]: {
    get: {
      operationId: 'data.live',
      tags: ['data: live'],
      summary: 'Streams values, alarms, actions, receipts and the status of devices as they change',
      parameters: [
        list('points', 'DEVICE:POINT, the points whose values are told', '7312:41'),
        list('devices', 'The devices whose status is told', '7312'),
        {
          name: 'cursor',
          in: 'query',
          required: false,
          description: 'Id of an earlier event, to miss none after it; also as Last-Event-ID',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          description:
            'Events: sync (LiveSync) first, then value (LiveValue), device, alarm, action and receipt (LiveEvent), ' +
            'resume-gap (LiveGap) where the cursor is too old, and end (LiveEnd) last',
          content: events('Events, each with its name', ...Object.keys(liveAnswers)),
        },
        401: failure,
        403: failure,
        '4XX': failure,
      },
      security: [...INTERACTIVE, { oauth: ['svc:read'] }, { key: ['svc:read'] }],
      'x-scope': 'svc:read',
      'x-ai-risk': { riskLevel: 'LOW', destructive: false, idempotent: true, openWorld: false },
    },
  },
};
