import { propose } from '../../../../src/agentic/action/action.ts';
import { agentIn } from '../../../tools/agent.ts';
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
  return {
    'agentic/action/confirm': action,
    'agentic/action/reject': action,
    'agentic/action/withdraw': action,
    'agentic/session/update': async () => ({
      input: { conversationId: own.conversation, title: fresh('title') },
    }),
    'agentic/session/delete': async () => ({
      input: { conversationId: (await chat(mine, 'hello')).conversationId },
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
