import { z } from 'zod';

import type { Payload } from '../../bus/topic/topics.ts';
import { MAX_TRACED, MAX_TRACED_VALUES } from '../../bus/topic/trace-topic.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { NotFound } from '../../kernel/errors.ts';
import { EntityType } from '../entity/entity-type.ts';
import type { OfDevice } from '../entity/of.ts';
import { objectOf } from '../object/objects.ts';
import { askTrace } from './ask.ts';
import { valueOfBytes } from './value-of-bytes.ts';

const Content = z.object({
  format: z
    .string()
    .describe('Empty where the payload names none')
    .meta({ examples: ['TLV'] }),
  bytes: z.number().int(),
  values: z
    .array(
      z.object({
        path: z.string().meta({ examples: ['/3303/0/5700'] }),
        resourceName: z.string().describe('Empty where the object registry does not know it'),
        value: z.string(),
      }),
    )
    .describe(`At most ${MAX_TRACED_VALUES}`),
  leftOut: z.number().int().describe('Values beyond these'),
  text: z.string().describe('What is no value of a resource, as links'),
  note: z.string().describe('Why the content is not here; empty where it is'),
});

const Exchange = z.object({
  at: IsoTime.describe('When it began'),
  ms: z.number().int().nullable().describe('Until it ended; null: it goes on, or is a report'),
  from: z.enum(['PLATFORM', 'DEVICE']),
  operation: z.string().meta({ examples: ['READ'] }),
  method: z
    .string()
    .describe('Of CoAP; empty for a report')
    .meta({ examples: ['GET'] }),
  path: z.string().meta({ examples: ['/3303/0/5700'] }),
  resourceName: z.string().describe('Empty where the object registry does not know it'),
  query: z.string(),
  request: Content.nullable().describe('Payload of the request or report'),
  code: z
    .string()
    .describe('Of the answer; empty without one')
    .meta({ examples: ['2.05'] }),
  answer: Content.nullable(),
  failure: z.string().describe('Why there is no answer; empty where there is one or it is due'),
  sent: z.number().int().describe('Datagrams that the platform sent for it'),
  repeated: z.number().int().describe('How many of them were sent again'),
  times: z.number().int().describe('How often the same was refused, one time after the other'),
  address: z.string().meta({ examples: ['192.0.2.7:5683'] }),
  secure: z.boolean().describe('The peer proved a key (DTLS)'),
});

export const DeviceTrace = z.object({
  deviceId: AnswerId,
  stored: z.boolean().describe('false: its driver stores no exchanges'),
  since: IsoTime.nullable().describe('Since when its driver stores them: since its start'),
  dropped: z.number().int().describe('Exchanges since then that are not stored any more'),
  exchanges: z.array(Exchange).describe(`The oldest first, at most ${MAX_TRACED}`),
});
type DeviceTrace = z.output<typeof DeviceTrace>;

/** Names of resources of which no value is answered, in whatever object. */
const SECRET = /key|secret|passw|passphrase|passcode|\bpsk\b|\bpin\b|token|credential/i;
const HIDDEN = 'hidden: it may be a secret';

/** The last exchanges with a device, from the memory of its driver. Throws NotFound, Unavailable, TooManyRequests. */
export const traceOf: Operation<OfDevice, DeviceTrace> = async (
  app,
  { tenantId },
  { deviceId },
) => {
  const place = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_device as d')
      .innerJoin('svc_driver as v', (join) =>
        join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
      )
      .leftJoin('svc_entity_state as s', (join) =>
        join
          .onRef('s.tenantId', '=', 'd.tenantId')
          .onRef('s.entityId', '=', 'd.id')
          .on('s.entityTypeFlag', '=', EntityType.DEVICE),
      )
      .select(['v.driverCode', 's.node'])
      .where('d.tenantId', '=', tenantId)
      .where('d.id', '=', deviceId)
      .executeTakeFirst(),
  );
  if (!place) throw new NotFound('Device');
  const { driverCode, node } = place;
  const { trace } = await askTrace(app, { tenantId, deviceId, driverCode, node: node ?? '' });
  if (!trace) return { deviceId, stored: false, since: null, dropped: 0, exchanges: [] };
  return {
    deviceId,
    stored: true,
    since: new Date(trace.since).toISOString(),
    dropped: trace.dropped,
    exchanges: trace.exchanges.map(named),
  };
};

type Traced = NonNullable<Payload<'svc.e.trace'>['trace']>['exchanges'][number];

const named = ({ at, request, answer, ...rest }: Traced): DeviceTrace['exchanges'][number] => ({
  ...rest,
  at: new Date(at).toISOString(),
  resourceName: nameAt(rest.path),
  request: request && withNames(request, rest.path),
  answer: answer && withNames(answer, rest.path),
});

function withNames({ values, text, note, ...rest }: NonNullable<Traced['request']>, path: string) {
  const isHidden = text !== '' && SECRET.test(nameAt(path));
  return {
    ...rest,
    text: isHidden ? '' : text,
    note: isHidden ? HIDDEN : note,
    values: values.map(({ path: at, value, untyped }) => {
      const resourceName = nameAt(at);
      if (SECRET.test(resourceName)) return { path: at, resourceName, value: HIDDEN };
      const type = untyped && resourceAt(at)?.resource?.type;
      return { path: at, resourceName, value: type ? valueOfBytes(value, type) : value };
    }),
  };
}

/** What the registry knows at a path; null where it does not know the object. */
function resourceAt(path: string) {
  const [, objectId = '', , resourceId] = path.split('/');
  const object = /^\d+$/.test(objectId) ? objectOf(Number(objectId)) : null;
  return (
    object && { object, resource: object.resources.find(({ id }) => String(id) === resourceId) }
  );
}

/** Object and resource at a path, as the registry names them; empty where it does not know the object. */
function nameAt(path: string): string {
  const found = resourceAt(path);
  if (!found) return '';
  return found.resource ? `${found.object.name}: ${found.resource.name}` : found.object.name;
}
