import { afterAll, describe, expect, it } from 'vitest';

import { report } from '../../src/alarm/explain/report.ts';
import { DATA, SUCCESS, watch } from '../support/devices/notify.ts';
import { startMailServer } from '../support/neighbours/mail-server.ts';
import { startWorld } from '../support/world/app.ts';
import { prepared } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const mail = prepared(startMailServer);
const world = prepared(() =>
  startWorld({
    environment: { SVC_SMTP_URL: mail.url, SVC_MAIL_FROM: 'alarms@example.org' },
  }),
);
afterAll(async () => {
  await world?.stop();
  await mail?.stop();
});

const condition = { field: 'calValue', operator: '>', threshold: 90 };
const instruction = 'Close valve 3.\nAlarm: 8 "is over"';

describe('the instruction of a rule', () => {
  it('is in the message, the report and the look-up for agents of its alarms', async () => {
    const watched = await watch(world, {
      content: { condition, instruction },
      channels: [{ channelTypeFlag: 'EMAIL', target: 'shift@example.org' }],
    });
    await watched.measure(96);
    await watched.until(SUCCESS);
    const lines = mail.mails[0]?.text.trim().split(/\r?\n/);
    expect(lines?.at(-1)).toBe(`What to do: "Close valve 3. Alarm: 8 'is over'"`);
    const alarmId = (await watched.state())?.alarmId;
    expect(
      await world.admin.data(`${DATA}/dashboard/alert/report`, undefined, {
        alarmId: alarmId ?? '',
      }),
    ).toMatchObject({ instruction });
    const lookup = toolNamed('lookupAlarmById');
    const answer = await lookup.run(world.app, agentIn(world.admin), { alarmId });
    expect(answer).toMatchObject({ instruction: `Close valve 3. Alarm: 8 "is over"` });
    expect(lookup.untrusted?.texts(answer)).toContainEqual(
      expect.objectContaining({ field: 'instruction', isFree: true }),
    );
  });

  it('is mended while an alarm fires, without ending it', async () => {
    const watched = await watch(world, { content: { condition, instruction } });
    await watched.measure(96);
    const alarmId = (await watched.state())?.alarmId ?? '';
    const change = (content: object) =>
      world.admin.data(`${DATA}/rule/update`, {
        id: watched.ruleId,
        ruleExt: { content: { condition, severity: 'P1', ...content } },
      });
    const read = () => report(world.app, agentIn(world.admin), { ...PARTS, alarmId });
    await change({ instruction: 'Close valve 4.' });
    expect(await read()).toMatchObject({ state: 'FIRING' });
    await change({ instruction: 'Close valve 4.', severity: 'P2' });
    expect(await read()).toMatchObject({ state: 'CLOSED' });
  });

  it('has at most 1,000 characters', async () => {
    const watched = await watch(world, {});
    const { status } = await world.admin.post(`${DATA}/rule/update`, {
      id: watched.ruleId,
      ruleExt: { content: { condition, instruction: 'x'.repeat(1_001) } },
    });
    expect(status).toBe(400);
  });
});

const PARTS = { withValues: false, withChanges: false };
