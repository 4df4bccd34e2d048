import { append, type NewMessage } from '../../agentic/session/message.ts';
import { openSession } from '../../agentic/session/session.ts';
import { forgetRules } from '../../alarm/rule/rule-cache.ts';
import { audit } from '../../auth/audit/audit.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { tellDrivers } from '../../manager/driver/driver-updates.ts';
import { addAgent } from './agent.ts';
import { raiseAlarms } from './alarms.ts';
import { type Api, openApi } from './api.ts';
import { benchDevices } from './bench.ts';
import { storeWeek, weekOf } from './history.ts';
import { attributesOf, registeredDriver, seedBench } from './onboard.ts';
import { plant } from './plant.ts';
import { proposeOnce } from './proposal.ts';
import { addPlant, type Making, type PlantDriver } from './rows.ts';

const CONVERSATION = 'demo-week';

const said = (role: NewMessage['role'], text: string, tools: string[] = []): NewMessage => ({
  role,
  content: {
    text,
    tools: tools.map((name, index) => ({
      callId: `demo-${index + 1}`,
      name,
      title: '',
      domain: '',
      args: '',
      result: '',
      plots: [],
      status: 'success',
      durationMs: 0,
    })),
    actions: [],
  },
  // No model has said this.
  model: role === 'assistant' ? 'demo' : '',
  isFinished: true,
});

const MESSAGES = [
  said('user', 'What happened in the boiler house this week?'),
  said(
    'assistant',
    [
      'Four things stand out:',
      '- Feed pump 2: the vibration has risen for five days and is above its limit of 7.1 mm/s. Feed pump 1 runs at about 2.4 mm/s.',
      '- Boiler 2: it slowly lost pressure and is below 1.2 bar; the alarm is confirmed.',
      '- Boiler 1: one value of 3.4 bar two days ago, then back at 1.6 bar at once.',
      '- Buffer tank: it sent nothing for three and a half hours.',
      'This conversation is made up for the demo, as are the values it is about.',
    ].join('\n'),
    ['searchAlarms', 'getPointValueHistory'],
  ),
];

/** The resource type of the audit entry by which a later start sees that the plant was made. */
const MARK = 'demo_plant';
const NAMES = [...benchDevices, ...plant].map(({ deviceName }) => deviceName);

/**
 * At the first start of an empty tenant an agent, and the plant with its week, alarms and conversation, all of that in
 * one transaction; at every start the bench, the newest of all: a list by name begins with it. Answers the tenant.
 */
export async function makeDemo(app: App): Promise<{ tenantId: string }> {
  const api = await openApi(app);
  const { tenantId } = api.caller;
  try {
    if (await isWanted(app, tenantId)) await makePlant(app, api);
  } finally {
    await seedBench(app);
  }
  return { tenantId };
}

async function makePlant(app: App, api: Api): Promise<void> {
  const { tenantId } = api.caller;
  const driverId = await registeredDriver(api, 'VirtualDriver');
  const attributes = await attributesOf(api, 'point', driverId);
  await addAgent(app, api);
  const deviceIds = await tell(app, api, { driverId, attributes });
  forgetRules(app, tenantId);
  for (const deviceId of deviceIds) await tellDrivers(app, tenantId, { deviceId });
  await proposeOnce(app, tenantId);
}

/** Answers the ids of the devices. */
const tell = (app: App, { caller }: Api, driver: PlantDriver): Promise<string[]> =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const making = { app, q, caller };
    const devices = await addPlant(making, driver);
    const week = weekOf(devices, driver.driverId, app.clock.now());
    await storeWeek(making, week);
    await raiseAlarms(making, week);
    await writeConversation(making);
    await audit(app, q, caller, {
      action: 'IMPORT',
      resourceType: MARK,
      resourceId: caller.tenantId,
      resourceName: 'The plant of the demo',
    });
    return devices.map(({ deviceId }) => deviceId);
  });

/** False where it was made before, also if parts were deleted since, and where people have devices of their own. */
async function isWanted(app: App, tenantId: string): Promise<boolean> {
  const [own, made] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      q
        .selectFrom('svc_device')
        .select('id')
        .where('tenantId', '=', tenantId)
        .where('deviceName', 'not in', NAMES)
        .limit(1)
        .execute(),
      // One of the oldest entries.
      q
        .selectFrom('svc_identity_audit_log')
        .select('id')
        .where('tenantId', '=', tenantId)
        .where('resourceType', '=', MARK)
        .orderBy('id')
        .limit(1)
        .execute(),
    ]),
  );
  return own.length === 0 && made.length === 0;
}

/** A conversation of the administrator about the week. */
async function writeConversation({ app, q, caller }: Making): Promise<void> {
  await openSession(app, q, caller, {
    conversationId: CONVERSATION,
    title: 'Demo: what happened this week?',
  });
  for (const message of MESSAGES) await append(app, q, caller, CONVERSATION, message);
}
