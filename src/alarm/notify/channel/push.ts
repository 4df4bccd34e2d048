import { sql } from 'kysely';
import { z } from 'zod';

import { demand } from '../../../auth/permission/permission.ts';
import { stillHolds } from '../../../auth/permission/still-holds.ts';
import { demandPerson } from '../../../auth/rights/person.ts';
import type { Queries } from '../../../db/connect.ts';
import { conflictIfTaken } from '../../../db/taken.ts';
import { inOneTrip, inTenant } from '../../../db/tenant.ts';
import type { App, Operation } from '../../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../../kernel/entity/answer.ts';
import { addRow, changeRow } from '../../../kernel/entity/change.ts';
import { Conflict, Unprocessable } from '../../../kernel/errors.ts';
import { EnableFlag } from '../../../kernel/input/flag.ts';
import { exact } from '../../../kernel/input/input.ts';
import { mailAddress } from '../../../kernel/input/mail-address.ts';
import { secret } from '../../../kernel/input/secret.ts';
import { Text } from '../../../kernel/input/text.ts';
import { Browser, type Push, Subscription } from '../../channel/delivery/browser.ts';
import type { Outcome } from '../../channel/delivery/channel.ts';
import { type Vapid, vapidOf } from '../../channel/delivery/push-message.ts';
import { browserId, personOf, personTarget, wrongEndpoint } from '../../channel/push.ts';
import { ChannelType } from '../../kind/delivery-status.ts';
import { wake } from '../wake.ts';
import { openCredential, sealCredential } from './channel-credential.ts';

/** Browsers of a person in a tenant. */
const MAX_BROWSERS = 10;
/** The right without which no alarm is pushed to a person. */
const MAY_SEE_ALARMS = 'svc-center-data:dashboard:list';

export const BrowserId = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')
  .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015'] })
  .describe('The first 32 hexadecimal digits of the SHA-256 of the endpoint');

/** The browsers to which alarms are pushed for the caller, and what a browser needs to subscribe. */
export const PushState = z
  .object({
    publicKey: z
      .string()
      .meta({ examples: ['BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIg'] })
      .describe('`applicationServerKey` of the subscription (RFC 8292), base64url'),
    channelId: z
      .nullable(AnswerId)
      .describe('The channel of the person; null: none subscribed yet'),
    policies: z.number().int().describe('Enabled policies that notify over it'),
    browsers: z.array(
      z.object({
        id: BrowserId,
        browserName: z.string().meta({ examples: ['Chrome on Android'] }),
        since: IsoTime,
      }),
    ),
  })
  .meta({ id: 'PushState' });
type PushState = z.output<typeof PushState>;

export const Subscribe = exact({
  endpoint: secret(Text(2_048)).meta({ examples: ['https://push.example/send/4kTq'] }),
  p256dh: Subscription.shape.p256dh.meta({
    examples: [
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    ],
  }),
  auth: secret(Subscription.shape.auth).meta({ examples: ['BTBZMqHH6r4Tts7J_aSIgg'] }),
  browserName: Text(64).meta({ examples: ['Chrome on Android'] }),
});
type Subscribe = z.output<typeof Subscribe>;

export const Unsubscribe = exact({ browser: BrowserId });
type Unsubscribe = z.output<typeof Unsubscribe>;

const Browsers = z.array(Browser);

/** The key pair by which push services know this platform: always that of its secret. */
function vapidKeys({ keys, config }: App): Vapid {
  const { baseUrl, mail } = config;
  const sender = mail && mailAddress(mail.from);
  // RFC 8292, 2.1: an address by which a push service reaches the operator.
  const contact = baseUrl.startsWith('https:') ? baseUrl : sender && `mailto:${sender.address}`;
  return vapidOf(keys.webPush, contact);
}

type Sealed = { tenantId: string; id: string; target: string; credential: string };

/** The browsers of the person that a channel leads to; none where what is stored cannot be opened. */
function browsersOf(app: App, { target, credential, ...owner }: Sealed): Browser[] {
  const opened = openCredential(app, owner, credential);
  const stored = opened ? Browsers.safeParse(JSON.parse(opened)).data : null;
  return (stored ?? []).filter(({ principalId }) => principalId === personOf(target));
}

const Kind = z.object({ kind: z.literal('push') });
/** Whether these are the settings of a channel of browsers. */
export const isPush = (settings: unknown): boolean => Kind.safeParse(settings).success;

/** The browsers that a message goes to, or why it goes to none. Never throws. */
export async function pushTo(app: App, channel: Sealed): Promise<Push | Outcome> {
  const { tenantId, target } = channel;
  const principalId = personOf(target);
  if (principalId === null) return { status: 'refused', reason: 'the channel leads to no person' };
  try {
    const held = { tenantId, principalId, code: MAY_SEE_ALARMS };
    const now = app.clock.now();
    const mayRead = await inOneTrip(app.db, tenantId, (q) => stillHolds(q, held, now));
    if (!mayRead) return { status: 'refused', reason: 'the person may not read alarms' };
    return { browsers: browsersOf(app, channel), vapid: vapidKeys(app) };
  } catch (error) {
    app.log.warn({ error, tenantId }, 'rights of a person not read, push put off');
    return { status: 'unreachable', reason: 'the rights of the person cannot be read' };
  }
}

