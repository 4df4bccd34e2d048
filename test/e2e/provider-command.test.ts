import { expect, it } from 'vitest';

import { say, startModel } from '../support/neighbours/model.ts';
import { listed } from '../support/neighbours/providers.ts';
import { chat } from '../support/people/chat.ts';
import { startConnectProxy } from '../support/proxies/connect-proxy.ts';
import { startWorld } from '../support/world/app.ts';
import { startProcess } from '../support/world/process.ts';

it('svc provider add takes a provider that answers, with its model, and no other', async () => {
  const model = await startModel(() => say('I am here.'));
  const egress = { SVC_EGRESS_ALLOW: new URL(model.baseUrl).host };
  const own = await startWorld({ environment: egress });
  await own.halt();
  const environment = { ...own.environment, SVC_PROVIDER_KEY: 'sk-boiler-7' };
  const words = [
    'src/main.ts',
    'provider',
    'add',
    '--name',
    'local',
    '--type',
    'openai-compatible',
  ];
  const wrong = startProcess([...words, '--url', 'http://127.0.0.1:9/v1'], environment);
  expect(await wrong.exited).toMatchObject({ code: 1 });
  const url = ['--url', model.baseUrl, '--model', 'gpt-a', '--default'];
  const proxy = await startConnectProxy();
  proxy.demand('plant:steam kettle');
  const allowed = {
    ...environment,
    SVC_EGRESS_ALLOW: `${egress.SVC_EGRESS_ALLOW},${proxy.hostPort}`,
  };
  const shown = [...words, ...url, '--proxy', `http://plant:steam@${proxy.hostPort}`];
  expect(await startProcess(shown, allowed).exited).toMatchObject({ code: 1 });
  const behind = [...words, ...url, '--proxy', `http://plant@${proxy.hostPort}`];
  const child = startProcess(behind, allowed, 'steam kettle\n');
  await child.line(/^ {2}gpt-b$/);
  await child.line(/^\d+$/);
  expect(await child.exited).toMatchObject({ code: 0 });
  expect(new Set(model.keys)).toEqual(new Set(['Bearer sk-boiler-7']));
  expect(child.output.join('\n')).toMatch(/ {2}answer: yes\n.* {2}tool: no, it called no tool/s);
  expect(child.output.join('\n')).not.toMatch(/sk-boiler-7|kettle/);
  expect(proxy.asked.length).toBeGreaterThan(0);
  const again = await startWorld({
    database: { environment: own.environment, remove: async () => {} },
    environment: { SVC_EGRESS_ALLOW: allowed.SVC_EGRESS_ALLOW },
  });
  expect(await listed(again.admin)).toMatchObject([
    { name: 'local', hasApiKey: true, proxy: `http://${proxy.hostPort}` },
  ]);
  const { text, completion } = await chat(again.admin, 'hello');
  expect([text, completion.model]).toEqual(['I am here.', 'gpt-a']);
  await again.halt();
  await own.stop();
  await proxy.stop();
  await model.stop();
}, 180_000);
