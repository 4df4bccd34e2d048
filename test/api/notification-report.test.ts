import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { reportFault } from '../support/devices/fault.ts';
import { messagesAt } from '../support/devices/messages.ts';
import { DATA, FAILED, History, watch } from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { login, type Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
const { taken, gets, later, reset } = messagesAt(hook, world, () => session);
let session: Session;
beforeEach(async () => {
  reset();
  session = await world.tenant(fresh('report'));
});

const change = (noun: string, id: string | undefined, fields: object) =>
  session.data(`${DATA}/${noun}/update`, { id, ...fields });
const Histories = z.object({ records: z.array(History) });

describe('reminders of a report of yesterday', () => {
  const repeat = { enabled: true, intervalMs: 30 * HOUR };
  const reported = async (more: object = {}, faults = ['the pump is stuck']) => {
    const content = { alarmTypes: ['FAULT'], repeat, ...more };
    const watched = await watch(
      world,
      { channels: [{ target: hook.url }], notify: { notifyExt: { content } } },
      session,
    );
    for (const fault of faults) await reportFault(world, session, watched.plant.deviceId, fault);
    return watched;
  };
  const dayLater = async (hours: number) => {
    await later(hours * HOUR);
    const { base, tenant } = session;
    session = await login(base, tenant, `${tenant}-admin`, testEnvironment.SVC_ADMIN_PASSWORD);
  };

  it.each(['notify', 'notify/channel'])('go on where %s is off for a while', async (noun) => {
    const { notifyId, channelIds } = await reported();
    const id = noun === 'notify' ? notifyId : channelIds[0];
    await gets('alarm.fired 1');
    await later(3 * SECOND);
    await dayLater(25);
    await change(noun, id, { enableFlag: 'DISABLE' });
    await later(3 * SECOND);
    await later(HOUR);
    await change(noun, id, { enableFlag: 'ENABLE' });
    await later(3 * SECOND);
    await gets('alarm.fired 1');
    await later(5 * HOUR);
    await gets('alarm.fired 1', 'alarm.fired 1');
    expect(taken()[1]?.data.subject).toMatch(/ not confirmed: /);
  });

  it('leave a first message that is not sent any more, without the words that the report is over', async () => {
    hook.answer(status(503));
    const { notifyId, channelIds } = await reported();
    await eventually(
      async () => taken().length,
      (count) => count > 0,
    );
    await change('notify', notifyId, { notifyExt: { content: {} } });
    await eventually(
      async () => {
        await later(SECOND);
        const of = { channelId: channelIds[0] };
        return Histories.parse(await session.data(`${DATA}/notify/history/list`, of)).records[0];
      },
      (row) =>
        row?.statusFlag === FAILED &&
        row.errorMessage === 'its policy does not send it over this channel any more',
    );
  });

  it('go out for the others of their message where one is confirmed', async () => {
    const grouping = { by: [], waitMs: 10 * SECOND };
    await reported({ grouping }, ['the pump is stuck', 'the valve is stuck']);
    await later(3 * SECOND);
    await later(11 * SECOND);
    await gets('alarm.fired 2');
    await later(3 * SECOND);
    await dayLater(31);
    hook.answer(status(503));
    hook.received.length = 0;
    await later(11 * SECOND);
    await gets('alarm.fired 2');
    const ids = taken()[0]?.data.group?.alarmIds ?? [];
    await session.data(`${DATA}/dashboard/alert/confirm?source=device&id=${ids[0]}`, {});
    await later(2 * SECOND);
    hook.answer(status(204));
    hook.received.length = 0;
    await later(MINUTE);
    await gets('alarm.fired 2');
  });
});
