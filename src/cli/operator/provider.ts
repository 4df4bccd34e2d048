import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

import { z } from 'zod';

import { check } from '../../agentic/provider/ask/check.ts';
import type { Try } from '../../agentic/provider/ask/try.ts';
import { DefaultFlag } from '../../agentic/provider/default-flag.ts';
import { AddModelConfig, add as addModel } from '../../agentic/provider/model-config.ts';
import { AddProvider, add, remove } from '../../agentic/provider/provider.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import type { Composition } from '../../start/composition.ts';
import { personOf } from './password.ts';

export type ProviderOptions = {
  name?: string;
  type?: string;
  url?: string;
  proxy?: string;
  model?: string;
  default?: true;
  tenant: string;
  login?: string;
};

const TYPES = ['openai-compatible', 'anthropic'] as const;

/**
 * `svc provider add`: adds a model provider when it answers to a check with its key. What no option says is asked;
 * the key is SVC_PROVIDER_KEY or asked for, as other users of the machine can read arguments.
 */
export async function providerCommand(
  { createApp, readSettings }: Composition,
  options: ProviderOptions,
  key: string | undefined,
): Promise<void> {
  const config = readSettings();
  // No message is sent: without the bus, an unreachable broker does not prevent it.
  const app = await createApp({ ...config, bus: { ...config.bus, amqpUrl: null } });
  const questions = openQuestions();
  try {
    const caller = await personOf(app, options.tenant, options.login ?? config.admin.login);
    const name = options.name ?? (await questions.ask('Name of the provider: '));
    const type = z.enum(TYPES, `must be ${TYPES.join(' or ')}`);
    const given = AddProvider.parse({
      name,
      providerType: type.parse(
        options.type ?? ((await questions.ask(`Speaks (${TYPES.join(', ')}): `)) || TYPES[0]),
      ),
      baseUrl: options.url ?? (await questions.ask('Base address of its API: ')),
      ...(options.proxy && { proxy: await proxyOf(options.proxy, questions) }),
      apiKey: key ?? (await questions.ask('API key (empty: none): ', { isHidden: true })),
      ...(options.default && { defaultFlag: DefaultFlag.DEFAULT }),
    });
    const id = await add(app, caller, given);
    const { ok, models, reason } = await check(app, caller, { id });
    if (!ok) {
      await remove(app, caller, { id });
      throw new Unprocessable(`${name} is not added: ${reason}`);
    }
    process.stderr.write(
      `${name} answers, and offers:\n${models.map((model) => `  ${model}\n`).join('')}`,
    );
    const model = options.model ?? (await questions.ask('Model for the chat (empty: none yet): '));
    if (model !== '') {
      const isDefault = options.default && { defaultFlag: DefaultFlag.DEFAULT };
      await addModel(app, caller, AddModelConfig.parse({ model, providerId: id, ...isDefault }));
      const { tries } = await check(app, caller, { id, model });
      process.stderr.write(tries.map((one) => `  ${lineOf(one)}\n`).join(''));
    }
    process.stdout.write(`${id}\n`);
  } finally {
    questions.close();
    await app.egress.close();
    await app.bus.close();
    await app.db.close();
  }
}

/** With the password of the user that it names. */
async function proxyOf(given: string, { ask }: Questions): Promise<string> {
  const url = URL.parse(given);
  if (url?.password)
    throw new Unprocessable(
      '--proxy must have no password, as others could read it: it is asked for',
    );
  if (!url?.username) return given;
  url.password = await ask('Password of the proxy: ', { isHidden: true });
  return url.href;
}

const lineOf = ({ name, ok, reason }: Try): string =>
  `${name}: ${ok === null ? 'not known' : ok ? 'yes' : 'no'}${reason && `, ${reason}`}`;

type Questions = {
  /** The next line of the input without blanks around it; '' where the input has ended. */
  ask(question: string, how?: { isHidden: boolean }): Promise<string>;
  close(): void;
};

/** Questions on a terminal, or lines that are piped in. */
function openQuestions(): Questions {
  let isHidden = false;
  const terminal = process.stdin.isTTY;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal });
  const read = lines[Symbol.asyncIterator]();
  return {
    async ask(question, how = { isHidden: false }) {
      if (terminal) process.stderr.write(question);
      ({ isHidden } = how);
      const next = await read.next();
      if (terminal && isHidden) process.stderr.write('\n');
      isHidden = false;
      return next.done ? '' : next.value.trim();
    },
    close: () => lines.close(),
  };
}
