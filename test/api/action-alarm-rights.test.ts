import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { kinds } from '../../src/agentic/proposal/kinds.ts';
import { DATA } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import { worker } from '../support/people/accounts.ts';
import { ACTIONS, Action } from '../support/people/actions.ts';
import type { Session } from '../support/people/session.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const CONFIRM = 'svc-center-agentic:action:confirm';
const HOUR = 3_600_000;

const world = startedWorld();

const Proposed = z.looseObject({ actionId: z.string() });

/** Everything that a confirmation of alarms could have stored. */
async function storedIn(session: Session, alarmId: string): Promise<unknown> {
  const listOf = async (noun: string) =>
    AnyRecords.parse(await session.data(`${DATA}/${noun}/list`, {})).records;
  const report = z
    .looseObject({})
    .parse(await session.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId }));
  const { silenced, confirmed } = report;
  return [await listOf('rule'), await listOf('maintenance'), silenced, confirmed];
}

describe('a proposal about alarms', () => {
  it('is confirmed by nobody without the right to do it, whatever it is, and by one that has it', async () => {
    const mine = await world.tenant('rights');
    const { site, ruleId, measure } = await watched(world, mine, 'kiln');
    await measure(81);
    const found = await toolNamed('searchAlarms').run(world.app, agentIn(mine), {});
    const alarmId = String(AnyRecords.parse(found).records[0]?.['alarmId']);
    const end = new Date(world.clock.now() + HOUR).toISOString();
    const { pointId } = site;
    const asked = {
      silence: ['proposeSilence', { alarmId, hours: 1 }],
      confirmation: ['proposeConfirmation', { alarmIds: [alarmId] }],
      maintenance: ['proposeMaintenance', { maintenanceName: 'belt', plant: true, end }],
      rule: ['proposeRule', { pointId, ruleName: 'x', operator: '>', threshold: 72 }],
      // Last: it ends the alarm.
      rule_change: ['proposeRuleChange', { ruleId, threshold: 85 }],
    } as const;
    const proposals = [];
    for (const [kind, [tool, input]] of Object.entries(asked)) {
      const made = await toolNamed(tool).run(world.app, agentIn(mine), input);
      const { actionId } = Proposed.parse(made);
      const { digest } = Action.parse(await mine.data(`${ACTIONS}/get`, undefined, { actionId }));
      proposals.push({ kind, body: { actionId, digest } });
    }
    const rights = [...new Set(Object.keys(asked).map((kind) => confirmsOf(kind)))];
    const before = await storedIn(mine, alarmId);
    const { session: bare } = await worker(mine, [CONFIRM]);
    for (const { kind, body } of proposals)
      expect((await bare.post(`${ACTIONS}/confirm`, body)).status, kind).toBe(403);
    expect(await storedIn(mine, alarmId)).toEqual(before);
    const { session: able } = await worker(mine, [CONFIRM, ...rights]);
    for (const { kind, body } of proposals)
      expect((await able.post(`${ACTIONS}/confirm`, body)).status, kind).toBe(200);
  });
});

function confirmsOf(name: string): string {
  const found = Object.entries(kinds).find(([kind]) => kind === name);
  if (!found) throw new Error(`there is no kind ${name}`);
  return found[1].confirms;
}
