import { randomUUID } from 'node:crypto';

import { isBound } from '../report/bound.ts';
import { parseJson, textsIn } from '../report/json.ts';
import { type DriverCommand, type DriverDevice, DriverFailure } from '../sdk/driver.ts';
import { misconfigured } from '../sdk/failure.ts';
import type { BoundCommand, BoundDevice } from './binding.ts';
import type { Replies, Reply } from './replies.ts';
import { demandOk, type RequestParts, unconfirmed, untilLate } from './requests.ts';

type Params = Readonly<Record<string, string>>;

/** Custom commands: a message, and the answer of the device to it. */
export class Calls {
  readonly #parts: RequestParts;
  readonly #replies: Replies;

  constructor(parts: RequestParts, replies: Replies) {
    this.#parts = parts;
    this.#replies = replies;
  }

  /** What the device answers, by name. Throws `DriverFailure`: UNKNOWN where it may have done it. */
  async call(
    device: DriverDevice,
    command: DriverCommand,
    params: Params,
    deadline: number,
  ): Promise<Record<string, string>> {
    const { clock, bound, send } = this.#parts;
    const { settings, topic, replyTopic } = commandOf(bound(device), command);
    const [id, correlation] = [randomUUID(), Buffer.from(randomUUID())];
    const payload = payloadOf(settings, { ...params }, { id, device: device.name });
    const answered = Promise.withResolvers<Reply>();
    const answer = answered.resolve;
    const ignore = this.#replies.expect(replyTopic, { id, correlation, settings, answer });
    try {
      const reply = replyTopic && { reply: { topic: replyTopic, correlation } };
      await send(device, { topic, payload, ...reply }, deadline);
      if (replyTopic === '') throw unconfirmed('the device has no way to say what it did');
      const late = () => unconfirmed(`the device did not answer at ${replyTopic}`);
      const given = await untilLate(clock, deadline, answered.promise, late);
      demandOk(given);
      return textsIn(given.payload.toString(), settings.resultPath ?? []);
    } finally {
      ignore();
    }
  }
}

function commandOf({ commands }: BoundDevice, { id }: DriverCommand): BoundCommand {
  const found = commands.get(id);
  if (!found) throw new DriverFailure('COMMAND_UNKNOWN', 'the device has no such command');
  if (isBound(found)) return found;
  throw found;
}

/** What is sent. Throws `DriverFailure` where the template does not make JSON of these parameters. */
function payloadOf(
  { payload, format }: BoundCommand['settings'],
  params: Params,
  names: Params,
): string {
  const all: Params = { ...names, ...params };
  const isJson = format === 'json';
  // Inside of JSON a parameter is the content of a text.
  const spelled = (text: string) => (isJson ? JSON.stringify(text).slice(1, -1) : text);
  const text = payload.replaceAll(/\$\{([^{}]{1,64})\}/g, (whole, name: string) => {
    if (Object.hasOwn(all, name)) return spelled(all[name] ?? '');
    return name === 'params' ? JSON.stringify(params) : whole;
  });
  if (isJson && parseJson(text) === undefined)
    throw misconfigured('payload: with these parameters it is no JSON');
  return text;
}
