import { z } from 'zod';

import { propose } from '../../../../src/agentic/propose/action.ts';
import { agentIn } from '../../../tools/agent.ts';
import { lwm2mDevice } from '../../lwm2m/device.ts';
import { waitingEndpoint } from '../../lwm2m/waiting.ts';
import { manualOf } from '../../manuals/upload.ts';
import { chat } from '../../people/chat.ts';
import { fresh } from '../../world/fresh-name.ts';
import type { Site } from '../site.ts';
import type { Add, Examples } from './example.ts';

export function agenticExamples(site: Site, add: Add): Examples {
  const { mine, own, plant, world, model } = site;
  let values = 0;
  const action = async () => {
    const { deviceId, target: pointId } = plant;
    const value = String(5 + ((values += 1) % 200) / 10);
    const { actionId } = await propose(world.app, agentIn(mine), { deviceId, pointId, value });
    return { input: { actionId } };
  };
  const approval = () => ({
    principalId: own.serviceAccountPrincipal,
    points: [
      {
        deviceId: plant.deviceId,
        pointId: plant.target,
        min: 10,
        max: 20,
        maxStep: 1,
        maxPerHour: 5,
      },
    ],
    until: new Date(site.clock.now() + 3_600_000).toISOString(),
    maxUses: 5,
  });
  const approved = async () => {
    await mine.data('/api/v3/agentic/approval/switch/set', { on: true });
    const given = approval();
    const { digest } = z
      .object({ digest: z.string() })
      .parse(await mine.data('/api/v3/agentic/approval/preview', given));
    return { ...given, digest };
  };
  const made = async () => {
    const { approvalId } = z
      .object({ approvalId: z.string() })
      .parse(await mine.data('/api/v3/agentic/approval/add', await approved()));
    return { input: { approvalId } };
  };
  const unconfirmed = async () => {
    const which = { source: 'point', id: own.alarm };
    await mine.data('/api/v3/data/dashboard/alert/unconfirm', which);
    return { input: { alarmIds: [own.alarm] } };
  };
  return {
    'agentic/action/propose_rule': async () => ({
      input: {
        pointId: own.point,
        ruleName: fresh('rule'),
        ruleExt: { content: { condition: { field: 'value', operator: 'exists' } } },
      },
    }),
    'agentic/action/propose_confirmation': unconfirmed,
    'agentic/action/propose_maintenance': async () => ({
      input: {
        maintenanceName: fresh('maintenance'),
        scopeFlag: 'DEVICE',
        entityIds: [own.device],
        endTime: new Date(site.clock.now() + 3_600_000).toISOString(),
      },
    }),
    'agentic/action/propose_onboarding': async () => {
      const { deviceId } = await lwm2mDevice(mine, {});
      return { input: { waitingId: await waitingEndpoint(world, mine, deviceId) } };
    },
    'agentic/approval/preview': async () => ({ input: await approved() }),
    'agentic/approval/add': async () => ({ input: await approved() }),
    'agentic/approval/revoke': made,
    'agentic/approval/get': made,
    'agentic/approval/switch/set': async () => ({ input: { on: true } }),
    'agentic/action/confirm': action,
    'agentic/action/reject': action,
    'agentic/action/withdraw': action,
    'agentic/session/update': async () => ({
      input: { conversationId: own.conversation, title: fresh('title') },
    }),
    'agentic/session/delete': async () => ({
      input: { conversationId: (await chat(mine, 'hello', { store: true })).conversationId },
    }),
    'agentic/manual/upload': async () => ({ input: { manualName: fresh('manual') } }),
    'agentic/manual/delete': async () => ({
      input: {
        id: (await manualOf(mine, 'One page.', 'a.txt', { manual_name: fresh('manual') })).id,
      },
    }),
    'agentic/attachment/download': async () => ({ input: { id: own.attachment } }),
    'agentic/origin/set': async () => ({ input: { origins: [`https://${fresh('app')}.example`] } }),
    // None runs that could be ended.
    'agentic/session/turn/stop': async () => ({
      input: { turn: `chatcmpl-${'0'.repeat(24)}` },
      status: 404,
    }),
    'agentic/provider/config/check': async () => ({
      input: { id: await add('agentic/provider/config/add', { baseUrl: model.baseUrl }) },
    }),
    'agentic/model/config/add': async () => ({
      input: { model: fresh('model'), providerId: own.modelProvider },
    }),
    'agentic/provider/config/add': async () => ({
      input: {
        name: fresh('provider'),
        baseUrl: 'https://models.example.org/v1',
        apiKey: 'sk-sample',
        // The chat goes on with the model it has.
        enableFlag: 'DISABLE',
      },
    }),
  };
}
