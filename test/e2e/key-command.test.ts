import { expect, it } from 'vitest';

import { bearerCaller } from '../support/people/present-caller.ts';
import { startWorld } from '../support/world/app.ts';
import { startProcess } from '../support/world/process.ts';

it('svc key prints one for the audience asked, on the database itself', async () => {
  const own = await startWorld();
  await own.halt();
  const words = ['src/main.ts', 'key', '--name', 'from the shell', '--audience', 'mcp'];
  const child = startProcess(words, own.environment);
  const key = await child.line(/^svc_mcp_[\w-]{52}$/);
  expect(await child.exited).toMatchObject({ code: 0 });
  const { environment } = own;
  const again = await startWorld({ database: { environment, remove: async () => {} } });
  expect(await bearerCaller(again.app, key, 'mcp')).toMatchObject({ name: 'admin' });
  const wrong = startProcess([...words.slice(0, 5), 'other'], environment);
  expect(await wrong.exited).toMatchObject({ code: 1 });
  await again.halt();
  const long = startProcess([...words, '--days', '9999'], environment);
  expect(await long.exited).toMatchObject({ code: 1 });
  expect(long.output.at(-1)).toMatch(/^expireDays: /);
  await own.stop();
});
