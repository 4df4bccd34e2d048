import { randomUUID } from 'node:crypto';

import { boundCommand } from '../report/bound.ts';
import { textsIn } from '../report/json.ts';
import { calledPayload } from '../report/payload.ts';
import type { DriverCommand, DriverDevice } from '../sdk/driver.ts';
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
    const { settings, topic, replyTopic } = boundCommand(bound(device), command);
    const [id, correlation] = [randomUUID(), Buffer.from(randomUUID())];
    const names = { id, device: device.name, command: command.code };
    const isJson = settings.format === 'json';
    const payload = calledPayload(settings.payload, { params, names, isJson });
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
