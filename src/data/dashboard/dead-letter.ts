import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { demandPlatform } from '../../auth/permission/platform.ts';
import type { Which } from '../../bus/dead-letter.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { IsoTime } from '../../kernel/entity/answer.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { input } from '../../kernel/input/input.ts';

const MAX_LIST = 500;
const MAX_IDS = 1_000;

export const DeadQuery = input({
  limit: z.coerce.number().int().min(1).max(MAX_LIST).default(100),
});

/** Letters by id, or all of them by an explicit flag, so that an empty body does nothing. */
export const WhichDead = input({
  ids: z.array(z.string().min(1).max(600)).min(1).max(MAX_IDS).optional(),
  all: z.boolean().default(false),
});
type WhichDead = z.infer<typeof WhichDead>;

/** A message that no consumer could take (docs/specification/bus.md, Dead letters). */
const DeadMessage = z
  .object({
    id: z.string(),
    topic: z.string().meta({ examples: ['svc.e.value'] }),
    queue: z.string().meta({
      description: 'The queue it was taken from; a replay returns it there',
      examples: ['svc.q.value'],
    }),
    messageId: z.string(),
    reason: z.string().meta({
      description: 'rejected: every attempt failed, or it does not match the schema of its topic',
      examples: ['rejected'],
    }),
    bytes: z.number().int(),
    time: IsoTime,
  })
  .meta({ id: 'DeadLetter' });

export const DeadPage = z.object({
  total: z.number().int(),
  forgotten: z.number().int().describe('Letters dropped for space since the start of this process'),
  letters: z.array(DeadMessage),
});
type DeadPage = z.output<typeof DeadPage>;

/** Dead letters, oldest first, without their payload, which may belong to any tenant. */
export const list: Operation<z.infer<typeof DeadQuery>, DeadPage> = async (
  app,
  caller,
  { limit },
) => {
  await onlyPlatform(app, caller);
  const { letters, ...counts } = await app.bus.dead.list(limit);
  return {
    ...counts,
    letters: letters.map(({ at, ...letter }) => ({ ...letter, time: at.toISOString() })),
  };
};

/** Puts dead letters back into their queues; answers how many. */
export const replay: Operation<WhichDead, number> = async (app, caller, given) => {
  await onlyPlatform(app, caller);
  const which = whichOf(given);
  const replayed = await app.bus.dead.replay(which);
  await recordDead(app, caller, { action: 'UPDATE', which, count: replayed });
  app.log.info({ replayed, by: caller.principalId }, 'dead letters were put back');
  return replayed;
};

/** Removes dead letters for good; answers how many. */
export const drop: Operation<WhichDead, number> = async (app, caller, given) => {
  await onlyPlatform(app, caller);
  const which = whichOf(given);
  const dropped = await app.bus.dead.drop(which);
  await recordDead(app, caller, { action: 'DELETE', which, count: dropped });
  app.log.warn({ dropped, by: caller.principalId }, 'dead letters were dropped');
  return dropped;
};

const MAX_IDS_TOLD = 20;

type Did = { action: 'UPDATE' | 'DELETE'; which: Which; count: number };

/** Keeps in the audit log of the platform who put dead letters back (UPDATE) or removed them. */
export const recordDead = (
  app: App,
  who: Pick<Caller, 'tenantId' | 'principalId' | 'principalType'>,
  { action, which, count }: Did,
): Promise<void> =>
  inTenant(app.db, who.tenantId, (q) =>
    audit(app, q, who, {
      action,
      resourceType: 'DEAD_LETTER',
      resourceId: '0',
      resourceName: which === 'all' ? 'all' : `${which.length} named`,
      detail: { count, ...(which !== 'all' && { ids: which.slice(0, MAX_IDS_TOLD) }) },
    }),
  );

function whichOf({ ids, all }: WhichDead): Which {
  if (all === (ids !== undefined)) throw new BadRequest('Give either ids or all: true');
  return ids ?? 'all';
}

const onlyPlatform = (app: App, caller: Caller): Promise<void> =>
  inOneTrip(app.db, caller.tenantId, (q) => demandPlatform(q, caller));
