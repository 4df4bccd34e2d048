import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { expect, it } from 'vitest';

import { startConnectProxy } from '../support/proxies/connect-proxy.ts';
import { keptProgram } from '../support/runs/clients/kept.ts';
import { connectTexts, meetInstalled } from '../support/runs/clients/run.ts';
import { startScriptedModel } from '../support/runs/clients/scripted-model.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

/** No document of a client elsewhere can be fetched: the program registers itself. */
const world = started(() => startWorld({ environment: { SVC_OAUTH_CLIENT_HOSTS: 'none' } }));
const model = started(startScriptedModel);
const proxy = started(startConnectProxy);

it('a program logs in, reads, proposes a write and says what became of it', async () => {
  const kept = keptProgram();
  if (!kept) throw new Error('node test/support/runs/clients/kept.ts installs the program');
  proxy.answer(403);
  const folder = await mkdtemp(join(tmpdir(), 'svc-program-'));
  try {
    const texts = await connectTexts(world.base);
    const stage = { world, model, proxy, texts, cut() {}, folder };
    const met = await meetInstalled(stage, kept.program, 'login', resolve(kept.folder));
    expect(met).toMatchObject({
      wrong: [],
      tools: expect.stringMatching(/^all \d+ with schemas$/),
      isLooseTaken: true,
      named: expect.stringContaining(kept.program.version),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