/** What a push service no longer knows is not sent to again; where that cannot be written it is tried once more. */
export async function forget(
  app: App,
  channel: Pick<Sealed, 'tenantId' | 'id'>,
  gone: readonly string[],
): Promise<void> {
  const { tenantId, id } = channel;
  try {
    await remove(app, channel, gone);
  } catch (error) {
    app.log.warn({ error, tenantId, channelId: id }, 'browser that is gone not removed');
  }
}

async function remove(
  app: App,
  { tenantId, id }: Pick<Sealed, 'tenantId' | 'id'>,
  gone: readonly string[],
): Promise<void> {
  await inTenant(app.db, tenantId, async (q) => {
    const row = await channelAt(q, tenantId).where('id', '=', id).forUpdate().executeTakeFirst();
    if (!row) return;
    const left = browsersOf(app, row).filter((each) => !gone.includes(browserId(each)));
    await q
      .updateTable('svc_notify_channel')
      .set({ credential: sealed(app, row, left), operateTime: new Date(app.clock.now()) })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
}

const sealed = (app: App, owner: Pick<Sealed, 'tenantId' | 'id'>, of: readonly Browser[]): string =>
  sealCredential(app, owner, of.length === 0 ? '' : JSON.stringify(of));

const channelAt = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_notify_channel')
    .select(['id', 'tenantId', 'target', 'credential'])
    .where('tenantId', '=', tenantId);

const ofPerson = (q: Queries, tenantId: string, principalId: string) =>
  channelAt(q, tenantId)
    .where('target', '=', personTarget(principalId))
    .where('channelTypeFlag', '=', ChannelType.WEBHOOK)
    .orderBy('id')
    .limit(1);

/** Enabled policies that name a channel. */
const policiesOf = sql<number>`(
  select count(*)::int from svc_notify_channel_bind b
  join svc_notify n on n.tenant_id = b.tenant_id and n.id = b.notify_id and n.enable_flag = ${EnableFlag.ENABLE}
  where b.tenant_id = svc_notify_channel.tenant_id and b.channel_id = svc_notify_channel.id
    and b.enable_flag = ${EnableFlag.ENABLE})`.as('policies');

export const get: Operation<unknown, PushState> = async (app, caller) => {
  const { tenantId, principalId } = caller;
  demandPerson(caller, 'have alarms pushed to a browser');
  const row = await inOneTrip(app.db, tenantId, (q) =>
    ofPerson(q, tenantId, principalId).select(policiesOf).executeTakeFirst(),
  );
  return {
    publicKey: vapidKeys(app).publicKey,
    channelId: row?.id ?? null,
    policies: row?.policies ?? 0,
    browsers: (row ? browsersOf(app, row) : []).map((each) => ({
      id: browserId(each),
      browserName: each.name,
      since: each.since,
    })),
  };
};

/**
 * Alarms that a policy sends to the person are pushed to this browser from now on, those that fire already too. The
 * first makes the channel of the person. Answers the id of the browser. Throws Unprocessable for an endpoint that
 * may not be reached, and Conflict for an eleventh browser.
 */
export const subscribe: Operation<Subscribe, string> = async (app, caller, given) => {
  demandPerson(caller, 'have alarms pushed to a browser');
  demand(caller, 'svc-center-data:dashboard:list');
  const { tenantId, principalId, name } = caller;
  const { browserName, ...subscription } = given;
  const wrong = wrongEndpoint(app.egress.webhook, subscription.endpoint);
  if (wrong !== null) throw new Unprocessable(wrong);
  const since = new Date(app.clock.now()).toISOString();
  const fresh: Browser = { ...subscription, principalId, name: browserName, since };
  const id = browserId(fresh);
  const adding = inTenant(app.db, tenantId, async (q) => {
    const found = await ofPerson(q, tenantId, principalId).forUpdate().executeTakeFirst();
    const row = found ?? {
      id: await addRow(q, app, caller, 'svc_notify_channel', {
        channelName: `Browsers of ${name}`.slice(0, 64),
        channelCode: `push-${principalId}`,
        channelTypeFlag: ChannelType.WEBHOOK,
        target: personTarget(principalId),
        channelExt: JSON.stringify({ content: { kind: 'push' } }),
      }),
      tenantId,
      target: personTarget(principalId),
      credential: '',
    };
    const others = browsersOf(app, row).filter((each) => browserId(each) !== id);
    if (others.length >= MAX_BROWSERS)
      throw new Conflict(`Alarms are pushed to ${MAX_BROWSERS} browsers of a person at most`);
    await changeRow(q, app, caller, 'svc_notify_channel', {
      id: row.id,
      credential: sealed(app, row, [...others, fresh]),
    });
    await wake(q, tenantId, { channelId: row.id }, app.clock.now());
    return id;
  });
  return conflictIfTaken('channel', adding);
};

/** Nothing is pushed to this browser of the person any more; one that is not subscribed stays so. */
export const unsubscribe: Operation<Unsubscribe, true> = async (app, caller, { browser }) => {
  demandPerson(caller, 'have alarms pushed to a browser');
  const { tenantId, principalId } = caller;
  const row = await inOneTrip(app.db, tenantId, (q) =>
    ofPerson(q, tenantId, principalId).executeTakeFirst(),
  );
  if (row) await remove(app, row, [browser]);
  return true;
};
