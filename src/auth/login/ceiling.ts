import { createHash } from 'node:crypto';

import { sql } from 'kysely';

import { inOneTripAcrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import type { HashClient } from '../credential/hash-gate.ts';
import { afterAnswer } from './failure.ts';
import { noteGuessed } from './guessed.ts';
import { type Attempter, LOGIN_THROTTLE } from './throttle.ts';

/** Failures of a name from sources that are not known, within a day (NIST SP 800-63B 5.2.2). */
const MAX_FAILURES = 100;
const DAY_MS = 86_400_000;
const FIRST_WAIT_S = 60;
const MAX_WAIT_S = 3_600;
/** Sources that a name has logged in from. */
const MAX_SOURCES = 16;
const SWEEP_EVERY_MS = 60_000;
/** Names without a login so far: those with the most failures are kept. */
const MAX_NAMES = 50_000;

const CEILING = slot(() => ({ sweptMs: 0 }));

type Attempt<T> = (client: HashClient) => Promise<T | undefined>;

/**
 * Runs an attempt under the throttle of its source and under the ceiling of its name: after 100 failures within a day
 * sources that the name never logged in from wait for longer and longer, a minute to an hour; known sources never do.
 * Names that do not exist count like others. The count is in the database, for every node. Throws TooManyRequests
 * (429) with the seconds to wait.
 */
export function attemptLogin<T>(
  app: App,
  who: Attempter & { tenant: string; login: string },
  attempt: Attempt<T>,
): Promise<T | undefined> {
  return app.of(LOGIN_THROTTLE).attempt(who, async (client) => {
    const { failures, isKnown } = await enter(app, who);
    const result = await attempt({ ...client, isKnown: client.isKnown || isKnown }).catch(
      async (error: unknown) => {
        // No password was compared.
        if (!isKnown) await leave(app, who);
        throw error;
      },
    );
    if (result !== undefined) await passed(app, who);
    else if (!isKnown && failures === MAX_FAILURES)
      await afterAnswer(app, () => noteGuessed(app, { ...who, failures }));
    await sweep(app);
    return result;
  });
}

const digestOf = ({ name }: Attempter): string =>
  createHash('sha256').update(name).digest('base64url');

/** Counts the attempt of an unknown source as a failure before it is one, so that no burst outruns the count. */
async function enter(app: App, who: Attempter): Promise<{ failures: number; isKnown: boolean }> {
  const at = app.clock.now();
  const [now, dayAgo] = [new Date(at), new Date(at - DAY_MS)];
  const digest = digestOf(who);
  const { rows } = await inOneTripAcrossTenants(app.db, 'login', (q) =>
    sql<{ failures: number; isKnown: boolean }>`
      insert into svc_login_name as kept (name_digest, failures, since, last_time, used_time)
      values (${digest}, 1, ${now}, ${now}, ${now})
      on conflict (name_digest) do update set
        failures = case when ${who.source} = any (kept.sources) then kept.failures
          when kept.since <= ${dayAgo} then 1 else kept.failures + 1 end,
        since = case when ${who.source} <> all (kept.sources) and kept.since <= ${dayAgo}
          then ${now} else kept.since end,
        last_time = case when ${who.source} = any (kept.sources) then kept.last_time else ${now} end,
        used_time = ${now}
      where ${who.source} = any (kept.sources) or kept.since <= ${dayAgo}
        or kept.failures < ${MAX_FAILURES} or kept.last_time + ${wait} <= ${now}
      returning failures, ${who.source} = any (sources) as is_known`.execute(q),
  );
  const [entered] = rows;
  if (entered) return entered;
  throw new TooManyRequests('Too many failed attempts', await secondsLeft(app, digest, now));
}

/** One minute after the hundredth failure, then two, at most an hour. */
const wait = sql`make_interval(secs => least(${sql.lit(MAX_WAIT_S)},
  ${sql.lit(FIRST_WAIT_S)} * 2 ^ least(kept.failures - ${sql.lit(MAX_FAILURES)}, 10)))`;

async function secondsLeft(app: App, digest: string, now: Date): Promise<number> {
  const { rows } = await inOneTripAcrossTenants(app.db, 'login', (q) =>
    sql<{ left: number }>`
      select ceil(extract(epoch from kept.last_time + ${wait} - ${now}))::int as left
      from svc_login_name kept where name_digest = ${digest}`.execute(q),
  );
  return Math.max(1, rows[0]?.left ?? 1);
}

/** The source is known from now on. Only a success from a source that was not ends the count. */
async function passed(app: App, who: Attempter): Promise<void> {
  const now = new Date(app.clock.now());
  const { source } = who;
  await inOneTripAcrossTenants(app.db, 'login', (q) =>
    sql`update svc_login_name set
      failures = case when ${source} = any (sources) then failures else 0 end,
      used_time = ${now},
      sources = (array_append(array_remove(sources, ${source}), ${source}))
        [greatest(cardinality(array_remove(sources, ${source})) - ${sql.lit(MAX_SOURCES - 2)}, 1):]
      where name_digest = ${digestOf(who)}`.execute(q),
  );
}

async function leave(app: App, who: Attempter): Promise<void> {
  await inOneTripAcrossTenants(app.db, 'login', (q) =>
    sql`update svc_login_name set failures = greatest(failures - 1, 0)
      where name_digest = ${digestOf(who)}`.execute(q),
  );
}

/** Names that were tried a few times are kept for an hour, others for a day, known sources for 90 days; not too many. */
async function sweep(app: App): Promise<void> {
  const now = app.clock.now();
  const ceiling = app.of(CEILING);
  if (now - ceiling.sweptMs < SWEEP_EVERY_MS) return;
  ceiling.sweptMs = now;
  const before = (ms: number) => new Date(now - ms);
  await inOneTripAcrossTenants(app.db, 'login', (q) =>
    sql`delete from svc_login_name where used_time < ${before(DAY_MS / 24)}
      and (used_time < ${before(90 * DAY_MS)}
        or sources = '{}' and (failures < 5 or used_time < ${before(DAY_MS)}))
      or name_digest in (select name_digest from svc_login_name where sources = '{}'
        order by failures desc, used_time desc offset ${MAX_NAMES})`.execute(q),
  );
}
