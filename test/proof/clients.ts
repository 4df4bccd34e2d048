import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../support/neighbours/free-port.ts';
import { startConnectProxy } from '../support/proxies/connect-proxy.ts';
import { startTcpProxy } from '../support/proxies/tcp-proxy.ts';
import { installOpenWebUi, OPEN_WEBUI, playOpenWebUi } from '../support/runs/clients/open-webui.ts';
import { programs } from '../support/runs/clients/programs.ts';
import { connectTexts, type Met, meetProgram } from '../support/runs/clients/run.ts';
import { startScriptedModel } from '../support/runs/clients/scripted-model.ts';
import { startWorld } from '../support/world/app.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

/** What leads out is a proxy that leads nowhere. */
const FORBIDDEN = 403;
/** Of a wait of 15 s. */
const CUT_AFTER_MS = 5_000;

/** Programs of agents from the npm registry, and Open WebUI, play turns against a scripted model; `clients PATTERN` meets some. */
export const clients: Proof = async ({ print, only }) => {
  const { lines, say } = linesOf(print);
  say(
    'Each program is installed, connected as `svc connect` says, with a key or by its own login (a scripted browser),',
  );
  say(
    'and plays a turn without a person against a scripted model in its vendor’s dialect: it searches with `null` and a',
  );
  say(
    'number in a string, reads, proposes a write, looks the proposal up, and says what the answers held. What leads',
  );
  say(
    'elsewhere than to loopback is refused by a proxy. With a key it also waits for events as long as it can, and plays a',
  );
  say('second turn, in which every connection is cut while it waits.');
  say('');
  say(
    '| client | version | Node | by | names itself | tools of which its model hears | `null`, `"5"` | waits | after a cut in a wait it | calls | s | asked elsewhere | wrong |',
  );
  say('|---|---|---|---|---|---|---|---|---|---|---|---|---|');
  const details: string[] = [];
  let failed = 0;
  const folder = await mkdtemp(join(tmpdir(), 'svc-clients-'));
  const model = await startScriptedModel();
  const proxy = await startConnectProxy();
  proxy.answer(FORBIDDEN);
  try {
    await onEngine('embedded', async (environment) => {
      const port = await freePort();
      const way = await startTcpProxy({ host: '127.0.0.1', port });
      const world = await startWorld({
        environment: {
          SVC_PORT: String(port),
          SVC_BASE_URL: `http://127.0.0.1:${way.port}`,
          // No document of a client elsewhere can be fetched: each registers itself.
          SVC_OAUTH_CLIENT_HOSTS: 'none',
        },
        database: { environment, remove: async () => {} },
      });
      const cut = (): void => {
        setTimeout(() => {
          way.cut();
          way.mend();
        }, CUT_AFTER_MS);
      };
      try {
        const texts = await connectTexts(world.base);
        const stage = { world, model, proxy, texts, cut, folder };
        for (const program of programs.filter(({ client }) => new RegExp(only, 'i').test(client)))
          for (const met of await meetProgram(stage, program)) {
            say(rowOf(met));
            failed += met.wrong.length;
            const name = `${met.program.client} by ${met.way}`;
            if (met.unable !== undefined)
              details.push(`- ${name} does not run here: ${met.unable}`);
            for (const one of met.wrong) details.push(`- ${name}: ${one}`);
          }
      } finally {
        await world.stop();
        await way.stop();
      }
    });
  } finally {
    await model.stop();
    await proxy.stop();
    await rm(folder, { recursive: true, force: true });
  }
  say('');
  say(
    'Wrong is an end other than 0 or after two minutes, a process left running, a tool of the list that does not reach',
  );
  say(
    'the model or whose schema loses properties on the way, a call that is not in the audit under the name of the program,',
  );
  say(
    'another number of proposals than one, anything written before a person confirmed it, and a last word that is not',
  );
  say(
    'what the platform answered; a longest wait without an answer, and a cut after which nothing can be read. A program',
  );
  say('that does not run here says why.');
  for (const one of details) say(one);
  if (new RegExp(only, 'i').test('Open WebUI')) failed += await meetOpenWebUi(say);
  return { failed, report: lines };
};

/** A chat program in its page; answers how much is wrong. */
async function meetOpenWebUi(say: (line: string) => void): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-open-webui-'));
  say('');
  say(
    `Open WebUI ${OPEN_WEBUI} is installed from PyPI without the models that it runs itself, and its`,
  );
  say(
    'page is used in Chromium. Wrong is what its models are sent otherwise than the page holds it.',
  );
  say('');
  try {
    const command = await installOpenWebUi(folder);
    const played = await onEngine('embedded', (environment) =>
      playOpenWebUi(command, folder, environment),
    );
    say('| step | its models were sent | wrong |');
    say('|---|---|---|');
    for (const { step, sent, wrong } of played)
      say(`| ${step} | ${sent.replaceAll(' | ', '; ')} | ${wrong.join('; ') || 0} |`);
    return played.reduce((sum, { wrong }) => sum + wrong.length, 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rowOf({ program, way, unable, ...met }: Met): string {
  const { client, version, node = process.versions.node } = program;
  const loose = met.isLooseTaken ? 'taken' : 'refused by the program';
  const cells =
    unable === undefined
      ? [met.named, met.tools, loose, met.waited, met.afterCut, met.calls]
      : ['does not run here', '', '', '', '', ''];
  const rest = [met.seconds.toFixed(0), met.elsewhere.join(', ') || '–', met.wrong.length];
  return `| ${[client, version, node, way, ...cells, ...rest].join(' | ')} |`;
}
