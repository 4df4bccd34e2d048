import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';

import { consoles } from '../../support/console/consoles.ts';
import { barriers } from '../../support/console/open-console.ts';
import { expectQuiet } from '../../support/console/page-state.ts';
import { freePort } from '../../support/neighbours/free-port.ts';
import { Records } from '../../support/people/shapes.ts';
import { eventually } from '../../support/world/eventually.ts';
import { fresh } from '../../support/world/fresh-name.ts';
import { startedWorld } from '../../support/world/prepared.ts';

const port = await freePort();
const world = startedWorld({ environment: { SVC_DRIVERS: 'http', HTTP_IN_PORT: `${port}` } });
const { at } = consoles(world);

it('a device that pushes is made in the console, which says where to, and shows its first value', async () => {
  const console = await at('/devices', {}, {});
  const { page } = console;
  const next = () => page.getByRole('button', { name: 'Next step' }).click();
  const name = fresh('station');
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  await page.getByRole('link', { name: 'Add a device' }).click();
  await page.getByRole('radio', { name: /HTTP Driver/ }).check();
  await next();
  await page.getByLabel('Name of the profile').fill(fresh('station kind'));
  await page.getByRole('button', { name: 'Take two points as an example' }).click();
  await next();
  await page.getByLabel('Name of the device').fill(name);
  await page.getByLabel('secret', { exact: true }).fill(secret);
  expect(await barriers(console)).toEqual([]);
  await next();
  await next();
  await page.getByRole('button', { name: 'Make the device' }).click();
  await page.getByRole('heading', { name: 'Waiting for the first value' }).waitFor();
  const found = await world.admin.data('/api/v3/manager/device/list', { deviceName: name });
  const id = Records.parse(found).records[0]?.id ?? '';
  await page.getByText(`POST /push/${id}`).first().waitFor();
  const body = '{"values":[{"point":"temperature","value":21.5}]}';
  const push = async (): Promise<number> => {
    const [msg, now] = [fresh('msg'), new Date(world.clock.now())];
    const answer = await fetch(`http://127.0.0.1:${port}/push/${id}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': msg,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(msg, now, body),
      },
      body,
    });
    await answer.text();
    return answer.status;
  };
  await eventually(push, (status) => status === 200);
  await page.getByRole('heading', { name: 'The first value is here' }).waitFor();
  expectQuiet(console);
});
